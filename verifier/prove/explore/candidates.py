"""Which events are worth trying at a table: those that do what is due, and those that nothing forbids."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from random import Random
from typing import Any

from verifier.core.program import Program
from verifier.model import types as ty
from verifier.model.types import Type
from verifier.prove.explore.domains import Listed, endless, ends, fits, next_new, references
from verifier.prove.explore.snapshot import Runner, Snapshot
from verifier.prove.explore.ways import Frame, Kind, Slot, Way, Ways, holds
from verifier.prove.scope import Scope
from verifier.run.bench import Happening
from verifier.run.duties import Compiled, Instance
from verifier.run.operators import Closure
from verifier.run.undefined import Undefined

MOST_TRIED = 160
"""So many values are tried for the arguments of one kind of event before another kind is."""

MOST_AMOUNTS = 16
"""So many amounts are tried for one argument."""

MOST_FAILED = 16
"""So many arguments are looked at that pass some duty by, or that no rule permits."""

EXISTING = 0.9
"""So often what exists is tried before what does not."""

Pending = tuple[Compiled, Instance]


class Candidates:
    """The events that may be tried, for a runner's program within a scope.

    `most_tried` values are tried for the arguments of one kind of event before another kind is, and `most_failed`
    arguments looked at that pass some duty by, or that no rule permits.
    """

    def __init__(
        self, runner: Runner, scope: Scope, most_tried: int = MOST_TRIED, most_failed: int = MOST_FAILED
    ) -> None:
        self.runner = runner
        self.most_tried = most_tried
        self.most_failed = most_failed
        self.program: Program = runner.program
        self.scope = scope
        self.machine = runner.machine
        self.duties = runner.judge.duties
        ways = Ways(self.program, self.machine)
        self.kinds = {name: ways.kind(event) for name, event in self.program.ruleset.events.items()}
        self.listed = Listed(self.machine, scope)

    # ------------------------------------------------------------------------------------------ at a table
    def at(
        self,
        snapshot: Snapshot,
        options: Mapping[str, object],
        rng: Random,
        favoured: Mapping[Type, set[object]] | None = None,
    ) -> Prospect:
        """What may be done at the table now. Once the runner has stepped, `Prospect.resume` goes back to it.

        Of records those are tried sooner, half of the time, that have one of the `favoured` values.
        """
        prospect = Prospect(self, snapshot, options, rng, favoured or {})
        prospect.resume()
        return prospect


@dataclass(slots=True)
class _Budget:
    left: int


@dataclass(slots=True)
class Prospect:
    """The events that may follow one state."""

    all: Candidates
    snapshot: Snapshot
    options: Mapping[str, object]
    rng: Random
    favoured: Mapping[Type, set[object]]
    _memo: dict[tuple[object, ...], object] = field(default_factory=dict)
    _pending: list[Pending] | None = None
    _domains: dict[Type, list[Any]] = field(default_factory=dict)

    def resume(self) -> None:
        """Make the machine read this state again; what it has found out there is kept."""
        self.all.runner.take_up(self.snapshot, self.options)
        self.all.machine.enter(self.snapshot.state)
        self.all.machine.memo = self._memo

    @property
    def pending(self) -> list[Pending]:
        """The duties that are pending, of whatever deadline; `immediately after` once its event has happened."""
        if self._pending is None:
            duties = self.all.duties
            self._pending = [
                (compiled, instance)
                for compiled in duties.duties
                if compiled.duty.kind != "immediately after"
                for instance, sure in duties.instances(compiled)
                if sure is True
            ]
            self._pending += list(duties.bits.values())
        return self._pending

    def applied(self) -> Iterator[str]:
        """The functions found true of something in this state."""
        for key, value in self._memo.items():
            if value is True and isinstance(key[0], str):
                yield key[0]

    # ------------------------------------------------------------------------------------------- events
    def of_kind(self, kind: Kind, lawful: bool) -> Iterator[Happening]:
        """Events of one kind, in an order drawn: such as break nothing as far as one can tell, or any."""
        ways = list(kind.ways)
        if len(ways) > 1:
            ways[:] = self.rng.sample(ways, len(ways))
        if lawful and self._barred(kind):
            return
        for way in ways if lawful else ways[:1]:
            if lawful and not self._free(kind, way):
                continue
            failed = 0
            for values in self.filled(way, {}, lawful):
                happening = Happening(kind.event.name, way.actor, values)
                if not lawful or self._passes(kind, way, happening):
                    yield happening
                else:
                    failed += 1
                    if failed == self.all.most_failed:
                        break

    def _barred(self, kind: Kind) -> bool:
        """Whether something is due that no event of the kind may come before."""
        return any(
            c.duty.unit in kind.barred or (c.duty.kind == "by end of" and c.duty.life in kind.ends)
            for c, _ in self.pending
            if kind.event.name not in c.acts
        )

    def _free(self, kind: Kind, way: Way) -> bool:
        """Whether the actor has nothing to do at once that such an event cannot be."""
        if kind.event.observed:
            return True
        now = [
            c
            for c, _ in self.pending
            if c.duty.kind in ("at once", "immediately after")
            and way.actor in c.duty.roles
            and self.all.program.waits_for(kind.event.name, c.duty)
        ]
        return not now or any(kind.event.name in c.acts for c in now)

    def due(self, pending: Pending) -> Iterator[Happening]:
        """Events that perform a pending duty and break nothing, as far as a quick look tells."""
        compiled, instance = pending
        acts = [(name, required) for name, every in compiled.acts.items() for _, required in every]
        acts[:] = self.rng.sample(acts, len(acts))
        for name, required in acts:
            kind = self.all.kinds[name]
            if self._barred(kind):
                continue
            fixed: dict[int, Any] = {}
            for i, closure in enumerate(required):
                if closure is not None:
                    try:
                        fixed[i] = closure(list(instance))
                    except Undefined:
                        continue
            for way in kind.ways:
                if way.actor not in compiled.duty.roles:
                    continue
                for values in self.filled(way, fixed, True):
                    happening = Happening(name, way.actor, values)
                    if self.all.duties.performs(compiled, instance, happening) and self._passes(
                        kind, way, happening
                    ):
                        yield happening

    def in_the_way(self, kind: Kind) -> list[Pending]:
        """The pending duties that must be done before some event of the kind may happen."""
        waiting = [
            (compiled, instance)
            for compiled, instance in self.pending
            if (compiled.duty.kind == "before" and kind.event.name in compiled.deadlines)
            or (compiled.duty.kind == "by end of" and compiled.duty.life in kind.ends)
        ]
        if not waiting:
            return []
        arguments: list[tuple[Any, ...]] = []
        for values in self.filled(kind.ways[0], {}, False):
            arguments.append(values)
            if len(arguments) == 4:
                break
        found: list[Pending] = []
        for compiled, instance in waiting:
            if compiled.duty.kind == "by end of" or any(
                holds(deadline, [*values, *instance])
                for deadline in compiled.deadlines[kind.event.name]
                for values in arguments
            ):
                found.append((compiled, instance))
        return found

    def openings(self) -> set[tuple[object, ...]]:
        """The kinds of event that seem to be lawful here, told apart by their actors, enumerations and yes or no."""
        found: set[tuple[object, ...]] = set()
        for kind in self.all.kinds.values():
            plain = [i for i, p in enumerate(kind.event.params) if isinstance(p.type, ty.EnumT | ty.BoolT)]
            for happening in self.of_kind(kind, lawful=True):
                found.add((happening.event, happening.actor, *(happening.values[i] for i in plain)))
        return found

    # --------------------------------------------------------------------------------------- arguments
    def filled(self, way: Way, fixed: Mapping[int, Any], lawful: bool) -> Iterator[tuple[Any, ...]]:
        """Arguments for an event, those `fixed` (by position) as they are, the others in an order drawn.

        The event is possible with them; where they are to be `lawful`, no prohibition and no claim stands against it.
        """
        frame: Frame = [None] * len(way.slots)
        if lawful and not all(test(frame) for test in way.first):
            return
        yield from self._fill(way, fixed, lawful, frame, 0, _Budget(self.all.most_tried))

    def _fill(
        self, way: Way, fixed: Mapping[int, Any], lawful: bool, frame: Frame, depth: int, budget: _Budget
    ) -> Iterator[tuple[Any, ...]]:
        if depth == len(way.slots):
            yield tuple(frame)
            return
        slot = way.slots[depth]
        tests = list(slot.possible)
        if lawful:
            tests += [begun() for begun in slot.lawful]
        values: Sequence[Any]
        if slot.index in fixed:
            values, rest = (fixed[slot.index],), 0
        else:
            values, rest = self._tries(slot, frame, lawful)
        for value in values:
            budget.left -= 1
            if budget.left < 0:
                return
            frame[slot.index] = value
            for test in tests:
                if not test(frame):
                    break
            else:
                yield from self._fill(way, fixed, lawful, frame, depth + 1, budget)
        budget.left -= rest

    def _tries(self, slot: Slot, frame: Frame, lawful: bool) -> tuple[Sequence[Any], int]:
        """The values to try in turn, and how many come after them of which none is possible."""
        if slot.solved and lawful:
            found = [v for v in _known(slot.solved, frame) if fits(slot.type, v, self.all.machine, False)]
            return list(dict.fromkeys(found)), 0
        if not ends(slot.type):
            points, units = tuple(_known(slot.points, frame)), tuple(_known(slot.units, frame))
            if isinstance(slot.type, ty.MoneyT | ty.IntT | ty.OddsT):
                found = self.all.listed.amounts(points, units, slot.type)[:MOST_AMOUNTS]
            else:
                found = endless(slot.type, points, units, self.values)
            return self.rng.sample(found, len(found)), 0
        values = self.values(slot.type)
        if len(values) < 2:
            return values, 0
        if isinstance(slot.type, ty.EntityT):
            return self._entities(slot, slot.type, values, frame)
        order = self.rng.sample(values, len(values))
        if isinstance(slot.type, ty.RecordT) and self.favoured and self.rng.random() < 0.5:
            liked = [self.favoured.get(part, ()) for _, part in slot.type.fields]
            order.sort(key=lambda v: not any(p in some for p, some in zip(v, liked, strict=True)))
        return order, 0

    def _entities(
        self, slot: Slot, type_: ty.EntityT, values: list[Any], frame: Frame
    ) -> tuple[Sequence[Any], int]:
        """As `_tries`, of references: those to what exists stand first in `values`, and mostly are tried first."""
        machine = self.all.machine
        places = self.rng.sample(range(len(values)), len(values))
        if self.rng.random() >= EXISTING:
            return [values[i] for i in places], 0
        table = machine.state.entities[type_.name]
        there = len(machine.refs(type_.name))
        found = [values[i] for i in places if i < there]
        if there < len(values) and slot.bare is not None and len(table) == there and machine.tells_all():
            # Nothing has been written to the others, so that one tells for all.
            frame[slot.index] = values[there]
            if not slot.bare(frame):
                return found, len(values) - there
        return found + [values[i] for i in places if i >= there], 0

    def values(self, type_: Type) -> list[Any]:
        """The values that an argument of the type may have: ids also the next new one."""
        found = self._domains.get(type_)
        if found is None:
            found = self._domains[type_] = self._values(type_)
        return found

    def _values(self, type_: Type) -> list[Any]:
        scope = self.all.scope
        if str(type_) in scope.narrowed:
            return list(scope.narrowed[str(type_)])
        match type_:
            case ty.IdT(name=name):
                known = list(self.snapshot.state.ids[name])
                fresh = next_new(name, self.all.machine, scope)
                return [*known, *(() if fresh is None else (fresh,))]
            case ty.OptT(of=of):
                return [None, *self.values(of)]
            case ty.RecordT(fields=parts):
                return list(product(*(self.values(part) for _, part in parts)))
            case ty.EntityT():
                return self.all.listed.references(type_)
            case _:
                return references(type_, self.all.machine, scope)

    # ------------------------------------------------------------------------------------------- duties
    def _passes(self, kind: Kind, way: Way, happening: Happening) -> bool:
        """Whether the event passes no duty by and is permitted, as far as a quick look tells."""
        duties = self.all.duties
        actor, values = happening.actor, happening.values
        if not kind.event.observed:
            now = [
                (c, i)
                for c, i in self.pending
                if c.duty.kind in ("at once", "immediately after") and actor in c.duty.roles
            ]
            if now and not any(duties.performs(c, i, happening) for c, i in now):
                return False
            if not self._permitted(way, happening):
                return False
        for compiled, instance in self.pending:
            match compiled.duty.kind:
                case "before":
                    for deadline in compiled.deadlines.get(kind.event.name, ()):
                        if holds(deadline, [*values, *instance]):
                            return False
                case "by end of" if compiled.duty.life in kind.ends:
                    if not duties.performs(compiled, instance, happening):
                        return False
                case _:
                    continue
        return True

    def _permitted(self, way: Way, happening: Happening) -> bool:
        governed = happening.event in self.all.program.permissions
        if not governed:
            return True
        frame = list(happening.values)
        for norm, head in way.permissions:
            if holds(head, frame):
                try:
                    if self.all.machine.function(norm.applies, happening.values):
                        return True
                except Undefined:
                    continue
        if any(
            self.all.duties.performs(c, i, happening)
            for c, i in self.pending
            if happening.actor in c.duty.roles and happening.event in c.acts
        ):
            return True
        heads = [head for other in self.all.kinds[happening.event].ways for _, head in other.permissions]
        return not any(holds(head, frame) for head in heads)


def _known(closures: Sequence[Closure], frame: Frame) -> Iterator[Any]:
    for closure in closures:
        try:
            yield closure(frame)
        except Undefined:
            continue
