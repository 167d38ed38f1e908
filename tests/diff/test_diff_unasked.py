"""What rules read of decisions where no answer is owed, and of which values an answer is owed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from verifier.diff.whole import compare
from verifier.exits import Exit
from verifier.model.load import load

MakeRules = Callable[..., Path]
Gazette = Callable[..., tuple[int, str]]

TOLD = "  toll(k) = 50 when k = foot\n"
ASKED = (TOLD, f"  asked toll(k) when raised\n{TOLD}")
READS = ("must not cross when raised", "must not cross when toll(foot) > 60")


@pytest.mark.parametrize(
    ("other", "turn"),
    [
        ("  toll(k) = 50 when k = foot and raised\n  toll(k) = 70 when k = foot and not raised\n", "wider"),
        ("  toll(k) = 50 when k = foot and raised\n", "unsure"),
    ],
)
def test_what_a_rule_reads_of_a_decision_where_no_answer_is_owed_is_compared(
    rules: MakeRules, other: str, turn: str
) -> None:
    whole = compare(load(rules(ASKED, READS)), load(rules(ASKED, READS, (TOLD, other))))
    assert whole.meaning is not None
    assert {(c.verdict, c.owed) for c in whole.meaning.matters} == {("same", "same")}
    (norm,) = whole.norms
    assert norm.turn == turn
    assert norm.what.endswith("not by its own words, but by what it rests on: 1.1(a)")
    assert whole.exit == Exit.BROKEN


def test_what_follows_from_a_decision_that_is_told_is_not_told_again(rules: MakeRules) -> None:
    whole = compare(load(rules(ASKED, READS)), load(rules(ASKED, READS, ("= 50 when", "= 70 when"))))
    assert not whole.norms
    assert whole.exit == Exit.BROKEN


def test_what_reads_a_decision_only_where_an_answer_is_owed_follows_from_it(rules: MakeRules) -> None:
    reads = ("must not cross when raised", "must not cross when raised and toll(foot) > 60")
    other = "  toll(k) = 50 when k = foot and raised\n  toll(k) = 70 when k = foot and not raised\n"
    whole = compare(load(rules(ASKED, reads)), load(rules(ASKED, reads, (TOLD, other))))
    assert not whole.norms
    assert whole.exit == Exit.HOLDS


def test_to_what_a_duty_binds_by_a_define_that_changed_is_compared(rules: MakeRules) -> None:
    named = (
        ("  option lanes: 2..3\n", "  define full: money = 200\n  define kept(k: Kind): bool = k = cart\n"),
        ("must charge(any, any) before cross", "must charge(any, full) before charge(k where kept(k), any)"),
    )
    for change, what in (
        (("money = 200", "money = 300"), "other acts"),
        (("bool = k = cart", "bool = k = foot"), "the deadline moved"),
    ):
        whole = compare(load(rules(*named)), load(rules(*named, change)))
        assert [(n.turn, n.what.split(":")[0]) for n in whole.norms] == [("same", what)]
        assert whole.exit == Exit.BROKEN


def test_where_one_side_alone_reads_what_is_undefined_nothing_is_called_the_same(rules: MakeRules) -> None:
    few = ("  raised: bool\n", "  raised: bool\n  left: Place?\n")
    place = ("enum Kind: foot | cart\n", "enum Kind: foot | cart\ntype Place = 0..9\n")
    read = ("  toll(k) = 200 when k = cart\n", "  toll(k) = 200 when k = cart and not (left > 2)\n")
    guarded = (read[1], "  toll(k) = 200 when k = cart and (left does not exist or not (left > 2))\n")
    crossing = ("must not cross when raised", "must not cross when toll(cart) = 200")
    base = (few, place, read)
    whole = compare(load(rules(*base)), load(rules(*base, guarded)))
    assert whole.meaning is not None
    assert [(c.verdict, c.uneven) for c in whole.meaning.matters] == [("same", True)]
    assert whole.exit == Exit.UNDECIDED
    whole = compare(load(rules(*base, crossing)), load(rules(*base, crossing, guarded)))
    assert [n.turn for n in whole.norms] == ["wider"]
    assert whole.exit == Exit.BROKEN


LEFT = (
    ("  raised: bool\n", "  raised: bool\n  left: Place?\n"),
    ("enum Kind: foot | cart\n", "enum Kind: foot | cart\ntype Place = 0..9\n"),
    ("  toll(k) = 200 when k = cart\n", "  toll(k) = 200 when k = cart and not (left > 2)\n"),
)
GUARDED = (LEFT[2][1], "  toll(k) = 200 when k = cart and (left does not exist or not (left > 2))\n")


def test_the_page_says_that_it_is_not_compared_where_one_side_alone_reads_what_is_undefined(
    rules: MakeRules, gazette: Gazette
) -> None:
    for format_ in ("text", "markdown", "html"):
        code, out = gazette("diff", rules(*LEFT), rules(*LEFT, GUARDED), "--format", format_)
        assert code == 3
        out = " ".join(out.split())
        assert "Not compared where rules of one side alone read what is undefined: 1 decision." in out
        assert "it is not compared where rules of one side alone read what is undefined" in out


def test_what_is_undefined_only_where_no_answer_is_owed_leaves_nothing_open(rules: MakeRules) -> None:
    ships = (
        ("  raised: bool\n", "  raised: bool\n\nentity Ship(no: 0..1) in bridge\n  left: Place?\n"),
        LEFT[1],
        ("traveller must not cross when raised", "traveller must not cross when no"),
        ("raised = yes", "new Ship(0)"),
        ("keeper may raise when not raised", "keeper may raise when Ship(0) not in Ship"),
        ("when k = cart\n", "when k = cart and every s in Ship: s.left > 2\n"),
    )
    guarded = ("every s in Ship: s.left > 2", "every s in Ship: s.left exists and s.left > 2")
    asked = (TOLD, f"  asked toll(k) when every s in Ship: s.left exists\n{TOLD}")
    whole = compare(load(rules(asked, *ships)), load(rules(asked, *ships, guarded)))
    assert whole.meaning is not None
    assert {(c.verdict, c.uneven) for c in whole.meaning.matters} == {("same", False)}
    assert whole.exit == Exit.HOLDS
    whole = compare(load(rules(*ships)), load(rules(*ships, guarded)))
    assert whole.exit != Exit.HOLDS


ONE = f"  asked toll(k) when k = foot\n{TOLD}"
OTHER = ("toll(k) = 200", "toll(k) = 300")


def test_of_another_rule_that_asks_whatever_the_value_all_values_are_compared(rules: MakeRules) -> None:
    both = (TOLD, f"  asked toll(k) when raised\n{ONE}")
    whole = compare(load(rules(both)), load(rules(both, OTHER)))
    assert whole.meaning is not None
    (matter,) = whole.meaning.matters
    assert [d.where for d in matter.differences] == ["k = cart"]
    assert not matter.closed
    assert whole.exit == Exit.BROKEN


@pytest.mark.parametrize(
    ("asked", "owed"),
    [
        (TOLD, "wider"),
        (ONE.replace("k = foot", "k = foot or k = cart", 1), "wider"),
        (ONE.replace("k = foot", "k = cart", 1), "other"),
    ],
)
def test_that_an_answer_is_owed_of_other_values_too_is_told(rules: MakeRules, asked: str, owed: str) -> None:
    whole = compare(load(rules((TOLD, ONE))), load(rules((TOLD, asked))))
    assert whole.meaning is not None
    assert [(c.verdict, c.owed) for c in whole.meaning.matters] == [("same", owed)]
    assert whole.exit == Exit.BROKEN


def test_what_is_asked_of_one_value_is_the_same_of_that_value_only(rules: MakeRules) -> None:
    reads = ("must not cross when raised", "must not cross when toll(cart) > 250")
    whole = compare(load(rules((TOLD, ONE), reads)), load(rules((TOLD, ONE), reads, OTHER)))
    assert whole.meaning is not None
    assert [(c.verdict, c.owed) for c in whole.meaning.matters] == [("same", "same")]
    assert [norm.turn for norm in whole.norms] == ["wider"]
    assert whole.exit == Exit.BROKEN
