"""What of the faults planted in a simulated log a check has found, by the way in which they were planted."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from verifier.check.result import Entry
from verifier.model.ruleset import Ruleset


@dataclass(frozen=True, slots=True)
class Found:
    """Faults planted and found, by their way; entries, by what leads them, and how many of them stand near a planted
    fault.

    A fault is found where an entry stands in its round, or, for what shows only then, in the round after. Precision is
    the part of the entries that stand in such a round: one edit may lead to more than one. It is told by the kind of
    what is found, since what is found far from every fault was planted in no way. That a fault is not found is none of
    the check's: an edit may leave lawful play.
    """

    planted: Counter[str]
    hit: Counter[str]
    close: Counter[str]
    all: Counter[str]

    @property
    def near(self) -> int:
        """How many entries stand near a planted fault."""
        return self.close.total()

    @property
    def entries(self) -> int:
        """How many entries there are."""
        return self.all.total()

    def plus(self, other: Found) -> Found:
        """Of both logs."""
        return Found(
            self.planted + other.planted,
            self.hit + other.hit,
            self.close + other.close,
            self.all + other.all,
        )


def found(key: Path, entries: Iterable[Entry], ruleset: Ruleset) -> Found:
    """What of the faults that a key file tells the entries of a check of that log have found; a round is what the last
    of the ruleset's lives is."""
    *_, last = ruleset.lives
    placed = [(entry.lead.kind, (entry.table, int(dict(entry.lives).get(last) or 0))) for entry in entries]
    places = {place for _, place in placed}
    planted: Counter[str] = Counter()
    hit: Counter[str] = Counter()
    near: set[tuple[str | None, int]] = set()
    for fault in lines(key):
        place = (str(fault["table"]), int(str(fault.get(last) or 0)))
        after = (place[0], place[1] + 1)
        planted[str(fault["way"])] += 1
        hit[str(fault["way"])] += place in places or after in places
        near |= {place, after}
    close = Counter(kind for kind, place in placed if place in near)
    return Found(planted, hit, close, Counter(kind for kind, _ in placed))


def told(of: Found) -> None:
    """Prints it."""
    for way in sorted(of.planted):
        print(
            f"  {way:<10} {of.hit[way]:>6} of {of.planted[way]:>6} found   {of.hit[way] / of.planted[way]:.0%}"
        )
    for kind in sorted(of.all):
        print(
            f"  {kind:<14} {of.close[kind]:>6} of {of.all[kind]:>6} entries near a planted fault   "
            f"{of.close[kind] / of.all[kind]:.0%}"
        )
    print(
        f"  entries in a planted fault's round or the next: {of.near} of {of.entries}   "
        f"{of.near / max(of.entries, 1):.0%}"
    )


def recall(key: Path, entries: Iterable[Entry], ruleset: Ruleset) -> tuple[int, bool]:
    """Prints it; how many faults were found, and whether every entry stands near one."""
    of = found(key, entries, ruleset)
    told(of)
    return of.hit.total(), of.near == of.entries


def lines(path: Path) -> Iterator[dict[str, object]]:
    """The lines of a key file."""
    with path.open(encoding="utf-8") as stream:
        yield from map(json.loads, stream)
