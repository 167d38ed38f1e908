"""Duties, prohibitions and permissions of two rulesets held against play: whether each binds, event by event of
transcripts, by each side's own interpreter, beside what a comparison says became of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from typing import Any, TypeAlias

from verifier.check.engine import Prepared
from verifier.check.lives import Lives
from verifier.core.program import EVENT_PREFIX, Duty, EventNorm, Program
from verifier.diff.norm_words import ELSEWHERE, NormChange
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.ruleset import Norm, Param
from verifier.model.terms import Term, subterms
from verifier.model.types import BOOL
from verifier.mutate.bench import Bench
from verifier.run.judge import Happening
from verifier.run.machine import Machine
from verifier.run.operators import Closure
from verifier.run.state import State
from verifier.run.undefined import Undefined
from verifier.transcripts.case import Case

MOST_ARGUMENTS = 12
"""So many events are asked about in one state, of one kind, of those that happened elsewhere."""

Named: TypeAlias = tuple[str, str]
"""A function or a decision, by its name."""

MOST_INSTANCES = 40
"""So many values of a duty's variables are looked at in one state."""


@dataclass(frozen=True, slots=True)
class Moment:
    """An event of a transcript, the state before it and the one that it leaves."""

    before: State
    after: State
    options: dict[str, object]
    event: str
    values: tuple[Any, ...]


def moments(ready: Prepared, cases: Iterable[Case]) -> list[Moment]:
    """Every event of the transcripts, as one ruleset's interpreter replays them."""
    bench = Bench(ready)
    found: list[Moment] = []
    for case in cases:
        judge, lives = bench.judge(case.header, case.path), Lives.of(ready.ruleset)
        for row in case.rows:
            for one in lives.arrive(row, case.header):
                if not one.again:
                    judge.end_life(one.life)
            values = ready.binding.values(row.event, row.values, case.header)
            before = judge.state
            happening = Happening(row.event, row.actor, values)
            judge.step(happening)
            found.append(Moment(before, judge.left_by(happening), judge.bench.options, row.event, values))
            lives.leave(row)
    return found


@dataclass(slots=True)
class Binding:
    """One side's norms by unit, and its interpreter over its own moments."""

    ready: Prepared
    moments: Sequence[Moment]
    units: dict[str, list[EventNorm | Duty]] = field(init=False)
    rivals: dict[tuple[str, str], list[EventNorm]] = field(init=False)
    machine: Machine = field(init=False)
    closures: dict[object, Closure] = field(default_factory=dict)

    def __post_init__(self) -> None:
        program = self.ready.program
        self.units, self.rivals = {}, {}
        for table in (program.prohibitions, program.permissions):
            for norms in table.values():
                for norm in norms:
                    self.units.setdefault(norm.unit, []).append(norm)
                    self.rivals.setdefault((self.force(norm), norm.event), []).append(norm)
        for duty in program.duties:
            self.units.setdefault(duty.unit, []).append(duty)
        self.machine = Machine(program, {})

    def binds(self, norm: EventNorm | Duty, values: tuple[Any, ...]) -> bool:
        """Whether a norm binds, where the machine is, an event of these values or these variables of a duty."""
        function = norm.applies if isinstance(norm, EventNorm) else norm.pending
        if isinstance(norm, EventNorm) and not self._met(norm, values):
            return False
        try:
            return self.machine.function(function, values) is True
        except Undefined:
            return False

    def force(self, norm: EventNorm) -> str:
        """`must not` or `may`."""
        unit = self.ready.ruleset.units[norm.unit]
        assert isinstance(unit, Norm)
        return unit.force

    def others_bind(self, norm: EventNorm, force: str, values: tuple[Any, ...]) -> bool:
        """Whether other norms say of an event what `norm`, of either side, would, to each of the same people."""
        left = set(norm.roles)
        for rival in self.rivals.get((force, norm.event), ()):
            if rival.unit != norm.unit and left & set(rival.roles) and self.binds(rival, values):
                left -= set(rival.roles)
        if left and force == "must not":
            left -= {role for role in left if self._lacks_leave(norm.event, role, values)}
        return not left

    def _lacks_leave(self, event: str, role: str, values: tuple[Any, ...]) -> bool:
        """Whether an event needs leave by a permission, and nobody of a role is given it. What a duty demands needs
        none."""
        if any(act.event == event for duty in self.ready.program.duties for act in duty.acts):
            return False
        given = self.rivals.get(("may", event), ())
        return any(self._met(may, values) for may in given) and not any(
            role in may.roles and self.binds(may, values) for may in given
        )

    def _met(self, norm: EventNorm, values: tuple[Any, ...]) -> bool:
        key = norm.unit, norm.event, norm.head
        if key not in self.closures:
            names = [EVENT_PREFIX + p.name for p in self.ready.ruleset.events[norm.event].params]
            self.closures[key] = self.machine.closure(norm.head, names)
        try:
            return self.closures[key](list(values)) is True
        except Undefined:
            return False


