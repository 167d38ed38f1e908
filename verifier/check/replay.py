"""A log replayed up to one of its events, to ask the rules what they say there."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from verifier.check.engine import Prepared
from verifier.check.entries import Scribe
from verifier.check.lives import Lives, recording_in
from verifier.check.options import read_settings, stated_options
from verifier.check.result import LoggedEvent
from verifier.errors import Problem, RequestError
from verifier.log.rows import Row
from verifier.log.sources import Format, LogFile, open_log
from verifier.run.ask import Answers, ask
from verifier.run.bench import effective_options
from verifier.run.judge import Happening, Judge


@dataclass(frozen=True, slots=True)
class Asked:
    """What the rules say right after an event. `seq` and `event` are None before the first one.

    `lives` are (life, key) pairs, the table's among them, as the event's row has them.
    """

    ruleset: str
    file: str
    lives: tuple[tuple[str, str | None], ...]
    seq: int | None
    line: int | None
    event: LoggedEvent | None
    answers: Answers


def ask_at(
    path: str | os.PathLike[str],
    ready: Prepared,
    at: int | None = None,
    *,
    table: str | None = None,
    options: Mapping[str, object] | Iterable[str] = (),
    format: Format | None = None,
) -> Asked:
    """All that the rules say after the event with seq `at` of the log at `path` (None: after the last).

    An `at` before the first seq asks before anything has happened. `table` says whose events are meant in a
    log of several tables. The whole log is read and must be well-formed. Raises `RequestError` where there is
    no such event, `LogError` for a malformed log.
    """
    settings = read_settings(ready.ruleset, options)
    with open_log(path, ready.binding.schema, format) as log:
        return _Replay(ready, log, _judge(ready, log, settings), at, table).run()


def _judge(ready: Prepared, log: LogFile, settings: dict[str, object]) -> Judge:
    header = log.header
    _, stated = stated_options(ready.ruleset, header, settings, log.name)
    recording = recording_in(ready.ruleset, header)
    return Judge(ready.program, effective_options(ready.program, stated), recording)


@dataclass(slots=True)
class _Replay:
    ready: Prepared
    log: LogFile
    judge: Judge
    at: int | None
    table: str | None

    def run(self) -> Asked:
        lives = Lives.of(self.ready.ruleset)
        schema = self.ready.binding.schema
        tabled = schema.table is not None
        last: Row | None = None
        first: int | None = None
        latest: int | None = None
        tables: dict[str, None] = {}
        if self.table is not None and not tabled:
            raise RequestError(
                Problem(
                    f"a log of {schema.ruleset} has no tables",
                    self.log.name,
                    code="which-table",
                    help="leave --table out",
                )
            )
        for row in self.log.rows():
            if tabled:
                stream = str(schema.stream(row.lives))
                tables[stream] = None
                if self.table is not None and stream != self.table:
                    continue
            first = row.seq if first is None else first
            latest = row.seq
            if self.at is None or row.seq <= self.at:
                self.step(row, lives)
                last = row
        self.demand_one_table(tables)
        if latest is None or (self.at is not None and self.at > latest):
            raise self.no_such(first, latest, tables)
        return self.asked(last)

    def step(self, row: Row, lives: Lives) -> None:
        for passing in lives.arrive(row, self.log.header):
            if not passing.again:
                self.judge.end_life(passing.life)
        values = self.ready.binding.values(row.event, row.values, self.log.header)
        self.judge.step(Happening(row.event, row.actor, values))
        lives.leave(row)

    def demand_one_table(self, tables: dict[str, None]) -> None:
        if self.table is None and len(tables) > 1:
            raise RequestError(
                Problem(
                    f"the log has {len(tables)} tables",
                    self.log.name,
                    code="which-table",
                    help=f"name one of them: {', '.join(list(tables)[:10])}",
                )
            )

    def no_such(self, first: int | None, latest: int | None, tables: dict[str, None]) -> RequestError:
        where = "" if self.table is None else f" at the table {self.table}"
        if latest is None:
            known = f"its tables are {', '.join(list(tables)[:10])}" if tables else "the log has no events"
            return RequestError(Problem(f"no event{where}", self.log.name, code="no-such-event", help=known))
        return RequestError(
            Problem(
                f"no event has seq {self.at}{where}",
                self.log.name,
                code="no-such-event",
                help=f"they run from {first} to {latest}",
            )
        )

    def asked(self, row: Row | None) -> Asked:
        answers = ask(self.judge)
        name = self.ready.ruleset.name
        if row is None:
            return Asked(name, self.log.name, (), None, None, None, answers)
        schema = self.ready.binding.schema
        keys = tuple(
            (life.name, None if key is None else str(key))
            for life, key in zip(schema.lives, row.lives, strict=True)
        )
        event = Scribe(self.ready.program, schema).logged(row)
        return Asked(name, self.log.name, keys, row.seq, row.line, event, answers)
