"""States of a program in Z3: made of variables, or of what events make of those."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import z3

from verifier.core.program import Program
from verifier.model import types as ty
from verifier.model.declare import default_of
from verifier.model.types import Type
from verifier.model.values import show
from verifier.prove.scope import Names, Ref, Scope, literals
from verifier.prove.shapes import Leaf, Shapes, model_leaf
from verifier.prove.signed import signed
from verifier.prove.values import Known, Num, Truth, choose, choose_truth, compare, equal, not_, or_
from verifier.run.state import EXISTS, State, first_state

Key = Any


@dataclass(frozen=True, slots=True)
class Place:
    """Where a part of the state stands: a field of the state, one entry of a map, a field of an entity."""

    name: str
    key: Key = None
    field: str | None = None


class World:
    """A program within a scope: its types' shapes, and the places of its state with their types."""

    def __init__(self, program: Program, scope: Scope) -> None:
        self.program = program
        self.ruleset = program.ruleset
        self.scope = scope
        self.shapes = Shapes(scope, Names(scope))
        self.places: dict[Place, Type] = {}
        self.initial: dict[Place, Any] = {}
        self.lives: dict[Place, str] = {}
        for name, field in self.ruleset.state.items():
            for place, type_ in self._of_field(name, field.type):
                self._add(place, type_, field.initial, field.life, name)
        for kind, entity in self.ruleset.entities.items():
            for ref in scope.entities[kind]:
                for part in entity.fields:
                    place = Place(kind, ref, part.name)
                    self._add(place, part.type, part.initial, entity.life, f"{kind}.{part.name}")
        self.literals = literals(program)
        self.signed = signed(program)
        self.latch_keys = [scope.latch_keys(latch, self.ruleset) for latch in self.ruleset.latches]

    def _of_field(self, name: str, type_: Type) -> Iterator[tuple[Place, Type]]:
        match type_:
            case ty.MapT(key=key, of=of):
                yield from ((Place(name, k), of) for k in self.scope.keys(key))
            case ty.SetT(of=of):
                yield from ((Place(name, k), ty.BOOL) for k in self.scope.keys(of))
            case _:
                yield Place(name), type_

    def _add(self, place: Place, type_: Type, initial: object, life: str, path: str) -> None:
        self.places[place] = type_
        self.initial[place] = self.shapes.constant(type_, initial, path)
        self.lives[place] = life

    def promises(self, place: Place, value: Any) -> Iterator[Truth]:
        """What holds of whatever stands in a place."""
        stated = self.path(place) not in self.signed
        return self.shapes.promises(self.places[place], value, stated)

    def path(self, place: Place) -> str:
        return place.name if place.field is None else f"{place.name}.{place.field}"

    def option_values(self, name: str) -> tuple[object, ...] | None:
        """The values that the scope or the rules leave an option, where they are listed."""
        return self.scope.narrowed.get(name) or self.ruleset.options[name].values

    def key_type(self, place: Place) -> Type:
        """The type of an entity, or of a field of the state."""
        declared = self.ruleset.entities if place.field is not None else self.ruleset.state
        return declared[place.name].type

    def shown(self, place: Place) -> str:
        """A place as people read it; the names of Z3 variables are made so."""
        if place.field is not None:
            entity = self.ruleset.entities[place.name].type
            return f"{place.name} {show(entity, place.key)}.{place.field}"
        declared = self.ruleset.state[place.name].type
        match declared:
            case ty.MapT(key=key) | ty.SetT(of=key):
                return f"{place.name}[{show(key, place.key)}]"
            case _:
                return place.name


