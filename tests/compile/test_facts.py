"""What the compiler knows for certain where it writes code, and what it may not take for certain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
import wasmtime
from logs import ready

from verifier.compile.emit import FALSE, TRUE, Body, Truth, load
from verifier.compile.facts import ANY, HOLDS, Facts, at_least, is_among, joined, of_length
from verifier.compile.sure import always_answered
from verifier.core.program import DecisionProgram, Program
from verifier.model import terms as m

RULESET = "nz/blackjack-1998"


def decided(name: str) -> tuple[Program, DecisionProgram]:
    program = ready(RULESET).program
    return program, program.decisions[name]


@pytest.mark.parametrize("name", ["value", "blackjack"])
def test_a_decision_whose_cases_leave_nothing_open_is_sure(name: str) -> None:
    """A card of each rank has a value (4.1), and a hand is a blackjack or not."""
    assert always_answered(*decided(name))


def test_one_whose_cases_ask_for_amounts_is_not() -> None:
    assert not always_answered(*decided("outcome"))


@pytest.mark.parametrize("left_out", [0, 1, 2, 3])
def test_a_decision_that_lacks_a_case_is_not_sure(left_out: int) -> None:
    program, value = decided("value")
    cases = tuple(case for i, case in enumerate(value.cases) if i != left_out)
    assert not always_answered(program, replace(value, cases=cases))


def test_one_whose_cases_clash_is_not() -> None:
    program, value = decided("value")
    other = replace(value.cases[0], value=m.Lit(value.type, 11))
    assert not always_answered(program, replace(value, cases=(*value.cases, other)))
    assert always_answered(program, replace(value, cases=(*value.cases, value.cases[0])))


def test_a_condition_that_holds_is_not_asked_again() -> None:
    facts = Facts()
    asked = facts.told(Truth("(call $asked)"))
    with facts.given(asked.when):
        assert facts.told(Truth("(call $asked)")) == TRUE
        with facts.none():
            assert facts.told(Truth("(call $asked)")).code == "(call $asked)"
    with facts.given(asked.unless):
        assert facts.told(Truth("(call $asked)")) == FALSE
    assert facts.told(Truth("(call $asked)")).code == "(call $asked)"


def test_nothing_follows_from_a_condition_that_may_be_undefined() -> None:
    assert not Facts().told(Truth("(call $asked)", open=True)).when


@pytest.mark.parametrize(
    ("op", "holds", "fails"),
    [(">=", 2, None), (">", 3, None), ("=", 2, None), ("!=", None, 2), ("<", None, 2), ("<=", None, 3)],
)
def test_what_a_length_says(op: str, holds: int | None, fails: int | None) -> None:
    """How many elements there are at least where a list's length compares so with 2, and where it does not."""
    when, unless = of_length(op, 2, "it")
    assert when.get(at_least("it")) == holds
    assert unless.get(at_least("it")) == fails


NUMBERS = (0, 1, 2, 5, 62, 63, 64, 70)
VALUES = (-5, -1, *range(8), 61, 62, 63, 64, 65, 69, 70, 71, 1 << 40)


def compared(op: str, number: int) -> Truth:
    return Truth(f"(i64.{op} (local.get $n) (i64.const {number}))")


@pytest.mark.parametrize("first", HOLDS)
@pytest.mark.parametrize("second", HOLDS)
def test_what_one_comparison_says_of_another(first: str, second: str) -> None:
    """An answer that is known is that of every value of which the first comparison holds, or fails."""
    known = 0
    for one, other, held in product(NUMBERS, NUMBERS, (True, False)):
        facts = Facts()
        asked = facts.compared(compared(first, one), ANY)
        with facts.given(asked.when if held else asked.unless):
            found = facts.compared(compared(second, other), ANY)
        left = [n for n in VALUES if HOLDS[first](n, one) == held]
        if found in (TRUE, FALSE):
            known += 1
            assert all(HOLDS[second](n, other) == (found == TRUE) for n in left), (one, other, held)
    assert known or not {first, second} & {"eq", "ne"}


@pytest.mark.parametrize("op", HOLDS)
def test_what_follows_for_a_number_within_bounds(op: str) -> None:
    """Of a number from 2 to 6 a comparison that all of these pass, or none, is not asked."""
    values = sum(1 << n for n in range(2, 7))
    for number in range(9):
        found = Facts().compared(compared(op, number), values)
        answers = {HOLDS[op](n, number) for n in range(2, 7)}
        assert (found in (TRUE, FALSE)) == (len(answers) == 1)
        assert len(answers) > 1 or (found == TRUE) == answers.pop()


