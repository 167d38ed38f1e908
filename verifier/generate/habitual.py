"""Whole lawful rounds as people play them: by the habits that come with a ruleset, or that its rules suggest.

Play at random comes to few settled rounds where the rules leave much free; a table played by habit comes to little
else. What no habit leads to is left to `search`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from random import Random

from verifier.check.engine import Prepared
from verifier.check.fields import Writable
from verifier.prove.explore.candidates import Candidates
from verifier.prove.explore.settings import Options
from verifier.prove.explore.snapshot import Runner, Snapshot
from verifier.prove.question import Play
from verifier.prove.scope import Scope
from verifier.run.bench import Happening
from verifier.simulate.habits import Habits, habits_of
from verifier.simulate.performer import Performer
from verifier.simulate.setting import options_for, scope_for

SETTINGS = 12
"""Tables are played under so many settings of the options."""

PLAYS = 20
"""At most so many tables under each,"""

IDLE = 6
"""and no more once so many in a row have shown nothing new."""

ROUNDS = 2
"""So many rounds are played at a table: some rules speak of the round before."""

LONG_ROUNDS = 8
"""So many are played where rules are left that were not shown,"""

LONG_EVENTS = 4_000
"""until there are so many events of such tables,"""

FEW_EVENTS = 50
"""where a table of fewer, at which play was stuck, counts as of so many."""

AGAIN = 4
"""So often it is tried to bring a round to its end."""


@dataclass(slots=True)
class Tables:
    """Tables played by habit; the same for the same ruleset and seed."""

    ready: Prepared
    seed: int
    scope: Scope = field(init=False)
    habits: Habits = field(init=False)
    runner: Runner = field(init=False)
    writable: Writable = field(init=False)
    _candidates: Candidates = field(init=False)

    def __post_init__(self) -> None:
        self.scope = scope_for(self.ready.program)
        self.habits = habits_of(self.ready.program)
        self.runner = Runner(self.ready.program)
        self.writable = Writable(self.ready.ruleset, self.ready.binding)
        self._candidates = Candidates(self.runner, self.scope)

    def settings(self) -> list[Options]:
        """The settings of the options under which tables are played, the usual ones first."""
        program = self.ready.program
        rng = Random(f"{self.seed}:options")
        return list(islice(options_for(program, self.scope, self.habits, {}, rng), SETTINGS))

    def play(self, options: Options, number: int, rounds: int = ROUNDS) -> Iterator[tuple[Happening, ...]]:
        """The rounds played at one table, at most so many, each with those before it."""
        performer = self._performer(f"{self.seed}:{number}")
        snapshot = self.runner.empty
        happenings: tuple[Happening, ...] = ()
        for _ in range(rounds):
            stretch = performer.play(snapshot, options)
            if stretch is None:
                return
            snapshot = stretch.after
            happenings = (*happenings, *(moment.happening for moment in stretch.moments))
            yield happenings

    def ended(self, play: Play) -> tuple[Happening, ...] | None:
        """The events of a play with lawful ones after them that bring the round to its end; None where none were
        found."""
        snapshot: Snapshot | None = self.runner.after(play.options, play.happenings)
        if snapshot is None:
            return None
        performer = self._performer(f"{self.seed}:{len(play.happenings)}")
        for _ in range(AGAIN):
            stretch = performer.play(snapshot, dict(play.options))
            if stretch is not None:
                return (*play.happenings, *(moment.happening for moment in stretch.moments))
        return None

    def _performer(self, seed: str) -> Performer:
        return Performer(
            self.ready.program, self.runner, self._candidates, self.habits, Random(seed), self.writable
        )
