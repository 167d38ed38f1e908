"""Logs as typed Arrow batches, for whatever judges many rows at once. As strict as reading row by row.

The interface: `typed_batches(logs, schema)` yields `Batch` after `Batch`. What stands in one has passed every check
that `verifier.log.rows` makes of a row; the first row that does not raises the same `LogError` as there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from verifier.errors import InternalError, LogError, Problem
from verifier.log.assemble import Columnar, Corrections, Plan
from verifier.log.corrected import NOTHING, Corrected, corrections_in, put_in
from verifier.log.header import Header
from verifier.log.limits import LIMITS
from verifier.log.rows import Row
from verifier.log.schema import AT, SEQ, Column, LogSchema, actor_column
from verifier.log.strict import Malformed
from verifier.log.write import row_fields

if TYPE_CHECKING:
    from verifier.log.sources import LogFile

Having = tuple[Plan, Collection[str | None]]
"""What a file has in a column of texts, and those which rows are to have there."""

ROWS = 65_536
"""A batch has at most so many rows."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows of one log, in the order in which they are to be judged: at each table that of the record.

    `data` is a `pyarrow.RecordBatch` of the schema `batch_schema(schema)`: always all columns, those of other events
    null. Text is dictionary-coded, each batch with its own dictionary, so that a reader decodes a value once and not
    in every row. Rows are as corrected; a `correction` is no row here. Money is in minor units. `lines` is a
    `pyarrow.Int64Array`: where each row stands in `file` (from 1; in Parquet and relations the number of the row),
    for messages. `places`, numpy int64, are the rows' numbers, from 0, in the order in which all rows of the log are
    judged. `header` is the file's. `corrected` are, by their places, those that were corrected, with what they were;
    rows that came one by one are not told of there. Rows of several tables may stand in one batch in any mixture.
    """

    data: Any
    lines: Any
    places: Any
    file: str
    header: Header
    corrected: Mapping[int, Row] = field(default_factory=dict)


def batch_schema(schema: LogSchema) -> Any:
    """The `pyarrow.Schema` of every batch: the lives, `seq`, `at`, `actor`, `event`, the parameters, in that order.

    Integers and money are int64, booleans bool, `at` string, all else `dictionary<int32, string>`.
    """
    import pyarrow as pa

    types = {"integer": pa.int64(), "money": pa.int64(), "boolean": pa.bool_(), "time": pa.string()}
    coded = pa.dictionary(pa.int32(), pa.string())
    return pa.schema([pa.field(c.name, types.get(c.kind, coded)) for c in batch_columns(schema)])


def batch_columns(schema: LogSchema) -> tuple[Column, ...]:
    """The columns of a batch."""
    own = (SEQ, AT, actor_column(schema), Column("event", "enumeration", values=tuple(schema.events)))
    return (*schema.lives, *own, *schema.columns.values())


def typed_batches(
    logs: Iterable[LogFile],
    schema: LogSchema,
    rows: int = ROWS,
    refusing: Callable[[Row], None] = lambda row: None,
    having: Having | None = None,
    corrected: Corrected | None = None,
) -> Iterator[Batch]:
    """The rows of open logs (`verifier.log.sources.open_logs`), at most `rows` in a batch, none across two files.

    Parquet, and JSON Lines and CSV in a file that can be read twice, are checked column by column, the rest row by row.
    Raises `LogError` at the first malformed row; a file that is read to its end is known to be whole. Where a file is
    read anew to say what is wrong with it, `refusing` is given the rows that come before that, and may raise first.
    `corrected` is what `corrections_in` has found in the only log, None where it is still to be looked for.
    `having`: only these rows, of a file with `Columnar.groups`; where the file is none, or not the one that was
    planned, or any of the rows is amiss, `Malformed` is raised.
    """
    for log in logs:
        with log:
            if having is not None:
                if log.columnar is None or log.columnar.groups is None:
                    raise Malformed
                yield from _by_column(log, log.columnar, schema, rows, refusing, having, corrected or NOTHING)
                continue
            found = corrected_in(log, schema) if corrected is None else corrected
            if log.columnar is None or found is None:
                yield from _row_by_row(log, schema, rows)
            else:
                yield from _by_column(log, log.columnar, schema, rows, refusing, None, found)


def corrected_in(log: LogFile, schema: LogSchema) -> Corrected | None:
    """What is corrected in a log; None where it is to be read row by row."""
    if log.columnar is None:
        return None
    match log.columnar.corrected():
        case Corrections.NONE:
            return NOTHING
        case Corrections.UNTOLD:
            return None
        case Corrections.PERHAPS:
            try:
                return corrections_in(log.name, log.columnar, schema, log.header, LIMITS)
            except (Malformed, LogError):
                return None


def _by_column(
    log: LogFile,
    columnar: Columnar,
    schema: LogSchema,
    most: int,
    refusing: Callable[[Row], None],
    having: Having | None,
    corrected: Corrected = NOTHING,
) -> Iterator[Batch]:
    import pyarrow as pa

    from verifier.log.strict import ColumnCheck

    strict = ColumnCheck(schema, log.header)
    arrow = batch_schema(schema)
    at = columnar.first
    try:
        for places, batch in _placed(columnar, most, having):
            if columnar.line is None:
                lines = pa.array(places + columnar.first)
            else:
                lines, batch = batch.column(columnar.line), batch.drop_columns([columnar.line])
            at += batch.num_rows
            kept = corrected.kept(places)
            if kept is not None:
                strict.passed(batch)
                batch, lines, places = (
                    batch.filter(pa.array(kept)),
                    lines.filter(pa.array(kept)),
                    places[kept],
                )
            columns = strict.checked(batch, counted=kept is None)
            data = pa.RecordBatch.from_arrays(columns, schema=arrow)
            others = corrected.among(places)
            data = put_in(data, [(here, row_fields(schema, row)) for here, row in others])
            rows = {int(places[here]): row for here, row in others}
            if data.num_rows:
                yield Batch(data, lines, places, log.name, log.header, rows)
        log.corrected(len(corrected.left_out), corrected.last)
        return
    except Malformed:
        if having is not None:
            raise
    for row in log.rows():  # the reader of rows says what is wrong, and where
        refusing(row)
    raise InternalError(
        Problem(
            "a batch of rows is refused of which each is accepted",
            log.name,
            at,
            code="strict-disagree",
            help="please report it, with the file",
        )
    )


def _placed(columnar: Columnar, most: int, having: Having | None) -> Iterator[tuple[Any, Any]]:
    """The batches of a file, each with its rows' places, from 0."""
    import numpy as np

    if having is not None:
        assert columnar.groups is not None
        yield from columnar.groups.batches(*having, most)
        return
    at = 0
    for batch in columnar.batches(most):
        yield np.arange(at, at + batch.num_rows), batch
        at += batch.num_rows


def _row_by_row(log: LogFile, schema: LogSchema, most: int) -> Iterator[Batch]:
    arrow = batch_schema(schema)
    waiting: list[dict[str, object]] = []
    lines: list[int] = []
    before = 0
    for row in log.rows():
        waiting.append(row_fields(schema, row))
        lines.append(row.line)
        if len(waiting) == most:
            yield _made(waiting, lines, before, arrow, log)
            before += most
            waiting, lines = [], []
    if waiting:
        yield _made(waiting, lines, before, arrow, log)


def _made(rows: list[dict[str, object]], lines: list[int], before: int, arrow: Any, log: LogFile) -> Batch:
    import numpy as np
    import pyarrow as pa

    columns = []
    for column in arrow:
        coded = pa.types.is_dictionary(column.type)
        array = pa.array([row.get(column.name) for row in rows], pa.string() if coded else column.type)
        columns.append(array.dictionary_encode() if coded else array)
    places = np.arange(before, before + len(rows))
    data = pa.RecordBatch.from_arrays(columns, schema=arrow)
    return Batch(data, pa.array(lines, pa.int64()), places, log.name, log.header)
