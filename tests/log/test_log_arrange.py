"""A casino's own names for columns, rows in any order, patterns of files: as strict as any other log."""

from __future__ import annotations

import gzip
import io
import json
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from log_ferry import SCHEMA, log, manifest, put_csv, read, refusal, row

from verifier.errors import RequestError
from verifier.log.arrange import Arrange, read_columns
from verifier.log.rows import Row
from verifier.log.sources import find_logs

MAP = """\
columns:
  boat: vessel
  fare: FARE_CENTS
  x_clerk: badge
ignore: [created by]
"""

NAMES = {"boat": "vessel", "fare": "FARE_CENTS", "x_clerk": "badge"}


def put_map(folder: Path, text: str = MAP) -> Path:
    path = folder / "map.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def theirs(fields: dict[str, Any]) -> dict[str, Any]:
    named = {NAMES.get(name, name): value for name, value in fields.items()}
    return {**named, "created by": "batch 7", "badge": "K3"}


def put_parquet(path: Path, rows: list[dict[str, Any]], **changes: Any) -> Path:
    out = io.BytesIO()
    names = dict.fromkeys(name for fields in rows for name in fields)
    pq.write_table(pa.table({name: [fields.get(name) for fields in rows] for name in names}), out)
    path.write_bytes(out.getvalue())
    path.with_name(path.name + ".manifest.json").write_text(
        json.dumps(manifest(out.getvalue(), len(rows), **changes))
    )
    return path


def put(folder: Path, kind: str, rows: list[dict[str, Any]]) -> Path:
    path = folder / f"day.{kind}"
    match kind:
        case "jsonl":
            path.write_bytes(log(*rows))
        case "parquet":
            put_parquet(path, rows)
        case "csv":
            names = list(dict.fromkeys(name for fields in rows for name in fields))
            cells = [",".join(str(fields.get(name, "")) for name in names) for fields in rows]
            put_csv(path, ("\n".join([",".join(names), *cells]) + "\n").encode(), len(rows))
    return path


def plain(rows: list[Row]) -> list[tuple[object, ...]]:
    return [(r.line, r.lives, r.seq, r.actor, r.event, r.values, dict(r.extras)) for r in rows]


# ------------------------------------------------------------------------------------------------- names
@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet"])
def test_their_names_are_read_as_ours(kind: str, tmp_path: Path) -> None:
    arrange = read_columns(put_map(tmp_path), SCHEMA)
    found = read(put(tmp_path, kind, [theirs(row(n)) for n in (1, 2)]), arrange=arrange)
    assert [r.values for r in found] == [("P1", ("B", 4), 1050, None), ("P2", ("B", 4), 1050, None)]
    assert [r.extras for r in found] == [{"x_clerk": "K3"}] * 2
    assert found[0].lives[0] == "Kea"


@pytest.mark.parametrize("kind", ["jsonl", "csv"])
def test_a_fault_is_told_under_their_name(kind: str, tmp_path: Path) -> None:
    arrange = read_columns(put_map(tmp_path), SCHEMA)
    path = put(tmp_path, kind, [theirs(row(1)), theirs(row(2, fare=10.5))])
    problem = refusal(path, arrange=arrange)[0]
    assert problem.message.replace('"', "").startswith(
        "field FARE_CENTS: found 10.5, expected a whole number"
    )
    assert (problem.code, problem.line) == ("log-number", 3)
    assert problem.excerpt is not None
    assert problem.column is not None
    assert problem.excerpt[problem.column - 1 :].startswith("10.5")


def test_a_type_is_refused_under_their_name(tmp_path: Path) -> None:
    arrange = read_columns(put_map(tmp_path), SCHEMA)
    problem = refusal(put(tmp_path, "parquet", [theirs(row(1, fare=10.5))]), arrange=arrange)[0]
    assert problem.message.startswith("field FARE_CENTS: found a column of type double")


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_column_that_the_map_names_must_be_there(kind: str, tmp_path: Path) -> None:
    arrange = read_columns(put_map(tmp_path), SCHEMA)
    without = [{k: v for k, v in theirs(row(1)).items() if k != "badge"}]
    problem = refusal(put(tmp_path, kind, without), arrange=arrange)[0]
    assert (problem.code, problem.message.split(":")[0]) == ("log-missing-field", "field badge")


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet"])
def test_what_is_neither_mapped_nor_ignored_is_refused(kind: str, tmp_path: Path) -> None:
    arrange = read_columns(put_map(tmp_path), SCHEMA)
    problem = refusal(put(tmp_path, kind, [theirs(row(1)) | {"shift": "late"}]), arrange=arrange)[0]
    assert (problem.code, problem.message.split(":")[0]) == ("log-unknown-field", "field shift")


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet"])
def test_two_columns_cannot_come_under_one_name(kind: str, tmp_path: Path) -> None:
    arrange = read_columns(put_map(tmp_path), SCHEMA)
    problem = refusal(put(tmp_path, kind, [theirs(row(1)) | {"fare": 3}]), arrange=arrange)[0]
    assert problem.code == "log-duplicate-key"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has the keys"),
        ("[boat]", "has the keys"),
        ("colums: {}", "has the keys"),
        ("columns: [boat]", "is a mapping"),
        ("columns: {boat: 1}", "both text"),
        ("columns: {bote: vessel}", "bote is no column"),
        ("columns: {boat: a, tide: a}", "a is boat already"),
        ("columns: {boat: a, boat: b}", "twice"),
        ("ignore: boat", "a list"),
        ("ignore: [fare]", "a column of the log"),
        ("columns: {boat: v}\nignore: [v]", "a column of the log"),
        ('columns: {boat: "t\\ud800"}', "is no name"),
        ('ignore: ["\\udfff"]', "is no name"),
        ("columns: !!python/object:os.system {}", "tag"),
    ],
)
def test_maps_that_are_none(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(RequestError) as caught:
        read_columns(put_map(tmp_path, text), SCHEMA)
    assert said in caught.value.problem.message
    assert caught.value.problem.code == "columns"


def test_a_map_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="no such file"):
        read_columns(tmp_path / "none.yaml", SCHEMA)


