"""CSV, Parquet and relations that must be refused."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from log_ferry import SCHEMA, TYPED, manifest, put_csv, read, refusal, row

from verifier.errors import LogError
from verifier.log.limits import Limits
from verifier.log.sources import open_relation

NAMES = "boat,tide,crossing,seq,actor,event,passenger,seat,fare,concession,x_note"
ONE = "Kea,1,1,1,passenger,board,P1,B4,1050,,"


def two(fare: str = "1050", **changes: str) -> str:
    cells = {
        "boat": "Kea",
        "tide": "1",
        "crossing": "1",
        "seq": "2",
        "actor": "passenger",
        "event": "board",
        "passenger": "P2",
        "seat": "B5",
        "fare": fare,
        "concession": "",
        "x_note": "",
    }
    return ",".join((cells | changes).values())


def csv(*lines: str, names: str = NAMES, ending: str = "\n") -> bytes:
    return "".join(line + ending for line in (names, *lines)).encode()


# id: (bytes, rows, code, line, field, found, expected)
CASES: dict[str, tuple[bytes, int, str, int | None, str | None, str, str]] = {
    "10.5": (csv(ONE, two("10.5")), 2, "log-number", 3, "fare", "10.5", "whole number"),
    "1e3": (csv(ONE, two("1e3")), 2, "log-number", 3, "fare", "1e3", "whole number"),
    "007": (csv(ONE, two("007")), 2, "log-number", 3, "fare", "007", "whole number"),
    "+7": (csv(ONE, two("+7")), 2, "log-number", 3, "fare", "+7", "whole number"),
    "-0": (csv(ONE, two("-0")), 2, "log-number", 3, "fare", "-0", "whole number"),
    "a space before": (csv(ONE, two(" 7")), 2, "log-number", 3, "fare", " 7", "whole number"),
    "1_000": (csv(ONE, two("1_000")), 2, "log-number", 3, "fare", "1_000", "whole number"),
    "1,000": (csv(ONE, two('"1,000"')), 2, "log-kind", 3, "fare", "1,000", "whole number"),
    "arabic digits": (csv(ONE, two("٣")), 2, "log-kind", 3, "fare", "٣", "whole number"),
    "2^63": (csv(ONE, two(str(2**63))), 2, "log-range", 3, "fare", str(2**63), "64 bits"),
    "TRUE": (csv(two(seq="1", concession="TRUE")), 1, "log-kind", 2, "concession", '"TRUE"', "true or false"),
    "1 for true": (csv(two(seq="1", concession="1")), 1, "log-kind", 2, "concession", '"1"', "true or false"),
    "an empty required cell": (
        csv(ONE, two("")),
        2,
        "log-missing-field",
        3,
        "fare",
        "nothing",
        "whole number",
    ),
    "a quoted empty cell": (
        csv(ONE, two('""')),
        2,
        "log-missing-field",
        3,
        "fare",
        "nothing",
        "whole number",
    ),
    "a seat no boat has": (csv(ONE, two(seat="D4")), 2, "log-written", 3, "seat", '"D4"', "deck A to C"),
    "a NUL": (csv(ONE, two(passenger="a\0")), 2, "log-text", 3, "passenger", "a\\x00", "identifier"),
    "a repeat in seq": (csv(ONE, two(seq="1")), 2, "log-seq", 3, "seq", "found 1", "expected 2"),
    "too few cells": (csv(ONE, "Kea,1,1,2,passenger"), 2, "log-cells", 3, "event", "5 cells", "11 cells"),
    "too many cells": (
        csv(ONE, two() + ",7"),
        2,
        "log-cells",
        3,
        None,
        'first one over being "7"',
        "11 cells",
    ),
    "a blank line": (csv(ONE, "", two()), 2, "log-line", 3, None, "a blank line", "a row on each line"),
    "a changed name": (
        csv(names=NAMES.replace("fare", "Fare")),
        0,
        "log-unknown-field",
        1,
        "Fare",
        '"Fare"',
        "column",
    ),
    "a spaced name": (
        csv(names=NAMES.replace("fare", " fare")),
        0,
        "log-unknown-field",
        1,
        " fare",
        '" fare"',
        "column",
    ),
    "a name twice": (
        csv(names=NAMES + ",fare"),
        0,
        "log-duplicate-key",
        1,
        "fare",
        "twice",
        "each column once",
    ),
    "no seq": (
        csv(names=NAMES.replace("seq,", "")),
        0,
        "log-missing-field",
        1,
        "seq",
        "no such column",
        "every row",
    ),
    "no names": (csv(names=ONE), 0, "log-unknown-field", 1, "Kea", '"Kea"', "a column of the format"),
    "a semicolon": (
        csv(names=NAMES.replace(",", ";")),
        0,
        "log-unknown-field",
        1,
        "boat;tide",
        "boat;",
        "column",
    ),
    "an open quote": (csv(ONE, two(passenger='"P2')), 2, "log-syntax", 3, None, "never closed", "RFC 4180"),
    "text after a quote": (
        csv(ONE, two(passenger='"P2"x')),
        2,
        "log-syntax",
        3,
        None,
        "text after a closing quote",
        "RFC 4180",
    ),
    "a quote inside": (
        csv(ONE, two(passenger='P"2')),
        2,
        "log-syntax",
        3,
        None,
        "a quote inside",
        "RFC 4180",
    ),
    "a lone CR": (
        csv(ONE, two(passenger="P\r2")),
        2,
        "log-syntax",
        3,
        None,
        "a lone CR",
        "RFC 4180",
    ),
    "mixed line ends": (csv(ONE) + two().encode() + b"\r\n", 2, "log-line", 3, None, "CR LF", "LF as before"),
    "bad UTF-8": (csv(ONE) + b"\xff\n", 2, "log-encoding", 3, None, "ff", "UTF-8"),
    "BOM": (b"\xef\xbb\xbf" + csv(ONE), 1, "log-encoding", 1, None, "byte order mark", "UTF-8 without"),
    "an empty file": (b"", 0, "log-empty", None, None, "an empty file", "column names"),
    "a lost row": (csv(ONE), 2, "log-count", None, "events", "found 2", "expected 1"),
    "a line break in an id": (
        csv('"K\nea",1,1,1,skipper,depart,,,,,'),
        1,
        "log-text",
        2,
        "boat",
        "K\\nea",
        "identifier",
    ),
    "wrong after a line break": (
        csv(ONE[:-1] + ',"two\nlines"', two("x")),
        2,
        "log-kind",
        4,
        "fare",
        '"x"',
        "whole number",
    ),
    "a control in an extra": (csv(ONE + "\x1b"), 1, "log-kind", 2, "x_note", "\\x1b", "text"),
}


@pytest.mark.parametrize("case", CASES)
def test_refused_csv(case: str, tmp_path: Path) -> None:
    data, events, code, number, field, found, expected = CASES[case]
    path = put_csv(tmp_path / "day.csv", data, events)
    problem = refusal(path)[0]
    assert (problem.code, problem.file, problem.line) == (code, str(path), number), problem
    assert problem.message.startswith("found " if field is None else f"field {field}")
    said_found, _, said_expected = problem.message.partition(", expected ")
    assert found.removeprefix("found ") in said_found, problem.message
    assert expected.removeprefix("expected ") in said_expected, problem.message


def test_a_wrong_digest(tmp_path: Path) -> None:
    path = put_csv(tmp_path / "day.csv", csv(ONE), 1, sha256="0" * 64)
    problem = refusal(path)[0]
    assert problem.code == "log-digest"
    assert problem.message.startswith('field sha256: found "000')


def test_a_record_over_the_limit(tmp_path: Path) -> None:
    path = put_csv(tmp_path / "day.csv", csv(ONE[:-1] + ',"' + "a\n" * 5000 + '"'), 1)
    problem = refusal(path, limits=Limits(line=4096))[0]
    assert (problem.code, problem.line) == ("log-limit", 2)


def test_too_many_columns(tmp_path: Path) -> None:
    names = NAMES + "".join(f",x_{n}" for n in range(600))
    assert refusal(put_csv(tmp_path / "day.csv", csv(names=names), 0))[0].code == "log-limit"


def test_a_column_of_the_casino_s_own_name_is_told_how_to_be_read(tmp_path: Path) -> None:
    problem = refusal(put_csv(tmp_path / "day.csv", csv(names=NAMES.replace("fare", "no")), 0))[0]
    assert (problem.code, problem.help) == (
        "log-unknown-field",
        "map the casino's name for a column with --columns; columns that are only kept, not judged, begin with x_",
    )


def test_the_caret_stands_under_the_cell(tmp_path: Path) -> None:
    problem = refusal(put_csv(tmp_path / "day.csv", csv(ONE, two("10.5", passenger='"P,2"', seat="Z1")), 2))
    assert [p.excerpt[p.column - 1 :][: p.width] for p in problem if p.excerpt and p.column] == ["Z1", "10.5"]


def table(**columns: Any) -> pa.Table:
    """Two rows of boarding; a column given as None is left out."""
    rows = [row(1), row(2)]
    basic: dict[str, Any] = {name: [line[name] for line in rows] for name in rows[0]}
    return pa.table({name: value for name, value in (basic | columns).items() if value is not None})


def put(path: Path, content: pa.Table | bytes, events: int = 2, **changes: Any) -> Path:
    if isinstance(content, bytes):
        data = content
    else:
        out = io.BytesIO()
        pq.write_table(content, out)
        data = out.getvalue()
    path.write_bytes(data)
    path.with_name(path.name + ".manifest.json").write_text(json.dumps(manifest(data, events, **changes)))
    return path


TYPES: dict[str, tuple[dict[str, Any], str, str, str, str]] = {
    "float for money": ({"fare": [10.5, 7.0]}, "log-type", "fare", "double", "int64"),
    "decimal for money": (
        {"fare": pa.array([1, 2], pa.decimal128(9, 2))},
        "log-type",
        "fare",
        "decimal",
        "int64",
    ),
    "text for money": ({"fare": ["500", "7"]}, "log-type", "fare", "string", "int64"),
    "boolean for money": ({"fare": [True, False]}, "log-type", "fare", "bool", "int64"),
    "integer for boolean": ({"concession": [1, 0]}, "log-type", "concession", "int64", "boolean"),
    "integer for a boat": ({"boat": [1, 1]}, "log-type", "boat", "int64", "string"),
    "binary for a seat": ({"seat": [b"B4", b"B5"]}, "log-type", "seat", "binary", "string"),
    "float for seq": ({"seq": [1.0, 2.0]}, "log-type", "seq", "double", "int64"),
    "a nested extra": ({"x_a": [[1], [2]]}, "log-type", "x_a", "list", "string, an integer or boolean"),
    "an extra column": ({"fair": [1, 2]}, "log-unknown-field", "fair", '"fair"', "a column of the format"),
    "no event": ({"event": None}, "log-missing-field", "event", "no such column", "every row"),
}


@pytest.mark.parametrize("case", TYPES)
def test_refused_types(case: str, tmp_path: Path) -> None:
    columns, code, field, found, expected = TYPES[case]
    path = put(tmp_path / "day.parquet", table(**columns))
    problem = refusal(path)[0]
    assert (problem.code, problem.file, problem.line) == (code, str(path), None)
    assert problem.message.startswith(f"field {field}: found ")
    said_found, _, said_expected = problem.message.partition(", expected ")
    assert found in said_found, problem.message
    assert expected in said_expected, problem.message


def test_refused_types_of_times(tmp_path: Path) -> None:
    from datetime import datetime

    path = put(tmp_path / "day.parquet", table(at=[datetime(2024, 1, 1)] * 2), missing_columns=[])
    problem = refusal(path)[0]
    assert problem.code == "log-type"
    assert problem.help == "write times as RFC 3339 text with their offset"


@pytest.mark.parametrize(
    ("columns", "code", "number", "field"),
    [
        ({"seq": [1, 3]}, "log-seq", 2, "seq"),
        ({"fare": [1, None]}, "log-missing-field", 2, "fare"),
        ({"seat": ["B4", "Z9"]}, "log-written", 2, "seat"),
        ({"seq": pa.array([1, 2**63], pa.uint64())}, "log-range", 2, "seq"),
        ({"sea": ["calm", None]}, "log-unknown-field", 1, "sea"),
        ({"x_a": ["a", ""]}, "log-kind", 2, "x_a"),
    ],
)
def test_refused_parquet_rows(
    columns: dict[str, Any], code: str, number: int, field: str, tmp_path: Path
) -> None:
    problem = refusal(put(tmp_path / "day.parquet", table(**columns)))[0]
    assert (problem.code, problem.line) == (code, number)
    assert problem.message.startswith(f"field {field}: found ")


def test_bad_utf8_in_parquet(tmp_path: Path) -> None:
    bad = pa.array([b"P1", b"P\xff"], pa.binary()).cast(pa.string(), safe=False)
    problem = refusal(put(tmp_path / "day.parquet", table(passenger=bad)))[0]
    assert (problem.code, problem.line) == ("log-encoding", 2)
    assert problem.message == "field passenger: found the bytes ff, expected UTF-8"


def whole() -> bytes:
    out = io.BytesIO()
    pq.write_table(table(), out, write_page_checksum=True)
    return out.getvalue()


@pytest.mark.parametrize(
    "data", [b"", b"PAR1", whole()[:-20], whole()[:200] + b"\0" + whole()[201:], b"not parquet"]
)
def test_broken_parquet(data: bytes, tmp_path: Path) -> None:
    problem = refusal(put(tmp_path / "day.parquet", data))[0]
    assert problem.code in ("log-parquet", "log-empty")
    assert "expected" in problem.message


def test_a_row_group_over_the_limit(tmp_path: Path) -> None:
    problem = refusal(put(tmp_path / "day.parquet", table()), limits=Limits(row_group=100))[0]
    assert problem.code == "log-limit"
    assert "a row group of" in problem.message


def test_a_wrong_count_of_parquet(tmp_path: Path) -> None:
    assert refusal(put(tmp_path / "day.parquet", table(), 3))[0].code == "log-count"
    assert refusal(put(tmp_path / "day.parquet", table(), sha256="0" * 64))[0].code == "log-digest"


def test_a_relation(tmp_path: Path) -> None:
    good = open_relation("a relation", table(), SCHEMA, TYPED)
    assert list(good.rows())
    assert (good.complete, good.digest, good.events) == (True, None, 2)
    with pytest.raises(LogError) as caught:
        list(open_relation("a relation", table(seq=[2, 1]), SCHEMA, TYPED).rows())
    assert (caught.value.problem.file, caught.value.problem.line) == ("a relation", 2)


def test_a_duckdb_relation() -> None:
    fields = table().to_pylist()
    with duckdb.connect() as database:
        names = ", ".join(fields[0])
        rows = ", ".join(str(tuple(row.values())) for row in fields)
        relation = database.sql(f"select * from (values {rows}) as log({names})")
        log = open_relation("a relation", relation, SCHEMA, TYPED)
        assert [row.values for row in log.rows()] == [
            ("P1", ("B", 4), 1050, None),
            ("P2", ("B", 4), 1050, None),
        ]
        as_float = database.sql(
            f"select * replace (fare / 100.0 as fare) from (values {rows}) as log({names})"
        )
        with pytest.raises(LogError) as caught:
            open_relation("a relation", as_float, SCHEMA, TYPED)
    assert caught.value.problem.code == "log-type"


def test_good_parquet_types(tmp_path: Path) -> None:
    plain = read(put(tmp_path / "a.parquet", table()))
    columns = {
        "boat": pa.array(["Kea", "Kea"]).dictionary_encode(),
        "fare": pa.array([1050, 1050], pa.int32()),
        "seq": pa.array([1, 2], pa.uint8()),
        "passenger": pa.array(["P1", "P2"], pa.large_string()),
        "concession": pa.nulls(2),
        "sea": pa.array([None, None], pa.string()),
    }
    other = read(put(tmp_path / "b.parquet", table(**columns)))
    assert [line.values for line in other] == [line.values for line in plain]
    assert plain[0].values == ("P1", ("B", 4), 1050, None)
