"""Kinds of event made runnable: in which order their arguments are found, and what each must meet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import eq, ge, gt, le, lt, ne
from typing import Any

from verifier.core.program import EVENT_PREFIX, EventNorm, Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.rewrite import substitute
from verifier.model.ruleset import Event, Param
from verifier.model.terms import Term, children, free_variables
from verifier.model.types import BOOL, Type
from verifier.prove.explore.domains import ends, size
from verifier.prove.explore.pieces import conjuncts, equations, turning_points
from verifier.prove.scope import texts
from verifier.run.machine import Machine
from verifier.run.operators import Closure
from verifier.run.undefined import Undefined

TRUE = m.Lit(BOOL, True)

Frame = list[Any]
Test = Callable[[Frame], bool]

Begun = Callable[[], Test]
"""Makes a test to be asked of one value of a parameter after the other, while those that came before stay."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One parameter of an event, in the order in which they are given values.

    `solved` are what it must be one of for a claim to hold; `points` and `units` what a number is compared with.
    `possible` must hold for the event to be possible, `lawful` for it to break nothing. `bare` is the first that is
    asked, where it is the same of all entities that no event has written to.
    """

    index: int
    type: Type
    solved: tuple[Closure, ...]
    points: tuple[Closure, ...]
    units: tuple[Closure, ...]
    possible: tuple[Test, ...]
    lawful: tuple[Begun, ...]
    bare: Test | None


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
        possible = [(n, _not_false(close(n, names))) for n in needs]
        lawful = [
            *((c, _true(close(c, names))) for c in claims),
            *((b, _not_true(close(b, names))) for b in forbidding),
        ]
        banned = frozenset(forbidding)
        bounding = list(self._bounding(event, prefixed, [*needs, *claims, *forbidding]))
        order = _ordered(event, [free_variables(term) for term, _ in (*possible, *lawful)])
        known: frozenset[str] = frozenset()
        first = tuple(test for _, test in (*_ready(possible, known), *_ready(lawful, known)))
        slots: list[Slot] = []
        for index in order:
            param = event.params[index]
            name = EVENT_PREFIX + param.name
            solved = next((s for c in claims if (s := equations(c, name, known)) is not None), [])
            points, units = self._turning(param, bounding, known) if not ends(param.type) else ([], [])
            known = known | {name}
            needed, asked = _ready(possible, known), _ready(lawful, known)
            slots.append(
                Slot(
                    index,
                    param.type,
                    tuple(close(t, names) for t in solved),
                    tuple(close(t, names) for t in points),
                    tuple(close(t, names) for t in units),
                    tuple(test for _, test in needed),
                    tuple(self._begun(term, test, term in banned, index, names) for term, test in asked),
                    needed[0][1] if needed and bare(needed[0][0], name) else None,
                )
            )
        return Way(event, actor, first, tuple(slots), permissions)

    def _begun(self, term: Term, test: Test, banned: bool, index: int, names: Sequence[str]) -> Begun:
        """The test, asked of the values of one parameter: what does not read it is worked out once for them all. It
        asks for the same, in the same order, as it would of each by itself."""
        name = names[index]
        if banned and isinstance(term, m.AndT):
            whole = len(term.items)
            leading = next((i for i, item in enumerate(term.items) if name in free_variables(item)), whole)
            if 0 < leading < whole:
                return _led([self.machine.closure(item, names) for item in term.items[:leading]], test)
        if banned and isinstance(term, m.CompareT):
            apart = _sum_apart(term.left, name)
            if apart is not None and name not in free_variables(term.right):
                rest, sign = apart
                close = self.machine.closure
                return _compared(term.op, sign, close(rest, names), close(term.right, names), index)
        return lambda: test

    def _bounding(self, event: Event, prefixed: Mapping[str, Term], own: Sequence[Term]) -> Iterator[Term]:
        """Every condition that an event's arguments may be held to, over its parameters with their prefix."""
        yield from own
        for norm in (
            *self.program.against(event.name),
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
        if not isinstance(param.type, ty.MoneyT | ty.IntT | ty.OddsT):
            points.update((m.Lit(ty.TEXT, text), None) for text in texts(self.program))
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


def _ready(tests: list[tuple[Term, Test]], known: frozenset[str]) -> list[tuple[Term, Test]]:
    """The tests, with their terms, that can be made once `known` is; they are taken out of the list."""
    now = [one for one in tests if free_variables(one[0]) <= known]
    tests[:] = [one for one in tests if not free_variables(one[0]) <= known]
    return now


def bare(term: Term, name: str) -> bool:
    """Whether a condition is the same of all entities that no event has written to: it reads nothing of the one that
    the variable is but its fields, or asks only whether there is such a one."""
    match term:
        case m.Lit():
            return True
        case m.Field(of=m.Var(name=of, type=ty.EntityT())):
            return of == name
        case m.AndT() | m.OrT() | m.NotT() | m.CompareT() | m.ArithT():
            return all(bare(child, name) for child in children(term))
        case m.Quant(
            kind="some",
            var=var,
            domain=m.OverEntity(),
            where=None,
            body=m.CompareT(op="=", left=m.Var(name=left), right=m.Var(name=right)),
        ):
            return {left, right} == {var, name}
        case _:
            return False


def _sum_apart(term: Term, name: str) -> tuple[Term, int] | None:
    """What is added to the variable, or (-1) what it is taken from; None for a term of another shape."""
    match term:
        case m.ArithT(op="+", left=rest, right=m.Var(name=found)) if found == name:
            sign = 1
        case m.ArithT(op="-", left=rest, right=m.Var(name=found)) if found == name:
            sign = -1
        case _:
            return None
    return None if name in free_variables(rest) else (rest, sign)


def _led(leading: Sequence[Closure], test: Test) -> Begun:
    """Passed where what is forbidden needs something first that is false, whatever the value."""

    def begun() -> Test:
        passed: bool | None = None

        def run(frame: Frame) -> bool:
            nonlocal passed
            if passed is None:
                passed = any(_false(closure, frame) for closure in leading)
            return passed or test(frame)

        return run

    return begun


def _compared(op: str, sign: int, rest: Closure, other: Closure, index: int) -> Begun:
    """Passed where `rest` and the value, added or (-1) taken away, do not compare so with `other`."""
    compare = _COMPARE[op]

    def begun() -> Test:
        sides: tuple[Any, Any] | tuple[()] | None = None

        def run(frame: Frame) -> bool:
            nonlocal sides
            if sides is None:
                try:
                    sides = rest(frame), other(frame)
                except Undefined:
                    sides = ()
            return not sides or not compare(sides[0] + sign * frame[index], sides[1])

        return run

    return begun


_COMPARE: Mapping[str, Callable[[Any, Any], bool]] = {
    "=": eq,
    "!=": ne,
    "<": lt,
    "<=": le,
    ">": gt,
    ">=": ge,
}


def holds(closure: Closure, frame: Frame) -> bool:
    """Whether a closure is defined and true."""
    try:
        return bool(closure(frame))
    except Undefined:
        return False


def _false(closure: Closure, frame: Frame) -> bool:
    try:
        return not closure(frame)
    except Undefined:
        return False


def _true(closure: Closure) -> Test:
    def test(frame: Frame) -> bool:
        try:
            return bool(closure(frame))
        except Undefined:
            return False

    return test


def _not_true(closure: Closure) -> Test:
    def test(frame: Frame) -> bool:
        try:
            return not closure(frame)
        except Undefined:
            return True

    return test


def _not_false(closure: Closure) -> Test:
    def test(frame: Frame) -> bool:
        try:
            return bool(closure(frame))
        except Undefined:
            return True

    return test
