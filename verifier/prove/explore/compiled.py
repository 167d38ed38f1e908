"""Questions made runnable: in which order their variables are bound, what solves them, what is tested when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from verifier.core.program import EVENT_PREFIX, Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.ruleset import Param
from verifier.model.terms import Term, free_variables
from verifier.prove.explore.domains import ends, size
from verifier.prove.explore.pieces import (
    conjuncts,
    equations,
    implied,
    renamed,
    split_record,
    turning_points,
)
from verifier.prove.question import Nothing, Question
from verifier.prove.scope import reads_after
from verifier.prove.stated import chosen
from verifier.run.machine import Machine
from verifier.run.operators import Closure


@dataclass(frozen=True, slots=True)
class Level:
    """One variable, where its value stands in the frame, what it may be, and what must then be true.

    `whole` is an amount that somebody chooses, in minor units.
    """

    param: Param
    slot: int
    of_event: bool
    whole: bool
    solved: tuple[Closure, ...] | None
    points: tuple[Closure, ...]
    units: tuple[Closure, ...]
    filters: tuple[Closure, ...]


@dataclass(frozen=True, slots=True)
class Bindings:
    """The variables of a condition in the order in which they are bound; `complete` where all values are tried."""

    first: tuple[Closure, ...]
    levels: tuple[Level, ...]
    last: tuple[Closure, ...]
    complete: bool


@dataclass(frozen=True, slots=True)
class Compiled:
    """A question made runnable. `none` is in the order in which it is tried, which whoever asks may change."""

    question: Question
    condition: Term
    search: Bindings
    none: list[Bindings]
    size: int
    slots: Mapping[str, int]
    needs: tuple[Closure, ...]

    @property
    def complete(self) -> bool:
        return self.search.complete and all(search.complete for search in self.none)


def event_params_of(program: Program, question: Question) -> tuple[Param, ...]:
    """The parameters of the question's event, as its condition names them; none where it names no event."""
    if question.event is None:
        return ()
    params = program.ruleset.events[question.event].params
    return tuple(Param(EVENT_PREFIX + p.name, p.type) for p in params)


def chosen_by(program: Program, question: Question) -> frozenset[str]:
    """The amounts that whoever makes the question's event chooses; none where it names no event."""
    return frozenset() if question.event is None else chosen(program.ruleset.events[question.event])


