"""Regions of difference held against enumeration: what each side's own interpreter says, state by state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from verifier.core.lower import lower
from verifier.core.program import Program
from verifier.diff import table
from verifier.diff.groups import Bench, Group
from verifier.diff.regions import Formula
from verifier.model.ruleset import Ruleset
from verifier.model.terms import Term
from verifier.run.evaluate import Closure
from verifier.run.judge import Judge
from verifier.run.machine import Machine
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

    def formula(bench: Bench, group: Group, supposed: Any) -> Formula | None:
        made = inner(bench, group, supposed)
        found[:] = [t for t in found if t.group is not group] + [Told(bench, group, made)]
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
    there."""

    state: State
    options: dict[str, object]
    values: dict[str, object]
    args: Callable[[Machine], tuple[object, ...]]


def answer(machine: Machine, name: str, asked: Asked) -> tuple[object, ...]:
    """What one side says: a value, or which kind of none."""
    try:
        return "value", machine.decide(name, asked.args(machine))
    except Undefined as undefined:
        return ("none", *sorted({reason.kind for reason in undefined.reasons}))


@dataclass(slots=True)
class Readers:
    """Interpreters and compiled conditions, made once: of each side, and of the program made of both."""

    machines: dict[int, Machine]
    conditions: dict[tuple[int, Term], Closure]

    def machine(self, program: Program, state: State, options: dict[str, object]) -> Machine:
        if id(program) not in self.machines:
            self.machines[id(program)] = Machine(program, options)
        machine = self.machines[id(program)]
        machine.options = options
        machine.enter(state)
        return machine

    def true(self, told: Told, term: Term, asked: Asked) -> bool:
        program, names = told.bench.program, [p.name for p in told.bench.matter.params]
        machine = self.machine(program, _merged(program, asked.state), asked.options)
        key = id(program), term
        if key not in self.conditions:
            self.conditions[key] = machine.closure(term, names)
        try:
            return self.conditions[key]([asked.values[n] for n in names]) is True
        except Undefined:
            return False


def wrong(
    rulesets: tuple[Ruleset, Ruleset], name: str, found: list[Told], states: Iterable[Asked]
) -> list[str]:
    """States in which the regions told of a decision are not where the two differ. Both must have the same types."""
    programs = [lower(ruleset) for ruleset in rulesets]
    mine = [t for t in found if t.bench.matter.name == name]
    readers = Readers({}, {})
    true = readers.true
    faults: list[str] = []
    for asked in states:
        said = [answer(readers.machine(p, asked.state, asked.options), name, asked) for p in programs]
        here = [t for t in mine if true(t, t.bench.matter.fixed, asked)]
        halves = (here[0].bench.matter.old, here[0].bench.matter.new) if here else ()
        if not all(true(here[0], half.asked, asked) for half in halves):
            continue
        inside = [t for t in here if true(t, t.group.goal, asked)]
        told_of = [
            (t, t.formula)
            for t in here
            if t.formula and all(true(t, s.term, asked) for s in t.formula.supposing)
        ]
        if (said[0] != said[1]) != bool(inside):
            faults.append(f"{asked.values}: {said}, in {len(inside)} regions")
        for t, formula in told_of:
            if true(t, formula.term, asked) != any(t is other for other in inside):
                faults.append(f"{asked.values}: {said}, a formula is not its region")
    return faults


def owed_otherwise(rulesets: tuple[Ruleset, Ruleset], states: Iterable[Asked]) -> list[str]:
    """States in which one judge finds a duty owed that the other does not. Both rulesets must have the same types."""
    programs = [lower(ruleset) for ruleset in rulesets]
    judges: dict[tuple[int, str], Judge] = {}
    faults: list[str] = []
    for asked in states:
        owed: list[dict[object, object]] = []
        for at, program in enumerate(programs):
            key = at, repr(asked.options)
            if key not in judges:
                judges[key] = Judge(program, dict(asked.options))
            judge = judges[key]
            judge.bench.state = judge.bench.before = asked.state
            judge.machine.enter(asked.state)
            owed.append(
                {
                    (compiled.duty.unit, instance): _known(pending)
                    for compiled in judge.duties.duties
                    for instance, pending in judge.duties.instances(compiled)
                }
            )
        if owed[0] != owed[1]:
            other = {name for name, _ in set(owed[0].items()) ^ set(owed[1].items())}
            faults.append(f"{asked.values}: {sorted(map(str, other))}")
    return faults


def _known(pending: object) -> object:
    """Whether a duty pends, or the reasons that keep that from being told: what is raised with them is never equal."""
    return pending.reasons if isinstance(pending, Undefined) else pending


def _merged(program: Program, state: State) -> State:
    """The state with as many counters as the merged program has: nothing has happened and nothing been broken."""
    ruleset = program.ruleset
    return State(
        state.fields,
        state.entities,
        [{} for _ in ruleset.latches],
        [False] * len(ruleset.breaches),
        state.ids,
    )
