"""Logs out of a database: a table of a DuckDB file, or what a query gives, read as any relation is."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from verifier.errors import LogError, Problem, RequestError
from verifier.log.arrange import PLAIN, Arrange
from verifier.log.faults import cut
from verifier.log.header import Header
from verifier.log.limits import LIMITS, Limits
from verifier.log.manifest import read_unsealed
from verifier.log.parquet import open_arrow
from verifier.log.schema import LogSchema
from verifier.log.sorting import arrow_reader
from verifier.log.sources import DUCKDB, LogFile
from verifier.log.streams import unreadable

MEMORY = "400MB"
"""What DuckDB may hold in memory for a query."""

MAGIC, MAGIC_AT = b"DUCK", 8
"""What a database file has, and after how many bytes."""

MOST_NAMED = 12
"""So many tables are named where the one that is asked for is not there."""


def open_table(
    name: str,
    schema: LogSchema,
    *,
    manifest: str | os.PathLike[str] | None,
    any_ruleset: bool = False,
    limits: Limits = LIMITS,
    arrange: Arrange = PLAIN,
) -> LogFile:
    """The table that `duckdb:FILE:TABLE` names, in the order in which it was filled. Raises as `open_query`.

    TABLE is the name of one in the current schema (`main`), else SCHEMA.TABLE.
    """
    file, _, table = name.removeprefix(DUCKDB).rpartition(":")
    if not file or not table:
        raise RequestError(
            Problem("a table of a database is named duckdb:FILE:TABLE", name, code="query", help=None)
        )
    header = _header(name, manifest, schema, any_ruleset, limits)
    return _opened(
        lambda connection: _all_of(connection, name, table), file, name, schema, header, limits, arrange
    )


def rows_in(name: str) -> int:
    """How many rows the table has that `duckdb:FILE:TABLE` names. Raises what `open_table` and DuckDB raise."""
    import duckdb

    file, _, table = name.removeprefix(DUCKDB).rpartition(":")
    _demand_database(file)
    with duckdb.connect(file, read_only=True) as connection:
        found = connection.execute(f"select count(*) from ({_all_of(connection, name, table)})").fetchone()
    return 0 if found is None else int(found[0])


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
    header = _header(name, manifest, schema, any_ruleset, limits)
    return _opened(lambda connection: sql, database, name, schema, header, limits, arrange)


def _header(
    name: str, manifest: str | os.PathLike[str] | None, schema: LogSchema, any_ruleset: bool, limits: Limits
) -> Header:
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
        return read_unsealed(Path(manifest), schema, any_ruleset=any_ruleset, limits=limits)
    except OSError as error:
        words = (error.strerror or str(error)).lower()
        raise RequestError(
            Problem(f"the manifest cannot be read: {words}", str(manifest), code="log-unreadable")
        ) from None


def _opened(
    statement: Callable[[Any], str],
    database: str | os.PathLike[str] | None,
    name: str,
    schema: LogSchema,
    header: Header,
    limits: Limits,
    arrange: Arrange,
) -> LogFile:
    """What the statement gives that is made once there is a connection."""
    import duckdb

    closing = ExitStack()
    try:
        if database is not None:
            _demand_database(database)
        connection: Any = duckdb.connect(os.fspath(database or ":memory:"), read_only=database is not None)
        closing.callback(connection.close)
        connection.execute(f"set memory_limit = '{MEMORY}'")
        connection.execute("set enable_progress_bar = false")
        sql = statement(connection)
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


def _demand_database(database: str | os.PathLike[str]) -> None:
    """Raises `RequestError` for what is no database file: DuckDB's own words for that are about something else."""
    file = os.fspath(database)
    if not os.path.isfile(file):
        raise RequestError(Problem("there is no such database", file, code="query"))
    try:
        with open(file, "rb") as stream:
            head = stream.read(MAGIC_AT + len(MAGIC))
    except OSError as error:
        raise unreadable(file, error) from None
    if head[MAGIC_AT:] != MAGIC:
        raise RequestError(
            Problem(
                "this is no DuckDB database",
                file,
                code="query",
                help="a log in a file is named by itself, without duckdb:; a --query names files in its FROM",
            )
        )


def _all_of(connection: Any, name: str, table: str) -> str:
    """The SELECT of all that is in a table or view: of that name in the current schema, else named SCHEMA.TABLE."""
    found: list[tuple[str, str, bool]] = connection.execute(
        "select table_schema, table_name, table_schema = current_schema() from information_schema.tables "
        "where table_catalog = current_database() order by all"
    ).fetchall()
    names = {f"{schema}.{own}".lower(): (schema, own) for schema, own, _ in found}
    names |= {own.lower(): (schema, own) for schema, own, current in found if current}
    if table.lower() in names:  # DuckDB minds no case in names
        schema, own = names[table.lower()]
        return f"select * from {_quoted(schema)}.{_quoted(own)}"
    there = [own if current else f"{schema}.{own}" for schema, own, current in found]
    shown = ", ".join(there[:MOST_NAMED]) + (", …" if len(there) > MOST_NAMED else "")
    raise RequestError(
        Problem(
            f"there is no table {table} in the database",
            name,
            code="query",
            help=f"it has {shown}" if there else "it has no tables",
        )
    )


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
