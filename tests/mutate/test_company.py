"""Rounds that tell mutants from the original, made of transcripts in which another does what one has done."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier.mutate.company import accompanied
from verifier.mutate.difference import changed
from verifier.mutate.mutant import Mutant
from verifier.mutate.pair import Pair
from verifier.mutate.reaching import Reached, reached
from verifier.mutate.record import record
from verifier.mutate.walk import mutants
from verifier.mutate.workshop import Workshop, workshop
from verifier.prove.desk import Desk
from verifier.prove.explore.snapshot import Runner
from verifier.prove.question import Play
from verifier.prove.solve import Settings
from verifier.transcripts.case import read_case

NZ = Path(__file__).parents[1] / "nz" / "transcripts"
ALONE = NZ / "10" / "10.3b-another-box-goes-over-21-kept.transcript.yaml"


@pytest.fixture(scope="module")
def shop() -> Workshop:
    return workshop("nz/blackjack-1998")


@pytest.fixture(scope="module")
def not_all(shop: Workshop) -> Mutant:
    """That some are settled early is enough."""
    (found,) = (
        one
        for one in mutants(shop.modules)
        if (one.rule, one.kind, one.after)
        == ("10.3(b)", "limb", "(some w in Wager: w.hand = h and settled_early(w))")
    )
    return found


@pytest.fixture(scope="module")
def places(shop: Workshop, not_all: Mutant) -> list[Reached]:
    recorded = record(shop.original, [read_case(ALONE, shop.original)])
    return reached(shop.original, recorded, changed(shop.original.program, shop.made(not_all).program))


@pytest.fixture(scope="module")
def plays(shop: Workshop, places: list[Reached]) -> list[Play]:
    desk = Desk(shop.original.program, Settings(("z3",)), steps=100)
    return list(accompanied(desk.explorer, Runner(shop.original.program), places[:1]))


def test_one_event_more_is_the_same_of_another(places: list[Reached], plays: list[Play]) -> None:
    own = (*places[0].play.happenings, *places[0].rest)
    assert plays
    for play in plays:
        at = next(n for n, event in enumerate(play.happenings) if n >= len(own) or event != own[n])
        before, other = play.happenings[at - 1], play.happenings[at]
        assert (other.event, other.actor) == (before.event, before.actor)
        assert sum(mine != its for mine, its in zip(before.values, other.values, strict=True)) == 1
        assert set(play.happenings) <= {*own, other}


def test_what_cannot_happen_then_is_left_out(shop: Workshop, plays: list[Play]) -> None:
    runner = Runner(shop.original.program)
    assert all(runner.after(play.options, play.happenings) is not None for play in plays)


def test_a_second_player_on_the_box_tells_some_from_all(
    shop: Workshop, not_all: Mutant, places: list[Reached], plays: list[Play]
) -> None:
    pair = Pair(Runner(shop.original.program), Runner(shop.made(not_all).program))
    own = (*places[0].play.happenings, *places[0].rest)
    assert pair.differs(places[0].play.options, own) is None
    assert any(pair.shortened(play) for play in plays)
