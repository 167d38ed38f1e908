"""Every rule of regulation 7 that binds or decides, in games that keep it and in changes that break it."""

from __future__ import annotations

from pathlib import Path

import pytest
from scripted import Fault, broken, counts, kept, written
from shown import unlike
from uk_games import FAULTS, GAME, GAMES

from verifier.transcripts.case import ENDING

_VALUES = "says what a card counts; the score is read by 7(1), 7(5), 7(7) and 7(8)"

DECIDES_FOR_OTHERS = {
    "7(5)(c) [two cards]": "says which hands are 21 with two cards only; 7(5)(c), 7(5) [void] and 7(6) read it",
    "7(9)(a)": "says which hands are not; the same read it",
    "7(11)(a) [eleven]": _VALUES,
    "7(11)(a) [one]": _VALUES,
    "7(11)(b)": _VALUES,
    "7(11)(c)": _VALUES,
}
"""Rules that a check never cites: the faults are found under the rules that read what they decide."""


@pytest.mark.parametrize("name", GAMES)
def test_the_games_are_lawful(name: str) -> None:
    result = GAME.check(GAMES[name])
    assert [written(entry) for entry in result.entries] == []
    assert not [rule for rule, count in counts(result).items() if count.not_checkable]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.rule)
def test_a_change_makes_these_entries_and_no_others(fault: Fault) -> None:
    result = GAME.check(fault.made(GAMES), fault.options)
    assert [written(entry) for entry in result.entries] == list(fault.entries)
    cited = {rule for entry in result.entries for rule in broken(entry)}
    assert fault.rule in cited | DECIDES_FOR_OTHERS.keys()


def test_every_rule_that_binds_or_decides_is_kept_and_broken() -> None:
    rules = GAME.binding() - DECIDES_FOR_OTHERS.keys()
    assert rules - {rule for script in GAMES.values() for rule in kept(GAME.check(script))} == set()
    assert rules - {fault.rule for fault in FAULTS} == set()
    assert {fault.rule for fault in FAULTS} >= {"7(5)(c) [two cards]", "7(9)(a)", "7(11)(a) [eleven]"}


def test_side_wagers_leave_the_play_of_a_hand_as_it_is() -> None:
    """7(10)(g): whatever else is wagered on a hand, what its player does with it is judged alike."""
    decisions = ("draw ", "stand ", "double ", "separate ", "insure ")
    side = "w ann 1 initial 1000; w ann 1 under_13 100; w ann 1 over_13 100;"
    seen = 0
    for fault in FAULTS:
        plain = [entry for entry in fault.entries if entry.startswith(decisions)]
        script = fault.made(GAMES)
        if not plain or "offer_feature" in script:
            continue
        more = "offer_feature; " + script.replace("w ann 1 initial 1000;", side, 1)
        entries = [written(entry) for entry in GAME.check(more, fault.options).entries]
        assert [entry for entry in entries if entry.startswith(decisions)] == plain
        seen += 1
    assert seen >= 10


TRANSCRIPTS = sorted((Path(__file__).parent / "transcripts").glob(f"*{ENDING}"))


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.name)
def test_a_check_finds_what_a_transcript_expects(path: Path) -> None:
    assert unlike(GAME.ruleset, path) == []