@dataclass(frozen=True, slots=True)
class SymbolicState:
    """A state in Z3. `values` by place, `exists` by kind and reference, `counts` by latch and key,
    `broken` by breach latch, `known` the ids met so far, by kind."""

    world: World
    values: Mapping[Place, Any]
    exists: Mapping[tuple[str, Ref], Truth]
    counts: tuple[Mapping[Key, Num], ...]
    broken: tuple[Truth, ...]
    known: Mapping[tuple[str, str], Truth]

    def assumptions(self) -> list[Any]:
        """What holds in every state: values keep their types, ids are met in the scope's order, whatever
        mentions an id that is not met yet is as it first was, and what binds nobody has not been broken."""
        world = self.world
        found: list[Truth] = []
        for place in world.places:
            found += world.promises(place, self.values[place])
        for counts in self.counts:
            found += [compare(">=", n, Num(0)) for n in counts.values()]
        found += [not_(bit) for i, bit in enumerate(self.broken) if not world.program.breakable(i)]
        found += self._ids_known()
        return [condition for condition in found if condition is not True]

    def _ids_known(self) -> Iterator[Truth]:
        world, shapes = self.world, self.world.shapes
        for kind, ids in world.scope.ids.items():
            for before, name in pairwise(ids):
                yield or_(not_(self.known[kind, name]), self.known[kind, before])
            for name in ids:
                met = self.known[kind, name]
                for place, type_ in world.places.items():
                    yield or_(met, not_(shapes.mentions(type_, self.values[place], kind, name)))
                    if place.key is not None and _names(world.key_type(place), place.key, kind, name):
                        yield or_(met, equal(self.values[place], world.initial[place]))
                for (entity, ref), exists in self.exists.items():
                    if _names(world.ruleset.entities[entity].type, ref, kind, name):
                        yield or_(met, not_(exists))
                for latch, counts in zip(world.ruleset.latches, self.counts, strict=True):
                    params = world.ruleset.events[latch.event].params
                    for key, n in counts.items():
                        types = [params[i].type for i in latch.keys]
                        if any(_names(t, k, kind, name) for t, k in zip(types, key, strict=True)):
                            yield or_(met, compare("=", n, Num(0)))

    # ---------------------------------------------------------------------------------- to the interpreter
    def concretize(self, model: Any) -> State:
        """The state of a Z3 model, as the interpreter has it."""
        return self.read(model_leaf(model))

    def read(self, leaf: Leaf) -> State:
        """The state whose leaves `leaf` tells. What is as it first was is left out."""
        world, shapes = self.world, self.world.shapes
        state = first_state(world.ruleset)

        def true(truth: Truth) -> bool:
            return bool(shapes.concrete(ty.BOOL, truth, leaf))

        for (kind, ref), exists in self.exists.items():
            if true(exists):
                state.entities[kind][ref] = {EXISTS: True}
        for place, type_ in world.places.items():
            value = shapes.concrete(type_, self.values[place], leaf)
            first = shapes.concrete(type_, world.initial[place], leaf)
            if place.key is None:
                state.fields[place.name] = value
            elif value != first and place.field is None:
                state.fields[place.name][place.key] = value
            elif value != first and place.field is not None:
                state.entities[place.name].setdefault(place.key, {})[place.field] = value
        for i, counts in enumerate(self.counts):
            for key, n in counts.items():
                if count := shapes.concrete(ty.INT, n, leaf):
                    state.counts[i][key] = count
        state.broken[:] = [true(b) for b in self.broken]
        for (kind, name), met in self.known.items():
            if true(met):
                state.ids[kind][name] = len(state.ids[kind])
        return state

    def assignment(self, state: State) -> list[tuple[Any, Any]]:
        """Each variable of this state with its value in `state`. Raises `ValueError` if the scope is too small."""
        world, shapes = self.world, self.world.shapes
        lifted = lift(world, state)
        found: list[tuple[Any, Any]] = []
        for place in world.places:
            found += shapes.pairs(self.values[place], lifted.values[place])
        for name in self.exists:
            found += shapes.pairs(self.exists[name], lifted.exists[name])
        for mine, theirs in zip(self.counts, lifted.counts, strict=True):
            for key in mine:
                found += shapes.pairs(mine[key], theirs[key])
        for mine_, theirs_ in zip(self.broken, lifted.broken, strict=True):
            found += shapes.pairs(mine_, theirs_)
        for id_ in self.known:
            found += shapes.pairs(self.known[id_], lifted.known[id_])
        return found

    def pin(self, state: State) -> list[Any]:
        """That this state, made of variables, is `state`."""
        return [variable == value for variable, value in self.assignment(state)]


def variables(world: World, prefix: str = "") -> SymbolicState:
    """A state made of fresh variables; `prefix` keeps two of them apart."""
    return SymbolicState(
        world,
        {
            place: world.shapes.variable(type_, prefix + world.shown(place), world.path(place))
            for place, type_ in world.places.items()
        },
        {
            (kind, ref): z3.Bool(f"{prefix}{kind} {show(entity.type, ref)} exists")
            for kind, entity in world.ruleset.entities.items()
            for ref in world.scope.entities[kind]
        },
        tuple(
            {key: Num(z3.Int(f"{prefix}count {i} {key}")) for key in keys}
            for i, keys in enumerate(world.latch_keys)
        ),
        tuple(z3.Bool(f"{prefix}breach {i}") for i, _ in enumerate(world.ruleset.breaches)),
        {
            (kind, name): z3.Bool(f"{prefix}{name} is met")
            for kind, ids in world.scope.ids.items()
            for name in ids
        },
    )


