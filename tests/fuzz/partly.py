"""The same play judged of a whole record and of one that leaves things out: what the second says must stand.

What is found at fault must be at fault; what is at fault must be found, or said not to have been checked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from brute import stated, values

from verifier.core.program import Program
from verifier.model.values import Partial
from verifier.prove.explore.snapshot import Runner
from verifier.run.bench import Happening
from verifier.run.judge import Judge
from verifier.run.recording import Recording
from verifier.run.verdict import Judgement

GUESTS = 3
STEPS = 30
FAULTS = ("broken", "disputed", "undecided")
AT_ONCE = ("forbidden", "not permitted", "settlement", "early", "actor", "impossible")
"""Kinds of fault of an event itself; those of duties may be found at another event than they are of the whole."""


@dataclass(slots=True)
class Told:
    """What is told of each rule, by the number of the event: its faults by kind, and how often it was what."""

    faults: dict[int, list[Judgement]] = field(default_factory=dict)
    counts: dict[int, dict[str, Counter[str]]] = field(default_factory=dict)

    def add(self, number: int, judge: Judge, found: list[Judgement]) -> None:
        self.faults.setdefault(number, []).extend(found)
        counts = self.counts.setdefault(number, {})
        for rule, tally in judge.bench.tallies.items():
            counted = {name: getattr(tally, name) for name in ("kept", *FAULTS, "not_checkable")}
            counts.setdefault(rule, Counter()).update(counted)
        judge.bench.tallies = {}

    def is_(self, number: int, rule: str, *verdicts: str) -> bool:
        counts = self.counts.get(number, {}).get(rule, Counter())
        return any(counts[verdict] for verdict in verdicts)


@dataclass(frozen=True, slots=True)
class Record:
    """What a log leaves out: kinds of event, parameters, options, the order of some events, and how it began."""

    recording: Recording
    missing: frozenset[tuple[str, int]]
    options: frozenset[str]
    begins: int

    def values(self, happening: Happening) -> tuple[Any, ...]:
        return tuple(
            Partial(f"{happening.event} {i}") if (happening.event, i) in self.missing else value
            for i, value in enumerate(happening.values)
        )


def played(program: Program, r: Random, options: dict[str, object]) -> list[Happening]:
    """Events that can have happened, one after another, in whatever order."""
    runner, found = Runner(program), []
    snapshot = runner.empty
    events = [e for e in program.ruleset.events.values() if e.name != "leave"]
    for _ in range(STEPS * 3):
        event = program.ruleset.events["leave"] if r.random() < 0.12 else r.choice(events)
        chosen = tuple(r.choice(values(p.type, GUESTS)) for p in event.params)
        actor = r.choice(event.by or program.ruleset.actors)
        happening = Happening(event.name, actor, chosen)
        stepped = runner.step(snapshot, options, happening)
        if stepped is not None:
            found.append(happening)
            snapshot = stepped.snapshot
        if len(found) == STEPS:
            break
    return found


def left_out(program: Program, r: Random, options: dict[str, object], length: int) -> Record:
    ruleset = program.ruleset
    names = list(ruleset.events)
    way = r.random()
    absent = frozenset(n for n in names if r.random() < 0.3) if way < 0.5 else frozenset()
    missing = frozenset(
        (e.name, i) for e in ruleset.events.values() for i in range(len(e.params)) if r.random() < 0.3
    )
    begun = frozenset(ruleset.lives) if way > 0.85 else frozenset()
    # What an event needs must be there where it stands, whether or not its order is recorded; what it claims is good
    # where it may have been.
    free = [e.name for e in ruleset.events.values() if not (e.name == "leave" or e.needs or e.claims)]
    loose = frozenset(r.sample(free, min(len(free), 1))) if 0.75 < way <= 0.85 else frozenset()
    return Record(
        Recording(absent, loose, begun),
        missing if way > 0.85 or 0.35 < way < 0.7 else frozenset(),
        frozenset(n for n in options if r.random() < 0.25),
        r.randint(1, length // 2) if begun else 0,
    )


def order(happenings: list[Happening], record: Record, r: Random) -> Iterator[int]:
    """The numbers of the events as the log has them: those whose order is not recorded stand where they happened or
    later, before the trip ends."""
    waiting: list[int] = []
    for number, happening in enumerate(happenings):
        if happening.event == "leave" or r.random() < 0.3:
            yield from waiting
            waiting = []
        if happening.event in record.recording.unordered:
            waiting.append(number)
        else:
            yield number
    yield from waiting


def complaints(program: Program, r: Random) -> Iterator[str]:
    """What the record of a play that leaves things out says, and what stands in the whole one against it."""
    options = r.choice(stated(program))
    happenings = played(program, r, options)
    if len(happenings) < 4:
        return
    record = left_out(program, r, options, len(happenings))
    whole, partly = Told(), Told()
    judge = Judge(program, options)
    for number, happening in enumerate(happenings):
        whole.add(number, judge, judge.step(happening))
    judge = Judge(program, {n: v for n, v in options.items() if n not in record.options}, record.recording)
    ends = {life.name: life.ends for life in program.ruleset.lives.values()}
    for number in order(happenings, record, r):
        happening = happenings[number]
        if number < record.begins:
            continue
        if happening.event not in record.recording.absent:
            seen = Happening(happening.event, happening.actor, record.values(happening))
            partly.add(number, judge, judge.step(seen))
            continue
        for life, events in ends.items():
            if happening.event in events:
                partly.add(number, judge, judge.end_life(life))
    told = f"{record} {[(i, h.event, h.actor, h.values) for i, h in enumerate(happenings)]}"
    for number, found in partly.faults.items():
        for fault in found:
            for rule in fault.rules or ("",):
                loose = happenings[number].event in record.recording.unordered
                if not _stands(whole, number, rule, fault, loose):
                    yield f"{number}: {fault} is not so of the whole: {whole.faults.get(number)}\n{told}"
    kept = {rule for counts in partly.counts.values() for rule, count in counts.items() if count["kept"]}
    said = (*FAULTS, "not_checkable")
    first = {happenings[number].actor: number for number in sorted(partly.counts, reverse=True)}
    for number, found in whole.faults.items():
        event = happenings[number].event
        if number not in partly.counts or event in record.recording.absent | record.recording.unordered:
            continue
        for fault in found:
            # What of a duty nobody looks at is not said to be kept either; a clash may be told of either rule.
            near = [number] if fault.kind in AT_ONCE else list(range(number + 1))
            silent = not any(partly.is_(n, rule, *said) for n in near for rule in fault.rules)
            matters = fault.rules and (fault.kind in AT_ONCE or kept & set(fault.rules))
            # Of what was due right after an event before the log it does not tell.
            begun = record.begins and number == first[happenings[number].actor]
            matters = matters and not (begun and fault.kind == "skipped")
            if (
                silent
                and matters
                and not any(f.verdict == "impossible" for f in partly.faults.get(number, ()))
            ):
                yield f"{number}: {fault} is passed over: {partly.counts[number]}\n{told}"


def _stands(whole: Told, number: int, rule: str, fault: Judgement, loose: bool) -> bool:
    """Whether what is found of a rule is so of the whole record too; of an event that has no order, any fault is."""
    near = [number] if fault.kind in AT_ONCE else sorted(whole.faults)
    for other in near:
        for real in whole.faults.get(other, ()):
            same = real.verdict == fault.verdict
            # That a duty was not done is so, though the law forbade it: what the log does not tell excuses nobody.
            # And it is charged once, perhaps at another event than of the whole, when it was forbidden or not yet.
            if fault.kind in ("skipped", "late"):
                same = same or {real.verdict, fault.verdict} <= {"broken", "disputed"}
            # Of a gap it is told who may fill it: that those do not under any of an option's values it does not tell.
            if loose or (same and (rule in real.rules or not rule or fault.verdict == "undecided")):
                return True
    return False
