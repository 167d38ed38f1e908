"""A life within the first that no event ends makes way for the next wherever a log goes on with that."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier.core.lower import lower
from verifier.model.load import load
from verifier.prove.conjectures import Named
from verifier.prove.decide import decide
from verifier.prove.desk import Desk
from verifier.prove.induct import invariants
from verifier.prove.passing import passing
from verifier.prove.question import Never, Unknown
from verifier.prove.solve import Settings
from verifier.prove.whole import every

ROLLS = Path(__file__).parent / "rules" / "passing-rolls.rules"


@pytest.fixture(scope="module")
def desk() -> Desk:
    return Desk(lower(load(ROLLS)), Settings(solvers=("z3",)), steps=200)


def test_lives_pass_that_no_event_ends_but_the_first(desk: Desk) -> None:
    assert passing(desk.program.ruleset) == ("roll",)


@pytest.mark.parametrize("name", ["tallied", "told", "hits_too"])
def test_what_the_next_one_begins_without_is_not_proved(name: str, desk: Desk) -> None:
    """A hit in roll 1, the close, a hit in roll 2: a check takes such a log, and two were hit, one in this roll."""
    asked = next(one for one in every(desk.program) if one.id == f"invariant {name}")
    found = decide(desk, asked).play
    assert isinstance(found, Unknown)
    assert "no play goes on with the next `roll`" in found.why


@pytest.mark.parametrize("name", ["bounded", "part_of_it"])
def test_what_the_next_one_keeps_is_proved(name: str, desk: Desk) -> None:
    asked = next(one for one in every(desk.program) if one.id == f"invariant {name}")
    found = decide(desk, asked).play
    assert isinstance(found, Never)
    assert found.how == "induction"


def test_an_induction_in_words_has_the_next_one_too(desk: Desk) -> None:
    given = [Named(one.name, one.body) for one in desk.program.ruleset.theorems]
    found = invariants(desk.program, desk.scopes[0], given, "words", desk.settings, most=0)
    assert [named.name for named in found.written] == ["part_of_it"]
