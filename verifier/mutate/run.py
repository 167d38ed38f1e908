"""All mutants of a ruleset tried, in several processes forked from this one; what is known already is kept on disk."""

from __future__ import annotations

import hashlib
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import takewhile
from pathlib import Path

import verifier
from verifier.cache import Cache, Json
from verifier.check.engine import Prepared
from verifier.check.result import RulesetResult
from verifier.check.terms import ruleset_result
from verifier.errors import Problem, RequestError
from verifier.exits import Exit
from verifier.model.ruleset import Ruleset
from verifier.mutate.familiar import rests_on
from verifier.mutate.mutant import KINDS, VERDICTS, Mutant, Verdict
from verifier.mutate.reasons import beside, read_reasons
from verifier.mutate.record import Recorded, record
from verifier.mutate.spread import spread
from verifier.mutate.trial import Order, Outcome, Prover, Trial
from verifier.mutate.walk import mutants
from verifier.mutate.workshop import Workshop, workshop
from verifier.transcripts.case import Case, read_cases
from verifier.version import VERSION

CODE = ("law", "syntax", "model", "core", "run", "log", "check", "transcripts", "mutate")
"""The packages on whose code an outcome hangs,"""

PROVER_CODE = ("prove", "generate", "simulate")
"""and those on which it hangs besides where no transcript kills."""

AnyProver = Prover | Callable[[Prepared], Prover]
"""A prover, or what makes one for a ruleset."""

OnProgress = Callable[[str, int, int], None]
"""Called with what is being done, how many mutants are tried, and how many there are."""

OnOutcome = Callable[[Outcome], None]


@dataclass(frozen=True, slots=True)
class Mutation:
    """What became of a ruleset's mutants, in the order of the text. `reasons` are those given for survivors, by id;
    `cached` counts the outcomes known from an earlier run, `passed_over` by ruleset the transcripts of other ones."""

    ruleset: Ruleset = field(compare=False)
    about: RulesetResult
    only: tuple[str, ...]
    total: int
    transcripts: int
    prover: str | None
    outcomes: tuple[Outcome, ...]
    reasons: Mapping[str, str] = field(default_factory=dict)
    cached: int = field(default=0, compare=False)
    passed_over: Mapping[str, int] = field(default_factory=dict)
    version: str = VERSION

    @property
    def counts(self) -> dict[Verdict, int]:
        """How many mutants came out how."""
        return {verdict: sum(o.verdict == verdict for o in self.outcomes) for verdict in VERDICTS}

    @property
    def survivors(self) -> tuple[Outcome, ...]:
        """Those that nothing noticed, with or without a reason."""
        return tuple(o for o in self.outcomes if o.verdict == "survived")

    @property
    def open(self) -> tuple[Outcome, ...]:
        """Those that nothing noticed, and for which no reason is given."""
        return tuple(o for o in self.survivors if o.mutant.id not in self.reasons)

    @property
    def needless(self) -> tuple[Outcome, ...]:
        """Those for which a reason is given, and that need no proof to be killed, or are refused by the loader."""
        needing_none = ("killed", "refuted", "refused")
        return tuple(o for o in self.outcomes if o.verdict in needing_none and o.mutant.id in self.reasons)

    @property
    def exit_code(self) -> Exit:
        """1 where a mutant survives without a reason, else 0."""
        return Exit.BROKEN if self.open else Exit.HOLDS


