"""The log check on Apache Spark: the same rules, the same verdicts, tables spread over executors.

```
from verifier.spark import run
checked = run(spark.read.parquet("logs/"), "nz/blackjack-1998")  # a manifest beside each log, or header=
checked.faults.groupBy("clause").count().show()
print(checked.result.exit_code, [c.name for c in checked.result.clauses if c.status == "not checkable"])
```

PySpark is an extra (`pip install gazette-verifier[spark]`), and executors need this package as the driver has it. Every
table is judged as a whole, in the order of record, by one task, with the compiled rules
as in a local check; a table's rows may come in any order and from anywhere.
"""

from __future__ import annotations

import os
import pickle
import re
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from verifier.check.engine import Prepared, Run, prepare
from verifier.check.options import read_settings
from verifier.check.parts import Part, judge_part
from verifier.check.result import CheckResult, Entry
from verifier.errors import InternalError, LogError, Problem, RequestError, VerifierError
from verifier.exits import Exit
from verifier.log.faults import RefusedError, log_error, shown
from verifier.log.header import HEADER_KEY, VERSION, Header, parse_header
from verifier.log.schema import LogSchema
from verifier.log.sources import open_relation
from verifier.report.verdicts import Verdicts, verdict_rows, verdict_schema

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

NAME = "<data frame>"

LOCAL = ("entry", "file", "row")
"""Columns of verdict rows that mean nothing here: rows of a data frame have no numbers."""

OUTCOME = "gazette-outcome"
"""A column beside those of verdict rows, named as no life can be: what a task comes to, in the last of its rows."""

_CAUSE = re.compile(r"(?:Caused by: |: )?(\[\w.]+\].*|[\w.$]+(?:Error|Exception): (?!Traceback).*)")

Options = Mapping[str, object] | Iterable[str]

Terms = Mapping[str, object] | str | os.PathLike[str] | None
"""The keys of a header, the path of a manifest, or nothing: the manifests beside the files."""

Batches = Iterator[Any]
"""`pyarrow.RecordBatch`es."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A check that has been made: the faults as rows, and the result that a local check gives, without its entries.

    The rows are kept on the executors until `free` is called.
    """

    faults: DataFrame
    result: CheckResult
    kept: DataFrame

    def free(self) -> None:
        """Give up the rows kept; `faults` is then judged anew where it is asked for."""
        self.kept.unpersist()


def check(
    df: DataFrame,
    ruleset: str | Path,
    *,
    header: Terms = None,
    options: Options = (),
    partitions: int | None = None,
) -> DataFrame:
    """The faults in a log, as verdict rows (`verifier.report.verdicts`) without `entry`, `file` and `row`.

    They tell of faults alone: what was kept, and what could not be checked, `run` tells.

    `df` has the log's columns, typed as Parquet's are; `header` the keys of a manifest (`operator`, `currency`,
    `exponent`, `records`, …; `gazette-log` and `ruleset` are filled in), or is the path of one, whose seal is not
    looked at; without it the manifests beside the files that `df` was read from tell, where the driver can read these
    and all say the same. `options` complete it as in a local check. The ruleset is loaded on every executor by its name
    or path, and must be the same text there. `partitions`: so many tasks, by default as many as Spark makes of a
    shuffle.

    Raises `RequestError`, `RuleTextError`, `LawError` and, where columns are amiss, `LogError` at once. A malformed
    row, or a gap in a table's `seq`, fails the job when it runs, with the refusal in Spark's own error; so does a
    disagreement of the engines.
    """
    task, whole = _begun(df, ruleset, header, options, strict=False)
    spread = _spread(df, whole.schema, partitions)
    return _with_rows(spread.mapInArrow(task.faults, _spark_schema(task.columns)), whole.found)


def run(
    df: DataFrame,
    ruleset: str | Path,
    *,
    header: Terms = None,
    options: Options = (),
    partitions: int | None = None,
    strict: bool = False,
) -> Checked:
    """The check made: the faults, as `check` gives them, and the result of all tables together.

    Raises what `check` does, `LogError` where a row is malformed or missing (of several such tables it tells one), and
    `InternalError` where the engines disagree. No task fails of it.
    """
    from pyspark.sql import functions

    task, whole = _begun(df, ruleset, header, options, strict)
    spread = _spread(df, whole.schema, partitions)
    kept = spread.mapInArrow(task.all, _spark_schema(task.columns_with_outcome)).persist()
    outcome = functions.col(f"`{OUTCOME}`")
    try:
        outcomes = [pickle.loads(row[0]) for row in kept.where(outcome.isNotNull()).select(outcome).collect()]
        result = whole.result(outcomes)
    except BaseException:
        kept.unpersist()
        raise
    faults = kept.where(outcome.isNull()).drop(OUTCOME)
    return Checked(_with_rows(faults, whole.found), result, kept)


