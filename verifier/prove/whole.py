"""A ruleset proved as a whole: its own obligations, decided at one desk, within the scope asked for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from verifier.cache import Cache, Json, directory
from verifier.core.program import Program
from verifier.errors import Problem, RequestError
from verifier.forks import can_fork
from verifier.model import types as ty
from verifier.model.types import Type
from verifier.prove import decide
from verifier.prove.ahead import Ahead, ahead
from verifier.prove.desk import Desk
from verifier.prove.extent import scopes
from verifier.prove.found import Found, Hint, written
from verifier.prove.kept import Memory
from verifier.prove.known import Known
from verifier.prove.obligations import decisions, norms, options, ranges, references, rules, stuck, theorems
from verifier.prove.prove import OnProgress, OnResult, Proof, prove
from verifier.prove.proven import Proven, rules_digest
from verifier.prove.question import Answer, Decided, Obligation, Play
from verifier.prove.region import Regions
from verifier.prove.scope import Scope, id_of, list_fields, scope_of
from verifier.prove.solve import SOLVERS, Settings
from verifier.prove.told import Tellings, Told

MOST = 8
"""A scope asked for has at most so many ids of a type."""


REGIONS = ("gap", "conflict")
"""Kinds of finding of which it is told where else they are so."""

MODULES = (decisions, rules, norms, stuck, options, ranges, references, theorems)
"""Where obligations come from, in the order in which they are reported."""


def every(program: Program) -> Iterator[Obligation]:
    """All obligations of a program, those that write themselves and those that stand beside it."""
    for module in MODULES:
        yield from module.obligations(program)


def parts_of(program: Program, obligation: Obligation) -> tuple[Obligation, ...]:
    """What is asked in place of an obligation that is not proved whole: of a decision's conflict, pairs of rules."""
    for name in program.decisions:
        if obligation.kind == "conflict" and obligation.id == f"conflict {name}":
            others = replace(
                obligation, id=f"{obligation.id} otherwise", claim=f"otherwise {obligation.claim}"
            )
            return (others, *decisions.pairs(program, name))
    return ()


class NoCache(Cache):
    """Keeps nothing, and counts what it is asked for."""

    def get(self, namespace: str, key: Json) -> Json:
        """None, always."""
        self.misses += 1
        return None

    def put(self, namespace: str, key: Json, value: Json) -> None:
        """Nothing is kept."""


@dataclass(frozen=True, slots=True)
class _Prepared:
    """Invariants found in a process of their own, and what held of what was guessed for them; how many queries that
    took: asked, and answered by the cache."""

    words: Proven
    play: Proven
    hints: Mapping[str, Hint]
    asked: int
    kept: int


