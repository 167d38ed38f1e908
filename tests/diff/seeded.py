"""Regions of difference held against enumeration: what each side's own interpreter says, state by state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.diff.played import Alike
from verifier.core.lower import lower
from verifier.core.program import Program
from verifier.diff import table
from verifier.diff.groups import Bench, Group
from verifier.diff.regions import Formula
from verifier.diff.told import Compared
from verifier.model.ruleset import Ruleset
from verifier.model.terms import Term
from verifier.run.machine import Machine
from verifier.run.operators import Closure
from verifier.run.state import State
from verifier.run.undefined import Undefined


@dataclass(frozen=True, slots=True)
class Told:
    """A region as it was told: the formula, else, where none was short, the group itself."""

    bench: Bench
    group: Group
    formula: Formula | None


@contextmanager
def told(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Told]]:
    """What is told of every matter while this is open; what invariants keep out is told by its group."""
    found: list[Told] = []
    inner, groups = table.formula, table.groups

    def formula(bench: Bench, group: Group, supposed: Any) -> Formula | str:
        made = inner(bench, group, supposed)
        one = made if isinstance(made, Formula) else None
        found[:] = [t for t in found if t.group is not group] + [Told(bench, group, one)]
        return made

    def grouped(bench: Bench, first: Any) -> Any:
        made = groups(bench, first)
        found.extend(Told(bench, group, None) for group in made[0])
        return made

    with monkeypatch.context() as patch:
        patch.setattr(table, "formula", formula)
        patch.setattr(table, "groups", grouped)
        yield found


@dataclass(frozen=True, slots=True)
class Asked:
    """One state to look at: the values of a matter's parameters, and what each side's own arguments of the decision are
    there. `about` are the fixed parts of keys there, as a matter names them."""

    state: State
    options: dict[str, object]
    values: dict[str, object]
    args: Callable[[Machine], tuple[object, ...]]
    about: tuple[tuple[str, str], ...] = ()


UNSURE = ("unsure",)
"""What is said where a rule reads what is undefined: there nothing is compared."""


@dataclass(slots=True)
class Speaker:
    """One side's interpreter, and what it said of states already looked at. What `beside` found, another side's, it
    takes over where both have the same function, with all that it reads (`alike`)."""

    program: Program
    machine: Machine
    beside: Speaker | None = None
    alike: Alike | None = None
    worked: dict[int, dict[tuple[object, ...], object]] = field(default_factory=dict)
    asked: dict[str, Closure | None] = field(default_factory=dict)
    said: dict[tuple[int, str], tuple[tuple[object, ...], bool]] = field(default_factory=dict)

    @classmethod
    def of(cls, ruleset: Ruleset, beside: Speaker | None = None) -> Speaker:
        program = lower(ruleset)
        alike = None if beside is None else Alike(beside.program, program)
        return cls(program, Machine(program, {}), beside, alike)

    def says(self, name: str, at: Asked) -> tuple[tuple[object, ...], bool]:
        """A value, or which kind of none, or that something is undefined that a rule reads (`unsure`); and whether an
        answer is owed."""
        key = id(at), name
        if key not in self.said:
            self.said[key] = self._says(name, at)
        return self.said[key]

    def _says(self, name: str, at: Asked) -> tuple[tuple[object, ...], bool]:
        self.machine.options = at.options
        self.machine.enter(_of_its_own(self.program, at.state))
        self.machine.memo = self._worked(at)
        try:
            args = at.args(self.machine)
        except Undefined as undefined:
            return ("none", *sorted({reason.kind for reason in undefined.reasons})), False
        try:
            answer: tuple[object, ...] = "value", self.machine.decide(name, args)
        except Undefined as undefined:
            answer = ("none", *sorted({reason.kind for reason in undefined.reasons}))
            if self._unsure(name, args):
                answer = UNSURE
        if name not in self.asked:
            decision = self.program.decisions[name]
            names = [p.name for p in decision.params]
            owed = decision.asked
            self.asked[name] = None if owed is None else self.machine.closure(owed, names)
        closure = self.asked[name]
        return answer, closure is None or _true(closure, args)

    def _worked(self, at: Asked) -> dict[tuple[object, ...], object]:
        """What is known of a state already."""
        if id(at) not in self.worked:
            found = {} if self.beside is None else self.beside.worked.get(id(at), {})
            self.worked[id(at)] = {key: value for key, value in found.items() if self._shared(key)}
        return self.worked[id(at)]

    def _shared(self, key: tuple[object, ...]) -> bool:
        assert self.alike is not None
        match key:
            case ("decide", str() as name, _):
                return self.alike.decision(name)
            case (str() as name, tuple()):
                return self.alike.function(name)
            case _:
                return False

    def _unsure(self, name: str, args: tuple[object, ...]) -> bool:
        """Whether some rule's condition is undefined."""
        for case in self.program.decisions[name].cases:
            try:
                self.machine.function(case.applies, args)
            except Undefined:
                return True
        return False


