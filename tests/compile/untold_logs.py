"""Logs as they would be if their operator recorded less: without some columns, or some kinds of event."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from verifier.check.engine import Prepared
from verifier.log.header import Header
from verifier.log.rows import Row

Log = tuple[str, Header, Sequence[Row]]


def less(ready: Prepared, log: Log, columns: Collection[str] = (), kinds: Collection[str] = ()) -> Log:
    """A log without these columns (`column`, or `event.column`) and kinds of event; rows are numbered anew."""
    schema = ready.binding.schema
    name, header, rows = log
    missing = header.missing_columns | frozenset(columns)
    told = frozenset(event for event in schema.events if event not in kinds and header.has_event(event))
    found: list[Row] = []
    numbers: dict[object, int] = {}
    for row in rows:
        if row.event in kinds:
            continue
        shape = schema.events[row.event]
        values = tuple(
            None if {column, f"{row.event}.{column}"} & missing else value
            for column, value in zip((*shape.columns, *shape.optional), row.values, strict=True)
        )
        stream = schema.stream(row.lives)
        numbers[stream] = numbers.get(stream, -1) + 1
        found.append(replace(row, seq=numbers[stream], values=values))
    return name, replace(header, missing_columns=missing, records=told), found


def columns_in(ready: Prepared) -> list[str]:
    """All columns that a log may lack, each also for one kind of event."""
    events = ready.binding.schema.events
    own = [f"{event}.{c}" for event, shape in events.items() for c in (*shape.columns, *shape.optional)]
    return [*ready.binding.schema.columns, *own]


__all__ = ["Log", "columns_in", "less"]
