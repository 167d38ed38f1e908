"""What Spark does, played: rows to partitions by table, each partition through a task, what comes of it collected."""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from verifier.check.engine import Prepared
from verifier.check.options import read_settings
from verifier.check.result import CheckResult
from verifier.spark import OUTCOME, Options, Task, Whole, keys_of, read_terms, result_schema

ROWS = 100
"""So many rows of a batch: a table has several."""


@dataclass(frozen=True, slots=True)
class Played:
    """The faults as rows, and the whole result."""

    faults: list[tuple[object, ...]]
    result: CheckResult


def rows_of(path: Path) -> pa.Table:
    """The rows of a file as Spark has them: texts written out."""
    rows = pq.read_table(path)
    plain = [
        field.with_type(field.type.value_type) if pa.types.is_dictionary(field.type) else field
        for field in rows.schema
    ]
    return rows.cast(pa.schema(plain))


def partitions(rows: pa.Table, ready: Prepared, count: int) -> list[pa.Table]:
    """The rows, a table's together and in the order of record, by a digest of what the table is called."""
    keys = [key for key in keys_of(ready.binding.schema) if key in rows.column_names]
    rows = rows.sort_by([*((key, "ascending") for key in keys), ("seq", "ascending")])
    places = [zlib.crc32(repr(cells).encode()) % count for cells in zip(*map(rows.column, keys), strict=True)]
    return [rows.filter(pa.array([place == part for place in places], pa.bool_())) for part in range(count)]


def task_of(ready: Prepared, rules: str, header: Any, options: Options = ()) -> Task:
    """The task of a check."""
    schema = ready.binding.schema
    settings = read_settings(ready.ruleset, options)
    return Task(rules, ready.ruleset.digest, read_terms(header, ready), settings, result_schema(schema))


def played(
    ready: Prepared,
    rules: str,
    rows: pa.Table,
    header: Any,
    options: Options = (),
    count: int = 3,
    strict: bool = False,
) -> Played:
    """The check of `rows` in so many partitions."""
    task = task_of(ready, rules, header, options)
    whole = Whole.of(ready, task, rows.schema.empty_table(), strict)
    task = pickle.loads(pickle.dumps(task))  # as it comes to an executor
    found = [tuple(row.get(name) for name in task.columns.names) for row in whole.found]
    outcomes: list[Any] = []
    for part in partitions(rows, ready, count):
        for row in through(task.all, part):
            if row[OUTCOME] is None:
                found.append(tuple(row[name] for name in task.columns.names))
            else:
                outcomes.append(pickle.loads(row[OUTCOME]))
    return Played(ordered(found), whole.result(outcomes))


def through(task: Any, part: pa.Table) -> Iterator[dict[str, Any]]:
    """The rows that a task gives of a partition."""
    for batch in task(iter(part.to_batches(ROWS))):
        yield from batch.to_pylist()


def ordered(rows: Any) -> list[tuple[object, ...]]:
    return sorted(rows, key=lambda row: [str(value) for value in row])
