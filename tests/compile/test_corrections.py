"""Logs with corrections: what the kernel and several processes say is what the interpreter says of them row by row."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from both_engines import comparable
from corrections import SOUND, WAYS, Fields, interleaved, with_corrections
from logs import ready
from sharing import NAME
from test_shares_lines import TOLD, put, put_csv
from test_shares_set_down import by_all

from verifier.check.engine import check
from verifier.errors import LogError
from verifier.log.corrected import corrections_in
from verifier.log.limits import LIMITS
from verifier.log.rows import Row
from verifier.log.sources import LogFile, open_log
from verifier.log.strict import Malformed
from verifier.simulate.simulate import simulate

SCHEMA = ready(NAME).binding.schema
KINDS = ("jsonl", "csv", "parquet")


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A block is a few dozen rows, and a log of any size is shared."""
    monkeypatch.setattr("verifier.log.lineblocks.BLOCK", 4096)
    monkeypatch.setattr("verifier.log.lineblocks.BUNDLE", 6000)
    monkeypatch.setattr("verifier.log.ordered.ROWS", 50)
    monkeypatch.setattr("verifier.log.corrected.ROWS", 40)
    monkeypatch.setattr("verifier.check.opening.SHARED_ROWS", 0)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, list[Fields]]:
    """A header, and rows of tables in turn, with faults."""
    path = tmp_path_factory.mktemp("plain") / "log.jsonl"
    simulate(
        ready(NAME), path, 12, seed=5, faults=0.3, key=path.with_name("key"), distinct=6, per_table=4, jobs=1
    )
    head, *lines = path.read_bytes().splitlines(keepends=True)
    rows = [json.loads(one) for one in lines[:-1]]
    return head, list(interleaved(rows, Random(2), "table"))


def write(path: Path, head: bytes, rows: list[Fields]) -> Path:
    names = list(dict.fromkeys(name for row in rows for name in row))
    header = path.with_name("header")
    Path(f"{header}{TOLD}").write_bytes(head)
    match path.suffix:
        case ".jsonl":
            return put(path, [head, *(json.dumps(row).encode() + b"\n" for row in rows)])
        case ".csv":
            out = io.StringIO(newline="")
            table = csv.DictWriter(out, names, lineterminator="\n")
            table.writeheader()
            table.writerows(
                [{k: str(v).lower() if type(v) is bool else v for k, v in row.items()} for row in rows]
            )
            data = out.getvalue().encode()
        case _:
            sink = io.BytesIO()
            columns = pa.table({name: [row.get(name) for row in rows] for name in names})
            pq.write_table(columns, sink, row_group_size=50)
            data = sink.getvalue()
    return put_csv(path, data, header, len(rows))


