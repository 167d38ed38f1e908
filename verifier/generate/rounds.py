"""Rounds judged event by event, with what each shows of the rules; and made short."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from verifier.check.clauses import Ledger
from verifier.core.program import Program
from verifier.model.ruleset import Contribution
from verifier.prove.explore.snapshot import BREACHES, Runner, Snapshot, Stepped
from verifier.run.bench import Happening

SHORTENED = 3_000
"""So many events are judged, at most, to make one round short."""


@dataclass(frozen=True, slots=True)
class Beat:
    """One event judged: the rules that it was seen to keep, those whose answers only others read, and the verdicts
    that are faults, each with its rules. `unsure`: something about it could not be checked, so that no transcript that
    says all of it can hold it."""

    happening: Happening
    kept: frozenset[str]
    read: frozenset[str]
    faults: tuple[tuple[str, tuple[str, ...]], ...]
    unsure: bool = False

    @property
    def shown(self) -> frozenset[str]:
        """The rules that it exercises."""
        return self.kept | self.read

    @property
    def broken(self) -> frozenset[str]:
        """The rules that it breaks."""
        return frozenset(rule for verdict, rules in self.faults if verdict == "broken" for rule in rules)


@dataclass(frozen=True, slots=True)
class Round:
    """Events from an empty table on, judged."""

    options: Mapping[str, object]
    beats: tuple[Beat, ...]

    @property
    def happenings(self) -> tuple[Happening, ...]:
        return tuple(beat.happening for beat in self.beats)

    @property
    def lawful(self) -> bool:
        """Whether no event is at fault."""
        return not any(beat.faults for beat in self.beats)

    @property
    def shown(self) -> frozenset[str]:
        """The rules exercised."""
        return frozenset[str]().union(*(beat.shown for beat in self.beats))


@dataclass(slots=True)
class Bench:
    """Judges rounds of one program. `endings` are the kinds of event that end a round; none where nothing does.
    `writable` tells whether a log can hold an event."""

    program: Program
    runner: Runner
    writable: Callable[[Happening], bool] = lambda happening: True
    endings: frozenset[str] = field(init=False)
    _claimed: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        lives = list(self.program.ruleset.lives.values())
        self.endings = frozenset(lives[-1].ends) if lives else frozenset()
        self._claimed = Ledger(self.program).claimed_rules()

    def beat(self, happening: Happening, stepped: Stepped) -> Beat:
        """What an event showed."""
        units = self.program.ruleset.units
        read = {
            units[name].rule
            for name in stepped.given
            if isinstance(units[name], Contribution) and units[name].rule not in self._claimed
        }
        kept = {rule for rule, tally in stepped.tallies.items() if tally.kept}
        faults = tuple((j.verdict, j.rules) for j in stepped.judgements if j.verdict in BREACHES)
        unsure = any(tally.not_checkable for tally in stepped.tallies.values())
        return Beat(happening, frozenset(kept), frozenset(read), faults, unsure)

    def complete(self, happenings: Sequence[Happening]) -> bool:
        """Whether they end with the end of a round."""
        return bool(happenings) and (not self.endings or happenings[-1].event in self.endings)

    def judged(
        self,
        options: Mapping[str, object],
        happenings: Sequence[Happening],
        start: Snapshot | None = None,
        lawful: bool = False,
    ) -> Round | None:
        """The round that the events make, from `start` on; None where one cannot happen or be logged, or where all
        are to be `lawful` and one is not."""
        snapshot = start or self.runner.empty
        beats: list[Beat] = []
        for happening in happenings:
            stepped = self.runner.step(snapshot, options, happening) if self.writable(happening) else None
            if stepped is None or (lawful and stepped.breaches):
                return None
            snapshot = stepped.snapshot
            beats.append(self.beat(happening, stepped))
        return Round(options, tuple(beats))

    def shortened(self, whole: Round, fits: Callable[[Round], bool], most: int = SHORTENED) -> Round:
        """The round with as few events as leaving some out comes to, while it fits; so many events are judged at most.

        Its last event stays where it ends a round.
        """
        until = self.runner.taken + most
        best, size = whole, max(1, len(whole.beats) // 3)
        while self.runner.taken < until:
            found = self._pass(best, size, fits, until)
            dropped = len(found.beats) < len(best.beats)
            best = found
            if size > 1:
                size //= 2
            elif not dropped:
                break
        return best

    def _pass(self, best: Round, size: int, fits: Callable[[Round], bool], until: int) -> Round:
        """One pass from the end to the beginning; every stretch of `size` events is left out if it can be."""
        tables = self._tables(best)
        end = len(best.beats) - bool(self.endings)
        faults = sum(bool(beat.faults) for beat in best.beats)
        while end > 0 and self.runner.taken < until:
            start = max(0, end - size)
            before = sum(bool(beat.faults) for beat in best.beats[:start])
            rest = self._rest(best.options, best.happenings[end:], tables[start], faults - before)
            if rest is not None:
                shorter = Round(best.options, best.beats[:start] + rest)
                if fits(shorter):
                    best = shorter
            end = start
        return best

    def _rest(
        self, options: Mapping[str, object], happenings: Sequence[Happening], start: Snapshot, faults: int
    ) -> tuple[Beat, ...] | None:
        """The events judged from `start` on; None where one cannot happen, or more than so many are at fault."""
        snapshot, beats = start, list[Beat]()
        for happening in happenings:
            stepped = self.runner.step(snapshot, options, happening)
            if stepped is None:
                return None
            snapshot = stepped.snapshot
            beats.append(self.beat(happening, stepped))
            faults -= bool(beats[-1].faults)
            if faults < 0:
                return None
        return tuple(beats)

    def _tables(self, whole: Round) -> list[Snapshot]:
        """The table before each event."""
        found = [self.runner.empty]
        for beat in whole.beats:
            stepped = self.runner.step(found[-1], whole.options, beat.happening)
            assert stepped is not None
            found.append(stepped.snapshot)
        return found


def fewest(rounds: Sequence[Round], wanted: frozenset[str]) -> list[Round]:
    """Some of the rounds that between them show all of `wanted` that any of them shows; few of them, and in order."""
    left = set(wanted & frozenset[str]().union(*(r.shown for r in rounds)))
    chosen: list[Round] = []
    while left:
        best = max(rounds, key=lambda r: (len(r.shown & left), -len(r.beats)))
        chosen.append(best)
        left -= best.shown
    for one in sorted(chosen, key=lambda r: (len(r.shown & wanted), -len(r.beats))):
        others = frozenset[str]().union(*(r.shown for r in chosen if r is not one))
        if len(chosen) > 1 and one.shown & wanted <= others:
            chosen.remove(one)
    return chosen
