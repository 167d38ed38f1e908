"""Logs out of a database: a table of a DuckDB file, or what a query gives, read as any relation is."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from verifier.errors import Problem, RequestError
from verifier.log.arrange import PLAIN, Arrange
from verifier.log.aside import Aside, interruptible
from verifier.log.assemble import Tally
from verifier.log.faults import cut
from verifier.log.header import Header
from verifier.log.limits import LIMITS, Limits
from verifier.log.manifest import read_unsealed
from verifier.log.parquet import demand_columns, open_unsealed
from verifier.log.schema import LogSchema
from verifier.log.sorting import arrow_reader
from verifier.log.sources import LogFile, table_named
from verifier.log.streams import refused, unreadable

MEMORY = "400MB"
"""What DuckDB may hold in memory for a query."""

ASKED = "asked"
"""What is set down of a log here, among what else may be."""

ROWS = 100_000
BYTES = 32 << 20
"""Of so many rows, or bytes, a group of rows is made in what is set down."""

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
    file, table = table_named(name)
    if not file or not table:
        raise RequestError(
            Problem("a table of a database is named duckdb:FILE:TABLE", name, code="query", help=None)
        )
    header = _header(name, manifest, schema, any_ruleset, limits)
    return _opened(
        lambda connection: _all_of(connection, name, table), file, name, schema, header, limits, arrange
    )


def rows_in_table(name: str) -> int | None:
    """How many rows the table has that `duckdb:FILE:TABLE` names; None where it cannot be told."""
    file, table = table_named(name)
    with suppress(RequestError), _asking(name, file) as connection:
        counted = f"select count(*) from ({_all_of(connection, name, table)})"
        found = connection.execute(counted).fetchone()
        return None if found is None else int(found[0])
    return None


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
    """What the statement gives that is made once there is a connection: set down, since it may give something else, or
    the same in another order, when it is asked again."""
    closing = ExitStack()
    if arrange.aside is None:
        arrange = replace(arrange, aside=closing.enter_context(Aside()))
    aside = arrange.aside
    assert aside is not None

    def make(path: Path) -> Tally:
        with _asking(name, database, path.parent) as connection:
            _set_down(name, _asked(name, connection, statement), path, schema, header, limits, arrange)
        return Tally()

    try:
        found = aside.made(name, ASKED, make)
        opened = open_unsealed(name, found.path, schema, header, limits, arrange)
    except BaseException:
        closing.close()
        raise
    return LogFile(name, None, "", opened, None, closing, arrange)


@contextmanager
def _asking(name: str, database: str | os.PathLike[str] | None, folder: Path | None = None) -> Iterator[Any]:
    """A connection; what DuckDB says against what is done with it is said of the query. It sets down in the folder what
    it cannot hold in memory."""
    import duckdb

    if database is not None:
        _demand_database(database)
    try:
        connection: Any
        with (
            interruptible(),
            duckdb.connect(os.fspath(database or ":memory:"), read_only=database is not None) as connection,
        ):
            connection.execute(f"set memory_limit = '{MEMORY}'")
            if folder is not None:
                connection.execute("set temp_directory = ?", [os.fspath(folder)])
            connection.execute("set enable_progress_bar = false")
            # A query that names a place elsewhere is refused: nothing is fetched, no extension for it either.
            connection.execute("set autoinstall_known_extensions = false")
            connection.execute("set autoload_known_extensions = false")
            yield connection
    except duckdb.Error as error:
        raise _failing(name, error) from None


def _failing(name: str, error: Exception) -> RequestError:
    words = cut(str(error).splitlines()[0]) if str(error) else type(error).__name__
    return RequestError(Problem(f"the query fails: {words}", name, code="query"))


def _asked(name: str, connection: Any, statement: Callable[[Any], str]) -> Any:
    """What comes of the statement, as a `pyarrow.RecordBatchReader`."""
    sql = statement(connection)
    statements = connection.extract_statements(sql)
    if len(statements) != 1 or statements[0].type.name != "SELECT":
        raise RequestError(
            Problem("the query is not one SELECT", name, code="query", help="it gives the rows of the log")
        )
    return arrow_reader(connection.sql(sql), LIMITS.batch)


def _set_down(
    name: str,
    reader: Any,
    path: Path,
    schema: LogSchema,
    header: Header,
    limits: Limits,
    arrange: Arrange,
) -> None:
    """Write what is read, but for columns that are ignored. Raises `LogError` for columns that no log has."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    demand_columns(name, reader.schema, schema, header, limits, arrange)
    kept = [column for column in reader.schema.names if column not in arrange.ignored]
    arrow = pa.schema([reader.schema.field(column) for column in kept])
    rows = 0
    with pq.ParquetWriter(os.fspath(path), arrow, compression="zstd", compression_level=1) as writer:
        for batches in _bundled(_read(name, reader)):
            table = pa.Table.from_batches([batch.select(kept) for batch in batches], arrow)
            writer.write_table(table)
            rows += table.num_rows
            if path.stat().st_size > limits.spooled:
                found = f"over {limits.spooled} bytes of rows, compressed"
                raise refused(name, "log-limit", found, "fewer rows", "ask for a part of them at a time")
            if arrange.reading is not None:
                arrange.reading(name, rows)


def _read(name: str, reader: Any) -> Iterator[Any]:
    """The batches of a reader; where it fails, the query does."""
    import pyarrow as pa

    while True:
        try:
            batch = reader.read_next_batch()
        except StopIteration:
            return
        except (pa.ArrowException, OSError) as error:
            raise _failing(name, error) from None
        yield batch


def _bundled(batches: Iterator[Any]) -> Iterator[list[Any]]:
    """As many together as are to be one group of rows in a file."""
    waiting: list[Any] = []
    rows = size = 0
    for batch in batches:
        waiting.append(batch)
        rows += batch.num_rows
        size += batch.nbytes
        if rows >= ROWS or size >= BYTES:
            yield waiting
            waiting, rows, size = [], 0, 0
    if waiting:
        yield waiting


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
