"""Every shipped ruleset: no word of its law is left out, and transcripts keep and break every rule that can be,
and of the others a reason says why not."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from shown import cases, ready, result

from verifier.coverage.evidence import Exercise, exercise_of
from verifier.coverage.measure import Coverage, put_together, require
from verifier.coverage.unshown import ENDING, SIDES, read_unshown
from verifier.lint.inspect import lint
from verifier.model.load import shipped
from verifier.resources import root

TESTS = Path(__file__).parents[1]

FOLDERS = {
    "ny/black-jack": "ny",
    "nz/blackjack-1994": "nz_1994",
    "nz/blackjack-1998": "nz",
    "nz/roulette-1998": "nz_roulette",
    "nz/tournament-blackjack-1998": "nz_tournament",
    "uk/blackjack-1994": "uk",
}
"""Where the transcripts of each are."""

UNSHOWN = sorted(root("rulesets").rglob(f"*{ENDING}"))
"""Of the rules that no transcript shows both kept and broken, why none can."""


def name_of(path: Path) -> str:
    return path.relative_to(root("rulesets")).as_posix().removesuffix(ENDING)


@cache
def covered(ruleset: str) -> Coverage:
    """The coverage by the transcripts, all of which the ruleset fulfils."""
    folder = TESTS / FOLDERS[ruleset]
    shown: dict[str, Exercise] = {}
    for path, case in cases(ruleset, folder).items():
        found = result(ruleset, folder, path)
        assert case.differences(found) == [], path
        for rule, exercise in exercise_of(found).items():
            shown[rule] = shown.get(rule, Exercise()) + exercise
    return put_together(ready(ruleset), shown, len(cases(ruleset, folder)))


def test_each_is_here() -> None:
    assert set(shipped()) == FOLDERS.keys() >= {name_of(path) for path in UNSHOWN}


@pytest.mark.parametrize("ruleset", FOLDERS)
def test_no_word_of_the_law_is_left_out(ruleset: str) -> None:
    assert lint(ruleset).findings == ()
    assert {clause.clause.address for clause, _ in covered(ruleset).missing} == set()


@pytest.mark.parametrize("ruleset", FOLDERS)
def test_every_rule_is_kept_and_broken_by_transcripts_or_a_reason_says_why_none_can(ruleset: str) -> None:
    coverage = covered(ruleset)
    assert coverage.lacking("exercised") == ()
    assert require([coverage], "exercised").reaches(100)


@pytest.mark.parametrize("path", UNSHOWN, ids=name_of)
def test_each_reason_is_of_what_nothing_shows(path: Path) -> None:
    said = {
        rule: {side: getattr(one, side) for side in SIDES if getattr(one, side) is not None}
        for rule, one in read_unshown(path).items()
    }
    assert {rule.rule: rule.justified for rule in covered(name_of(path)).justified} == said
