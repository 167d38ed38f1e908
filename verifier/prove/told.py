"""Plays that people wrote, as logs or transcripts, looked at before any is searched for.

As of plays that earlier proofs found nothing is taken on trust: each is judged anew, event by event, and answers a
question only where that is true in a state that it leads to.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, takewhile
from pathlib import Path, PurePath
from random import Random
from typing import Any

from verifier.cache import digest
from verifier.check.engine import Prepared
from verifier.check.options import stated_options
from verifier.core.program import Program
from verifier.errors import Problem, RequestError
from verifier.log.header import Header
from verifier.log.rows import Row
from verifier.log.schema import AT
from verifier.log.sources import open_logs
from verifier.model import types as ty
from verifier.model.types import Type
from verifier.prove.codec import state_to_json
from verifier.prove.explore.evaluate import Asker
from verifier.prove.explore.replay import replayed
from verifier.prove.explore.settings import Settings
from verifier.prove.explore.shorten import shortened
from verifier.prove.explore.snapshot import Runner
from verifier.prove.extent import scopes
from verifier.prove.known import Known
from verifier.prove.looks import Looks, look
from verifier.prove.question import Mode, Obligation, Play, Question, Sometimes
from verifier.prove.scope import Scope, id_of
from verifier.prove.shares import shared
from verifier.run.bench import Happening, effective_options
from verifier.run.state import State
from verifier.transcripts.case import ENDING, find_transcripts, ruleset_of

MOST_EVENTS = 200_000
"""Files that have more between them are refused."""

MOST_ASKED = 8_000
"""So many where every question of a proof is asked after each event."""

MOST_TRIED = 400
"""So many values are tried for a question in one state."""

MOST_OPTIONS = 6
"""So many choices of the options that a table leaves out are tried."""


@dataclass(frozen=True, slots=True)
class Table:
    """What a file tells of one table: its events, and the options that it states. `file` is its name."""

    file: str
    options: dict[str, object]
    happenings: tuple[Happening, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """The tables of all files; `digest` is that of the files."""

    tables: tuple[Table, ...] = ()
    digest: str = ""


def told(ready: Prepared, paths: Sequence[str | os.PathLike[str]], most: int = MOST_EVENTS) -> Told:
    """What the logs and transcripts at `paths` tell of whole tables; one that leaves columns out tells nothing.

    In a folder that has transcripts those of this ruleset are read, in another one all logs. Raises `RequestError`
    where one is not there or all have more than `most` events between them, `LogError` where one is malformed.
    """
    left = most
    tables: list[Table] = []
    digests: list[str] = []
    for log in open_logs(list(_files(ready, paths)), ready.binding.schema):
        with log:
            rows = tuple(islice(log.rows(), left + 1))
        if len(rows) > left:
            help = f"name those files that matter: with this one they have more than {most:,} events between them"
            raise RequestError(Problem("too many events", log.name, code="long-play", help=help))
        left -= len(rows)
        tables += _tables(log.name, log.header, rows, ready)
        digests.append(log.digest or log.name)
    return Told(tuple(tables), digest(" ".join(sorted(digests))))


def _files(ready: Prepared, paths: Sequence[str | os.PathLike[str]]) -> Iterator[str]:
    for path in (os.fspath(path) for path in paths):
        if os.path.isdir(path) and any(Path(path).rglob("*" + ENDING)):
            yield from (file for file in find_transcripts([path]) if ruleset_of(file) == ready.ruleset.name)
        else:
            yield path


def _tables(name: str, header: Header, rows: Iterable[Row], ready: Prepared) -> Iterator[Table]:
    _, stated = stated_options(ready.ruleset, header, {}, name)
    options = effective_options(ready.program, stated)
    missing = header.missing_columns - {AT.name}
    partial = header.records is not None or header.unordered or missing or header.begun
    if partial:
        return
    found: dict[object, list[Happening]] = {}
    for row in rows:
        table = row.lives[0] if ready.binding.schema.table is not None else None
        values = ready.binding.values(row.event, row.values, header)
        found.setdefault(table, []).append(Happening(row.event, row.actor, values))
    for happenings in found.values():
        yield Table(PurePath(name).name, options, tuple(happenings))


def replayable(known: Known, name: str) -> Told:
    """The plays that a file kept, as tables of that name."""
    tables = (Table(name, dict(play.options), play.happenings) for play in known.plays())
    return Told(tuple(tables), known.found.digest)


@dataclass(frozen=True, slots=True)
class Reached:
    """A state to which the first `count` events of a table lead; `lawful`: none of them breaks a rule.

    `breaches` are the rules that the last of them breaks.
    """

    table: Table
    count: int
    state: State
    lawful: bool
    breaches: tuple[str, ...] = ()

    @property
    def last(self) -> Happening:
        """The event that leads to it."""
        return self.table.happenings[self.count - 1]


@dataclass(frozen=True, slots=True)
class FirstBroken:
    """The first event of a play that breaks rules, by its kind, those rules, and the kinds of event that come `after`
    until something else breaks a rule, or others are broken."""

    event: str
    rules: tuple[str, ...]
    after: tuple[str, ...] = ()

    def goes_on(self, reached: Reached) -> bool:
        """Whether what leads there breaks nothing, or nothing but those rules by such an event."""
        return not reached.breaches or (
            reached.last.event == self.event and set(reached.breaches) <= set(self.rules)
        )


@dataclass(slots=True)
class Tellings:
    """The states that what was told leads to, each that looks different once."""

    program: Program
    told: Told
    _runner: Runner | None = None
    _reached: tuple[Reached, ...] | None = None
    _stated: tuple[Table, ...] | None = None
    _scope: Scope | None = None
    _looks: Looks | None = None

    def answer(self, question: Question, mode: Mode, askers: Sequence[Asker]) -> Sometimes | None:
        """A state told of at which one of `askers` finds the question true, with a short play that leads there."""
        return next(self.each(question, mode, askers), None)

    def each(self, question: Question, mode: Mode, askers: Sequence[Asker]) -> Iterator[Sometimes]:
        """The same of one such state after the other, of those that do not differ in what the question reads of one."""
        self._looks = self._looks or Looks(self.program)
        parts = self._looks.read(question)
        looked_at: set[tuple[object, ...]] = set()
        for one in self.reached():
            if mode == "play" and not one.lawful:
                continue
            seen = (id(one.table.options), *look(one.state, parts))
            if seen in looked_at:
                continue
            looked_at.add(seen)
            for asker in askers:
                if asker.find(question, one.state, one.table.options, MOST_TRIED) is not None:
                    if (found := self._answer(question, one, asker)) is not None:
                        yield found
                    break

    def answers(
        self, obligations: Sequence[Obligation], scope: Scope, jobs: int = 1
    ) -> Iterator[tuple[str, Sometimes]]:
        """By the id of an obligation, a state told of at which its question is true, in any play; those of which none
        is told are left out. Values are as of an explorer of the scope."""
        asker = Asker(self.program, scope)
        self.reached()  # once, before other processes are forked from this one

        def told(number: int) -> Sometimes | None:
            question = obligations[number].question
            return None if question is None else self.answer(question, "words", (asker,))

        found = shared(told, [1] * len(obligations), jobs)
        return ((o.id, one) for o, one in zip(obligations, found, strict=True) if one is not None)

    def _answer(self, question: Question, one: Reached, asker: Asker) -> Sometimes | None:
        assert self._runner is not None
        play = replayed(self._runner, one.table.options, one.table.happenings[: one.count])
        if play is None:
            return None
        short, values = shortened(self._runner, asker, question, play)
        return Sometimes(
            short.state, short.options, values, short, f"a play from {one.table.file}", ("interpreter",)
        )

    def plays(self) -> Iterator[Play]:
        """The tables as plays, every option being stated; each ends where an event cannot happen."""
        for _, play in self.played():
            yield play

    def played(self) -> Iterator[tuple[str, Play]]:
        """The same, each with the name of its file."""
        runner = Runner(self.program)
        for whole in self._tables(runner):
            along = list(self._along(whole, runner))
            if along:
                play = replayed(runner, whole.options, whole.happenings[: along[-1].count])
                if play is not None:
                    yield whole.file, play

    def reached(self) -> tuple[Reached, ...]:
        """All states, those of the empty tables left out; a table ends where an event cannot happen."""
        if self._reached is None:
            self._runner = Runner(self.program)
            tables = self._tables(self._runner)
            reached = (one for table in tables for one in self._along(table, self._runner))
            self._reached = tuple({_look(one): one for one in reached}.values())
        return self._reached

    def kinds_inside(self, inside: Callable[[Happening, State], bool], mode: Mode) -> set[str]:
        """The kinds of event that plays have which stay `inside`, each event and the state that it leads to.

        Ids are those of a scope, in the order in which a play names them: which they are makes no difference.
        """
        runner = Runner(self.program)
        found: set[str] = set()
        for whole in self._tables(runner):
            for one in self._along(self._by_number(whole), runner):
                if (mode == "play" and not one.lawful) or not inside(one.last, one.state):
                    break
                found.add(one.last.event)
        return found

    def first_broken(self, inside: Callable[[Happening, State], bool]) -> Iterator[FirstBroken]:
        """Of each play that stays `inside` until it breaks a rule what it breaks, and how it goes on there."""
        runner = Runner(self.program)
        for whole in self._tables(runner):
            along = takewhile(
                lambda one: inside(one.last, one.state), self._along(self._by_number(whole), runner)
            )
            first = next((one for one in along if one.breaches), None)
            if first is None:
                continue
            broken = FirstBroken(first.last.event, first.breaches)
            after = takewhile(broken.goes_on, along)
            yield replace(broken, after=tuple(one.last.event for one in after))

    def _by_number(self, table: Table) -> Table:
        """The table with ids as a scope has them, in the order in which they are named."""
        names: dict[str, dict[str, str]] = {}

        def numbered(type_: Type, value: Any) -> Any:
            match type_:
                case ty.IdT(name=kind) if value is not None:
                    known = names.setdefault(kind, {})
                    return known.setdefault(value, id_of(kind, len(known) + 1))
                case ty.EntityT(keys=parts) | ty.RecordT(fields=parts) if value is not None:
                    return tuple(numbered(part, inner) for (_, part), inner in zip(parts, value, strict=True))
                case ty.OptT(of=of):
                    return numbered(of, value)
                case _:
                    return value

        events = self.program.ruleset.events
        happenings = (
            replace(
                one,
                values=tuple(
                    numbered(p.type, v) for p, v in zip(events[one.event].params, one.values, strict=True)
                ),
            )
            for one in table.happenings
        )
        return replace(table, happenings=tuple(happenings))

    def _tables(self, runner: Runner) -> tuple[Table, ...]:
        """The tables with every option stated; those of which that cannot be are left out."""
        if self._stated is None:
            wholes = (self._whole(table, runner) for table in self.told.tables)
            self._stated = tuple(whole for whole in wholes if whole is not None)
        return self._stated

    def _whole(self, table: Table, runner: Runner) -> Table | None:
        """The table with every option stated: those left out so that it is lawful as long as may be.

        None where all together would not meet what is required.
        """
        self._scope = self._scope or scopes(self.program)[0]
        drawn = Settings(self.program, self._scope, Random(0), table.options).draw(MOST_OPTIONS)
        tables = [replace(table, options=options) for options in drawn]
        best, most = None, -1
        for whole in tables:
            lawful = sum(1 for _ in takewhile(lambda one: one.lawful, self._along(whole, runner)))
            if lawful > most:
                best, most = whole, lawful
            if lawful == len(table.happenings):
                break
        return best

    def _along(self, table: Table, runner: Runner) -> Iterator[Reached]:
        snapshot, lawful = runner.empty, True
        for count, happening in enumerate(table.happenings, start=1):
            stepped = runner.step(snapshot, table.options, happening)
            if stepped is None:
                return
            snapshot, lawful = stepped.snapshot, lawful and not stepped.breaches
            yield Reached(table, count, snapshot.state, lawful, stepped.breaches)


def _look(one: Reached) -> str:
    """What states that look alike, under the same options, have in common."""
    options = sorted(one.table.options.items(), key=lambda item: item[0])
    return json.dumps([state_to_json(one.state), repr(options), one.lawful])
