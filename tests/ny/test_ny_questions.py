"""What is asked beside New York's 4620.5, held against the rounds: which questions the law refutes, and where.

Every question is the prover's own (`gazette prove`), asked by the interpreter after events of rounds that are lawful:
a question refuted here is refuted by play that breaks no rule. That a question is *not* refuted here proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest
from ny_rounds import in_force, played, ready, rounds

from verifier.prove.explore.evaluate import Asker
from verifier.prove.obligations.theorems import obligations
from verifier.prove.question import Obligation
from verifier.run.state import State

REFUTED = {
    "theorem insured_naturals_are_even_money": "naturals and an ace, option three",
    "invariant five_dollars_on_a_hand": "a double",
    "invariant bets_stay": "a bet taken back",
    "invariant insurance_is_half": "a bet taken back",
    "invariant live_hands_are_21_at_most": "a bust",
    "invariant four_hands_a_space": "tens split four times",
}
"""Questions that the law refutes, each with a round in which it does; what is true stands beside them."""

REFUTED_UNLAWFULLY = {"theorem option_one_takes_no_equal_count": "a draw before he looks"}
"""Questions that the law refutes of rounds alone in which it is broken, each with such a round."""

REACHED = {
    "reachable a_natural_at_3_to_2": "a natural under option one",
    "reachable a_natural_at_2_to_1": "a natural against a ten",
    "reachable a_natural_lost": "naturals and an ace, option three",
    "reachable three_hands_of_one": "eights split twice",
    "reachable five_hands_of_one": "tens split four times",
    "reachable a_hand_doubled": "a double",
    "reachable an_ace_and_a_9_doubled": "a double",
    "reachable insurance_won": "naturals and an ace, option one",
    "reachable dealer_over_21": "two rounds",
}
"""What can be, each with a round in which it is."""

EVERY = 6
"""Where a question is not to be refuted it is asked after every so many-th event."""


@cache
def questions() -> dict[str, Obligation]:
    return {o.id: o for o in obligations(ready().program) if o.kind != "vacuous"}


@cache
def asker() -> Asker:
    return Asker(ready().program)


def answered(id_: str, states: Iterator[State], options: dict[str, object]) -> bool:
    """Whether the question has an answer in one of the states: a counterexample, or what is to be reached."""
    question = questions()[id_].question
    assert question is not None
    return any(asker().find(question, state, options) is not None for state in states)


@pytest.mark.parametrize(("id_", "name"), [*REFUTED.items(), *REACHED.items()])
def test_a_round_answers_the_question(id_: str, name: str) -> None:
    assert rounds()[name].entries == ()
    assert answered(id_, played(name), in_force(name))


@pytest.mark.parametrize(("id_", "name"), [*REFUTED_UNLAWFULLY.items()])
def test_a_round_that_breaks_a_rule_answers_the_question(id_: str, name: str) -> None:
    assert rounds()[name].entries
    assert answered(id_, played(name), in_force(name))


@pytest.mark.parametrize("name", [name for name, round_ in rounds().items() if not round_.entries])
def test_a_lawful_round_refutes_nothing_else(name: str) -> None:
    others = [id_ for id_ in questions() if id_ not in REFUTED and id_ not in REACHED]
    states = list(played(name))
    some = [*states[EVERY - 1 :: EVERY], states[-2]]
    assert [id_ for id_ in others if answered(id_, iter(some), in_force(name))] == []


def test_every_question_of_what_can_be_has_a_round() -> None:
    assert {id_ for id_, o in questions().items() if o.kind == "reachable"} == set(REACHED)
    assert REFUTED.keys() | REFUTED_UNLAWFULLY.keys() <= questions().keys()
