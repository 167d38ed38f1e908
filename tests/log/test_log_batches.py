"""Typed batches: the same rows as the reader of rows gives, and the same refusals."""

from __future__ import annotations

import dataclasses
import io
import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from log_ferry import SCHEMA, encode_seat, log, manifest, row

from verifier.errors import LogError
from verifier.log.batches import Batch, batch_schema, typed_batches
from verifier.log.limits import LIMITS
from verifier.log.schema_arrow import to_arrow
from verifier.log.sources import open_log

ROWS = [
    row(1),
    row(2, "weather", actor="skipper", sea="calm", remark="wind"),
    row(3, concession=True, x_note="a", seat="A20"),
    row(1, boat="Tui", passenger="P7"),
    row(4, "moor", actor="skipper", crossing=None),
    row(2, "depart", actor="skipper", boat="Tui", delay=600),
    row(5, crossing=2, fare=-5, tide=2),
]


def put(folder: Path, rows: list[dict[str, Any]], events: int | None = None, **changes: Any) -> Path:
    names = {name for fields in rows for name in fields}
    arrow = to_arrow(SCHEMA)
    fields = [
        pa.field(f.name, f.type) for f in arrow if f.name in names or f.name in ("event", "seq", "actor")
    ]
    fields += [(name, pa.string()) for name in sorted(names) if name.startswith("x_")]
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows, pa.schema(fields)), out)
    path = folder / "day.parquet"
    path.write_bytes(out.getvalue())
    path.with_name(path.name + ".manifest.json").write_text(
        json.dumps(manifest(out.getvalue(), len(rows) if events is None else events, **changes))
    )
    return path


def batches(path: Path, rows: int = 65_536) -> list[Batch]:
    return list(typed_batches([open_log(path, SCHEMA)], SCHEMA, rows))


def flat(found: list[Batch]) -> list[tuple[int, dict[str, object]]]:
    return [
        (line, {name: value for name, value in fields.items() if value is not None})
        for batch in found
        for line, fields in zip(batch.lines.to_pylist(), batch.data.to_pylist(), strict=True)
    ]


def read(path: Path) -> list[tuple[int, dict[str, object]]]:
    found = []
    for one in open_log(path, SCHEMA).rows():
        fields: dict[str, object] = {"seq": one.seq, "actor": one.actor, "event": one.event, "at": one.at}
        fields |= zip((life.name for life in SCHEMA.lives), one.lives, strict=True)
        for name, value in zip(SCHEMA.events[one.event].parameters, one.values, strict=True):
            fields[name] = encode_seat(value) if name == "seat" else value
        found.append((one.line, {name: value for name, value in fields.items() if value is not None}))
    return sorted(found)


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_columns_give_what_rows_give(size: int, tmp_path: Path) -> None:
    path = put(tmp_path, ROWS)
    found = batches(path, size)
    assert sorted(flat(found)) == read(path)
    assert all(batch.data.schema == batch_schema(SCHEMA) for batch in found)
    assert {batch.file for batch in found} == {str(path)}


def test_a_log_without_columns_is_read_row_by_row(tmp_path: Path) -> None:
    path = tmp_path / "day.jsonl"
    path.write_bytes(log(*ROWS))
    assert sorted(flat(batches(path))) == read(path)


def test_corrected_rows_come_as_corrected(tmp_path: Path) -> None:
    correction = row(2, "correction", actor="purser", corrects=1, corrected_event="board")
    correction |= {"corrected_actor": "passenger", "passenger": "P1", "seat": "B4", "fare": 2000}
    path = put(tmp_path, [row(1), correction, row(3)])
    found = flat(batches(path))
    assert found == read(path)
    assert [fields["fare"] for _, fields in found] == [2000, 1050]


def test_the_tally_is_filled_in(tmp_path: Path) -> None:
    file = open_log(put(tmp_path, ROWS), SCHEMA)
    list(typed_batches([file], SCHEMA))
    assert (file.complete, file.events, file.digest) == (True, len(ROWS), file.sealed)


def both(path: Path) -> tuple[list[str], list[str]]:
    """What the reader of rows says of a file, and what comes of its batches."""
    said: list[list[str]] = []
    for what in (lambda: read(path), lambda: batches(path, 3)):
        try:
            what()
            said.append([])
        except LogError as error:
            said.append([str(problem) for problem in error.problems])
    return said[0], said[1]


