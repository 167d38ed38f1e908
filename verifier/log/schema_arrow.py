"""The Arrow schema of a ruleset's log."""

from __future__ import annotations

from typing import Any

from verifier.log.header import Header
from verifier.log.schema import AT, CORRECTS, SEQ, Column, LogSchema, actor_column


def to_arrow(schema: LogSchema, header: Header | None = None) -> Any:
    """A `pyarrow.Schema`: integers and money int64, booleans bool, everything else string.

    What some row may lack is nullable. With `header`, columns that it declares missing are left out. Each
    field's metadata holds `kind` and, where there is one, `description`.
    """
    import pyarrow as pa

    outside = {life for event in schema.events.values() for life in event.outside}
    if schema.beside:
        outside = {life.name for life in schema.lives}
    corrected = (CORRECTS, Column("corrected_event", "text"), actor_column(schema, "corrected_actor"))
    listed: list[tuple[Column, bool]] = [
        *((life, life.name in outside) for life in schema.lives),
        (SEQ, False),
        (AT, False),
        (actor_column(schema), False),
        (Column("event", "text", description="the kind of event"), False),
        *((column, True) for column in corrected),
        *((column, True) for column in schema.columns.values()),
    ]
    fields = []
    for column, nullable in listed:
        if header is not None and header.lacks(column.name):
            continue
        match column.kind:
            case "integer" | "money":
                kind = pa.int64()
            case "boolean":
                kind = pa.bool_()
            case "text" | "identifier" | "enumeration" | "written" | "time":
                kind = pa.string()
        metadata = {"kind": column.kind} | ({"description": column.description} if column.description else {})
        fields.append(pa.field(column.name, kind, nullable=nullable, metadata=metadata))
    return pa.schema(fields, metadata={"ruleset": schema.ruleset})