@dataclass(frozen=True, slots=True)
class Compiling:
    """Makes questions of a program runnable by a machine."""

    program: Program
    machine: Machine

    def compiled(self, question: Question) -> Compiled:
        """The question made runnable."""
        by: dict[str, Term] = {}
        scalars: list[Param] = []
        of_event: set[str] = set()
        amounts: set[str] = set()
        event_params = event_params_of(self.program, question)
        picked = {EVENT_PREFIX + name for name in chosen_by(self.program, question)}
        for param in (*question.params, *event_params):
            whole, parts = split_record(param)
            if isinstance(param.type, ty.RecordT):
                by[param.name] = whole
            scalars += parts
            if param in event_params:
                of_event |= {p.name for p in parts}
                amounts |= {p.name for p in parts if param.name in picked and isinstance(p.type, ty.MoneyT)}
        insides: list[tuple[list[Param], dict[str, Term]]] = []
        for number, nothing in enumerate(question.none):
            inside: list[Param] = []
            own = dict(by)
            for param in nothing.params:
                fresh = Param(f"{number}:{param.name}", param.type)
                whole, parts = split_record(fresh)
                own[param.name] = whole
                inside += parts
            insides.append((inside, own))
        every = [*scalars, *(p for inside, _ in insides for p in inside)]
        slots = {p.name: i for i, p in enumerate(every)}
        needs: tuple[Closure, ...] = ()
        if question.event is not None:
            event = self.program.ruleset.events[question.event]
            names = [*slots]
            needed = [
                renamed(
                    need,
                    {
                        p.name: by.get(q.name) or m.Var(q.type, q.name)
                        for p, q in zip(event.params, event_params, strict=True)
                    },
                )
                for need in event.needs
            ]
            needs = tuple(self.machine.closure(need, names) for need in needed)
        condition = renamed(question.condition, by)
        search = self._search(condition, scalars, of_event, amounts, frozenset(), slots)
        none = [
            self._nothing(nothing, inside, own, scalars, slots)
            for nothing, (inside, own) in zip(question.none, insides, strict=True)
        ]
        return Compiled(question, condition, search, none, len(every), slots, needs)

    def _nothing(
        self,
        nothing: Nothing,
        inside: list[Param],
        by: Mapping[str, Term],
        outside: Sequence[Param],
        slots: Mapping[str, int],
    ) -> Bindings:
        known = frozenset(p.name for p in outside)
        return self._search(renamed(nothing.condition, by), inside, set(), set(), known, slots)

    def _search(
        self,
        condition: Term,
        scalars: Sequence[Param],
        of_event: set[str],
        amounts: set[str],
        known: frozenset[str],
        slots: Mapping[str, int],
    ) -> Bindings:
        names = list(slots)
        whole = list(conjuncts(condition))
        late = [c for c in whole if reads_after(self.program, c)]
        early = [c for c in whole if c not in late]
        hints = [(hint, c) for c in early for hint in implied(self.program, c)[1:] if hint not in early]
        hints = [(h, c) for h, c in hints if not reads_after(self.program, h)]
        usable = [*early, *(h for h, _ in hints)]
        bound = known
        done: set[Term] = set()
        complete = True

        def ready() -> tuple[Closure, ...]:
            now: dict[Term, None] = {}
            for conjunct in early:
                if conjunct not in done and free_variables(conjunct) <= bound:
                    now[conjunct] = None
            for hint, conjunct in hints:
                if (
                    hint not in done
                    and free_variables(hint) <= bound
                    and not free_variables(conjunct) <= bound
                ):
                    now[hint] = None
            done.update(now)
            return tuple(self.machine.closure(term, names) for term in now)

        first = ready()
        left = list(scalars)
        levels: list[Level] = []
        while left:
            param, solved = self._next(left, usable, bound)
            left.remove(param)
            points: tuple[Closure, ...] = ()
            units: tuple[Closure, ...] = ()
            if solved is None and not ends(param.type):
                complete = False
                points, units = self._turning(param, condition, bound, names)
            bound = bound | {param.name}
            levels.append(
                Level(
                    param,
                    slots[param.name],
                    param.name in of_event,
                    param.name in amounts,
                    None if solved is None else tuple(self.machine.closure(t, names) for t in solved),
                    points,
                    units,
                    ready(),
                )
            )
        last = tuple(self.machine.closure(c, names) for c in late)
        return Bindings(first, tuple(levels), last, complete)

    def _next(
        self, left: Sequence[Param], usable: Sequence[Term], bound: frozenset[str]
    ) -> tuple[Param, list[Term] | None]:
        """The variable to bind next: one that a conjunct solves, else one that opens others, else a small one."""
        best: tuple[Param, list[Term]] | None = None
        for param in left:
            for conjunct in usable:
                solved = equations(conjunct, param.name, bound)
                if solved is not None and (best is None or len(solved) < len(best[1])):
                    best = (param, solved)
        if best is not None:
            return best

        def opens(param: Param) -> int:
            more = bound | {param.name}
            return sum(
                any(equations(conjunct, other.name, more) is not None for conjunct in usable)
                for other in left
                if other is not param
            )

        return min(left, key=lambda p: (not ends(p.type), -opens(p), size(p.type), p.name)), None

    def _turning(
        self, param: Param, condition: Term, bound: frozenset[str], names: list[str]
    ) -> tuple[tuple[Closure, ...], tuple[Closure, ...]]:
        points, units = turning_points(self.program, condition, param.name)
        close = self.machine.closure
        return (
            tuple(close(p, names) for p in points if free_variables(p) <= bound),
            tuple(close(u, names) for u in units if free_variables(u) <= bound),
        )
