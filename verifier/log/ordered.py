"""Whole columns put in the order of record, out of core: checked batch by batch, and sorted by DuckDB into a file.

As `verifier.log.sorting` does it row by row; that is who says what is wrong where anything is.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verifier.log.arrange import Arrange
from verifier.log.aside import Aside, SetDown
from verifier.log.assemble import Columnar, Corrections, Groups, Plan, Tally
from verifier.log.batches import batch_schema
from verifier.log.corrected import fields_of, is_correction, well_formed
from verifier.log.groups import counts, groups_having, row_groups
from verifier.log.header import Header
from verifier.log.rows import RowReader
from verifier.log.schema import LogSchema
from verifier.log.sorting import LINE, arrow_reader, order_of, sorter
from verifier.log.strict import ColumnCheck, Malformed
from verifier.log.vectors import batch_of, uncoded

ROWS = 65_536
"""So many rows are checked, and then told of, at one time."""

ORDERED = "ordered"
"""What is set down of a log here, among what else may be."""


def in_order_if_asked(
    name: str,
    columns: Callable[[Tally], Columnar],
    schema: LogSchema,
    header: Header,
    tally: Tally,
    arrange: Arrange,
) -> Columnar:
    """The columns of a log, which is to fill in `tally`, in the order of record where `arrange` says so."""
    if not arrange.sort:
        return columns(tally)
    assert arrange.aside is not None
    read = Tally()
    log = Unordered(name, columns(read), read, schema, header, arrange.reading)
    return in_order(log, arrange.aside, tally)


@dataclass(frozen=True, slots=True)
class Unordered:
    """A log whose columns come in any order: reading all of them fills in `tally`. `reading` is told how many rows have
    been read."""

    name: str
    columnar: Columnar
    tally: Tally
    schema: LogSchema
    header: Header
    reading: Callable[[str, int], None] | None


def in_order(log: Unordered, aside: Aside, tally: Tally) -> Columnar:
    """The columns in the order of record. What comes out fills in `tally`; where each row stood is in `LINE`.

    All of the log is read and checked, but for its order, and its trailer or seal holds, before the first row comes
    out. Raises what `Columnar.batches` does, and `RequestError` where the temporary folder does not take it.
    """

    def set_down() -> SetDown:
        return aside.made(log.name, ORDERED, lambda path: _put_in_order(log, path))

    def batches(rows: int) -> Iterator[Any]:
        found = set_down()
        file = _opened(found.path, log.schema)
        yield from row_groups(file, rows, file.schema_arrow.names)
        _note(found, tally)

    def plan(column: str) -> Plan:
        told = log.columnar.corrected()
        if told is Corrections.UNTOLD:
            raise Malformed
        path = set_down().path
        found = counts(_opened(path, log.schema), column)
        return Plan(column, None, found, path, told is Corrections.PERHAPS)

    def having(plan: Plan, texts: Collection[str | None], rows: int) -> Iterator[tuple[Any, Any]]:
        found = aside.found(log.name, ORDERED)
        if found is None or plan.made_of != found.path:
            raise Malformed
        file = _opened(found.path, log.schema)
        yield from groups_having(file, plan.column, texts, rows, file.schema_arrow.names)
        _note(found, tally)

    return Columnar(batches, log.columnar.corrected, log.columnar.first, Groups(plan, having), LINE)


def _opened(path: Path, schema: LogSchema) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = [*batch_schema(schema), *_corrections()]
    coded = [field.name for field in columns if pa.types.is_dictionary(field.type)]
    return pq.ParquetFile(path, read_dictionary=coded)


def _note(found: SetDown, tally: Tally) -> None:
    tally.events, tally.digest, tally.sealed = found.tally.events, found.tally.digest, found.tally.sealed
    tally.complete = True


def _put_in_order(log: Unordered, path: Path) -> Tally:
    """Read all rows, and write them in the order of record. Raises `Malformed`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    raised: list[BaseException] = []

    def rows() -> Iterator[Any]:
        # What is raised here comes out of DuckDB as a fault of its own.
        try:
            yield from _checked(log, arrow)
        except (pa.ArrowException, UnicodeError, OverflowError):  # the log's, not the temporary folder's
            raised.append(Malformed())
            raise
        except BaseException as error:
            raised.append(error)
            raise

    arrow = pa.schema([*batch_schema(log.schema), *_corrections(), pa.field(LINE, pa.int64())])
    text = uncoded(arrow)
    unordered = pa.RecordBatchReader.from_batches(arrow, rows())
    try:
        with sorter(path.parent) as connection:
            ordered = connection.from_arrow(unordered).order(order_of(log.schema))
            # DuckDB's own writer holds more in memory than it may have.
            with pq.ParquetWriter(os.fspath(path), text, compression="zstd", compression_level=1) as writer:
                for batch in arrow_reader(ordered, ROWS):
                    writer.write_batch(batch.cast(text))
    except Exception:
        if raised:
            raise raised[0] from None
        raise
    return log.tally


def _checked(log: Unordered, arrow: Any) -> Iterator[Any]:
    """Batches whose rows are well-formed, each with where it stands."""
    import numpy as np
    import pyarrow as pa

    strict = ColumnCheck(log.schema, log.header)
    reader = RowReader(log.name, log.schema, log.header, counted=False)
    read = 0
    for batch in log.columnar.batches(ROWS):
        lines = np.arange(read, read + batch.num_rows) + log.columnar.first
        there = is_correction(batch)
        if there.any():
            rows = fields_of(batch.filter(pa.array(there)))
            for fields, line in zip(rows, lines[there].tolist(), strict=True):
                well_formed(reader, fields, line)
                fields[LINE] = line
            yield batch_of(rows, arrow)
            batch, lines = batch.filter(pa.array(~there)), lines[~there]
        columns = strict.checked(batch, counted=False)
        beside = [pa.nulls(len(lines), column.type) for column in _corrections()]
        yield pa.RecordBatch.from_arrays([*columns, *beside, pa.array(lines)], schema=arrow)
        read += len(there)
        if log.reading is not None:
            log.reading(log.name, read)


def _corrections() -> list[Any]:
    """The columns that only corrections have."""
    import pyarrow as pa

    coded = pa.dictionary(pa.int32(), pa.string())
    return [
        pa.field("corrects", pa.int64()),
        pa.field("corrected_event", coded),
        pa.field("corrected_actor", coded),
    ]