@pytest.mark.parametrize("sort", [False, True])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", SOUND)
def test_corrected_rows_are_judged_as_corrected(
    way: str,
    kind: str,
    sort: bool,
    plain: tuple[bytes, list[Fields]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    head, rows = plain
    dice = Random(way)
    found = with_corrections(rows, SCHEMA, dice, [way] * 3)
    if sort:
        dice.shuffle(found)
    path = write(tmp_path / f"log.{kind}", head, found)
    one, other, several = by_all(path, sort=sort)
    assert comparable(other) == comparable(one)
    assert comparable(several) == comparable(one)
    before = check([write(tmp_path / f"before.{kind}", head, rows)], ready(NAME))
    assert one.entries != before.entries
    assert one.events == before.events
    (file,) = one.files
    assert (file.events, file.corrections) == (len(rows), len(found) - len(rows))
    assert file.arranged.ordered == sort

    # and nobody reads the rows one by one
    monkeypatch.setattr(LogFile, "rows", lambda self: pytest.fail("row by row"))
    assert comparable(check([path], ready(NAME), engine="bulk", sort=sort)) == comparable(one)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", [way for way in WAYS if way not in SOUND])
def test_corrections_that_are_none_are_refused_in_the_same_words(
    way: str, kind: str, plain: tuple[bytes, list[Fields]], tmp_path: Path
) -> None:
    head, rows = plain
    said: list[str | Any] = []
    for seed in range(3):
        dice = Random(f"{way} {seed}")
        found = with_corrections(rows, SCHEMA, dice, [*dice.choices(SOUND, k=2), way])
        path = write(tmp_path / f"log.{kind}", head, found)
        for how in ({"engine": "explain"}, {"engine": "bulk"}, {"jobs": 3}):
            try:
                said.append(comparable(check([path], ready(NAME), **how)))  # type: ignore[arg-type]
            except LogError as error:
                said.append(str(error))
        assert said[-3] == said[-2] == said[-1]
    assert any(isinstance(one, str) for one in said) or way == "the table goes back"


def test_a_table_goes_on_in_another_file_behind_a_correction(
    plain: tuple[bytes, list[Fields]], tmp_path: Path
) -> None:
    head, rows = plain
    first = next(row["round"] for row in rows)
    ended = with_corrections(
        [row for row in rows if row["round"] == first], SCHEMA, Random(1), [SOUND[-1]] * 2
    )
    last = {row["table"]: row["seq"] for row in ended}
    rest = [dict(row) for row in rows if row["round"] != first]
    for row in rest:
        row["seq"] = last[row["table"]] = last.get(row["table"], 0) + 1
    (tmp_path / "logs").mkdir()
    write(tmp_path / "logs" / "a.csv", head, ended)
    write(tmp_path / "logs" / "b.jsonl", head, rest)
    one, other, several = by_all(tmp_path / "logs")
    assert comparable(one) == comparable(other) == comparable(several)
    for row in rest:
        row["seq"] += row["table"] == rest[0]["table"]
    write(tmp_path / "logs" / "b.jsonl", head, rest)
    with pytest.raises(LogError, match="the next after"):
        check([tmp_path / "logs"], ready(NAME))


def test_what_is_corrected_is_told_with_what_it_was(
    plain: tuple[bytes, list[Fields]], tmp_path: Path
) -> None:
    head, rows = plain
    path = write(
        tmp_path / "log.csv", head, with_corrections(rows, SCHEMA, Random(4), ["twice", "another event"])
    )
    with open_log(path, SCHEMA) as log:
        expected = {row.line - 2: row for row in log.rows() if row.correction is not None}
    with open_log(path, SCHEMA) as log:
        assert log.columnar is not None
        found = corrections_in(str(path), log.columnar, SCHEMA, log.header, LIMITS)
    assert dict(found.rows) == expected
    assert len(expected) == 2
    assert any(
        isinstance(row.original, Row) and row.original.original is not None for row in expected.values()
    )
    assert [int(place) for place in found.left_out] == sorted(found.left_out)


def test_a_log_that_is_corrected_everywhere_is_read_row_by_row(
    plain: tuple[bytes, list[Fields]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    head, rows = plain
    path = write(tmp_path / "log.csv", head, with_corrections(rows, SCHEMA, Random(4), ["twice"] * 4))
    monkeypatch.setattr("verifier.log.corrected.MOST", 5)
    with open_log(path, SCHEMA) as log:
        columnar = log.columnar
        assert columnar is not None
        with pytest.raises(Malformed):
            corrections_in(str(path), columnar, SCHEMA, log.header, LIMITS)
    one = check([path], ready(NAME), engine="explain")
    assert comparable(check([path], ready(NAME), engine="bulk")) == comparable(one)


@pytest.mark.parametrize("sort", [False, True])
@pytest.mark.parametrize(
    ("column", "type_"),
    [("round", pa.uint8()), ("round", pa.uint64()), ("seq", pa.uint32()), ("corrects", pa.uint16())]
    + [(name, pa.string_view()) for name in ("x_note", "table", "event", "corrected_event", "at")],
)
def test_columns_of_other_types(
    column: str, type_: Any, sort: bool, plain: tuple[bytes, list[Fields]], tmp_path: Path
) -> None:
    head, rows = plain
    found = with_corrections(rows, SCHEMA, Random(4), ["twice", "another amount"])
    found = [{**row, "x_note": "a"} for row in found]
    path = write(tmp_path / "log.parquet", head, found)
    table = pq.read_table(path)
    at = table.schema.get_field_index(column)
    table = table.set_column(at, column, table.column(column).cast(type_))
    pq.write_table(table, path)
    put_csv(path, path.read_bytes(), path.with_name("header"), len(found))
    one, other, several = by_all(path, sort=sort)
    assert comparable(one) == comparable(other) == comparable(several)
