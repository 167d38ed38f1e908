"""Logs out of a database: a table of a DuckDB file, or what a query gives, read as any relation is."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from verifier.errors import LogError, Problem, RequestError
from verifier.log.arrange import PLAIN, Arrange
from verifier.log.faults import cut
from verifier.log.limits import LIMITS, Limits
from verifier.log.manifest import read_unsealed
from verifier.log.parquet import open_arrow
from verifier.log.schema import LogSchema
from verifier.log.sorting import arrow_reader
from verifier.log.sources import DUCKDB, LogFile

MEMORY = "400MB"
"""What DuckDB may hold in memory for a query."""


def open_table(
    name: str,
    schema: LogSchema,
    *,
    manifest: str | os.PathLike[str] | None,
    any_ruleset: bool = False,
    limits: Limits = LIMITS,
    arrange: Arrange = PLAIN,
) -> LogFile:
    """The table that `duckdb:FILE:TABLE` names, in the order in which it was filled. Raises as `open_query`."""
    file, _, table = name.removeprefix(DUCKDB).rpartition(":")
    if not file or not table:
        raise RequestError(
            Problem("a table of a database is named duckdb:FILE:TABLE", name, code="query", help=None)
        )
    quoted = '"' + table.replace('"', '""') + '"'
    return open_query(
        f"select * from {quoted}",
        schema,
        database=file,
        name=name,
        manifest=manifest,
        any_ruleset=any_ruleset,
        limits=limits,
        arrange=arrange,
    )


def open_query(
    sql: str,
    schema: LogSchema,
    *,
    database: str | os.PathLike[str] | None = None,
    name: str = "<query>",
    manifest: str | os.PathLike[str] | None,
    any_ruleset: bool = False,
    limits: Limits = LIMITS,
    arrange: Arrange = PLAIN,
) -> LogFile:
    """What a query gives, as a log. `database` is opened for reading only; without one the query names files itself.

    The header stands in `manifest`, without a seal: nothing vouches for a query's result. Columns are as strictly typed
    as those of Parquet. Raises `RequestError` for a query or a database that does not work, `LogError` for the rest.
    """
    import duckdb

    if manifest is None:
        raise RequestError(
            Problem(
                "the log of a query has no header",
                name,
                code="no-header",
                help="name a manifest with operator, ruleset, currency, exponent and records (--manifest)",
            )
        )
    try:
        header = read_unsealed(Path(manifest), schema, any_ruleset=any_ruleset, limits=limits)
    except OSError as error:
        words = (error.strerror or str(error)).lower()
        raise RequestError(
            Problem(f"the manifest cannot be read: {words}", str(manifest), code="log-unreadable")
        ) from None
    closing = ExitStack()
    try:
        if database is not None and not os.path.isfile(database):
            raise RequestError(Problem("there is no such database", os.fspath(database), code="query"))
        connection: Any = duckdb.connect(os.fspath(database or ":memory:"), read_only=database is not None)
        closing.callback(connection.close)
        connection.execute(f"set memory_limit = '{MEMORY}'")
        connection.execute("set enable_progress_bar = false")
        statements = connection.extract_statements(sql)
        if len(statements) != 1 or statements[0].type.name != "SELECT":
            raise RequestError(
                Problem(
                    "the query is not one SELECT", name, code="query", help="it gives the rows of the log"
                )
            )
        reader = arrow_reader(connection.sql(sql), limits.batch)
        opened = open_arrow(name, reader, schema, header, limits, arrange)
    except duckdb.Error as error:
        closing.close()
        words = cut(str(error).splitlines()[0]) if str(error) else type(error).__name__
        raise RequestError(Problem(f"the query fails: {words}", name, code="query")) from None
    except (LogError, RequestError):
        closing.close()
        raise
    return LogFile(name, None, "", opened, None, closing)
