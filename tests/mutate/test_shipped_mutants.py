"""Mutants of shipped rulesets: what no transcript kills has a reason, and what has a reason no transcript kills."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from verifier.cache import Cache, Json
from verifier.model.load import read as read_modules
from verifier.mutate.reasons import ENDING, beside, read_reasons
from verifier.mutate.run import Mutation, mutate
from verifier.mutate.walk import mutants
from verifier.resources import root

TESTS = Path(__file__).parents[1]

TRANSCRIPTS = {
    "nz/blackjack-1994": "nz_1994",
    "nz/blackjack-1998": "nz",
    "nz/roulette-1998": "nz_roulette",
    "nz/tournament-blackjack-1998": "nz_tournament",
    "ny/black-jack": "ny",
    "uk/blackjack-1994": "uk",
}
"""The rulesets that leave nothing open by their transcripts alone, and the folders of tests that have these."""

ALL = os.environ.get("GAZETTE_TESTS", "") == "all"

EVERY = 50 if ALL else 400
"""One in so many mutants is tried, and one in so many survivors: all of them take minutes (`gazette mutate`)."""

SHORT = "nz/blackjack-1994"
"""One page, of which one in three is tried."""


class Fulfilled(Cache):
    """Knows that the rulesets fulfil their transcripts, which tests/coverage/test_shipped.py shows, and no more."""

    def get(self, namespace: str, key: Json) -> Json:
        return True if namespace == "transcripts" else None

    def put(self, namespace: str, key: Json, value: Json) -> None:
        pass


def rules_of(name: str) -> Path:
    return root("rulesets") / f"{name}.rules"


def tried(name: str, only: list[str], **more: dict[str, str]) -> Mutation:
    transcripts = TESTS / TRANSCRIPTS[name] / "transcripts"
    return mutate(rules_of(name), [transcripts], only=only, cache=Fulfilled(Path()), **more)


@pytest.mark.parametrize(
    "path",
    sorted(root("rulesets").rglob(f"*{ENDING}")),
    ids=lambda path: f"{path.parent.name}/{path.name.removesuffix(ENDING)}",
)
def test_shipped_reasons_are_of_mutants_that_there_are(path: Path) -> None:
    modules = read_modules(path.with_name(path.name.removesuffix(ENDING) + ".rules"))
    assert set(read_reasons(path)) <= {mutant.id for mutant in mutants(modules)}


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_just_what_has_a_reason_survives(name: str) -> None:
    place = beside(rules_of(name))
    assert place is not None
    reasons = read_reasons(place)
    every = [mutant.id for mutant in mutants(read_modules(rules_of(name)))]
    step = (1 if ALL else 3) if name == SHORT else EVERY
    sample = {*every[::step], *list(reasons)[::step]}
    mutation = tried(name, sorted(sample))
    assert len(mutation.outcomes) == len(sample)
    assert {o.mutant.id for o in mutation.survivors} == sample & set(reasons)
    assert mutation.exit_code == 0


def test_without_its_reason_a_survivor_of_a_shipped_ruleset_is_open() -> None:
    survivor = "3.2(c) [one]:bound:df9e00"
    assert tried(SHORT, [survivor]).open == ()
    mutation = tried(SHORT, [survivor], reasons={})
    assert [o.mutant.id for o in mutation.open] == [survivor]
    assert mutation.exit_code == 1
