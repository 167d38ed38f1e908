"""How often a region occurs, held against a count by hand: New Zealand's blackjack, one token changed."""

from __future__ import annotations

import pytest

from tests.diff.seeds import changes, shop
from verifier.core.lower import lower
from verifier.diff.merge import Merger
from verifier.diff.sides import Sides
from verifier.diff.told import Difference
from verifier.diff.unify import unify
from verifier.diff.weight import stock
from verifier.diff.whole import compare
from verifier.model.load import load
from verifier.prove.question import Sometimes
from verifier.prove.solve import Settings
from verifier.report.diff_meaning import often
from verifier.run.state import EXISTS, first_state

DRAWN = 208
"""Cards of the fewest packs that there may be: 4."""


def differences(seed: str) -> list[Difference]:
    name = next(name for name in changes() if name.startswith(seed))
    whole = compare(shop().original.ruleset, shop().made(changes()[name]).ruleset, Settings(solvers=("z3",)))
    assert whole.meaning is not None
    return [d for c in whole.meaning.matters for d in c.differences]


def test_two_sevens_of_different_suits_are_counted() -> None:
    (difference,) = differences("15.4(b):odds:c97e02")
    assert difference.weight is not None
    assert (difference.weight.ways, difference.weight.of) == (16 * 12, DRAWN * (DRAWN - 1))
    assert difference.weight.model.startswith("2 to w.hand.cards, drawn one by one from 208")


def test_odds_that_are_owed_for_the_cards_of_two_hands_are_counted() -> None:
    told = {d.where: d for d in differences("5.4 [blackjack]:odds:f74a73")}
    at_once, later = (d.weight for d in told.values())
    assert at_once is not None
    assert later is not None
    every = DRAWN * (DRAWN - 1) * (DRAWN - 2) * (DRAWN - 3)
    natural = 2 * 16 * 64  # An ace and a card of value 10, in either order.
    low = 8 * 16  # The dealer's first card is a 2 to 9: he pays at once, whatever comes second.
    assert (at_once.ways, at_once.of) == (natural * low * (DRAWN - 3), every)
    # Else his first card is one of the other 15 aces, or of the other 63 of value 10. Whatever he has then, but a
    # natural of his own, no further card has any effect (13.4).
    assert (later.ways, later.of) == (natural * (15 * (205 - 63) + 63 * (205 - 15)), every)


def test_what_is_not_counted_says_why() -> None:
    (difference,) = differences("15.4(e):odds")
    assert difference.weight is None
    assert (often(difference) or "").startswith("not counted: ")


@pytest.mark.parametrize(
    ("old", "new", "copies", "options"),
    [
        ("nz/blackjack-1994", "nz/blackjack-1998", 6, (("old", "decks"), ("new", "decks"))),
        # What the packs of the United Kingdom are no option says, but the count of cards that are shuffled.
        ("nz/blackjack-1998", "uk/blackjack-1994", 4, (("old", "decks"),)),
        ("uk/blackjack-1994", "nz/blackjack-1998", 4, (("new", "decks"),)),
    ],
)
def test_of_one_stock_that_a_side_says_the_fewest_are_drawn(
    old: str, new: str, copies: int, options: tuple[tuple[str, str], ...]
) -> None:
    found = stock(merged(old, new))
    assert found is not None
    assert (found.type.name, found.copies, found.options) == ("Card", copies, options)


@pytest.mark.parametrize("new", ["ny/black-jack", "nz/roulette-1998"])
def test_there_is_no_stock_without_a_number_that_both_allow(new: str) -> None:
    # Of 1 to 4 decks and 6 to 8 none is the same; at roulette nothing is drawn of so many.
    old = "nz/blackjack-1994" if new == "ny/black-jack" else new
    assert stock(merged(old, new)) is None


def merged(old: str, new: str) -> Merger:
    first, second = load(old), load(new)
    return Merger(unify(first, second), {"old": lower(first), "new": lower(second)})


@pytest.mark.parametrize(("copies", "too_many"), [(5, True), (6, True), (7, False), (None, True)])
def test_an_example_that_holds_more_of_a_card_than_there_are_is_none(
    copies: int | None, too_many: bool
) -> None:
    merger = merged("nz/blackjack-1994", "nz/blackjack-1998")
    program = merger.program()
    sides = Sides(merger, program, stock(merger))
    state = first_state(program.ruleset)
    # Three aces of spades and four, on two hands; positions tell them apart, and are no part of what is drawn.
    for place, cards in ((0, range(1, 4)), (1, range(1, 5))):
        state.entities["Hand"][place, 1] = {EXISTS: True, "cards": tuple((0, 0, no) for no in cards)}
    at = Sometimes(state, {} if copies is None else {"decks": copies}, {}, None, "", ())
    assert sides.overdrawn(at) == too_many
    state.entities["Hand"][1, 1]["cards"] = ((0, 0, 1), (1, 0, 2))
    assert not sides.overdrawn(at)
    assert not Sides(merger, program).overdrawn(at)
