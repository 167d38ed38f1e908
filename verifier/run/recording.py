"""What a log can tell: kinds of event that it does not record, and what follows for state and history."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from verifier.core.program import Program
from verifier.model.ruleset import Append, Each, FieldTarget, New, Update, Write
from verifier.run.machine import Unrecorded


@dataclass(frozen=True, slots=True)
class Recording:
    """Kinds of event a log does not record, kinds whose order it does not, and lives begun before it."""

    absent: frozenset[str] = frozenset()
    unordered: frozenset[str] = frozenset()
    begun: frozenset[str] = frozenset()


def unrecorded(program: Program, recording: Recording) -> Unrecorded:
    """What follows for fields and history from the kinds of event that a log lacks or does not order."""

    def targets(update: Update) -> Iterator[str]:
        match update:
            case Write(target=target) | Append(target=target):
                yield f"{target.entity}.{target.name}" if isinstance(target, FieldTarget) else target.name
            case Each(update=inner):
                yield from targets(inner)
            case New(entity=entity):
                yield f"new {entity}"

    fields: dict[str, list[str]] = {}
    late: set[str] = set()
    for event, updates in program.ruleset.mechanics.items():
        for update in updates:
            for name in targets(update):
                if event in recording.absent:
                    fields.setdefault(name, []).append(event)
                elif event in recording.unordered:
                    late.add(name)
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
    )


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
