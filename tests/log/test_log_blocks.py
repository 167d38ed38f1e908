"""JSON Lines by blocks: the same rows as line by line, and the same refusals, whatever the lines hold."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from log_ferry import SCHEMA, body, line, log, row, trailer
from test_log_batches import BAD, ROWS, batches, both, flat, read

from verifier.log import jsonblocks
from verifier.log.batches import batch_schema, typed_batches
from verifier.log.sources import open_log


def put(folder: Path, data: bytes, name: str = "day.jsonl") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("block", [1, 100, 1000, 1 << 20])
@pytest.mark.parametrize("size", [1, 3, 100])
def test_blocks_give_what_lines_give(
    block: int, size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsonblocks, "BLOCK", block)
    path = put(tmp_path, log(*ROWS))
    found = batches(path, size)
    with open_log(path, SCHEMA) as file:
        assert file.columnar is not None
    assert sorted(flat(found)) == read(path)
    assert all(batch.data.schema == batch_schema(SCHEMA) for batch in found)


def test_a_compressed_file_is_read_so_too(tmp_path: Path) -> None:
    path = put(tmp_path, gzip.compress(log(*ROWS)), "day.jsonl.gz")
    assert sorted(flat(batches(path))) == read(path)


def test_the_tally_is_filled_in(tmp_path: Path) -> None:
    file = open_log(put(tmp_path, log(*ROWS)), SCHEMA)
    list(typed_batches([file], SCHEMA))
    again = open_log(put(tmp_path, log(*ROWS)), SCHEMA)
    list(again.rows())
    told = (file.complete, file.events, file.digest, file.sealed)
    assert told == (again.complete, again.events, again.digest, again.sealed)


def test_an_empty_log_has_no_rows(tmp_path: Path) -> None:
    path = put(tmp_path, log())
    assert batches(path) == []
    assert read(path) == []


def test_corrected_rows_come_as_corrected(tmp_path: Path) -> None:
    fields = {"corrects": 1, "corrected_event": "board", "corrected_actor": "passenger", "passenger": "P1"}
    correction = row(2, "correction", actor="purser", seat="B4", fare=2000, **fields)
    plain = line(correction)
    for written in (plain, plain.replace(b'"correction"', b'"c\\u006frrection"')):
        path = put(tmp_path, log(row(1), written, row(3)))
        found = flat(batches(path))
        assert found == read(path)
        assert [fields["fare"] for _, fields in found] == [2000, 1050]


@pytest.mark.parametrize("case", BAD)
def test_malformed_rows_are_refused_in_the_same_words(case: str, tmp_path: Path) -> None:
    rows = [row(n) for n in range(1, 6)]
    rows[2] = {k: v for k, v in (rows[2] | BAD[case]).items() if v is not None}
    by_row, by_block = both(put(tmp_path, log(*rows)))
    assert by_row
    assert by_block == by_row


LINES: dict[str, tuple[bytes, bytes]] = {
    "two objects": (b"}\n", b"} {}\n"),
    "an object on two lines": (b', "seq"', b',\n"seq"'),
    "one on two lines, and two on one": (b', "seq"', b'\n, "seq"'),
    "a comma too many": (b"}\n", b",}\n"),
    "a comment": (b"}\n", b"/* }\n*/ }\n"),
    "text for a number": (b"1050", b'"1050"'),
    "a fraction": (b"1050", b"1050.5"),
    "a fraction of nothing": (b"1050", b"1050.0"),
    "an exponent": (b"1050", b"1e3"),
    "less than nothing, and nothing": (b"1050", b"-0"),
    "a leading zero": (b"1050", b"01050"),
    "a plus sign": (b"1050", b"+1050"),
    "true for a number": (b"1050", b"true"),
    "not a number": (b"1050", b"NaN"),
    "without end": (b"1050", b"Infinity"),
    "over 64 bits": (b"1050", b"9223372036854775808"),
    "far over 64 bits": (b"1050", b"1" + b"0" * 40),
    "a number for text": (b'"B4"', b"4"),
    "an object for text": (b'"B4"', b'{"a": 1}'),
    "a list for text": (b'"B4"', b"[]"),
    "a key twice": (b'"fare"', b'"fare": 1050, "fare"'),
    "a key twice, once escaped": (b'"fare"', b'"f\\u0061re": 1050, "fare"'),
    "a column there is not": (b'"fare"', b'"fee": null, "fare"'),
    "an extra that is none": (b'"fare"', b'"x_note": 1.5, "fare"'),
    "a lone surrogate": (b'"P2"', b'"\\ud800"'),
    "no UTF-8": (b'"P2"', b'"\xff"'),
    "a control character": (b'"P2"', b'"P\x012"'),
    "a tab in text": (b'"P2"', b'"P\t2"'),
    "an escape there is not": (b'"P2"', b'"\\q"'),
    "a byte order mark": (b'{"boat"', b'\xef\xbb\xbf{"boat"'),
    "CR LF": (b"}\n", b"}\r\n"),
    "a blank line": (b"}\n", b"}\n\n"),
    "a line of spaces": (b"}\n", b"}\n  \n"),
    "a second header": (b'{"boat"', b'{"gazette-log": 1}\n{"boat"'),
    "a trailer within": (b'{"boat"', b'{"gazette-log-end": {"events": 0, "sha256": "0"}}\n{"boat"'),
    "a list": (b'{"boat"', b'[]\n{"boat"'),
    "nested deep": (b'"B4"', b"[" * 500 + b"]" * 500),
}


@pytest.mark.parametrize("case", LINES)
def test_malformed_lines_are_refused_in_the_same_words(case: str, tmp_path: Path) -> None:
    old, new = LINES[case]
    changed = line(row(2)).replace(old, new, 1)
    assert changed != line(row(2))
    by_row, by_block = both(put(tmp_path, log(row(1), changed, row(3))))
    assert by_row
    assert by_block == by_row


UNUSUAL = {
    "spaces before": (b'{"boat"', b' {"boat"'),
    "spaces after": (b"}\n", b"} \n"),
    "no spaces": (b": ", b":"),
    "CR within": (b', "seq"', b',\r"seq"'),
    "an escape": (b'"P2"', b'"P\\u0032"'),
    "other letters": (b'"P2"', '"Zoë"'.encode()),
    "other letters, escaped": (b'"P2"', b'"Zo\\u00eb"'),
    "null": (b'"fare"', b'"sea": null, "fare"'),
    "an extra": (b'"fare"', b'"x_note": "a", "fare"'),
    "an extra that is a number": (b'"fare"', b'"x_note": 7, "fare"'),
}


@pytest.mark.parametrize("case", UNUSUAL)
def test_unusual_lines_are_read(case: str, tmp_path: Path) -> None:
    old, new = UNUSUAL[case]
    changed = line(row(2)).replace(old, new, 1)
    assert changed != line(row(2))
    path = put(tmp_path, log(row(1), changed, row(3)))
    assert flat(batches(path)) == read(path)


@pytest.mark.parametrize(
    "data",
    [
        body(*ROWS),
        body(*ROWS)[:-1],
        log(*ROWS)[:-1],
        log(*ROWS)[:-40],
        log(*ROWS) + line(row(9)),
        log(*ROWS) + b"\n",
        body(*ROWS) + trailer(body(*ROWS), 3),
        body(*ROWS) + trailer(body(*ROWS[:-1]), len(ROWS)),
        body() + b" " * 3_000_000,
    ],
    ids=["none", "no end", "no last LF", "cut", "a row after", "a line after", "count", "digest", "no lines"],
)
def test_trailers_that_vouch_for_nothing(data: bytes, tmp_path: Path) -> None:
    by_row, by_block = both(put(tmp_path, data))
    assert by_row
    assert by_block == by_row


@pytest.mark.parametrize("block", [50, 1 << 20])
@pytest.mark.parametrize("bad", [True, False])
def test_what_breaks_off_is_refused_for_what_comes_first(
    bad: bool, block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsonblocks, "BLOCK", block)
    rows = [row(n) for n in range(1, 400)]
    if bad:
        rows[1]["fare"] = 10.5
    whole = gzip.compress(log(*rows))
    by_row, by_block = both(put(tmp_path, whole[: len(whole) // 2], "day.jsonl.gz"))
    assert ("10.5" if bad else "gzip") in by_row[0]
    assert by_block == by_row


PIECES = st.sampled_from(
    [
        *(b'"', b"{", b"}", b",", b":", b"[", b"]", b"\\", b"/", b" ", b"\n", b"\t", b"\r"),
        *(b"0", b"1", b"-0", b".5", b"e1", b"null", b"true", b"\xc3\xab", b"\xff", b'"seq":', b'"x_a":1,'),
    ]
)


@settings(max_examples=150, deadline=None)
@given(changes=st.lists(st.tuples(st.integers(0, 400), st.integers(0, 3), PIECES), min_size=1, max_size=2))
def test_lines_and_blocks_agree_on_any_bytes(
    changes: list[tuple[int, int, bytes]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    rows = b"".join(line(fields) for fields in (row(1), row(2, x_note="ä"), row(3, concession=True)))
    for at, gone, piece in changes:
        at %= len(rows)
        rows = rows[:at] + piece + rows[at + gone :]
    path = put(tmp_path_factory.mktemp("blocks"), log(rows))
    by_row, by_block = both(path)
    assert by_block == by_row
    if not by_row:
        assert flat(batches(path)) == read(path)


def test_a_manifest_of_columns_agrees(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [row(n) for n in range(1, 50)]
    path = put(tmp_path, log(*rows))
    assert [fields["fare"] for _, fields in flat(batches(path))] == [fields["fare"] for fields in rows]
    assert json.loads(path.read_bytes().splitlines()[1]) == rows[0]
