"""Logs with corrections, lawful as rows or not."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from verifier.log.schema import CORRECTION, LogSchema

Fields = dict[str, Any]

WAYS = (
    "another amount", "another event", "twice", "one of another round", "of a row to come", "of itself",
    "of a correction", "of none", "another key", "no event", "at the very end", "the table goes back",
)  # fmt: skip
"""How a correction may come in; the first three, and that at the very end, are as they should be."""

SOUND = ("another amount", "another event", "twice", "at the very end")


def with_corrections(rows: list[Fields], schema: LogSchema, dice: Random, ways: list[str]) -> list[Fields]:
    """Rows in the order of record, with one correction or two of each of these ways among them, counted anew.

    What an operator writes in the moment: the correction stands behind some row of the same round.
    """
    assert schema.table is not None
    found = [dict(row) for row in rows]
    for way in ways:
        _put(found, schema, dice, way)
    _count(found, schema.table.name)
    return [{name: value for name, value in row.items() if not name.startswith("_")} for row in found]


def _put(rows: list[Fields], schema: LogSchema, dice: Random, way: str) -> None:
    assert schema.table is not None
    assert schema.round is not None
    table, round_ = schema.table.name, schema.round.name
    at = dice.randrange(len(rows))
    while rows[at]["event"] == CORRECTION:
        at = dice.randrange(len(rows))
    row = rows[at]
    behind = [
        i
        for i, other in enumerate(rows)
        if i >= at and (other[table], other[round_]) == (row[table], row[round_])
    ]
    places = [dice.choice(behind)]
    if way == "at the very end":
        mine = [(i, other) for i, other in enumerate(rows) if other[table] == row[table]]
        row = next(other for _, other in reversed(mine) if other["event"] != CORRECTION)
        places = [mine[-1][0]]
    if way == "twice":
        places = sorted(dice.choice(behind) for _ in range(2))
    target: Any = row
    if way == "one of another round":
        others = [other for other in rows if other[table] == row[table] and other[round_] != row[round_]]
        target = dice.choice(others or [row])
    elif way == "of a row to come":
        target = rows[behind[-1]]
        places = [at]
    for n, place in enumerate(places):
        made = _correction(row, target, schema, dice, way)
        rows.insert(place + 1 + n, made)
    if way == "of a correction":
        again = dict(made)
        again["_of"] = made
        rows.insert(places[-1] + len(places) + 1, again)
    if way == "the table goes back":
        later = [
            i for i, other in enumerate(rows) if other[table] == row[table] and other[round_] != row[round_]
        ]
        if later:
            rows[dice.choice(later)][round_] = row[round_]


def _correction(row: Fields, target: Fields, schema: LogSchema, dice: Random, way: str) -> Fields:
    made = dict(row)
    made |= {
        "event": CORRECTION,
        "corrected_event": row["event"],
        "corrected_actor": row["actor"],
        "_of": target,
    }
    if way == "of itself":
        made["_of"] = made
    elif way == "of none":
        made["_of"] = None
    elif way == "another key":
        assert schema.round is not None
        made[schema.round.name] += 1
    elif way == "no event":
        made["corrected_event"] = dice.choice(["", "nonsense", CORRECTION])
    if way != "another event":
        may = {
            name: [n for n in (1, 7, 50, 100_000) if column.low <= n <= column.high and not column.choices]
            for name, column in schema.columns.items()
            if type(made.get(name)) is int
        }
        if numbers := [name for name, values in may.items() if values]:
            name = dice.choice(numbers)
            made[name] = dice.choice(may[name])
    if way == "another event":
        plain = [name for name, shape in schema.events.items() if not shape.columns and not shape.outside]
        for name in schema.columns:
            made.pop(name, None)
        made["corrected_event"] = dice.choice(plain)
        made["corrected_actor"] = (schema.events[made["corrected_event"]].actors or schema.actors)[0]
    return made


def _count(rows: list[Fields], table: str) -> None:
    """Number the rows of each table anew, and let corrections name what they are of."""
    due: dict[object, int] = {}
    for row in rows:
        row["seq"] = due[row[table]] = due.get(row[table], 0) + 1
    for row in rows:
        if "_of" in row:
            row["corrects"] = row["seq"] + 1000 if row["_of"] is None else row["_of"]["seq"]


def interleaved(rows: list[Fields], dice: Random, table: str) -> Iterator[Fields]:
    """The tables' rows mixed, each table's in their order."""
    by: dict[object, list[Fields]] = {}
    for row in rows:
        by.setdefault(row[table], []).append(row)
    while by:
        key = dice.choice(sorted(by, key=str))
        yield by[key].pop(0)
        if not by[key]:
            del by[key]
