"""How often a region occurs, held against a count by hand: New Zealand's blackjack, one token changed."""

from __future__ import annotations

from tests.diff.seeds import changes, shop
from verifier.diff.told import Difference
from verifier.diff.whole import compare
from verifier.prove.solve import Settings
from verifier.report.diff_meaning import often

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
