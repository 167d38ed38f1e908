"""Interpreter and Z3 say the same of the milestone rulesets on random states, and the comparison can fail.

MILESTONE_STATES in the environment sets how many states each ruleset is compared on.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from verifier.model import terms as m
from verifier.model.terms import Term
from verifier.prove.agree import Agreement, agree, random_samples
from verifier.prove.encode import Encoded, Encoder, kleene
from verifier.prove.random_states import random_value
from verifier.prove.scope import Scope
from verifier.prove.symbolic import World
from verifier.prove.values import Num, Opt, add, and_, equal, not_, or_
from verifier.run.machine import Machine

STATES = int(os.environ.get("MILESTONE_STATES", "0"))

Milestones = Callable[[str], tuple[Any, Scope]]


@pytest.mark.parametrize(
    ("name", "symbolic", "states"),
    [
        ("blackjack", False, 80),
        ("blackjack", True, 30),
        ("placings", False, 150),
        ("placings", True, 100),
        ("constructs", False, 150),
        ("constructs", True, 100),
    ],
)
def test_interpreter_and_z3_agree_on_random_states(
    milestone: Milestones, name: str, symbolic: bool, states: int
) -> None:
    program, scope = milestone(name)
    samples = random_samples(program, scope, STATES or states, seed=1998)
    assert agree(program, scope, samples, seed=2, symbolic=symbolic) == []


def test_the_samples_meet_gaps_conflicts_and_undefined_values(milestone: Milestones) -> None:
    """Agreement about nothing would be worth nothing: of each answer there are many."""
    seen: Counter[str] = Counter()
    for name, decision in (("blackjack", "outcome"), ("constructs", "takes"), ("placings", "place")):
        program, scope = milestone(name)
        world, machine, rng = World(program, scope), Machine(program, {}), Random(8)
        for sample in random_samples(program, scope, 40, seed=7):
            machine.options = sample.options
            machine.enter(sample.state)
            first, *others = program.decisions[decision].params
            for key in scope.keys(first.type):
                args = (key, *(random_value(world, sample.state, p.type, rng) for p in others))
                seen[_kind_of_answer(machine, decision, args)] += 1
    assert set(seen) == {"value", "gap", "conflict", "other"}
    assert min(seen.values()) > 20, seen


def _kind_of_answer(machine: Machine, decision: str, args: tuple[Any, ...]) -> str:
    sure, maybe, reasons = machine.cases(decision, args)
    if len({value for value, _ in sure}) > 1:
        return "conflict"
    if not sure and not maybe and not reasons:
        return "gap"
    return "other" if maybe else "value"


# ---------------------------------------------------------------- encodings that are wrong on purpose
class _StrictAnd(Encoder):
    """A conjunction that is undefined as soon as one item is."""

    def _joined(self, items: tuple[Term, ...], variables: Any, unit: bool) -> Encoded:
        found = super()._joined(items, variables, unit)
        if not unit:
            return found
        every = [self.encode(item, variables).defined for item in items]
        return Encoded(found.value, kleene([Encoded(d, True) for d in every], True).value)


class _AtMost(Encoder):
    """`<=` taken for `<`."""

    def compared(self, op: str, left: Any, right: Any) -> Any:
        return super().compared("<" if op == "<=" else op, left, right)


class _AbsentEqualsAbsent(Encoder):
    def compared(self, op: str, left: Any, right: Any) -> Any:
        return equal(left, right) if op == "=" else super().compared(op, left, right)


class _NonemptyQuantifier(Encoder):
    """`every` that takes an empty domain for a counterexample."""

    def _quantifier(self, term: m.Quant, variables: Any) -> Encoded:
        found = super()._quantifier(term, variables)
        if term.kind == "some":
            return found
        elements, _ = self.chosen(term.domain, term.var, term.where, variables)
        anything = or_(*(and_(there, meets.value) for there, _, meets in elements))
        return kleene([found, Encoded(anything, True)], True)


class _OffByOne(Encoder):
    """A count that is one too many."""

    def _fold(self, term: m.Fold, variables: Any) -> Encoded:
        found = super()._fold(term, variables)
        return Encoded(add(found.value, Num(1)), found.defined) if term.kind == "number" else found


class _LastForFirst(Encoder):
    def _pick(self, term: m.Pick, variables: Any) -> Encoded:
        return super()._pick(
            m.Pick(term.type, "last" if term.kind == "first" else "first", term.var, term.domain, term.where),
            variables,
        )


class _ConflictIsFirst(Encoder):
    """A decision that takes the first value where two rules clash."""

    def _decide(self, name: str, args: tuple[Any, ...]) -> Any:
        found = super()._decide(name, args)
        return type(found)(found.value, or_(found.defined, found.conflict), found.gap, found.conflict)


class _ForcedAnyway(Encoder):
    """An absent optional that is defined, with some value."""

    def encode(self, term: Term, variables: Any) -> Encoded:
        found = super().encode(term, variables)
        if isinstance(term, m.Force):
            return Encoded(found.value, True)
        return found


class _NotBroken(Encoder):
    def encode(self, term: Term, variables: Any) -> Encoded:
        found = super().encode(term, variables)
        return Encoded(not_(found.value), True) if isinstance(term, m.BrokenT) else found


class _AfterIsBefore(Encoder):
    def encode(self, term: Term, variables: Any) -> Encoded:
        return super().encode(term.of if isinstance(term, m.AfterT) else term, variables)


class _OptionsStated(Encoder):
    """Options that are all stated."""

    def encode(self, term: Term, variables: Any) -> Encoded:
        found = super().encode(term, variables)
        return Encoded(found.value, True) if isinstance(term, m.OptionGet) else found


class _DoubleField(Encoder):
    """Numbers in fields read as one more; an optional one as present."""

    def _field(self, term: m.Field, variables: Any) -> Encoded:
        found = super()._field(term, variables)
        if isinstance(found.value, Opt):
            return Encoded(Opt(True, found.value.value), found.defined)
        return found


@pytest.mark.parametrize(
    ("name", "wrong", "caught"),
    [
        ("constructs", _StrictAnd, "guarded"),
        ("constructs", _AtMost, "few"),
        ("constructs", _LastForFirst, "final_red"),
        ("constructs", _ConflictIsFirst, "takes"),
        ("placings", _NonemptyQuantifier, "won"),
        ("placings", _OffByOne, "tied"),
        ("constructs", _AbsentEqualsAbsent, "beside_owner"),
        ("constructs", _ForcedAnyway, "low"),
        ("constructs", _NotBroken, "takes"),
        ("constructs", _AfterIsBefore, "applies 5.1(b) #1 to bet"),
        ("constructs", _OptionsStated, "takes"),
        ("constructs", _DoubleField, "beside_owner"),
    ],
)
def test_a_wrong_encoding_of_one_node_is_caught(
    milestone: Milestones, name: str, wrong: type[Encoder], caught: str
) -> None:
    program, scope = milestone(name)
    samples = random_samples(program, scope, 200, seed=3)
    found = Agreement(program, scope, wrong, symbolic=True).check(samples, seed=4)
    assert any(disagreement.what == caught for disagreement in found)


_OF_A_LIST = ("", ": entities Pile", " cannot be applied")


def test_a_wrong_update_is_caught(milestone: Milestones, monkeypatch: pytest.MonkeyPatch) -> None:
    """A list that forgets what it gains."""
    from verifier.prove.lists import SlotList

    monkeypatch.setattr(SlotList, "gained", lambda self, value: (self, False))
    program, scope = milestone("constructs")
    found = {d.what for d in agree(program, scope, random_samples(program, scope, 40, seed=5))}
    assert {"put: entities Pile", "move: entities Pile"} <= found
    assert found <= {f"{event}{what}" for event in ("put", "move", "gather") for what in _OF_A_LIST}


def test_a_disagreement_shows_both_sides(milestone: Milestones) -> None:
    program, scope = milestone("placings")
    found = agree(program, scope, random_samples(program, scope, 20, seed=6), _OffByOne)
    tied = [d for d in found if d.what == "tied"]
    assert {(d.interpreter, d.z3) for d in tied} == {("no", "yes")}
    place = next(d for d in found if d.what == "place" and "undefined" not in d.interpreter)
    assert place.args in ("p", "q", "r", "s")
    assert place.interpreter != place.z3
