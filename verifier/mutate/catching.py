"""Which obligation catches which mutant of a ruleset: all mutants held against them, and what came of each kept on
disk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from verifier.cache import Cache, Json
from verifier.model.ruleset import Ruleset
from verifier.mutate.caught import SETTINGS, Catch, Catcher, Caught, Original
from verifier.mutate.mutant import Mutant
from verifier.mutate.played import Lines, lines
from verifier.mutate.run import CODE, PROVER_CODE, OnProgress, code_digest, mutant_key, reasons_of, select
from verifier.mutate.spread import spread
from verifier.mutate.walk import mutants
from verifier.mutate.workshop import workshop
from verifier.prove.solve import versions
from verifier.version import VERSION


@dataclass(frozen=True, slots=True)
class Catching:
    """What came of a ruleset's mutants, in the order of the text. `only` are the patterns asked for, all where empty;
    `total` counts all mutants, `plays` what they were held against, and `digest` is that of it. `reasons` say of
    mutants that no transcript notices, by id, why that may be."""

    ruleset: Ruleset = field(compare=False)
    only: tuple[str, ...]
    total: int
    plays: int
    states: int
    digest: str
    solvers: Mapping[str, str]
    found: tuple[Caught, ...]
    reasons: Mapping[str, str] = field(default_factory=dict)
    cached: int = field(default=0, compare=False)
    version: str = VERSION

    def number(self, outcome: str) -> int:
        """How many mutants came out so."""
        return sum(one.outcome == outcome for one in self.found)

    def why(self, one: Caught) -> str:
        """Why a mutant is not caught, with the reason for which no transcript notices it, where none does."""
        reason = self.reasons.get(one.mutant.id)
        return one.why if reason is None else f"{one.why}; nor does a transcript: {reason}"


def catching(
    name: str | Path,
    transcripts: Sequence[str | Path] = (),
    *,
    only: Sequence[str] = (),
    jobs: int = 1,
    cache: Cache | None = None,
    on_progress: OnProgress | None = None,
) -> Catching:
    """Hold every mutant of the ruleset `name`, or those that `only` names, against its obligations, as far as plays in
    `transcripts` and solvers tell. Raises as `verifier.mutate.run.mutate` and `verifier.mutate.played.lines` do."""
    show = on_progress or (lambda what, done, total: None)
    shop = workshop(name)
    every = tuple(mutants(shop.modules))
    chosen = select(every, only)
    show("playing transcripts", 0, len(chosen))
    plays = lines(shop.original, transcripts)
    store = _Store(cache, shop.original.ruleset, plays)
    found = {mutant.id: known for mutant in chosen if (known := store.get(mutant)) is not None}
    left = [mutant for mutant in chosen if mutant.id not in found]
    cached = len(found)
    if left:
        show("asking of the original", cached, len(chosen))
        catcher = Catcher(shop, Original(shop.original.program, plays))
        for one in spread(catcher.of, left, jobs):
            store.put(one)
            found[one.mutant.id] = one
            show("asking of mutants", len(found), len(chosen))
    return Catching(
        shop.original.ruleset,
        tuple(only),
        len(every),
        len(plays.lines),
        sum(len(line.states) for line in plays.lines),
        plays.digest,
        {solver: str(said[0]) for solver, said in _versions().items()},
        tuple(found[mutant.id] for mutant in chosen),
        reasons_of(None, shop),
        cached,
    )


def _versions() -> dict[str, list[Json]]:
    return {name: said for name, said in versions(SETTINGS).items() if isinstance(said, list)}


@dataclass(slots=True)
class _Store:
    """What came of mutants on disk, by ruleset, mutant, plays, solvers and our own code."""

    cache: Cache | None
    ruleset: Ruleset
    plays: Lines
    _code: str = field(init=False)

    def __post_init__(self) -> None:
        self._code = code_digest((*CODE, *PROVER_CODE)) if self.cache is not None else ""

    def get(self, mutant: Mutant) -> Caught | None:
        if self.cache is None:
            return None
        kept: Any = self.cache.get("caught", self._key(mutant))
        match kept:
            case {
                "outcome": ("caught" | "not caught" | "refused") as outcome,
                "catches": list(catches),
                "asked": list(asked),
                "open": list(open_),
                "why": str(why),
            }:
                return Caught(
                    mutant,
                    outcome,
                    tuple(Catch(obligation, kind, shown) for obligation, kind, shown in catches),
                    tuple((kind, number) for kind, number in asked),
                    tuple(open_),
                    why,
                )
        return None

    def put(self, one: Caught) -> None:
        if self.cache is None:
            return
        value: Json = {
            "outcome": one.outcome,
            "catches": [[c.obligation, c.kind, c.shown] for c in one.catches],
            "asked": [[kind, number] for kind, number in one.asked],
            "open": list(one.open),
            "why": one.why,
        }
        self.cache.put("caught", self._key(one.mutant), value)

    def _key(self, mutant: Mutant) -> Json:
        known = mutant_key(self._code, self.ruleset, mutant)
        return {**known, "plays": self.plays.digest, "solvers": versions(SETTINGS)}
