"""Logs out of a DuckDB database or a query."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb
import pytest
from log_ferry import HEADER, SCHEMA, row

from verifier.errors import LogError, RequestError
from verifier.log.arrange import Arrange
from verifier.log.query import open_query
from verifier.log.rows import Row
from verifier.log.sources import open_log

TYPES = {"tide": "bigint", "crossing": "integer", "seq": "bigint", "fare": "bigint"}


@pytest.fixture
def header(tmp_path: Path) -> Path:
    path = tmp_path / "header.json"
    path.write_text(json.dumps(HEADER))
    return path


def database(folder: Path, rows: list[dict[str, Any]], types: Mapping[str, str] = TYPES) -> Path:
    path = folder / "ferries.duckdb"
    with duckdb.connect(str(path)) as connection:
        names = list(rows[0])
        columns = ", ".join(f'"{name}" {types.get(name, "varchar")}' for name in names)
        connection.execute(f'create table "the log" ({columns})')
        for fields in rows:
            marks = ", ".join("?" for _ in names)
            connection.execute(f'insert into "the log" values ({marks})', [fields[name] for name in names])
    return path


def read(folder: Path, sql: str, header: Path, rows: list[dict[str, Any]], **more: Any) -> list[Row]:
    types = more.pop("types", TYPES)
    path = database(folder, rows, types)
    with open_query(sql, SCHEMA, database=path, manifest=header, **more) as log:
        return list(log.rows())


ALL = 'select * from "the log"'


def test_a_table_of_a_database(header: Path, tmp_path: Path) -> None:
    path = database(tmp_path, [row(1), row(2)])
    with open_log(f"duckdb:{path}:the log", SCHEMA, manifest=header) as log:
        assert [r.values[2] for r in log.rows()] == [1050, 1050]
        assert (log.complete, log.events, log.digest) == (True, 2, None)


@pytest.mark.parametrize(("file", "table"), [("day.duckdb", "a:b"), ("a:b.duckdb", "day"), ("a:b", "a:b:c")])
def test_colons_in_the_name_of_a_table_and_of_a_database(
    header: Path, tmp_path: Path, file: str, table: str
) -> None:
    path = database(tmp_path, [row(1)])
    with duckdb.connect(str(path)) as connection:
        connection.execute(f'alter table "the log" rename to "{table}"')
    path = path.rename(tmp_path / file)
    with open_log(f"duckdb:{path}:{table}", SCHEMA, manifest=header) as log:
        assert [r.values[2] for r in log.rows()] == [1050]
    with pytest.raises(RequestError, match="there is no table"):
        open_log(f"duckdb:{path}:{table}:d", SCHEMA, manifest=header)


@pytest.mark.parametrize(
    ("table", "fare"),
    [
        ("the log", 1050),
        ("THE LOG", 1050),
        ("main.the log", 1050),
        ("old.the log", 7),
        ("old.seen", 7),
        ("old.x", 8),
    ],
)
def test_a_table_or_view_by_its_schema(header: Path, tmp_path: Path, table: str, fare: int) -> None:
    path = database(tmp_path, [row(1)])
    with duckdb.connect(str(path)) as connection:
        connection.execute('create schema old; create table old."the log" as from "the log"')
        connection.execute('update old."the log" set fare = 7; create view old.seen as from old."the log"')
        connection.execute('create table "old.x" as from "the log"; update "old.x" set fare = 8')
        connection.execute('create table old.x as from "the log"')
    with open_log(f"duckdb:{path}:{table}", SCHEMA, manifest=header) as log:
        assert [r.values[2] for r in log.rows()] == [fare]


@pytest.mark.parametrize("table", ["seen", "new.the log", "the", '"the log"'])
def test_a_table_that_is_not_there(header: Path, tmp_path: Path, table: str) -> None:
    path = database(tmp_path, [row(1)])
    with duckdb.connect(str(path)) as connection:
        connection.execute('create schema old; create view old.seen as from "the log"')
    with pytest.raises(RequestError, match="there is no table") as caught:
        open_log(f"duckdb:{path}:{table}", SCHEMA, manifest=header)
    assert caught.value.problem.help == "it has the log, old.seen"


@pytest.mark.parametrize("data", [b"", b"seq,actor\n", b"PAR1" + bytes(40), b"SQLite format 3\0"])
def test_a_file_that_is_no_database(header: Path, tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "day.csv"
    path.write_bytes(data)
    with pytest.raises(RequestError, match="no DuckDB database"):
        open_log(f"duckdb:{path}:events", SCHEMA, manifest=header)
    with pytest.raises(RequestError, match="no DuckDB database"):
        open_query("select 1", SCHEMA, database=path, manifest=header)


def test_a_query_with_names_of_their_own_in_any_order(header: Path, tmp_path: Path) -> None:
    sql = 'select * exclude (boat), boat as vessel from "the log" order by seq desc'
    found = read(
        tmp_path, sql, header, [row(1), row(2)], arrange=Arrange({"vessel": "boat"}, frozenset(), True)
    )
    assert [(r.seq, r.lives[0], r.line) for r in found] == [(1, "Kea", 2), (2, "Kea", 1)]


def test_a_query_of_files(header: Path, tmp_path: Path) -> None:
    path = tmp_path / "day.parquet"
    database(tmp_path, [row(1), row(2)])
    with duckdb.connect(str(tmp_path / "ferries.duckdb")) as connection:
        connection.execute(f"copy \"the log\" to '{path}' (format parquet)")
    with open_query(f"select * from '{path}'", SCHEMA, manifest=header) as log:
        assert len(list(log.rows())) == 2


@pytest.mark.parametrize(
    ("name", "type_", "value", "code", "found"),
    [
        ("fare", "double", 10.5, "log-type", "double"),
        ("fare", "decimal(9, 2)", 10, "log-type", "decimal"),
        ("fare", "varchar", "500", "log-type", "string"),
        ("fare", "boolean", True, "log-type", "bool"),
        ("fare", "hugeint", 10, "log-type", "type"),
        ("seat", "varchar", "Z9", "log-written", '"Z9"'),
        ("passenger", "varchar", "P\u202e1", "log-text", "P"),
        ("seq", "bigint", 7, "log-seq", "7"),
        ("event", "varchar", "fly", "log-unknown-event", '"fly"'),
        ("fare", "bigint", None, "log-missing-field", "nothing"),
    ],
)
def test_what_is_malformed_is_refused(
    name: str, type_: str, value: object, code: str, found: str, header: Path, tmp_path: Path
) -> None:
    rows = [row(1), {**row(2), name: value}]
    if type_ == "varchar" and name == "fare":
        rows[0]["fare"] = "1"
    with pytest.raises(LogError) as caught:
        read(tmp_path, ALL, header, rows, types={**TYPES, name: type_})
    problem = caught.value.problem
    assert (problem.code, problem.line) == (code, None if code == "log-type" else 2)
    assert problem.message.startswith(f"field {name}: found ")
    assert found in problem.message


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("select * from nowhere", "the query fails"),
        ("selekt", "the query fails"),
        ("create table t (a int)", "not one SELECT"),
        ("select * from 'https://casino.invalid/log.parquet'", "requires the extension httpfs"),
        ("select 1; select 2", "not one SELECT"),
        ("", "not one SELECT"),
    ],
)
def test_queries_that_do_not_work(sql: str, said: str, header: Path, tmp_path: Path) -> None:
    with pytest.raises(RequestError, match=said):
        read(tmp_path, sql, header, [row(1)])


def test_what_fails_while_it_is_read_is_said(header: Path, tmp_path: Path) -> None:
    sql = "select * replace (cast(if(seq = 2, 'x', '1') as bigint) as fare) from \"the log\""
    with pytest.raises((LogError, RequestError)):
        read(tmp_path, sql, header, [row(1), row(2)])


def test_without_a_header_or_a_database(header: Path, tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="no header"):
        open_query("select 1", SCHEMA, manifest=None)
    with pytest.raises(RequestError, match="no such database"):
        open_query("select 1", SCHEMA, database=tmp_path / "none", manifest=header)
    with pytest.raises(RequestError, match="cannot be read"):
        open_query("select 1", SCHEMA, manifest=tmp_path / "none")
    with pytest.raises(RequestError, match="duckdb:FILE:TABLE"):
        open_log("duckdb:events", SCHEMA, manifest=header)
    assert not (tmp_path / "none").exists()


def test_a_header_with_a_seal_is_no_header_of_a_query(tmp_path: Path) -> None:
    path = tmp_path / "sealed.json"
    path.write_text(json.dumps({**HEADER, "events": 2, "sha256": "0" * 64}))
    with pytest.raises(LogError) as caught:
        open_query("select 1", SCHEMA, manifest=path)
    assert {problem.code for problem in caught.value.problems} == {"log-unknown-field"}
    assert {problem.help for problem in caught.value.problems} == {
        "a seal is of a file: leave it out of the header of a table or query"
    }
