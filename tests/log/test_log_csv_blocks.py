"""CSV by blocks: the same rows as record by record, and the same refusals, whatever the records hold."""

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from log_ferry import SCHEMA, manifest, row
from test_log_batches import BAD, ROWS, batches, both, flat, read

from verifier.log import csvblocks
from verifier.log.assemble import Corrections
from verifier.log.batches import batch_schema, typed_batches
from verifier.log.sources import open_log

COLUMNS = [
    "boat",
    "tide",
    "crossing",
    "seq",
    "actor",
    "event",
    "passenger",
    "seat",
    "fare",
    "concession",
    "sea",
]
COLUMNS += ["remark", "delay", "x_note", "corrects", "corrected_event", "corrected_actor"]


def written(rows: Sequence[dict[str, Any]], ending: str = "\n", quoting: Any = csv.QUOTE_MINIMAL) -> bytes:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator=ending, quoting=quoting)
    writer.writerow(COLUMNS)
    for fields in rows:
        assert set(fields) <= {*COLUMNS, "at"}
        writer.writerow(
            [
                str(v).lower() if isinstance(v, bool) else "" if v is None else str(v)
                for v in map(fields.get, COLUMNS)
            ]
        )
    return out.getvalue().encode()


def put(folder: Path, data: bytes, events: int, name: str = "day.csv", **changes: Any) -> Path:
    path = folder / name
    path.write_bytes(data)
    plain = gzip.decompress(data) if name.endswith(".gz") and not changes.pop("broken", False) else data
    path.with_name(name + ".manifest.json").write_text(json.dumps(manifest(plain, events, **changes)))
    return path


def in_columns(path: Path) -> bool:
    """Whether the file is read so, and no record of it by itself."""
    with open_log(path, SCHEMA) as file:
        return file.columnar is not None and file.columnar.corrected() is Corrections.NONE


@pytest.mark.parametrize("block", [1, 100, 1000, 1 << 20])
@pytest.mark.parametrize("size", [1, 3, 100])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_blocks_give_what_records_give(
    block: int, size: int, ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csvblocks, "BLOCK", block)
    path = put(tmp_path, written(ROWS, ending), len(ROWS))
    found = batches(path, size)
    assert in_columns(path)
    assert sorted(flat(found)) == read(path)
    assert all(batch.data.schema == batch_schema(SCHEMA) for batch in found)


@pytest.mark.parametrize("quoting", [csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])
@pytest.mark.parametrize("block", [100, 1 << 20])
def test_quoted_cells(quoting: int, block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csvblocks, "BLOCK", block)
    path = put(tmp_path, written([*ROWS, row(6, x_note="a, b")], quoting=quoting), len(ROWS) + 1)
    assert in_columns(path)
    assert sorted(flat(batches(path))) == read(path)


