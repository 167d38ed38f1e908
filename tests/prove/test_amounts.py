"""Whether some amount meets conditions, said without the amount, against going through the amounts."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from obligation_bench import program_of

from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model.ruleset import Param
from verifier.model.terms import Term
from verifier.model.types import BOOL, INT, MONEY
from verifier.prove.obligations import amounts
from verifier.prove.obligations.acts import Acts
from verifier.prove.obligations.amounts import met
from verifier.run.machine import Machine
from verifier.run.state import EXISTS, State, first_state

X, KNOWN = "x", ("a", "b")
SIDES = [Fraction(n, 4) for n in range(-40, 80)]
"""Between any two numbers that the conditions name lie some of these, and beyond them."""


_PROGRAM: list[Program] = []


@pytest.fixture(scope="module", autouse=True)
def _program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    folder: Path = tmp_path_factory.mktemp("amounts")
    text = "entity Debt(guest: Guest) in evening\n  left: money\nrule 6.1\n  attendant must not book(any)\n"
    _PROGRAM[:] = [program_of(text, folder)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(amounts, "MOST_POINTS", 1_000)
        yield


def var(name: str) -> Term:
    return m.Var(MONEY, name)


plain = st.one_of(st.integers(0, 6).map(lambda n: m.Lit(MONEY, n)), st.sampled_from([var(n) for n in KNOWN]))


def _with_x(other: Term, shape: int) -> Term:
    match shape:
        case 0:
            return var(X)
        case 1:
            return m.ArithT(MONEY, "+", var(X), other)
        case 2:
            return m.ArithT(MONEY, "-", other, var(X))
        case _:
            return m.ArithT(MONEY, "-", var(X), other)


@st.composite
def atoms(draw: st.DrawFn) -> Term:
    sides = [_with_x(draw(plain), draw(st.integers(0, 3))), draw(plain)]
    if draw(st.booleans()):
        sides.reverse()
    return m.CompareT(BOOL, draw(st.sampled_from(["=", "!=", "<", "<=", ">", ">="])), *sides)


conditions = st.recursive(
    atoms(),
    lambda inner: st.one_of(
        inner.map(lambda t: m.NotT(BOOL, t)),
        st.lists(inner, min_size=2, max_size=3).map(lambda ts: m.AndT(BOOL, tuple(ts))),
        st.lists(inner, min_size=2, max_size=3).map(lambda ts: m.OrT(BOOL, tuple(ts))),
    ),
    max_leaves=6,
)


@given(st.lists(conditions, min_size=1, max_size=4), st.integers(0, 6), st.integers(0, 6))
@settings(max_examples=300, deadline=None)
def test_it_is_met_where_some_amount_of_0_or_more_meets_it(items: list[Term], a: int, b: int) -> None:
    machine = Machine(_PROGRAM[0], {})
    said = met(_PROGRAM[0], [Param(X, MONEY)], items)
    asked = machine.closure(m.AndT(BOOL, tuple(items)), [X, *KNOWN])
    expected = any(asked([x, a, b]) for x in SIDES if x >= 0)
    assert machine.closure(said, list(KNOWN))([a, b]) is expected


@given(st.lists(conditions, min_size=1, max_size=4), st.integers(0, 6), st.integers(0, 6))
@settings(max_examples=300, deadline=None)
def test_what_is_surely_met_some_whole_amount_meets(items: list[Term], a: int, b: int) -> None:
    """Also where an equation says which amount it is: that may be less than 0."""
    machine = Machine(_PROGRAM[0], {})
    said = Acts(_PROGRAM[0]).some([Param(X, MONEY)], items, "surely")
    asked = machine.closure(m.AndT(BOOL, tuple(items)), [X, *KNOWN])
    if machine.closure(said, list(KNOWN))([a, b]):
        assert any(asked([x, a, b]) for x in range(40))


def test_an_amount_below_0_is_surely_none() -> None:
    owed = m.CompareT(BOOL, "=", var(X), m.ArithT(MONEY, "-", var("a"), var("b")))
    said = Acts(_PROGRAM[0]).some([Param(X, MONEY)], [owed], "surely")
    can = Machine(_PROGRAM[0], {}).closure(said, list(KNOWN))
    assert (can([3, 1]), can([1, 3])) == (True, False)


# ------------------------------------------------------------------------------- within what ranges over things
DEBT, GUESTS = "debt", ("ann", "bob", "cyd")
OPS: list[m.Comparison] = ["=", "!=", "<", "<=", ">", ">="]


def _entity() -> m.OverEntity:
    type_ = _PROGRAM[0].ruleset.entities["Debt"].type
    return m.OverEntity(type_, "Debt")


def _left(of: Term) -> Term:
    return m.Field(MONEY, "Debt", "left", of)


def _after(each: Term) -> Term:
    """What is left of a debt once `x` is paid of `debt`."""
    this = m.CompareT(BOOL, "=", each, m.Var(each.type, DEBT))
    return m.Ite(MONEY, this, m.ArithT(MONEY, "-", _left(each), var(X)), _left(each))


def _of_one(draw: st.DrawFn, each: Term) -> Term:
    """A comparison that reads one of the things, as it is or as it is after a payment."""
    if draw(st.booleans()):
        side, other = _after(each), draw(plain)
    else:
        side, other = _left(each), draw(st.one_of(plain, st.just(var(X))))
    return m.CompareT(BOOL, draw(st.sampled_from(OPS)), side, other)


@st.composite
def ranging(draw: st.DrawFn) -> Term:
    domain = _entity()
    each = m.Var(domain.type, "f")
    where, body = _of_one(draw, each), _of_one(draw, each)
    kind = draw(st.sampled_from(["every", "some", "number", "sum", "owed", "least"]))
    op = draw(st.sampled_from(OPS))
    few, owed = m.Lit(INT, draw(st.integers(0, 3))), m.Lit(MONEY, draw(st.integers(0, 12)))
    match kind:
        case "every" | "some":
            return m.Quant(BOOL, kind, "f", domain, draw(st.sampled_from([None, where])), body)
        case "number":
            return m.CompareT(BOOL, op, m.Fold(INT, "number", "f", domain, where, None), few)
        case "sum":
            return m.CompareT(BOOL, op, m.Fold(MONEY, "sum", "f", domain, where, _left(each)), owed)
        case "owed":
            return m.CompareT(BOOL, op, owed, m.Fold(MONEY, "sum", "f", domain, None, _after(each)))
        case _:
            return m.CompareT(BOOL, op, few, m.Fold(INT, "number", "f", domain, m.NotT(BOOL, where), None))


around = st.recursive(
    st.one_of(atoms(), ranging(), ranging()),
    lambda inner: st.one_of(
        inner.map(lambda t: m.NotT(BOOL, t)),
        st.lists(inner, min_size=2, max_size=3).map(lambda ts: m.AndT(BOOL, tuple(ts))),
        st.lists(inner, min_size=2, max_size=3).map(lambda ts: m.OrT(BOOL, tuple(ts))),
    ),
    max_leaves=3,
)


def _owing(debts: list[int]) -> State:
    state = first_state(_PROGRAM[0].ruleset)
    state.ids["Guest"] = {name: number for number, name in enumerate(GUESTS)}
    for name, left in zip(GUESTS, debts, strict=False):
        state.entities["Debt"][(name,)] = {"left": left, EXISTS: True}
    return state


@given(st.data(), st.lists(st.integers(0, 6), max_size=3), st.sampled_from(GUESTS))
@settings(max_examples=300, deadline=None)
def test_it_is_met_within_what_is_counted_added_up_and_asked_of_all(
    data: st.DataObject, debts: list[int], who: str
) -> None:
    """Wherever there are not so many points that the amount is not looked at."""
    items = data.draw(st.lists(around, min_size=1, max_size=2))
    machine = Machine(_PROGRAM[0], {})
    machine.enter(_owing(debts))
    said = met(_PROGRAM[0], [Param(X, MONEY)], items)
    asked = machine.closure(m.AndT(BOOL, tuple(items)), [X, *KNOWN, DEBT])
    expected = any(asked([x, 1, 4, (who,)]) for x in SIDES if x >= 0)
    assert machine.closure(said, [*KNOWN, DEBT])([1, 4, (who,)]) is expected
