"""JSON Lines block by block as Arrow batches: as strict as line by line.

`cells` reads a block of plain lines; else Arrow does, where it lets nothing pass that `jsontext` refuses; a block of
which that is not sure is read line by line. What none can make columns of is left to the reader of rows, which says
what is wrong.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Callable, Collection, Iterator
from typing import Any

from verifier.errors import LogError
from verifier.log.arrange import Arrange
from verifier.log.assemble import Columnar, Corrections, Groups, Plan, Tally
from verifier.log.cells import COLUMNS, IGNORED, NAMES, NUMBER, TRUTH, WORD, Cells, kind_of
from verifier.log.faults import RefusedError
from verifier.log.header import TRAILER_KEY
from verifier.log.jsonl import check_trailer
from verifier.log.jsontext import parse_object
from verifier.log.limits import INT64_MAX, INT64_MIN, Limits
from verifier.log.lineblocks import look_through, note, rows_having
from verifier.log.schema import (
    AT,
    CORRECTION,
    CORRECTS,
    EXTRA_PREFIX,
    NUMERIC,
    RESERVED,
    SEQ,
    Column,
    LogSchema,
    actor_column,
)
from verifier.log.streams import OnDisk, Unpacked
from verifier.log.strict import Malformed
from verifier.log.values import MismatchError, check_extra, is_unicode

BLOCK = 4 << 20
OWN = 40
"""So many fields of the operator's own may a log have, and be read as fast as without."""
LEARNT_FROM = 50
"""So many lines are looked at where one has a field that is not known."""
PART = 1 << 20
"""Arrow reads so many bytes at a time, on each core."""

_CORRECTION = f'"{CORRECTION}"'.encode()
_LETTER = b"\\u00"
"""How a letter of that word begins where it is written as an escape."""
_MINUS_ZERO = re.compile(rb":\s*-0")


def columnar_jsonl(
    name: str,
    again: Callable[[], io.BufferedReader],
    schema: LogSchema,
    tally: Tally,
    limits: Limits,
    arrange: Arrange,
    head: bytes,
    disk: OnDisk | Unpacked | None,
) -> Columnar:
    """The columns of a log whose header, the line `head`, has been read; `again` opens it anew. `disk` is what it
    holds, by place."""

    def batches(rows: int) -> Iterator[Any]:
        stream, reader = again(), _Blocks(schema, limits, arrange)
        header = stream.readline(limits.line + 1)
        digest, events = hashlib.sha256(header), 0
        block, ends = b"", _piece(stream)
        while ends:
            # The last line is held back: it is the trailer, or more of it is to come.
            block += ends
            cut = block.rfind(b"\n", 0, -1) + 1
            if cut:
                whole, block = block[:cut], block[cut:]
                batch = reader.read(whole)
                digest.update(whole)
                events += batch.num_rows
                for start in range(0, batch.num_rows, rows):
                    yield batch.slice(start, rows)
            elif len(block) > limits.line + 1:
                raise Malformed
            ends = _piece(stream)
        _finish(name, block, digest, events, tally, limits)

    def corrected() -> Corrections:
        stream, kept, found = again(), b"", Corrections.NONE
        try:
            while piece := _piece(stream):
                seam = kept[-len(_CORRECTION) :] + piece[: len(_CORRECTION)]
                if found is Corrections.NONE and (_correcting(seam) or _correcting(piece)):
                    found = Corrections.PERHAPS
                kept = kept[-len(_CORRECTION) :] + piece if len(piece) < len(_CORRECTION) else piece
        except Malformed:
            return Corrections.UNTOLD
        return found

    def cells_to(column: str) -> Cells:
        name = next((theirs for theirs, ours in arrange.names.items() if ours == column), column)
        if len(name.encode("utf-8")) > NAMES:
            raise Malformed
        return Cells([(name, WORD)])

    def look(column: str) -> Plan:
        assert disk is not None
        cells = cells_to(column)
        looked = look_through(disk, head, cells.json_texts, _correcting, limits, last_apart=True)
        sealed = Tally()
        _finish(name, looked.last, looked.digest, looked.rows, sealed, limits)
        return looked.plan(column, sealed)

    def having(plan: Plan, texts: Collection[str | None], rows: int) -> Iterator[tuple[Any, Any]]:
        assert disk is not None
        cells, reader = cells_to(plan.column), _Blocks(schema, limits, arrange)
        yield from rows_having(disk, head, plan, texts, rows, cells.json_texts, reader.read)
        note(plan, tally)

    return Columnar(batches, corrected, 2, None if disk is None else Groups(look, having))


