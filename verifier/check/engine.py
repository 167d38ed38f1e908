"""The log check: logs and a ruleset in, one result out, in memory that does not grow with the logs.

Several files are one stream for each table, in the order of their names. What a log's header leaves unsaid the
request may complete, never contradict.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from verifier.check.clauses import Ledger
from verifier.check.entries import Scribe
from verifier.check.going_on import Standing, pass_corrections
from verifier.check.lives import Lives, Passing, recording_in
from verifier.check.notes import before_the_law, kept_here, left_open
from verifier.check.opening import READING, Logs, shareable, size_of
from verifier.check.options import option_results, read_settings, stated_options
from verifier.check.owing import AllOwing, Owing, listed
from verifier.check.result import (
    KIND_ORDER,
    VERDICT_ORDER,
    CheckResult,
    Entry,
    FaultCount,
    FileResult,
    FindingKind,
    Named,
    TableResult,
)
from verifier.check.schema import Binding, bind
from verifier.check.spare import Spare
from verifier.check.stream import Stream
from verifier.check.terms import (
    Terms,
    file_result,
    options_of,
    options_read,
    recording_of,
    ruleset_result,
    supplied,
    with_part,
)
from verifier.core.program import Program
from verifier.errors import Problem, RequestError
from verifier.exits import Exit
from verifier.log.aside import Aside
from verifier.log.header import Header
from verifier.log.limits import LIMITS, Limits
from verifier.log.rows import Row
from verifier.log.schema import Beside
from verifier.model.ruleset import Requirement, Ruleset
from verifier.run.account import Explanation
from verifier.run.bench import effective_options, verdict_for
from verifier.run.judge import Happening, Judge
from verifier.run.undefined import Undefined
from verifier.run.verdict import Judgement, Tally, Verdict
from verifier.version import VERSION

if TYPE_CHECKING:
    from verifier.check.parts import Part
    from verifier.log.sources import Format, LogFile

KEEP = 10_000
"""So many entries a result keeps unless asked otherwise; all of them go to `on_entry`, and all are counted."""

STEP = 1_000
"""Rows between two reports of progress."""

Progress = Callable[[str, int], None]
"""Called with a file's name and how many of its events have been judged."""

Engine = Literal["auto", "explain", "bulk"]
"""Who judges: the interpreter every event; or the kernel, and the interpreter the rounds that it marks."""

BULK_BYTES = 1 << 20
"""Logs of so many bytes together (as they lie there) are checked in bulk from the first row unless asked otherwise."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A ruleset made ready to judge: loaded, lowered, and bound to its log's columns."""

    ruleset: Ruleset
    program: Program
    binding: Binding
    spare: Spare = field(default_factory=Spare, init=False, repr=False, compare=False)


def prepare(ruleset: str | Path | Ruleset, search: Sequence[Path] = ()) -> Prepared:
    """The ruleset by name, path, or already loaded. Raises `RequestError`, `RuleTextError`, `LawError`."""
    from verifier.core.lower import lower
    from verifier.model.load import load

    loaded = ruleset if isinstance(ruleset, Ruleset) else load(ruleset, search)
    return Prepared(loaded, lower(loaded), bind(loaded))


