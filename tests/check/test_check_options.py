"""Options: stated in the log, set with the request, assumed, unstated; and rules on the options themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from check_logs import GOOD, STATED, TILL, cited, led, only, rules, till, transcript

from verifier.api import load
from verifier.check.options import read_settings
from verifier.errors import LogError, RequestError
from verifier.exits import Exit
from verifier.log.schema_json import to_json_schema

ANNOUNCE = ("dealer announce player=ann", *GOOD)


def sources(result: Any) -> dict[str, tuple[str, str | None]]:
    return {o.name: (o.source, None if o.value is None else o.value.text) for o in result.options}


def test_where_options_come_from(tmp_path: Path) -> None:
    result = till(tmp_path, *GOOD, check={"options": ["cards=2"]}, options={"decks": 7})
    assert sources(result) == {
        "decks": ("log", "7"),
        "sevens": ("default", "no"),
        "cards": ("set", "2"),
        "maximum": ("default", "100000"),
    }
    assert till(tmp_path, *GOOD).options[0].tried == ("4", "5", "6", "7", "8")


@pytest.mark.parametrize(
    ("settings", "exit_code", "entries"),
    [
        ({"decks": 8, "cards": 2}, Exit.BROKEN, 1),
        ({"decks": 8, "cards": 1}, Exit.HOLDS, 0),
        ({"decks": 7}, Exit.HOLDS, 0),
        ({"decks": 8}, Exit.UNDECIDED, 0),
        ({}, Exit.UNDECIDED, 0),
    ],
)
def test_unstated_options_are_all_tried(
    tmp_path: Path, settings: dict[str, object], exit_code: Exit, entries: int
) -> None:
    """With 7 decks it does not matter how many cutting cards there are; with 8 it does."""
    result = till(tmp_path, *ANNOUNCE, check={"options": settings})
    assert result.exit_code is exit_code
    assert result.entries_total == entries
    if exit_code is Exit.UNDECIDED:
        assert "the option cards is not stated" in [i.cause.text for i in result.clause("3.3(b)").why_not]


def test_a_rule_on_options(tmp_path: Path) -> None:
    broken = till(tmp_path, *GOOD, options={"decks": 5, "sevens": True, "cards": 1})
    entry = only(broken)
    assert led(entry) == ("broken", "option")
    assert cited(entry) == ["3.3(a) [sevens]"]
    assert (entry.line, entry.seq, entry.event) == (None, None, None)
    assert [(v.name, v.text) for v in entry.lead.rests_on] == [("decks", "5"), ("sevens", "yes")]
    assert broken.exit_code is Exit.BROKEN
    assert till(tmp_path, *GOOD, options={"decks": 6, "sevens": True, "cards": 1}).in_order
    unclear = till(tmp_path, *GOOD, options={"sevens": True, "cards": 1})
    assert unclear.in_order
    assert unclear.clause("3.3(a)").status == "not checkable"
    assert unclear.exit_code is Exit.UNDECIDED


def test_options_are_read_by_their_type() -> None:
    ruleset = rules(TILL).ruleset
    assert read_settings(ruleset, ["sevens=yes", "decks = 4", "maximum=5"]) == {
        "sevens": True,
        "decks": 4,
        "maximum": 5,
    }
    assert read_settings(ruleset, {"sevens": False, "cards": 2}) == {"sevens": False, "cards": 2}


@pytest.mark.parametrize(
    ("setting", "code", "words"),
    [
        ("decks", "option-syntax", "sets no option"),
        ("deks=4", "unknown-option", "did you mean decks?"),
        ("decks=9", "option-range", "one of 4, 5, 6, 7, 8"),
        ("decks=4.0", "option-range", "4.0"),
        ("decks=", "option-range", "one of 4, 5"),
        ("sevens=1", "option-range", "yes or no"),
        ("cards=3", "option-range", "one of 1, 2"),
        ("maximum=-1", "option-range", "minor units"),
        ("maximum=\x1b[31m", "option-range", "\\x1b"),
    ],
)
def test_a_setting_that_is_wrong(setting: str, code: str, words: str) -> None:
    with pytest.raises(RequestError) as caught:
        read_settings(rules(TILL).ruleset, [setting])
    assert caught.value.problem.code == code
    assert words in str(caught.value)
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize("value", [True, "4x", 4.0, None, [4]])
def test_a_typed_setting_is_not_coerced(value: object) -> None:
    with pytest.raises(RequestError) as caught:
        read_settings(rules(TILL).ruleset, {"decks": value})
    assert caught.value.problem.code == "option-range"


def test_an_option_is_set_once() -> None:
    with pytest.raises(RequestError, match="set twice"):
        read_settings(rules(TILL).ruleset, ["decks=4", "decks=4"])


def test_the_request_never_contradicts_the_log(tmp_path: Path) -> None:
    assert till(tmp_path, *GOOD, check={"options": {"decks": 6}}, **STATED).in_order
    with pytest.raises(RequestError, match="set to 5, but the log states 6"):
        till(tmp_path, *GOOD, check={"options": {"decks": 5}}, **STATED)


def test_a_header_with_an_option_between_its_values(tmp_path: Path) -> None:
    """The place is shown as it is for any other value that a header cannot have."""
    text = TILL.read_text("utf-8").replace("option cards: {1, 2}", "option cards: {1, 2, 5}")
    (tmp_path / "till.rules").write_text(text, "utf-8")
    rules = load(tmp_path / "till.rules")
    with pytest.raises(LogError) as caught:
        rules.check(transcript(tmp_path / "till.yaml", "check/till", GOOD, options={"cards": 4}))
    assert (caught.value.problem.code, caught.value.problem.line) == ("log-range", 3)
    assert "found 4, expected one of 1, 2, 5" in str(caught.value)
    assert "3 | options:" in str(caught.value)
    options = to_json_schema(rules.schema)["$defs"]["header"]["properties"]["options"]["properties"]
    assert options["cards"] == {"enum": [1, 2, 5]}
    assert options["decks"] == {"type": "integer", "minimum": 4, "maximum": 8}


def test_a_header_with_an_option_out_of_range(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="expected"):
        till(tmp_path, *GOOD, options={"cards": 3})


def test_one_out_of_a_list_without_gaps_is_refused_with_its_line(tmp_path: Path) -> None:
    """{1, 2} is 1..2 to whoever reads the header."""
    told = transcript(tmp_path / "till.yaml", "check/till", GOOD, options={"cards": 4})
    with pytest.raises(LogError) as refused:
        load(TILL).check(told)
    (problem,) = refused.value.problems
    assert problem.message == "field options.cards: found 4, expected a whole number from 1 to 2"
    assert problem.line is not None
    options = to_json_schema(load(TILL).prepared.binding.schema)["$defs"]["header"]["properties"]["options"]
    assert options["properties"]["cards"] == {"type": "integer", "minimum": 1, "maximum": 2}
