"""What a log can tell: kinds of event that it does not record, and what follows for state and history."""

from __future__ import annotations

from dataclasses import dataclass

from verifier.core.program import Program
from verifier.model.ruleset import Each, Write
from verifier.model.terms import Lit
from verifier.run.apply import written_by
from verifier.run.machine import Unrecorded


@dataclass(frozen=True, slots=True)
class Recording:
    """Kinds of event a log does not record, kinds whose order it does not, and lives begun before it."""

    absent: frozenset[str] = frozenset()
    unordered: frozenset[str] = frozenset()
    begun: frozenset[str] = frozenset()


def unrecorded(program: Program, recording: Recording) -> Unrecorded:
    """What follows for fields and history from the kinds of event that a log lacks or does not order."""

    fields: dict[str, list[str]] = {}
    late: set[str] = set()
    for event, updates in program.ruleset.mechanics.items():
        for update in updates:
            for name in written_by(update):
                if event in recording.absent:
                    fields.setdefault(name, []).append(event)
                elif event in recording.unordered:
                    late.add(name)
    for name in sorted(late):
        if not _order_is_nothing(program, recording, name):
            late.discard(name)
            fields.setdefault(name, []).append("the order of what writes to it")
    latches: dict[int, str] = {}
    late_latches: set[int] = set()
    for index, latch in enumerate(program.ruleset.latches):
        lacking = [e for e in (latch.event, latch.reset) if e in recording.absent]
        if lacking and lacking[0]:
            latches[index] = lacking[0]
        elif latch.event in recording.unordered or latch.reset in recording.unordered:
            late_latches.add(index)
    return Unrecorded(
        {name: tuple(events) for name, events in fields.items()},
        latches,
        frozenset(late),
        frozenset(late_latches),
        recording.unordered,
    )


def _order_is_nothing(program: Program, recording: Recording, name: str) -> bool:
    """Whether the unordered events that write to a field all write one constant, so that which came last is nothing.

    That they came after what other events wrote there is taken from where the log has them.
    """
    found: set[object] = set()
    for event in recording.unordered:
        for update in program.ruleset.mechanics.get(event, ()):
            if name not in written_by(update):
                continue
            inner = update
            while isinstance(inner, Each):
                inner = inner.update
            match inner:
                case Write(value=Lit(value=value)):
                    found.add(value)
                case _:
                    return False
    return len(found) <= 1


def never_judged(program: Program, recording: Recording) -> frozenset[int]:
    """The breach latches of rules whose acts the log lacks or does not order: nobody can say that they were kept."""
    loose = recording.absent | recording.unordered
    rules: set[str] = set()
    for event in loose:
        rules |= {norm.rule for norm in program.prohibitions.get(event, ())}
        rules |= {norm.rule for norm in program.permissions.get(event, ())}
    rules |= {
        duty.rule
        for duty in program.duties
        if loose & {act.event for act in (*duty.acts, *duty.deadline_acts)}
    }
    return frozenset(i for i, broken in enumerate(program.breach_rules) if rules & set(broken))


def unknown_before(program: Program, begun: frozenset[str]) -> tuple[dict[str, str], dict[int, str]]:
    """The fields (`field`, `Entity.field`, `new Entity`) and latches of lives begun before the log, with the life.

    A latch that only an event resets has no life of its own: it is unknown while any of them is.
    """
    ruleset = program.ruleset
    fields = {name: field.life for name, field in ruleset.state.items() if field.life in begun}
    for name, entity in ruleset.entities.items():
        if entity.life in begun:
            fields[f"new {name}"] = entity.life
            fields |= {f"{name}.{field.name}": entity.life for field in entity.fields}
    latches: dict[int, str] = {}
    for index, latch in enumerate(ruleset.latches):
        if latch.life in begun:
            latches[index] = latch.life or ""
        elif latch.life is None and begun:
            latches[index] = f"the last {latch.reset}"
    return fields, latches
