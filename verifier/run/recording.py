"""What a log can tell: kinds of event that it does not record, and what follows for state and history."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from verifier.core.program import Program
from verifier.model import types as ty
from verifier.model.ruleset import Each, Write
from verifier.model.terms import CallF, Decide, Lit, Term, children
from verifier.run.apply import written_by
from verifier.run.machine import Unrecorded


@dataclass(frozen=True, slots=True)
class Recording:
    """Kinds of event a log does not record, kinds whose order it does not, lives begun before it, and lives of which
    neither a key nor every end is recorded."""

    absent: frozenset[str] = frozenset()
    unordered: frozenset[str] = frozenset()
    begun: frozenset[str] = frozenset()
    endless: frozenset[str] = frozenset()


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
    for name, life in _of_lives(program, recording.endless):
        fields.setdefault(name, []).append(f"the end of the {life}")
    latches: dict[int, str] = {}
    late_latches: set[int] = set()
    for index, latch in enumerate(program.ruleset.latches):
        lacking = [e for e in (latch.event, latch.reset) if e in recording.absent]
        if lacking and lacking[0]:
            latches[index] = lacking[0]
        elif latch.life in recording.endless:
            latches[index] = f"the end of the {latch.life}"
        elif latch.event in recording.unordered or latch.reset in recording.unordered:
            late_latches.add(index)
    return Unrecorded(
        {name: tuple(events) for name, events in fields.items()},
        latches,
        frozenset(late),
        frozenset(late_latches),
        recording.unordered,
        {
            kind: event
            for event in sorted(recording.absent & program.ruleset.events.keys())
            for param in program.ruleset.events[event].params
            for kind in ty.ids_within(param.type)
        },
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
    """The breach latches of rules whose acts the log lacks or does not order: nobody can say that they were kept.

    A false settlement breaks the rules that it speaks of, any act may pass over a duty due at once, and an end that
    is not recorded one due by then.
    """
    loose = recording.absent | recording.unordered
    lacking = [event for event in program.ruleset.events.values() if event.name in loose]
    rules = {d.rule for d in program.duties if d.kind == "by end of" and d.life in recording.endless}
    for event in loose:
        rules |= {norm.rule for norm in program.prohibitions.get(event, ())}
        rules |= {norm.rule for norm in program.permissions.get(event, ())}
    rules |= {
        duty.rule
        for duty in program.duties
        if loose & {act.event for act in (*duty.acts, *duty.deadline_acts)}
        or (duty.kind in ("at once", "immediately after") and not all(event.observed for event in lacking))
    }
    # A settlement without its order is in order where it may have been.
    for declared in lacking:
        if declared.name in recording.unordered:
            continue
        for name in _decided(program, declared.claims):
            decision = program.decisions[name]
            rules |= {program.ruleset.units[case.unit].rule for case in decision.cases}
            rules |= {rule for rule, _ in decision.askers}
    return frozenset(i for i, broken in enumerate(program.breach_rules) if rules & set(broken))


def _decided(program: Program, claims: Iterable[Term]) -> set[str]:
    """The decisions that claims read, through whatever they call."""
    found: set[str] = set()
    seen: set[str] = set()
    rest = list(claims)
    while rest:
        term = rest.pop()
        rest += children(term)
        match term:
            case Decide(decision=name):
                found.add(name)
            case CallF(function=name) if name not in seen:
                seen.add(name)
                rest.append(program.functions[name].body)
            case _:
                pass
    return found


def never_reset(program: Program, recording: Recording) -> frozenset[int]:
    """The breach latches that an event resets which the log lacks or does not order: that a rule has been broken
    since, nobody can say."""
    loose = recording.absent | recording.unordered
    return frozenset(
        i
        for i, breach in enumerate(program.ruleset.breaches)
        if breach.reset in loose or breach.life in recording.endless
    )


def unknown_before(program: Program, begun: frozenset[str]) -> tuple[dict[str, str], dict[int, str]]:
    """The fields (`field`, `Entity.field`, `new Entity`) and latches of lives begun before the log, with the life.

    A latch that only an event resets has no life of its own: it is unknown while any of them is.
    """
    ruleset = program.ruleset
    fields = dict(_of_lives(program, begun))
    latches: dict[int, str] = {}
    for index, latch in enumerate(ruleset.latches):
        if latch.life in begun:
            latches[index] = latch.life or ""
        elif latch.life is None and begun:
            latches[index] = f"the last {latch.reset}"
    return fields, latches


def _of_lives(program: Program, lives: frozenset[str]) -> Iterator[tuple[str, str]]:
    """The fields (`field`, `Entity.field`, `new Entity`) that belong to lives, each with its life."""
    for name, field in program.ruleset.state.items():
        if field.life in lives:
            yield name, field.life
    for name, entity in program.ruleset.entities.items():
        if entity.life in lives:
            yield f"new {name}", entity.life
            for field in entity.fields:
                yield f"{name}.{field.name}", entity.life
