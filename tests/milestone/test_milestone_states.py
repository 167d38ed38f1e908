"""States in Z3 and back, what they promise, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from operator import add as plus
from operator import eq, floordiv, ge, gt, le, lt, mod, mul, ne, sub, truediv
from random import Random
from typing import Any

import pytest
import z3
from hypothesis import given
from hypothesis import strategies as st

from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.prove import values as v
from verifier.prove.encode import Encoder
from verifier.prove.random_states import random_options, random_state
from verifier.prove.scope import Scope, scope_of
from verifier.prove.shapes import model_leaf
from verifier.prove.step import arguments, promised, step
from verifier.prove.symbolic import World, lift, option_variables, variables
from verifier.prove.values import CannotEncodeError, Num
from verifier.run.apply import apply, compile_mechanics
from verifier.run.machine import Machine
from verifier.run.state import first_state

Milestones = Callable[[str], tuple[Program, Scope]]

NAMES = ("blackjack", "placings", "constructs")


@pytest.mark.parametrize("name", NAMES)
def test_a_pinned_state_comes_back_as_it_was(milestone: Milestones, name: str) -> None:
    """And it meets what is assumed of every state: so neither the samples nor the assumptions are too narrow."""
    world = World(*milestone(name))
    state, options, rng = variables(world), option_variables(world), Random(11)
    for _ in range(8):
        wanted, stated = random_state(world, rng), random_options(world, rng)
        solver = z3.Solver()
        solver.add(*state.assumptions(), *options.assumptions(), *state.pin(wanted))
        solver.add(*(variable == value for variable, value in options.assignment(stated)))
        assert solver.check() == z3.sat
        found = state.concretize(solver.model())
        assert found == lift(world, wanted).read(_nothing_open)
        assert options.concretize(solver.model()) == stated


@pytest.mark.parametrize("name", NAMES)
def test_every_promise_of_a_state_can_be_broken(milestone: Milestones, name: str) -> None:
    """No assumption follows from the types of Z3 alone: each of them says something."""
    world = World(*milestone(name))
    for condition in variables(world).assumptions():
        solver = z3.Solver()
        solver.add(z3.Not(condition))
        assert solver.check() == z3.sat


@pytest.mark.parametrize("name", NAMES)
def test_an_event_that_z3_chooses_does_in_the_interpreter_what_z3_says(
    milestone: Milestones, name: str
) -> None:
    program, scope = milestone(name)
    world = World(program, scope)
    state, options = variables(world), option_variables(world)
    for event, declared in program.ruleset.events.items():
        if not program.ruleset.mechanics.get(event):
            continue
        args = arguments(world, event)
        made = step(state, options, event, args)
        solver = z3.Solver()
        solver.add(*state.assumptions(), *promised(world, event, args), *made.before.assumptions())
        solver.add(v.not_(made.cannot), v.not_(made.escapes))
        assert solver.check() == z3.sat, event
        leaf = model_leaf(solver.model())
        values = tuple(
            world.shapes.concrete(p.type, arg, leaf) for p, arg in zip(declared.params, args, strict=True)
        )
        machine = Machine(program, {})
        machine.enter(made.before.read(leaf))
        after = apply(machine, compile_mechanics(machine, event), values)
        assert lift(world, after).read(_nothing_open) == made.after.read(leaf), event


def test_a_state_outside_of_the_scope_is_refused(milestone: Milestones) -> None:
    program, _ = milestone("placings")
    world = World(program, scope_of(program, {"Entrant": ("p",)}))
    state = first_state(program.ruleset)
    state.entities["Standing"]["q", 0] = {"chips": 5}
    with pytest.raises(ValueError, match="Standing is not within the scope"):
        lift(world, state)
    program, scope = milestone("blackjack")
    state = first_state(program.ruleset)
    state.entities["Hand"][1, 1] = {"cards": tuple((i, 0, 1) for i in range(5))}
    with pytest.raises(ValueError, match="more than the scope has slots"):
        variables(World(program, scope)).pin(state)


def test_ids_out_of_order_are_refused(milestone: Milestones) -> None:
    """The scope names ids in the order in which they are met; another order is the same state renamed."""
    program, scope = milestone("placings")
    state = first_state(program.ruleset)
    state.ids["Entrant"] = {"q": 0}
    with pytest.raises(ValueError, match="Entrant is not within the scope"):
        lift(World(program, scope), state)


def test_half_a_cent_needs_a_scope_with_parts(milestone: Milestones) -> None:
    program, scope = milestone("constructs")
    state = first_state(program.ruleset)
    state.entities["Pile"][1,] = {"share": Fraction(3, 4)}
    assert variables(World(program, scope)).pin(state)
    whole = Scope(scope.ids, scope.entities, scope.slots, scope.narrowed)
    with pytest.raises(ValueError, match="no whole number of units"):
        variables(World(program, whole)).pin(state)


# ------------------------------------------------------------------------------------- what is not encoded
def _encoder(milestone: Milestones) -> Encoder:
    world = World(*milestone("constructs"))
    return Encoder(variables(world), option_variables(world))


def test_a_product_of_two_open_amounts_is_refused(milestone: Milestones) -> None:
    encoder = _encoder(milestone)
    open_ = {name: Num(z3.Int(name)) for name in "ab"}
    product = m.ArithT(ty.MONEY, "*", m.Var(ty.MONEY, "a"), m.Var(ty.MONEY, "b"))
    with pytest.raises(CannotEncodeError, match="is not linear"):
        encoder.encode(product, open_)
    small = m.ArithT(ty.MONEY, "*", m.Var(ty.MONEY, "a"), m.Var(ty.IntT(0, 9), "b"))
    assert encoder.encode(small, open_).defined is True


def test_after_is_refused_where_no_event_is_at_hand(milestone: Milestones) -> None:
    with pytest.raises(CannotEncodeError, match="no event is at hand"):
        _encoder(milestone).encode(m.AfterT(ty.INT, m.Get(ty.INT, "spins")), {})


def test_a_function_that_reads_itself_is_refused(milestone: Milestones) -> None:
    encoder = _encoder(milestone)
    loop = next(f for f in encoder.program.functions.values() if f.name == "scale")
    call = m.CallF(loop.type, "scale", (m.Var(loop.params[0].type, loop.params[0].name),))
    functions = {
        **encoder.program.functions,
        "scale": type(loop)("scale", loop.params, loop.type, call, loop.place),
    }
    program = type(encoder.program)(
        encoder.program.ruleset,
        functions,
        encoder.program.decisions,
        encoder.program.prohibitions,
        encoder.program.permissions,
        encoder.program.duties,
        encoder.program.breach_rules,
        encoder.program.answers,
    )
    encoder.program = program
    with pytest.raises(CannotEncodeError, match="reads itself without end"):
        encoder.call("scale", (Num(z3.Int("colour")),))


# ------------------------------------------------------------------------------------------------- numbers
rationals = st.fractions(min_value=-20, max_value=20, max_denominator=6)


def _open(name: str, value: Fraction) -> tuple[Num, Any]:
    """A number that Z3 knows by name only, with what is to be put in for it."""
    variable = z3.Int(name)
    return Num(variable, value.denominator), (variable, z3.IntVal(value.numerator))


def _value(num: Num, *given_: tuple[Any, Any]) -> Fraction:
    numerator = num.n if isinstance(num.n, int) else z3.simplify(z3.substitute(num.n, *given_)).as_long()
    return Fraction(numerator, num.den)


@given(rationals, rationals)
def test_numbers_do_in_z3_what_fractions_do(a: Fraction, b: Fraction) -> None:
    left, give_a = _open("a", a)
    right, give_b = _open("b", b)
    fixed = v.number(b)
    assert _value(v.add(left, right), give_a, give_b) == plus(a, b)
    assert _value(v.add(left, v.negative(right)), give_a, give_b) == sub(a, b)
    assert _value(v.total([left, right, fixed]), give_a, give_b) == a + b + b
    assert _value(v.times(left, fixed), give_a) == mul(a, b)
    for op, same in (("=", eq), ("!=", ne), ("<", lt), ("<=", le), (">", gt), (">=", ge)):
        found = z3.simplify(z3.substitute(v.compare(op, left, right), give_a, give_b))
        assert z3.is_true(found) is same(a, b)
        assert v.compare(op, v.number(a), fixed) is same(a, b)
    if b:
        for ours, theirs in ((v.divided, truediv), (v.modulo, mod), (v.whole_quotient, floordiv)):
            assert _value(ours(left, fixed), give_a) == theirs(a, b)
            assert _value(ours(v.number(a), fixed)) == theirs(a, b)


def test_the_values_that_a_number_can_have() -> None:
    c, x = z3.Bool("c"), z3.Int("x")
    two = v.choose_number(c, Num(1), Num(3, 2))
    assert v.possible(two, {}) == [2, 3]
    assert v.possible(Num(two.n * 4 + 1), {}) == [9, 13]
    assert v.possible(Num(x), {}) is None
    assert v.possible(Num(two.n + x), {}) is None
    assert v.possible(Num(two.n + x), {x.get_id(): frozenset((5, 10))}) == [7, 8, 12, 13]


def _nothing_open(expr: Any) -> Any:
    raise AssertionError(f"a constant was expected, found {expr}")
