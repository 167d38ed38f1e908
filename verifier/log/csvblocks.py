"""CSV block by block as Arrow batches: as strict as record by record.

`cells` reads a block of plain records; from the first block of which it cannot tell on, records are read one by one.
What cannot be made a column is left to the reader of rows, which says what is wrong.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from verifier.errors import LogError
from verifier.log.arrange import Arrange
from verifier.log.assemble import Columnar, Corrections, Groups, Plan, Tally
from verifier.log.cells import COLUMNS, NUMBER, TRUTH, WORD, Cells, kind_of
from verifier.log.columns import column_of
from verifier.log.delimited import Lines, cells_of
from verifier.log.faults import RefusedError, log_error
from verifier.log.limits import INT64_MAX, INT64_MIN, Limits
from verifier.log.lineblocks import look_through, note, rows_having
from verifier.log.manifest import Seal
from verifier.log.schema import CORRECTION, Kind, LogSchema
from verifier.log.streams import OnDisk, Unpacked, readable
from verifier.log.strict import Malformed
from verifier.log.values import untext

BLOCK = 4 << 20

_CORRECTION = CORRECTION.encode()
_QUOTE = b'"'


def columnar_csv(
    name: str,
    again: Callable[[], io.BufferedReader],
    first: str,
    columns: Sequence[str],
    schema: LogSchema,
    seal: Seal,
    tally: Tally,
    limits: Limits,
    arrange: Arrange,
    disk: OnDisk | Unpacked | None,
) -> Columnar:
    """The columns of a log of which the first record, with the names of `columns`, has been read; `again` opens it
    anew. `disk` is what it holds, by place."""
    cells = [_cell(column, schema, arrange) for column in columns]
    ending = b"\r\n" if first.endswith("\r\n") else b"\n"

    def batches(rows: int) -> Iterator[Any]:
        stream = again()
        names = first.encode("utf-8")
        stream.read(len(names))
        digest, events = hashlib.sha256(names), 0
        reader = Cells(cells) if len(cells) <= COLUMNS else None
        block = b""
        while piece := _piece(stream):
            block += piece
            cut = block.rfind(b"\n") + 1
            if not cut and len(block) > limits.line:
                raise Malformed
            whole, rest = block[:cut], block[cut:]
            found = reader.csv(whole, ending) if reader is not None and cut <= limits.line else None
            if found is None:
                break
            digest.update(whole)
            for batch in _batches(found, rows):
                events += batch.num_rows
                yield batch
            block = rest
        if block:
            # The last record, which may go without its end; or all from where it could not be told.
            lines = Lines(name, _joined(block, stream), digest, limits, events + 1, ending.decode())
            for batch in _one_by_one(name, lines, cells, rows):
                events += batch.num_rows
                yield batch
        try:
            seal.check(events, digest.hexdigest())
        except RefusedError as problem:
            raise log_error(name, None, problem.faults) from None
        tally.events, tally.complete = events, True
        tally.digest = tally.sealed = digest.hexdigest()

    def cells_to(column: str) -> Cells:
        names = [None if cell is None else cell[0] for cell in cells]
        if column not in names or names.index(column) >= COLUMNS:
            raise Malformed
        return Cells([*(None for _ in names[: names.index(column)]), (column, WORD)])

    def look(column: str) -> Plan:
        assert disk is not None
        texts = cells_to(column).csv_texts
        looked = look_through(
            disk, first.encode("utf-8"), texts, lambda block: _CORRECTION in block, limits, last_apart=False
        )
        digest = looked.digest.hexdigest()
        try:
            seal.check(looked.rows, digest)
        except RefusedError as problem:
            raise log_error(name, None, problem.faults) from None
        return looked.plan(column, Tally(looked.rows, digest=digest, sealed=digest))

    def having(plan: Plan, texts: Collection[str | None], rows: int) -> Iterator[tuple[Any, Any]]:
        assert disk is not None
        reader = Cells(cells) if len(cells) <= COLUMNS else None

        def read(block: bytes) -> Any:
            plain = reader is not None and len(block) <= limits.line and block.endswith(b"\n")
            found = reader.csv(block, ending) if reader is not None and plain else None
            if found is not None:
                return next(_batches(found, len(block)))
            lines = Lines(name, readable(iter([block])), hashlib.sha256(), limits, 1, ending.decode())
            return next(_one_by_one(name, lines, cells, len(block)))

        yield from rows_having(
            disk, first.encode("utf-8"), plan, texts, rows, cells_to(plan.column).csv_texts, read
        )
        note(plan, tally)

    return Columnar(batches, lambda: _corrections(again()), 2, None if disk is None else Groups(look, having))


def _cell(name: str, schema: LogSchema, arrange: Arrange) -> tuple[str, int] | None:
    """The column that a cell is of, and what its values are; None where it is not read."""
    if name in arrange.ignored:
        return None
    ours = arrange.names.get(name, name)
    column = column_of(ours, schema)
    return ours, WORD if column is None else kind_of(column)


def _corrections(stream: io.BufferedReader) -> Corrections:
    """Whether a correction may be among the rows; untold where a record goes on in another line."""
    import numpy as np

    kept, odd, found = b"", False, Corrections.NONE
    try:
        while piece := _piece(stream):
            seam = kept[-len(_CORRECTION) :] + piece[: len(_CORRECTION)]
            if found is Corrections.NONE and (_CORRECTION in seam or _CORRECTION in piece):
                found = Corrections.PERHAPS
            kept = kept[-len(_CORRECTION) :] + piece if len(piece) < len(_CORRECTION) else piece
            if odd or _QUOTE in piece:
                data = np.frombuffer(piece, dtype=np.uint8)
                quotes, ends = np.flatnonzero(data == ord('"')), np.flatnonzero(data == ord("\n"))
                if ((quotes.searchsorted(ends) + odd) % 2).any():
                    return Corrections.UNTOLD
                odd = bool((len(quotes) + odd) % 2)
    except Malformed:
        return Corrections.UNTOLD
    return Corrections.UNTOLD if odd else found


def _piece(stream: io.BufferedReader) -> bytes:
    """The next bytes. Compressed data that breaks off may be amiss in a row before that: raises `Malformed`."""
    try:
        return stream.read(BLOCK)
    except LogError:
        raise Malformed from None


def _joined(begun: bytes, stream: io.BufferedReader) -> io.BufferedReader:
    """Bytes, and behind them the rest of a stream."""
    return readable(chain([begun], iter(lambda: _piece(stream), b"")))


def _batches(found: dict[str, Any], rows: int) -> Iterator[Any]:
    import pyarrow as pa

    batch = pa.RecordBatch.from_arrays(list(found.values()), list(found))
    for start in range(0, batch.num_rows, rows):
        yield batch.slice(start, rows)


def _one_by_one(name: str, lines: Lines, cells: Sequence[tuple[str, int] | None], rows: int) -> Iterator[Any]:
    waiting: list[list[str]] = []
    try:
        for _, record, _ in cells_of(name, lines):
            if len(record) != len(cells):
                raise Malformed
            waiting.append(record)
            if len(waiting) == rows:
                yield _made(waiting, cells)
                waiting = []
    except LogError:
        raise Malformed from None
    if waiting:
        yield _made(waiting, cells)


def _made(records: Iterable[Sequence[str]], cells: Sequence[tuple[str, int] | None]) -> Any:
    import pyarrow as pa

    types = {NUMBER: pa.int64(), TRUTH: pa.bool_()}
    kinds: dict[int, tuple[Kind, type]] = {NUMBER: ("integer", int), TRUTH: ("boolean", bool)}
    arrays: dict[str, Any] = {}
    for cell, column in zip(cells, zip(*records, strict=True), strict=True):
        if cell is None:
            continue
        name, what = cell
        values: list[object] = [text or None for text in column]
        if what in kinds:
            kind, wanted = kinds[what]
            values = [None if text is None else untext(kind, str(text)) for text in values]
            for value in values:
                if value is not None and type(value) is not wanted:
                    raise Malformed
                if type(value) is int and not INT64_MIN <= value <= INT64_MAX:
                    raise Malformed
        arrays[name] = pa.array(values, types.get(what, pa.string()))
    return pa.RecordBatch.from_arrays(list(arrays.values()), list(arrays))