@dataclass(slots=True)
class AtDesk:
    """Decides by `verifier.prove.decide` at one desk. With `jobs` above 1 invariants are looked for beside the rest.

    What took long is kept by the `memory` as soon as it is decided, so that a run that was broken off goes on.
    """

    desk: Desk
    jobs: int = 1
    memory: Memory | None = None
    _asked: tuple[Obligation, ...] = ()
    _ahead: Ahead[_Prepared] | None = None
    _regions: Regions | None = None

    def parts(self, obligation: Obligation) -> tuple[Obligation, ...]:
        """See `verifier.prove.workers.Decider`, here and below."""
        return parts_of(self.desk.program, obligation)

    def _write(self, obligation: Obligation) -> None:
        """The obligation's own file, where questions are written; whatever else is asked of it has files beside it."""
        if self.desk.settings.smt2 is None or obligation.question is None:
            return
        wanted = "no state" if obligation.wanted == "never" else "some state"
        comment = f"{obligation.claim}\nIt holds where {wanted} is what is asked for."
        self.desk.typed(0).write(obligation.question, f"{obligation.id}, in itself", comment)

    def begin(self, obligations: Sequence[Obligation], note: Callable[[str], None]) -> None:
        self.desk.note = note
        self._asked = tuple(obligations)
        if self.desk.settings.smt2 is None and any(
            o.wanted == "sometimes" and o.question for o in obligations
        ):
            self.desk.look_around(obligations)
        if self.jobs > 1 and can_fork() and any(o.question for o in obligations):
            self.desk.explorer  # noqa: B018
            self._ahead = ahead(self._prepared)

    def _prepared(self) -> _Prepared:
        before = self.counts()
        words, play = self.desk.proven("words"), self.desk.proven("play")
        after = self.counts()
        return _Prepared(words, play, self.desk.hints, after[0] - before[0], after[1] - before[1])

    def narrow(self, parts: Sequence[Obligation]) -> tuple[tuple[Obligation, ...], Answer | None]:
        for part in parts:
            self._write(part)
        return decide.narrowed(self.desk, parts[1:])

    def first(self, obligation: Obligation) -> Decided | None:
        self._write(obligation)
        return decide.first(self.desk, obligation)

    def prepare(self, note: Callable[[str], None]) -> None:
        self.desk.note = note
        if self._ahead is not None:
            note("induction")
            made = self._ahead.fetch()
            self._ahead = None
            if made is not None:
                self.desk.take_proven(made.words, made.play, made.hints)
                if (cache := self.desk.settings.cache) is not None:
                    cache.misses += made.asked
                    cache.hits += made.kept
        self.desk.prepare()
        self.desk.forget()

    def close(self) -> None:
        if self._ahead is not None:
            self._ahead.stop()
            self._ahead = None

    def rest(self, obligation: Obligation) -> Decided:
        kept = None if self.memory is None else self.memory.get_one(self._asked, obligation)
        if kept is not None:
            return kept
        found = decide.rest(self.desk, obligation)
        self.desk.forget()
        if self.memory is not None:
            self.memory.put_one(self._asked, found)
        return found

    def again(self, decided: Decided, plays: Sequence[Play]) -> Decided:
        return decide.again(self.desk, decided, plays)

    def region(self, decided: Decided) -> tuple[str, ...]:
        obligation = decided.obligation
        if obligation.kind not in REGIONS or obligation.question is None:
            return ()
        assuming = [named.term for named in self.desk.proven("words").holding]
        self._regions = self._regions or Regions(self.desk.program, self.desk.typed(0))
        found = self._regions.of(obligation.question, assuming)
        if found is None:
            return ()
        return (found.text, *((f"given {found.where}",) if found.where != "yes" else ()))

    def counts(self) -> tuple[int, int]:
        cache = self.desk.settings.cache
        return (0, 0) if cache is None else (cache.misses, cache.hits)


def settings(solver: str = "both", smt2: Path | None = None, no_cache: bool = False) -> Settings:
    """Both solvers or one, what they are asked written into `smt2`, answers kept where the user's are.

    Raises `RequestError` for a solver that there is none of, or a folder that cannot be made.
    """
    asked = SOLVERS if solver == "both" else tuple(s for s in SOLVERS if s == solver)
    if not asked:
        help = f"there are {', '.join(SOLVERS)} and both"
        raise RequestError(Problem(f"there is no solver {solver}", code="unknown-solver", help=help))
    if smt2 is not None:
        try:
            smt2.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RequestError(
                Problem(
                    f"cannot make the folder: {(error.strerror or str(error)).lower()}",
                    str(smt2),
                    code="unwritable",
                    help="name a folder that may be written",
                )
            ) from None
    place = None if no_cache else directory()
    return Settings(asked, smt2=smt2, cache=NoCache(Path()) if place is None else Cache(place))


def prove_whole(
    program: Program,
    settings: Settings,
    *,
    only: Sequence[str] = (),
    scope: Iterable[str] | Mapping[str, object] = (),
    jobs: int = 1,
    found: Found | None = None,
    told: Told | None = None,
    rounds: Found | None = None,
    on_found: Callable[[str], None] | None = None,
    on_result: OnResult | None = None,
    on_progress: OnProgress | None = None,
) -> Proof:
    """Every obligation of the program, or those that `only` names, decided within `scope` (`wider` reads it).

    Without a scope those of `verifier.prove.extent` are looked at, and what an earlier proof `found` is tried first,
    then what people `told`, and the `rounds` kept beside the rules where a rule is not seen to apply; `on_found` is
    given the text that keeps what this one found (`verifier.prove.found`).
    Raises as `verifier.prove.prove.prove` does.
    """
    given = tuple(f"{k}={v}" for k, v in scope.items()) if isinstance(scope, Mapping) else tuple(scope)
    found, told, rounds = (None, None, None) if given else (found, told, rounds)
    kept = None if found is None else Known(program, found)
    desk = Desk(program, settings, (scope_asked(program, given),) if given else (), jobs=jobs, kept=kept)
    if told is not None:
        desk.told = Tellings(program, told)
    desk.rounds = None if rounds is None else Known(program, rounds)
    memory = _memory(program, settings, desk.scopes, found, told, rounds)
    proof = prove(
        program,
        every(program),
        AtDesk(desk, jobs, memory),
        solvers=settings.solvers,
        only=only,
        rests=rules.rests_on(program),
        jobs=jobs,
        memory=memory,
        on_result=on_result,
        on_progress=on_progress,
    )
    if on_found is not None:
        same = found is not None and found.rules == rules_digest(program.ruleset)
        hints = {**(found.hints if found is not None and same else {}), **desk.hints}
        on_found(written(program, [result.decided for result in proof.results], hints))
    return proof


