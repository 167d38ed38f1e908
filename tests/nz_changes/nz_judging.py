"""Entries counted fast: as the check makes them, without explanations, and going on from where a change begins.

Whatever this says is held against the full check by a test.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, field, replace

from nz_rounds import Placed, header, ready, rows

from verifier.check.lives import Lives
from verifier.check.options import stated_options
from verifier.check.result import KIND_ORDER, VERDICT_ORDER
from verifier.log.rows import Row
from verifier.run.bench import effective_options
from verifier.run.duties import Compiled, Instance
from verifier.run.judge import Happening, Judge
from verifier.run.state import State
from verifier.run.undefined import Reason
from verifier.run.verdict import Judgement

Found = tuple[int, str, str, tuple[str, ...]]
"""An entry: the row's number from 1, verdict and kind of the leading finding, and the rules it cites."""


@dataclass
class Point:
    """All that a judge knows before a row."""

    state: State
    before: State
    past: deque[State]
    charged: dict[tuple[str, Instance], tuple[Compiled, Instance]]
    bits: dict[tuple[str, Instance], tuple[Compiled, Instance]]
    doubts: dict[int, frozenset[Reason]]
    lives: Lives

    def same(self, other: Point) -> bool:
        """Whether what follows is judged alike from here and from there."""
        return (
            self.state == other.state
            and self.charged.keys() == other.charged.keys()
            and self.bits.keys() == other.bits.keys()
            and self.doubts == other.doubts
            and self.lives == other.lives
        )


@dataclass
class Bench:
    """One judge, moved from point to point, so that nothing is compiled twice."""

    judge: Judge = field(init=False)
    lives: Lives = field(init=False)

    def __post_init__(self) -> None:
        _, stated = stated_options(ready().ruleset, header(), {}, "rounds")
        self.judge = Judge(ready().program, effective_options(ready().program, stated))
        self.lives = Lives.of(ready().ruleset)

    def point(self) -> Point:
        bench, duties = self.judge.bench, self.judge.duties
        lives = copy(self.lives)
        lives.tracks = tuple(copy(track) for track in self.lives.tracks)
        return Point(
            _apart(bench.state),
            bench.before,
            copy(bench.past),
            dict(duties.charged),
            dict(duties.bits),
            dict(bench.machine.doubts),
            lives,
        )

    def go_to(self, point: Point) -> None:
        bench, duties = self.judge.bench, self.judge.duties
        bench.state, bench.before, bench.past = _apart(point.state), point.before, copy(point.past)
        duties.charged, duties.bits = dict(point.charged), dict(point.bits)
        bench.machine.doubts = dict(point.doubts)
        self.lives = copy(point.lives)
        self.lives.tracks = tuple(copy(track) for track in point.lives.tracks)

    def step(self, row: Row) -> Iterator[Found]:
        """Judge a row as the check does; what it is at fault for."""
        passing = self.lives.arrive(row, header())
        due = [j for one in passing if not one.again for j in self.judge.end_life(one.life)]
        if due or any(one.fault for one in passing if not one.again):
            yield self._found(row, due, any(one.fault for one in passing if not one.again))
        values = ready().binding.values(row.event, row.values, header())
        found = self.judge.step(Happening(row.event, row.actor, values))
        again = any(one.again and one.fault for one in passing)
        if found or again:
            yield self._found(row, found, again)
        self.lives.leave(row)

    def _found(self, row: Row, judgements: list[Judgement], of_life: bool) -> Found:
        if of_life:
            return row.seq, "impossible", "life", ()
        lead = min(judgements, key=lambda j: (VERDICT_ORDER.index(j.verdict), KIND_ORDER.index(j.kind)))
        return row.seq, lead.verdict, lead.kind, lead.rules


@dataclass
class Course:
    """A legal log with the point before each of its rows and after the last."""

    log: list[Placed]
    bench: Bench
    points: list[Point]
    found: list[Found]

    @classmethod
    def of(cls, log: list[Placed], bench: Bench) -> Course:
        bench.go_to(Bench().point())
        points, found = [bench.point()], list[Found]()
        for row in rows(log):
            found += bench.step(row)
            points.append(bench.point())
        return cls(log, bench, points, found)

    def changed(self, log: list[Placed], at: int, longer: int) -> list[Found]:
        """The entries of `log`, which differs from the legal one in the row at `at`; it is `longer` by so many rows.

        Judging stops as soon as everything is again as it was in the legal log.
        """
        self.bench.go_to(self.points[at])
        found: list[Found] = []
        for number, row in enumerate(rows(log)):
            if number < at:
                continue
            legal = number - longer
            if number > at + 1 and legal < len(self.points) and self.bench.point().same(self.points[legal]):
                break
            found += self.bench.step(row)
        return found


def _apart(state: State) -> State:
    """The state with the order in which names were first seen for itself: states share it, and add to it."""
    return replace(state, ids={name: dict(seen) for name, seen in state.ids.items()})