def test_what_is_known_of_a_number_comes_together() -> None:
    facts = Facts()
    either = facts.among(Truth("(call $either)"), "(local.get $n)", 0b1010, ANY ^ 0b1010, ANY)
    with facts.given(either.when):
        other = facts.compared(compared("eq", 1), ANY)
        assert facts.compared(compared("eq", 2), ANY) == FALSE
        with facts.given(other.unless):
            assert facts.compared(compared("eq", 3), ANY) == TRUE
        with facts.none():
            assert facts.compared(compared("eq", 2), ANY) not in (TRUE, FALSE)
    assert joined({is_among("it"): 0b110}, {is_among("it"): 0b011}) == {is_among("it"): 0b010}


@pytest.mark.parametrize(
    "truth",
    [
        Truth("(i64.eq (local.get $n) (i64.const 1))", open=True),
        Truth("(i64.eq (local.get $n) (i64.const -1))"),
        Truth("(i64.eq (local.get $n) (i64.add (local.get $m) (i64.const 1)))"),
        Truth("(i32.eqz (i64.eq (local.get $n) (i64.const 1)))"),
    ],
)
def test_of_other_code_nothing_follows(truth: Truth) -> None:
    assert Facts().compared(truth, ANY) == truth
    assert not any(key.startswith("among ") for key in Facts().compared(truth, ANY).when)


@pytest.mark.parametrize(
    ("where", "code"),
    [
        ("(i32.add (local.get $r) (i32.const 24))", "(i64.load offset=24 (local.get $r))"),
        ("(i32.add (i32.const 24) (local.get $r))", "(i64.load (i32.add (i32.const 24) (local.get $r)))"),
        ("(i32.add (local.get $r) (i32.shl (local.get $i) (i32.const 3)))", None),
        ("(i32.const 24)", "(i64.load (i32.const 24))"),
    ],
)
def test_where_a_cell_is_read(where: str, code: str | None) -> None:
    assert load(where) == (code or f"(i64.load {where})")


CONDITIONS: dict[str, Callable[[list[Truth]], Truth]] = {
    "all": lambda of: Truth("", shape=("all", tuple(of))),
    "any": lambda of: Truth("", shape=("any", tuple(of))),
    "not all": lambda of: Truth("", shape=("not", (Truth("", shape=("all", tuple(of))),))),
    "any, the last not": lambda of: Truth("", shape=("any", (*of[:-1], Truth("", shape=("not", (of[-1],)))))),
    "all of any": lambda of: Truth("", shape=("all", (Truth("", shape=("any", (of[0], of[1]))), of[2]))),
    "any of all": lambda of: Truth("", shape=("any", (Truth("", shape=("all", (of[0], of[1]))), of[2]))),
    "not any of all": lambda of: Truth("", shape=("not", (CONDITIONS["any of all"](of),))),
}
"""Conditions on three truth values; their code is not to be looked at, but for those."""

MEANT: dict[str, Callable[[bool, bool, bool], bool]] = {
    "all": lambda a, b, c: a and b and c,
    "any": lambda a, b, c: a or b or c,
    "not all": lambda a, b, c: not (a and b and c),
    "any, the last not": lambda a, b, c: a or b or not c,
    "all of any": lambda a, b, c: (a or b) and c,
    "any of all": lambda a, b, c: (a and b) or c,
    "not any of all": lambda a, b, c: not ((a and b) or c),
}


@pytest.mark.parametrize("name", CONDITIONS)
def test_conditions_jump_as_they_are_meant(name: str) -> None:
    """What is undefined (3) is other than 0, too."""
    body = Body()
    condition = CONDITIONS[name]([Truth(f"(local.get $p{i})") for i in range(3)])
    value = body.either(condition, "(i32.const 10)", "(i32.const 20)", "i32")
    code = body.where(condition, "(local.set $r (i32.add (local.get $r) (i32.const 1)))")
    text = (
        '(module (func (export "f") (param $p0 i32) (param $p1 i32) (param $p2 i32) (result i32) (local $r i32)'
        f" (local.set $r {value}) {code} (local.get $r)))"
    )
    store = wasmtime.Store()
    instance = wasmtime.Instance(store, wasmtime.Module(store.engine, text), [])
    asked: Any = instance.exports(store)["f"]
    for given in product((0, 1, 3), repeat=3):
        holds = MEANT[name](*(bool(one) for one in given))
        assert asked(store, *given) == (11 if holds else 20), given
