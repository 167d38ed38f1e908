"""Parquet and Arrow: typed columns, header and seal in a manifest. No column is cast to another type."""

from __future__ import annotations

import dataclasses
import hashlib
import tempfile
from collections.abc import Collection, Iterator
from contextlib import suppress
from typing import Any, BinaryIO

from verifier.errors import LogError
from verifier.log.arrange import PLAIN, Arrange
from verifier.log.assemble import Columnar, Corrections, Groups, Opened, Plan, Raw, Tally, assemble
from verifier.log.columns import column_faults, column_of
from verifier.log.faults import Fault, Mark, RefusedError, cut, log_error
from verifier.log.groups import EVENTS, counts, groups_having, row_groups
from verifier.log.header import Header
from verifier.log.limits import LIMITS, Limits
from verifier.log.manifest import Seal
from verifier.log.ordered import in_order_if_asked
from verifier.log.schema import CORRECTION, EXTRA_PREFIX, NUMERIC, LogSchema
from verifier.log.streams import Source, refused, set_down_in_vain
from verifier.log.strict import Malformed


def open_parquet(
    name: str,
    source: BinaryIO,
    schema: LogSchema,
    header: Header,
    seal: Seal,
    limits: Limits = LIMITS,
    arrange: Arrange = PLAIN,
) -> Opened:
    """Reads the footer of a seekable file; the rows follow as they are asked for. Raises `LogError`."""
    if source.seek(0, 2) == 0:
        raise refused(name, "log-empty", "an empty file", "a Parquet file")
    # The digest is known before anything is parsed, so that a damaged file gets no further.
    digest = _digest(source)
    try:
        seal.check(seal.events, digest)
    except RefusedError as problem:
        raise log_error(name, None, problem.faults) from None
    return open_unsealed(name, source, schema, header, limits, arrange, seal, digest)


def open_unsealed(
    name: str,
    source: Any,
    schema: LogSchema,
    header: Header,
    limits: Limits,
    arrange: Arrange,
    seal: Seal | None = None,
    digest: str | None = None,
) -> Opened:
    """As `open_parquet`, of a file for which nothing vouches. `source` may be its path."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    bounds = {"thrift_string_size_limit": limits.footer, "thrift_container_size_limit": limits.footer}
    try:
        file = pq.ParquetFile(source, pre_buffer=False, page_checksum_verification=True, **bounds)
        # A text that a dictionary has once and thousands of rows have is in memory once then, and looked at once.
        texts = [
            f.name
            for f in file.schema_arrow
            if pa.types.is_string(f.type) and _is_text(arrange.names.get(f.name, f.name), schema)
        ]
        if texts:
            file = pq.ParquetFile(
                source, read_dictionary=texts, pre_buffer=False, page_checksum_verification=True, **bounds
            )
        arrow, metadata = file.schema_arrow, file.metadata
        sizes = [metadata.row_group(index).total_byte_size for index in range(metadata.num_row_groups)]
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise _broken(name, error) from None
    if max(sizes, default=0) > limits.row_group:
        found = f"a row group of {max(sizes)} bytes"
        raise refused(name, "log-limit", found, f"at most {limits.row_group}", "write smaller row groups")
    tally = Tally()
    batches = _guarded(name, lambda: file.iter_batches(batch_size=limits.batch))
    opened = _open(name, arrow, batches, schema, header, seal, digest, tally, limits, arrange)
    columnar = in_order_if_asked(
        name,
        lambda tally: _columnar(name, file, seal, digest, tally, arrange),
        schema,
        header,
        tally,
        arrange,
    )
    return dataclasses.replace(opened, columnar=columnar)


def _columnar(
    name: str, file: Any, seal: Seal | None, digest: str | None, tally: Tally, arrange: Arrange
) -> Columnar:
    """The columns of a file that fits the schema but for what stands in it."""
    names: list[str] = file.schema_arrow.names
    ours = {theirs: arrange.names.get(theirs, theirs) for theirs in names}
    read = [theirs for theirs in names if theirs not in arrange.ignored]
    own = {ours[theirs]: theirs for theirs in read}

    def done(events: int) -> None:
        if seal is not None and digest is not None:
            _sealed(name, seal, events, digest)
            tally.sealed = digest
        tally.events, tally.digest, tally.complete = events, digest, True

    def columns(rows: int) -> Iterator[Any]:
        events = 0
        try:
            for batch in _guarded(name, lambda: row_groups(file, rows, read)):
                events += batch.num_rows
                yield batch.rename_columns([ours[n] for n in batch.schema.names])
        except LogError:
            raise Malformed from None  # what breaks off may be amiss in a row before that
        done(events)

    def corrected() -> Corrections:
        events = [theirs for theirs in read if ours[theirs] == "event"]
        try:
            found = any(
                batch.num_columns and _has(batch.column(0), CORRECTION)
                for batch in _guarded(name, lambda: row_groups(file, EVENTS, events))
            )
        except LogError:
            return Corrections.UNTOLD
        return Corrections.PERHAPS if found else Corrections.NONE

    def plan(column: str) -> Plan:
        told = corrected()
        if told is Corrections.UNTOLD:
            raise Malformed
        try:
            found: dict[str | None, int] = next(_guarded(name, lambda: iter([counts(file, own[column])])))
        except (LogError, UnicodeDecodeError):
            raise Malformed from None
        return Plan(column, digest, found, corrected=told is Corrections.PERHAPS)

    def having(plan: Plan, texts: Collection[str | None], rows: int) -> Iterator[tuple[Any, Any]]:
        if plan.digest != digest:
            raise Malformed
        try:
            for places, batch in _guarded(
                name, lambda: groups_having(file, own[plan.column], texts, rows, read)
            ):
                yield places, batch.rename_columns([ours[n] for n in batch.schema.names])
        except (LogError, UnicodeDecodeError):
            raise Malformed from None
        done(file.metadata.num_rows)

    return Columnar(columns, corrected, groups=Groups(plan, having))


def rows_in(path: str) -> int | None:
    """How many rows a file says that it has; None where it cannot be told."""
    import pyarrow.parquet as pq

    bounds = {"thrift_string_size_limit": LIMITS.footer, "thrift_container_size_limit": LIMITS.footer}
    # whatever is wrong with it is said by who reads it
    with suppress(Exception), pq.ParquetFile(path, **bounds) as file:
        rows: int = file.metadata.num_rows
        return rows
    return None


def _has(array: Any, text: str) -> bool:
    """Whether a column of texts has this one somewhere."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_null(array.type):
        return False
    if pa.types.is_dictionary(array.type):
        if not pc.any(pc.equal(array.dictionary.cast(pa.string()), text)).as_py():
            return False
        array = array.dictionary_decode()
    # views have no such comparison
    return bool(pc.any(pc.equal(array.cast(pa.string()), text)).as_py())


