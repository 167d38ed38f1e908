"""Original and mutant judging the same play, and that play cut to what tells them apart."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from verifier.prove.explore.snapshot import Runner, Snapshot, Stepped
from verifier.prove.question import Play
from verifier.run.bench import Happening


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
                both |= _kept(theirs)
                only = (only | _kept(ours)) - both
                if only:
                    return number
            mine, its = ours.snapshot, theirs.snapshot
        return None

    def shortened(self, play: Play) -> tuple[Happening, ...] | None:
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
                return tuple(events)

    def _faults(self, options: Mapping[str, object], happenings: Sequence[Happening]) -> int:
        """How often a rule is broken under the original."""
        snapshot, faults = self.mine.empty, 0
        for happening in happenings:
            stepped = self.mine.step(snapshot, options, happening)
            if stepped is None:
                return sys.maxsize
            snapshot, faults = stepped.snapshot, faults + len(stepped.breaches)
        return faults


def _seen(stepped: Stepped) -> tuple[object, ...]:
    """What of an event a transcript can expect."""
    return tuple((j.verdict, j.rules, j.short) for j in stepped.judgements)


def _kept(stepped: Stepped) -> set[str]:
    return {rule for rule, tally in stepped.tallies.items() if tally.kept}
