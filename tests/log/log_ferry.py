"""A small invented ruleset's log: a ferry that carries passengers between tides.

Lives: boat (the table), tide (may end inside a crossing), crossing (the round).
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from verifier.errors import LogError, Problem
from verifier.log.header import Header
from verifier.log.rows import Row
from verifier.log.schema import Column, EventShape, LogSchema
from verifier.log.sources import LogFile, open_log


def decode_seat(text: str) -> tuple[str, int]:
    """A seat such as B4: deck A to C, row 1 to 20."""
    match = re.fullmatch(r"([A-C])([1-9]|1[0-9]|20)", text)
    if match is None:
        raise ValueError("a seat, deck A to C and row 1 to 20, such as B4")
    return match.group(1), int(match.group(2))


def encode_seat(seat: object) -> str:
    assert isinstance(seat, tuple)
    deck, row = seat
    return f"{deck}{row}"


SCHEMA = LogSchema(
    ruleset="ferry/strait-1990",
    lives=(
        Column("boat", "identifier", example="Kea", description="the boat"),
        Column("tide", "integer", minimum=1, description="counts tides"),
        Column("crossing", "integer", minimum=1, description="counts crossings of the boat"),
    ),
    actors=("purser", "skipper", "passenger"),
    events={
        "board": EventShape("board", ("passenger", "seat", "fare"), ("concession",), ("passenger",)),
        "refund": EventShape("refund", ("passenger", "fare"), (), ("purser",)),
        "weather": EventShape("weather", ("sea",), ("remark",), ("skipper",)),
        "depart": EventShape("depart", (), ("delay",), ("skipper",)),
        "moor": EventShape("moor", outside=("crossing",), actors=("skipper",)),
    },
    columns={
        "passenger": Column("passenger", "identifier", example="P1"),
        "seat": Column("seat", "written", example="B4", decode=decode_seat, encode=encode_seat),
        "fare": Column("fare", "money", description="minor units"),
        "concession": Column("concession", "boolean"),
        "sea": Column("sea", "enumeration", values=("calm", "choppy", "rough")),
        "remark": Column("remark", "text", max_length=200),
        "delay": Column("delay", "integer", minimum=0, maximum=600, description="minutes"),
    },
    options={
        "luggage": Column("luggage", "integer", minimum=0, maximum=3),
        "pricing": Column("pricing", "enumeration", values=("flat", "by_seat")),
    },
)

HEADER: dict[str, Any] = {
    "gazette-log": 1,
    "operator": "Strait Ferries Ltd",
    "ruleset": "ferry/strait-1990",
    "currency": "NZD",
    "exponent": 2,
    "records": "all",
    "missing_columns": ["at"],
}

TYPED = Header("Strait Ferries Ltd", "ferry/strait-1990", "NZD", 2, missing_columns=frozenset({"at"}))


def row(seq: int, event: str = "board", *, actor: str = "passenger", **fields: Any) -> dict[str, Any]:
    """The fields of a row at boat Kea; a key given as None is left out."""
    basic: dict[str, Any] = {
        "boat": "Kea",
        "tide": 1,
        "crossing": 1,
        "seq": seq,
        "actor": actor,
        "event": event,
    }
    if event == "board":
        basic |= {"passenger": f"P{seq}", "seat": "B4", "fare": 1050}
    return {name: value for name, value in (basic | fields).items() if value is not None}


def line(fields: dict[str, Any]) -> bytes:
    return json.dumps(fields).encode() + b"\n"


def body(*lines: bytes | dict[str, Any], header: dict[str, Any] | None = None) -> bytes:
    """Header and rows of a JSON Lines log, each row as fields or as its raw line."""
    rows = b"".join(piece if isinstance(piece, bytes) else line(piece) for piece in lines)
    return line(HEADER if header is None else header) + rows


def trailer(data: bytes, events: int | None = None) -> bytes:
    count = data.count(b"\n") - 1 if events is None else events
    return line({"gazette-log-end": {"events": count, "sha256": hashlib.sha256(data).hexdigest()}})


def log(*lines: bytes | dict[str, Any], header: dict[str, Any] | None = None) -> bytes:
    """A JSON Lines log with its trailer."""
    data = body(*lines, header=header)
    return data + trailer(data)


def manifest(data: bytes, events: int, **changes: Any) -> dict[str, Any]:
    return {**HEADER, "events": events, "sha256": hashlib.sha256(data).hexdigest(), **changes}


def put_csv(path: Path, data: bytes, events: int, **changes: Any) -> Path:
    """A CSV log and its manifest on disk."""
    path.write_bytes(data)
    path.with_name(path.name + ".manifest.json").write_text(json.dumps(manifest(data, events, **changes)))
    return path


def read(path: Path, **options: Any) -> list[Row]:
    with open_log(path, SCHEMA, **options) as file:
        return list(file.rows())


def exhausted(path: Path, **options: Any) -> tuple[LogFile, list[Row]]:
    file = open_log(path, SCHEMA, **options)
    return file, list(file.rows())


def refusal(path: Path, **options: Any) -> list[Problem]:
    """The problems that reading the log raises; fails if it is accepted."""
    try:
        rows = read(path, **options)
    except LogError as error:
        return list(error.problems)
    raise AssertionError(f"accepted, with rows {rows}")
