"""About how many events a log has, by which it is told how long the rest of a check takes."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from random import Random

import duckdb
import pytest
import zstandard

from verifier.cli.progress import events_in
from verifier.log.lineblocks import LOOKED_AT

EVENTS = 40_000


def lines() -> bytes:
    rng = Random(0)
    rows = ({"seq": seq, "event": "deal", "amount": rng.randrange(10**9)} for seq in range(1, EVENTS + 1))
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


@pytest.mark.parametrize(
    ("ending", "packed"),
    [("", bytes), (".gz", gzip.compress), (".zst", zstandard.ZstdCompressor().compress)],
)
def test_a_log_of_lines_tells_about_how_many(tmp_path: Path, ending: str, packed) -> None:
    path = tmp_path / f"log.jsonl{ending}"
    path.write_bytes(packed(lines()))
    assert path.stat().st_size > 2 * LOOKED_AT
    found = events_in(str(path), None)
    assert found is not None
    assert abs(found - EVENTS) < EVENTS / 5


def test_a_short_one_tells_it_too(tmp_path: Path) -> None:
    path = tmp_path / "log.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n1,2\n"))
    assert events_in(str(path), None) == 2


def test_a_table_of_a_database_tells_how_many(tmp_path: Path) -> None:
    path = tmp_path / "casino.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("create table events as select * from range(12345)")
    assert events_in(f"duckdb:{path}:events", None) == 12345
    assert events_in(f"duckdb:{path}:other", None) is None


@pytest.mark.parametrize("packed", [gzip.compress, zstandard.ZstdCompressor(level=19).compress])
def test_what_grows_without_end_is_not_unpacked(tmp_path: Path, packed) -> None:
    path = tmp_path / "log.jsonl.gz"
    path.write_bytes(packed(b"\n" * (1 << 26)))
    assert events_in(str(path), None) is None


@pytest.mark.parametrize("name", ["-", "there-is-none.jsonl", "log.yaml"])
def test_of_others_nothing_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("log.yaml").write_text("events: []\n")
    assert events_in(name, None) is None
