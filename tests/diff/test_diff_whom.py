"""Rules of one side alone, held against all that the other says of the same act to the same people: what it forbids,
what it gives leave for, and what its own rules take from a leave."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from verifier.diff.norm_words import NormChange
from verifier.diff.unify import unify
from verifier.diff.whole import compare
from verifier.exits import Exit
from verifier.model.load import load
from verifier.model.types import IntT
from verifier.report.diff_acts import acts_told

MakeRules = Callable[..., Path]
Change = tuple[str, str]

CAP = '  unobservable "the log records crossings and tolls, not what people wear"\n'


def _besides(*statements: str) -> Change:
    """More that the clause on caps says."""
    return CAP, CAP + "".join(f"  {statement}\n" for statement in statements)


def _norm(rules: MakeRules, old: tuple[Change, ...], new: tuple[Change, ...]) -> NormChange:
    (norm,) = compare(load(rules(*old)), load(rules(*new))).norms
    return norm


@pytest.mark.parametrize(("when", "same"), [("raised and charged", True), ("charged", False)])
def test_what_the_other_side_gives_no_leave_for_it_forbids_too(
    rules: MakeRules, when: str, same: bool
) -> None:
    # Leave to raise is given only while the bridge is not raised.
    norm = _norm(rules, (_besides(f"keeper must not raise when {when}"),), ())
    assert norm.same == same
    if same:
        assert norm.what == "the other says as much: leave is given only by 2.1"
        return
    assert norm.what == (
        "was forbidden, and is not any more; it still needs leave by 2.1, and without it is not allowed"
    )
    (told,) = acts_told(norm)
    assert told.where == "where charged and not raised"


@pytest.mark.parametrize("forbidden", [True, False])
def test_what_a_side_gives_leave_for_and_forbids_it_does_not_allow(rules: MakeRules, forbidden: bool) -> None:
    own = ("keeper must not raise when raised",) if forbidden else ()
    may = "keeper may raise when raised"
    whole = compare(load(rules(_besides(*own))), load(rules(_besides(*own, may))))
    assert whole.exit == (Exit.HOLDS if forbidden else Exit.BROKEN)


def test_of_whom_the_other_side_says_as_much_is_told_apart(rules: MakeRules) -> None:
    both = (("event cross by traveller", "event cross by traveller | keeper"),)
    wide = (*both, ("cross when raised", "cross when raised or charged"))
    norm = _norm(rules, (*wide, _besides("traveller | keeper must not cross when charged")), wide)
    assert not norm.same
    assert norm.what == (
        "of the keeper: was forbidden, and is not any more; of the traveller: the other says as much: 1.2"
    )
    norm = _norm(rules, (*both, _besides("traveller | keeper must not cross when charged")), both)
    assert norm.what == (
        "of the keeper: was forbidden, and is not any more; "
        "of the traveller: was forbidden, and is not any more where none of these forbids it: 1.2"
    )
    (told,) = acts_told(norm)
    assert told.headline.startswith("cross by the traveller: ")


@pytest.mark.parametrize(("kind", "needed"), [("cart", True), ("foot", False)])
def test_leave_is_needed_only_for_what_a_leave_speaks_of(rules: MakeRules, kind: str, needed: bool) -> None:
    of_kinds = (
        ("event raise by", "event raise(kind: Kind) by"),
        ("on raise\n", "on raise(k)\n"),
        ("may raise when", "may raise(cart) when"),
    )
    norm = _norm(rules, (*of_kinds, _besides(f"keeper must not raise({kind}) when charged")), of_kinds)
    assert ("; it still needs leave by 2.1" in norm.what) == needed
    assert not norm.same


def test_a_leave_that_speaks_of_some_such_acts_says_of_which(rules: MakeRules) -> None:
    of_kinds = (
        ("event raise by", "event raise(kind: Kind) by"),
        ("on raise\n", "on raise(k)\n"),
        ("may raise when", "may raise(cart) when"),
    )
    norm = _norm(rules, (*of_kinds, _besides("keeper must not raise(any) when charged")), of_kinds)
    assert norm.what == (
        "was forbidden, and is not any more; raise(cart) still needs leave by 2.1, and without it is not allowed"
    )


def test_an_example_is_of_whole_money_and_of_an_act_that_nothing_else_forbids(rules: MakeRules) -> None:
    dear = ("cross when raised", "cross when raised\n  keeper must not charge(any, a) when a > 40 and raised")
    norm = _norm(rules, (dear, _besides("keeper must not charge(any, a) when a < 50")), (dear,))
    assert norm.told is not None
    (region,) = norm.told.regions
    assert region.example is not None
    amount = Fraction(dict(region.example.values)["amount"])
    assert amount > 0
    assert amount.denominator == 1
    assert amount <= 40 or ("raised", "yes") not in region.example.state


@pytest.mark.parametrize("sides", [("old",), ("new",), ("old", "new")])
def test_an_example_is_of_an_act_that_nothing_else_forbids_on_either_side(
    rules: MakeRules, sides: tuple[str, ...]
) -> None:
    crossing = "  traveller must not cross when raised\n"
    other = (crossing, crossing + "  keeper must not charge(any, a) when a < 70\n")
    old, new = (
        rules(
            _besides(f"keeper must not charge(any, a) when a < {least}"), *([other] if which in sides else [])
        )
        for which, least in (("old", 50), ("new", 80))
    )
    (norm,) = (n for n in compare(load(old), load(new)).norms if n.change.fate == "changed")
    assert norm.told is not None
    (region,) = norm.told.regions
    assert region.where == "amount < 80 and amount >= 50"
    assert region.example is not None
    assert 70 <= Fraction(dict(region.example.values)["amount"]) < 80


def test_an_example_is_of_an_act_for_which_leave_is_given(rules: MakeRules) -> None:
    may = ("keeper may raise when not raised", "keeper may raise when raised")
    (norm,) = compare(
        load(rules(may, _besides("keeper must not raise when charged"))),
        load(rules(may, _besides("keeper must not raise when charged and lanes = 3"))),
    ).norms
    assert norm.told is not None
    (region,) = norm.told.regions
    assert region.where == "charged and lanes != 3"
    assert region.example is not None
    assert ("raised", "yes") in region.example.state


def test_whom_a_statement_binds_is_told(rules: MakeRules) -> None:
    both = (("event cross by traveller", "event cross by traveller | keeper"),)
    more = ("traveller must not cross", "keeper | traveller must not cross")
    assert _norm(rules, both, (*both, more)).what == (
        "it binds others: then the traveller, now the keeper and the traveller"
    )
    but = ("traveller must not cross", "anyone but keeper must not cross")
    assert _norm(rules, (*both, but), (*both, more)).what == (
        "it binds others: then anybody but the keeper, now the keeper and the traveller"
    )


def test_a_duty_beside_duties_of_the_same_act_is_open(rules: MakeRules) -> None:
    norm = _norm(rules, (_besides("keeper must charge(any, any) before leave when raised"),), ())
    assert norm.turn == "open"
    assert norm.what == (
        "had to be done; whether it still has to be is open: not held against the other's duties of such "
        "acts: 1.1"
    )
    other = _besides("keeper must raise before leave when charged")
    assert _norm(rules, (other,), ()).what == "had to be done, and need not be any more"


def test_where_leave_and_a_prohibition_together_say_as_much_both_are_named(rules: MakeRules) -> None:
    # 1.2 forbids it where charged; leave is given only where not raised.
    forbids = ("  traveller must not cross when raised\n", "  keeper must not raise when charged\n")
    norm = _norm(rules, (forbids, _besides("keeper must not raise when charged or raised")), (forbids,))
    assert norm.same
    assert norm.what == "the other says as much: 1.2; leave is given only by 2.1"


LEVEL = (
    ("event raise by", "event raise(height: 0..{0}) by"),
    ("on raise\n", "on raise(h)\n  level = h\n"),
    ("  raised: bool\n", "  raised: bool\n  level: 0..{0}\n"),
    ("keeper may raise when not raised", "keeper may raise(h) when h <= {1} and level < 3"),
)


def _level(highest: int, allowed: int) -> tuple[Change, ...]:
    return tuple((before, after.format(highest, allowed)) for before, after in LEVEL)


def test_ranges_without_a_name_are_one_that_holds_both(rules: MakeRules) -> None:
    old, new = load(rules(*_level(5, 2))), load(rules(*_level(9, 4)))
    common = unify(old, new)
    assert common.events["raise"].params[0].type == IntT(0, 9)
    assert common.state["level"].type == IntT(0, 9)
    (norm,) = compare(old, new).norms
    (told,) = acts_told(norm)
    assert told.where == "where level < 3 and height <= 4 and height > 2"
    same = compare(old, load(rules(*_level(9, 2))))
    assert all(one.same for one in same.norms)


def test_a_range_and_another_type_stay_apart(rules: MakeRules) -> None:
    words = tuple(
        (a, b.replace("0..9", "bool").replace("h <= 4 and level < 3", "h")) for a, b in _level(9, 4)
    )
    common = unify(load(rules(*_level(5, 2))), load(rules(*words)))
    assert {"old.raise", "new.raise"} <= set(common.events)
    assert {"old.level", "new.level"} <= set(common.state)
