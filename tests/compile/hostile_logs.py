"""Logs made to go past the kernel's bounds: amounts, lists, rows of a table, keys."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from logs import Log, ready

from verifier.log.rows import Row

WAYS = ("huge amounts", "an event many times over", "many names")

SCALES = (2**20, 2**33, 2**40, 2**44)
"""Amounts so many times as large: within what the kernel holds, and past it."""

MANY = 70
"""More often than any list has room."""

NAMES = 300
"""More than any table has rows."""


def hostile(name: str, log: Log, way: str, dice: Random) -> Log:
    """The log, made hostile."""
    title, header, rows = log
    changed = list(rows)
    match way:
        case "huge amounts":
            scale = dice.choice(SCALES)
            changed = [_scaled(name, row, scale) for row in rows]
        case "an event many times over":
            at = dice.randrange(len(rows))
            changed[at:at] = [rows[at]] * MANY
        case "many names":
            named = [i for i, row in enumerate(rows) if _ids(name, row)]
            if named:
                at = dice.choice(named)
                changed[at:at] = [_renamed(name, rows[at], f"n{i}") for i in range(NAMES)]
        case _:
            raise AssertionError(way)
    return f"{way}: {title}", header, _in_order(name, changed)


def _scaled(name: str, row: Row, scale: int) -> Row:
    schema = ready(name).binding.schema
    names = schema.events[row.event].parameters
    return replace(
        row,
        values=tuple(
            value * scale if schema.columns[column].kind == "money" and isinstance(value, int) else value
            for column, value in zip(names, row.values, strict=True)
        ),
    )


def _ids(name: str, row: Row) -> list[int]:
    """Where a row names somebody."""
    schema = ready(name).binding.schema
    names = schema.events[row.event].parameters
    return [i for i, column in enumerate(names) if schema.columns[column].kind == "identifier"]


def _renamed(name: str, row: Row, to: str) -> Row:
    here = _ids(name, row)
    return replace(row, values=tuple(to if i in here else value for i, value in enumerate(row.values)))


def _in_order(name: str, rows: list[Row]) -> list[Row]:
    """The rows numbered anew, each stream by itself."""
    schema = ready(name).binding.schema
    seqs: dict[object, int] = {}
    found: list[Row] = []
    for line, row in enumerate(rows, 1):
        stream = schema.stream(row.lives)
        seqs[stream] = seqs.get(stream, 0) + 1
        found.append(replace(row, line=line, seq=seqs[stream]))
    return found
