"""Playing with the very values that a state has which answers a question: a scope may have other ones only."""

from __future__ import annotations

from collections.abc import Iterator

from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.ruleset import Event, New
from verifier.model.terms import Term
from verifier.model.types import Type
from verifier.prove.explore.domains import values_of
from verifier.prove.extent import MOST_PLACES, places
from verifier.prove.question import Question, Sometimes
from verifier.prove.scope import Ref, Scope, scope_of
from verifier.run.bench import Happening
from verifier.run.machine import Machine
from verifier.run.state import EXISTS

MOST_MORE = 6
"""Where a state has more values of one type than this that the scope has not, they are not what it hangs on."""


def aimed(program: Program, base: Scope, question: Question, at: Sometimes) -> Scope | None:
    """The scope with the numbers and values that a state and the question's variables have there; None where it has
    them all, or would be too wide."""
    more: dict[str, dict[object, None]] = {}
    for type_, value in _values(program, question, at):
        for name, found in _named(base, type_, value):
            more.setdefault(name, {})[found] = None
    if not more or any(len(found) > MOST_MORE for found in more.values()):
        return None
    narrowed = {name: tuple(sorted({*values, *more.get(name, ())})) for name, values in base.narrowed.items()}
    scope = scope_of(program, base.ids, narrowed, dict(base.slots), money_parts=base.money_parts)
    return scope if places(program, scope) <= MOST_PLACES else None


MOST_THINGS = 6
"""So many things of a state are brought in."""


def bringing(program: Program, question: Question, at: Sometimes) -> list[Happening]:
    """Events that bring in the things that the question's variables are in a state, and what else there is in it."""
    things = [(p.type.name, at.values[p.name]) for p in question.params if isinstance(p.type, ty.EntityT)]
    for kind, table in at.state.entities.items():
        things += [(kind, ref) for ref, written in table.items() if written.get(EXISTS)]
    machine = Machine(program, dict(at.options))
    machine.enter(at.state)
    found: list[Happening] = []
    for kind, ref in list(dict.fromkeys(things))[:MOST_THINGS]:
        if isinstance(ref, tuple):
            found += _made(program, machine, kind, ref)
    return found


def _made(program: Program, machine: Machine, kind: str, ref: Ref) -> Iterator[Happening]:
    """For each kind of event that can make such a thing the event that makes this one, other values as they come."""
    for event in program.ruleset.events.values():
        for update in program.ruleset.mechanics.get(event.name, ()):
            if isinstance(update, New) and update.entity == kind:
                fixed: dict[str, object] = {}
                if _fits(update.of, ref, fixed):
                    values = [
                        fixed[p.name] if p.name in fixed else _any(p.type, machine) for p in event.params
                    ]
                    if None not in values:
                        yield Happening(event.name, _actor(program, event), tuple(values))
                    break


def _fits(term: Term, value: object, fixed: dict[str, object]) -> bool:
    """Whether a term of an event's parameters can be the value; they are noted as they must be."""
    match term, value:
        case m.Var(name=name), _:
            return fixed.setdefault(name, value) == value
        case m.Make(parts=parts), tuple():
            return len(parts) == len(value) and all(
                _fits(part, inner, fixed) for part, inner in zip(parts, value, strict=True)
            )
        case m.Lit(value=known), _:
            return known == value
        case _:
            return False


def _any(type_: Type, machine: Machine) -> object:
    match type_:
        case ty.MoneyT() | ty.OddsT():
            return 1
        case ty.IntT(low=low):
            return low or 0
        case _:
            return next(iter(values_of(type_, machine)), None)


def _actor(program: Program, event: Event) -> str:
    return (*event.by, *program.ruleset.actors)[0]


def _values(program: Program, question: Question, at: Sometimes) -> Iterator[tuple[Type, object]]:
    """What the fields of the state hold, and the values of the question's variables."""
    yield from ((p.type, at.values[p.name]) for p in question.params if p.name in at.values)
    ruleset = program.ruleset
    for name, field in ruleset.state.items():
        yield field.type, at.state.fields[name]
    for kind, table in at.state.entities.items():
        types = {part.name: part.type for part in ruleset.entities[kind].fields}
        for ref, written in table.items():
            yield ruleset.entities[kind].type, ref
            yield from ((types[name], value) for name, value in written.items() if name in types)


def _named(base: Scope, type_: Type, value: object) -> Iterator[tuple[str, object]]:
    """The values of narrowed types that are part of a value, and that the scope has not."""
    if str(type_) in base.narrowed:
        if value is not None and value not in base.narrowed[str(type_)]:
            yield str(type_), value
        return
    match type_, value:
        case ((ty.EntityT(keys=parts) | ty.RecordT(fields=parts)), tuple()):
            for (_, part), inner in zip(parts, value, strict=True):
                yield from _named(base, part, inner)
        case ty.OptT(of=of), _:
            if value is not None:
                yield from _named(base, of, value)
        case ty.ListT(of=of), tuple() | list():
            for inner in value:
                yield from _named(base, of, inner)
        case ty.MapT(key=key, of=of), dict():
            for where, inner in value.items():
                yield from _named(base, key, where)
                yield from _named(base, of, inner)
        case _:
            return
