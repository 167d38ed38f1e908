"""Rows in any order put in the order of record, out of core: checked one by one, set down, and sorted by DuckDB."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from verifier.log.arrange import Arrange
from verifier.log.aside import Aside, interruptible, setting_down
from verifier.log.faults import Fault, Mark, RefusedError, log_error
from verifier.log.header import Header
from verifier.log.limits import Limits
from verifier.log.rows import RowReader
from verifier.log.schema import CORRECTS, EXTRA_PREFIX, NUMERIC, SEQ, LogSchema
from verifier.log.values import untext

Raw = tuple[int, Mapping[str, object], object]

MEMORY = "400MB"
"""What DuckDB may hold in memory; what is more it sets down beside the rows."""

BATCH = 50_000

LONG = 4_096
"""Characters of x_ columns up to which they are sorted with their row; longer ones wait in a file of their own."""

LINE = "x_:line"
EXTRAS = "x_:extras"
"""Columns beside the log's own, which no log can have: where a row stood, and its x_ columns as JSON."""


def in_order(
    name: str,
    records: Iterator[Raw],
    schema: LogSchema,
    header: Header,
    limits: Limits,
    locate: Callable[[object, Fault], Mark],
    textual: bool,
    arrange: Arrange,
) -> Iterator[Raw]:
    """The records in the order of record: by table, then by `seq`. Raises `LogError` at the first malformed row.

    All of them are read, and the seal checked, before the first comes out. What their order must be the reader of rows
    checks afterwards. Numbers and truths that a format has as text come out as what they are.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    reader = RowReader(name, schema, header, limits, textual=textual, counted=False)
    arrow = _arrow(schema)
    with ExitStack() as closing:
        folder = (arrange.aside or closing.enter_context(Aside())).folder(name)
        closing.enter_context(setting_down(name))
        path = Path(tempfile.mkdtemp(dir=folder)) / "rows.parquet"
        texts = closing.enter_context(open(path.with_name("texts"), "w+b"))
        with pq.ParquetWriter(os.fspath(path), arrow, compression="zstd", compression_level=1) as writer:
            waiting: list[dict[str, object]] = []
            read = 0
            for line, fields, place in records:
                try:
                    reader.read(fields, line)
                except RefusedError as refused:
                    faults = arrange.faults(refused.faults)
                    raise log_error(name, line, faults, [locate(place, fault) for fault in faults]) from None
                waiting.append(_flat(fields, line, schema, textual, texts))
                if len(waiting) == BATCH:
                    writer.write_batch(pa.RecordBatch.from_pylist(waiting, arrow))
                    waiting.clear()
                    read += BATCH
                    if arrange.reading is not None:
                        arrange.reading(name, read)
            if waiting:
                writer.write_batch(pa.RecordBatch.from_pylist(waiting, arrow))
        yield from _sorted(path, schema, texts)


def _arrow(schema: LogSchema) -> Any:
    import pyarrow as pa

    kinds: dict[str, Any] = {life.name: life.kind for life in schema.lives}
    kinds |= {"seq": SEQ.kind, "at": "text", "actor": "text", "event": "text"}
    kinds |= {"corrects": CORRECTS.kind, "corrected_event": "text", "corrected_actor": "text"}
    kinds |= {column.name: column.kind for column in schema.columns.values()}
    types = {name: _type(kind) for name, kind in kinds.items()}
    return pa.schema([*types.items(), (LINE, pa.int64()), (EXTRAS, pa.string())])


def _type(kind: str) -> Any:
    import pyarrow as pa

    if kind in NUMERIC:
        return pa.int64()
    return pa.bool_() if kind == "boolean" else pa.string()


def _flat(
    fields: Mapping[str, object], line: int, schema: LogSchema, textual: bool, texts: BinaryIO
) -> dict[str, object]:
    row: dict[str, object] = {LINE: line}
    extras: dict[str, object] = {}
    for name, value in fields.items():
        if name.startswith(EXTRA_PREFIX):
            extras[name] = value
        else:
            row[name] = _typed(name, value, schema) if textual else value
    if extras:
        row[EXTRAS] = _set_down(json.dumps(extras), texts)
    return row


def _set_down(text: str, texts: BinaryIO) -> str:
    """The text, or where it stands in the file of long ones."""
    if len(text) <= LONG:
        return text
    data = text.encode("ascii")
    place = f"{texts.tell()} {len(data)}"
    texts.write(data)
    return place


def _taken_up(text: str, texts: BinaryIO) -> dict[str, object]:
    """The x_ columns that `_set_down` wrote."""
    if not text.startswith("{"):
        place, size = map(int, text.split())
        texts.seek(place)
        text = texts.read(size).decode("ascii")
    found: dict[str, object] = json.loads(text)
    return found


def _typed(name: str, value: object, schema: LogSchema) -> object:
    if not isinstance(value, str):
        return value
    own = {"seq": SEQ, "corrects": CORRECTS}
    if name in ("at", "actor", "event", "corrected_event", "corrected_actor"):
        return value
    return untext((own[name] if name in own else schema.column(name)).kind, value)


def arrow_reader(relation: Any, rows: int) -> Any:
    """What a DuckDB relation gives, as a `pyarrow.RecordBatchReader`; older versions call the method otherwise."""
    make = getattr(relation, "to_arrow_reader", None) or relation.fetch_arrow_reader
    return make(rows)


def order_of(schema: LogSchema) -> str:
    """The order of record, by columns: that of SQL's `order by`."""
    keys = [life.name for life in schema.lives[:1] if len(schema.lives) > 1] + list(schema.beside)
    return ", ".join(f'"{key}" nulls last' for key in (*keys, "seq", LINE))


@contextmanager
def sorter(folder: Path) -> Iterator[Any]:
    """A connection to a DuckDB that sets down in a folder what it cannot hold in memory."""
    import duckdb

    connection: Any
    with interruptible(), duckdb.connect(":memory:") as connection:
        connection.execute(f"set memory_limit = '{MEMORY}'")
        # Of tens of millions of rows in no order two threads need more than that.
        connection.execute("set threads = 1")
        connection.execute("set temp_directory = ?", [os.fspath(folder)])
        connection.execute("set enable_progress_bar = false")
        yield connection


def _sorted(path: Path, schema: LogSchema, texts: BinaryIO) -> Iterator[Raw]:
    with sorter(path.parent) as connection:
        rows = connection.sql(
            f"select * from read_parquet($path) order by {order_of(schema)}",
            params={"path": os.fspath(path)},
        )
        for batch in arrow_reader(rows, BATCH):
            for row in batch.to_pylist():
                line = row.pop(LINE)
                extras = row.pop(EXTRAS)
                fields = {name: value for name, value in row.items() if value is not None}
                yield line, fields | _taken_up(extras, texts) if extras else fields, None
