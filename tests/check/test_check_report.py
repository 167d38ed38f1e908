"""Text, JSON and JSON Lines of a result; money; a clause explained."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from check_logs import CLOSE, END, GOOD, HERE, MINI, STATED, TILL, WAGER, rules, till, transcript

from verifier.check.result import CheckResult
from verifier.errors import LawError
from verifier.report.explain import clause_text
from verifier.report.json import document, document_text, entry, entry_line, summary, summary_line
from verifier.report.money import money
from verifier.report.text import entry_text, text

ALL_KINDS = (
    "player wager player=ann amount=1001",
    "player wager player=bob amount=777",
    "player wager player=cat amount=6000",
    "player wager player=dan amount=50",
    "player wager player=eve amount=200000",
    "dealer pay player=ann amount=10",
    "dealer announce player=bob",
    CLOSE,
    "dealer pay player=ann amount=1500",
    "dealer pay player=cat amount=9000",
    "dealer pay player=dan amount=75",
    "dealer give_back player=dan",
    "dealer give_back player=zoe",
    "supervisor pay player=bob amount=1165",
    END,
)


@pytest.fixture
def result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CheckResult:
    """A check that finds something of nearly everything; its log's name is the same everywhere."""
    till(tmp_path, *ALL_KINDS, options={"decks": 8})
    monkeypatch.chdir(tmp_path)
    return rules(TILL).check("till.yaml")


def without_digests(words: str) -> str:
    """Lines that hold a digest or the version change with every edit of the law's file, the rules, or ours."""
    return "".join(
        line
        for line in words.splitlines(keepends=True)
        if "sha256:" not in line and "gazette-verifier" not in line
    )


@pytest.mark.parametrize("width", [100, 60])
def test_the_report_as_it_is_read(result: CheckResult, width: int) -> None:
    expected = (HERE / "data" / f"report-{width}.txt").read_text("utf-8")
    assert without_digests(text(result, width)) == expected


def test_the_report_is_wrapped_and_names_its_digests(result: CheckResult) -> None:
    words = text(result, 100)
    assert result.files[0].sha256 is not None
    for digest in (result.files[0].sha256, result.ruleset.digest, result.ruleset.law_digest):
        assert f"sha256:{digest}" in words
    assert max(len(line) for line in words.splitlines()) <= 100


def test_colour_only_where_asked(result: CheckResult) -> None:
    assert "\x1b" not in text(result)
    coloured = text(result, colour=True)
    assert "\x1b[1;31m" in coloured
    assert re.sub("\x1b\\[[0-9;]*m", "", coloured) == text(result)


def test_a_report_of_a_log_in_order(tmp_path: Path) -> None:
    words = text(till(tmp_path, *GOOD, **STATED))
    assert "The log is in order: every rule that could be checked was kept." in words
    assert "Entries" not in words


def test_a_report_where_nothing_is_broken_but_not_all_is_decided(tmp_path: Path) -> None:
    words = text(till(tmp_path, "dealer announce player=ann", *GOOD, options={"decks": 8}))
    assert "Nothing was found broken, but not all could be decided." in words
    assert "3.3(b): the option cards is not stated (1)" in words


def test_what_comes_from_outside_is_escaped(tmp_path: Path) -> None:
    """Readers refuse controls within a log; the name of a file may still hold them."""
    path = transcript(tmp_path / "a\u202e\x1b[31m\x7f.yaml", "check/till", (WAGER, CLOSE, END), **STATED)
    result = rules(TILL).check(path)
    assert result.entries_total == 1
    for printed in (text(result), entry_text(result.entries[0], result), document_text(result)):
        assert not {"\u202e", "\x1b", "\x7f"} & set(printed)
        assert "\\u202e" in printed
    assert json.loads(entry_line(result.entries[0]))["entry"]["file"] == str(path)


