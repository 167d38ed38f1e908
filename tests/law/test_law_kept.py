"""Laws are kept between runs, and believed only where they are what was written."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from verifier.errors import LawError
from verifier.law import known_laws, load, load_law
from verifier.law.kept import LAWS
from verifier.law.load import read_law
from verifier.resources import VARIABLE, root


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "kept"))
    load._law.cache_clear()
    return tmp_path / "kept" / LAWS.namespace


def again(path: Path, law_id: str = "a") -> None:
    load._law.cache_clear()
    read_law(path, law_id)


def shipped(law_id: str) -> Path:
    return root("spec") / "law" / f"{law_id}.law"


@pytest.mark.parametrize("law_id", known_laws())
def test_what_is_read_back_is_what_was_read(law_id: str, place: Path) -> None:
    one = load_law(law_id)
    load._law.cache_clear()
    found = LAWS.get(shipped(law_id).read_bytes())
    assert found is not None
    assert repr(found[0]) == repr(one.header)
    other = load_law(law_id)
    assert repr([*other.clauses.items()]) == repr([*one.clauses.items()])
    assert (other.notice, other.contents, other.digest) == (one.notice, one.contents, one.digest)


def test_a_file_is_parsed_once(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = shipped("uk/si-1994-2899-regulation-7")
    again(path)
    monkeypatch.setattr("verifier.law.parse.parse_body", lambda *_, **__: pytest.fail("parsed again"))
    again(path, "under another name")
    assert len(list(place.rglob("*.json"))) == 1


def test_a_changed_file_is_read(place: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.law"
    text = shipped("uk/si-1994-2899-regulation-7").read_text("utf-8")
    path.write_text(text, "utf-8")
    again(path)
    path.write_text(text.replace("banker", "bunker"), "utf-8")
    load._law.cache_clear()
    assert any("bunker" in clause.text for clause in read_law(path, "a").clauses.values())


def test_what_is_malformed_is_not_kept(place: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.law"
    path.write_text(shipped("uk/si-1994-2899-regulation-7").read_text("utf-8") + "\tx\n", "utf-8")
    for _ in range(2):
        with pytest.raises(LawError):
            again(path)
    assert not place.exists()


def changed(data: bytes, change: Callable[[list[object]], object]) -> bytes:
    body = json.loads(data.partition(b"\n")[2])
    change(body["value"])
    text = json.dumps(body, sort_keys=True, separators=(",", ":")).encode()
    return sha256(text).hexdigest().encode() + b"\n" + text


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data.replace(b"banker", b"bunker", 1),
        lambda data: data[: len(data) // 2],
        lambda data: changed(data, lambda value: value.pop()),
        lambda data: changed(data, lambda value: value.__setitem__(0, ["Path"])),
        lambda data: changed(data, lambda value: value.__setitem__(2, [-1, 1, 2])),
        lambda data: changed(data, lambda value: value.__setitem__(2, [0])),
    ],
)
def test_what_was_spoilt_is_not_believed_and_is_written_anew(
    spoil: Callable[[bytes], bytes], place: Path
) -> None:
    path = shipped("uk/si-1994-2899-regulation-7")
    again(path)
    (entry,) = place.rglob("*.json")
    right = entry.read_bytes()
    entry.write_bytes(spoil(right))
    again(path)
    assert entry.read_bytes() == right


def test_nothing_is_kept_where_that_is_switched_off(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "off")
    again(shipped("uk/si-1994-2899-regulation-7"))
    assert not place.exists()