# ------------------------------------------------------------------------------------------------- order
def shuffled() -> list[dict[str, Any]]:
    rows = [row(n, boat=boat, crossing=1 + n // 4) for boat in ("Kea", "Tui") for n in range(1, 9)]
    rows[2] = row(3, "weather", actor="skipper", boat="Kea", sea="calm", x_wind="SE")
    rows[5] = row(6, "correction", actor="purser", boat="Kea", crossing=2, corrects=5)
    rows[5] |= {"corrected_event": "board", "corrected_actor": "passenger"}
    rows[5] |= {"passenger": "P5", "seat": "A1", "fare": 7}
    random.Random(3).shuffle(rows)
    return rows


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet"])
def test_rows_in_any_order_are_put_in_order(kind: str, tmp_path: Path) -> None:
    mixed = shuffled()
    path = put(tmp_path, kind, mixed)
    assert refusal(path)[0].code in ("log-seq", "log-correction")
    found = read(path, arrange=Arrange(sort=True))
    ordered = sorted(mixed, key=lambda fields: (fields["boat"], fields["seq"]))
    (tmp_path / "ordered").mkdir()
    expected = read(put(tmp_path / "ordered", kind, ordered))
    assert [entry[1:] for entry in plain(found)] == [entry[1:] for entry in plain(expected)]
    assert mixed[found[0].line - (2 if kind != "parquet" else 1)]["seq"] == found[0].seq


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet"])
def test_sorting_hides_no_gap_and_no_malformed_row(kind: str, tmp_path: Path) -> None:
    gap = [fields for fields in shuffled() if (fields["boat"], fields["seq"]) != ("Tui", 4)]
    problem = refusal(put(tmp_path, kind, gap), arrange=Arrange(sort=True))[0]
    assert (problem.code, "found 5, expected 4" in problem.message) == ("log-seq", True)
    bad = shuffled()
    bad[3]["tide"] = 0
    problem = refusal(put(tmp_path, kind, bad), arrange=Arrange(sort=True))[0]
    assert (problem.code, problem.line) == ("log-range", 4 if kind == "parquet" else 5)


def test_sorting_goes_with_names_of_their_own(tmp_path: Path) -> None:
    arrange = read_columns(put_map(tmp_path), SCHEMA, sort=True)
    found = read(put(tmp_path, "csv", [theirs(row(n)) for n in (3, 1, 2)]), arrange=arrange)
    assert [(r.seq, r.line) for r in found] == [(1, 3), (2, 4), (3, 2)]
    assert found[0].extras == {"x_clerk": "K3"}


# ----------------------------------------------------------------------------------------------- patterns
def test_a_pattern_means_files(tmp_path: Path) -> None:
    for name in ("b.csv", "a.csv", "c.jsonl"):
        (tmp_path / name).write_bytes(b"")
        (tmp_path / f"{name}.manifest.json").write_text("{}")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "d.csv.gz").write_bytes(gzip.compress(b""))
    assert find_logs([tmp_path / "*.csv"]) == [str(tmp_path / "a.csv"), str(tmp_path / "b.csv")]
    assert find_logs([tmp_path / "**" / "*.gz"]) == [str(tmp_path / "deep" / "d.csv.gz")]
    with pytest.raises(RequestError, match="no log matches"):
        find_logs([tmp_path / "*.parquet"])


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(tmp_path: Path) -> None:
    for name in ("day[1].csv", "day1.csv"):
        (tmp_path / name).write_bytes(b"")
    assert find_logs([tmp_path / "day[1].csv"]) == [str(tmp_path / "day[1].csv")]
