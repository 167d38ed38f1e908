"""The words of an enumeration: which of them a log, its schema, a request and a written form have."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from check_logs import transcript

from verifier.api import Rules, load
from verifier.errors import LogError, RequestError
from verifier.lint.inspect import lint
from verifier.log.schema_json import to_json_schema

TEXT = """ruleset words
actors guest
enum Kind: on_tie "tie" | on_guest
record Side(which: Kind) written "<{which}>"
life house
life evening ends close
option house_way: Kind
event lay(kind: Kind, side: Side) by guest
event close by guest
"""


@pytest.fixture
def words(tmp_path: Path) -> Rules:
    (tmp_path / "words.rules").write_text(TEXT, "utf-8")
    return load(tmp_path / "words.rules")


def laid(words: Rules, tmp_path: Path, event: str, **header: object) -> bool:
    log = transcript(tmp_path / "words.yaml", "words", [f"guest lay {event}", "guest close"], **header)
    return words.check(log).in_order


def test_a_column_has_the_name(words: Rules, tmp_path: Path) -> None:
    assert laid(words, tmp_path, "kind=on_tie side=<tie>")
    with pytest.raises(LogError, match="expected on_tie or on_guest"):
        laid(words, tmp_path, "kind=tie side=<tie>")


def test_a_written_form_has_the_word(words: Rules, tmp_path: Path) -> None:
    with pytest.raises(LogError, match="<on_tie>"):
        laid(words, tmp_path, "kind=on_tie side=<on_tie>")


def test_an_option_has_the_name(words: Rules, tmp_path: Path) -> None:
    assert laid(words, tmp_path, "kind=on_tie side=<tie>", options={"house_way": "on_tie"})
    with pytest.raises(LogError, match="expected on_tie or on_guest"):
        laid(words, tmp_path, "kind=on_tie side=<tie>", options={"house_way": "tie"})
    with pytest.raises(RequestError, match="one of on_tie, on_guest"):
        words.check(tmp_path / "words.yaml", options=["house_way=tie"])


def test_the_json_schema_has_the_name(words: Rules) -> None:
    schema = jsonschema.Draft202012Validator(to_json_schema(words.schema))
    row = {"house": "a", "evening": 1, "seq": 1, "at": "2024-03-01T20:15:00+13:00", "actor": "guest"}
    good = {**row, "event": "lay", "kind": "on_tie", "side": "<tie>"}
    assert schema.is_valid(good)
    assert not schema.is_valid({**good, "kind": "tie"})
    assert '"tie"' not in json.dumps(to_json_schema(words.schema))


def test_a_word_that_nothing_writes_is_warned_of(words: Rules, tmp_path: Path) -> None:
    def codes() -> list[str]:
        return [finding.problem.code for finding in lint(tmp_path / "words.rules").findings]

    path = tmp_path / "words.rules"
    assert "unused-word" not in codes()
    path.write_text(TEXT.replace(' written "<{which}>"', ""), "utf-8")
    assert "unused-word" in codes()
    path.write_text(TEXT.replace(' written "<{which}>"', ' written "tie" for (on_tie)'), "utf-8")
    assert "unused-word" in codes()
