"""Regions of difference held against enumeration: what each side's own interpreter says, state by state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from verifier.core.lower import lower
from verifier.core.program import Program
from verifier.diff import meaning
from verifier.diff.groups import Bench, Group
from verifier.diff.regions import Formula
from verifier.model.ruleset import Ruleset
from verifier.model.terms import Term
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
    inner, groups = meaning.formula, meaning.groups

    def formula(bench: Bench, group: Group, supposed: Any) -> Formula | None:
        made = inner(bench, group, supposed)
        found[:] = [t for t in found if t.group is not group] + [Told(bench, group, made)]
        return made

    def grouped(bench: Bench, first: Any) -> Any:
        made = groups(bench, first)
        found.extend(Told(bench, group, None) for group in made[0])
        return made

    with monkeypatch.context() as patch:
        patch.setattr(meaning, "formula", formula)
        patch.setattr(meaning, "groups", grouped)
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


def wrong(
    rulesets: tuple[Ruleset, Ruleset], name: str, found: list[Told], states: Iterable[Asked]
) -> list[str]:
    """States in which the regions told of a decision are not where the two differ. Both must have the same types."""
    programs = [lower(ruleset) for ruleset in rulesets]
    mine = [t for t in found if t.bench.matter.name == name]
    faults: list[str] = []
    for asked in states:
        said = [answer(_machine(p, asked), name, asked) for p in programs]
        here = [t for t in mine if _true(t, t.bench.matter.fixed, asked)]
        if here and not all(
            _true(here[0], h.asked, asked) for h in (here[0].bench.matter.old, here[0].bench.matter.new)
        ):
            continue
        inside = [t for t in here if _true(t, t.group.goal, asked)]
        shown = [
            t
            for t in here
            if t.formula is not None
            and all(_true(t, s.term, asked) for s in t.formula.supposing)
            and _true(t, t.formula.term, asked)
        ]
        if (said[0] != said[1]) != bool(inside) or not {id(t) for t in shown} <= {id(t) for t in inside}:
            faults.append(f"{asked.values}: {said}, in {len(inside)} regions, {len(shown)} by their formulas")
        supposed = [t for t in inside if t.formula is not None and t not in shown]
        if any(all(_true(t, s.term, asked) for s in t.formula.supposing) for t in supposed if t.formula):
            faults.append(f"{asked.values}: {said}, outside a formula of a region that it is in")
    return faults


def _machine(program: Program, asked: Asked) -> Machine:
    machine = Machine(program, asked.options)
    machine.enter(asked.state)
    return machine


def _true(told: Told, term: Term, asked: Asked) -> bool:
    machine = Machine(told.bench.program, asked.options)
    machine.enter(_merged(told.bench.program, asked.state))
    names = [p.name for p in told.bench.matter.params]
    try:
        return machine.closure(term, names)([asked.values[n] for n in names]) is True
    except Undefined:
        return False


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