@pytest.mark.parametrize("block", [100, 1 << 20])
@pytest.mark.parametrize("place", [0, 3, 8])
@pytest.mark.parametrize("note", ['say "a"', "a\\b", "tab\there", "Zoë"])
def test_records_that_are_not_plain(
    note: str, place: int, block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From there on they are read one by one, with the lines on which they stand."""
    monkeypatch.setattr(csvblocks, "BLOCK", block)
    rows = [row(n) for n in range(1, 10)]
    rows[place]["x_note"] = note
    for data in (written(rows), written(rows)[:-1]):
        path = put(tmp_path, data, len(rows))
        assert in_columns(path)
        assert flat(batches(path)) == read(path)


def test_a_record_on_several_lines_is_read_by_itself(tmp_path: Path) -> None:
    rows = [row(1), row(2, x_note="a\nb"), row(3)]
    path = put(tmp_path, written(rows), 3)
    assert not in_columns(path)
    assert flat(batches(path)) == read(path)
    assert [line for line, _ in read(path)] == [2, 3, 5]


def test_a_compressed_file_is_read_so_too(tmp_path: Path) -> None:
    path = put(tmp_path, gzip.compress(written(ROWS)), len(ROWS), "day.csv.gz")
    assert in_columns(path)
    assert sorted(flat(batches(path))) == read(path)


def test_the_tally_is_filled_in(tmp_path: Path) -> None:
    path = put(tmp_path, written(ROWS), len(ROWS))
    file, again = open_log(path, SCHEMA), open_log(path, SCHEMA)
    list(typed_batches([file], SCHEMA))
    list(again.rows())
    told = (file.complete, file.events, file.digest, file.sealed)
    assert told == (again.complete, again.events, again.digest, again.sealed)


@pytest.mark.parametrize("data", [written([]), written([])[:-1]])
def test_an_empty_log_has_no_rows(data: bytes, tmp_path: Path) -> None:
    path = put(tmp_path, data, 0)
    assert batches(path) == []
    assert read(path) == []


def test_corrected_rows_come_as_corrected(tmp_path: Path) -> None:
    fields = {"corrects": 1, "corrected_event": "board", "corrected_actor": "passenger", "passenger": "P1"}
    correction = row(2, "correction", actor="purser", seat="B4", fare=2000, **fields)
    for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL):
        path = put(tmp_path, written([row(1), correction, row(3)], quoting=quoting), 3)
        found = flat(batches(path))
        assert found == read(path)
        assert [fields["fare"] for _, fields in found] == [2000, 1050]


@pytest.mark.parametrize("case", [case for case in BAD if case != "a time of a log without"])
def test_malformed_rows_are_refused_in_the_same_words(case: str, tmp_path: Path) -> None:
    rows = [row(n) for n in range(1, 6)]
    rows[2] = {k: v for k, v in (rows[2] | BAD[case]).items() if v is not None}
    by_row, by_block = both(put(tmp_path, written(rows), len(rows)))
    # In CSV an empty cell is none.
    assert by_row or case == "an empty extra"
    assert by_block == by_row


RECORDS: dict[str, tuple[bytes, bytes]] = {
    "a cell too many": (b"P2", b"P2,"),
    "a cell too few": (b"B4,", b""),
    "a quote within": (b"P2", b'P"2'),
    "a quote left open": (b"P2", b'"P2'),
    "text behind a quote": (b"P2", b'"P2"x'),
    "a blank line": (b"Kea,1,1,2", b"\nKea,1,1,2"),
    "a line of CR LF": (b"Kea,1,1,2", b"\r\nKea,1,1,2"),
    "a lone CR": (b"P2", b"P2\r"),
    "CR before the end": (b"\nKea,1,1,3", b"\r\nKea,1,1,3"),
    "a fraction": (b"1050", b"1050.5"),
    "an exponent": (b"1050", b"1e3"),
    "a leading zero": (b"1050", b"01050"),
    "a plus sign": (b"1050", b"+1050"),
    "less than nothing, and nothing": (b"1050", b"-0"),
    "a minus sign": (b"1050", b"-"),
    "a space": (b"1050", b" 1050"),
    "over 64 bits": (b"1050", b"9223372036854775808"),
    "far over 64 bits": (b"1050", b"1" + b"0" * 40),
    "other digits": (b"1050", "١٠٥٠".encode()),
    "a word for a number": (b"1050", b"true"),
    "a number for true": (b"1050,", b"1050,1"),
    "True for true": (b"1050,", b"1050,True"),
    "no UTF-8": (b"P2", b"\xff"),
    "half a letter": (b"P2", b"\xc3"),
    "a control character": (b"P2", b"P\x012"),
    "a null byte": (b"P2", b"P\x002"),
    "a tab in text": (b"P2", b"P\t2"),
    "a byte order mark": (b"Kea,1,1,2", b"\xef\xbb\xbfKea,1,1,2"),
    "the names again": (b"Kea,1,1,2", ",".join(COLUMNS).encode() + b"\nKea,1,1,2"),
}


@pytest.mark.parametrize("block", [60, 1 << 20])
@pytest.mark.parametrize("case", RECORDS)
def test_malformed_records_are_refused_in_the_same_words(
    case: str, block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csvblocks, "BLOCK", block)
    old, new = RECORDS[case]
    good = written([row(1), row(2, passenger="P2", seat="B4", fare=1050), row(3)])
    second = good.index(b"Kea,1,1,2")
    changed = good[:second] + good[second:].replace(old, new, 1)
    assert changed != good
    by_row, by_block = both(put(tmp_path, changed, 3))
    assert by_row
    assert by_block == by_row


@pytest.mark.parametrize("note", ["a", 'a "b"'])
@pytest.mark.parametrize(("events", "cut", "more"), [(4, 0, b""), (3, 5, b""), (3, 0, b"\n"), (3, 0, b"x")])
def test_what_the_manifest_does_not_vouch_for(
    note: str, events: int, cut: int, more: bytes, tmp_path: Path
) -> None:
    data = written([row(1), row(2, x_note=note), row(3)])
    path = put(tmp_path, data, events)
    path.write_bytes(data[: len(data) - cut] + more)
    by_row, by_block = both(path)
    assert by_row
    assert by_block == by_row


@pytest.mark.parametrize("bad", [True, False])
def test_what_breaks_off_is_refused_for_what_comes_first(bad: bool, tmp_path: Path) -> None:
    rows = [row(n) for n in range(1, 400)]
    if bad:
        rows[1]["fare"] = 10.5
    whole = gzip.compress(written(rows))
    path = put(tmp_path, whole[: len(whole) // 2], 399, "day.csv.gz", broken=True)
    by_row, by_block = both(path)
    assert ("10.5" if bad else "gzip") in by_row[0]
    assert by_block == by_row


PIECES = st.sampled_from(
    [
        *(
            b'"',
            b'""',
            b",",
            b" ",
            b"\n",
            b"\r\n",
            b"\r",
            b"\t",
            b"\\",
            b"0",
            b"1",
            b"-",
            b".5",
            b"e1",
            b"true",
        ),
        *(b"\xc3\xab", b"\xff", b"\x00", b"Kea", b"board", b'"P1"'),
    ]
)


@settings(max_examples=300, deadline=None)
@given(
    changes=st.lists(st.tuples(st.integers(0, 400), st.integers(0, 3), PIECES), min_size=1, max_size=2),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    block=st.sampled_from([40, 1 << 20]),
)
def test_records_and_blocks_agree_on_any_bytes(
    changes: list[tuple[int, int, bytes]], quoting: int, block: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    data = written([row(1), row(2, x_note="ä"), row(3, concession=True)], quoting=quoting)
    for at, gone, piece in changes:
        at %= len(data)
        data = data[:at] + piece + data[at + gone :]
    path = put(tmp_path_factory.mktemp("blocks"), data, 3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csvblocks, "BLOCK", block)
        by_row, by_block = both(path)
        assert by_block == by_row
        if not by_row:
            assert flat(batches(path)) == read(path)