def _memory(
    program: Program,
    settings: Settings,
    scopes: tuple[Scope, ...],
    found: Found | None,
    told: Told | None,
    rounds: Found | None,
) -> Memory | None:
    """Where whole runs are kept; none where every question is to be written down, or nothing kept."""
    if settings.cache is None or isinstance(settings.cache, NoCache) or settings.smt2 is not None:
        return None
    begun = " ".join("" if one is None else one.digest for one in (found, told, rounds))
    return Memory(settings.cache, program, settings, scopes, begun.rstrip())


# ------------------------------------------------------------------------------------------------- the scope
def scope_asked(program: Program, given: Sequence[str]) -> Scope:
    """The smallest automatic scope with what `given` changes of it.

    `Guest=2` is how many ids of a type, `Hook.articles=3` how many elements of a list, `Peg=1,2` which values of a
    range or an enumeration. Raises `RequestError` for what is none of these, or too much.
    """
    base = scopes(program)[0]
    ids = dict(base.ids)
    narrowed = dict(base.narrowed)
    slots = dict(base.slots)
    lists = dict(list_fields(program.ruleset))
    for text in given:
        name, _, value = (part.strip() for part in text.partition("="))
        type_ = program.ruleset.types.get(name)
        if isinstance(type_, ty.IdT):
            number = _number(text, value, min(type_.maximum, MOST))
            ids[name] = tuple(id_of(name, i + 1) for i in range(number))
        elif name in lists:
            slots[name] = _number(text, value, lists[name].maximum)
        elif isinstance(type_, ty.IntT | ty.EnumT):
            narrowed[name] = _values(text, value, type_)
        else:
            raise _wrong(text, f"there is no id type, list, range or enumeration {name}", _known(program))
    return scope_of(program, ids, narrowed, slots, money_parts=base.money_parts)


def _number(text: str, value: str, most: int) -> int:
    if not re.fullmatch(r"[1-9][0-9]{0,3}", value) or int(value) > most:
        raise _wrong(text, f"{value or 'nothing'} is no number from 1 to {most}", "write NAME=NUMBER")
    return int(value)


def _values(text: str, value: str, type_: Type) -> tuple[object, ...]:
    """The values listed, in the type's own order."""
    every_value = ty.finite_values(type_) or []
    names = list(type_.values) if isinstance(type_, ty.EnumT) else [str(v) for v in every_value]
    asked = [part.strip() for part in value.split(",")]
    unknown = [part for part in asked if part not in names]
    if unknown:
        shown = names if len(names) <= 24 else [*names[:3], "…", names[-1]]
        raise _wrong(
            text, f"{unknown[0] or 'nothing'} is no value of {type_}", f"its values are {', '.join(shown)}"
        )
    return tuple(v for v, name in zip(every_value, names, strict=True) if name in asked)


def _known(program: Program) -> str:
    ruleset = program.ruleset
    kinds = [name for name, t in ruleset.types.items() if isinstance(t, ty.IdT | ty.IntT | ty.EnumT)]
    return f"there are {', '.join(_all(kinds, [path for path, _ in list_fields(ruleset)]))}"


def _all(*names: Iterable[str]) -> Iterator[str]:
    for several in names:
        yield from several


def _wrong(text: str, message: str, help: str) -> RequestError:
    return RequestError(Problem(f"--scope {text}: {message}", code="scope", help=help))
