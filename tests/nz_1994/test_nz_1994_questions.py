"""What is asked beside the one page of 1994, held against the rounds: which questions the page refutes, and where.

Every question is the prover's own (`gazette prove`), asked by the interpreter after events of rounds that break
nothing: a question refuted here is refuted by such play, whether or not the prover finds it. That a question is *not*
refuted here proves nothing.
"""

from __future__ import annotations

from functools import cache

import pytest
from nz_1994_rounds import GAME, ROUNDS

from verifier.prove.explore.evaluate import Asker
from verifier.prove.obligations.theorems import obligations
from verifier.prove.question import Obligation

REFUTED = {
    "theorem outcome_is_total": "both over 21, and equal",
    "theorem two_card_21_is_blackjack": "split aces against a blackjack",
    "theorem two_card_21_loses_to_a_blackjack": "split aces against a blackjack",
}
"""Questions that the page refutes, each with a round in which it does; what is true stands beside them."""

REACHED = {"reachable both_over_21_and_equal": "both over 21, and equal"}
"""What can be, with a round in which it is."""


@cache
def questions() -> dict[str, Obligation]:
    return {o.id: o for o in obligations(GAME.ready.program) if o.kind != "vacuous"}


@cache
def asker() -> Asker:
    return Asker(GAME.ready.program)


@cache
def answered(name: str) -> frozenset[str]:
    """The questions that have an answer after some event of a round: a counterexample, or what is to be reached."""
    states, options = list(GAME.played(ROUNDS[name])), GAME.in_force()
    found = set()
    for id_, obligation in questions().items():
        question = obligation.question
        assert question is not None
        if any(asker().find(question, state, options) is not None for state in states):
            found.add(id_)
    return frozenset(found)


@pytest.mark.parametrize(("id_", "name"), [*REFUTED.items(), *REACHED.items()])
def test_a_round_answers_the_question(id_: str, name: str) -> None:
    assert id_ in answered(name)


@pytest.mark.parametrize("name", ROUNDS)
def test_a_round_refutes_nothing_else(name: str) -> None:
    assert answered(name) <= REFUTED.keys() | REACHED.keys()


def test_every_question_of_what_can_be_has_a_round() -> None:
    assert {id_ for id_, o in questions().items() if o.kind == "reachable"} == set(REACHED)


def test_what_is_accepted_as_refuted_is_refuted_by_a_round() -> None:
    accepted = {name.replace("_", " ", 1) for name in GAME.ready.ruleset.accepted}
    assert {id_ for id_ in accepted if id_ in questions()} == REFUTED.keys()
