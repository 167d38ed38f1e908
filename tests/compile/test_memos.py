"""Which values are kept from one asking to the next: those that take long to find, and what rests on them alone not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from logs import ready

from verifier.compile.costs import CALL, KEPT, Costs
from verifier.compile.memos import DEAR, Memos
from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.ruleset import Function, Param, Place

RULESET = "nz/blackjack-1998"
HERE = Place("", 0, 0, 0, 0)


def kept(program: Program) -> set[str]:
    return {memo.name for memo in Memos(program).kept(frozenset({"Hand"}))}


@pytest.mark.parametrize("name", ["total", "first_card", "moot", "decide outcome", "decide blackjack"])
def test_what_takes_long_is_kept(name: str) -> None:
    assert name in kept(ready(RULESET).program)


@pytest.mark.parametrize("name", ["size", "pips", "decide value"])
def test_what_is_quickly_told_is_not(name: str) -> None:
    """How many cards a hand has, and what one card is worth."""
    assert name not in kept(ready(RULESET).program)


def test_what_rests_on_one_value_that_is_kept_is_not() -> None:
    """Whether a total is over 21 is told by the total, which takes long itself."""
    program = ready(RULESET).program
    hand = program.functions["total"].params[0].type
    total = m.CallF(ty.INT, "total", (m.Var(hand, "h"),))
    over = m.CompareT(ty.BOOL, ">", total, m.Lit(ty.INT, 21))
    function = Function("over", (Param("h", hand),), ty.BOOL, over, HERE)
    calls = [m.CallF(ty.BOOL, "over", (m.Var(hand, "h"),)) for _ in range(3)]
    asking = Function("asking", (Param("h", hand),), ty.BOOL, m.AndT(ty.BOOL, tuple(calls)), HERE)
    more = replace(program, functions={**program.functions, "over": function, "asking": asking})
    assert Costs(more).of(over) > DEAR
    assert Costs(more, lambda name, cost: name == "total").of(over) < CALL + KEPT + DEAR
    assert "over" not in kept(more)
    assert "total" in kept(more)


def test_the_length_of_a_list_is_read_and_not_counted() -> None:
    program = ready(RULESET).program
    assert Costs(program).of(program.functions["size"].body) < CALL
    assert Memos(program).written_out("size")
