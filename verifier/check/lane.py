"""The rows that wait for the kernels: in one block, a table at a time; and each table on its way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from verifier.log.header import Header
from verifier.log.rows import Row

if TYPE_CHECKING:
    from verifier.check.stream import Stream
    from verifier.compile.columns import Encoder
    from verifier.compile.kernel import Kernel, Stop

Arrived = tuple[int, Row, Header]
"""A row with its number in the order of arrival, and its file's header."""

OPEN = (1 << 63) - 1
"""Beyond the number of any row."""

PIECES = 64
"""Blocks are joined piece by piece where there are no more, else row by row."""

THIN = 2
"""Of a source of which no more than one row in so many still waits, only those are kept."""


class Source(Protocol):
    """Rows that can be had one by one."""

    def __len__(self) -> int: ...

    def arrived(self, at: int) -> tuple[Row, Header]:
        """A row with the header of its file."""

    def taken(self, places: Any) -> Source:
        """Only the rows at these places."""


class Rows:
    """Rows that came one by one."""

    def __init__(self, rows: Sequence[tuple[Row, Header]]) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def arrived(self, at: int) -> tuple[Row, Header]:
        """A row with the header of its file."""
        return self._rows[at]

    def taken(self, places: Any) -> Rows:
        """Only the rows at these places."""
        return Rows([self._rows[place] for place in places.tolist()])


@dataclass(frozen=True, slots=True)
class Segment:
    """One table's rows in a block, from `first` to before `end`: its first and last row, with nothing of their events,
    and the last time stated."""

    first: int
    end: int
    begins: Row
    ends: Row
    latest: str | None


@dataclass(slots=True)
class Block:
    """Rows as the kernel's columns (`verifier.compile.inputs`), a table at a time; all arrays are numpy's.

    `numbers` are the rows' in the order of arrival, `after` that of the row after each one's round (`OPEN` where it has
    not come); `source` and `place` say where each can be had as a row. `ending` are the places of events that end a
    round. `ids` are columns not numbered yet. A column that none of the rows' events have may be left out.
    """

    columns: dict[str, Any]
    numbers: Any
    after: Any
    source: Any
    place: Any
    sources: list[Source]
    ending: Any = None
    ids: dict[str, tuple[Any, list[Any]]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.numbers)

    def row(self, at: int) -> Arrived:
        """The row at a place."""
        row, header = self.sources[self.source[at]].arrived(int(self.place[at]))
        return int(self.numbers[at]), row, header

    def taken(self, places: Any) -> Block:
        """Only the rows at these places, in their order; of sources no more than is needed."""
        import numpy as np

        source, place = self.source[places], self.place[places].copy()
        sources: list[Source] = []
        number = np.zeros(len(self.sources), dtype=np.int32)
        for old in np.unique(source).tolist():
            number[old] = len(sources)
            kept, here = self.sources[old], source == old
            if THIN * int(here.sum()) <= len(kept):
                kept = kept.taken(place[here])
                place[here] = np.arange(len(kept))
            sources.append(kept)
        return Block(
            {name: column[places] for name, column in self.columns.items()},
            self.numbers[places],
            self.after[places],
            number[source],
            place,
            sources,
        )


Range = tuple[int, int]
"""From one place to before another."""


def joined(one: Block, other: Block, ranges: Sequence[Range]) -> Block:
    """Two blocks in one: the rows in these ranges of both together, of which the second begins where the first ends."""
    import numpy as np

    before = len(one)
    whole: list[Range] = []
    for first, end in ranges:
        if whole and whole[-1][1] == first and first != before:
            whole[-1] = (whole[-1][0], end)
        elif first < end:
            whole.append((first, end))
    order = np.concatenate([np.arange(first, end) for first, end in whole]) if len(whole) > PIECES else None

    def both(mine: Any, theirs: Any) -> Any:
        if order is not None:
            return np.concatenate([mine, theirs])[order]
        return np.concatenate(
            [mine[a:b] if a < before else theirs[a - before : b - before] for a, b in whole]
        )

    columns: dict[str, Any] = {}
    for name in one.columns | other.columns:
        mine, theirs = one.columns.get(name), other.columns.get(name)
        columns[name] = both(
            np.zeros(len(one), dtype=np.int64) if mine is None else mine,
            np.zeros(len(other), dtype=np.int64) if theirs is None else theirs,
        )
    return Block(
        columns,
        both(one.numbers, other.numbers),
        both(one.after, other.after),
        both(one.source, other.source + np.int32(len(one.sources))),
        both(one.place, other.place),
        [*one.sources, *other.sources],
    )


@dataclass(slots=True)
class Lane:
    """One table. While `explaining`, the interpreter has the state, else the kernel.

    Its rows that wait are those of the run's block from `start` to before `end`.
    """

    stream: Stream
    kernel: Kernel
    encoder: Encoder
    explaining: bool
    start: int = 0
    end: int = 0
    due: int | None = None
    """From the row of this number on, the next round is judged by both engines."""
    expected: Stop | None = None
    expected_row: int | None = None
    """The number of the row that the kernel marked, until the interpreter comes to it."""
    longest: int = 0
    """So many rows at least wait for the end of their round."""
    ran: tuple[int, Stop] | None = None
    """What a run ahead from the first row up to a place came to."""

    @property
    def waiting(self) -> int:
        return self.end - self.start


