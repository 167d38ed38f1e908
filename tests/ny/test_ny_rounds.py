"""Every rule of New York's 4620.5 that binds or decides, in rounds that keep it and in changes that break it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from ny_rounds import (
    TIES,
    Fault,
    binding,
    broken,
    check,
    faults,
    kept,
    ready,
    rounds,
    ties,
    unclear,
    written,
)
from shown import unlike

from verifier.check.result import CheckResult
from verifier.law import find_quote, nearest_words
from verifier.transcripts.case import ENDING

READABLE = 50
"""Events that a round has at most."""

_COUNTS = (
    "says what a card counts; wagers are settled, and the dealer draws, under the rules that read the count"
)

DECIDES_FOR_OTHERS = {
    "(d)(1) [eleven]": _COUNTS,
    "(d)(1) [one]": _COUNTS,
    "(d)(2)": _COUNTS,
    "(d)(3)": _COUNTS,
    "(h)(1) [natural]": "says what a natural is; it is faced, paid and pushed under the rules that read it",
}
"""Rules that a check never cites, since what they decide is claimed under another's name: changes show them by
breaking the rules that read them."""

Settlement = tuple[str, str, str]


@cache
def as_it_stands(name: str) -> CheckResult:
    return check(rounds()[name].script, rounds()[name].options)


@cache
def changed(number: int) -> CheckResult:
    fault = faults()[number]
    return check(fault.script, fault.options)


def name_of(fault: Fault) -> str:
    return f"{fault.rule} {fault.round}"


# --------------------------------------------------------------------------------------------------- rounds
@pytest.mark.parametrize("name", list(rounds()))
def test_a_round_is_lawful_as_it_stands(name: str) -> None:
    result = as_it_stands(name)
    assert tuple(written(entry) for entry in result.entries) == rounds()[name].entries
    assert not unclear(result)
    assert result.events <= READABLE


@pytest.mark.parametrize(("number", "fault"), list(enumerate(faults())), ids=[name_of(f) for f in faults()])
def test_a_change_makes_the_entries_that_the_table_says(number: int, fault: Fault) -> None:
    result = changed(number)
    assert tuple(written(entry) for entry in result.entries) == fault.entries
    assert not unclear(result)
    assert fault.rule in broken(result) | DECIDES_FOR_OTHERS.keys()


@pytest.mark.parametrize("fault", faults(), ids=name_of)
def test_a_change_is_about_the_words_of_its_clause(fault: Fault) -> None:
    law = ready().ruleset.law
    assert law is not None
    clause = law.clauses[ready().ruleset.rules[fault.rule].address]
    assert find_quote(clause, fault.words), f"{clause.address} says: {nearest_words(clause, fault.words)}"


# ------------------------------------------------------------------------------------------------- coverage
def test_every_rule_is_kept_somewhere() -> None:
    found = {rule for name in rounds() for rule in kept(as_it_stands(name))}
    assert binding() - found == set(DECIDES_FOR_OTHERS)


def test_every_rule_is_broken_somewhere() -> None:
    found = {rule for number in range(len(faults())) for rule in broken(changed(number))}
    assert binding() - found == set(DECIDES_FOR_OTHERS)


def test_every_rule_has_a_change_of_its_own() -> None:
    assert {fault.rule for fault in faults()} == binding()


# ----------------------------------------------------------------------------------------------------- ties
def settled(row: dict[str, str], option: str | None, settlement: str) -> tuple[CheckResult, str]:
    """The check of a row's round, settled so; the settlement as an entry has it, without what follows."""
    verb, _, amount = settlement.partition(" ")
    step = f"{verb} ann B1H1 initial {amount}".strip()
    script = "wager ann 1 initial 400; burn; " + row["script"].replace("SETTLE", step) + "; end"
    event = {"back": "give_back", "takes": "collect"}.get(verb, verb)
    return check(script, {"ties": option}), f"{event} ann B1H1 initial {amount}".strip()


def cases() -> list[tuple[dict[str, str], str]]:
    return [(row, option) for row in ties() for option in TIES]


@pytest.mark.parametrize(("row", "option"), cases(), ids=[f"{r['about']} {o}" for r, o in cases()])
def test_a_wager_ends_as_the_option_says_and_in_no_other_way(row: dict[str, str], option: str) -> None:
    right = row[option]
    for settlement in {"back", "takes", "pay 400", *(row[other] for other in TIES)}:
        result, event = settled(row, option, settlement)
        found = [written(entry) for entry in result.entries]
        if settlement == right:
            assert found == []
        else:
            (entry,) = found
            assert entry.startswith(f"{event}: broken "), entry
            assert " short " in entry


@pytest.mark.parametrize("option", TIES)
def test_the_option_decides_the_ties_and_the_naturals_alone(option: str) -> None:
    alike = {row["about"] for row in ties() if row[option] == row["all_push"]}
    differ = {row["about"] for row in ties()} - alike
    assert all("same count" in about or "natural" in about or "21 of split" in about for about in differ)


@pytest.mark.parametrize("row", ties(), ids=lambda row: row["about"])
def test_without_the_option_just_what_hangs_on_it_is_not_checkable(row: dict[str, str]) -> None:
    result, _ = settled(row, None, row["all_push"])
    same = row["all_push"] == row["push_on_natural"] == row["house_wins"]
    assert result.entries == ()
    assert bool(unclear(result)) == (not same)


# ------------------------------------------------------------------------------------- a hole card not recorded
@pytest.mark.parametrize("name", ["plain", "a soft 17", "insurance lost", "naturals and an ace, option two"])
def test_what_rests_on_a_hole_card_that_is_not_recorded_is_not_checkable(name: str) -> None:
    result = check(rounds()[name].script, rounds()[name].options, ("deal_down.card",))
    assert result.entries == ()
    assert unclear(result) & {"(i)(2)", "(i)(3) [draw]", "(h)(1) [face]", "(m) [paid]", "(m) [lost]"}
    assert {"(f)(2)", "(g) [burn]", "(g) [first]", "(g) [second]"} <= kept(result)


def test_what_does_not_rest_on_it_is_still_found() -> None:
    script = rounds()["plain"].script.replace("burn; ", "", 1).replace("initial 500; d", "initial 600; d", 1)
    result = check(script, {}, ("deal_down.card",))
    assert broken(result) == {"(f)(2)", "(g) [burn]"}


# ------------------------------------------------------------------------------------------------- transcripts
TRANSCRIPTS = sorted((Path(__file__).parent / "transcripts").glob(f"*{ENDING}"))


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.name)
def test_a_check_finds_what_a_transcript_expects(path: Path) -> None:
    assert unlike("ny/black-jack", path) == []
