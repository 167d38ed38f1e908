"""Plays that come with a ruleset, by which mutants are tried: kept beside it, or played by habit."""

from __future__ import annotations

import pytest

from verifier.check.engine import Prepared, prepare
from verifier.mutate.familiar import familiar
from verifier.prove.explore.snapshot import Runner
from verifier.prove.question import Play


@pytest.fixture(scope="module")
def ready() -> Prepared:
    return prepare("nz/blackjack-1994")


@pytest.fixture(scope="module")
def plays(ready: Prepared) -> list[Play]:
    return list(familiar(ready, 1))


def test_all_of_them_can_happen(ready: Prepared, plays: list[Play]) -> None:
    runner = Runner(ready.program)
    assert len(plays) > 10
    for play in plays:
        snapshot = runner.empty
        for happening in play.happenings:
            stepped = runner.step(snapshot, play.options, happening)
            assert stepped is not None
            snapshot = stepped.snapshot


def test_they_are_the_same_each_time(ready: Prepared, plays: list[Play]) -> None:
    assert [p.happenings for p in familiar(ready, 1)] == [p.happenings for p in plays]


def test_lawful_ones_are_played_to_the_end_of_the_round(plays: list[Play]) -> None:
    assert sum(play.happenings[-1].event == "end_round" for play in plays) > len(plays) // 2
