"""Rounds that tell mutants from the original, made of transcripts that come to what is changed and do not show it."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier.model import terms as m
from verifier.model.types import INT
from verifier.mutate.difference import changed
from verifier.mutate.mutant import Mutant
from verifier.mutate.pair import Pair, statable
from verifier.mutate.reaching import reached
from verifier.mutate.record import Recorded, record
from verifier.mutate.telling import Aim, telling
from verifier.mutate.walk import mutants
from verifier.mutate.witness import Witnesses, in_turn
from verifier.mutate.workshop import Workshop, workshop
from verifier.prove.desk import Desk
from verifier.prove.explore.snapshot import Runner
from verifier.prove.question import Question
from verifier.prove.solve import Settings
from verifier.transcripts.case import case_of, read_case

TESTS = Path(__file__).parents[1]
PEBBLES = TESTS / "new_game"
KEPT = TESTS / "nz_1994" / "transcripts" / "4.1a-20-against-22-kept.transcript.yaml"

NOTHING_SETTLED = """ruleset: nz/blackjack-1994
events:
- player wager player=ann box=1 kind=initial amount=1000
- dealer deal hand=B1H1 card=Ts
expect: {faults: [], kept: ["3.3 [deal]"]}
options: {decks: 6}
"""


@pytest.fixture(scope="module")
def shop() -> Workshop:
    return workshop("nz/blackjack-1994")


def mutant(shop: Workshop, rule: str, before: str, after: str) -> Mutant:
    (found,) = (m for m in mutants(shop.modules) if (m.rule, m.before, m.after) == (rule, before, after))
    return found


def recorded(shop: Workshop, path: Path) -> list[Recorded]:
    return record(shop.original, [read_case(path, shop.original)])


def written(shop: Workshop, text: str) -> list[Recorded]:
    return record(shop.original, [case_of("a transcript", text, shop.original)])


@pytest.fixture(scope="module")
def at_least(shop: Workshop) -> Mutant:
    return mutant(shop, "4.1(f)", "total(w.hand) > 21", "total(w.hand) >= 21")


def test_a_transcript_is_kept_up_to_where_it_asks(shop: Workshop, at_least: Mutant) -> None:
    differs = changed(shop.original.program, shop.made(at_least).program)
    (one,) = recorded(shop, KEPT)
    places = reached(shop.original, [one], differs)
    assert places
    for place in places:
        assert [h.event for h in place.play.happenings] == [
            row.event for row in one.case.rows[: len(place.play.happenings)]
        ]
    assert "pay" in {place.rest[0].event for place in places if place.rest}


def test_one_that_asks_nothing_of_it_is_none(shop: Workshop, at_least: Mutant) -> None:
    differs = changed(shop.original.program, shop.made(at_least).program)
    assert reached(shop.original, written(shop, NOTHING_SETTLED), differs) == []
    assert reached(shop.original, recorded(shop, KEPT), None) == []


def test_other_cards_in_its_place_tell_the_two_apart(shop: Workshop, at_least: Mutant) -> None:
    """Play of few events comes to no hand of twenty-one that is settled; the transcript, of 20 against 22, does."""
    witnesses = Witnesses(shop.original, Desk(shop.original.program, Settings(("z3",)), steps=100))
    made = shop.made(at_least)
    witnesses.prepare(recorded(shop, KEPT))
    text = witnesses.of(at_least, made)
    assert text is not None
    case = case_of("a witness", text, shop.original)
    assert not case.unlike(shop.original)
    assert case.unlike(made)


def test_an_act_that_a_mutant_no_longer_names_is_asked_about(shop: Workshop) -> None:
    left_out = [m for m in mutants(shop.modules) if m.rule == "4.2" and "withdraw(w)" in m.before]
    assert left_out
    for one in left_out:
        aims = list(telling(shop.original.program, shop.made(one).program))
        assert {aim.question.event for aim in aims} & {"alter", "withdraw"}


def test_more_events_of_a_transcript_s_kinds_tell_the_two_apart() -> None:
    """The transcript has one stake; what differs is asked of another's."""
    shop = workshop(PEBBLES / "pebbles.rules")
    paths = sorted(PEBBLES.rglob("*.transcript.yaml"))
    witnesses = Witnesses(shop.original, Desk(shop.original.program, Settings(("z3",)), steps=100))
    witnesses.prepare([one for path in paths for one in recorded(shop, path)])
    made = shop.made(mutant(shop, "3.3", "s.guest = g", "s.guest != g"))
    aims = list(telling(shop.original.program, made.program))
    plays = [one for play in witnesses.lengthened(made, aims, []) for one in statable(play)]
    pair = Pair(Runner(shop.original.program), Runner(made.program))
    assert any(pair.shortened(play) is not None for play in plays)


def test_aims_are_taken_of_each_kind_of_event_in_turn() -> None:
    def of(event: str | None, number: int) -> Aim:
        return Aim(Question((), m.Lit(INT, number), event))

    aims = [of("pay", 1), of("pay", 2), of(None, 3), of("pay", 4), of("deal", 5)]
    assert list(in_turn(aims)) == [aims[0], aims[2], aims[4], aims[1], aims[3]]
