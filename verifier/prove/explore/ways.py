"""Kinds of event made runnable: in which order their arguments are found, and what each must meet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from verifier.core.program import EVENT_PREFIX, EventNorm, Program
from verifier.model import terms as m
from verifier.model.rewrite import substitute
from verifier.model.ruleset import Event, Param
from verifier.model.terms import Term, free_variables
from verifier.model.types import BOOL, Type
from verifier.prove.explore.domains import ends, size
from verifier.prove.explore.pieces import conjuncts, equations, turning_points
from verifier.run.evaluate import Closure
from verifier.run.machine import Machine
from verifier.run.undefined import Undefined

TRUE = m.Lit(BOOL, True)

Frame = list[Any]
Test = Callable[[Frame], bool]


@dataclass(frozen=True, slots=True)
class Slot:
    """One parameter of an event, in the order in which they are given values.

    `solved` are what it must be one of for a claim to hold; `points` and `units` what a number is compared with.
    `possible` must hold for the event to be possible, `lawful` for it to break nothing.
    """

    index: int
    type: Type
    solved: tuple[Closure, ...]
    points: tuple[Closure, ...]
    units: tuple[Closure, ...]
    possible: tuple[Test, ...]
    lawful: tuple[Test, ...]


@dataclass(frozen=True, slots=True)
class Way:
    """One kind of event by one actor, made runnable. `first` must hold whatever the arguments are."""

    event: Event
    actor: str
    first: tuple[Test, ...]
    slots: tuple[Slot, ...]
    permissions: tuple[tuple[EventNorm, Closure], ...]


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of event, with the ways in which it can come about. `ends` are the lives that it ends.

    `barred` are the units of duties that must be done before any such event, whatever its arguments.
    """

    event: Event
    ways: tuple[Way, ...]
    ends: tuple[str, ...]
    barred: frozenset[str]


@dataclass(frozen=True, slots=True)
class Ways:
    """Makes kinds of event of a program runnable by a machine."""

    program: Program
    machine: Machine

    def kind(self, event: Event) -> Kind:
        """One kind of event, by every actor who may do it."""
        ruleset = self.program.ruleset
        actors = event.by or (ruleset.actors[:1] if event.observed else ruleset.actors)
        return Kind(
            event,
            tuple(self._way(event, actor) for actor in actors),
            tuple(life.name for life in ruleset.lives.values() if event.name in life.ends),
            frozenset(
                duty.unit
                for duty in self.program.duties
                for act in duty.deadline_acts
                if duty.kind == "before" and act.event == event.name and act.matches == TRUE
            ),
        )

    def _way(self, event: Event, actor: str) -> Way:
        program, close = self.program, self.machine.closure
        names = [EVENT_PREFIX + p.name for p in event.params]
        prefixed: dict[str, Term] = {p.name: m.Var(p.type, EVENT_PREFIX + p.name) for p in event.params}
        needs = [c for need in event.needs for c in conjuncts(substitute(need, prefixed))]
        claims = [c for claim in event.claims for c in conjuncts(substitute(claim, prefixed))]
        forbidding = [
            program.functions[norm.applies].body
            for norm in program.prohibitions.get(event.name, ())
            if actor in norm.roles and not norm.reads_after
        ]
        permissions = tuple(
            (norm, close(norm.head, names))
            for norm in program.permissions.get(event.name, ())
            if actor in norm.roles
        )
        possible: list[tuple[frozenset[str], Test]] = [
            (free_variables(n), _not_false(close(n, names))) for n in needs
        ]
        lawful: list[tuple[frozenset[str], Test]] = [
            *((free_variables(c), _true(close(c, names))) for c in claims),
            *((free_variables(b), _not_true(close(b, names))) for b in forbidding),
        ]
        bounding = list(self._bounding(event, prefixed, [*needs, *claims, *forbidding]))
        order = _ordered(event, [reads for reads, _ in (*possible, *lawful)])
        known: frozenset[str] = frozenset()
        first = (*_ready(possible, known), *_ready(lawful, known))
        slots: list[Slot] = []
        for index in order:
            param = event.params[index]
            name = EVENT_PREFIX + param.name
            solved = next((s for c in claims if (s := equations(c, name, known)) is not None), [])
            points, units = self._turning(param, bounding, known) if not ends(param.type) else ([], [])
            known = known | {name}
            slots.append(
                Slot(
                    index,
                    param.type,
                    tuple(close(t, names) for t in solved),
                    tuple(close(t, names) for t in points),
                    tuple(close(t, names) for t in units),
                    _ready(possible, known),
                    _ready(lawful, known),
                )
            )
        return Way(event, actor, first, tuple(slots), permissions)

    def _bounding(self, event: Event, prefixed: Mapping[str, Term], own: Sequence[Term]) -> Iterator[Term]:
        """Every condition that an event's arguments may be held to, over its parameters with their prefix."""
        yield from own
        for norm in (
            *self.program.prohibitions.get(event.name, ()),
            *self.program.permissions.get(event.name, ()),
        ):
            yield norm.head
            yield self.program.functions[norm.applies].body
        for duty in self.program.duties:
            for act in (*duty.acts, *duty.deadline_acts):
                if act.event == event.name:
                    yield act.matches
                    for param, wanted in zip(event.params, act.required or (), strict=False):
                        if wanted is not None and not free_variables(wanted):
                            yield m.CompareT(BOOL, "=", prefixed[param.name], wanted)

    def _turning(
        self, param: Param, bounding: Sequence[Term], known: frozenset[str]
    ) -> tuple[list[Term], list[Term]]:
        points: dict[Term, None] = {}
        units: dict[Term, None] = {}
        for term in bounding:
            turning, whole = turning_points(self.program, term, EVENT_PREFIX + param.name)
            points.update((t, None) for t in turning if free_variables(t) <= known)
            units.update((t, None) for t in whole if free_variables(t) <= known)
        for option in self.program.ruleset.options.values():
            if option.type == param.type:
                points[m.OptionGet(option.type, option.name)] = None
        return list(points), list(units)


def _ordered(event: Event, reads: Sequence[frozenset[str]]) -> list[int]:
    """The order in which the parameters are given values: numbers last, those sooner that settle most."""
    names = [EVENT_PREFIX + p.name for p in event.params]
    left = list(range(len(names)))
    order: list[int] = []
    known: frozenset[str] = frozenset()
    while left:

        def rank(i: int) -> tuple[bool, int, int, int]:
            more = known | {names[i]}  # noqa: B023 - used before the loop goes on
            settled = sum(bool(r) and r <= more and not r <= known for r in reads)  # noqa: B023
            return (not ends(event.params[i].type), -bool(settled), size(event.params[i].type), i)

        best = min(left, key=rank)
        left.remove(best)
        order.append(best)
        known = known | {names[best]}
    return order


def _ready(tests: list[tuple[frozenset[str], Test]], known: frozenset[str]) -> tuple[Test, ...]:
    """The tests that can be made once `known` is; they are taken out of the list."""
    now = tuple(test for reads, test in tests if reads <= known)
    tests[:] = [(reads, test) for reads, test in tests if not reads <= known]
    return now


def holds(closure: Closure, frame: Frame) -> bool:
    """Whether a closure is defined and true."""
    try:
        return bool(closure(frame))
    except Undefined:
        return False


def _true(closure: Closure) -> Test:
    return lambda frame: holds(closure, frame)


def _not_true(closure: Closure) -> Test:
    return lambda frame: not holds(closure, frame)


def _not_false(closure: Closure) -> Test:
    def test(frame: Frame) -> bool:
        try:
            return bool(closure(frame))
        except Undefined:
            return True

    return test
