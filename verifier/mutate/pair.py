"""Original and mutant judging the same play, and that play cut to what tells them apart."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor

from verifier.prove.explore.snapshot import Runner, Snapshot, Stepped
from verifier.prove.question import Play
from verifier.run.bench import Happening


@dataclass(frozen=True, slots=True)
class Cut:
    """Events of which only the last tells the two apart. `beside` counts what else is at fault in them by both."""

    options: Mapping[str, object]
    happenings: tuple[Happening, ...]
    beside: int = 0


@dataclass(slots=True)
class Pair:
    """Two judges. With `kept` it counts as a difference, too, that a rule is kept by the original alone."""

    mine: Runner
    its: Runner
    kept: bool = False

    def differs(self, options: Mapping[str, object], happenings: Sequence[Happening]) -> int | None:
        """At which event the two first say something else; None where they say the same throughout."""
        mine: Snapshot = self.mine.empty
        its: Snapshot = self.its.empty
        only: set[str] = set()
        both: set[str] = set()
        for number, happening in enumerate(happenings):
            ours = self.mine.step(mine, options, happening)
            theirs = self.its.step(its, options, happening)
            if ours is None or theirs is None:
                return None
            if _seen(ours) != _seen(theirs):
                return number
            if self.kept:
                both |= kept(theirs)
                only = (only | kept(ours)) - both
                if only:
                    return number
            mine, its = ours.snapshot, theirs.snapshot
        return None

    def shortened(self, play: Play) -> Cut | None:
        """The events up to where the two differ, without such as are not needed for that, nor to keep to the rules."""
        at = self.differs(play.options, play.happenings)
        if at is None:
            return None
        events = list(play.happenings[: at + 1])
        most = self._faults(play.options, events)
        size = max(1, len(events) // 3)
        while True:
            dropped = False
            end = len(events) - 1
            while end > 0:
                start = max(0, end - size)
                fewer = [*events[:start], *events[end:]]
                if (
                    self.differs(play.options, fewer) == len(fewer) - 1
                    and self._faults(play.options, fewer) <= most
                ):
                    events, dropped = fewer, True
                end = start
            if size > 1:
                size //= 2
            elif not dropped:
                return Cut(play.options, tuple(events), self._beside(play.options, events))

    def _faults(self, options: Mapping[str, object], happenings: Sequence[Happening]) -> int:
        """How often a rule is broken under the original."""
        snapshot, faults = self.mine.empty, 0
        for happening in happenings:
            stepped = self.mine.step(snapshot, options, happening)
            if stepped is None:
                return sys.maxsize
            snapshot, faults = stepped.snapshot, faults + len(stepped.breaches)
        return faults

    def _beside(self, options: Mapping[str, object], happenings: Sequence[Happening]) -> int:
        """How often a rule is broken that both find broken."""
        mine, its, count = self.mine.empty, self.its.empty, 0
        for happening in happenings:
            ours, theirs = (
                self.mine.step(mine, options, happening),
                self.its.step(its, options, happening),
            )
            if ours is None or theirs is None:
                break
            count += len(set(ours.breaches) & set(theirs.breaches))
            mine, its = ours.snapshot, theirs.snapshot
        return count


def _seen(stepped: Stepped) -> tuple[object, ...]:
    """What of an event a transcript can expect."""
    return tuple((j.verdict, j.rules, j.shorts) for j in stepped.judgements)


def kept(stepped: Stepped) -> set[str]:
    """The rules that an event kept."""
    return {rule for rule, tally in stepped.tallies.items() if tally.kept}


def statable(play: Play) -> Iterator[Play]:
    """The play where a log can state its amounts, else with the next whole ones: claims may come to half a cent."""
    if all(_round(h, floor) == h for h in play.happenings):
        yield play
        return
    for way in (ceil, floor):
        yield replace(play, happenings=tuple(_round(h, way) for h in play.happenings))


def _round(happening: Happening, way: Callable[[Fraction], int]) -> Happening:
    values = tuple(way(v) if isinstance(v, Fraction) else v for v in happening.values)
    return replace(happening, values=values)
