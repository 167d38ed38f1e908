"""What of the faults planted in a simulated log a check has found, by the way in which they were planted."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from verifier.check.result import Entry


def recall(key: Path, entries: Iterable[Entry]) -> tuple[int, bool]:
    """Prints it; how many faults were found, and whether every entry stands near one.

    A fault is found where an entry stands in its round, or, for what shows only then, in the round after. Precision is
    the part of the entries that stand in such a round: one edit may lead to more than one. That a fault is not found is
    none of the check's: an edit may leave lawful play.
    """
    places = Counter((entry.table, int(dict(entry.lives).get("round") or 0)) for entry in entries)
    planted: Counter[str] = Counter()
    hit: Counter[str] = Counter()
    near: set[tuple[str | None, int]] = set()
    for fault in lines(key):
        place = (str(fault["table"]), int(str(fault["round"])))
        after = (place[0], place[1] + 1)
        planted[str(fault["way"])] += 1
        hit[str(fault["way"])] += place in places or after in places
        near |= {place, after}
    for way in sorted(planted):
        print(f"  {way:<10} {hit[way]:>6} of {planted[way]:>6} found   {hit[way] / planted[way]:.0%}")
    right, total = sum(n for place, n in places.items() if place in near), sum(places.values())
    print(
        f"  entries in a planted fault's round or the next: {right} of {total}   {right / max(total, 1):.0%}"
    )
    return sum(hit.values()), right == total


def lines(path: Path) -> Iterator[dict[str, object]]:
    """The lines of a key file."""
    with path.open(encoding="utf-8") as stream:
        yield from map(json.loads, stream)
