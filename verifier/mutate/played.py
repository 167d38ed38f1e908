"""Plays that mutants are held against: what transcripts tell of whole tables, and what earlier proofs found.

A mutant changes rules and no mechanics: the same events lead to the same states, and only what the rules say of these
differs. So states are made once, of the original; before one counts against a mutant its events are played again
under the mutant.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

from verifier.cache import digest
from verifier.check.engine import Prepared
from verifier.prove.explore.snapshot import Runner
from verifier.prove.found import kept
from verifier.prove.known import Known
from verifier.prove.question import Play
from verifier.prove.told import Tellings, Told, told
from verifier.run.bench import Happening
from verifier.run.state import State
from verifier.transcripts.case import Case, read_cases

EARLIER = "an earlier proof"
"""What plays are called that no file of somebody's tells."""

NEAR_LINES = 8
"""For a rule so many plays that are about it are looked at,"""
NEAR_STATES = 24
"""and of these so many states, the last ones first."""

WHOLE = 24
"""Of one play in so many all states are among those looked at for any rule, of the others the last."""


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A play of the original from the empty table on: `states[n]` is what its event `n` left, `broken[n]` the rules
    that the event broke. `name` is its file's, `about` the rules that the file says it is about."""

    name: str
    options: dict[str, object]
    happenings: tuple[Happening, ...]
    broken: tuple[tuple[str, ...], ...]
    states: tuple[State, ...]
    about: frozenset[str]
    breaks: frozenset[str]


@dataclass(frozen=True, slots=True)
class At:
    """A state in a line, after so many of its events."""

    line: Line
    count: int

    @property
    def state(self) -> State:
        """What the events left."""
        return self.line.states[self.count - 1]

    @property
    def lawful(self) -> bool:
        """Whether none of the events broke a rule of the original."""
        return not any(self.line.broken[: self.count])

    @property
    def words(self) -> str:
        """The play in words."""
        return f"{self.count} event{'' if self.count == 1 else 's'} of {self.line.name}"


@dataclass(slots=True)
class Lines:
    """All plays. `digest` is that of what they were made of."""

    lines: tuple[Line, ...]
    digest: str
    _near: dict[str, tuple[Line, ...]] = field(default_factory=dict)

    def near(self, rule: str) -> tuple[Line, ...]:
        """The plays that are about a rule, those that break it first, then the shortest."""
        if rule not in self._near:
            mine = [line for line in self.lines if rule in line.about]
            mine.sort(key=lambda line: (rule not in line.breaks, len(line.happenings), line.name))
            self._near[rule] = tuple(mine[:NEAR_LINES])
        return self._near[rule]

    def states_near(self, rules: Iterable[str]) -> tuple[At, ...]:
        """States of plays about the rules, the last of each play first."""
        lines = list(dict.fromkeys(line for rule in rules for line in self.near(rule)))[: 2 * NEAR_LINES]
        found: list[At] = []
        back = 0
        while len(found) < NEAR_STATES:
            more = [At(line, len(line.states) - back) for line in lines if len(line.states) > back]
            if not more:
                break
            found += more
            back += 1
        return tuple(found[:NEAR_STATES])

    def everywhere(self) -> Iterator[At]:
        """Some states of every play."""
        for number, line in enumerate(self.lines):
            if number % WHOLE == 0 or line.name == EARLIER:
                yield from (At(line, count) for count in range(1, len(line.states) + 1))
            elif line.states:
                yield At(line, len(line.states))


def lines(ready: Prepared, paths: Sequence[str | os.PathLike[str]]) -> Lines:
    """The plays that transcripts at `paths` tell, and those kept beside the ruleset by an earlier proof.

    Raises as `verifier.prove.told.told` and `verifier.prove.found.kept` do.
    """
    runner = Runner(ready.program)
    cases = {PurePath(case.path).name: case for case in read_cases(paths, ready)} if paths else {}
    tables = told(ready, paths) if paths else Told()
    found: list[Line] = []
    for name, play in Tellings(ready.program, tables).played():
        if (line := _line(name, play, runner, cases.get(name))) is not None:
            found.append(line)
    earlier = kept(ready.ruleset)
    if earlier is not None:
        plays = Known(ready.program, earlier).plays()
        found += [line for play in plays if (line := _line(EARLIER, play, runner, None)) is not None]
    made_of = f"{tables.digest} {'' if earlier is None else earlier.digest}"
    return Lines(tuple(found), digest(made_of))


def _line(name: str, play: Play, runner: Runner, case: Case | None) -> Line | None:
    """A play with the state after each event; None where it has no events."""
    snapshot, states = runner.empty, list[State]()
    for happening in play.happenings:
        stepped = runner.step(snapshot, play.options, happening)
        if stepped is None:
            break
        snapshot = stepped.snapshot
        states.append(snapshot.state)
    if not states:
        return None
    broken = play.breaches[: len(states)]
    about = {rule for rules in broken for rule in rules}
    breaks = set(about)
    if case is not None:
        about |= case.expected.cited | set(case.expected.kept)
        breaks |= case.expected.broken
    happenings = play.happenings[: len(states)]
    return Line(
        name, dict(play.options), happenings, broken, tuple(states), frozenset(about), frozenset(breaks)
    )