def test_json_is_read_back_as_it_was(result: CheckResult) -> None:
    parsed = json.loads(document_text(result), parse_float=pytest.fail)
    assert parsed == document(result)
    assert parsed["gazette-check"] == 1
    assert parsed["exit_code"] == 1
    assert parsed["entries_total"] == len(parsed["entries"]) == 9
    assert [e["number"] for e in parsed["entries"]] == list(range(1, 10))
    assert parsed["short"] == [
        {"who": "ann", "amount": {"numerator": 3, "denominator": 2}, "basis": "settled wrongly"},
        {"who": "bob", "amount": {"numerator": 1, "denominator": 2}, "basis": "settled wrongly"},
    ]
    broken = {c["clause"]: c["broken"] for c in parsed["clauses"] if c["broken"]}
    assert broken == {"5.1": 1, "5.4": 2, "9.2": 1, "11.1": 1, "11.3": 2, "11.4": 2}


def test_json_has_every_clause_in_the_order_of_the_law(result: CheckResult) -> None:
    law = rules(TILL).ruleset.law
    assert law is not None
    assert [c["clause"] for c in document(result)["clauses"]] == list(law.clauses)


def test_json_lines_are_the_document_in_pieces(result: CheckResult) -> None:
    lines = [json.loads(entry_line(item)) for item in result.entries] + [json.loads(summary_line(result))]
    assert [line["entry"] for line in lines[:-1]] == document(result)["entries"]
    assert lines[-1]["summary"] == summary(result)
    assert {**lines[-1]["summary"], "entries": [entry(e) for e in result.entries]} == document(result)
    assert entry_line(result.entries[0]).count("\n") == 1


def test_large_amounts_are_exact_in_json(tmp_path: Path) -> None:
    huge = 2**62
    result = till(tmp_path, WAGER, CLOSE, f"dealer pay player=ann amount={huge}", END, **STATED)
    assert json.loads(document_text(result))["short"][0]["amount"] == huge - 1500


@pytest.mark.parametrize(
    ("amount", "currency", "exponent", "words"),
    [
        (123450, "NZD", 2, "NZD 1,234.50"),
        (5, "NZD", 2, "NZD 0.05"),
        (-5, "NZD", 2, "NZD -0.05"),
        (500, "JPY", 0, "JPY 500"),
        (1, "BHD", 3, "BHD 0.001"),
        (Fraction(7, 2), "NZD", 2, "NZD 0.03 and 1/2 of NZD 0.01"),
        (Fraction(366611, 2), "NZD", 2, "NZD 1,833.05 and 1/2 of NZD 0.01"),
        (Fraction(-10, 3), "XTS", 2, "-0.03 and 1/3 of 0.01"),
        (Fraction(-1, 3), "NZD", 2, "-1/3 of NZD 0.01"),
        (Fraction(4, 2), "NZD", 2, "NZD 0.02"),
        (Fraction(1, 3), "JPY", 0, "1/3 of JPY 1"),
        (1000, "XTS", 2, "10.00"),
        (2**70, "NZD", 2, "NZD 11,805,916,207,174,113,034.24"),
    ],
)
def test_money_is_written_exactly(amount: Any, currency: str, exponent: int, words: str) -> None:
    assert money(amount, currency, exponent) == words


def test_a_clause_explained() -> None:
    page = rules(MINI).explain("5.4")
    assert [rule.id for rule in page.rules] == ["5.4 [even]", "5.4 [blackjack]"]
    assert "All winning wagers made in accordance with" in clause_text(page)


def test_a_clause_that_the_law_lacks() -> None:
    with pytest.raises(LawError, match=r"5\.99"):
        rules(MINI).explain("5.99")


def test_what_is_said_twice_of_a_clause_is_printed_once(result: CheckResult) -> None:
    (first, *rest) = [c for c in result.clauses if c.unchecked]
    again = replace(result, clauses=(first, first, *rest))
    assert text(again, 100) == text(replace(result, clauses=(first, *rest)), 100)
