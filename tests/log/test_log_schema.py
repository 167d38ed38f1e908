"""The schema, and the JSON Schema and Arrow schema that follow from it."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import jsonschema
import pyarrow as pa
import pytest
from log_ferry import HEADER, SCHEMA, TYPED, log, read, row
from test_log_refused_jsonl import CASES

from verifier.log.schema import Column, EventShape, LogSchema
from verifier.log.schema_arrow import to_arrow
from verifier.log.schema_json import to_json_schema
from verifier.log.sources import open_log
from verifier.log.write import write_jsonl

HALF = dataclasses.replace(
    TYPED,
    records=frozenset({"board", "moor"}),
    missing_columns=frozenset({"at", "tide", "board.fare"}),
)


def validator(schema: dict[str, Any]) -> Any:
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker())


def test_valid_lines_satisfy_the_json_schema(tmp_path: Path) -> None:
    corrected = {"corrects": 1, "corrected_event": "weather", "corrected_actor": "skipper", "sea": "calm"}
    data = log(
        row(1, concession=True, x_a="b", x_b=1),
        row(2, "weather", actor="skipper", sea="rough", remark=None) | {"remark": None},
        row(3, "depart", actor="skipper", delay=0) | {"fare": None},
        row(4, "correction", actor="purser", **corrected),
        row(5, "moor", actor="skipper", crossing=None),
    )
    path = tmp_path / "day.jsonl"
    path.write_bytes(data)
    assert len(read(path)) == 4
    check = validator(to_json_schema(SCHEMA, TYPED))
    for text in data.splitlines():
        assert list(check.iter_errors(json.loads(text))) == []


SHAPE_CODES = {
    "log-kind",
    "log-range",
    "log-enumeration",
    "log-missing-field",
    "log-unknown-field",
    "log-unknown-event",
}
IN_SHAPE = {
    case
    for case, (_, code, _, _, _, _) in CASES.items()
    if code in SHAPE_CODES and not case.startswith("corrects")
}


@pytest.mark.parametrize("case", sorted(IN_SHAPE))
def test_what_the_reader_refuses_by_shape_the_json_schema_refuses(case: str) -> None:
    check = validator(to_json_schema(SCHEMA, TYPED))
    lines = [json.loads(text) for text in CASES[case][0].splitlines()]
    number = CASES[case][2]
    assert number is not None
    assert list(check.iter_errors(lines[number - 1]))
    for line in [*lines[1 : number - 1], *lines[number:]]:
        assert not list(check.iter_errors(line))


def test_json_schema_under_a_header(tmp_path: Path) -> None:
    check = validator(to_json_schema(SCHEMA, HALF))
    assert check.is_valid(row(1, tide=None, fare=None))
    assert not check.is_valid(row(1, fare=None))
    assert not check.is_valid(row(1, tide=None))
    assert not check.is_valid(row(1, "depart", actor="skipper", tide=None))
    assert not validator(to_json_schema(SCHEMA)).is_valid(row(1))
    assert validator(to_json_schema(SCHEMA)).is_valid(row(1, at="2024-03-01T20:15:00Z"))


def test_json_schema_of_the_header() -> None:
    check = validator(to_json_schema(SCHEMA))
    assert check.is_valid(HEADER)
    assert check.is_valid(HEADER | {"options": {"luggage": 3}, "x_shift": "late"})
    for change in (
        {"exponent": 10},
        {"ruleset": "x"},
        {"records": ["x"]},
        {"options": {"luggage": 4}},
        {"a": 1},
    ):
        assert not check.is_valid(HEADER | change)


def test_json_schema_is_json() -> None:
    assert json.loads(json.dumps(to_json_schema(SCHEMA))) == to_json_schema(SCHEMA)


def test_arrow_schema() -> None:
    arrow = to_arrow(SCHEMA)
    assert arrow.names == [
        "boat", "tide", "crossing", "seq", "at", "actor", "event", "corrects", "corrected_event",
        "corrected_actor", "passenger", "seat", "fare", "concession", "sea", "remark", "delay",
    ]  # fmt: skip
    assert arrow.field("fare").type == pa.int64()
    assert arrow.field("seat").type == pa.string()
    assert arrow.field("concession").type == pa.bool_()
    assert [field.name for field in arrow if not field.nullable] == [
        "boat",
        "tide",
        "seq",
        "at",
        "actor",
        "event",
    ]
    assert arrow.field("fare").metadata == {b"kind": b"money", b"description": b"minor units"}
    assert "tide" not in to_arrow(SCHEMA, HALF).names


def column(**changes: Any) -> Column:
    return Column(**({"name": "a", "kind": "text"} | changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "a b"},
        {"name": "x_a"},
        {"name": ""},
        {"kind": "enumeration"},
        {"values": ("a",)},
        {"kind": "enumeration", "values": ("a", "a")},
        {"decode": str},
        {"minimum": 1},
        {"kind": "integer", "minimum": 2, "maximum": 1},
        {"kind": "money", "maximum": 2**63},
    ],
)
def test_columns_that_make_no_sense(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="column"):
        column(**changes)


def schema(**changes: Any) -> LogSchema:
    basic: dict[str, Any] = {
        "ruleset": "r",
        "lives": (Column("t", "identifier"), Column("r", "integer")),
        "actors": ("p",),
        "events": {"e": EventShape("e", ("a",))},
        "columns": {"a": column()},
    }
    return LogSchema(**(basic | changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"lives": (Column("t", "identifier"), Column("t", "integer"))},
        {"lives": (Column("t", "boolean"),)},
        {"lives": (Column("seq", "integer"),)},
        {"lives": (Column("a", "integer"),)},
        {"actors": ()},
        {"actors": ("p", "p")},
        {"actors": ("the purser",)},
        {"columns": {"b": column()}},
        {"columns": {"a": column(), "event": column(name="event")}},
        {"events": {"e": EventShape("f")}},
        {"events": {"correction": EventShape("correction")}},
        {"events": {"t": EventShape("t")}},
        {"events": {"e": EventShape("e", ("b",))}},
        {"events": {"e": EventShape("e", ("a",), ("a",))}},
        {"events": {"e": EventShape("e", actors=("q",))}},
        {"events": {"e": EventShape("e", outside=("a",))}},
    ],
)
def test_schemas_that_make_no_sense(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        schema(**changes)


def test_tables_and_rounds() -> None:
    assert schema().table == Column("t", "identifier")
    one = schema(lives=(Column("r", "integer"),))
    assert (one.table, one.round) == (None, Column("r", "integer"))
    none = schema(lives=())
    assert (none.table, none.round) == (None, None)


def test_a_schema_without_lives(tmp_path: Path) -> None:
    flat = dataclasses.replace(SCHEMA, lives=(), events={"depart": EventShape("depart")})
    path = tmp_path / "day.jsonl"
    fields = {"actor": "skipper", "event": "depart"}
    write_jsonl(path, flat, TYPED, [{"seq": 1, **fields}, {"seq": 2, **fields}])
    assert [r.lives for r in open_log(path, flat).rows()] == [(), ()]


def test_a_decode_that_returns_nothing_is_our_own_fault(tmp_path: Path) -> None:
    wrong = dataclasses.replace(SCHEMA.columns["seat"], decode=lambda text: None)
    broken = dataclasses.replace(SCHEMA, columns={**SCHEMA.columns, "seat": wrong})
    path = tmp_path / "day.jsonl"
    path.write_bytes(log(row(1)))
    with open_log(path, broken) as file, pytest.raises(TypeError, match="decode of column seat"):
        list(file.rows())
