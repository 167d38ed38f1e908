"""One judge that plays many tables: everything that it knows of a table can be put aside and taken up again."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from verifier.core.program import Program
from verifier.model import types as ty
from verifier.model.ruleset import Ruleset
from verifier.model.types import Type
from verifier.prove.explore.statable import statable
from verifier.run.bench import MAX_PAST, Happening
from verifier.run.duties import Compiled, Instance
from verifier.run.judge import Judge
from verifier.run.machine import Machine
from verifier.run.state import EXISTS, State, first_state
from verifier.run.undefined import Reason
from verifier.run.verdict import Judgement, Tally

Duties = Mapping[tuple[str, Instance], tuple[Compiled, Instance]]

NOTHING: frozenset[Hashable] = frozenset()

BREACHES = ("broken", "disputed", "undecided")
"""The verdicts that keep a play from being lawful."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All that a judge knows of a table between two events. None of it is ever written to."""

    state: State
    past: tuple[State, ...] = ()
    charged: Duties = field(default_factory=dict)
    bits: Duties = field(default_factory=dict)
    doubts: Mapping[int, frozenset[Reason]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Stepped:
    """What one event led to. `given` are the units that gave a value, `tallies` the verdicts by rule."""

    snapshot: Snapshot
    judgements: tuple[Judgement, ...]
    given: tuple[str, ...]
    tallies: Mapping[str, Tally]

    @property
    def breaches(self) -> tuple[str, ...]:
        """The rules broken, disputed or undecided, each once; an act that no rule speaks of by its kind."""
        return tuple(
            dict.fromkeys(
                rule
                for judgement in self.judgements
                if judgement.verdict in BREACHES
                for rule in (judgement.rules or (judgement.kind,))
            )
        )


class Runner:
    """A judge of `program` that goes from one table to another; `taken` counts the events that it has judged."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.judge = Judge(program, {})
        self.taken = 0
        self._naming = {
            event.name: tuple(i for i, p in enumerate(event.params) if _has_id(p.type))
            for event in program.ruleset.events.values()
        }
        self._statable = {
            event.name: tuple(
                (i, test) for i, p in enumerate(event.params) if (test := statable(p.type)) is not None
            )
            for event in program.ruleset.events.values()
        }

    @property
    def machine(self) -> Machine:
        """The machine that the judge reads states with."""
        return self.judge.machine

    @cached_property
    def empty(self) -> Snapshot:
        """A table at which nothing has happened."""
        return Snapshot(first_state(self.program.ruleset))

    def take_up(self, snapshot: Snapshot, options: Mapping[str, object]) -> None:
        """Make the judge go on from `snapshot` under `options`, all of which are stated."""
        bench, duties = self.judge.bench, self.judge.duties
        bench.sit()
        bench.machine.options = options if isinstance(options, dict) else dict(options)
        bench.state = bench.before = snapshot.state
        bench.past = deque(snapshot.past, maxlen=MAX_PAST)
        duties.charged, duties.bits, duties.unsure = dict(snapshot.charged), dict(snapshot.bits), {}
        bench.own.doubts.clear()
        bench.own.doubts.update(snapshot.doubts)

    def put_aside(self) -> Snapshot:
        """What the judge knows now."""
        bench, duties = self.judge.bench, self.judge.duties
        return Snapshot(
            bench.state, tuple(bench.past), dict(duties.charged), dict(duties.bits), dict(bench.own.doubts)
        )

    def step(self, snapshot: Snapshot, options: Mapping[str, object], happening: Happening) -> Stepped | None:
        """The event judged and replayed after `snapshot`, which stays as it is; None where it cannot have happened.

        Nor can what no log states: an amount below 0, a number outside its range.
        """
        for index, test in self._statable[happening.event]:
            if not test(happening.values[index]):
                return None
        self.take_up(self.named(snapshot, happening), options)
        bench = self.judge.bench
        bench.tallies, bench.why_not = {}, {}
        bench.own.given.clear()
        self.taken += 1
        found = self.judge.step(happening)
        if any(judgement.verdict == "impossible" for judgement in found):
            return None
        return Stepped(self.put_aside(), tuple(found), tuple(bench.own.given), bench.tallies)

    def after(self, options: Mapping[str, object], happenings: Iterable[Happening]) -> Snapshot | None:
        """The table after these events, from an empty one on; None where one of them cannot have happened."""
        snapshot = self.empty
        for happening in happenings:
            stepped = self.step(snapshot, options, happening)
            if stepped is None:
                return None
            snapshot = stepped.snapshot
        return snapshot

    def named(self, snapshot: Snapshot, happening: Happening) -> Snapshot:
        """The snapshot with an order of names of its own, where the event brings a new name.

        States of one table share the order in which names were first seen, and judging an event adds to it.
        """
        params = self.program.ruleset.events[happening.event].params
        seen = snapshot.state.ids
        new = any(
            name not in seen[kind]
            for i in self._naming[happening.event]
            for kind, name in ids_in(params[i].type, happening.values[i])
        )
        if not new:
            return snapshot
        own = {kind: dict(names) for kind, names in seen.items()}
        return replace(
            snapshot,
            state=replace(snapshot.state, ids=own),
            past=tuple(replace(state, ids=own) for state in snapshot.past),
        )


def _has_id(type_: Type) -> bool:
    match type_:
        case ty.IdT():
            return True
        case ty.EntityT(keys=parts) | ty.RecordT(fields=parts):
            return any(_has_id(part) for _, part in parts)
        case ty.OptT(of=of):
            return _has_id(of)
        case _:
            return False


def ids_in(type_: Type, value: Any) -> Iterator[tuple[str, str]]:
    """The ids in a value, each with the name of its type."""
    match type_:
        case ty.IdT(name=kind):
            if value is not None:
                yield kind, value
        case ty.EntityT(keys=parts) | ty.RecordT(fields=parts):
            for (_, part), inner in zip(parts, value, strict=True):
                yield from ids_in(part, inner)
        case ty.OptT(of=of):
            if value is not None:
                yield from ids_in(of, value)
        case _:
            return


def state_key(state: State, ruleset: Ruleset) -> Hashable:
    """The same for two states where nothing tells them apart: a place never written to holds its first value."""
    fields: list[Hashable] = []
    for name, declared in ruleset.state.items():
        value = state.fields[name]
        if isinstance(value, dict):
            initial = declared.initial
            fields.append(frozenset([(k, v) for k, v in value.items() if v != initial]))
        else:
            fields.append(value)
    entities: list[Hashable] = []
    for kind, entity in ruleset.entities.items():
        table = state.entities[kind]
        if not table:
            entities.append(NOTHING)
            continue
        first = {part.name: part.initial for part in entity.fields}
        first[EXISTS] = None
        told = [
            (ref, frozenset([(k, v) for k, v in written.items() if v != first[k]]))
            for ref, written in table.items()
        ]
        entities.append(frozenset([one for one in told if one[1]]))
    return (
        tuple(fields),
        tuple(entities),
        tuple([frozenset([(k, n) for k, n in counts.items() if n]) for counts in state.counts]),
        tuple(state.broken),
        tuple([(kind, tuple(names)) for kind, names in state.ids.items()]),
    )


def snapshot_key(snapshot: Snapshot, ruleset: Ruleset) -> Hashable:
    """As `state_key`, with what else decides how the next events are judged, but for the states gone by."""
    return (
        state_key(snapshot.state, ruleset),
        frozenset((key, instance) for key, (_, instance) in snapshot.charged.items()),
        frozenset((key, instance) for key, (_, instance) in snapshot.bits.items()),
        frozenset(snapshot.doubts.items()),
    )
