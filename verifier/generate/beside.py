"""Rules that come to work only beside something that a check finds: after a fault, or where the law leaves open what
is so. Such rounds are not lawful, or break more than one rule; they are looked for last, and shown with all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from verifier.generate.pool import Pool, Stand
from verifier.generate.probes import some_of
from verifier.generate.proofs import Wanted
from verifier.generate.rounds import Beat, Round
from verifier.prove.explore.candidates import Candidates
from verifier.run.bench import Happening

MOST_FAULTS = 3
"""A play is looked at up to so many events at fault."""

MOST_TRIED = 10_000
"""So many events are tried where play stands after a fault."""

Target = tuple[str, Wanted]


@dataclass(frozen=True, slots=True)
class Beside:
    """A play whose last event keeps or breaks a rule, with what else is found in it."""

    rule: str
    wanted: Wanted
    round: Round

    @property
    def rank(self) -> tuple[int, int, int]:
        """How many events break a rule, how many are at fault in any way, how many there are; the fewer the better."""
        beats = self.round.beats
        return (sum(bool(b.broken) for b in beats), sum(bool(b.faults) for b in beats), len(beats))

    def fits(self, other: Round) -> bool:
        """Whether another round shows the rule so, with no more at fault."""
        found = [beat.faults for beat in self.round.beats if beat.faults]
        return [b.faults for b in other.beats if b.faults] == found and self.at(other) is not None

    def at(self, other: Round) -> int | None:
        """The event that shows it."""
        beats = other.beats
        return next((i for i in reversed(range(len(beats))) if shows(beats[i], self.rule, self.wanted)), None)


def shows(beat: Beat, rule: str, wanted: Wanted) -> bool:
    """Whether an event keeps or breaks a rule. What is disputed or undecided by it counts as neither, but shows the
    rule at work."""
    if wanted == "broken":
        return rule in beat.broken
    return rule in beat.shown or any(rule in rules for verdict, rules in beat.faults if verdict != "broken")


@dataclass(slots=True)
class Company:
    """The best play that shows each target beside something else."""

    pool: Pool
    targets: frozenset[Target]
    found: dict[Target, Beside] = field(default_factory=dict)

    def left(self) -> list[Target]:
        """What nothing shows."""
        return sorted(self.targets - self.found.keys())

    def take(self, options: Mapping[str, object], happenings: Sequence[Happening]) -> list[Stand]:
        """Look at a play beyond its faults; where it stands after the first."""
        snapshot, beats, stands, faults = self.pool.bench.runner.empty, list[Beat](), list[Stand](), 0
        for count, happening in enumerate(happenings):
            if faults:
                stands.append(Stand(options, tuple(happenings[:count]), snapshot))
            writable = self.pool.bench.writable(happening)
            stepped = self.pool.bench.runner.step(snapshot, options, happening) if writable else None
            if stepped is None:
                return stands
            snapshot = stepped.snapshot
            beats.append(self.pool.bench.beat(happening, stepped))
            faults += bool(beats[-1].faults)
            if faults > MOST_FAULTS:
                return stands
            if faults:
                self._note(options, beats)
        if faults:
            stands.append(Stand(options, tuple(happenings), snapshot))
        return stands

    def _note(self, options: Mapping[str, object], beats: Sequence[Beat]) -> None:
        """Keep the play for what its last event shows, where none is known that is better."""
        for rule, wanted in self.targets:
            if shows(beats[-1], rule, wanted):
                mine = Beside(rule, wanted, Round(options, tuple(beats)))
                known = self.found.get((rule, wanted))
                if known is None or mine.rank < known.rank:
                    self.found[rule, wanted] = mine

    def probe(
        self,
        stands: Iterable[Stand],
        candidates: Candidates,
        kinds: Callable[[str, Wanted], Sequence[tuple[str, str]]],
        rng: Random,
    ) -> None:
        """Try events that may show what nothing shows, where play stands after a fault."""
        tried = 0
        for stand in stands:
            wanted = dict.fromkeys(kind for rule, way in self.left() for kind in kinds(rule, way))
            if not wanted or tried >= MOST_TRIED:
                return
            prospect = candidates.at(stand.snapshot, stand.options, rng)
            for event, actor in wanted:
                for happening in some_of(prospect, event, actor):
                    tried += 1
                    self._try(stand, happening)

    def _try(self, stand: Stand, happening: Happening) -> None:
        bench = self.pool.bench
        stepped = (
            bench.runner.step(stand.snapshot, stand.options, happening) if bench.writable(happening) else None
        )
        if stepped is None:
            return
        beat = bench.beat(happening, stepped)
        if any(shows(beat, rule, wanted) for rule, wanted in self.left()):
            self.take(stand.options, (*stand.happenings, happening))
