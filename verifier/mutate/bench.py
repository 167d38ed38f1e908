"""Transcripts judged fast: as a check judges them, without explanations, and with one machine for all of them.

What is seen here differs wherever a check would differ in anything that a transcript can expect, and perhaps where it
would not: whoever finds a difference asks the check itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from verifier.check.engine import Prepared
from verifier.check.lives import Lives, recording_in
from verifier.check.options import stated_options
from verifier.log.header import Header
from verifier.run.bench import effective_options
from verifier.run.judge import Happening, Judge, Recording
from verifier.run.undefined import Undefined
from verifier.run.verdict import Judgement, Tally
from verifier.transcripts.case import Case

Seen = tuple[object, ...]
"""What one row, or the end of a transcript, shows; equal where nothing differs."""


@dataclass(slots=True)
class Bench:
    """One program and the judges of its transcripts, which share what the first of them compiled."""

    ready: Prepared
    asks_all: bool = False
    _first: dict[Recording, Judge] = field(default_factory=dict)

    def judge(self, header: Header, name: str) -> Judge:
        """A judge for one transcript's table. Raises `LogError` for options that cannot be."""
        program = self.ready.program
        _, stated = stated_options(self.ready.ruleset, header, {}, name)
        recording = recording_in(self.ready.ruleset, header)
        options = effective_options(program, stated)
        judge = Judge(program, options, recording, self._first.get(recording))
        judge.machine.options = options
        judge.duties.asks_all = self.asks_all
        self._first.setdefault(recording, judge)
        return judge

    def lend(self) -> None:
        """Let the next check of the program share what was compiled here."""
        for recording, judge in self._first.items():
            self.ready.spare.put(recording, judge)

    def seen(self, case: Case) -> Iterator[Seen]:
        """What the transcript shows, row by row, and last what became of the rules."""
        tables: dict[object, tuple[Judge, Lives]] = {}
        counted: list[Judge] = []
        yield self.head(case)
        for row in case.rows:
            table = row.lives[0] if self.ready.binding.schema.table is not None else None
            if table not in tables:
                judge = self.judge(case.header, case.path)
                tables[table] = judge, Lives.of(self.ready.ruleset)
                counted.append(judge)
            judge, lives = tables[table]
            passing = lives.arrive(row, case.header)
            due = [j for one in passing if not one.again for j in judge.end_life(one.life)]
            values = self.ready.binding.values(row.event, row.values, case.header)
            found = judge.step(Happening(row.event, row.actor, values))
            lives.leave(row)
            yield (tuple(_key(j) for j in due), tuple(_key(j) for j in found))
        yield _counts(case, [judge.tallies for judge in counted])

    def head(self, case: Case) -> Seen:
        """What is said of the transcript as a whole, before any row of it."""
        return self._requirements(case), self._answers(case)

    def _answers(self, case: Case) -> Seen:
        """Who answers for the faults of which the transcript says who does."""
        told = [fault for fault in case.expected.faults if fault.answers is not None]
        rules = sorted({rule for fault in told for _, cited in fault.cited for rule in cited})
        return tuple((rule, self.ready.program.answers.get(rule, ())) for rule in rules)

    def _requirements(self, case: Case) -> Seen:
        """What the options as a whole show."""
        requirements = self.ready.ruleset.requirements
        if not requirements:
            return ()
        judge = self.judge(case.header, case.path)
        judge.machine.enter(judge.state)
        found: list[object] = []
        for requirement in requirements:
            closure = judge.machine.closure(requirement.condition, [])
            try:
                found.append(judge.bench.ask(lambda: closure([])))  # noqa: B023 - run at once
            except Undefined as undefined:
                found.append(undefined.reasons)
        return tuple(found)


def _key(judgement: Judgement) -> Seen:
    return (judgement.verdict, judgement.kind, judgement.rules, judgement.required, judgement.shorts)


def _counts(case: Case, tallies: list[Mapping[str, Tally]]) -> Seen:
    """Which of the rules expected to be kept were so, and which could not be checked."""
    kept: list[Any] = []
    for rule in case.expected.kept:
        mine = [tally[rule] for tally in tallies if rule in tally]
        faults = sum(t.broken + t.disputed + t.undecided for t in mine)
        kept.append((any(t.kept for t in mine), faults))
    unclear = {rule for tally in tallies for rule, t in tally.items() if t.not_checkable}
    return (tuple(kept), frozenset(unclear))