def _correcting(block: bytes) -> bool:
    """Whether a correction may be among whole lines."""
    return _CORRECTION in block or (b"\\" in block and _LETTER in block)


def _piece(stream: io.BufferedReader) -> bytes:
    """The next bytes. Compressed data that breaks off may be amiss in a row before that: raises `Malformed`."""
    try:
        return stream.read(BLOCK)
    except LogError:
        raise Malformed from None


def _finish(name: str, last: bytes, digest: Any, events: int, tally: Tally, limits: Limits) -> None:
    """Check the trailer, and note what it vouches for."""
    text = _text(last, limits)
    fields = _object(text, limits)
    if TRAILER_KEY not in fields:
        raise Malformed
    tally.events = events
    check_trailer(name, text, events + 2, fields, digest.hexdigest(), tally)
    digest.update(last)
    tally.digest, tally.complete = digest.hexdigest(), True


def _text(line: bytes, limits: Limits) -> str:
    if not line.endswith(b"\n") or line.endswith(b"\r\n") or len(line) > limits.line:
        raise Malformed
    try:
        return line[:-1].decode("utf-8")
    except UnicodeDecodeError:
        raise Malformed from None


def _object(text: str, limits: Limits) -> dict[str, object]:
    try:
        return parse_object(text, limits)
    except RefusedError:
        raise Malformed from None


