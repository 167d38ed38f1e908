"""What a term has twice is put to the solvers, and made ready for the interpreter, once: of large ones most is."""

from __future__ import annotations

from pathlib import Path

import pytest
import z3

from verifier.core.lower import lower
from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model.load import load
from verifier.model.terms import Term
from verifier.model.types import BOOL
from verifier.prove.encode import Encoder
from verifier.prove.scope import scope_of
from verifier.prove.symbolic import World, option_variables, variables
from verifier.prove.values import CannotEncodeError
from verifier.run.machine import Machine

DEPTH = 60
"""Written out, the term has 2 to the power of so many parts."""


@pytest.fixture(scope="module")
def program() -> Program:
    return lower(load(Path(__file__).parent / "rules" / "typed-depot.rules"))


def nested(of: Term, depth: int = DEPTH) -> Term:
    """If x, then not what is below; else what is below."""
    for _ in range(depth):
        of = m.Ite(BOOL, m.Var(BOOL, "x"), m.NotT(BOOL, of), of)
    return of


def test_a_part_is_encoded_once_for_the_same_values(program: Program) -> None:
    world = World(program, scope_of(program, {}))
    encoder = Encoder(variables(world), option_variables(world), most=10 * DEPTH)
    term, x, y = nested(m.Var(BOOL, "y")), z3.Bool("x"), z3.Bool("y")
    found = encoder.encode(term, {"x": x, "y": y})
    solver = z3.Solver()
    solver.add(found.value != y)  # an even number of times the other way round
    assert solver.check() == z3.unsat
    encoder.afresh()
    assert encoder.encode(term, {"x": x, "y": z3.Not(y)}).value is not found.value


def test_so_many_different_ones_are_too_many(program: Program) -> None:
    world = World(program, scope_of(program, {}))
    encoder = Encoder(variables(world), option_variables(world), most=DEPTH)
    with pytest.raises(CannotEncodeError, match="more than 60 terms"):
        encoder.encode(nested(m.Var(BOOL, "y")), {"x": z3.Bool("x"), "y": z3.Bool("y")})


def test_a_part_is_made_ready_for_the_interpreter_once(program: Program) -> None:
    closure = Machine(program, {}).closure(nested(m.Var(BOOL, "y"), DEPTH + 1), ["x", "y"])
    for x in (False, True):
        for y in (False, True):
            assert closure([x, y]) is (y is not x)


def test_variables_of_one_name_are_told_apart(program: Program) -> None:
    """The same object stands under two binders of one name."""
    inner = m.Var(BOOL, "b")
    one = m.OverValues(BOOL, (m.Lit(BOOL, True),))
    none = m.OverValues(BOOL, (m.Lit(BOOL, False),))
    both = m.AndT(
        BOOL,
        (
            m.Quant(BOOL, "some", "b", one, None, m.NotT(BOOL, m.NotT(BOOL, inner))),
            m.Quant(BOOL, "some", "b", none, None, m.NotT(BOOL, inner)),
        ),
    )
    assert Machine(program, {}).closure(both, [])([]) is True
    world = World(program, scope_of(program, {}))
    encoder = Encoder(variables(world), option_variables(world))
    assert encoder.encode(both, {}).certainly(True)
