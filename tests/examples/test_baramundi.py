"""The check of the engine's 2,000 rounds, against the same questions asked of the original file by hand.

`independent.py` knows nothing of the verifier. What both say must agree for each clause in each round: in the first
400, and with `GAZETTE_TESTS=all` in all, whose counts `examples/README.md` states.
"""

from __future__ import annotations

import gzip
import os
from collections import Counter
from itertools import islice
from pathlib import Path

import convert_baramundi as converter
import independent
import pytest

import verifier
from verifier.check.result import CheckResult
from verifier.exits import Exit

SOURCE = Path(__file__).resolve().parents[2] / "examples" / "data" / "baramundi_8d_3p_2000.jsonl.gz"

ALL = os.environ.get("GAZETTE_TESTS", "") == "all"
ROUNDS = 2000 if ALL else 400

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
"""Rules broken because another is, in the same rounds and as often: what was not done about it."""

SHORT = {"seat-1": 4400, "seat-2": 3500, "seat-3": 3500}
"""Minor units."""

WIDER = {"4.1", "5.1", "11.1 (initial deal)", "8.3 (every act)", "11.5 (over 21)", "12.3 (its own pair)"}
"""Questions that are wider than the rule of that number, or about no rule; see `examples/README.md`."""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("baramundi") / "source.jsonl.gz"
    with gzip.open(SOURCE) as whole, gzip.open(path, "wb") as part:
        part.writelines(islice(whole, ROUNDS))
    return path


@pytest.fixture(scope="module")
def result(source: Path) -> CheckResult:
    log = source.with_name("log.jsonl.zst")
    converter.convert(source, log)
    return verifier.load(converter.RULESET).check(log)


@pytest.fixture(scope="module")
def by_hand(source: Path) -> independent.Found:
    return independent.ask(source)


@pytest.fixture(scope="module")
def cited(result: CheckResult) -> dict[str, Counter[int]]:
    """By rule: in how many entries of which round it is cited."""
    found: dict[str, Counter[int]] = {}
    for entry in result.entries:
        rules = {citation.rule for finding in entry.findings for citation in finding.citations}
        for rule in rules:
            found.setdefault(rule, Counter())[int(dict(entry.lives)["round"] or 0)] += 1
    return found


def test_the_engine_breaks_these_rules_and_no_others(
    cited: dict[str, Counter[int]], by_hand: independent.Found
) -> None:
    here = {rule for rule, (question, _, _) in EXPECTED.items() if by_hand[question]}
    assert set(cited) == here | {rule for rule, first in FOLLOWING.items() if first in here}
    assert len(here) > 8
    assert not ALL or here == set(EXPECTED)


def test_counts_agree_with_those_made_by_hand_round_by_round(
    cited: dict[str, Counter[int]], by_hand: independent.Found
) -> None:
    for rule, (question, faults, rounds) in EXPECTED.items():
        assert cited.get(rule, Counter()) == by_hand[question], rule
        assert not ALL or (cited[rule].total(), len(cited[rule])) == (faults, rounds), rule


def test_what_follows_is_cited_in_the_same_rounds_as_often(cited: dict[str, Counter[int]]) -> None:
    for rule, first in FOLLOWING.items():
        assert cited.get(rule, Counter()) == cited.get(first, Counter()), rule


def test_by_hand_nothing_else_is_found(by_hand: independent.Found) -> None:
    asked = {question for question, _, _ in EXPECTED.values()} | WIDER
    found = {question for question, faults in by_hand.items() if faults}
    assert found == asked if ALL else found < asked
    assert set(by_hand["5.1"]) == set(by_hand["5.1(e)"]) | (set(by_hand["5.1(a)"]) - set(by_hand["12.5"]))
    if not ALL:
        return
    assert (by_hand["8.3 (every act)"].total(), len(by_hand["8.3 (every act)"])) == (1725, 917)
    assert (by_hand["12.3 (its own pair)"].total(), len(by_hand["12.3 (its own pair)"])) == (610, 421)
    assert by_hand["11.5 (over 21)"].total() == 39


def test_two_aces_lose_against_a_dealer_over_21(
    cited: dict[str, Counter[int]], by_hand: independent.Found
) -> None:
    assert set(by_hand["4.1"]) == {n for n in (297, 519, 1336, 1567, 1601, 1691, 1963) if n <= ROUNDS}
    assert set(cited.get("5.1(a)", ())) == {n for n in (519, 1691, 1963) if n <= ROUNDS} < set(by_hand["4.1"])


def test_the_money(result: CheckResult, cited: dict[str, Counter[int]]) -> None:
    assert {short.basis for short in result.short} == {"settled wrongly"}
    # Every wager is 1.00. One collected that stands off is 1.00 short, one collected that wins 2.00.
    many = {rule: found.total() for rule, found in cited.items()}
    one = sum(many.get(rule, 0) for rule in ("5.1(e)", "11.5", "12.6"))
    assert sum(short.amount for short in result.short) == 100 * one + 200 * many.get("5.1(a)", 0)
    assert not ALL or {short.who: short.amount for short in result.short} == SHORT


def test_the_whole_log_is_read(result: CheckResult) -> None:
    assert result.rounds == ROUNDS
    assert not ALL or (result.events, result.entries_total) == (50_240, 1986)
    assert result.exit_code is Exit.BROKEN
    assert {count.verdict for count in result.faults} == {"broken"}
    assert result.files[0].sealed


def test_what_the_log_does_not_record_is_not_checkable(result: CheckResult) -> None:
    for clause in ("7.1(a)", "7.2", "7.6", "8.6", "9.5", "10.3(b)", "12.4", "13.2", "16.5"):
        found = result.clause(clause)
        assert found.counts.not_checkable > 0, clause
        assert all(count.cause.declared for count in found.why_not), clause
