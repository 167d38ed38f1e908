"""Decisions that no solver can be asked of: where dice find a state in which the sides differ, that is told."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from verifier.diff.whole import compare
from verifier.exits import Exit
from verifier.model.load import load

MakeRules = Callable[..., Path]
Gazette = Callable[..., tuple[int, str]]

RATE = (
    ("  raised: bool\n", "  raised: bool\n  fee: money\n  rate: odds = 1 to 1\n"),
    ("event raise by keeper\n", "event raise by keeper\nevent quote(fee: money, rate: odds) by keeper\n"),
    ("on raise\n", "on quote(f, r)\n  fee = f\n  rate = r\n\non raise\n"),
    ("toll(k) = 200 when k = cart", "toll(k) = fee * rate when k = cart"),
)
"""What a cart pays is an amount times odds, and both are of the state: that is not linear."""


def test_a_difference_that_dice_find_is_one(rules: MakeRules, gazette: Gazette) -> None:
    other = ("= fee * rate when k = cart", "= fee * rate when k = cart and not raised")
    old, new = rules(*RATE), rules(*RATE, other)
    whole = compare(load(old), load(new))
    assert whole.exit == Exit.BROKEN
    assert whole.meaning is not None
    (matter,) = whole.meaning.matters
    assert matter.verdict == "undecided"
    (region,) = matter.differences
    assert region.rank == "open"
    assert region.example is not None
    assert ("raised", "yes") in region.example.state
    code, out = gazette("diff", old, new)
    assert code == 1
    said = " ".join(out.split())
    assert "toll(k): 1 region of difference; whether there are others is open: " in said
    assert "1. fee * rate → no rule answers" in said
    assert "proved complete" not in said


def test_where_dice_find_none_it_is_open(rules: MakeRules) -> None:
    other = ("= fee * rate when k = cart", "= fee * rate when not (k = foot)")
    whole = compare(load(rules(*RATE)), load(rules(*RATE, other)))
    assert whole.exit == Exit.UNDECIDED
    assert whole.meaning is not None
    (matter,) = whole.meaning.matters
    assert matter.differences == ()