def check(
    paths: Sequence[str | os.PathLike[str]],
    ruleset: str | Path | Ruleset | Prepared,
    options: Mapping[str, object] | Iterable[str] = (),
    format: Format | None = None,
    progress: Progress | None = None,
    *,
    manifest: str | os.PathLike[str] | None = None,
    any_ruleset: bool = False,
    strict: bool = False,
    keep: int = KEEP,
    on_entry: Callable[[Entry], None] | None = None,
    search: Sequence[Path] = (),
    limits: Limits = LIMITS,
    columns: str | os.PathLike[str] | None = None,
    sort: bool = False,
    query: str | None = None,
    database: str | os.PathLike[str] | None = None,
    engine: Engine = "auto",
    jobs: int = 1,
) -> CheckResult:
    """Check the logs at `paths` (files, folders, `-`) against a ruleset.

    `options` complete what the headers state: `{"name": value}` or texts `name=value`. `on_entry` is given
    every entry as it is found; the result keeps the first `keep`. `any_ruleset` accepts logs kept under
    another ruleset's name. `strict`: what a log declares not recorded counts as undecided (exit code 3).
    `engine` changes how fast the result comes, not what it says, but for how often a rule was `read`. auto compiles
    the rules where the logs are large, or turn out to be. A log of which the header says that some order, or the key of
    a life, is not recorded is left to the interpreter either way.

    `columns` is a map of a casino's own names (`verifier.log.arrange`), `sort` puts rows in the order of record. A
    `query`, perhaps of a DuckDB `database`, stands in place of `paths`; its header is in `manifest`.

    Of large logs at most so many processes (`jobs`) each judge some of the tables, and entries go to
    `on_entry` at the end; the result is the same.

    Raises `RequestError`, `RuleTextError`, `LawError` and, at the first malformed row, `LogError`; entries
    given out before stand under that reserve.
    """
    ready = ruleset if isinstance(ruleset, Prepared) else prepare(ruleset, search)
    options = options if isinstance(options, Mapping) else tuple(options)
    with Aside() as aside:
        asked = Logs(paths, format, manifest, any_ruleset, columns, sort, query, database)
        reading = None if progress is None else lambda name, rows: progress(f"{READING}{name}", rows)
        if jobs > 1 and engine != "explain":
            found = shareable(paths, format, (manifest, columns), query is not None)
            if found is not None:
                from verifier.check.shares import check_shared

                paths, about = found
                asked = replace(asked, paths=paths)
                logs = partial(asked.open, ready.binding.schema, limits, aside, reading)
                shared = check_shared(
                    logs,
                    ready,
                    options,
                    progress,
                    jobs=jobs,
                    strict=strict,
                    keep=keep,
                    on_entry=on_entry,
                    about=about,
                )
                if shared is not None:
                    return shared
        return judge_logs(
            asked.open(ready.binding.schema, limits, aside, reading),
            ready,
            options,
            progress,
            engine,
            strict=strict,
            keep=keep,
            on_entry=on_entry,
            first=0 if engine == "bulk" or size_of(asked.paths, database) >= BULK_BYTES else None,
        )


def judge_logs(
    logs: Iterable[LogFile],
    ready: Prepared,
    options: Mapping[str, object] | Iterable[str] = (),
    progress: Progress | None = None,
    engine: Engine = "auto",
    *,
    strict: bool = False,
    keep: int = KEEP,
    on_entry: Callable[[Entry], None] | None = None,
    first: int | None = None,
) -> CheckResult:
    """As `check_logs`, by either engine; auto is the interpreter where the ruleset has no kernel, and for the `first`
    rows (None: as many as make it worth while to compile the rules).

    Raises `RequestError` where it has none and is to be checked in bulk.
    """
    if engine == "explain":
        return check_logs(logs, ready, options, progress, strict=strict, keep=keep, on_entry=on_entry)
    from verifier.check.bulk import FIRST, check_logs_in_bulk

    compiled = None
    if engine == "bulk":
        from verifier.compile.encoding import NotCompiledError
        from verifier.compile.kernel import Compiled

        try:
            compiled = Compiled.of(ready.program)
        except NotCompiledError as lacking:
            raise RequestError(
                Problem(
                    f"{ready.ruleset.name} cannot be compiled: {lacking}",
                    code="not-compiled",
                    help="check it with --engine explain",
                )
            ) from None
    return check_logs_in_bulk(
        logs,
        ready,
        compiled,
        options,
        progress,
        strict=strict,
        keep=keep,
        on_entry=on_entry,
        first=FIRST if first is None else first,
    )


def check_logs(
    logs: Iterable[LogFile],
    ready: Prepared,
    options: Mapping[str, object] | Iterable[str] = (),
    progress: Progress | None = None,
    *,
    strict: bool = False,
    keep: int = KEEP,
    on_entry: Callable[[Entry], None] | None = None,
) -> CheckResult:
    """As `check`, of logs that are open already (`open_relation` gives one)."""
    run = Run(ready, read_settings(ready.ruleset, options), strict, keep, on_entry)
    for log in logs:
        run.file(log, progress)
    return run.result()