def open_arrow(
    name: str,
    source: Any,
    schema: LogSchema,
    header: Header,
    limits: Limits = LIMITS,
    arrange: Arrange = PLAIN,
) -> Opened:
    """A log in memory: an Arrow table or record batch reader, a DuckDB relation, whatever gives Arrow's C stream.

    It has no seal. Raises `LogError`; TypeError if `source` gives no such stream.
    """
    import pyarrow as pa

    reader = pa.RecordBatchReader.from_stream(source)

    def batches() -> Iterator[Any]:
        for batch in reader:
            for start in range(0, batch.num_rows, limits.batch):
                yield batch.slice(start, limits.batch)

    return _open(
        name, reader.schema, _guarded(name, batches), schema, header, None, None, Tally(), limits, arrange
    )


def spool(name: str, stream: Source, limits: Limits = LIMITS) -> BinaryIO:
    """A seekable copy of a Parquet file that comes compressed or through a pipe."""
    try:
        copy: BinaryIO = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
    except OSError as error:
        raise set_down_in_vain(name, error) from None
    size = 0
    try:
        while piece := stream.read(1 << 20):
            size += len(piece)
            if size > limits.spooled:
                raise refused(name, "log-limit", f"over {limits.spooled} bytes", "a smaller file")
            try:
                copy.write(piece)
            except OSError as error:
                raise set_down_in_vain(name, error) from None
        try:
            copy.seek(0)  # writes what is held back, too
        except OSError as error:
            raise set_down_in_vain(name, error) from None
    except BaseException:
        with suppress(OSError):
            copy.close()
        raise
    return copy


def _open(
    name: str,
    arrow: Any,
    batches: Iterator[Any],
    schema: LogSchema,
    header: Header,
    seal: Seal | None,
    digest: str | None,
    tally: Tally,
    limits: Limits,
    arrange: Arrange,
) -> Opened:
    demand_columns(name, arrow, schema, header, limits, arrange)
    names: list[str] = list(arrow.names)
    records = _records(name, names, batches, seal, digest, tally, arrange.ignored, limits)
    rows = assemble(
        name, records, schema, header, tally, limits, lambda place, fault: Mark(), arrange=arrange
    )
    return Opened(header, rows, tally)


def demand_columns(
    name: str, arrow: Any, schema: LogSchema, header: Header, limits: Limits, arrange: Arrange
) -> None:
    """Raises `LogError` where columns, as a `pyarrow.Schema` has them, are not those of a log."""
    try:
        names: list[str] = list(arrow.names)
    except UnicodeDecodeError as error:
        raise _broken(name, error) from None
    faults = column_faults(names, schema, header, limits, arrange)
    faults += arrange.faults(
        fault
        for field in arrow
        if field.name not in arrange.ignored
        and (fault := _type_fault(field.with_name(arrange.names.get(field.name, field.name)), schema))
        is not None
    )
    if faults:
        raise log_error(name, None, faults[: limits.faults])


