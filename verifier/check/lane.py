"""One table on its way through its kernel: the rows that wait, and whose turn it is."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from verifier.log.header import Header
from verifier.log.rows import Row

if TYPE_CHECKING:
    from verifier.check.engine import Stream
    from verifier.compile.columns import Encoder
    from verifier.compile.kernel import Kernel, Stop

Arrived = tuple[int, Row, Header]
"""A row with its number in the order of arrival, and its file's header."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Rows of one table as the kernel's columns (`verifier.compile.inputs`); `row` makes one of them a row again.

    `ends` are the places of the events that end a round.
    """

    length: int
    columns: Mapping[str, Any]
    ends: Sequence[int]
    numbers: Sequence[int]
    """The rows' numbers in the order of arrival."""
    row: Callable[[int], Arrived]


@dataclass(slots=True)
class Lane:
    """One table. While `explaining`, the interpreter has the state, else the kernel.

    `arriving` are rows not yet in a chunk. Of what is `loaded` into the kernel the first row is at its place 0.
    """

    stream: Stream
    kernel: Kernel
    encoder: Encoder
    explaining: bool
    since: int
    """Rows since a round was last judged by both engines."""
    chunks: list[Chunk] = field(default_factory=list)
    arriving: list[Arrived] = field(default_factory=list)
    waiting: int = 0
    skipped: int = 0
    """Rows of the first chunk that have been judged."""
    expected: Stop | None = None
    expected_row: int | None = None
    """The number of the row that the kernel marked, until the interpreter comes to it."""
    longest: int = 0
    """So many rows at least wait for the end of their round."""
    ran: tuple[int, Stop] | None = None
    """What a run ahead from the first row up to a place came to."""
    _starts: list[int] = field(default_factory=list)
    _ends: list[int] = field(default_factory=list)

    def add(self, chunk: Chunk) -> None:
        """Let more rows wait."""
        self.chunks.append(chunk)
        self.waiting += chunk.length

    def arrive(self, number: int, row: Row, header: Header) -> None:
        """Let one more row wait."""
        self.arriving.append((number, row, header))
        self.waiting += 1

    def load(self, round_ends: Collection[str]) -> None:
        """Put all that waits where the kernel reads it."""
        if self.arriving:
            rows, self.arriving = self.arriving, []
            ends = [i for i, (_, row, _) in enumerate(rows) if row.event in round_ends]
            columns = self.encoder.columns([row for _, row, _ in rows])
            numbers = [number for number, _, _ in rows]
            self.chunks.append(Chunk(len(rows), columns, ends, numbers, rows.__getitem__))
        self._starts, self._ends = [], []
        at = -self.skipped
        self.kernel.make_room(self.waiting)
        for chunk in self.chunks:
            first = max(0, -at)
            self.kernel.put({name: column[first:] for name, column in chunk.columns.items()}, max(0, at))
            self._starts.append(at)
            self._ends += [at + end for end in chunk.ends if end >= first]
            at += chunk.length

    def row(self, at: int) -> Arrived:
        """The row at a place of what is loaded."""
        chunk, i = self._find(at)
        return chunk.row(i)

    def number(self, at: int) -> int:
        """The number of the row at a place."""
        chunk, i = self._find(at)
        return chunk.numbers[i]

    def _find(self, at: int) -> tuple[Chunk, int]:
        index = bisect_left(self._starts, at + 1) - 1
        return self.chunks[index], at - self._starts[index]

    def first_number(self) -> int | None:
        """The number of the first row that waits."""
        if self.chunks:
            return self.chunks[0].numbers[self.skipped]
        return self.arriving[0][0] if self.arriving else None

    def round_end(self, start: int) -> int | None:
        """The place after the row that ends the round which begins at `start`."""
        index = bisect_left(self._ends, start)
        return self._ends[index] + 1 if index < len(self._ends) else None

    def drop(self, count: int) -> None:
        """So many rows of what is loaded have been judged."""
        self.waiting -= count
        self.skipped += count
        while self.chunks and self.skipped >= self.chunks[0].length:
            self.skipped -= self.chunks[0].length
            del self.chunks[0]