@dataclass(slots=True)
class Turned:
    """What was met of one unit: so often it binds now where it did not, and so often the other way round; and how often
    it is then the only one that does."""

    more: int = 0
    less: int = 0
    alone: int = 0


def turned(old: Binding, new: Binding) -> dict[str, Turned]:
    """What became of the norms of both sides that may differ, over the moments of both, which are the same events."""
    alike = Alike(old.ready.program, new.ready.program)
    pairs = [
        (unit, one, other)
        for unit in old.units
        if unit in new.units
        for one in old.units[unit]
        for other in new.units[unit]
        if _partners(one, other) and not alike.norms(one, other)
    ]
    found = {unit: Turned() for unit, _, _ in pairs}
    if not pairs:
        return found
    happened: dict[str, dict[tuple[Any, ...], None]] = {}
    for moment in old.moments:
        happened.setdefault(moment.event, {}).setdefault(moment.values)
    for mine, its in zip(old.moments, new.moments, strict=True):
        for side, moment in ((old, mine), (new, its)):
            side.machine.options = moment.options
            side.machine.enter(moment.before, moment.after)
        for unit, one, other in pairs:
            for values in _values(old, one, mine, happened):
                was, is_ = old.binds(one, values), new.binds(other, values)
                found[unit].more += is_ and not was
                found[unit].less += was and not is_
                if was != is_:
                    found[unit].alone += _alone((old, one), (new, other), values, was)
    return found


def _alone(
    mine: tuple[Binding, EventNorm | Duty],
    its: tuple[Binding, EventNorm | Duty],
    values: tuple[Any, ...],
    was: bool,
) -> bool:
    """Whether on the side on which a norm does not bind no others say the same."""
    (binding, norm), (side, _) = (mine, its) if was else (its, mine)
    return isinstance(norm, Duty) or not side.others_bind(norm, binding.force(norm), values)


def _partners(one: EventNorm | Duty, other: EventNorm | Duty) -> bool:
    if isinstance(one, Duty) or isinstance(other, Duty):
        return isinstance(one, Duty) and isinstance(other, Duty) and one.variables == other.variables
    return one.event == other.event


