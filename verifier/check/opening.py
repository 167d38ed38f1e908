"""What a check reads: log files, put in order and renamed where that is asked, or what a query gives."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from verifier.errors import Problem, RequestError
from verifier.log.arrange import Arrange, read_columns
from verifier.log.limits import Limits
from verifier.log.schema import LogSchema

if TYPE_CHECKING:
    from verifier.log.sources import Format, LogFile


def opened(
    paths: Sequence[str | os.PathLike[str]],
    schema: LogSchema,
    format: Format | None,
    *,
    manifest: str | os.PathLike[str] | None,
    any_ruleset: bool,
    limits: Limits,
    columns: str | os.PathLike[str] | None,
    sort: bool,
    query: str | None,
    database: str | os.PathLike[str] | None,
) -> Iterable[LogFile]:
    """The logs at `paths`, or the one that a `query` gives, as `verifier.check.engine.check` takes them.

    Raises `RequestError` and `LogError`.
    """
    from verifier.log.sources import open_logs

    arrange = _arrange(columns, sort, schema)
    if query is None:
        return open_logs(
            paths, schema, format, manifest=manifest, any_ruleset=any_ruleset, limits=limits, arrange=arrange
        )
    from verifier.log.query import open_query

    _no_paths(paths)
    found = open_query(
        query,
        schema,
        database=database,
        manifest=manifest,
        any_ruleset=any_ruleset,
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


def size_of(paths: Sequence[str | os.PathLike[str]]) -> int:
    """The bytes of files and of those in folders; standard input counts for nothing."""
    total = 0
    for path in map(Path, paths):
        found = path.rglob("*") if path.is_dir() else (path,)
        total += sum(file.stat().st_size for file in found if file.is_file())
    return total
