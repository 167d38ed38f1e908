"""The rounds in which entries were found, played again: each event with all that the rules had to say at it.

A log is read a second time, and what goes before the rounds that are wanted is judged as the check judged it, so that
every round is played from the state in which it began.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import inf

from verifier.check.engine import Prepared
from verifier.check.entries import Scribe
from verifier.check.lives import Lives, recording_in
from verifier.check.opening import Logs
from verifier.check.options import read_settings, stated_options
from verifier.check.result import LoggedEvent
from verifier.log.aside import Aside
from verifier.log.header import Header
from verifier.log.rows import Row
from verifier.log.schema import Beside
from verifier.log.sources import LogFile
from verifier.run.account import EventTrace
from verifier.run.bench import effective_options
from verifier.run.explain import Explainer
from verifier.run.facts import Reading
from verifier.run.judge import Happening, Judge
from verifier.run.view import Drawn, Viewer

Place = tuple[float, int]
"""Where a round stands among those of the logs: how many rows had been read when it was known to be whole, and when it
began. What goes on to the end of the logs is behind all else."""

BRIEF = 1_000
"""Characters of one text of the operator's own that a step keeps."""

LONGEST = 300
"""So many events are played at once; a longer round is shown in parts."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """An entry to be marked in its round, and (`draw`) whose round is wanted. `passing`: the round is the one before
    its row, which was left without its end."""

    number: int
    file: str
    line: int
    table: str | None
    passing: bool = False
    draw: bool = True


@dataclass(frozen=True, slots=True)
class Cut:
    """A text too long to be kept with a step: how it begins, and how many characters it has."""

    start: str
    length: int


def brief(value: object) -> object:
    """A value of a row as a step keeps it: a long text is cut."""
    return Cut(value[:BRIEF], len(value)) if isinstance(value, str) and len(value) > BRIEF else value


@dataclass(frozen=True, slots=True)
class Step:
    """One event as it was played; `drawn` is the state that it left, `entries` are the faults found at it, `extras` the
    operator's own columns of its row, long texts as `Cut`."""

    file: str
    line: int | None
    seq: int
    at: str | None
    event: LoggedEvent
    touched: tuple[str, ...]
    trace: EventTrace
    drawn: tuple[Drawn, ...]
    entries: tuple[int, ...]
    extras: tuple[tuple[object, object], ...] = ()


@dataclass(frozen=True, slots=True)
class Played:
    """A round, or a part of a long one. `before` is the state in which it began, `passed` the entries found when it
    was left without its end; `part` counts from 1, and is None for a whole round."""

    table: str | None
    lives: tuple[tuple[str, str | None], ...]
    before: tuple[Drawn, ...]
    steps: tuple[Step, ...]
    passed: tuple[int, ...]
    part: int | None

    @property
    def entries(self) -> tuple[int, ...]:
        """All entries found in it."""
        return (*(n for step in self.steps for n in step.entries), *self.passed)


def play(
    logs: Logs,
    ready: Prepared,
    wanted: Iterable[Wanted],
    options: Mapping[str, object] | Iterable[str] = (),
) -> Iterator[Played]:
    """The rounds that hold the wanted entries, in the order of the logs. What is given is what the check was given;
    raises what it raises."""
    return (played for _, played in placed(logs, ready, wanted, options))


def placed(
    logs: Logs,
    ready: Prepared,
    wanted: Iterable[Wanted],
    options: Mapping[str, object] | Iterable[str] = (),
) -> Iterator[tuple[Place, Played]]:
    """As `play`, each round with its place, whatever others are wanted."""
    settings = read_settings(ready.ruleset, options)
    with Aside() as aside:
        yield from _Replay(ready, settings, list(wanted)).play(logs.open(ready.binding.schema, aside=aside))


@dataclass(slots=True)
class _Stream:
    judge: Judge
    lives: Lives
    life: str | None
    rows: list[tuple[Row, Header]] = field(default_factory=list)
    part: int = 0
    key: object = None
    begun: int = 0