def reported(job: Callable[[], int]) -> int:
    """Run a job to its exit code. What goes wrong, by Spark or otherwise, is told as `gazette` does, on standard error;
    the result is then the code it calls for."""
    from verifier.cli.command import report_fault, show_error

    try:
        return int(job())
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
    except VerifierError as error:
        return show_error(error)
    except Exception as error:
        if not type(error).__module__.startswith(("pyspark.", "py4j.")):
            return report_fault(error)
        return show_error(told_by_spark(str(error)))


def told_by_spark(words: str) -> VerifierError:
    """An error of Spark's in a line: where it comes from our code in a worker, ours.

    The last cause is the one to tell; before it there is what the driver did, and where.
    """
    lines = [line for line in (line.strip() for line in words.splitlines()) if line]
    causes = [found[1] for line in lines if (found := _CAUSE.match(line))]
    told = (causes[-1:] or lines[:1] or ["no message"])[0]
    if "PythonException" in words:
        return InternalError(Problem(f"a task failed: {told}", code="spark-task"))
    help = "nothing was judged by it: see that the files are there and whole, and what Spark wrote above"
    return RequestError(Problem(f"Spark gave up: {told}", code="spark", help=help))


# --------------------------------------------------------------------------------------------------- the driver
def _begun(
    df: DataFrame,
    ruleset: str | Path,
    header: Terms,
    options: Options,
    strict: bool,
) -> tuple[Task, Whole]:
    from pyspark.sql.pandas.types import to_arrow_schema

    ready = prepare(ruleset)
    parsed = header_beside(df.inputFiles(), ready) if header is None else read_terms(header, ready)
    settings = read_settings(ready.ruleset, options)
    columns = result_schema(ready.binding.schema)
    task = Task(str(ruleset), ready.ruleset.digest, parsed, settings, columns)
    return task, Whole.of(ready, task, to_arrow_schema(df.schema).empty_table(), strict)


def read_terms(header: Mapping[str, object] | str | os.PathLike[str], ready: Prepared) -> Header:
    """The header, from its keys or from a manifest. Raises `LogError`, `RequestError`."""
    if not isinstance(header, Mapping):
        from verifier.log.manifest import read_header

        return read_header(Path(header), ready.binding.schema)
    fields = {HEADER_KEY: VERSION, "ruleset": ready.ruleset.name, **header}
    try:
        return parse_header(fields, ready.binding.schema)
    except RefusedError as refused:
        raise LogError(*log_error(NAME, None, refused.faults).problems) from None


def header_beside(files: Iterable[str], ready: Prepared) -> Header:
    """The header that the manifests beside all these files give; `files` are addresses, as Spark tells them.

    Raises `RequestError` where there are no files, the driver cannot read one, or two headers differ; `LogError` where
    a file has no manifest, or a malformed one.
    """
    from verifier.log.manifest import find_manifest, read_header

    help = "say header=: the keys of a header, or the path of a manifest"
    first: tuple[Path, Header] | None = None
    for address in sorted(files):
        parts = urlsplit(address)
        if parts.scheme not in ("", "file"):
            raise RequestError(
                Problem(
                    f"no header is stated, and none can be looked for beside {shown(address)}",
                    code="spark-header",
                    help=help,
                )
            )
        path = Path(unquote(parts.path))
        header = read_header(find_manifest(path), ready.binding.schema)
        if first is None:
            first = path, header
        elif header != first[1]:
            said = f"the manifests of {first[0].name} and {path.name} do not say the same"
            raise RequestError(Problem(said, code="spark-header", help=f"check them one by one, or {help}"))
    if first is None:
        said = "no header is stated, and the data frame was read from no files"
        raise RequestError(Problem(said, code="spark-header", help=help))
    return first[1]


def _spread(df: DataFrame, schema: LogSchema, partitions: int | None) -> DataFrame:
    """The rows, those of a table together and in the order of record in one partition."""
    from pyspark.sql import functions

    found: list[Column] = [functions.col(name) for name in keys_of(schema) if name in df.columns]
    keys = found or [functions.lit(0)]
    spread = df.repartition(partitions, *keys) if partitions else df.repartition(*keys)
    return spread.sortWithinPartitions(*keys, "seq")


def keys_of(schema: LogSchema) -> list[str]:
    """The columns that tell one table from another, and from logs beside them."""
    return [life.name for life in schema.lives[:1] if len(schema.lives) > 1] + list(schema.beside)


def _spark_schema(schema: Any) -> Any:
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(schema)


def _with_rows(faults: DataFrame, rows: list[dict[str, object]]) -> DataFrame:
    """The faults found on executors and, before them, those found here."""
    if not rows:
        return faults
    cells = [tuple(row.get(name) for name in faults.columns) for row in rows]
    return faults.sparkSession.createDataFrame(cells, faults.schema).unionByName(faults)