def mutate(
    name: str | Path,
    transcripts: Sequence[str | Path] = (),
    *,
    only: Sequence[str] = (),
    jobs: int = 1,
    prover: AnyProver | None = None,
    cache: Cache | None = None,
    reasons: Mapping[str, str] | Path | None = None,
    on_outcome: OnOutcome | None = None,
    on_progress: OnProgress | None = None,
) -> Mutation:
    """Try every mutant of the ruleset `name`, or those that `only` names: by id, kind or rule, `*` being any text.

    `reasons` say of survivors, by id, why they may survive, or are a file of them; None: those that come with the
    rule file. Raises `RequestError` for a pattern or a reason that
    names no mutant, and for a transcript that the ruleset itself does not fulfil; `RuleTextError`, `LogError`;
    `InternalError` where a process dies.
    """
    show = on_progress or (lambda what, done, total: None)
    shop = workshop(name)
    every = tuple(mutants(shop.modules))
    told = reasons_of(reasons, shop)
    _known(told, every)
    chosen = select(every, only)
    show("reading transcripts", 0, len(chosen))
    passed = Counter[str]()
    cases = list(read_cases(transcripts, shop.original, (), passed)) if transcripts else []
    asked = prover if prover is None or isinstance(prover, Prover) else prover(shop.original)
    store = _Store(cache, shop.original.ruleset, cases, asked)
    found = {mutant.id: known for mutant in chosen if (known := store.get(mutant)) is not None}
    left = [mutant for mutant in chosen if mutant.id not in found]
    cached = len(found)
    if left:
        show("judging transcripts", cached, len(chosen))
        trial = Trial(shop, _recorded(shop, cases, store), asked)
        if asked is not None:
            show("playing, and proving the original", cached, len(chosen))
            asked.prepare(trial.recorded)
        for outcome in spread(partial(_timed, trial), left, jobs):
            store.put(outcome)
            found[outcome.mutant.id] = outcome
            if on_outcome is not None:
                on_outcome(outcome)
            show("trying mutants", len(found), len(chosen))
    return Mutation(
        shop.original.ruleset,
        ruleset_result(shop.original.ruleset),
        tuple(only),
        len(every),
        len(cases),
        None if asked is None else asked.key,
        tuple(found[mutant.id] for mutant in chosen),
        dict(told),
        cached,
        passed,
    )


def select(every: Sequence[Mutant], only: Sequence[str]) -> tuple[Mutant, ...]:
    """The mutants that some pattern names. Raises `RequestError` for a pattern that names none."""
    if not only:
        return tuple(every)
    wanted: set[str] = set()
    for pattern in only:
        glob = re.compile(re.escape(pattern).replace(r"\*", ".*").replace(r"\?", "."), re.DOTALL)
        met = {m.id for m in every if any(glob.fullmatch(x) for x in (m.id, m.kind, m.rule, m.clause or ""))}
        if not met:
            raise RequestError(
                Problem(
                    f"no mutant is called {pattern}",
                    code="unknown-mutant",
                    help=f"a pattern is a mutant's id, a rule, or a kind ({', '.join(KINDS)}); * is any text",
                )
            )
        wanted |= met
    return tuple(mutant for mutant in every if mutant.id in wanted)


def reasons_of(reasons: Mapping[str, str] | Path | None, shop: Workshop) -> Mapping[str, str]:
    if reasons is None:
        reasons = beside(Path(shop.modules.modules[-1].path))
    return read_reasons(reasons) if isinstance(reasons, Path) else reasons or {}


def _known(reasons: Mapping[str, str], every: Iterable[Mutant]) -> None:
    gone = sorted(reasons.keys() - {mutant.id for mutant in every})
    if gone:
        raise RequestError(
            *(
                Problem(
                    f"a reason is given for {name}, and there is no such mutant",
                    code="unknown-mutant",
                    help="the rule was changed: run it again, and read the reason anew before it is kept",
                )
                for name in gone
            )
        )


def _recorded(shop: Workshop, cases: Sequence[Case], store: _Store) -> list[Recorded]:
    """The transcripts as the ruleset itself shows them. Raises `RequestError` where it does not fulfil one."""
    recorded = record(shop.original, cases)
    for case in cases:
        words = [] if store.fulfilled(case) else case.unlike(shop.original)
        if words:
            raise RequestError(
                Problem(
                    f"the ruleset does not fulfil this transcript: {words[0].strip()}",
                    case.path,
                    code="transcript-differs",
                    help="a transcript that fails already shows nothing of a mutant: mend it, or the rules",
                )
            )
        store.fulfil(case)
    return recorded


def _timed(trial: Trial, mutant: Mutant) -> Outcome:
    start = time.perf_counter()
    outcome = trial.of(mutant)
    return replace(outcome, seconds=time.perf_counter() - start)