@dataclass(slots=True)
class _Replay:
    ready: Prepared
    settings: dict[str, object]
    wanted: list[Wanted]
    at: dict[tuple[str, int], list[Wanted]] = field(default_factory=dict)
    streams: dict[object, _Stream] = field(default_factory=dict)
    left: int = 0
    read: int = 0
    ended: bool = False
    scribe: Scribe = field(init=False)
    first: list[Judge] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.scribe = Scribe(self.ready.program, self.ready.binding.schema)
        for one in self.wanted:
            self.at.setdefault((one.file, one.line), []).append(one)
        self.left = sum(one.draw for one in self.wanted)

    def play(self, logs: Iterable[LogFile]) -> Iterator[tuple[Place, Played]]:
        tables = {one.table for one in self.wanted if one.draw}
        schema = self.ready.binding.schema
        for log in logs:
            header = log.header
            if not self.left:
                return
            for row in log.rows():
                self.read += 1
                if schema.table is not None and self._table(row) not in tables:
                    continue
                yield from self._row(schema.stream(row.lives), row, header)
                if not self.left:
                    return
        self.ended = True
        for stream in list(self.streams.values()):
            yield from self._flush(stream, None)

    def _table(self, row: Row) -> str | None:
        return None if row.lives[0] is None else str(row.lives[0])

    def _row(self, name: object, row: Row, header: Header) -> Iterator[tuple[Place, Played]]:
        stream = self.streams.get(name)
        if stream is None:
            stream = self.streams[name] = self._stream(name, header, row.file)
        track = next((t for t in stream.lives.tracks if t.life.name == stream.lives.round), None)
        index = None if track is None else track.index
        key = None if index is None else row.lives[index]
        if key is not None and stream.key is not None and key != stream.key:
            yield from self._flush(stream, row)
            stream.part = 0
        stream.key = key if key is not None else stream.key
        if not stream.rows:
            stream.begun = self.read
        stream.rows.append((row, header))
        if track is not None and row.event in track.life.ends:
            yield from self._flush(stream, None)
            stream.part, stream.key = 0, None
        elif len(stream.rows) >= LONGEST:
            stream.part = max(1, stream.part)
            yield from self._flush(stream, None)
            stream.part += 1

    def _stream(self, name: object, header: Header, file: str) -> _Stream:
        ruleset = self.ready.ruleset
        _, stated = stated_options(ruleset, header, self.settings, file)
        recording = recording_in(ruleset, header)
        options = effective_options(self.ready.program, stated)
        like = next((j for j in self.first if (j.options, j.recording) == (options, recording)), None)
        judge = Judge(self.ready.program, options, recording, like)
        if like is None:
            self.first.append(judge)
        life = name.life if isinstance(name, Beside) else None
        return _Stream(judge, Lives.of(ruleset), life)

    def _flush(self, stream: _Stream, after: Row | None) -> Iterator[tuple[Place, Played]]:
        """Play the rows that are kept; `after` is the row that follows, of the next round."""
        rows, stream.rows = stream.rows, []
        if not rows:
            return
        passed = [] if after is None else self._wanted(after, passing=True)
        here = [self._wanted(row, passing=False) for row, _ in rows]
        drawn = sum(one.draw for found in (passed, *here) for one in found)
        if not drawn:
            for row, header in rows:
                self._arrive(stream, row, header)
                stream.judge.step(self._happening(row, header))
                stream.lives.leave(row)
            return
        self.left -= drawn
        yield (inf if self.ended else self.read, stream.begun), self._played(stream, rows, here, passed)

    def _wanted(self, row: Row, passing: bool) -> list[Wanted]:
        if row.line is None:
            return []
        return [one for one in self.at.get((row.file, row.line), ()) if one.passing == passing]

    def _arrive(self, stream: _Stream, row: Row, header: Header) -> None:
        for passing in stream.lives.arrive(row, header):
            if not passing.again:
                stream.judge.end_life(passing.life)

    def _happening(self, row: Row, header: Header) -> Happening:
        return Happening(row.event, row.actor, self.ready.binding.values(row.event, row.values, header))

    def _played(
        self,
        stream: _Stream,
        rows: list[tuple[Row, Header]],
        here: list[list[Wanted]],
        passed: list[Wanted],
    ) -> Played:
        judge = stream.judge
        self._arrive(stream, *rows[0])
        judge.bench.sit()  # judges of other tables share what is compiled
        explainer = Explainer(judge, tracking=True, brief=True)
        viewer = Viewer(judge, Reading(judge.bench, explainer.grounds.names), stream.life)
        ends = {event for life in self.ready.ruleset.lives.values() for event in life.ends}
        before = viewer.draw(judge.state)
        steps: list[Step] = []
        for number, ((row, header), found) in enumerate(zip(rows, here, strict=True)):
            if number:
                self._arrive(stream, row, header)
            happening = self._happening(row, header)
            trace = explainer.trace(happening, f"seq {row.seq}")
            stream.lives.leave(row)
            state = judge.left_by(happening) if row.event in ends else judge.state
            steps.append(
                Step(
                    row.file,
                    row.line,
                    row.seq,
                    row.at,
                    self.scribe.logged(row),
                    viewer.touched(happening),
                    trace,
                    viewer.draw(state),
                    tuple(one.number for one in found),
                    tuple((brief(name), brief(value)) for name, value in row.extras.items()),
                )
            )
        return Played(
            self._table(rows[0][0]) if self.ready.binding.schema.table is not None else None,
            self._keys([row for row, _ in rows]),
            before,
            tuple(steps),
            tuple(one.number for one in passed),
            stream.part or None,
        )

    def _keys(self, rows: list[Row]) -> tuple[tuple[str, str | None], ...]:
        """The keys of the lives that the rows are in, each the first that is recorded."""
        schema = self.ready.binding.schema
        first = 1 if schema.table is not None else 0
        return tuple(
            (
                life.name,
                next((str(r.lives[i]) for r in rows if r.lives[i] is not None), None),
            )
            for i, life in enumerate(schema.lives)
            if i >= first
        )
