"""A state as people read it: what is there beside what is as at first, and what has happened."""

from __future__ import annotations

from collections.abc import Iterator

from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.ruleset import Ruleset
from verifier.model.show import names_of, show_term
from verifier.model.types import Type
from verifier.model.values import show
from verifier.run.state import State


def shown_state(ruleset: Ruleset, state: State, drawn: ty.RecordT | None) -> list[tuple[str, str]]:
    """What a state of a ruleset has, by name: `B1H1.cards` is `As, Kd`. `drawn` is what is drawn of a stock, if any."""
    found: list[tuple[str, str]] = []
    for kind, table in state.entities.items():
        entity = ruleset.entities[kind]
        for ref in sorted(table, key=repr):
            for f in entity.fields:
                value = table[ref].get(f.name, f.initial)
                if value != f.initial:
                    found.append((f"{show(entity.type, ref)}.{f.name}", _written(f.type, value, drawn)))
    for name, field in ruleset.state.items():
        match field.type, state.fields.get(name):
            case (ty.MapT(key=key_type), dict() as table) | (ty.SetT(of=key_type), dict() as table):
                of, first = (
                    (field.type.of, field.initial) if isinstance(field.type, ty.MapT) else (ty.BOOL, False)
                )
                found += [
                    (f"{name}[{show(key_type, key)}]", _written(of, table[key], drawn))
                    for key in sorted(table, key=repr)
                    if table[key] != first
                ]
            case _, value if value != field.initial:
                found.append((name, _written(field.type, value, drawn)))
            case _:
                pass
    return [*found, *_happened(ruleset, state)]


def _written(type_: Type, value: object, drawn: ty.RecordT | None) -> str:
    """A value; an element of a list as what it was drawn as, where that is known."""
    match type_, value:
        case ty.OptT(of=of), _ if value is not None:
            return _written(of, value, drawn)
        case ty.ListT(of=of), tuple():
            return ", ".join(_written(of, v, drawn) for v in value)
        case ty.RecordT(fields=parts), tuple() if drawn is not None:
            known = dict(zip((n for n, _ in parts), value, strict=True))
            if all(dict(parts).get(n) == t for n, t in drawn.fields):
                return show(drawn, tuple(known[n] for n, _ in drawn.fields))
            return show(type_, value)
        case _:
            return show(type_, value)


def _happened(ruleset: Ruleset, state: State) -> Iterator[tuple[str, str]]:
    """How often what is counted has happened, and which rules have been broken."""
    names = names_of(ruleset)
    for index, latch in enumerate(ruleset.latches):
        types = [ruleset.events[latch.event].params[at].type for at in latch.keys]
        for key, times in state.counts[index].items():
            keys = tuple(m.Lit(t, k) for t, k in zip(types, key, strict=True))
            if times:
                yield show_term(m.Count(ty.INT, index, keys), names), str(times)
    for index in range(len(ruleset.breaches)):
        if state.broken[index]:
            yield show_term(m.BrokenT(ty.BOOL, index), names), "yes"