BAD: dict[str, dict[str, Any]] = {
    "a gap": {"seq": 4},
    "a repeat": {"seq": 2},
    "no seq": {"seq": None},
    "no fare": {"fare": None},
    "no actor": {"actor": None},
    "no event": {"event": None},
    "an unknown event": {"event": "fly"},
    "an unknown actor": {"actor": "pirate"},
    "another event's column": {"sea": "calm"},
    "a word not declared": {"event": "weather", "passenger": None, "seat": None, "fare": None, "sea": "wild"},
    "a seat there is not": {"seat": "Z9"},
    "a space at the end": {"passenger": "P3 "},
    "control characters": {"passenger": "P\x00"},
    "not composed": {"passenger": "e\u0301"},
    "no life": {"tide": None},
    "a life out of range": {"tide": 0},
    "too long": {"passenger": "P" * 65},
    "too large": {"event": "depart", "passenger": None, "seat": None, "fare": None, "delay": 601},
    "empty text": {"passenger": ""},
    "an empty extra": {"x_note": ""},
    "a time of a log without": {"at": "2024-03-01T20:15:00Z"},
    "corrects without a correction": {"corrects": 1},
    "a correction of nothing": {"event": "correction", "corrects": 9, "corrected_event": "board"},
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.parametrize("place", [2, 4])
def test_malformed_rows_are_refused_in_the_same_words(case: str, place: int, tmp_path: Path) -> None:
    rows = [row(n) for n in range(1, 6)]
    changed = dict(BAD[case])
    if "seq" in changed and changed["seq"] is not None and place == 4:
        changed["seq"] += 2
    rows[place] = {k: v for k, v in (rows[place] | changed).items() if v is not None}
    by_row, by_column = both(put(tmp_path, rows))
    assert by_row
    assert by_column == by_row


@pytest.mark.parametrize(
    "time",
    [
        "2024-02-30T20:15:00Z", "2024-03-01T20:15:00", "2024-03-01 20:15:00Z", "2024-03-01t20:15:00Z",
        "2024-03-01T24:00:00Z", "2024-03-01T20:15:60Z", "", "yesterday",
    ],
)  # fmt: skip
def test_times_that_are_none(time: str, tmp_path: Path) -> None:
    rows = [row(n, at="2024-02-29T20:15:00+13:00") for n in range(1, 4)]
    rows[1]["at"] = time
    by_row, by_column = both(put(tmp_path, rows, missing_columns=[]))
    assert by_row
    assert by_column == by_row


@pytest.mark.parametrize("bad", [True, False])
@pytest.mark.parametrize("column", ["event", "seat"])
def test_what_breaks_off_is_refused_for_what_comes_first(bad: bool, column: str, tmp_path: Path) -> None:
    batch = LIMITS.batch
    rows = [row(n) for n in range(1, batch + 3)]
    if bad:
        rows[1]["passenger"] = "P\x00"
    arrow = pa.schema([field for field in to_arrow(SCHEMA) if field.name in rows[0]])
    out = io.BytesIO()
    table = pa.Table.from_pylist(rows, arrow)
    pq.write_table(table, out, row_group_size=batch, write_page_checksum=True, use_dictionary=False)
    data = bytearray(out.getvalue())
    place = next(c for c in range(len(rows[0])) if arrow.names[c] == column)
    chunk = pq.ParquetFile(out).metadata.row_group(1).column(place)
    data[chunk.data_page_offset + chunk.total_compressed_size - 1] ^= 1
    path = tmp_path / "day.parquet"
    path.write_bytes(data)
    path.with_name(path.name + ".manifest.json").write_text(json.dumps(manifest(bytes(data), len(rows))))
    by_row, by_column = both(path)
    assert ("field passenger" if bad else "broken Parquet") in by_row[0]
    assert by_column == by_row


def test_a_wrong_count_is_refused(tmp_path: Path) -> None:
    by_row, by_column = both(put(tmp_path, ROWS, events=9))
    assert by_row
    assert by_column == by_row


VALUES: dict[str, Any] = {
    "boat": st.sampled_from(["Kea", "Tui", None]),
    "tide": st.sampled_from([1, 2, 0, None]),
    "crossing": st.sampled_from([1, None]),
    "seq": st.sampled_from([0, 1, 2, 3, None]),
    "actor": st.sampled_from(["passenger", "purser", "skipper", "pirate", None]),
    "event": st.sampled_from(["board", "weather", "depart", "moor", "refund", "fly", None]),
    "passenger": st.sampled_from(["P1", "P2", " ", None]),
    "seat": st.sampled_from(["A1", "Z1", None]),
    "fare": st.sampled_from([0, 10, None]),
    "delay": st.sampled_from([0, 600, 601, None]),
    "sea": st.sampled_from(["calm", "wild", None]),
    "concession": st.sampled_from([True, None]),
}


@settings(max_examples=60, deadline=None)
@given(
    start=st.integers(0, 5),
    changes=st.lists(st.tuples(st.integers(0, 5), st.sampled_from(sorted(VALUES)), st.data()), max_size=2),
)
def test_columns_and_rows_agree_on_any_table(
    start: int, changes: list[tuple[int, str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    rows = [row(start + n) for n in range(6)]
    for place, name, data in changes:
        rows[place] = {
            k: v for k, v in (rows[place] | {name: data.draw(VALUES[name])}).items() if v is not None
        }
    path = put(tmp_path_factory.mktemp("any"), rows)
    by_row, by_column = both(path)
    assert by_column == by_row
    if not by_row:
        assert sorted(flat(batches(path, 2))) == read(path)


def test_a_text_that_no_row_has_is_no_fault(tmp_path: Path) -> None:
    """A dictionary may hold what was deleted from the rows."""
    rows = [row(n) for n in range(1, 5)]
    table = pa.Table.from_pylist(rows, pa.schema([f for f in to_arrow(SCHEMA) if f.name in rows[0]]))
    for bad in ("P\x00", "P1 ", "P" * 65):
        texts = pa.array(["P1", bad])
        codes = pa.DictionaryArray.from_arrays(pa.array([0, 0, 0, 0], pa.int32()), texts)
        at = table.schema.get_field_index("passenger")
        out = io.BytesIO()
        pq.write_table(table.set_column(at, "passenger", codes), out)
        path = tmp_path / "day.parquet"
        path.write_bytes(out.getvalue())
        path.with_name(path.name + ".manifest.json").write_text(json.dumps(manifest(out.getvalue(), 4)))
        assert flat(batches(path)) == read(path)
        assert {fields["passenger"] for _, fields in read(path)} == {"P1"}


def test_a_kind_of_event_that_no_row_of_a_batch_is(tmp_path: Path) -> None:
    """Another batch's words stand in the dictionary that both share; what a batch has is of the schema's kinds."""
    rows = [row(n) for n in range(1, 5)]
    table = pa.Table.from_pylist(rows, pa.schema([f for f in to_arrow(SCHEMA) if f.name in rows[0]]))
    texts = pa.array(["board", "fly"])
    for kinds, refused in (([0, 0, 0, 0], False), ([0, 0, 0, 1], True)):
        codes = pa.DictionaryArray.from_arrays(pa.array(kinds, pa.int32()), texts)
        out = io.BytesIO()
        pq.write_table(table.set_column(table.schema.get_field_index("event"), "event", codes), out)
        path = tmp_path / "day.parquet"
        path.write_bytes(out.getvalue())
        path.with_name(path.name + ".manifest.json").write_text(json.dumps(manifest(out.getvalue(), 4)))
        found: list[Batch] = []
        with ExitStack() as closing:
            if refused:
                closing.enter_context(pytest.raises(LogError, match="fly"))
            found.extend(typed_batches([open_log(path, SCHEMA)], SCHEMA, 2))
        assert refused or len(found) == 2
        for batch in found:
            assert set(batch.data.column("event").dictionary.to_pylist()) == {"board"}


def test_a_number_that_is_no_choice_is_refused(tmp_path: Path) -> None:
    """In the same words, though it lies between the smallest and the largest."""
    delay = dataclasses.replace(SCHEMA.columns["delay"], choices=(0, 60, 600))
    schema = dataclasses.replace(SCHEMA, columns={**SCHEMA.columns, "delay": delay})
    said: list[list[str]] = []
    for minutes in (60, 61):
        late = row(2, "depart", actor="skipper", delay=minutes)
        path = put(tmp_path, [row(1), late, row(3), row(4)])
        for read_all in (
            lambda path=path: list(open_log(path, schema).rows()),
            lambda path=path: list(typed_batches([open_log(path, schema)], schema)),
        ):
            try:
                read_all()
                said.append([])
            except LogError as error:
                said.append([str(problem) for problem in error.problems])
    assert said[0] == said[1] == []
    assert said[2] == said[3] != []
