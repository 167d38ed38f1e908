"""The check of the engine's 2,000 rounds, against the same questions asked of the original file by hand.

`independent.py` knows nothing of the verifier. What both say must agree for each clause in each round.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import convert_baramundi as converter
import independent
import pytest

import verifier
from verifier.check.result import CheckResult
from verifier.exits import Exit

SOURCE = Path(__file__).resolve().parents[2] / "examples" / "data" / "baramundi_8d_3p_2000.jsonl.gz"

EXPECTED = {
    "5.1(a)": ("5.1(a)", 3, 3),
    "5.1(e)": ("5.1(e)", 18, 18),
    "8.3": ("8.3", 1014, 882),
    "8.5 [second]": ("8.5 [second]", 76, 76),
    "11.1": ("11.1", 7, 7),
    "11.5": ("11.5", 72, 58),
    "12.3 [complete]": ("12.3", 625, 421),
    "12.4(a) [three]": ("12.4(a)", 51, 51),
    "12.5": ("12.5", 1, 1),
    "12.6": ("12.6", 18, 18),
    "13.1(d)": ("13.1(d)", 101, 99),
    "13.3 [settle]": ("13.3 [settle]", 2, 2),
    "13.4": ("13.4", 6, 5),
}
"""Rules that the engine breaks: the question by hand, how many faults, in how many rounds."""

FOLLOWING = {"16.3": "13.4"}
"""Rules broken because another is, in the same rounds: what was not done about it."""

SHORT = {"seat-1": 4400, "seat-2": 3500, "seat-3": 3500}
"""Minor units."""

WIDER = {"4.1", "5.1", "11.1 (initial deal)", "8.3 (every act)", "11.5 (over 21)", "12.3 (its own pair)"}
"""Questions that are wider than the rule of that number, or about no rule; see `examples/README.md`."""


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> CheckResult:
    log = tmp_path_factory.mktemp("baramundi") / "log.jsonl.zst"
    converter.convert(SOURCE, log)
    return verifier.load(converter.RULESET).check(log)


@pytest.fixture(scope="module")
def by_hand() -> independent.Found:
    return independent.ask(SOURCE)


@pytest.fixture(scope="module")
def cited(result: CheckResult) -> dict[str, Counter[int]]:
    """By rule: in how many entries of which round it is cited."""
    found: dict[str, Counter[int]] = {}
    for entry in result.entries:
        rules = {citation.rule for finding in entry.findings for citation in finding.citations}
        for rule in rules:
            found.setdefault(rule, Counter())[int(dict(entry.lives)["round"] or 0)] += 1
    return found


def test_the_engine_breaks_these_rules_and_no_others(cited: dict[str, Counter[int]]) -> None:
    assert set(cited) == set(EXPECTED) | set(FOLLOWING)


def test_counts_agree_with_those_made_by_hand_round_by_round(
    cited: dict[str, Counter[int]], by_hand: independent.Found
) -> None:
    for rule, (question, faults, rounds) in EXPECTED.items():
        assert cited[rule] == by_hand[question], rule
        assert (cited[rule].total(), len(cited[rule])) == (faults, rounds), rule


def test_what_follows_is_cited_in_the_same_rounds(cited: dict[str, Counter[int]]) -> None:
    for rule, first in FOLLOWING.items():
        assert cited[rule] == cited[first], rule


def test_by_hand_nothing_else_is_found(by_hand: independent.Found) -> None:
    asked = {question for question, _, _ in EXPECTED.values()} | WIDER
    assert {question for question, faults in by_hand.items() if faults} == asked
    assert set(by_hand["5.1"]) == set(by_hand["5.1(e)"]) | (set(by_hand["5.1(a)"]) - set(by_hand["12.5"]))
    assert (by_hand["8.3 (every act)"].total(), len(by_hand["8.3 (every act)"])) == (1725, 917)
    assert (by_hand["12.3 (its own pair)"].total(), len(by_hand["12.3 (its own pair)"])) == (610, 421)
    assert by_hand["11.5 (over 21)"].total() == 39


def test_two_aces_lose_against_a_dealer_over_21(
    cited: dict[str, Counter[int]], by_hand: independent.Found
) -> None:
    assert set(by_hand["4.1"]) == {297, 519, 1336, 1567, 1601, 1691, 1963}
    assert set(cited["5.1(a)"]) == {519, 1691, 1963} < set(by_hand["4.1"])


def test_the_money(result: CheckResult) -> None:
    assert {short.basis for short in result.short} == {"settled wrongly"}
    # Every wager is 1.00. One collected that stands off is 1.00 short, one collected that wins 2.00.
    one = sum(EXPECTED[rule][1] for rule in ("5.1(e)", "11.5", "12.6"))
    assert sum(short.amount for short in result.short) == 100 * one + 200 * EXPECTED["5.1(a)"][1]
    assert {short.who: short.amount for short in result.short} == SHORT


def test_the_whole_log_is_read(result: CheckResult) -> None:
    assert (result.events, result.rounds, result.entries_total) == (50_240, 2000, 1986)
    assert result.exit_code is Exit.BROKEN
    assert {count.verdict for count in result.faults} == {"broken"}
    assert result.files[0].sealed


def test_what_the_log_does_not_record_is_not_checkable(result: CheckResult) -> None:
    for clause in ("7.1(a)", "7.2", "7.6", "8.6", "9.5", "10.3(b)", "12.4", "13.2", "16.5"):
        found = result.clause(clause)
        assert found.counts.not_checkable > 0, clause
        assert all(count.cause.declared for count in found.why_not), clause
