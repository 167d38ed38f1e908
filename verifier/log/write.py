"""Writers of logs: what they write is checked by the readers' own checks on the way out."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from verifier.log.faults import RefusedError
from verifier.log.header import TRAILER_KEY, Header, header_fields
from verifier.log.manifest import Seal
from verifier.log.rounds import Rounds
from verifier.log.rows import Correction, Row, RowReader
from verifier.log.schema import CORRECTION, RESERVED, Column, LogSchema
from verifier.log.values import to_text

Rows = Iterable[Row | Mapping[str, object]]
"""Rows as readers give them, or their fields as a line of JSON Lines has them."""

_BATCH = 8_192


class Sink:
    """Bytes out, hashed before they are compressed (by the ending of the name: .gz, .zst)."""

    def __init__(self, path: Path, closing: ExitStack) -> None:
        raw = closing.enter_context(path.open("wb"))
        self._out: Any = raw
        if path.suffix == ".gz":
            self._out = closing.enter_context(gzip.GzipFile("", "wb", 9, raw, mtime=0))
        elif path.suffix == ".zst":
            import zstandard

            self._out = closing.enter_context(
                zstandard.ZstdCompressor(level=9).stream_writer(raw, closefd=False)
            )
        self.digest = hashlib.sha256()

    def write(self, data: bytes) -> None:
        self.digest.update(data)
        self._out.write(data)


def write_jsonl(path: str | os.PathLike[str], schema: LogSchema, header: Header, rows: Rows) -> Seal:
    """Writes a JSON Lines log with its trailer; compressed if the name ends in .gz or .zst.

    Raises ValueError for a row that a reader would refuse.
    """
    events = 0
    with ExitStack() as closing:
        sink = Sink(Path(path), closing)
        sink.write(line(header_fields(header, schema)))
        for fields in checked_fields(schema, header, rows):
            sink.write(line(fields))
            events += 1
        seal = Seal(events, sink.digest.hexdigest())
        sink.write(line({TRAILER_KEY: {"events": seal.events, "sha256": seal.sha256}}))
    return seal


def write_csv(
    path: str | os.PathLike[str], schema: LogSchema, header: Header, rows: Rows, extras: Sequence[str] = ()
) -> Seal:
    """Writes a CSV log (records end with LF) and, beside it, its manifest.

    `extras` names the x_ columns. In CSV they are text: any other value there raises ValueError, as does a
    row that a reader would refuse.
    """
    names = _columns(schema, header, extras)
    events = 0
    with ExitStack() as closing:
        sink = Sink(Path(path), closing)
        sink.write(_record(names))
        for fields in checked_fields(schema, header, rows):
            _demand_columns(fields, extras)
            sink.write(_record([to_text(fields[name]) if name in fields else "" for name in names]))
            events += 1
    return write_manifest(Path(path), schema, header, Seal(events, sink.digest.hexdigest()))


def write_parquet(
    path: str | os.PathLike[str], schema: LogSchema, header: Header, rows: Rows, extras: Sequence[str] = ()
) -> Seal:
    """Writes a Parquet log (zstd inside) and, beside it, its manifest. `extras` as for `write_csv`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from verifier.log.schema_arrow import to_arrow

    arrow = to_arrow(schema, header)
    for name in extras:
        arrow = arrow.append(pa.field(name, pa.string()))
    events = 0
    with pq.ParquetWriter(os.fspath(path), arrow, compression="zstd", write_page_checksum=True) as writer:
        for batch in _batches(checked_fields(schema, header, rows)):
            for fields in batch:
                _demand_columns(fields, extras)
            writer.write_batch(pa.RecordBatch.from_pylist(batch, arrow))
            events += len(batch)
    with open(path, "rb") as written:
        digest = hashlib.file_digest(written, "sha256").hexdigest()
    return write_manifest(Path(path), schema, header, Seal(events, digest))