@dataclass(slots=True)
class Run:
    """One check in progress."""

    ready: Prepared
    settings: dict[str, object]
    strict: bool
    keep: int
    on_entry: Callable[[Entry], None] | None
    scribe: Scribe = field(init=False)
    ledger: Ledger = field(init=False)
    lives: Lives = field(init=False)
    """As every table begins with them."""
    streams: dict[object, Stream] = field(default_factory=dict)
    files: list[FileResult] = field(default_factory=list)
    terms: list[tuple[str, Terms]] = field(default_factory=list)
    first: dict[int, Judge] = field(default_factory=dict)
    """By terms (which `terms` keeps alive), the first table's judge: the others share what it compiled."""
    money: tuple[str, int, str] | None = None
    entries: list[Entry] = field(default_factory=list)
    total: int = 0
    faults: dict[tuple[Verdict, FindingKind], int] = field(default_factory=dict)
    sums: AllOwing = field(default_factory=AllOwing)
    notes: list[str] = field(default_factory=list)
    digests: dict[str, str] = field(default_factory=dict)
    taken: list[Part] = field(default_factory=list)
    """What other runs have found at tables that are not among `streams`."""
    options_too: bool = field(default=True, kw_only=True)
    """Whether the rules that bind the options themselves are judged."""

    def __post_init__(self) -> None:
        self.scribe = Scribe(self.ready.program, self.ready.binding.schema)
        self.ledger = Ledger(self.ready.program, self.ready.spare.standing(self.ready.program))
        self.lives = Lives.of(self.ready.ruleset)

    # ------------------------------------------------------------------------------------------------ files
    def file(self, log: LogFile, progress: Progress | None) -> None:
        """Judge one log's rows."""
        header, name = log.header, log.name
        self._same_money(header, name)
        terms = self._terms(header, name)
        if self.options_too and not any(known.options == terms.options for _, known in self.terms):
            self._requirements(terms, name)
        self.terms.append((name, terms))
        self._about(header, name)
        if progress is not None:
            progress(name, 0)
        events = self._through(log, terms, progress)
        pass_corrections(self.streams, log.corrected_last)
        if progress is not None:
            progress(name, events)
        digest = log.digest
        if digest is not None and log.events:
            if digest in self.digests:
                raise RequestError(
                    Problem(
                        "this log is, byte for byte, one that was read already",
                        name,
                        code="log-twice",
                        help=f"it is {self.digests[digest]}: name each log once",
                    )
                )
            self.digests[digest] = name
        self.files.append(file_result(log))

    def _same_money(self, header: Header, name: str) -> None:
        if self.money is None:
            self.money = (header.currency, header.exponent, name)
        elif self.money[:2] != (header.currency, header.exponent):
            currency, exponent, first = self.money
            raise RequestError(
                Problem(
                    f"this log is in {header.currency} with {header.exponent} decimals, "
                    f"{first} in {currency} with {exponent}",
                    name,
                    code="log-currencies",
                    help="sums of two currencies mean nothing: check them apart",
                )
            )

    def _terms(self, header: Header, name: str) -> Terms:
        logged, stated = stated_options(self.ready.ruleset, header, self.settings, name)
        recording = recording_in(self.ready.ruleset, header)
        options = effective_options(self.ready.program, stated)
        return Terms(logged, options, recording, header.missing_columns)

    def _about(self, header: Header, name: str) -> None:
        ruleset = self.ready.ruleset
        if header.ruleset != ruleset.name:
            self.notes.append(f"{name} was kept under the ruleset {header.ruleset}")
        if header.ruleset_digest is not None and header.ruleset_digest != ruleset.digest:
            self.notes.append(
                f"{name} names the digest {header.ruleset_digest} of the ruleset, which is not this one's: "
                "it was kept under another version of the text"
            )

    def _requirements(self, terms: Terms, name: str) -> None:
        """Judge the rules that bind the options themselves."""
        ruleset = self.ready.ruleset
        if not ruleset.requirements:
            return
        judge = self._judge_under(terms)
        judge.machine.enter(judge.state)
        tallies: dict[str, Tally] = {}
        for requirement in ruleset.requirements:
            closure = judge.machine.closure(requirement.condition, [])
            tally = tallies.setdefault(requirement.rule, Tally())
            try:
                holds = judge.bench.ask(lambda: closure([]))  # noqa: B023 - run at once
            except Undefined as undefined:
                verdict = verdict_for(undefined.reasons)
                judge.bench.count(requirement.rule, verdict, undefined.reasons)
                if verdict != "not checkable":
                    self._option_entry(requirement, name, terms, verdict, undefined)
                continue
            if holds:
                tally.kept += 1
            else:
                tally.broken += 1
                self._option_entry(requirement, name, terms, "broken", None)
        self.ledger.add(tallies, {}, {})
        self.ledger.add(judge.tallies, judge.why_not, judge.given)

    def _option_entry(
        self,
        requirement: Requirement,
        name: str,
        terms: Terms,
        verdict: Verdict,
        undefined: Undefined | None,
    ) -> None:
        reasons = () if undefined is None else tuple(sorted(undefined.reasons))
        judgement = Judgement(verdict, "option", (requirement.rule,), (), reasons=reasons)
        read = options_read(requirement.condition, self.ready.program)
        values = tuple(
            Named(option.name, option.value.text, option.value.amount)
            for option in option_results(self.ready.program, terms.logged, self.settings)
            if option.value is not None and option.name in read
        )
        self._put(self.scribe.option(self.total + 1, name, judgement, values))

    # ------------------------------------------------------------------------------------------------- rows
    def _through(self, log: LogFile, terms: Terms, progress: Progress | None) -> int:
        """Judge the rows of a log; the result is how many there are."""
        events = 0
        for row in log.rows():
            self._row(row, log.header, terms)
            events += 1
            if progress is not None and events % STEP == 0:
                progress(log.name, events)
        return events

    def _row(self, row: Row, header: Header, terms: Terms) -> None:
        self._judge(self._stream(row, header, terms), row, header)

    def _stream(self, row: Row, header: Header, terms: Terms) -> Stream:
        """The row's table, which goes on with it."""
        table = self.scribe.schema.stream(row.lives)
        stream = self.streams.get(table)
        if stream is None:
            make = partial(self._judge_under, terms)
            stream = Stream(
                make,
                self.lives.anew(),
                terms,
                header,
                row.file,
                row.seq,
                row.lives,
                Owing(self.sums),
                first_at=row.at,
            )
            stream.begun = (len(self.files), row.line)
            self.streams[table] = stream
        elif stream.file != row.file:
            Standing.of(stream).demand(row, terms)
            stream.file, stream.header = row.file, header
        stream.seq, stream.keys = row.seq, row.lives
        stream.events += 1
        if row.at is not None:
            stream.last_at = row.at
        return stream

    def _judge(self, stream: Stream, row: Row, header: Header) -> None:
        passing = stream.lives.arrive(row, header)
        if any(not one.again for one in passing):
            self._pass(stream, row, passing)
        again = [one.fault for one in passing if one.again and one.fault]
        values = self.ready.binding.values(row.event, row.values, header)
        happening = Happening(row.event, row.actor, values)
        found = stream.judge.step(happening)
        if found or stream.owing.owed or stream.owing.unmade:
            stream.owing.judged(found, stream.judge.settlement.settled)
            if self.ready.ruleset.events[row.event].moves and any(j.verdict == "impossible" for j in found):
                self.sums.unreckoned += 1
            stream.owing.end(stream.judge.ends(row.event))
        if found or again:
            stream.entries += 1
            explained = self._explained(stream, found, happening)
            self._put(self.scribe.entry(self.total + 1, row, found, explained, again))
        stream.lives.leave(row)

    def _judge_under(self, terms: Terms) -> Judge:
        """A judge for one table, which shares what the first under these terms has compiled."""
        first = self.first.get(id(terms)) or self.ready.spare.take(terms.options, terms.recording)
        judge = Judge(self.ready.program, dict(terms.options), terms.recording, first)
        self.first.setdefault(id(terms), judge)
        return judge

    def _pass(self, stream: Stream, row: Row, passing: list[Passing]) -> None:
        notes: list[str] = []
        found: list[Judgement] = []
        explained: list[Explanation | None] = []
        for one in passing:
            if one.again:
                continue
            due = stream.judge.end_life(one.life)
            stream.owing.judged(due)
            stream.owing.end((one.life,))
            explained += self._explained(stream, due, None)
            found += due
            if one.fault:
                notes.append(one.fault)
        if notes or found:
            stream.entries += 1
            self._put(self.scribe.passing(self.total + 1, row, notes, found, explained))

    def _explained(
        self, stream: Stream, found: list[Judgement], happening: Happening | None
    ) -> list[Explanation | None]:
        """The explanations of judgements just made; none for entries that nobody will see. What only they read is not
        counted: no rule is exercised by it."""
        if self.on_entry is None and len(self.entries) >= self.keep:
            return [None] * len(found)
        given = stream.judge.bench.own.given
        before = dict(given)
        explained: list[Explanation | None] = [stream.explainer.explain(one, happening) for one in found]
        given.clear()
        given.update(before)
        return explained

    def _put(self, entry: Entry) -> None:
        self.total += 1
        lead = entry.lead
        key = (lead.verdict, lead.kind)
        self.faults[key] = self.faults.get(key, 0) + 1
        if len(self.entries) < self.keep:
            self.entries.append(entry)
        if self.on_entry is not None:
            self.on_entry(entry)

    # ----------------------------------------------------------------------------------------------- result
    def take(self, part: Part) -> None:
        """Add what another run has found at other tables of the file that was the last."""
        self.taken.append(part)
        self.files[-1] = with_part(self.files[-1], part.rows, part.corrections)
        self.total += part.total
        for key, count in part.faults.items():
            self.faults[key] = self.faults.get(key, 0) + count
        self.sums.join(part.sums)
        self.ledger.join(part.tallies)

    def result(self) -> CheckResult:
        """All that was found."""
        if self.money is None:
            raise RequestError(Problem("no logs were given", code="no-logs", help="name a log or a folder"))
        self.streams = dict(sorted(self.streams.items(), key=lambda item: item[1].begun))
        for judge in (stream.used for stream in self.streams.values()):
            if judge is not None:
                self.ledger.add(judge.tallies, judge.why_not, judge.given)
        for _, terms in self.terms:
            if (used := self.first.pop(id(terms), None)) is not None:
                self.ready.spare.put(terms.recording, used)
        tables = self._tables()
        rounds = [table.rounds for table in tables if not table.beside]
        if self.on_entry is None:
            self.notes += kept_here(len(self.entries), self.total)
        self.notes += left_open(self.open_rounds()) + before_the_law(self.ready.ruleset.in_force, tables)
        self.notes += supplied(self.ready.ruleset)
        return CheckResult(
            version=VERSION,
            ruleset=ruleset_result(self.ready.ruleset),
            files=tuple(self.files),
            currency=self.money[0],
            exponent=self.money[1],
            options=options_of(self.ready.program, self.terms, self.settings),
            recording=recording_of(self.ready.ruleset, self.terms),
            tables=tables,
            rounds=_total(rounds) if rounds or not tables else None,
            events=sum(table.events for table in tables),
            entries=tuple(self.entries),
            entries_total=self.total,
            faults=tuple(
                FaultCount(verdict, kind, count)
                for (verdict, kind), count in sorted(
                    self.faults.items(),
                    key=lambda item: (VERDICT_ORDER.index(item[0][0]), KIND_ORDER.index(item[0][1])),
                )
            ),
            clauses=self.ledger.clauses(),
            short=listed(self.sums.short),
            made_good=listed(self.sums.made_good),
            unreckoned=self.sums.unreckoned,
            unmade=self.sums.unmade,
            strict=self.strict,
            exit_code=self._exit_code(),
            notes=tuple(self.notes),
        )

    def _tables(self) -> tuple[TableResult, ...]:
        own = (
            TableResult(
                None if table is None else str(table),
                stream.lives.rounds,
                stream.events,
                stream.entries,
                stream.first_at,
                stream.last_at,
                isinstance(table, Beside),
            )
            for table, stream in self.streams.items()
        )
        return (*own, *(table for part in self.taken for table in part.tables))

    def _exit_code(self) -> Exit:
        """`BROKEN` before `UNDECIDED`. What the log declares not recorded is undecided only if `strict`."""
        if any(verdict in ("broken", "impossible") for verdict, _ in self.faults):
            return Exit.BROKEN
        declared, otherwise = self.ledger.not_checkable()
        if self.faults or self.ledger.unclear() or otherwise or (declared and self.strict):
            return Exit.UNDECIDED
        return Exit.HOLDS

    def open_rounds(self) -> list[str]:
        """The rounds that the logs leave open though they record how one ends."""
        own = [one for table in self.streams for one in self.open_at(table)]
        return own + [one for part in self.taken for one in part.open_rounds]

    def open_at(self, table: object) -> list[str]:
        """The round that one of `streams` leaves open, if any."""
        stream = self.streams[table]
        key = stream.lives.open_round(stream.header)
        if key is None:
            return []
        return [f"{stream.lives.round} {key}" + ("" if table is None else f" at {table}")]


def _total(rounds: list[int | None]) -> int | None:
    return None if None in rounds else sum(r for r in rounds if r is not None)


__all__ = ["KEEP", "Prepared", "Progress", "check", "check_logs", "judge_logs", "prepare"]
