"""The check of spins that somebody else's engine made, against the same questions asked of the original file by hand.

`independent_roulette.py` knows nothing of the verifier. What both say must agree for each clause in each round.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import convert_tgames as converter
import independent_roulette as independent
import pytest
from source_changes import Change, check_a_field_twice_is_refused, check_refused, inflated, put

import verifier
from verifier.check.result import CheckResult

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SOURCE = EXAMPLES / "data" / "tgames_roulette_french_ukrule_2000.jsonl.gz"
SAMPLE = EXAMPLES / "tgames-200.jsonl.zst"

SPINS = 200
"""How many spins are checked here: those of the sample. By hand all are gone through."""

EXPECTED = {
    "3.3": (488, 437),
    "3.8 undecided": (425, 425),
    "3.10": (61, 38),
    "3.1(h)(ii)": (188, 188),
    "3.1(i)(ii)": (187, 187),
    "3.1(j)(ii)": (174, 174),
    "3.1(k)(ii)": (168, 168),
    "3.1(l)(ii)": (208, 208),
    "3.1(m)(ii)": (171, 171),
}
"""By hand, on all 2,000 spins: how many, and in how many of them; these are the figures of `examples/README.md`."""


@pytest.fixture(scope="module")
def result() -> CheckResult:
    return verifier.load(converter.RULESET).check(SAMPLE)


def test_by_hand_the_figures_are_those_of_the_readme() -> None:
    found = independent.ask(SOURCE)
    counted = {question: (faults.total(), len(faults)) for question, faults in found.items() if faults}
    assert counted == EXPECTED
    readme = (EXAMPLES / "README.md").read_text("utf-8")
    assert all(f"| {faults} | {spins} |" in readme for faults, spins in EXPECTED.values())


def test_the_check_agrees_with_what_was_found_by_hand_round_by_round(result: CheckResult) -> None:
    cited: dict[str, Counter[int]] = {}
    for entry in result.entries:
        for finding in entry.findings:
            for citation in finding.citations:
                rule = citation.rule + (" undecided" if finding.verdict == "undecided" else "")
                cited.setdefault(rule, Counter())[int(dict(entry.lives)["round"] or 0)] += 1
    by_hand = {question: faults for question, faults in independent.ask(SOURCE, SPINS).items() if faults}
    assert cited == by_hand


def test_what_the_log_does_not_record_is_not_checkable(result: CheckResult) -> None:
    for clause in ("3.6(a)", "4.3", "4.4(a)", "4.4(b)", "4.5(a)", "4.5(b)", "5.2"):
        found = result.clause(clause)
        assert found.counts.not_checkable > 0, clause
        assert not found.counts.kept + found.counts.broken, clause


def test_the_house_is_short_of_what_it_gave_back(result: CheckResult) -> None:
    back = sum(
        wager["returned"]
        for record in independent.records(SOURCE)
        for wager in record["wagers"]
        if record["round"] <= SPINS and not wager["hit"]
    )
    assert {short.who: short.amount for short in result.short} == {"the house": back}


# ---------------------------------------------------------------------------------------------- the converter
def test_a_fresh_conversion_gives_the_sample_that_is_here(tmp_path: Path) -> None:
    fresh = tmp_path / "fresh.jsonl.zst"
    converter.convert(SOURCE, fresh, SPINS)
    assert inflated(fresh) == inflated(SAMPLE)


def test_a_spin_is_converted_row_by_row() -> None:
    keys = ("table", "round", "seq", "actor", "event", "player")
    first = list(converter.rows(SOURCE, 1))
    told = [(row["event"], *(value for key, value in row.items() if key not in keys)) for row in first]
    assert told == [
        ("wager", "even", "2-36", 2),
        ("wager", "odd", "1-35", 2),
        ("wager", "street", "0-2", 2),
        ("wager", "dozen", "25-36", 2),
        ("wager", "six_line", "19-24", 5),
        ("spin",),
        ("rest", 7),
        ("collect", "even", "2-36", 1),
        ("collect", "street", "0-2", 2),
        ("collect", "dozen", "25-36", 2),
        ("collect", "six_line", "19-24", 5),
        ("pay", "odd", "1-35", 2),
        ("end_round",),
    ]


REFUSED: dict[str, tuple[Change, str]] = {
    "an unknown field of a spin": (put("weather", value="fair"), "weather"),
    "a missing field of a spin": (lambda record: record.pop("net"), "net"),
    "an unknown field of a wager": (put("wagers", 0, "chips", value=1), "chips"),
    "another engine": (put("version", value="0000000"), "engine, seed and configuration"),
    "another layout": (put("config", "layout", value="american"), "engine, seed and configuration"),
    "another round's number": (put("round", value=2), "round 2, expected 1"),
    "a number that is none": (put("number", value=37), "a number in its colour"),
    "a number that is a truth": (put("number", value=True), "expected a whole number"),
    "another colour": (put("colour", value="black"), "a number in its colour"),
    "an unknown wager": (put("wagers", 0, "wager", value="voisins"), "'voisins'"),
    "a wager that was refused": (put("wagers", 0, "accepted", value=False), "accepted"),
    "a wager on other numbers": (put("wagers", 0, "numbers", value=[2, 36]), "even on [2, 36]"),
    "a hit that is none": (put("wagers", 0, "hit", value=True), "hit is True"),
    "half a chip": (put("wagers", 0, "stake", value=0.5), "expected a whole number"),
    "more back than was lost": (put("wagers", 0, "returned", value=3), "3 came back of 2"),
    "a stake that came back whole": (put("wagers", 0, "returned", value=2), "2 returned of 2"),
    "sums that are none": (put("staked", value=14), "not the sums"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_it_does_not_know_is_refused(name: str, tmp_path: Path) -> None:
    check_refused(converter, SOURCE, 13, *REFUSED[name], tmp_path)


def test_a_field_given_twice_is_refused(tmp_path: Path) -> None:
    check_a_field_twice_is_refused(converter, tmp_path)
