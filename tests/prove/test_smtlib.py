"""SMT-LIB text: complete, readable, as long as it must be, and the same for the same question."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
import z3

from verifier.prove.smtlib import Assumed, Writer
from verifier.prove.values import CannotEncodeError

X, Y, Z = z3.Ints("x y z")
A, B = z3.Bools("a b")


def text(*conditions: Any, name: str = "", comment: str = "") -> str:
    return Writer().write(conditions, name, comment).text


def answer(written: str) -> z3.CheckSatResult:
    """Z3's answer, in a context that knows nothing but the text."""
    solver = z3.Solver(ctx=z3.Context())
    solver.from_string(written)
    return solver.check()


def test_a_whole_question() -> None:
    h = z3.Int("Hand 1.total")
    shared = h + 1
    assert text(shared > 3, z3.Or(A, shared < -2), name="a name", comment="What unsat means.") == (
        "; a name\n"
        "; What unsat means.\n"
        "(set-logic QF_LIA)\n"
        "(declare-fun |Hand 1.total| () Int)\n"
        "(declare-fun a () Bool)\n"
        "(define-fun $1 () Int (+ |Hand 1.total| 1))\n"
        "(assert (> $1 3))\n"
        "(assert (or a (< $1 (- 2))))\n"
        "(check-sat)\n"
    )


@pytest.mark.parametrize(
    "condition",
    [
        z3.And(A, B, z3.Not(A)),
        z3.Implies(A, z3.Xor(A, B)),
        z3.If(A, X, -Y) * 3 - Z == X % 5 + Y / 4,
        z3.Distinct(X, Y, Z),
        z3.And(X <= Y, Y >= Z, X < Z),
        z3.BoolVal(True) == A,
        z3.IntVal(-(2**70)) >= X,
        z3.ForAll([X], z3.Exists([Y], Y > X + Z)),
        z3.Function("f", z3.IntSort(), z3.BoolSort(), z3.IntSort())(X, A) == 3,
        z3.Bool("and") == z3.Bool("|odd\\name|"),
        z3.And(z3.Int("$1") > 3, z3.Int("3x") + z3.Int("") + z3.Int("é ü") > z3.Int("x y")),
    ],
)
def test_text_means_what_it_was_made_of(condition: Any) -> None:
    """The condition and its negation are answered from the text as Z3 answers them itself."""
    for asked in (condition, z3.Not(condition)):
        solver = z3.Solver()
        solver.add(asked)
        assert answer(text(asked)) == solver.check()


def test_names_that_no_symbol_can_hold_stay_apart() -> None:
    bars, slashes = z3.Int("a|b"), z3.Int("a¦b")
    written = Writer().write([bars > slashes])
    assert answer(written.text) == z3.sat
    assert len(written.constants) == 2
    assert {c.decl().name() for c in written.constants.values()} == {"a|b", "a¦b"}


def test_constants_of_no_name_are_counted_by_each_question() -> None:
    first, second = z3.Int("sum\x1f7\x1f"), z3.Int("sum\x1f3\x1f.part")
    writer = Writer()
    writer.write([first > 0])
    assert writer.write([second > first]).body == (
        "(set-logic QF_LIA)\n(declare-fun |sum 1.part| () Int)\n(declare-fun |sum 2| () Int)\n"
        "(assert (> |sum 1.part| |sum 2|))\n(check-sat)\n"
    )


def test_what_is_shared_is_written_once() -> None:
    sum_ = X
    for _ in range(200):
        sum_ = sum_ + sum_
    written = text(sum_ > 0)
    assert len(written) < 15_000
    assert answer(written) == z3.sat


def test_deep_conditions_can_be_written() -> None:
    deep: Any = A
    for i in range(3_000):
        deep = z3.Not(z3.And(deep, z3.Bool(f"b{i % 7}")))
    written = text(deep)
    assert written.count("and") == 3_000
    assert max(map(len, written.splitlines())) < 2_000
    assert answer(written) == z3.sat


def test_truths_of_python_are_conditions() -> None:
    assert answer(text(True, X > 0)) == z3.sat
    assert answer(text(X > 0, False)) == z3.unsat
    assert answer(text()) == z3.sat


def test_the_text_does_not_hang_on_what_was_written_before() -> None:
    writer = Writer()
    writer.write([z3.And(B, X * 2 > Y), z3.Int("other") > 0])
    question = [X * 2 > Y, z3.If(A, X * 2, Y) == 3]
    assert writer.write(question).text == text(*question)


def test_nothing_in_a_comment_is_asked() -> None:
    written = text(X > 0, name="a\r(assert false)", comment="b\n(assert false)\n\u2028(assert false)")
    assert answer(written) == z3.sat
    assert all(line.startswith((";", "(")) for line in written.splitlines())
    assert "(assert false)" not in [line for line in written.split("\n") if not line.startswith(";")]


def test_only_truths_and_whole_numbers_are_written() -> None:
    with pytest.raises(CannotEncodeError, match="neither a truth nor a whole number"):
        text(z3.Real("r") > 0)
    with pytest.raises(CannotEncodeError, match="no linear arithmetic"):
        text(z3.Array("m", z3.IntSort(), z3.IntSort())[X] > 0)


# -------------------------------------------------------------------------------------------- assumptions
def kept(asked: list[Any], conditions: list[Any], **base: Any) -> list[str]:
    values = tuple(
        (make(n), z3.BoolVal(v) if isinstance(v, bool) else z3.IntVal(v))
        for n, v in base.items()
        for make in [z3.Bool if isinstance(v, bool) else z3.Int]
    )
    return [str(c) for c in Writer().relevant(asked, Assumed(tuple(conditions), values))]


def test_what_shares_nothing_is_left_out() -> None:
    assert kept([X > 5], [X < 9, Y > 2, z3.Or(A, B)], x=0, y=3, a=True, b=False) == ["x < 9"]


def test_what_is_shared_with_what_is_kept_is_kept_too() -> None:
    assert kept([X > 5], [Y > Z, X + Y < 9, A], x=0, y=1, z=0, a=True) == ["y > z", "x + y < 9"]


def test_what_the_base_meets_anyhow_is_left_out() -> None:
    """`b` can be false whatever `a` is; where it is asked about, it hangs on `a`."""
    assert kept([A], [z3.Or(A, z3.Not(B))], a=False, b=False) == []
    assert kept([A], [z3.Or(A, B)], a=True, b=False) == ["Or(a, b)"]
    assert kept([A, B], [z3.Or(A, z3.Not(B))], a=False, b=False) == ["Or(a, Not(b))"]


def test_what_the_base_does_not_meet_is_never_left_out() -> None:
    assert sorted(kept([X > 0], [Y > 2, Y < 2], x=0, y=3)) == ["y < 2", "y > 2"]


def test_leaving_out_changes_no_answer() -> None:
    """Questions over a chain of constants: the answer with all assumptions is the one with those kept."""
    chain = z3.Ints(" ".join(f"c{i}" for i in range(8)))
    conditions = [a <= b for a, b in pairwise(chain)] + [c >= 0 for c in chain]
    base = Assumed(tuple(conditions), tuple((c, z3.IntVal(0)) for c in chain))
    for low in range(8):
        for high in range(8):
            asked = [chain[low] > 3, chain[high] < 2]
            whole, sliced = z3.Solver(), z3.Solver()
            whole.add(*asked, *conditions)
            sliced.add(*asked, *Writer().relevant(asked, base))
            assert whole.check() == sliced.check()
