"""Rows counted by table and kind of event: as they come in, and as either engine judges them.

Both engines begin a round with the state that the kernel has, so that neither could tell that it is judged again, or
was left out. The kernel counts what it judges in its own memory, where a round that it gives up is not counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class Counted:
    """Numbers of rows: for each table, by any number that stands for it, one for each kind of event."""

    kinds: tuple[str, ...]
    came: dict[int, list[int]] = field(default_factory=dict)
    explained: dict[int, list[int]] = field(default_factory=dict)
    """What the interpreter has judged; rounds that it only judges beside the kernel are not among them."""
    number: Mapping[str, int] = field(init=False)

    def __post_init__(self) -> None:
        self.number = {kind: i for i, kind in enumerate(self.kinds)}

    def come(self, table: int, numbers: Sequence[int]) -> None:
        """So many rows of each kind have come in at a table."""
        _add(self._of(self.came, table), numbers)

    def comes(self, table: int, kind: str) -> None:
        """One row has come in."""
        self._of(self.came, table)[self.number[kind]] += 1

    def explain(self, table: int, kind: str) -> None:
        """The interpreter judges one."""
        self._of(self.explained, table)[self.number[kind]] += 1

    def unlike(self, table: int, marked: Sequence[int]) -> str | None:
        """Of which kinds of event not as many rows were judged as came in, in words; `marked` are those that the
        kernel judged."""
        judged = list(self._of(self.explained, table))
        _add(judged, marked)
        found = ", ".join(self._unlike(self._of(self.came, table), judged))
        return f"not every row was judged once: {found}" if found else None

    def _unlike(self, came: Sequence[int], judged: Sequence[int]) -> Iterator[str]:
        for kind, here, there in zip(self.kinds, came, judged, strict=True):
            if here != there:
                yield f"{kind} ({here} came in, {there} were judged)"

    def _of(self, counts: dict[int, list[int]], table: int) -> list[int]:
        if table not in counts:
            counts[table] = [0] * len(self.kinds)
        return counts[table]


def _add(to: list[int], numbers: Sequence[int]) -> None:
    for i, number in enumerate(numbers):
        to[i] += number


__all__ = ["Counted"]
