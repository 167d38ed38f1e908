"""What a check reads: log files, put in order and renamed where that is asked, or what a query gives."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING

from verifier.errors import Problem, RequestError
from verifier.log.arrange import Arrange, read_columns
from verifier.log.aside import Aside
from verifier.log.limits import LIMITS, Limits
from verifier.log.schema import LogSchema

if TYPE_CHECKING:
    from verifier.log.sources import Format, LogFile

READING = "reading: "
"""Stands before a log's name where it is told how many of its rows have been read, before any is judged."""

SHARED_ROWS = 2_000_000
"""Logs of fewer rows are judged by one process: to start others costs more than they save."""

SLOW_ROWS = 100_000
"""So it is with logs that the interpreter judges."""


@dataclass(frozen=True, slots=True)
class Logs:
    """Logs by name, and how they are to be read, each as `verifier.check.engine.check` takes it."""

    paths: Sequence[str | os.PathLike[str]]
    format: Format | None = None
    manifest: str | os.PathLike[str] | None = None
    any_ruleset: bool = False
    columns: str | os.PathLike[str] | None = None
    sort: bool = False
    query: str | None = None
    database: str | os.PathLike[str] | None = None

    def open(
        self,
        schema: LogSchema,
        limits: Limits = LIMITS,
        aside: Aside | None = None,
        reading: Callable[[str, int], None] | None = None,
    ) -> Iterable[LogFile]:
        """The logs, or the one that a query gives. `aside` has what is set down of them; `reading` is told how many
        rows have been. Raises `RequestError` and `LogError`."""
        from verifier.log.sources import open_logs

        arrange = replace(_arrange(self.columns, self.sort, schema), aside=aside, reading=reading)
        if self.query is None:
            return open_logs(
                self.paths,
                schema,
                self.format,
                manifest=self.manifest,
                any_ruleset=self.any_ruleset,
                limits=limits,
                arrange=arrange,
            )
        from verifier.log.query import open_query

        _no_paths(self.paths)
        found = open_query(
            self.query,
            schema,
            database=self.database,
            manifest=self.manifest,
            any_ruleset=self.any_ruleset,
            limits=limits,
            arrange=arrange,
        )
        return [found]


def _arrange(columns: str | os.PathLike[str] | None, sort: bool, schema: LogSchema) -> Arrange:
    if columns is None:
        return Arrange(sort=sort)
    return read_columns(Path(columns), schema, sort)


def _no_paths(paths: Sequence[str | os.PathLike[str]]) -> None:
    if paths:
        raise RequestError(
            Problem(
                "logs are named beside a query", code="query-and-logs", help="check them one after the other"
            )
        )


def shareable(
    paths: Sequence[str | os.PathLike[str]],
    format: Format | None,
    beside: Sequence[str | os.PathLike[str] | None],
    asked: bool = False,
) -> tuple[Sequence[str | os.PathLike[str]], int | None] | None:
    """The logs at `paths` with about how many rows they have, where they are Parquet files, JSON Lines, CSV or tables
    of a database with enough of them to be shared by whichever engine, and these and the files `beside` them can be
    opened as often as one likes; else None. What is `asked` for by a query is set down, however much it is: None."""
    from verifier.log.sources import find_logs

    if not all(os.path.isfile(path) for path in beside if path is not None):
        return None
    if asked:
        return paths, None
    try:
        found = find_logs(paths, format)
    except RequestError:
        return None
    total = 0
    for path in found:
        rows = _rows_about(path, format)
        if rows is None:
            return None
        total += rows
    return (found, total) if total >= min(SHARED_ROWS, SLOW_ROWS) else None


def _rows_about(path: str, format: Format | None) -> int | None:
    from verifier.log.lineblocks import lines_in
    from verifier.log.parquet import rows_in
    from verifier.log.query import rows_in_table
    from verifier.log.sources import DUCKDB, format_of

    if path.startswith(DUCKDB):
        return rows_in_table(path)
    if not os.path.isfile(path):
        return None
    kind = format or format_of(path)
    return rows_in(path) if kind == "parquet" else lines_in(path) if kind in ("jsonl", "csv") else None


def size_of(paths: Sequence[str | os.PathLike[str]], database: str | os.PathLike[str] | None = None) -> int:
    """The bytes of files, of those in folders and those that patterns mean, and of databases.

    What cannot be told beforehand (standard input, files that a query names) counts for nothing.
    """
    from verifier.log.sources import DUCKDB, STDIN, table_named

    files: set[Path] = set() if database is None else {Path(database)}
    for path in [os.fspath(path) for path in paths]:
        if path.startswith(DUCKDB):
            files.add(Path(table_named(path)[0]))
        elif os.path.isdir(path):
            files |= set(Path(path).rglob("*"))
        elif os.path.lexists(path):
            files.add(Path(path))
        elif path != STDIN:
            files |= set(map(Path, glob(path, recursive=True)))
    return sum(file.stat().st_size for file in files if file.is_file())