class _Blocks:
    """Reads blocks of whole lines into batches that have every column of the schema, and perhaps some of the operator's
    own; what these hold is for others to check."""

    def __init__(self, schema: LogSchema, limits: Limits, arrange: Arrange) -> None:
        import pyarrow as pa
        import pyarrow.json as pj

        own = (
            *(SEQ, AT, actor_column(schema), Column("event", "enumeration", values=tuple(schema.events))),
            *(CORRECTS, Column("corrected_event", "text"), actor_column(schema, "corrected_actor")),
        )
        self._columns = {c.name: c for c in (*schema.lives, *own, *schema.columns.values())}
        self._known = self._columns.keys() | set(RESERVED)
        self._limits, self._arrange = limits, arrange
        theirs = {ours: theirs for theirs, ours in arrange.names.items()}
        self._theirs = [theirs.get(name, name) for name in self._columns]
        kinds = (kind_of(column) for column in self._columns.values())
        self._plain = dict(zip(self._theirs, kinds, strict=True))
        self._cells: Cells | None = None
        types = {"boolean": pa.bool_(), **dict.fromkeys(NUMERIC, pa.int64())}
        self._schema = pa.schema([(n, types.get(c.kind, pa.string())) for n, c in self._columns.items()])
        named = zip(self._theirs, self._schema.types, strict=True)
        self._parse = pj.ParseOptions(
            explicit_schema=pa.schema(list(named)),
            newlines_in_values=False,
            unexpected_field_behavior="error",
        )

    def read(self, block: bytes) -> Any:
        """The rows of a block, unchecked but for their types. Raises `Malformed`."""
        batch = self._by_cells(block)
        if batch is None:
            batch = self._by_arrow(block)
        return self._by_line(block) if batch is None else batch

    def _by_cells(self, block: bytes) -> Any:
        """None where it cannot tell."""
        import pyarrow as pa

        found: dict[str, Any] | None = None
        while found is None:
            names = sum(len(name.encode("utf-8")) for name in self._plain)
            if len(block) > self._limits.line or len(self._plain) > COLUMNS or names > NAMES:
                return None
            if self._cells is None:
                self._cells = Cells(list(self._plain.items()))
            found = self._cells.json(block)
            if found is None and not self._learns(block, self._cells.unsure()):
                return None
        return pa.RecordBatch.from_arrays(list(found.values()), self._arrange.columns(list(found)))

    def _learns(self, block: bytes, line: int) -> bool:
        """Whether lines from that one on have fields of the operator's own, or ignored ones, that were not known."""
        found: dict[str, int] = {}
        for text in block.split(b"\n", line + LEARNT_FROM)[line : line + LEARNT_FROM]:
            try:
                fields = _object(_text(text + b"\n", self._limits), self._limits)
            except Malformed:
                break
            for name, value in fields.items():
                if name in self._plain or name in found or not is_unicode(name):
                    continue
                ours = self._arrange.names.get(name, name)
                if name in self._arrange.ignored:
                    found[name] = IGNORED
                elif ours.startswith(EXTRA_PREFIX) and (
                    name in self._arrange.names or ours not in self._arrange.names.values()
                ):
                    kind = {str: WORD, int: NUMBER, bool: TRUTH}.get(type(value))
                    if kind is not None:
                        found[name] = kind
        if not found or len(self._plain) + len(found) > len(self._columns) + OWN:
            return False
        self._plain |= found
        self._cells = None
        return True

    def _by_arrow(self, block: bytes) -> Any:
        """None where Arrow might let something pass, or cannot read it."""
        import numpy as np
        import pyarrow as pa
        import pyarrow.json as pj

        lines = block.count(b"\n")
        if (
            np.count_nonzero(np.frombuffer(block, dtype=np.uint8) < ord(" ")) != lines
            or block.count(b"}\n{") != lines - 1
            or not (block.startswith(b"{") and block.endswith(b"}\n"))
            or (len(block) > self._limits.line and max(map(len, block.split(b"\n"))) >= self._limits.line)
            or b"\\" in block
            or ((b" -0" in block or b":-0" in block) and _MINUS_ZERO.search(block) is not None)
        ):
            return None
        try:
            if not block.isascii():
                block.decode("utf-8")
            table = pj.read_json(pa.BufferReader(block), pj.ReadOptions(block_size=PART), self._parse)
        except (UnicodeDecodeError, pa.ArrowException):
            return None
        if table.num_rows != lines:
            return None
        return table.rename_columns(list(self._columns)).combine_chunks().to_batches()[0]

    def _by_line(self, block: bytes) -> Any:
        import pyarrow as pa

        columns: dict[str, list[object]] = {name: [] for name in self._columns}
        for line in block.split(b"\n")[:-1]:
            try:
                fields = dict(self._arrange.fields(_object(_text(line + b"\n", self._limits), self._limits)))
            except RefusedError:
                raise Malformed from None
            for name, values in columns.items():
                values.append(fields.pop(name, None))
            for name, value in fields.items():
                self._beside(name, value)
        try:
            arrays = [self._array(self._columns[name], values) for name, values in columns.items()]
        except (pa.ArrowException, UnicodeEncodeError):
            raise Malformed from None
        return pa.RecordBatch.from_arrays(arrays, schema=self._schema)

    def _beside(self, name: str, value: object) -> None:
        """Check a field that is no column."""
        if name.startswith(EXTRA_PREFIX):
            try:
                if value is not None:
                    check_extra(value)
            except MismatchError:
                raise Malformed from None
        elif value is not None or name not in self._known:
            raise Malformed

    def _array(self, column: Column, values: list[object]) -> Any:
        import pyarrow as pa

        wanted = bool if column.kind == "boolean" else int if column.kind in NUMERIC else str
        for value in values:
            if value is not None and type(value) is not wanted:
                raise Malformed
            if type(value) is int and not INT64_MIN <= value <= INT64_MAX:
                raise Malformed
        return pa.array(values, self._schema.field(column.name).type)
