"""The generator's rounds: converted strictly, checked, and held against the same questions asked by hand."""

from __future__ import annotations

import gzip
import itertools
from collections import Counter
from pathlib import Path

import convert_kaggle as converter
import independent_kaggle as independent
import pytest

import verifier
from verifier.check.result import CheckResult

SOURCE = Path(__file__).resolve().parents[2] / "examples" / "data" / "kaggle_format_generated_120.csv.gz"

ASKED = {
    "5.1(a)", "8.4 [deal]", "8.5 [second]", "11.1", "11.4", "12.3 [second]", "12.4(b) [one card]", "12.5",
    "13.1(d)", "13.3 [stop]", "13.4", "16.3",
}  # fmt: skip
"""Rules broken in the sample."""

IN_VAIN_ON_17 = (
    '0,417,10,"[3, 6]","[10, 9]",19,"[[3, 6, 11]]",[20],"[[\'H\', \'S\']]",0,0,1',
    '0,417,11,"[8, 5]","[11, 6, 10]",17,"[[8, 5, 2, 10]]",[25],"[[\'N\', \'H\', \'H\']]",0,0,-1',
)
"""The first record, and one of the 5,000 (452) in its place: the player is over 21, and the dealer, who has a soft 17,
takes a card."""


def head(rows: int, folder: Path, change: tuple[str, str] | None = None) -> Path:
    """The first records of the sample, in a file of their own; one text in the last of them changed."""
    lines = gzip.decompress(SOURCE.read_bytes()).decode().splitlines(keepends=True)[: rows + 1]
    if change is not None:
        assert change[0] in lines[-1]
        lines[-1] = lines[-1].replace(*change, 1)
    path = folder / "head.csv.gz"
    path.write_bytes(gzip.compress("".join(lines).encode()))
    return path


def check(source: Path, folder: Path) -> CheckResult:
    logs = (folder / "told.jsonl.zst", folder / "sums.jsonl.zst")
    converter.convert(source, *logs)
    return verifier.load(converter.RULESET).check(list(logs))


def cited(result: CheckResult) -> dict[str, Counter[int]]:
    """By rule: in how many entries of which round it is cited."""
    found: dict[str, Counter[int]] = {}
    for entry in result.entries:
        for rule in {citation.rule for finding in entry.findings for citation in finding.citations}:
            found.setdefault(rule, Counter())[int(dict(entry.lives)["round"] or 0)] += 1
    return found


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> CheckResult:
    return check(SOURCE, tmp_path_factory.mktemp("kaggle"))


def test_counts_agree_with_those_made_by_hand_round_by_round(result: CheckResult) -> None:
    found, by_hand = cited(result), independent.ask(SOURCE)
    assert {rule: counts for rule, counts in by_hand.items() if rule in ASKED} == found
    assert set(found) == ASKED
    assert {entry.lead.verdict for entry in result.entries} == {"broken"}


def test_a_card_in_vain_on_a_soft_17_breaks_both_clauses(tmp_path: Path) -> None:
    """13.4 says "regardless of the point total"."""
    source = head(1, tmp_path, IN_VAIN_ON_17)
    found, by_hand = cited(check(source, tmp_path)), independent.ask(source)
    for rule in ("13.3 [stop]", "13.4", "16.3"):
        assert found[rule] == by_hand[rule] == {1: 1}


def test_the_money_agrees(result: CheckResult) -> None:
    by_hand = independent.ask(SOURCE)
    assert [(short.who, short.amount) for short in result.short] == [("player", by_hand["short"].total())]
    assert {"5.1(f)", "5.1(b) to (g)"}.isdisjoint(by_hand)


def test_rounds_of_which_only_the_sum_is_told_have_no_settlement(result: CheckResult) -> None:
    by_hand = independent.ask(SOURCE)
    tables = {table.name: table.rounds for table in result.tables}
    assert tables == {
        "generated": by_hand["told"].total(),
        "generated-sums": by_hand["sums only"].total(),
    }
    assert result.rounds == 120


def test_what_reads_suits_is_not_checkable(result: CheckResult) -> None:
    (why,) = result.clause("3.3(a)").why_not
    assert (why.cause.text, why.cause.declared) == ("the log does not record part of deal", True)


def test_which_ten_a_ten_is_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = head(10, tmp_path)
    first = cited(check(source, tmp_path))
    tens = itertools.cycle("KJTQ")
    monkeypatch.setattr(
        converter, "written", lambda card: {11: "A", 10: next(tens)}.get(card, str(card)) + "?"
    )
    assert cited(check(source, tmp_path)) == first != {}


REFUSED = {
    "an unknown action": ("'H'", "'X'", "unknown action 'X'"),
    "a card that is none": ("[3, 6]", "[3, 16]", "expected a card"),
    "another total": (",19,", ",18,", "the dealer's total is not 19"),
    "another upcard": ("0,417,10", "0,417,9", "dealer_up is not"),
    "a sum that nothing makes up": (",0,0,1", ",0,0,7", "make up 700"),
    "half a cent": (",0,0,1", ",0,0,0.005", "no whole number"),
    "a shoe that is not full": ("0,417,", "0,400,", "begins with 400"),
    "a card that nobody asked for": ("['H', 'S']", "['S']", "no act asked for"),
    "an act too many": ("['H', 'S']", "['H', 'H', 'S']", "lacks a card"),
    "no list": ('"[3, 6]"', "three", "expected a list"),
    "a cell too few": (",0,0,1", ",0,1", "too few or too many cells"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_it_does_not_know_is_refused(name: str, tmp_path: Path) -> None:
    old, new, words = REFUSED[name]
    with pytest.raises(converter.SourceError) as error:
        list(converter.rows(head(1, tmp_path, (old, new)), True))
    assert words in str(error.value)


def test_cards_that_are_missing_are_found(tmp_path: Path) -> None:
    with pytest.raises(converter.SourceError, match="line 3: cards are missing"):
        list(converter.rows(head(2, tmp_path, ("0,412,", "0,411,")), True))
