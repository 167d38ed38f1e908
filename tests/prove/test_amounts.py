"""Whether some amount meets conditions, said without the amount, against going through the amounts."""

from __future__ import annotations

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
from verifier.model.types import BOOL, MONEY
from verifier.prove.obligations.amounts import met
from verifier.run.machine import Machine

X, KNOWN = "x", ("a", "b")
SIDES = [Fraction(n, 4) for n in range(-40, 60)]
"""Between any two numbers that the conditions name lie some of these, and beyond them."""


_PROGRAM: list[Program] = []


@pytest.fixture(scope="module", autouse=True)
def _program(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder: Path = tmp_path_factory.mktemp("amounts")
    _PROGRAM[:] = [program_of("rule 6.1\n  attendant must not book(any)\n", folder)]


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
