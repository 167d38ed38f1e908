"""Lawful play at random: events chosen among those that the rules permit or demand, until a round is over.

What an event must meet to be lawful is asked of the prover's explorer, and then of the judge itself: an event at which
it finds anything amiss is not taken. How people behave no law says; `Habits` do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise
from random import Random

from verifier.core.program import Program
from verifier.prove.explore.candidates import Candidates, Pending, Prospect
from verifier.prove.explore.settings import Options
from verifier.prove.explore.snapshot import Runner, Snapshot
from verifier.prove.explore.ways import Kind
from verifier.run.bench import Happening
from verifier.run.state import State
from verifier.simulate.habits import Habits

DILIGENCE = 0.4
"""So often what is due before something else is done before anything that is only permitted."""

EARLY = 0.03
"""So often what need only be done by the end of a life is done without being in the way of anything."""

LATER = 0.6
"""A kind of event weighs so much of what it weighed, each time that it has happened in the round."""

UNSETTLED = 0.02
"""What an end of the round weighs before any money has moved in it."""

LONG = 60
"""A round that has had so many events is brought to its end."""

MOST = 140
"""A round of more events than this is given up."""

CHAIN = 4
"""So far back it is looked for what must come before something that is due."""

RETREATS = 24
"""So often a round that is stuck is taken up again from an event before, which is drawn."""

TRIES = 40
"""So many events are tried in one state before play is stuck there."""


@dataclass(frozen=True, slots=True)
class Moment:
    """An event that happened, lawfully, with the lives that it ended."""

    happening: Happening
    ended: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Stretch:
    """Events from one state to another; the last of them ends a round, and none before it does."""

    moments: tuple[Moment, ...]
    after: Snapshot


@dataclass(slots=True)
class Performer:
    """Plays a program's rounds, all options being stated. What it plays depends on `rng` and the calls alone.

    `stream` is a life with a log of its own beside the tables': then that is played, and its end is a round's.
    """

    program: Program
    runner: Runner
    candidates: Candidates
    habits: Habits
    rng: Random
    writable: Callable[[Happening], bool]
    stream: str | None = None
    life: str = field(init=False)
    endings: tuple[str, ...] = field(init=False)
    settling: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        ruleset = self.program.ruleset
        life = list(ruleset.lives.values())[-1] if self.stream is None else ruleset.lives[self.stream]
        self.life, self.endings = life.name, life.ends
        self.settling = frozenset(name for name, event in ruleset.events.items() if event.moves)

    def play(self, start: Snapshot, options: Options) -> Stretch | None:
        """A round from `start` on, to its end; None where play comes to where nothing lawful is found, and does so
        again from wherever it is taken up in the round."""
        moments: list[Moment] = []
        stands = [start]
        used: Counter[str] = Counter()
        told: set[Hashable] = set()
        retreats = 0
        while len(moments) < MOST:
            taken = self._next(stands[-1], options, used, told)
            if taken is None:
                if not moments or retreats == RETREATS:
                    return None
                retreats += 1
                back = self.rng.randrange(len(moments))
                del moments[back:], stands[back + 1 :]
                used = Counter(moment.happening.event for moment in moments)
                told = set().union(*(counted(a.state, b.state) for a, b in pairwise(stands)))
                continue
            happening, snapshot = taken
            ended = self.candidates.kinds[happening.event].ends
            moments.append(Moment(happening, ended))
            stands.append(snapshot)
            used[happening.event] += 1
            if self.life in ended:
                return Stretch(tuple(moments), snapshot)
        return None

    def _next(
        self, snapshot: Snapshot, options: Options, used: Counter[str], told: set[Hashable]
    ) -> tuple[Happening, Snapshot] | None:
        """The next event with what it leads to. `told` is what has been counted in the round."""
        prospect = self.candidates.at(snapshot, options, self.rng)
        tried: set[Happening] = set()
        for happening, due in self._choices(prospect, used):
            if happening in tried or self.program.ruleset.events[happening.event].life != self.stream:
                continue
            tried.add(happening)
            written = self.writable(happening)
            stepped = self.runner.step(snapshot, options, happening) if written else None
            if stepped is not None and not stepped.breaches:
                new = counted(snapshot.state, stepped.snapshot.state)
                ends = self.candidates.kinds[happening.event].ends
                if due or ends or not new <= told or moved(snapshot.state, stepped.snapshot.state):
                    told |= new
                    return happening, stepped.snapshot
            if len(tried) > TRIES:
                break
            prospect.resume()
        return None

    # ------------------------------------------------------------------------------------------ choosing
    def _choices(self, prospect: Prospect, used: Counter[str]) -> Iterator[tuple[Happening, bool]]:
        """Events worth trying, each with whether it is done because it is due."""
        rng = self.rng
        pressing = [p for p in prospect.pending if p[0].duty.kind in ("at once", "immediately after")]
        if pressing:
            yield from self._done(prospect, pressing)
        if rng.random() < self.habits.irregular:
            yield from self._some(prospect, self._unlisted(), 1)
        late = used.total() >= LONG
        soon = not late and rng.random() >= EARLY
        waiting = [p for p in prospect.pending if not (soon and p[0].duty.kind == "by end of")]
        if waiting and rng.random() < DILIGENCE:
            yield from self._done(prospect, waiting, 4)
        if late:
            yield from self._ending(prospect)
        for name in self._ordered(used):
            if name in self.endings:
                yield from self._ending(prospect)
            else:
                yield from self._some(prospect, (name,), 2)
        yield from self._done(prospect, prospect.pending)
        yield from self._ending(prospect)
        yield from self._some(prospect, self._unlisted(), 1)

    def _some(self, prospect: Prospect, names: Sequence[str], each: int) -> Iterator[tuple[Happening, bool]]:
        for name in names:
            for happening in islice(prospect.of_kind(self.candidates.kinds[name], lawful=True), each):
                yield happening, False

    def _unlisted(self) -> list[str]:
        names = [n for n, k in self.candidates.kinds.items() if n not in self.habits.weights and not k.ends]
        return self.rng.sample(names, len(names))

    def _ending(self, prospect: Prospect) -> Iterator[tuple[Happening, bool]]:
        """Events that end the round, or what stands in their way."""
        for name in self.endings:
            kind: Kind = self.candidates.kinds[name]
            found = False
            for happening in islice(prospect.of_kind(kind, lawful=True), 2):
                found = True
                yield happening, True
            if not found:
                yield from self._done(prospect, prospect.in_the_way(kind), 4)

    def _ordered(self, used: Counter[str]) -> list[str]:
        """The usual kinds of event in an order drawn by weight; those that have happened in the round come later."""
        settled = bool(self.settling & used.keys())

        def place(item: tuple[str, float]) -> float:
            name, weight = item
            if name in self.endings:
                weight *= 1.0 if settled else UNSETTLED
            else:
                weight *= LATER ** used[name]
            return float(self.rng.random() ** (1 / weight))

        # What ends a life around the round is done between rounds, unless it is due.
        items = [
            (name, weight)
            for name, weight in self.habits.weights.items()
            if weight > 0 and (name in self.endings or not used or not self.candidates.kinds[name].ends)
        ]
        return [name for name, _ in sorted(items, key=place, reverse=True)]

    def _done(
        self, prospect: Prospect, pending: Sequence[Pending], most: int | None = None, chained: int = CHAIN
    ) -> Iterator[tuple[Happening, bool]]:
        """Events that do something that is due, or what must come before it, in an order drawn."""
        for one in self.rng.sample(list(pending), len(pending))[:most]:
            found = False
            for happening in islice(prospect.due(one), 2):
                found = True
                yield happening, True
            if not found and chained:
                for name in one[0].acts:
                    before = [p for p in prospect.in_the_way(self.candidates.kinds[name]) if p != one]
                    yield from self._done(prospect, before, 2, chained - 1)


def moved(before: State, after: State) -> bool:
    """Whether two states differ in anything but what has been counted."""
    return any(value != before.fields[name] for name, value in after.fields.items()) or any(
        table is not before.entities[kind] and table != before.entities[kind]
        for kind, table in after.entities.items()
    )


def counted(before: State, after: State) -> set[Hashable]:
    """The counters that stand at something else."""
    return {
        i for i, counts in enumerate(after.counts) if counts is not before.counts[i] and any(counts.values())
    }