@dataclass(frozen=True, slots=True)
class Whole:
    """The check as a whole: what the driver judges, the options alone, and then what the tasks come to."""

    run: Run
    found: list[dict[str, object]]
    """The faults of the options, as verdict rows."""

    @classmethod
    def of(cls, ready: Prepared, task: Task, empty: Any, strict: bool) -> Whole:
        """`empty` is an Arrow table of the log's columns. Raises `LogError` where these are amiss."""
        found: list[dict[str, object]] = []

        def take(entry: Entry) -> None:
            found.extend(_amounts(row) for row in verdict_rows(entry, ready.binding.schema))

        run = Run(ready, task.settings, strict, 0, take)
        run.file(open_relation(NAME, empty, ready.binding.schema, task.header), None)
        return cls(run, found)

    @property
    def schema(self) -> LogSchema:
        """The log's."""
        return self.run.ready.binding.schema

    def result(self, outcomes: Iterable[Part | VerifierError]) -> CheckResult:
        """The result of all tables. Raises the first error among the outcomes, a fault of ours before any other."""
        errors: list[VerifierError] = []
        for outcome in outcomes:
            if isinstance(outcome, Part):
                self.run.take(outcome)
            else:
                errors.append(outcome)
        if errors:
            # Tasks come in no order: told is the one that is told of the same log another time.
            raise min(errors, key=lambda error: (not isinstance(error, InternalError), str(error)))
        return self.run.result()


def _amounts(row: dict[str, object]) -> dict[str, object]:
    from decimal import Decimal

    return row if row.get("amount") is None else {**row, "amount": Decimal(str(row["amount"]))}


def result_schema(schema: LogSchema) -> Any:
    """The `pyarrow.Schema` of the faults."""
    import pyarrow as pa

    return pa.schema([field for field in verdict_schema(schema) if field.name not in LOCAL])


# ---------------------------------------------------------------------------------------------------- executors
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


@dataclass(frozen=True, slots=True)
class Task:
    """What every task is told, and what it does with its partition: from rows, as Arrow batches, to verdict rows.

    `columns` is the `pyarrow.Schema` of the faults.
    """

    source: str
    digest: str
    header: Header
    settings: dict[str, object]
    columns: Any

    @property
    def columns_with_outcome(self) -> Any:
        """The `pyarrow.Schema` of the rows of `all`."""
        import pyarrow as pa

        return pa.schema([*(field.with_nullable(True) for field in self.columns), (OUTCOME, pa.binary())])

    def faults(self, batches: Batches) -> Batches:
        """The faults. Raises what `judge_part` does."""
        for found in self._judged(batches):
            if not isinstance(found, Part):
                yield found

    def all(self, batches: Batches) -> Batches:
        """The faults, and in a last row what the tables come to: a `Part`, or the error that it came to."""
        import pyarrow as pa

        columns = self.columns_with_outcome
        outcome: Part | VerifierError | None = None
        try:
            for found in self._judged(batches):
                if isinstance(found, Part):
                    outcome = found
                else:
                    none = pa.nulls(found.num_rows, pa.binary())
                    yield pa.RecordBatch.from_arrays([*found.columns, none], schema=columns)
        except VerifierError as error:
            outcome = error
        if outcome is not None:
            yield pa.RecordBatch.from_pylist([{OUTCOME: pickle.dumps(outcome)}], columns)

    def _judged(self, batches: Batches) -> Iterator[Any]:
        """The batches of faults, and then the `Part`; nothing of no rows."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        watched = Watched(batches)
        first = next(watched, None)
        if first is None:
            return
        ready = _prepared(self.source, self.digest)
        schema = ready.binding.schema

        def every() -> Batches:
            yield first
            yield from watched

        log = open_relation(
            NAME, pa.RecordBatchReader.from_batches(first.schema, every()), schema, self.header
        )
        with tempfile.TemporaryDirectory(prefix="gazette-spark-") as folder:
            path = Path(folder) / "verdicts.parquet"
            try:
                with Verdicts(path, schema) as verdicts:
                    part = judge_part(log, ready, self.settings, verdicts.put)
            except LogError as error:
                raise watched.placed(error, schema) from None
            with pq.ParquetFile(path) as file:
                for batch in file.iter_batches(columns=self.columns.names):
                    yield batch.cast(self.columns)
        yield part


class Watched:
    """The batches of a partition, as they go by: the number of a malformed row does not tell whose it is."""

    def __init__(self, batches: Batches) -> None:
        self._batches = batches
        self._rows = 0
        self._last: deque[tuple[int, Any]] = deque(maxlen=4)

    def __iter__(self) -> Watched:
        return self

    def __next__(self) -> Any:
        batch = next(self._batches)
        self._last.append((self._rows, batch))
        self._rows += batch.num_rows
        return batch

    def placed(self, error: LogError, schema: LogSchema) -> LogError:
        """The refusal with the keys of its row in place of the row's number."""
        return LogError(*(self._placed(problem, schema) for problem in error.problems))

    def _placed(self, problem: Problem, schema: LogSchema) -> Problem:
        if problem.file != NAME or problem.line is None:
            return problem
        keys = [*(life.name for life in schema.lives), "seq"]
        place = NAME
        for start, batch in self._last:
            if start < problem.line <= start + batch.num_rows:
                row = batch.slice(problem.line - 1 - start, 1).to_pylist()[0]
                place = ", ".join([NAME, *(f"{k} {shown(row[k])}" for k in keys if row.get(k) is not None)])
        return replace(problem, file=place, line=None)
