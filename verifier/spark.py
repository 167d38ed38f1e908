"""The log check on Apache Spark: the same rules, the same verdicts, tables spread over executors.

```
from verifier.spark import check
faults = check(spark.read.parquet("logs/"), "nz/blackjack-1998", header=header)
faults.groupBy("clause").count().show()
```

PySpark is an extra (`pip install gazette-verifier[spark]`), and executors need this package as the driver has it. Every
table is judged as a whole, in the order of record, by one task, with the compiled rules
as in a local check; a table's rows may come in any order and from anywhere.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from verifier.check.engine import Prepared, check_logs, judge_logs, prepare
from verifier.check.result import Entry
from verifier.errors import InternalError, LogError, Problem, RequestError
from verifier.exits import Exit
from verifier.log.faults import RefusedError, log_error
from verifier.log.header import HEADER_KEY, VERSION, Header, parse_header
from verifier.log.schema import LogSchema
from verifier.log.sources import open_relation
from verifier.report.verdicts import Verdicts, verdict_rows, verdict_schema

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

NAME = "<data frame>"

LOCAL = ("entry", "file", "row")
"""Columns of verdict rows that mean nothing here: rows of a data frame have no numbers."""

Options = Mapping[str, object] | Iterable[str]


def check(
    df: DataFrame,
    ruleset: str | Path,
    *,
    header: Mapping[str, object],
    options: Options = (),
    partitions: int | None = None,
) -> DataFrame:
    """The faults in a log, as verdict rows (`verifier.report.verdicts`) without `entry`, `file` and `row`.

    `df` has the log's columns, typed as Parquet's are; `header` the keys of a manifest (`operator`, `currency`,
    `exponent`, `records`, …; `gazette-log` and `ruleset` are filled in). `options` complete it as in a local check.
    The ruleset is loaded on every executor by its name or path, and must be the same text there. `partitions`: so many
    tasks, by default as many as Spark makes of a shuffle.

    Raises `RequestError`, `RuleTextError`, `LawError` and, where columns are amiss, `LogError` at once. A malformed
    row, or a gap in a table's `seq`, fails the job when it runs, with the refusal in Spark's own error.
    """
    ready = prepare(ruleset)
    schema = ready.binding.schema
    parsed = _header(header, ready)
    settings = dict(options) if isinstance(options, Mapping) else list(options)
    alone = _of_options(df, ready, parsed, settings)
    judge = _judge(str(ruleset), ready.ruleset.digest, parsed, settings)
    from pyspark.sql.pandas.types import from_arrow_schema

    keys = _keys(df, schema)
    spread = df.repartition(partitions, *keys) if partitions else df.repartition(*keys)
    # Within a task the rows of a table stand together, in the order of record.
    ordered = spread.sortWithinPartitions(*keys, "seq")
    faults: DataFrame = ordered.mapInArrow(judge, from_arrow_schema(_result_schema(schema)))
    if alone:
        rows = [tuple(row.get(name) for name in _result_schema(schema).names) for row in alone]
        faults = df.sparkSession.createDataFrame(rows, faults.schema).unionByName(faults)
    return faults


def _header(header: Mapping[str, object], ready: Prepared) -> Header:
    fields = {HEADER_KEY: VERSION, "ruleset": ready.ruleset.name, **header}
    try:
        return parse_header(fields, ready.binding.schema)
    except RefusedError as refused:
        raise LogError(*log_error(NAME, None, refused.faults).problems) from None


def _keys(df: DataFrame, schema: LogSchema) -> list[Column]:
    """What tells one table from another, and from logs beside them."""
    from pyspark.sql import functions

    names = [life.name for life in schema.lives[:1] if len(schema.lives) > 1] + list(schema.beside)
    found = [functions.col(name) for name in names if name in df.columns]
    return found or [functions.lit(0)]


def _of_options(df: DataFrame, ready: Prepared, header: Header, settings: Options) -> list[dict[str, object]]:
    """The faults that are of the options alone, found on the driver; and the data frame's columns refused, if amiss."""
    from pyspark.sql.pandas.types import to_arrow_schema

    found: list[dict[str, object]] = []
    log = open_relation(NAME, to_arrow_schema(df.schema).empty_table(), ready.binding.schema, header)

    def take(entry: Entry) -> None:
        found.extend(_amounts(row) for row in verdict_rows(entry, ready.binding.schema))

    check_logs([log], ready, settings, on_entry=take)
    return found


def _amounts(row: dict[str, object]) -> dict[str, object]:
    from decimal import Decimal

    return row if row.get("amount") is None else {**row, "amount": Decimal(str(row["amount"]))}


def _result_schema(schema: LogSchema) -> Any:
    import pyarrow as pa

    return pa.schema([field for field in verdict_schema(schema) if field.name not in LOCAL])


@lru_cache(maxsize=4)
def _prepared(source: str, digest: str) -> Prepared:
    """The ruleset as an executor loads it, once a process."""
    ready = prepare(source)
    if ready.ruleset.digest != digest:
        raise RequestError(
            Problem(
                f"the ruleset {source} is another one here than on the driver",
                code="spark-ruleset",
                help="give all executors the same package and the same files",
            )
        )
    return ready


def _judge(
    source: str, digest: str, header: Header, settings: Options
) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """What a task does with its partition: from its rows, as Arrow batches, to verdict rows."""

    def judge(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa
        import pyarrow.parquet as pq

        first = next(batches, None)
        if first is None:
            return
        ready = _prepared(source, digest)
        schema = ready.binding.schema

        def every() -> Iterator[Any]:
            yield first
            yield from batches

        reader = pa.RecordBatchReader.from_batches(first.schema, every())
        log = open_relation(NAME, reader, schema, header)
        with tempfile.TemporaryDirectory(prefix="gazette-spark-") as folder:
            path = Path(folder) / "verdicts.parquet"
            with Verdicts(path, schema) as verdicts:

                def take(entry: Entry) -> None:
                    if entry.event is not None or entry.line is not None:  # else of the options: the driver's
                        verdicts.put(entry)

                result = judge_logs([log], ready, settings, keep=0, on_entry=take)
            if result.exit_code == Exit.OURSELVES:
                raise InternalError(Problem("; ".join(result.notes), NAME, code="engines-disagree"))
            with pq.ParquetFile(path) as file:
                for batch in file.iter_batches(columns=_result_schema(schema).names):
                    yield batch.cast(_result_schema(schema))

    return judge