def _records(
    name: str,
    names: list[str],
    batches: Iterator[Any],
    seal: Seal | None,
    digest: str | None,
    tally: Tally,
    ignored: frozenset[str],
    limits: Limits,
) -> Iterator[Raw]:
    read = [(i, column) for i, column in enumerate(names) if column not in ignored]
    names = [column for _, column in read]
    for batch in batches:
        for part in _bearable(batch, [i for i, column in read if column.startswith(EXTRA_PREFIX)], limits):
            columns = [_values(name, column, part.column(i), tally.events) for i, column in read]
            for cells in zip(*columns, strict=True):
                tally.events += 1
                yield tally.events, dict(zip(names, cells, strict=True)), None
    if seal is not None and digest is not None:
        _sealed(name, seal, tally.events, digest)
        tally.sealed = digest
    tally.digest = digest


def _bearable(batch: Any, own: list[int], limits: Limits) -> Iterator[Any]:
    """A batch in parts whose texts, each written out, are not too much; `own` are the x_ columns."""
    import pyarrow as pa
    import pyarrow.compute as pc

    longest = 0
    for array in map(batch.column, own):
        texts = array.dictionary if pa.types.is_dictionary(array.type) else array
        if pa.types.is_string(texts.type) or pa.types.is_large_string(texts.type):
            longest += pc.max(pc.binary_length(texts)).as_py() or 0
    size = max(1, min(batch.num_rows, limits.batch_text // max(longest, 1)))
    return (batch.slice(start, size) for start in range(0, batch.num_rows, size))


def _sealed(name: str, seal: Seal, events: int, digest: str) -> None:
    try:
        seal.check(events, digest)
    except RefusedError as problem:
        raise log_error(name, None, problem.faults) from None


def _values(name: str, column: str, array: Any, before: int) -> list[object]:
    import pyarrow as pa

    try:
        values: list[object] = array.to_pylist()
    except pa.ArrowException as error:
        raise _broken(name, error) from None
    except UnicodeDecodeError:
        for index in range(len(array)):
            try:
                array[index].as_py()
            except UnicodeDecodeError as error:
                found = f"the bytes {error.object[error.start : error.start + 4].hex(' ')}"
                fault = Fault("log-encoding", column, found, "UTF-8")
                raise log_error(name, before + index + 1, [fault]) from None
        raise
    return values


def _guarded(name: str, batches: Any) -> Iterator[Any]:
    """The batches; what breaks while they are read is a refusal."""
    import pyarrow as pa

    try:
        yield from batches()
    except (pa.ArrowException, OSError) as error:
        raise _broken(name, error) from None


def _broken(name: str, error: Exception) -> LogError:
    words = cut(str(error).splitlines()[0] if str(error) else type(error).__name__)
    return refused(name, "log-parquet", f"broken Parquet ({words})", "a whole Parquet file", "copy it again")


def _type_fault(field: Any, schema: LogSchema) -> Fault | None:
    """A column whose type cannot hold its values exactly; dictionaries and narrower integers are fine."""
    import pyarrow.types as types

    kind = field.type.value_type if types.is_dictionary(field.type) else field.type
    if types.is_null(kind):
        return None
    text = types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)
    column = column_of(field.name, schema)
    if column is None:
        fine = text or types.is_integer(kind) or types.is_boolean(kind)
        wanted = "string, an integer or boolean"
    elif column.kind in NUMERIC:
        fine, wanted = types.is_integer(kind), "int64 (or a narrower integer)"
    elif column.kind == "boolean":
        fine, wanted = types.is_boolean(kind), "boolean"
    else:
        fine, wanted = text, "string (or a dictionary of strings)"
    if fine:
        return None
    help = None
    if column is not None and column.kind == "money":
        help = "money is counted in whole minor units; nothing is rounded"
    elif column is not None and column.kind == "time":
        help = "write times as RFC 3339 text with their offset"
    return Fault("log-type", field.name, f"a column of type {cut(str(field.type))}", wanted, help)


def _is_text(name: str, schema: LogSchema) -> bool:
    """Whether what stands in the column, the operator's own or one of the format, is text but for times."""
    column = column_of(name, schema)
    if column is None:
        return name.startswith(EXTRA_PREFIX)
    return column.kind not in NUMERIC and column.kind not in ("boolean", "time")


def _digest(source: BinaryIO) -> str:
    source.seek(0)
    digest = hashlib.sha256()
    while piece := source.read(1 << 20):
        digest.update(piece)
    source.seek(0)
    return digest.hexdigest()
