"""Random states, options and arguments of any program: well typed, within a scope, and small enough to collide."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

from verifier.model import types as ty
from verifier.model.declare import default_of
from verifier.model.types import Type
from verifier.prove.stated import chosen
from verifier.prove.symbolic import World
from verifier.run.state import EXISTS, State, first_state

AMOUNTS = (0, 1, 2, 3, 5, 10, 15, 100, 101, 250, 500)
"""Amounts of money that are drawn: few, so that equal ones are met, and some odd ones that halve badly."""


def random_state(world: World, rng: Random) -> State:
    """A state in which anything may stand that the types allow; ids are met in the scope's order."""
    state = first_state(world.ruleset)
    for kind, ids in world.scope.ids.items():
        known = ids[: rng.randint(min(1, len(ids)), len(ids))]
        state.ids[kind] = {name: i for i, name in enumerate(known)}
    density = rng.choice((0.2, 0.6, 0.95))
    for kind, entity in world.ruleset.entities.items():
        for ref in world.scope.entities[kind]:
            if rng.random() < density and met(world, state, entity.type, ref):
                state.entities[kind][ref] = {
                    field.name: random_value(world, state, field.type, rng, f"{kind}.{field.name}")
                    for field in entity.fields
                    if rng.random() < 0.8
                }
                if rng.random() < 0.9:
                    state.entities[kind][ref][EXISTS] = True
    for place, type_ in world.places.items():
        if place.field is not None:
            continue
        value = random_value(world, state, type_, rng, place.name)
        if place.key is None:
            state.fields[place.name] = value
        elif rng.random() < density and met(world, state, world.ruleset.state[place.name].type, place.key):
            state.fields[place.name][place.key] = value
    for i, latch in enumerate(world.ruleset.latches):
        params = world.ruleset.events[latch.event].params
        for key in world.latch_keys[i]:
            types = [params[p].type for p in latch.keys]
            if rng.random() < 0.3 and all(met(world, state, t, k) for t, k in zip(types, key, strict=True)):
                state.counts[i][key] = rng.randint(1, 3)
    state.broken[:] = [rng.random() < 0.3 and world.program.breakable(i) for i, _ in enumerate(state.broken)]
    return state


def random_options(world: World, rng: Random, all_stated: bool = False) -> dict[str, object]:
    """Options, each stated or not; one with a default is always stated."""
    found: dict[str, object] = {}
    empty = first_state(world.ruleset)
    for name, option in world.ruleset.options.items():
        if all_stated or option.default is not None or rng.random() < 0.6:
            values = world.option_values(name)
            if values is not None:
                found[name] = rng.choice(values)
            else:
                found[name] = random_value(world, empty, option.type, rng, whole=True)
    return found


def random_value(
    world: World, state: State, type_: Type, rng: Random, path: str = "", whole: bool = False
) -> Any:
    """A value of the type; ids and references only such as the state has met.

    An amount of money is in the scope's parts of a minor unit, or `whole`.
    """
    match type_:
        case ty.BoolT():
            return rng.random() < 0.5
        case ty.IntT(low=low, high=high):
            least = 0 if low is None else low
            most = least + 24 if high is None else high
            named = [n for n in world.literals if least <= n <= most]
            return rng.choice((least, most, rng.choice(named or [least]), rng.randint(least, most)))
        case ty.MoneyT():
            amount, parts = rng.choice(AMOUNTS), rng.choice((1, world.scope.money_parts))
            exact = Fraction(amount, 1 if whole else parts)
            return exact.numerator if exact.denominator == 1 else exact
        case ty.OddsT():
            return rng.randint(0, 4)
        case ty.EnumT(values=values):
            return rng.randrange(len(values))
        case ty.IdT(name=kind):
            return rng.choice(list(state.ids[kind]) or [""])
        case ty.TextT() | ty.PartyT():
            return default_of(type_)
        case ty.RecordT(fields=parts):
            return tuple(random_value(world, state, part, rng, whole=whole) for _, part in parts)
        case ty.EntityT(name=kind):
            known = [ref for ref in world.scope.entities[kind] if met(world, state, type_, ref)]
            return rng.choice(known or list(world.scope.entities[kind]))
        case ty.OptT(of=of):
            return None if rng.random() < 0.4 else random_value(world, state, of, rng, whole=whole)
        case ty.ListT(of=of):
            length = rng.randint(0, world.shapes.slots(path, type_))
            return tuple(random_value(world, state, of, rng, whole=whole) for _ in range(length))
        case ty.MapT() | ty.SetT():
            raise AssertionError("maps are drawn entry by entry")


def met(world: World, state: State, type_: Type, key: Any) -> bool:
    """Whether the state has met every id in a key (of a map of that type, if it is one)."""
    match type_:
        case ty.IdT(name=kind):
            return key in state.ids[kind] or key == ""
        case ty.RecordT(fields=parts) | ty.EntityT(keys=parts):
            return all(met(world, state, part, k) for (_, part), k in zip(parts, key, strict=True))
        case ty.OptT(of=of):
            return key is None or met(world, state, of, key)
        case ty.MapT(key=of) | ty.SetT(of=of):
            return met(world, state, of, key)
        case _:
            return True


def random_arguments(world: World, state: State, event: str, rng: Random) -> tuple[Any, ...]:
    """An event's arguments; the ids in them are met already, so that their order stays the scope's."""
    declared = world.ruleset.events[event]
    whole = chosen(declared)
    return tuple(random_value(world, state, p.type, rng, whole=p.name in whole) for p in declared.params)
