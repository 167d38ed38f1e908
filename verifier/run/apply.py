"""Mechanics: what an event does to the state. All updates read the state before and are made together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from verifier.model import types as ty
from verifier.model.ruleset import Append, Each, Event, FieldTarget, New, StateTarget, Update, Write
from verifier.model.terms import Field, Get, Term, children
from verifier.model.values import Partial
from verifier.run.evaluate import unknown
from verifier.run.machine import Machine
from verifier.run.operators import Frame
from verifier.run.state import EXISTS, State
from verifier.run.undefined import Undefined

Place = tuple[Any, ...]

Writes = dict[Place, object]
"""What is written: (name,) or (name, key) of the state, (entity, ref, field) of an entity, to the new value."""


class CannotApply(Exception):  # noqa: N818 - a result of applying, no error of ours
    """The event cannot have happened in this state; the message says why."""


@dataclass(frozen=True, slots=True)
class Mechanics:
    """One kind of event, made runnable."""

    event: Event
    needs: tuple[Callable[[Frame], Any], ...]
    updates: tuple[Callable[[Frame, Writes, set[tuple[str, Any]]], None], ...]
    size: int
    loose: frozenset[str] = frozenset()


def compile_mechanics(machine: Machine, name: str) -> Mechanics:
    """The mechanics of the event called `name`, over the frame of its parameters."""
    event = machine.ruleset.events[name]
    names = [p.name for p in event.params]
    updates = machine.ruleset.mechanics.get(name, ())
    needs = tuple(machine.closure(need, names) for need in event.needs)
    if name not in machine.unrecorded.unordered:
        machine.trusting = frozenset(written for update in updates for written in written_by(update))
    compiled = tuple(_compile(machine, update, names) for update in updates)
    machine.trusting = frozenset()
    return Mechanics(
        event,
        needs,
        compiled,
        len(names),
        _loose(machine, event),
    )


def _loose(machine: Machine, event: Event) -> frozenset[str]:
    """The fields whose value after an unordered event depends on its place: those it does not need to be otherwise.

    A payment that needs an open wager came after whatever opened it.
    """
    if event.name not in machine.unrecorded.unordered:
        return frozenset()
    written = {
        name for update in machine.ruleset.mechanics.get(event.name, ()) for name in written_by(update)
    }
    return frozenset(name for name in written if not any(_reads(need, name) for need in event.needs))


def _reads(term: Term, name: str) -> bool:
    match term:
        case Field(entity=entity, name=field) if f"{entity}.{field}" == name:
            return True
        case Get(name=field) if field == name:
            return True
        case _:
            return any(_reads(child, name) for child in children(term))


def apply(machine: Machine, mechanics: Mechanics, values: tuple[object, ...]) -> State:
    """The state after the event; `machine.state` is the one before and is left as it is.

    Raises `CannotApply` where the event's needs are not met, two updates disagree, or a list overflows.
    """
    frame = list(values)
    for need in mechanics.needs:
        try:
            met = need(frame)
        except Undefined:
            continue
        if not met:
            raise CannotApply("what it needs is not there")
    writes: Writes = {}
    created: set[tuple[str, Any]] = set()
    for update in mechanics.updates:
        update(frame, writes, created)
    for place, value in writes.items() if mechanics.loose else ():
        name = f"{place[0]}.{place[2]}" if len(place) == 3 else place[0]
        before = _read(machine.state, place, _NEVER)
        if len(place) == 1 and before == machine.ruleset.state[name].initial:
            continue
        if name in mechanics.loose and before is not _NEVER and before != value:
            writes[place] = Partial(f"the order of {mechanics.event.name}")
    return _written(machine.state, writes, created)


def _written(before: State, writes: Writes, created: set[tuple[str, Any]]) -> State:
    after = before.changed()
    fresh: set[str] = set()
    for entity, ref in created:
        table = after.entities[entity]
        if EXISTS not in table.get(ref, {}):
            _own_entity(after, entity, fresh)
            after.entities[entity][ref] = {**table.get(ref, {}), EXISTS: True}
    for place, value in writes.items():
        match place:
            case (name,):
                after.fields[name] = value
            case (name, key):
                if name not in fresh:
                    after.fields[name] = dict(after.fields[name])
                    fresh.add(name)
                after.fields[name][key] = value
            case (entity, ref, field):
                _own_entity(after, entity, fresh)
                table = after.entities[entity]
                table[ref] = {**table.get(ref, {}), field: value}
            case _:
                raise AssertionError(place)
    return after


def _own_entity(state: State, entity: str, fresh: set[str]) -> None:
    if f"entity {entity}" not in fresh:
        state.entities[entity] = dict(state.entities[entity])
        fresh.add(f"entity {entity}")


def _compile(
    machine: Machine, update: Update, names: list[str]
) -> Callable[[Frame, Writes, set[tuple[str, Any]]], None]:
    match update:
        case Write(target=target, value=value, when=when):
            return _compile_write(machine, target, value, when, names, False)
        case Append(target=target, value=value, when=when):
            return _compile_write(machine, target, value, when, names, True)
        case New(entity=entity, of=of, when=when):
            ref = machine.closure(of, names)
            guard = None if when is None else machine.closure(when, names)

            def create(frame: Frame, writes: Writes, created: set[tuple[str, Any]]) -> None:
                holds = True if guard is None else _holds(guard, frame)
                if holds is False:
                    return
                try:
                    if isinstance(holds, Undefined):
                        raise holds
                    created.add((entity, ref(frame)))
                except Undefined as undefined:
                    machine.lose(f"new {entity}", undefined)

            return create
        case Each():
            return _compile_each(machine, update, names)


def written_by(update: Update) -> Iterator[str]:
    """What an update writes to: `field`, `Entity.field`, or `new Entity`."""
    match update:
        case Write(target=target) | Append(target=target):
            yield f"{target.entity}.{target.name}" if isinstance(target, FieldTarget) else target.name
        case Each(update=inner):
            yield from written_by(inner)
        case New(entity=entity):
            yield f"new {entity}"


def _most(machine: Machine, target: StateTarget | FieldTarget) -> int | None:
    """How many elements what is written to holds at most; None where it is no list."""
    match target:
        case StateTarget(name=name):
            found = machine.ruleset.state[name].type
        case FieldTarget(entity=entity, name=name):
            found = next(f.type for f in machine.ruleset.entities[entity].fields if f.name == name)
    return found.maximum if isinstance(found, ty.ListT) else None


def _holds(guard: Callable[[Frame], Any], frame: Frame) -> bool | Undefined:
    """Whether a guard holds; the `Undefined` itself where nobody can tell."""
    try:
        return bool(guard(frame))
    except Undefined as undefined:
        return undefined


def _compile_write(
    machine: Machine,
    target: StateTarget | FieldTarget,
    value: Any,
    when: Any,
    names: list[str],
    gains: bool,
) -> Callable[[Frame, Writes, set[tuple[str, Any]]], None]:
    new = machine.closure(value, names)
    most = _most(machine, target)
    guard = None if when is None else machine.closure(when, names)
    written = f"{target.entity}.{target.name}" if isinstance(target, FieldTarget) else target.name
    place: Callable[[Frame], Place]
    match target:
        case StateTarget(name=name, key=None):

            def place(frame: Frame) -> Place:
                return (name,)
        case StateTarget(name=name, key=key) if key is not None:
            where = machine.closure(key, names)

            def place(frame: Frame) -> Place:
                return (name, where(frame))
        case FieldTarget(entity=entity, name=field, of=of):
            which = machine.closure(of, names)

            def place(frame: Frame) -> Place:
                return (entity, which(frame), field)
        case _:
            raise AssertionError(target)

    def write(frame: Frame, writes: Writes, created: set[tuple[str, Any]]) -> None:
        holds = True if guard is None else _holds(guard, frame)
        if holds is False:
            return
        try:
            where = place(frame)
        except Undefined as undefined:
            machine.lose(written, undefined)
            return
        try:
            if isinstance(holds, Undefined):
                raise holds
            found = new(frame)
        except Undefined as undefined:
            # What is undefined and no log could tell is no value, and nothing is written.
            with suppress(Undefined):
                writes[where] = unknown(undefined)
            return
        if gains:
            assert most is not None
            old: Any = writes.get(where, _read(machine.state, where, machine.before.get(written, ())))
            if type(old) is Partial:
                return
            told = machine.unrecorded
            known = not (written in told.fields or written in told.late or written in machine.lost)
            if known and len(old) >= most:
                raise CannotApply(f"a list holds {most} at most")
            writes[where] = (*old, found)
            return
        if type(writes.get(where)) is Partial:
            return
        if most is not None and type(found) is tuple and len(found) > most:
            raise CannotApply(f"a list holds {most} at most")
        if where in writes and writes[where] != found:
            raise CannotApply(f"two things would be written to {where[0]} at once")
        writes[where] = found

    return write


_NEVER = object()


def _read(state: State, place: Place, absent: object) -> object:
    match place:
        case (name,):
            return state.fields[name]
        case (name, key):
            return state.fields[name].get(key, absent)
        case (entity, ref, field):
            return state.entities[entity].get(ref, {}).get(field, absent)
        case _:
            return absent


def _compile_each(
    machine: Machine, update: Each, names: list[str]
) -> Callable[[Frame, Writes, set[tuple[str, Any]]], None]:
    elements = machine.elements(update.domain, update.var, update.where, names)
    inner = _compile(machine, update.update, [*names, update.var])
    touched = tuple(written_by(update))

    def run(frame: Frame, writes: Writes, created: set[tuple[str, Any]]) -> None:
        try:
            found = elements(frame)
        except Undefined as undefined:
            for name in touched:
                machine.lose(name, undefined)
            return
        for value in found:
            inner([*frame, value], writes, created)

    return run