# ------------------------------------------------------------------------------------------------------ cache
@dataclass(slots=True)
class _Store:
    """Outcomes on disk, by ruleset, mutant, transcripts, prover and our own code."""

    cache: Cache | None
    ruleset: Ruleset
    cases: Sequence[Case]
    prover: Prover | None
    _code: str = field(init=False)
    _beyond: str = field(init=False, default="")
    """What it hangs on besides where no transcript kills."""
    _cases: str = field(init=False)
    _digests: Mapping[str, str] = field(init=False)
    _order: Order = field(init=False)

    def __post_init__(self) -> None:
        self._code = code_digest(CODE) if self.cache is not None else ""
        if self.cache is not None:
            asked = "" if self.prover is None else self.prover.key
            self._beyond = f"{asked} {rests_on(self.ruleset)} {code_digest(PROVER_CODE)}"
        self._order = Order(self.cases)
        self._digests = {case.digest: case.path for case in self.cases}
        together = "\n".join(sorted(self._digests))
        self._cases = hashlib.sha256(together.encode()).hexdigest()

    def get(self, mutant: Mutant) -> Outcome | None:
        """What is known of a mutant: a kill holds as long as the transcript that did it is there, and none before it in
        the order of trying that was not there then."""
        if self.cache is None:
            return None
        match self.cache.get("mutate", self._key(mutant)):
            case {
                "verdict": "killed",
                "digest": str(digest),
                "before": str(before),
                "detail": str(detail),
            } if digest in self._digests and before == self._before(mutant, digest):
                return Outcome(mutant, "killed", self._digests[digest], detail)
            case {"verdict": "refused", "by": str(by), "detail": str(detail)}:
                return Outcome(mutant, "refused", by, detail)
            case {
                "verdict": str(name),
                "by": str(by),
                "detail": str(detail),
                "cases": cases,
                "beyond": beyond,
                "witness": str(witness),
            }:
                verdict = next((v for v in VERDICTS if v == name and v != "killed"), None)
                if verdict is not None and cases == self._cases and beyond == self._beyond:
                    return Outcome(mutant, verdict, by, detail, witness)
        return None

    def put(self, outcome: Outcome) -> None:
        """Keep an outcome."""
        if self.cache is None:
            return
        digest = next((d for d, path in self._digests.items() if path == outcome.by), "")
        value: Json = {
            "verdict": outcome.verdict,
            "by": outcome.by,
            "detail": outcome.detail,
            "digest": digest,
            "before": self._before(outcome.mutant, digest) if digest else "",
            "cases": self._cases,
            "beyond": self._beyond,
            "witness": outcome.witness,
        }
        self.cache.put("mutate", self._key(outcome.mutant), value)

    def _before(self, mutant: Mutant, digest: str) -> str:
        """The transcripts that are tried before one."""
        order = (case.digest for case in self._order.of(mutant))
        return hashlib.sha256("\n".join(takewhile(lambda one: one != digest, order)).encode()).hexdigest()

    def fulfilled(self, case: Case) -> bool:
        """Whether it is known that the ruleset itself fulfils a transcript."""
        return self.cache is not None and self.cache.get("transcripts", self._case_key(case)) is True

    def fulfil(self, case: Case) -> None:
        """Keep that the ruleset fulfils a transcript."""
        if self.cache is not None:
            self.cache.put("transcripts", self._case_key(case), True)

    def _case_key(self, case: Case) -> Json:
        return {"code": self._code, "ruleset": self.ruleset.digest, "transcript": case.digest}

    def _key(self, mutant: Mutant) -> Json:
        return mutant_key(self._code, self.ruleset, mutant)


def mutant_key(code: str, ruleset: Ruleset, mutant: Mutant) -> dict[str, Json]:
    """What of a mutant's outcome is kept under: our own code, the ruleset, the change and where it stands."""
    change = mutant.change
    place: list[Json] = [change.start, change.end, change.text]
    return {"code": code, "ruleset": ruleset.digest, "mutant": mutant.id, "change": place}


def code_digest(packages: Iterable[str]) -> str:
    """The SHA-256 of the code of some packages."""
    found = hashlib.sha256()
    folder = Path(verifier.__file__).parent
    for package in packages:
        for path in sorted((folder / package).rglob("*.py")):
            found.update(path.read_bytes())
    return found.hexdigest()
