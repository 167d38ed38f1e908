"""The columns of a table-shaped log (CSV, Parquet, relations), before any row of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from verifier.log.arrange import PLAIN, Arrange
from verifier.log.faults import Fault, nearest, shown
from verifier.log.header import Header
from verifier.log.limits import Limits
from verifier.log.schema import (
    AT,
    CORRECTS,
    EXTRA_PREFIX,
    RESERVED,
    SEQ,
    Column,
    LogSchema,
    actor_column,
)

OWN = (
    "map the casino's name for a column with --columns; columns that are only kept, not judged, begin with x_"
)


def column_faults(
    columns: Sequence[str], schema: LogSchema, header: Header, limits: Limits, arrange: Arrange = PLAIN
) -> list[Fault]:
    """Unknown and doubled columns, and those that every row needs and the table lacks; by the table's own names."""
    ours = arrange.columns([name for name in columns if name not in arrange.ignored])
    faults = arrange.faults(_faults(ours, schema, header, limits))
    twice = {name for name in columns if name in arrange.ignored and columns.count(name) > 1}
    faults += [
        Fault("log-duplicate-key", name, "the column twice", "each column once") for name in sorted(twice)
    ]
    for name, column in arrange.names.items():
        if name not in columns and not any(fault.field == name for fault in faults):
            help = f"the map of columns says that it is {column}"
            faults.append(
                Fault("log-missing-field", name, "no such column", "the column that the map names", help)
            )
    return faults[: limits.faults]


def _faults(columns: Sequence[str], schema: LogSchema, header: Header, limits: Limits) -> list[Fault]:
    if len(columns) > limits.columns:
        return [Fault("log-limit", None, f"{len(columns)} columns", f"at most {limits.columns}")]
    faults: list[Fault] = []
    known = [*(life.name for life in schema.lives), *RESERVED, *schema.columns]
    seen: set[str] = set()
    for name in columns:
        if name in seen:
            faults.append(Fault("log-duplicate-key", name, "the column twice", "each column once"))
        elif name not in known and not (
            name.startswith(EXTRA_PREFIX) and name.isascii() and name.isidentifier()
        ):
            help = nearest(name.strip().lower(), known) or OWN
            faults.append(
                Fault("log-unknown-field", name, f"a column {shown(name)}", "a column of the format", help)
            )
        seen.add(name)
    # Where there are logs of several kinds, no row has the keys of all: which ones it needs, the rows' reader says.
    lives = [] if schema.beside else [life.name for life in schema.lives]
    needed = [*lives, "seq", "at", "actor", "event"]
    for name in needed:
        if name not in seen and not header.lacks(name):
            help = "a column that is never recorded stands in the header's missing_columns"
            faults.append(
                Fault("log-missing-field", name, "no such column", "a column that every row has", help)
            )
    return faults[: limits.faults]


def column_of(name: str, schema: LogSchema) -> Column | None:
    """The declared column of that name; None for the operator's own and for unknown ones."""
    own: Iterable[Column] = (
        SEQ,
        AT,
        CORRECTS,
        actor_column(schema),
        actor_column(schema, "corrected_actor"),
        Column("event", "text"),
        Column("corrected_event", "text"),
    )
    for column in (*own, *schema.lives, *schema.columns.values()):
        if column.name == name:
            return column
    return None
