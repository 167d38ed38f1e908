"""Rows that were written come back the same, in every format; and no bytes make the readers fall over."""

from __future__ import annotations

import itertools
import string
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from log_ferry import SCHEMA, TYPED, log, read, row

from verifier.errors import LogError
from verifier.log.header import Header, header_fields, parse_header
from verifier.log.rows import Correction, Row
from verifier.log.sources import open_log
from verifier.log.write import checked_fields, row_fields, write_csv, write_jsonl, write_parquet

QUICK = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])

line_text = st.text(
    st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"], exclude_characters=["\ufffe", "\uffff"]),
    min_size=1,
    max_size=20,
).filter(lambda text: not any("\ufdd0" <= c <= "\ufdef" for c in text))
note = st.text(
    st.characters(categories=["L", "N", "P", "Zs"], include_characters="\n\r\t"), min_size=1, max_size=12
)
ident = st.text(string.ascii_letters + string.digits + "-", min_size=1, max_size=8)
money = st.integers(-(2**63), 2**63 - 1)


@st.composite
def shapes(draw: st.DrawFn) -> tuple[str, tuple[object, ...]]:
    kind = draw(st.sampled_from(sorted(SCHEMA.events)))
    seat = st.tuples(st.sampled_from("ABC"), st.integers(1, 20))
    options: dict[str, tuple[st.SearchStrategy[object], ...]] = {
        "board": (ident, seat, money, st.none() | st.booleans()),
        "refund": (ident, money),
        "weather": (st.sampled_from(["calm", "choppy", "rough"]), st.none() | line_text),
        "depart": (st.none() | st.integers(0, 600),),
        "moor": (),
    }
    return kind, tuple(draw(strategy) for strategy in options[kind])


@st.composite
def logs(draw: st.DrawFn) -> list[Row]:
    """Rounds of two boats, one after another, some rows corrected in their round."""
    rows: list[Row] = []
    start = {"Kea": draw(st.integers(0, 5)), "Tui": 1}
    for number, boat in enumerate(draw(st.lists(st.sampled_from(["Kea", "Tui"]), max_size=4)), 1):
        seq = itertools.count(start[boat])
        batch: list[Row] = []
        for _ in range(draw(st.integers(1, 4))):
            kind, values = draw(shapes())
            extras: dict[str, object] = {"x_note": draw(note)} if draw(st.booleans()) else {}
            actor = draw(st.sampled_from(SCHEMA.actors))
            batch.append(Row("f", 0, (boat, 1, number), next(seq), None, actor, kind, values, extras))
        for _ in range(draw(st.integers(0, 2))):
            index = draw(st.integers(0, len(batch) - 1))
            kind, values = draw(shapes())
            old = batch[index]
            by = Correction("f", 0, old.lives, next(seq), None, "purser", old.seq, kind, "skipper", values)
            batch[index] = Row(
                "f",
                0,
                old.lives,
                old.seq,
                None,
                "skipper",
                kind,
                values,
                old.extras,
                original=old,
                correction=by,
            )
        rows += batch
        start[boat] = next(seq)
    return rows


def bare(entry: Any) -> Any:
    """A row without file and line, its corrections likewise."""
    if entry is None:
        return None
    if isinstance(entry, Correction):
        return (
            entry.lives,
            entry.seq,
            entry.actor,
            entry.corrects,
            entry.event,
            entry.corrected_actor,
            entry.values,
        )
    content = (entry.lives, entry.seq, entry.at, entry.actor, entry.event, entry.values, dict(entry.extras))
    return (*content, bare(entry.original), bare(entry.correction))


def by_table(rows: list[Row]) -> list[Any]:
    return [bare(entry) for entry in sorted(rows, key=lambda entry: (str(entry.lives[0]), entry.seq))]


