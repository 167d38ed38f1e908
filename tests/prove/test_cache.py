"""Answers on disk: found again, and never believed when they are not what was written."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from verifier import cache as cache_module
from verifier.cache import Cache, Json, digest, directory

KEY: Json = {"text": digest("a question"), "limit": 5}
VALUE: Json = {"status": "unsat", "by": ["z3", "cvc5"], "n": 12345678901234567890}


def entry(path: Path) -> Path:
    (found,) = path.rglob("*.json")
    return found


def test_what_was_put_is_got(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "new")
    assert cache.get("solved", KEY) is None
    cache.put("solved", KEY, VALUE)
    assert cache.get("solved", KEY) == VALUE
    assert (cache.hits, cache.misses, cache.refused) == (1, 1, 0)
    assert Cache(tmp_path / "new").get("solved", KEY) == VALUE


@pytest.mark.parametrize("key", [{"text": digest("a question"), "limit": 6}, [], "a question", None])
def test_another_key_is_another_entry(tmp_path: Path, key: Json) -> None:
    cache = Cache(tmp_path)
    cache.put("solved", KEY, VALUE)
    assert cache.get("solved", key) is None
    assert cache.get("run", KEY) is None


def flipped(data: bytes) -> bytes:
    return data[:-5] + bytes([data[-5] ^ 1]) + data[-4:]


def forged(data: bytes) -> bytes:
    """A right checksum over an entry of another key."""
    import hashlib

    entry_ = json.loads(data.partition(b"\n")[2])
    body = json.dumps({**entry_, "key": "another"}).encode()
    return hashlib.sha256(body).hexdigest().encode() + b"\n" + body


def deep(data: bytes) -> bytes:
    import hashlib

    body = b"[" * 200_000
    return hashlib.sha256(body).hexdigest().encode() + b"\n" + body


@pytest.mark.parametrize(
    "damage",
    [
        flipped,
        forged,
        deep,
        lambda data: data[: len(data) // 2],
        lambda _: b"",
        lambda _: b"\xff\xfe\n{}",
        lambda data: data.replace(b'"unsat"', b'"sat"  '),
        lambda data: data.partition(b"\n")[2],
    ],
    ids=["flipped", "forged", "deep", "truncated", "empty", "bytes", "edited", "no checksum"],
)
def test_damage_is_not_believed_and_is_written_over(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    cache = Cache(tmp_path)
    cache.put("solved", KEY, VALUE)
    place = entry(tmp_path)
    place.write_bytes(damage(place.read_bytes()))
    assert cache.get("solved", KEY) is None
    assert (cache.hits, cache.misses, cache.refused) == (0, 1, 1)
    cache.put("solved", KEY, VALUE)
    assert cache.get("solved", KEY) == VALUE


def test_an_old_format_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Cache(tmp_path).put("solved", KEY, VALUE)
    monkeypatch.setattr(cache_module, "FORMAT", cache_module.FORMAT + 1)
    assert Cache(tmp_path).get("solved", KEY) is None


def test_what_is_too_long_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = Cache(tmp_path)
    cache.put("solved", KEY, VALUE)
    monkeypatch.setattr(cache_module, "MAX_BYTES", 10)
    assert cache.get("solved", KEY) is None
    assert cache.refused == 1


def test_a_place_that_cannot_be_written_keeps_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    cache = Cache(tmp_path / "file")
    cache.put("solved", KEY, VALUE)
    assert cache.get("solved", KEY) is None


def test_writing_leaves_no_pieces_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(source: object, target: object) -> None:
        raise OSError("no space")

    monkeypatch.setattr(os, "replace", fail)
    cache = Cache(tmp_path)
    cache.put("solved", KEY, VALUE)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize(
    ("environment", "place"),
    [
        ({"GAZETTE_CACHE": "/here", "XDG_CACHE_HOME": "/there", "HOME": "/home/me"}, "/here"),
        ({"GAZETTE_CACHE": "off", "HOME": "/home/me"}, None),
        ({"GAZETTE_CACHE": "", "XDG_CACHE_HOME": "/there", "HOME": "/home/me"}, "/there/gazette"),
        ({"HOME": "/home/me"}, "/home/me/.cache/gazette"),
        ({}, None),
    ],
)
def test_where_the_cache_is(environment: dict[str, str], place: str | None) -> None:
    assert directory(environment) == (None if place is None else Path(place))