def block_of_rows(rows: Sequence[tuple[Lane, int, Row, Header]]) -> tuple[Block, list[tuple[Lane, int, int]]]:
    """Rows that came one by one, each with its number, as a block; and where in it those of each table stand."""
    import numpy as np

    of: dict[int, list[tuple[Lane, int, Row, Header]]] = {}
    for one in rows:
        of.setdefault(id(one[0]), []).append(one)
    parts: list[tuple[Lane, int, int]] = []
    columns: dict[str, list[Any]] = {}
    every: list[tuple[Lane, int, Row, Header]] = []
    for ones in of.values():
        lane = ones[0][0]
        parts.append((lane, len(every), len(every) + len(ones)))
        every += ones
        for name, column in lane.encoder.columns([row for _, _, row, _ in ones]).items():
            columns.setdefault(name, []).append(np.frombuffer(column, dtype=np.int64))
    count = len(every)
    whole = {name: np.concatenate(arrays) for name, arrays in columns.items()}
    numbers = np.array([number for _, number, _, _ in every], dtype=np.int64)
    source = Rows([(row, header) for _, _, row, header in every])
    return Block(whole, numbers, numbers, np.zeros(count, dtype=np.int32), np.arange(count), [source]), parts


@dataclass(slots=True)
class Queue:
    """The rows that wait: in one block, and whose they are, in its order. `ending` are the numbers of the events that
    end a round."""

    ending: list[int] = field(default_factory=list)
    block: Block | None = None
    lanes: list[Lane] = field(default_factory=list)

    @property
    def first(self) -> int | None:
        """The number of the first row that waits."""
        if self.block is None:
            return None
        return min(int(self.block.numbers[lane.start]) for lane in self.lanes)

    def take(self, block: Block, parts: Sequence[tuple[Lane, int, int]]) -> None:
        """Let the tables' rows in a block, from one place to before another, wait behind those that do."""
        if self.block is None:
            self.block, self.lanes = block, [lane for lane, _, _ in parts]
            for lane, first, end in parts:
                lane.start, lane.end = first, end
        else:
            before = len(self.block)
            ranges = {id(lane): [(lane.start, lane.end)] for lane in self.lanes}
            for lane, first, end in parts:
                if id(lane) not in ranges:
                    self.lanes.append(lane)
                ranges.setdefault(id(lane), []).append((before + first, before + end))
            order: list[Range] = []
            at = 0
            for lane in self.lanes:
                mine = ranges[id(lane)]
                order += mine
                lane.start, at = at, at + sum(end - first for first, end in mine)
                lane.end = at
            self.block = joined(self.block, block, order)
        self._find_ends()

    def _find_ends(self) -> None:
        """Note where in the block rounds end."""
        import numpy as np

        from verifier.compile.inputs import KIND

        if self.block is not None:
            self.block.ending = np.flatnonzero(np.isin(self.block.columns[KIND], self.ending))

    def shrink(self) -> None:
        """Let go of the rows that no longer wait."""
        import numpy as np

        self.lanes = [lane for lane in self.lanes if lane.waiting]
        at = 0
        places: list[Any] = []
        for lane in self.lanes:
            places.append(np.arange(lane.start, lane.end))
            lane.start, lane.end = at, at + lane.waiting
            at = lane.end
        self.block = self.block.taken(np.concatenate(places)) if self.block is not None and places else None
        self._find_ends()

    def closed(self, lane: Lane, number: int) -> None:
        """The row of this number is the first after the table's round that has been going on."""
        if self.block is not None and lane.waiting:
            mine = self.block.after[lane.start : lane.end]
            mine[mine == OPEN] = number

    def round_end(self, lane: Lane, at: int) -> int | None:
        """The place after the row that ends the round which goes on at `at`; None where it has not ended."""
        assert self.block is not None
        ending = self.block.ending
        index = int(ending.searchsorted(at))
        return int(ending[index]) + 1 if index < len(ending) and ending[index] < lane.end else None

    def comes(self, lane: Lane) -> bool:
        """Whether a whole round of the table comes that both engines are to judge."""
        at = self.limit(lane, lane.start)
        return at < lane.end and self.round_end(lane, at) is not None

    def limit(self, lane: Lane, at: int) -> int:
        """How far the kernel may go on from `at`: to where a round is to be judged by both; no further than `at` where
        one is due."""
        assert self.block is not None
        if lane.due is None:
            return lane.end
        place = at + int(self.block.numbers[at : lane.end].searchsorted(lane.due))
        end = None if place == lane.end else self.round_end(lane, place)
        if end is None:
            return lane.end
        return at if place == at else end


__all__ = [
    "OPEN",
    "Arrived",
    "Block",
    "Lane",
    "Queue",
    "Rows",
    "Segment",
    "Source",
    "block_of_rows",
    "joined",
]