def lift(world: World, state: State) -> SymbolicState:
    """A state of the interpreter as constants. Raises `ValueError` where it is not within the scope."""
    values: dict[Place, Any] = dict(world.initial)
    for name in world.ruleset.state:
        found = state.fields[name]
        places = [Place(name)] if not isinstance(found, dict) else [Place(name, key) for key in found]
        for place in places:
            _within(place in world.places, world, place.name)
            value = found[place.key] if isinstance(found, dict) else found
            values[place] = world.shapes.constant(world.places[place], value, name)
    exists: dict[tuple[str, Ref], Truth] = {}
    for kind, refs in world.scope.entities.items():
        exists.update({(kind, ref): False for ref in refs})
    for kind, table in state.entities.items():
        for ref, fields in table.items():
            _within((kind, ref) in exists, world, kind)
            exists[kind, ref] = EXISTS in fields
            for part, value in fields.items():
                if part == EXISTS:
                    continue
                place = Place(kind, ref, part)
                values[place] = world.shapes.constant(world.places[place], value, f"{kind}.{part}")
    counts: list[dict[Key, Num]] = []
    for keys, table_ in zip(world.latch_keys, state.counts, strict=True):
        _within(set(table_) <= set(keys), world, "history")
        counts.append({key: Num(table_.get(key, 0)) for key in keys})
    for kind, ids in state.ids.items():
        _within(list(ids) == list(world.scope.ids[kind][: len(ids)]), world, kind)
    return SymbolicState(
        world,
        values,
        exists,
        tuple(counts),
        tuple(state.broken),
        {(kind, name): name in state.ids[kind] for kind, ids in world.scope.ids.items() for name in ids},
    )


def merged(test: Truth, then: SymbolicState, otherwise: SymbolicState) -> SymbolicState:
    """`then` where `test` holds, else `otherwise`."""
    return SymbolicState(
        then.world,
        {p: choose(test, v, otherwise.values[p]) for p, v in then.values.items()},
        {k: choose_truth(test, v, otherwise.exists[k]) for k, v in then.exists.items()},
        tuple(
            {k: choose(test, n, theirs[k]) for k, n in mine.items()}
            for mine, theirs in zip(then.counts, otherwise.counts, strict=True)
        ),
        tuple(choose_truth(test, a, b) for a, b in zip(then.broken, otherwise.broken, strict=True)),
        {k: choose_truth(test, v, otherwise.known[k]) for k, v in then.known.items()},
    )


@dataclass(frozen=True, slots=True)
class SymbolicOptions:
    """The options: each with its value and whether it is stated."""

    world: World
    values: Mapping[str, tuple[Any, Truth]]

    def assumptions(self) -> list[Any]:
        """That an option has one of its values, and that one with a default is stated."""
        found: list[Truth] = []
        for name, (value, stated) in self.values.items():
            option = self.world.ruleset.options[name]
            found += self.world.shapes.promises(option.type, value)
            values = self.world.option_values(name)
            if values is not None:
                constants = [self.world.shapes.constant(option.type, v) for v in values]
                found.append(or_(*(equal(value, c) for c in constants)))
            if option.default is not None:
                found.append(stated)
        return [condition for condition in found if condition is not True]

    def known(self) -> Known:
        """The values of the numbers among the options, where they are few."""
        found: Known = {}
        for name, (value, _) in self.values.items():
            values = self.world.option_values(name)
            if isinstance(value, Num) and not value.constant and values is not None:
                found[value.n.get_id()] = frozenset(int(v * value.den) for v in values)  # type: ignore[operator]
        return found

    def concretize(self, model: Any) -> dict[str, object]:
        """The options that a Z3 model states."""
        leaf = model_leaf(model)
        shapes = self.world.shapes
        return {
            name: shapes.concrete(self.world.ruleset.options[name].type, value, leaf)
            for name, (value, stated) in self.values.items()
            if shapes.concrete(ty.BOOL, stated, leaf)
        }

    def assignment(self, options: Mapping[str, object]) -> list[tuple[Any, Any]]:
        """Each variable with its value; what is not in `options` is not stated."""
        found: list[tuple[Any, Any]] = []
        shapes = self.world.shapes
        for name, (value, stated) in self.values.items():
            option = self.world.ruleset.options[name]
            anything = (self.world.option_values(name) or (default_of(option.type),))[0]
            constant = options.get(name, anything)
            found += shapes.pairs(value, shapes.constant(option.type, constant))
            found += shapes.pairs(stated, name in options)
        return found


def option_variables(world: World) -> SymbolicOptions:
    """Every option open, stated or not."""
    return SymbolicOptions(
        world,
        {
            name: (
                world.shapes.variable(option.type, f"option {name}", whole=True),
                z3.Bool(f"option {name} is stated"),
            )
            for name, option in world.ruleset.options.items()
        },
    )


def _within(fits: bool, world: World, what: str) -> None:
    if not fits:
        raise ValueError(f"{what} is not within the scope of {world.ruleset.name}")


def _names(type_: Type, key: Any, kind: str, name: str) -> bool:
    """Whether a constant key mentions an id."""
    match type_:
        case ty.IdT(name=own):
            return own == kind and key == name
        case ty.RecordT(fields=parts) | ty.EntityT(keys=parts):
            return any(_names(part, k, kind, name) for (_, part), k in zip(parts, key, strict=True))
        case ty.OptT(of=of):
            return key is not None and _names(of, key, kind, name)
        case ty.MapT(key=of) | ty.SetT(of=of):
            return _names(of, key, kind, name)
        case _:
            return False