@QUICK
@given(logs(), st.sampled_from(["jsonl", "jsonl.gz", "jsonl.zst", "csv", "csv.gz", "csv.zst", "parquet"]))
def test_round_trip(rows: list[Row], ending: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"day.{ending}"
        if ending.startswith("jsonl"):
            seal = write_jsonl(path, SCHEMA, TYPED, rows)
        elif ending.startswith("csv"):
            seal = write_csv(path, SCHEMA, TYPED, rows, ["x_note"])
        else:
            seal = write_parquet(path, SCHEMA, TYPED, rows, ["x_note"])
        with open_log(path, SCHEMA) as file:
            assert by_table(list(file.rows())) == by_table(rows)
            assert (file.header, file.events, file.sealed) == (TYPED, seal.events, seal.sha256)


def test_the_header_comes_back() -> None:
    header = Header(
        "A", "ferry/strait-1990", "NZD", 0, "a" * 64, {"luggage": 2}, frozenset({"board", "moor"}),
        frozenset({"moor"}), frozenset({"at", "board.fare"}), {"x_a": 1},
    )  # fmt: skip
    assert parse_header(header_fields(header, SCHEMA), SCHEMA) == header
    assert parse_header(header_fields(TYPED, SCHEMA), SCHEMA) == TYPED


def test_what_a_reader_would_refuse_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="row 2 cannot be written: field seq: found 3, expected 2"):
        write_jsonl(tmp_path / "a.jsonl", SCHEMA, TYPED, [row(1), row(3)])
    with pytest.raises(ValueError, match="field fare: found a value of type float, expected a whole number"):
        list(checked_fields(SCHEMA, TYPED, [row(1, fare=10.5)]))
    with pytest.raises(ValueError, match="not among the extras"):
        write_csv(tmp_path / "a.csv", SCHEMA, TYPED, [row(1, x_a="b")])
    with pytest.raises(ValueError, match="columns are text"):
        write_parquet(tmp_path / "a.parquet", SCHEMA, TYPED, [row(1, x_a=1)], ["x_a"])


def test_rows_as_fields(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "a.jsonl", SCHEMA, TYPED, [row(1), row(2, x_a=True)])
    rows = read(tmp_path / "a.jsonl")
    assert [row_fields(SCHEMA, entry) for entry in rows] == [row(1), row(2, x_a=True)]


@pytest.mark.parametrize("text", ["\r", "a\rb", "\n", "\r\n", '"', ",", " ", '""\n"'])
def test_csv_quotes_what_needs_it(text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    write_csv(path, SCHEMA, TYPED, [row(1, x_note=text), row(2)], ["x_note"])
    assert [entry.extras.get("x_note") for entry in read(path)] == [text, None]


GOOD = log(row(1, x_a="é"), row(2), row(3, crossing=2))


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, len(GOOD) - 1), st.binary(max_size=3), st.integers(0, 3)),
        min_size=1,
        max_size=4,
    )
)
def test_damaged_json_lines_are_refused_or_read(changes: list[tuple[int, bytes, int]]) -> None:
    data = GOOD
    for at, inserted, dropped in changes:
        data = data[:at] + inserted + data[at + dropped :]
    survives(data, "jsonl", changed=data != GOOD)


@settings(max_examples=150, deadline=None)
@given(
    st.one_of(st.binary(max_size=60), st.text("{}[]:,-&*!|>#'\"%@`?ab1 \n\t", max_size=60).map(str.encode))
)
def test_any_bytes_are_refused(data: bytes) -> None:
    survives(data, "jsonl")
    survives(data, "yaml")
    survives(b"ruleset: ferry/strait-1990\nevents:\n- " + data, "yaml")


def survives(data: bytes, kind: Any, *, changed: bool = False) -> None:
    """Whatever it is, it is read or refused in words that can be printed; no other exception comes out."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "day"
        path.write_bytes(data)
        refusal = ""
        try:
            read(path, format=kind)
        except LogError as error:
            refusal = str(error)
    assert refusal.replace("\n", "").isprintable()
    if changed and not refusal:
        # The digest vouches for every byte but the trailer's own spelling.
        rows = GOOD.index(b'{"gazette-log-end')
        assert data[:rows] == GOOD[:rows]
