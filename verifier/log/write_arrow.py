"""Writers of logs from Arrow batches, for logs of millions of rows: what they are given must be valid already.

Batches are of `verifier.log.batches.batch_schema`, the `at` column empty where the header says that it is missing.
The same files come out as from `verifier.log.write`, but for the order of the keys on a line and how Parquet lays out
its pages.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal

from verifier.log.header import TRAILER_KEY, Header, header_fields
from verifier.log.manifest import Seal
from verifier.log.schema import LogSchema
from verifier.log.write import Sink, line, write_manifest

Kind = Literal["jsonl", "csv", "parquet"]

Written = Callable[[int], None]
"""Called with how many rows have been written so far."""


def write_batches(
    path: str | os.PathLike[str],
    kind: Kind,
    schema: LogSchema,
    header: Header,
    batches: Iterable[Any],
    written: Written | None = None,
) -> Seal:
    """Writes a log, with its manifest beside it where the format has no room for one; gives its seal."""
    match kind:
        case "jsonl":
            return _jsonl(Path(path), schema, header, batches, written)
        case "csv":
            return _csv(Path(path), schema, header, batches, written)
        case "parquet":
            return _parquet(Path(path), schema, header, batches, written)


def _parquet(
    path: Path, schema: LogSchema, header: Header, batches: Iterable[Any], written: Written | None
) -> Seal:
    import pyarrow as pa
    import pyarrow.parquet as pq

    writer: Any = None
    events = 0
    with ExitStack() as closing:
        for batch in batches:
            table = pa.Table.from_batches([_recorded(batch, header)])
            if writer is None:
                writer = closing.enter_context(
                    pq.ParquetWriter(
                        os.fspath(path),
                        table.schema,
                        compression="zstd",
                        compression_level=1,
                        write_page_checksum=True,
                        write_statistics=["seq"],
                    )
                )
            writer.write_table(table.unify_dictionaries())
            events += batch.num_rows
            if written is not None:
                written(events)
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return write_manifest(path, schema, header, Seal(events, digest))


def _csv(
    path: Path, schema: LogSchema, header: Header, batches: Iterable[Any], written: Written | None
) -> Seal:
    import pyarrow as pa
    import pyarrow.csv as csv

    events = 0
    options = csv.WriteOptions(include_header=False, quoting_style="needed")
    with ExitStack() as closing:
        sink = Sink(path, closing)
        for batch in batches:
            batch = _plain(_recorded(batch, header))
            if not events:
                sink.write((",".join(batch.schema.names) + "\n").encode())
            buffer = pa.BufferOutputStream()
            csv.write_csv(batch, buffer, options)
            sink.write(buffer.getvalue())
            events += batch.num_rows
            if written is not None:
                written(events)
    return write_manifest(path, schema, header, Seal(events, sink.digest.hexdigest()))


def _jsonl(
    path: Path, schema: LogSchema, header: Header, batches: Iterable[Any], written: Written | None
) -> Seal:
    events = 0
    with ExitStack() as closing:
        sink = Sink(path, closing)
        sink.write(line(header_fields(header, schema)))
        for batch in batches:
            sink.write(json_lines(_recorded(batch, header)))
            events += batch.num_rows
            if written is not None:
                written(events)
        seal = Seal(events, sink.digest.hexdigest())
        sink.write(line({TRAILER_KEY: {"events": seal.events, "sha256": seal.sha256}}))
    return seal


def json_lines(batch: Any) -> bytes:
    """The rows of a batch as lines of JSON, nulls left out. Where the first column has any, `seq` comes first."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if batch.num_columns and batch.column(0).null_count:
        batch = batch.select(["seq", *(name for name in batch.schema.names if name != "seq")])
    pieces = []
    for index, field in enumerate(batch.schema):
        array = batch.column(index)
        head = ("{" if index == 0 else ", ") + json.dumps(field.name) + ": "
        if array.null_count == len(array):
            continue
        if pa.types.is_dictionary(array.type):
            words = [head + json.dumps(word, ensure_ascii=False) for word in array.dictionary.to_pylist()]
            pieces.append(pa.array(words, pa.string()).take(array.indices))
        elif pa.types.is_string(array.type):
            pieces.append(pc.binary_join_element_wise(head + '"', array, '"', ""))
        else:
            pieces.append(pc.binary_join_element_wise(head, array.cast(pa.string()), ""))
    joined = pc.binary_join_element_wise(*pieces, "}\n", "", null_handling="replace", null_replacement="")
    return "".join(joined.to_pylist()).encode()


def _recorded(batch: Any, header: Header) -> Any:
    """The batch without the columns that are never recorded."""
    return batch.select([name for name in batch.schema.names if not header.lacks(name)])


def _plain(batch: Any) -> Any:
    import pyarrow as pa

    arrays = [a.dictionary_decode() if pa.types.is_dictionary(a.type) else a for a in batch.columns]
    return pa.RecordBatch.from_arrays(arrays, names=batch.schema.names)
