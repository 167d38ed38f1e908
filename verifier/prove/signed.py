"""Which amounts of money a state may keep below 0: those that some event might take there, as far as bounds tell.

Of all others it is taken for granted, in every state, that they are 0 or more: they begin so, events and options name
no amount below 0 (a log that does is refused), and every value written is 0 or more wherever those read are.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.ruleset import Append, Each, FieldTarget, New, Target, Update, Write
from verifier.model.terms import Term
from verifier.model.types import Type
from verifier.prove.obligations.bounds import Bounds, Measure


def signed(program: Program) -> frozenset[str]:
    """The paths of those places, `name` or `Entity.name`. The largest set that is safe to leave out is left out."""
    ruleset = program.ruleset
    first: list[tuple[str, Type, object]] = [
        *((name, field.type, field.initial) for name, field in ruleset.state.items()),
        *((f"{k}.{f.name}", f.type, f.initial) for k, e in ruleset.entities.items() for f in e.fields),
    ]
    found = frozenset(path for path, type_, value in first if holds_money(type_) and _below(value))
    while True:
        more = found | {path for path in _written(program, found) if path not in found}
        if more == found:
            return found
        found = more


def holds_money(type_: Type) -> bool:
    """Whether an amount is in a value of the type."""
    match type_:
        case ty.MoneyT():
            return True
        case ty.OptT(of=of) | ty.ListT(of=of) | ty.MapT(of=of):
            return holds_money(of)
        case ty.RecordT(fields=parts):
            return any(holds_money(part) for _, part in parts)
        case _:
            return False


def _below(value: object) -> bool:
    """Whether there is a number below 0 in a value."""
    match value:
        case int() | Fraction():
            return value < 0
        case tuple():
            return any(map(_below, value))
        case _:
            return False


def _written(program: Program, known: frozenset[str]) -> Iterator[str]:
    """The places where events may leave an amount below 0, where only the `known` ones have such."""
    for event in program.ruleset.events.values():
        stated: dict[Term, Bounds] = {}
        for param in event.params:
            if isinstance(param.type, ty.MoneyT):
                stated[m.Var(param.type, param.name)] = Bounds(0, None)
        measure = Measure(program, given=stated, signed=known).where(*event.needs)
        for update in program.ruleset.mechanics.get(event.name, ()):
            yield from _of(program, measure, update)


def _of(program: Program, measure: Measure, update: Update) -> Iterator[str]:
    match update:
        case Each(where=where, update=inner):
            yield from _of(program, measure if where is None else measure.where(where), inner)
        case New():
            return
        case Write(target=target, value=value, when=when) | Append(target=target, value=value, when=when):
            path, type_ = _place(program, target)
            inside = measure if when is None else measure.where(when)
            if holds_money(type_) and not _kept(inside, type_, value):
                yield path


def _kept(measure: Measure, type_: Type, value: Term) -> bool:
    """Whether bounds tell that every amount in a value is 0 or more."""
    match type_:
        case ty.MoneyT():
            return measure.of(value).within(Bounds(0, None))
        case ty.OptT(of=of):
            return (isinstance(value, m.Lit) and value.value is None) or _kept(measure, of, value)
        case ty.ListT(of=of) | ty.MapT(of=of):
            return _kept(measure, of, value)
        case ty.RecordT(fields=parts):
            made = [measure.part(value, index) for index in range(len(parts))]
            return all(
                not holds_money(part) or (one is not None and _kept(measure, part, one))
                for (_, part), one in zip(parts, made, strict=True)
            )
        case _:
            return True


def _place(program: Program, target: Target) -> tuple[str, Type]:
    match target:
        case FieldTarget(entity=entity, name=name):
            fields = program.ruleset.entities[entity].fields
            return f"{entity}.{name}", next(f.type for f in fields if f.name == name)
        case _:
            return target.name, program.ruleset.state[target.name].type