def _true(closure: Closure, args: Sequence[object]) -> bool:
    try:
        return closure(list(args)) is True
    except Undefined:
        return False


@dataclass(slots=True)
class Readers:
    """The interpreters of the programs made of both, and compiled conditions, made once."""

    machines: dict[int, Machine] = field(default_factory=dict)
    conditions: dict[tuple[int, Term], Closure] = field(default_factory=dict)
    entered: dict[int, Asked] = field(default_factory=dict)

    def true(self, told: Told, term: Term, at: Asked) -> bool:
        program, names = told.bench.program, [p.name for p in told.bench.matter.params]
        if id(program) not in self.machines:
            self.machines[id(program)] = Machine(program, at.options)
        machine = self.machines[id(program)]
        if self.entered.get(id(program)) is not at:
            self.entered[id(program)] = at
            machine.options = at.options
            machine.enter(_of_its_own(program, at.state))
        key = id(program), term
        if key not in self.conditions:
            self.conditions[key] = machine.closure(term, names)
        return _true(self.conditions[key], [at.values[n] for n in names])


@dataclass(slots=True)
class Held:
    """What came of holding regions against states: `looked` at so many in which both sides owe an answer, of which
    they answer differently in `differ`; `faults` in words. `owed` has what there is of each kind of thing where only
    one side owes an answer: *more* or *less* now."""

    looked: int = 0
    differ: int = 0
    faults: list[str] = field(default_factory=list)
    owed: dict[tuple[tuple[str, str], ...], set[str]] = field(default_factory=dict)


def hold(
    sides: tuple[Speaker, Speaker],
    name: str,
    found: Sequence[Told],
    states: Iterable[Asked],
    matters: Iterable[Compared] = (),
) -> Held:
    """The regions told of a decision against states: they must be where the two differ, and nowhere else; a formula
    must be its region; of `matters` that only one side answers the other must say nothing. Both sides must have the
    same types."""
    mine = [t for t in found if t.bench.matter.name == name]
    alone = [c for c in matters if c.name == name and c.verdict in ("only old", "only new")]
    readers, held = Readers(), Held()
    for at in states:
        (old, owes), (new, owed) = (side.says(name, at) for side in sides)
        if owes != owed:
            held.owed.setdefault(at.about, set()).add("more" if owed else "less")
        if not (owes and owed) or UNSURE in (old, new):
            continue
        held.looked += 1
        held.differ += old != new
        here = [t for t in mine if readers.true(t, t.bench.matter.fixed, at)]
        inside = [t for t in here if readers.true(t, t.group.goal, at)]
        said = f"{name} {at.values}: {old[1:]} and {new[1:]}"
        if one := next((c for c in alone if set(c.about) <= set(at.about)), None):
            if (new if one.verdict == "only old" else old) != ("none", "gap"):
                held.faults.append(f"{said}, {one.verdict}")
            continue
        if (old != new) != bool(inside):
            held.faults.append(f"{said}, in {len(inside)} regions")
        for t in here:
            if t.formula is None or not all(readers.true(t, s.term, at) for s in t.formula.supposing):
                continue
            if readers.true(t, t.formula.term, at) != any(t is other for other in inside):
                held.faults.append(f"{said}, a formula is not its region")
    return held


def owed_wrongly(matters: Iterable[Compared], name: str, held: Held) -> list[str]:
    """Where what is told of when an answer is owed is not what was met. That nothing changed is told, too, of what
    follows from decisions that did, be it this one that when it is owed reads."""
    matters = list(matters)
    changed = any(c.verdict != "same" for c in matters)
    faults: list[str] = []
    for about, met in held.owed.items():
        for one in matters:
            if one.name != name or not set(one.about) <= set(about):
                continue
            told = {"same": set(), "unsure": set(), "wider": {"more"}, "narrower": {"less"}}.get(
                one.owed, {"more", "less"}
            )
            if not met <= told and not (one.owed == "same" and changed):
                faults.append(f"{one.title}: an answer is owed {sorted(met)}, told {one.owed}")
    return faults


def _of_its_own(program: Program, state: State) -> State:
    """The state with as many counters as a program has: nothing has happened and nothing been broken."""
    ruleset = program.ruleset
    return State(
        state.fields,
        state.entities,
        [{} for _ in ruleset.latches],
        [False] * len(ruleset.breaches),
        state.ids,
    )