def _values(
    side: Binding,
    norm: EventNorm | Duty,
    moment: Moment,
    happened: Mapping[str, Mapping[tuple[Any, ...], None]],
) -> Iterator[tuple[Any, ...]]:
    """What a norm is asked about at a moment: the event at hand, else what happened elsewhere; a duty's variables."""
    if isinstance(norm, Duty):
        listed = [_listed(side.machine, param) for param in norm.variables]
        yield from islice(product(*listed), MOST_INSTANCES)
    elif norm.event == moment.event:
        yield moment.values
    elif not norm.reads_after:
        others = list(happened.get(norm.event, ()))
        start = len(moment.before.entities) * 7 + len(others) // 3
        step = max(1, len(others) // MOST_ARGUMENTS)
        yield from others[start % step :: step]


def _listed(machine: Machine, param: Param) -> list[Any]:
    match param.type:
        case ty.EntityT(name=name):
            return machine.refs(name)
        case ty.IdT(name=name):
            return list(machine.state.ids[name])
        case type_:
            return ty.finite_values(type_) or []


class Alike:
    """Which functions of two programs are the same, with all that they read."""

    def __init__(self, old: Program, new: Program) -> None:
        self.old, self.new = old, new
        self._unlike = self._differing()

    def norms(self, one: EventNorm | Duty, other: EventNorm | Duty) -> bool:
        if isinstance(one, EventNorm) and isinstance(other, EventNorm):
            return one.head == other.head and self._read(one.head) and self.function(one.applies)
        return isinstance(one, Duty) and self.function(one.pending)

    def function(self, name: str) -> bool:
        return ("function", name) not in self._unlike

    def decision(self, name: str) -> bool:
        """Whether a decision is the same, and when an answer is owed."""
        return ("decision", name) not in self._unlike

    def _read(self, term: Term) -> bool:
        return not any(self._changed(inner) for inner in subterms(term)) and not (
            _named(term) & self._unlike.keys()
        )

    def _differing(self) -> dict[Named, None]:
        """What differs itself, and then whatever reads what differs: a decision may read itself, so nothing is taken
        for the same before all is known."""
        readers: dict[Named, list[Named]] = {}
        found: dict[Named, None] = {}
        mine, its = _terms(self.old), _terms(self.new)
        for name in {**mine, **its}:
            terms = mine.get(name)
            if terms is None or terms != its.get(name) or any(map(self._changed, _inner(terms))):
                found[name] = None
                continue
            for read in frozenset().union(*map(_named, terms)):
                readers.setdefault(read, []).append(name)
        rest = list(found)
        while rest:
            for name in readers.get(rest.pop(), ()):
                if name not in found:
                    found[name] = None
                    rest.append(name)
        return found

    def _changed(self, term: Term) -> bool:
        """Whether what a term reads of the ruleset, and no function says, is not the same."""
        match term:
            case m.Count(latch=latch):
                mine, its = self.old.ruleset.latches, self.new.ruleset.latches
                return latch >= len(its) or mine[latch] != its[latch]
            case m.BrokenT():
                return self.old.ruleset.breaches != self.new.ruleset.breaches
            case m.OptionGet(name=name):
                return self.old.ruleset.options[name] != self.new.ruleset.options[name]
            case _:
                return False


def _terms(program: Program) -> dict[Named, tuple[Term, ...]]:
    """What every function and decision says; that a case applies is the call of its function."""
    found: dict[Named, tuple[Term, ...]] = {
        ("function", name): (function.body,) for name, function in program.functions.items()
    }
    for name, decision in program.decisions.items():
        args = tuple(m.Var(p.type, p.name) for p in decision.params)
        cases = [(m.CallF(BOOL, c.applies, args), c.value) for c in decision.cases]
        asked = () if decision.asked is None else (decision.asked,)
        found["decision", name] = (*asked, *(term for case in cases for term in case))
    return found


def _inner(terms: tuple[Term, ...]) -> Iterator[Term]:
    for term in terms:
        yield from subterms(term)


def _named(term: Term) -> frozenset[Named]:
    """The functions and decisions that a term reads, itself."""
    found: set[Named] = set()
    for inner in subterms(term):
        match inner:
            case m.CallF(function=name):
                found.add(("function", name))
            case m.Decide(decision=name):
                found.add(("decision", name))
            case _:
                pass
    return frozenset(found)


def turned_wrongly(found: Mapping[str, Turned], told: Sequence[NormChange], decided: bool) -> list[str]:
    """Where play shows another change than was told. What follows from decisions that changed (`decided`) is not told
    again of a norm."""
    by_unit = {c.change.old.unit: c for c in told if c.change.old is not None}
    faults: list[str] = []
    for unit, met in found.items():
        seen = {word for word, times in (("more", met.more), ("less", met.less)) if times}
        change = by_unit.get(unit)
        if change is not None and change.what == ELSEWHERE and not met.alone:
            continue
        if change is None or change.change.new is None:
            if seen and change is None and not decided:
                faults.append(f"{unit}: it binds {sorted(seen)}, and nothing is told of it")
            continue
        may = {"same": set(), "unsure": set(), "wider": {"more"}, "narrower": {"less"}}.get(
            change.turn, {"more", "less"}
        )
        if not seen <= may:
            faults.append(f"{unit}: it binds {sorted(seen)}, told {change.turn}")
    return faults
