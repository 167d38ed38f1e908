"""What is asked beside regulation 7, held against the games: which questions the law refutes, and where.

Every question is the prover's own (`gazette prove`), asked by the interpreter after events of games that are lawful:
a question refuted here is refuted by play that breaks no rule, whether or not the prover finds such play. That a
question is *not* refuted here proves nothing.
"""

from __future__ import annotations

from functools import cache

import pytest
from uk_games import GAME, GAMES

from verifier.prove.explore.evaluate import Asker
from verifier.prove.obligations.theorems import obligations
from verifier.prove.question import Obligation

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


@cache
def questions() -> dict[str, Obligation]:
    return {o.id: o for o in obligations(GAME.ready.program) if o.kind != "vacuous"}


@cache
def asker() -> Asker:
    return Asker(GAME.ready.program)


@cache
def answered(name: str) -> frozenset[str]:
    """The questions that have an answer after some event of a game: a counterexample, or what is to be reached."""
    states, options = list(GAME.played(GAMES[name])), GAME.in_force()
    found = set()
    for id_, obligation in questions().items():
        question = obligation.question
        assert question is not None
        if any(asker().find(question, state, options) is not None for state in states):
            found.add(id_)
    return frozenset(found)


@pytest.mark.parametrize(("id_", "name"), [*REFUTED.items(), *REACHED.items()])
def test_a_game_answers_the_question(id_: str, name: str) -> None:
    assert id_ in answered(name)


@pytest.mark.parametrize("name", GAMES)
def test_a_lawful_game_refutes_nothing_else(name: str) -> None:
    assert answered(name) <= REFUTED.keys() | REACHED.keys()


def test_every_question_of_what_can_be_has_a_game() -> None:
    assert {id_ for id_, o in questions().items() if o.kind == "reachable"} == set(REACHED)


def test_what_is_accepted_as_refuted_is_refuted_by_a_game() -> None:
    accepted = {name.replace("_", " ", 1) for name in GAME.ready.ruleset.accepted}
    assert {id_ for id_ in accepted if id_ in questions()} == REFUTED.keys()
