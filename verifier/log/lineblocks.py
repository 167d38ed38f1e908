"""JSON Lines and CSV in blocks of whole lines, each known by the tables that its lines are of, so that a process reads
no more of a file than those with tables of its own.

Which table a line is of, `cells` tells, which looks no further: who reads the line says whether it is a row at all, and
of that table. The file is looked through once so that every line is somebody's to read, and for its digest.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from verifier.log.assemble import Plan, Tally
from verifier.log.limits import Limits
from verifier.log.streams import OnDisk, Unpacked, beginning
from verifier.log.strict import Malformed
from verifier.log.vectors import texts_of

BLOCK = 1 << 20
"""Bytes that are read at one time: few enough that a processor has them at hand."""
BUNDLE = 3 << 20
"""Lines of no fewer bytes are made a batch."""
LOOKED_AT = 1 << 16
"""Bytes at the beginning of a file by which it is told how many lines there are."""
MOST_UNPACKED = 1 << 24
"""Where compressed they are more, nothing is told by them."""

Texts = Callable[[bytes, int], Any]
"""From bytes, of which so many are whole lines, to the text that tells each line's table, as an Arrow dictionary; None
where that cannot be told."""

Chosen = tuple[bytes, Any]
"""Whole lines, and their places among the rows."""


@dataclass(frozen=True, slots=True)
class Block:
    """Whole lines of a file: where they begin and how many bytes they are, how many rows come before them and how many
    they are, the least and the greatest number of a table there, and the digest of the file up to them and with
    them."""

    at: int
    size: int
    row: int
    rows: int
    least: int
    most: int
    before: hashlib._Hash
    after: bytes


@dataclass(frozen=True, slots=True)
class Blocks:
    """A file that was looked through: its mark then, its blocks, and what is noted of it once all is read."""

    mark: tuple[int, ...]
    blocks: tuple[Block, ...]
    tally: Tally


@dataclass(frozen=True, slots=True)
class Looked:
    """What was found in a file. `digest` is that of all but `last`, its last line, where that is no row; `corrected`:
    whether a correction may be among the rows."""

    mark: tuple[int, ...]
    blocks: tuple[Block, ...]
    counts: dict[str | None, int]
    rows: int
    digest: hashlib._Hash
    last: bytes
    corrected: bool

    def plan(self, column: str, tally: Tally) -> Plan:
        """The plan of a file whose trailer or seal holds; `tally` says what it is."""
        assert tally.digest is not None
        return Plan(column, tally.digest, self.counts, Blocks(self.mark, self.blocks, tally), self.corrected)


def look_through(
    disk: OnDisk | Unpacked,
    head: bytes,
    texts: Texts,
    correcting: Callable[[bytes], bool],
    limits: Limits,
    *,
    last_apart: bool,
) -> Looked:
    """Look through a file that begins with the line `head`. `correcting`: whether a correction may be in a block;
    `last_apart`: the last line is no row. Raises `Malformed` where a block cannot be told of which tables it is, and
    `OSError`."""
    import numpy as np

    mark, digest, rows = disk.mark(), hashlib.sha256(head), 0
    if disk.read(0, len(head)) != head:
        raise Malformed
    numbers: dict[str | None, int] = {}
    counts: list[int] = []
    blocks: list[Block] = []
    last, corrected = b"", False
    for piece in _ahead(disk, len(head), digest, last_apart):
        last = piece.data[piece.size :]
        if not piece.size:
            break
        corrected = corrected or correcting(piece.data)
        codes, there = _told(texts, piece.data, piece.size)
        often = np.bincount(codes, minlength=len(there))
        found = np.flatnonzero(often)
        if any(there[code] not in numbers for code in found.tolist()):
            found, first = np.unique(codes, return_index=True)
            found = found[np.argsort(first)]
        here = [numbers.setdefault(there[code], len(numbers)) for code in found.tolist()]
        if len(numbers) > limits.tables:
            raise Malformed
        counts += [0] * (len(numbers) - len(counts))
        for number, count in zip(here, often[found].tolist(), strict=True):
            counts[number] += count
        least, most = min(here), max(here)
        blocks.append(Block(piece.at, piece.size, rows, len(codes), least, most, piece.before, piece.after))
        rows += len(codes)
    return Looked(mark, tuple(blocks), dict(zip(numbers, counts, strict=True)), rows, digest, last, corrected)


@dataclass(frozen=True, slots=True)
class _Piece:
    """Bytes of a file from a place on, of which so many are whole lines, whether the file goes on behind them, and the
    digests as in a `Block`."""

    at: int
    data: bytes
    size: int
    more: bool
    before: hashlib._Hash
    after: bytes


def _ahead(disk: OnDisk | Unpacked, at: int, digest: hashlib._Hash, last_apart: bool) -> Iterator[_Piece]:
    """A file from a place on, in pieces of which each begins where the whole lines of the one before end; the next is
    read, and added to the digest, while one is looked at."""
    from concurrent.futures import ThreadPoolExecutor

    def read(at: int) -> _Piece:
        data = disk.read(at, BLOCK + 1)
        more = len(data) > BLOCK
        if more:
            size = data.rfind(b"\n", 0, BLOCK) + 1
            if not size:
                raise Malformed
        else:
            size = data.rfind(b"\n", 0, -1) + 1 if last_apart else len(data)
        before = digest.copy()
        digest.update(memoryview(data)[:size])
        return _Piece(at, data, size, more, before, digest.digest())

    with ThreadPoolExecutor(1) as pool:
        piece = read(at)
        while piece.more:
            coming = pool.submit(read, piece.at + piece.size)
            yield piece
            piece = coming.result()
        yield piece


def _told(texts: Texts, data: bytes, size: int) -> tuple[Any, list[str | None]]:
    """The tables of lines, which are so many bytes, as `texts_of` has them; the very last may go without its end."""
    found = texts(data, size) if data[size - 1] == ord("\n") else texts(data + b"\n", size + 1)
    if found is None:
        raise Malformed
    try:
        return texts_of(found)
    except UnicodeDecodeError:
        raise Malformed from None


def rows_having(
    disk: OnDisk | Unpacked,
    head: bytes,
    plan: Plan,
    tables: Collection[str | None],
    rows: int,
    texts: Texts,
    read: Callable[[bytes], Any],
) -> Iterator[tuple[Any, Any]]:
    """The rows of some tables, as `verifier.log.assemble.Groups.batches` has them. `head` is the file's first line, and
    `read` makes a batch of whole lines. Raises `Malformed`, also where the file is not the one that was planned."""
    import numpy as np

    if not isinstance(plan.made_of, Blocks) or plan.made_of.mark != disk.mark():
        raise Malformed
    blocks = plan.made_of.blocks
    if blocks and blocks[0].before.digest() != hashlib.sha256(head).digest():
        raise Malformed
    numbers = {text: number for number, text in enumerate(plan.counts)}
    # the last stands for texts that there are not
    wanted = np.array([*(text in tables for text in numbers), False])
    for lines, places in _bundled(_chosen(disk, blocks, numbers, wanted, texts)):
        batch = read(lines)
        codes, there = texts_of(batch.column(plan.column))
        ours = np.array([wanted[numbers.get(text, -1)] for text in there])
        if batch.num_rows != len(places) or not ours[codes].all():
            raise Malformed
        for start in range(0, batch.num_rows, rows):
            yield places[start : start + rows], batch.slice(start, rows)


def _chosen(
    disk: OnDisk | Unpacked,
    blocks: Sequence[Block],
    numbers: dict[str | None, int],
    wanted: Any,
    texts: Texts,
) -> Iterator[Chosen]:
    """The lines of the tables that are wanted, block by block."""
    import numpy as np
    import pyarrow as pa

    for block in blocks:
        some = wanted[block.least : block.most + 1]
        if not some.any():
            continue
        data = disk.read(block.at, block.size)
        digest = block.before.copy()
        digest.update(data)
        if digest.digest() != block.after:
            raise Malformed
        if some.all():
            yield data, np.arange(block.row, block.row + block.rows)
            continue
        codes, there = _told(texts, data, block.size)
        here = np.array([wanted[numbers.get(text, -1)] for text in there])[codes]
        ends = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == ord("\n")) + 1
        if len(ends) < block.rows:
            ends = np.append(ends, len(data))
        bounds = pa.py_buffer(np.concatenate([[0], ends]).astype(np.int32))
        lines = pa.Array.from_buffers(pa.binary(), block.rows, [None, bounds, pa.py_buffer(data)])
        kept = lines.filter(pa.array(here)).buffers()[2]
        if kept is not None and kept.size:
            yield kept.to_pybytes(), block.row + np.flatnonzero(here)


def _bundled(chosen: Iterator[Chosen]) -> Iterator[Chosen]:
    """At least so many lines at a time that a batch has no fewer rows for the tables that are left out."""
    import numpy as np

    waiting: list[Chosen] = []
    size = 0
    for one in chosen:
        waiting.append(one)
        size += len(one[0])
        if size >= BUNDLE:
            yield b"".join(lines for lines, _ in waiting), np.concatenate([places for _, places in waiting])
            waiting, size = [], 0
    if waiting:
        yield b"".join(lines for lines, _ in waiting), np.concatenate([places for _, places in waiting])


def note(plan: Plan, tally: Tally) -> None:
    """Note of a file what is known once all of its rows are read."""
    assert isinstance(plan.made_of, Blocks)
    told = plan.made_of.tally
    tally.events, tally.digest, tally.sealed, tally.complete = told.events, told.digest, told.sealed, True


def lines_in(path: str) -> int | None:
    """About how many lines a file has, by the length of the first, compressed or not; None where it cannot be told."""
    with suppress(OSError), open(path, "rb") as stream:
        head = stream.read(LOOKED_AT)
        plain = beginning(head, MOST_UNPACKED)
        if lines := plain.count(b"\n"):
            used = plain.rindex(b"\n") + 1 if plain == head else len(head)
            return os.path.getsize(path) * lines // used
    return None
