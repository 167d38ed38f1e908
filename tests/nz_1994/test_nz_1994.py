"""Every rule of the one page of 1994 that binds or decides, in rounds that keep it and in changes that break it."""

from __future__ import annotations

from pathlib import Path

import pytest
from nz_1994_rounds import FAULTS, GAME, ROUNDS
from scripted import Fault, broken, counts, kept, written
from shown import unlike

from verifier.coverage.unshown import read_unshown
from verifier.resources import root
from verifier.transcripts.case import ENDING

_VALUES = "says what a card counts; the point total is read by 4.1"

DECIDES_FOR_OTHERS = {
    "3.2(a)": _VALUES,
    "3.2(b)": _VALUES,
    "3.2(c) [eleven]": _VALUES,
    "3.2(c) [one]": _VALUES,
    "4.2 [otherwise]": "asks how other wagers end, and no rule of the page answers",
}
"""Rules that a check never cites: the faults are found under the rules that read what they decide."""

UNSHOWN = read_unshown(root("rulesets") / "nz" / "blackjack-1994.unshown.yaml")

NEVER_KEPT = {rule for rule, said in UNSHOWN.items() if said.kept is not None} - DECIDES_FOR_OTHERS.keys()
"""Rules of which no log can show that they were kept."""


@pytest.mark.parametrize("name", ROUNDS)
def test_the_rounds_break_nothing(name: str) -> None:
    """What is paid is paid at odds that the page does not say: so much is undecided, and nothing else."""
    result = GAME.check(ROUNDS[name])
    assert [written(entry) for entry in result.entries if not _of_odds(written(entry))] == []
    assert not [rule for rule, count in counts(result).items() if count.not_checkable]


def _of_odds(entry: str) -> bool:
    return entry.startswith("pay ") and entry.endswith(": undecided")


def test_a_payment_is_undecided_since_the_page_has_no_odds() -> None:
    result = GAME.check(ROUNDS["won by more"])
    (entry,) = result.entries
    assert [cause.text for cause in entry.lead.causes] == ["the law says nothing on odds here"]
    assert counts(result)["4.1(b)"].kept == 1


def test_how_a_wager_ends_of_which_the_page_does_not_speak_is_undecided_and_no_fault() -> None:
    script = "w ann 1 initial 1000; d B1H1 9s; d dealer Ad; d B1H1 9c; insure ann 1 500; d dealer 6c; "
    result = GAME.check(script + "takes ann B1H1 insurance; end")
    (entry,) = result.entries
    assert written(entry) == "collect ann B1H1 insurance: undecided 4.2 [otherwise]"
    assert [cause.text for cause in entry.lead.causes] == ["the law says nothing on outcome here"]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.rule)
def test_a_change_makes_these_entries_and_no_others(fault: Fault) -> None:
    result = GAME.check(fault.made(ROUNDS), fault.options)
    assert [written(entry) for entry in result.entries] == list(fault.entries)
    cited = {rule for entry in result.entries for rule in broken(entry)}
    assert fault.rule in cited or any(f"disputed 4.1(e), {fault.rule}" in entry for entry in fault.entries)


def test_every_rule_that_binds_or_decides_is_kept_and_broken() -> None:
    rules = GAME.binding() - DECIDES_FOR_OTHERS.keys()
    found = {rule for script in ROUNDS.values() for rule in kept(GAME.check(script))}
    assert rules - found == NEVER_KEPT
    assert rules - {fault.rule for fault in FAULTS} == set()


def test_what_is_supplied_is_said() -> None:
    notes = GAME.check(ROUNDS["two blackjacks"]).notes
    assert [note.partition(":")[0] for note in notes] == ["blackjack is supplied, and not the law's"]
    assert {f.name for f in GAME.ready.ruleset.functions.values() if f.supplied} == {"blackjack"}
    assert "blackjack" not in GAME.ready.ruleset.decisions


TRANSCRIPTS = sorted((Path(__file__).parent / "transcripts").glob(f"*{ENDING}"))


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.name)
def test_a_check_finds_what_a_transcript_expects(path: Path) -> None:
    assert unlike(GAME.ruleset, path) == []