def row_fields(schema: LogSchema, row: Row | Correction) -> dict[str, object]:
    """The fields of a row as a line of JSON Lines has them; of a corrected row, as it stands now."""
    fields: dict[str, object] = {}
    for life, key in zip(schema.lives, row.lives, strict=True):
        if key is not None:
            fields[life.name] = key
    fields["seq"] = row.seq
    if row.at is not None:
        fields["at"] = row.at
    fields["actor"] = row.actor
    if isinstance(row, Correction):
        fields |= {"event": CORRECTION, "corrects": row.corrects}
        fields |= {"corrected_event": row.event, "corrected_actor": row.corrected_actor}
    else:
        fields["event"] = row.event
    for name, value in zip(schema.events[row.event].parameters, row.values, strict=True):
        if value is not None:
            fields[name] = _encoded(schema.columns[name], value)
    return {**fields, **row.extras}


def checked_fields(schema: LogSchema, header: Header, rows: Rows) -> Iterator[dict[str, object]]:
    """The fields of all rows to write, corrections unfolded. Raises ValueError for what readers refuse."""
    reader = RowReader("", schema, header)
    rounds = Rounds(schema, header)
    for number, fields in enumerate(_unfolded(schema, rows), 1):
        try:
            rounds.push(reader.read(fields, number))
        except RefusedError as refused:
            reasons = "; ".join(fault.message for fault in refused.faults)
            raise ValueError(f"row {number} cannot be written: {reasons}") from None
        yield {name: value for name, value in fields.items() if value is not None}


def _unfolded(schema: LogSchema, rows: Rows) -> Iterator[dict[str, object]]:
    """Corrected rows as they first stood, and each correction where its seq falls due at its table."""
    waiting: dict[tuple[object, int], Correction] = {}
    for row in rows:
        if not isinstance(row, Row):
            yield dict(row)
            continue
        table = schema.stream(row.lives)
        while row.correction is not None and row.original is not None:
            waiting[table, row.correction.seq] = row.correction
            row = row.original
        yield row_fields(schema, row)
        seq = row.seq + 1
        while (correction := waiting.pop((table, seq), None)) is not None:
            yield row_fields(schema, correction)
            seq += 1


def _encoded(column: Column, value: object) -> object:
    return column.encode(value) if column.kind == "written" else value


def line(fields: Mapping[str, object]) -> bytes:
    """A line of JSON Lines."""
    return json.dumps(fields, ensure_ascii=False, separators=(", ", ": ")).encode() + b"\n"


def _record(cells: Sequence[str]) -> bytes:
    # With LF as its terminator the csv module leaves a CR unquoted, so it is given CR LF.
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\r\n").writerow(cells)
    return text.getvalue().removesuffix("\r\n").encode() + b"\n"


def _columns(schema: LogSchema, header: Header, extras: Sequence[str]) -> list[str]:
    own = [*(life.name for life in schema.lives), *RESERVED, *schema.columns]
    return [name for name in own if not header.lacks(name)] + list(extras)


def _demand_columns(fields: Mapping[str, object], extras: Sequence[str]) -> None:
    for name, value in fields.items():
        if name.startswith("x_"):
            if name not in extras:
                raise ValueError(f"column {name} is not among the extras to write")
            if not isinstance(value, str):
                raise ValueError(f"column {name}: in this format the operator's own columns are text")


def _batches(rows: Iterator[dict[str, object]]) -> Iterator[list[dict[str, object]]]:
    batch: list[dict[str, object]] = []
    for fields in rows:
        batch.append(fields)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def write_manifest(path: Path, schema: LogSchema, header: Header, seal: Seal) -> Seal:
    """Writes the manifest of the log at `path` beside it; gives the seal back."""
    fields = {**header_fields(header, schema), "events": seal.events, "sha256": seal.sha256}
    text = json.dumps(fields, ensure_ascii=False, indent=2) + "\n"
    path.with_name(path.name + ".manifest.json").write_text(text, encoding="utf-8", newline="")
    return seal
