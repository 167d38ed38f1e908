"""The parser's tables are kept between runs, and made anew where what is kept is damaged or cannot be written."""

from pathlib import Path

import pytest

from verifier.resources import tables
from verifier.syntax import grammar

TEXT = "ruleset a/b\nlaw x/y\nactors dealer\n"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GAZETTE_CACHE", str(tmp_path))
    return tmp_path / "grammar"


def test_kept_tables_read_the_same(place: Path) -> None:
    fresh, kept = tables(grammar.grammar()), tables(grammar.grammar())
    assert fresh == kept is not None
    expected = grammar.load().parse(TEXT)
    assert grammar.load(cache=fresh).parse(TEXT) == expected
    assert Path(fresh).stat().st_size > 1000
    assert grammar.load(cache=fresh).parse(TEXT) == expected


@pytest.mark.parametrize("damage", [b"", b"\x00" * 50, b"0" * 64 + b"\n(lp0\n."])
def test_damaged_tables_are_made_anew(place: Path, damage: bytes) -> None:
    kept = tables(grammar.grammar())
    assert kept is not None
    Path(kept).write_bytes(damage)
    assert grammar.load(cache=kept).parse(TEXT) == grammar.load().parse(TEXT)
    assert Path(kept).stat().st_size > 1000


def test_half_of_the_tables_is_none(place: Path) -> None:
    kept = tables(grammar.grammar())
    assert kept is not None
    grammar.load(cache=kept)
    whole = Path(kept).read_bytes()
    Path(kept).write_bytes(whole[: len(whole) // 2])
    assert grammar.load(cache=kept).parse(TEXT) == grammar.load().parse(TEXT)


def test_nothing_is_kept_where_that_is_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAZETTE_CACHE", "off")
    assert tables(grammar.grammar()) is None


def test_a_place_that_cannot_be_written_keeps_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("GAZETTE_CACHE", str(tmp_path / "file"))
    assert tables(grammar.grammar()) is None
