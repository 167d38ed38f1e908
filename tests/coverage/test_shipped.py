"""Every shipped ruleset: no word of its law is left out, and transcripts keep and break every rule that can be."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from verifier.coverage.measure import Coverage, measure
from verifier.lint.inspect import lint
from verifier.model.load import shipped

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

_ONLY_BROKEN = "a log has the event only where somebody does what nothing permits"

NOT_SHOWN: dict[str, dict[str, str]] = {
    "nz/blackjack-1994": {
        "3.1 [cutting card]": _ONLY_BROKEN,
        "3.3 [cards]": _ONLY_BROKEN,
        "4.2 [otherwise]": "asks how other wagers end, and no rule of the page answers: it is undecided",
    },
    "nz/blackjack-1998": {
        "4.2 [cards]": _ONLY_BROKEN,
        "10.3(a) [remove]": "only permits, and nobody else permits the same: who takes chips without it breaks 5.7",
        "15.4": "only asks for an answer: whoever settles before it is due breaks 15.6 first",
        "15.6 [remove]": "only permits: a wager still open is 5.6's, and one collected cannot be taken away",
    },
    "nz/tournament-blackjack-1998": {
        "2.2(b)": _ONLY_BROKEN,
        "6.6": "says who wins; of whoever goes on without having won, 6.7 says so",
    },
}
"""Rules that no transcript shows both kept and broken, and why none can."""


@cache
def covered(ruleset: str) -> Coverage:
    return measure(ruleset, [TESTS / FOLDERS[ruleset]])


def test_each_is_here() -> None:
    assert set(shipped()) == FOLDERS.keys() >= NOT_SHOWN.keys()


@pytest.mark.parametrize("ruleset", FOLDERS)
def test_no_word_of_the_law_is_left_out(ruleset: str) -> None:
    assert lint(ruleset).findings == ()
    assert {clause.clause.address for clause, _ in covered(ruleset).missing} == set()


@pytest.mark.parametrize("ruleset", FOLDERS)
def test_every_rule_is_kept_and_broken_by_transcripts(ruleset: str) -> None:
    lacking = {rule.rule for rule in covered(ruleset).lacking("exercised")}
    assert lacking == NOT_SHOWN.get(ruleset, {}).keys()
