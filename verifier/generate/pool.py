"""Tables to begin from: all lawful play that there is, every state of it once, and what was seen to break a rule."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from verifier.generate.rounds import Beat, Bench, Round
from verifier.prove.explore.snapshot import Snapshot, snapshot_key
from verifier.run.bench import Happening

LONGEST = 45
"""A round of more events is none to make others of."""


@dataclass(frozen=True, slots=True)
class Stand:
    """A state of lawful play, with the events that lead there from an empty table."""

    options: Mapping[str, object]
    happenings: tuple[Happening, ...]
    snapshot: Snapshot


@dataclass(frozen=True, slots=True)
class Fault:
    """An event that is at fault after lawful ones. `rank`: whether something of it could not be checked, how many rules
    it breaks, in how many faults, after how many events; the fewer the better."""

    stand: Stand
    beat: Beat

    @property
    def rank(self) -> tuple[bool, int, int, int]:
        return (
            self.beat.unsure,
            sum(len(rules) for _, rules in self.beat.faults),
            len(self.beat.faults),
            len(self.stand.happenings),
        )

    @property
    def alone(self) -> bool:
        """Whether it breaks one rule, and all else about it could be checked."""
        return self.rank[:3] == (False, 1, 1)

    @property
    def happenings(self) -> tuple[Happening, ...]:
        return (*self.stand.happenings, self.beat.happening)


@dataclass(slots=True)
class Pool:
    """Lawful play of one program. `rounds` are whole and lawful, and each shows something that none before it did;
    `others` are for each set of kinds of event the longest that is not too long; `stands` are its states, `faults` the
    best of each rule, `shown` the rules that whole rounds exercise. `beside` has events at fault that show a rule at
    work all the same: those after the fewest events."""

    bench: Bench
    targets: Sequence[str]
    rounds: list[Round] = field(default_factory=list)
    others: dict[frozenset[str], Round] = field(default_factory=dict)
    stands: dict[Hashable, Stand] = field(default_factory=dict)
    faults: dict[str, Fault] = field(default_factory=dict)
    beside: dict[str, Fault] = field(default_factory=dict)
    shown: set[str] = field(default_factory=set)
    _wanted: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self._wanted = frozenset(self.targets)

    def missing(self) -> list[str]:
        """The rules that no whole round exercises."""
        return [rule for rule in self.targets if rule not in self.shown]

    def faultless(self) -> list[str]:
        """The rules that no event breaks."""
        return [rule for rule in self.targets if rule not in self.faults]

    def unbroken(self) -> list[str]:
        """The rules that no event breaks alone."""
        return [rule for rule in self.targets if rule not in self.faults or not self.faults[rule].alone]

    def add(self, options: Mapping[str, object], happenings: Sequence[Happening]) -> bool:
        """Take in the events up to the first that is at fault or cannot be logged; whether they show what no whole
        round has shown before."""
        beats: list[Beat] = []
        for stand, beat in self.along(options, happenings):
            if beat.faults:
                self.note(stand, beat)
                break
            beats.append(beat)
        last = max((i for i, b in enumerate(beats) if self.bench.complete([b.happening])), default=-1)
        if last < 0:
            return False
        whole = Round(options, tuple(beats[: last + 1]))
        fresh = whole.shown & self._wanted - self.shown
        if fresh:
            self.rounds.append(whole)
            self.shown |= fresh
        kinds = frozenset(beat.happening.event for beat in whole.beats)
        known = self.others.get(kinds)
        if len(whole.beats) <= LONGEST and (known is None or len(known.beats) < len(whole.beats)):
            self.others[kinds] = whole
        return bool(fresh)

    def along(
        self, options: Mapping[str, object], happenings: Sequence[Happening]
    ) -> Iterator[tuple[Stand, Beat]]:
        """The events judged, each with the state before it, to where one cannot happen or be logged."""
        snapshot = self.bench.runner.empty
        for count, happening in enumerate(happenings):
            if not self.bench.writable(happening):
                return
            stepped = self.bench.runner.step(snapshot, options, happening)
            if stepped is None:
                return
            stand = Stand(options, tuple(happenings[:count]), snapshot)
            yield stand, self.bench.beat(happening, stepped)
            snapshot = stepped.snapshot

    def stand(self, options: Mapping[str, object], happenings: Sequence[Happening]) -> None:
        """Keep the states that the events lead through as such to begin from, up to the first that is at fault."""
        for stand, beat in self.along(options, happenings):
            key = (tuple(options.items()), snapshot_key(stand.snapshot, self.bench.program.ruleset))
            known = self.stands.get(key)
            if known is None or len(known.happenings) > len(stand.happenings):
                self.stands[key] = stand
            if beat.faults:
                self.note(stand, beat)
                return

    def note(self, stand: Stand, beat: Beat) -> None:
        """Keep a fault for each rule that it breaks, where none is known that is better."""
        found = Fault(stand, beat)
        for rule in beat.broken & self._wanted:
            known = self.faults.get(rule)
            if known is None or found.rank < known.rank:
                self.faults[rule] = found
        open_ = (rules for verdict, rules in beat.faults if verdict != "broken")
        for rule in (beat.shown.union(*open_) & self._wanted) - self.shown:
            known = self.beside.get(rule)
            if known is None or (bool(beat.broken), found.rank) < (bool(known.beat.broken), known.rank):
                self.beside[rule] = found

    def nearest_first(self) -> list[Stand]:
        """The states, those first to which the fewest events lead."""
        return sorted(self.stands.values(), key=lambda stand: len(stand.happenings))
