"""Syntax trees of rule files are kept between runs, and believed only where they are what was written."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from verifier import shelf
from verifier.errors import RuleTextError
from verifier.resources import VARIABLE, root
from verifier.syntax import kept
from verifier.syntax.parse import parse_module, read_module

SHIPPED = sorted(root("rulesets").rglob("*.rules"))

RULE = 'rule 5.1 [a] "x"\n  given a = b\n\n'

LONG = RULE * 40


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "kept"))
    parse_module.cache_clear()
    return tmp_path / "kept" / kept.RULES.namespace


def entries(place: Path) -> list[Path]:
    return sorted(place.rglob("*.json"))


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_what_is_read_back_is_what_was_parsed(path: Path, place: Path) -> None:
    parsed = read_module(path)
    found = kept.RULES.get(path.read_bytes())
    assert found == (parsed.blocks if len(path.read_bytes()) >= kept.RULES.least else None)
    if found is not None:
        assert repr(found) == repr(parsed.blocks)  # 1 is not true


def test_a_file_is_parsed_once(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path / "a.rules", LONG)
    first = read_module(path)
    parse_module.cache_clear()
    monkeypatch.setattr("verifier.syntax.reading.parser", lambda: pytest.fail("parsed again"))
    assert read_module(path) == first
    assert read_module(path, "another name").path == "another name"


def test_texts_that_are_short_or_no_files_are_not_kept(place: Path, tmp_path: Path) -> None:
    read_module(written(tmp_path / "a.rules", RULE))
    parse_module(LONG, "typed.rules")
    assert entries(place) == []


def test_what_does_not_parse_is_not_kept(place: Path, tmp_path: Path) -> None:
    path = written(tmp_path / "a.rules", LONG + "rule rule\n")
    for _ in range(2):
        with pytest.raises(RuleTextError):
            read_module(path)
    assert entries(place) == []


def damaged(data: bytes) -> bytes:
    return data.replace(b"given", b"taken", 1) if b"given" in data else data[:-9]


def cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def other_class(data: bytes) -> bytes:
    body = json.loads(data.partition(b"\n")[2])
    body["value"][0][0] = "Path"
    text = json.dumps(body, sort_keys=True, separators=(",", ":")).encode()
    return sha256(text).hexdigest().encode() + b"\n" + text


def places_left(data: bytes) -> bytes:
    body = json.loads(data.partition(b"\n")[2])
    body["value"][1] += [1, 1, 1, 1]
    text = json.dumps(body, sort_keys=True, separators=(",", ":")).encode()
    return sha256(text).hexdigest().encode() + b"\n" + text


def no_blocks(data: bytes) -> bytes:
    body = json.loads(data.partition(b"\n")[2])
    body["value"] = "blocks"
    text = json.dumps(body, sort_keys=True, separators=(",", ":")).encode()
    return sha256(text).hexdigest().encode() + b"\n" + text


@pytest.mark.parametrize("spoil", [damaged, cut, other_class, places_left, no_blocks])
def test_what_was_spoilt_is_not_believed_and_is_written_anew(
    spoil: Callable[[bytes], bytes], place: Path, tmp_path: Path
) -> None:
    path = written(tmp_path / "a.rules", LONG)
    first = read_module(path)
    (entry,) = entries(place)
    right = entry.read_bytes()
    entry.write_bytes(spoil(right))
    parse_module.cache_clear()
    assert read_module(path) == first
    assert entry.read_bytes() == right


def test_other_code_believes_nothing_of_it(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "a.rules", LONG)
    read_module(path)
    monkeypatch.setattr(shelf, "read_by", lambda *_: "other")
    assert kept.RULES.get(LONG.encode()) is None


def test_nothing_is_kept_where_that_is_switched_off(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "off")
    read_module(written(tmp_path / "a.rules", LONG))
    assert entries(place) == []
    assert kept.RULES.get(LONG.encode()) is None
