"""What is asked beside regulation 7, held against the games (`questions`)."""

from __future__ import annotations

import pytest
from questions import Questions
from uk_games import GAME, GAMES

REFUTED = {
    "theorem two_cards_are_never_lost": "a separated Ace against the banker's 21 with two cards",
    "theorem three_to_two_for_two_cards": "Aces separated against a banker's Ace",
    "theorem one_of_under_and_over_13_wins": "Under 13 and Over 13",
    "invariant chips_balance": "separated when the banker has ended",
}
"""Questions that the law refutes, each with a game in which it does; what is true stands beside them."""

REACHED = {
    "reachable two_aces_of_one_player_at_11": "Aces separated",
    "reachable asking_on_more_than_21": "a card asked for on more than 21",
    "reachable asking_after_the_banker_has_ended": "a card asked for when the banker has ended",
    "reachable banker_draws_where_nothing_hangs_on_it": "all over 21, and the banker draws",
    "reachable five_hands_of_one_player": "eights separated four times",
    "reachable second_card_no_ten": "the second card no ten",
    "reachable a_separated_ace_loses_to_the_banker": "a separated Ace against the banker's 21 with two cards",
}
"""What can be, each with a game in which it is."""

ASKED = Questions(GAME, GAMES)


@pytest.mark.parametrize(("id_", "name"), [*REFUTED.items(), *REACHED.items()])
def test_a_game_answers_the_question(id_: str, name: str) -> None:
    assert id_ in ASKED.answered(name)


@pytest.mark.parametrize("name", GAMES)
def test_a_lawful_game_refutes_nothing_else(name: str) -> None:
    assert ASKED.answered(name) <= REFUTED.keys() | REACHED.keys()


def test_what_is_accepted_or_to_be_reached_has_a_game() -> None:
    assert ASKED.accepted() == REFUTED.keys()
    assert ASKED.reachable() == REACHED.keys()
