"""What is asked beside the one page of 1994, held against the rounds (`questions`)."""

from __future__ import annotations

import pytest
from nz_1994_rounds import GAME, ROUNDS
from questions import Questions

REFUTED = {
    "theorem outcome_is_total": "both over 21, and equal",
    "theorem two_card_21_is_blackjack": "split aces against a blackjack",
    "theorem two_card_21_loses_to_a_blackjack": "split aces against a blackjack",
}
"""Questions that the page refutes, each with a round in which it does; what is true stands beside them."""

REACHED = {"reachable both_over_21_and_equal": "both over 21, and equal"}
"""What can be, with a round in which it is."""

ASKED = Questions(GAME, ROUNDS)


@pytest.mark.parametrize(("id_", "name"), [*REFUTED.items(), *REACHED.items()])
def test_a_round_answers_the_question(id_: str, name: str) -> None:
    assert id_ in ASKED.answered(name)


@pytest.mark.parametrize("name", ROUNDS)
def test_a_round_refutes_nothing_else(name: str) -> None:
    assert ASKED.answered(name) <= REFUTED.keys() | REACHED.keys()


def test_what_is_accepted_or_to_be_reached_has_a_round() -> None:
    assert ASKED.accepted() == REFUTED.keys()
    assert ASKED.reachable() == REACHED.keys()
