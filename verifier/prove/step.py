"""What an event does to the state, in Z3, as `verifier.run.apply` and the judge do it to a concrete one."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, replace
from typing import Any

from verifier.model import types as ty
from verifier.model.ruleset import Append, Each, FieldTarget, New, StateTarget, Target, Update, Write
from verifier.prove.encode import Encoded, Encoder, Variables
from verifier.prove.lists import SlotList
from verifier.prove.scope import Ref
from verifier.prove.stated import chosen
from verifier.prove.symbolic import Place, SymbolicOptions, SymbolicState, World, merged
from verifier.prove.values import Num, Opt, Truth, add, and_, choose, compare, equal, not_, optional, or_


@dataclass(frozen=True, slots=True)
class Step:
    """One event. `before` has its ids noted, `after` is what its mechanics leave (what `after(…)` reads), `end`
    has its history counted and the lives reset that it ends.

    Where it `cannot` be applied it changes nothing but the lives that it ends. Where it `escapes`, something that
    it writes is not within the scope, and `after` and `end` tell nothing.
    """

    before: SymbolicState
    after: SymbolicState
    end: SymbolicState
    cannot: Truth
    escapes: Truth


@dataclass(slots=True)
class _Writes:
    """What the updates of one event write, by place: under which condition, and what."""

    world: World
    places: dict[Place, tuple[Truth, Any]]
    created: dict[tuple[str, Ref], Truth]
    cannot: Truth = False
    escapes: Truth = False


def arguments(world: World, event: str, prefix: str = "") -> tuple[Any, ...]:
    """Fresh variables for an event's parameters."""
    declared = world.ruleset.events[event]
    whole = chosen(declared)
    return tuple(
        world.shapes.variable(p.type, f"{prefix}{event} {p.name}", whole=p.name in whole)
        for p in declared.params
    )


def promised(world: World, event: str, args: tuple[Any, ...]) -> list[Any]:
    """What holds of every argument of its parameter's type."""
    params = world.ruleset.events[event].params
    found = [
        condition
        for param, arg in zip(params, args, strict=True)
        for condition in world.shapes.promises(param.type, arg)
    ]
    return [condition for condition in found if condition is not True]


def step(
    state: SymbolicState,
    options: SymbolicOptions,
    event: str,
    args: tuple[Any, ...],
    encoder: type[Encoder] = Encoder,
) -> Step:
    """The event's step from `state`. Which breaches judging it finds is not told here."""
    world = state.world
    declared = world.ruleset.events[event]
    before = _noted(state, event, args)
    encode = encoder(before, options)
    by = dict(zip((p.name for p in declared.params), args, strict=True))
    writes = _Writes(world, {}, {})
    for need in declared.needs:
        met = encode.encode(need, by)
        writes.cannot = or_(writes.cannot, and_(met.defined, not_(met.value)))
    for update in world.ruleset.mechanics.get(event, ()):
        _write(encode, writes, update, by, True)
    after = merged(writes.cannot, before, _written(before, writes))
    counted, uncounted = _counted(after, event, args)
    ended = {life.name for life in world.ruleset.lives.values() if event in life.ends}
    end = begun_anew(merged(writes.cannot, before, counted), ended)
    return Step(before, after, end, writes.cannot, or_(writes.escapes, uncounted))


def _noted(state: SymbolicState, event: str, args: tuple[Any, ...]) -> SymbolicState:
    world = state.world
    params = world.ruleset.events[event].params
    return replace(
        state,
        known={
            (kind, name): or_(
                met,
                *(
                    world.shapes.mentions(p.type, arg, kind, name)
                    for p, arg in zip(params, args, strict=True)
                ),
            )
            for (kind, name), met in state.known.items()
        },
    )


# ---------------------------------------------------------------------------------------------- mechanics
def _write(encode: Encoder, writes: _Writes, update: Update, by: Variables, when: Truth) -> None:
    match update:
        case Each(var=var, domain=domain, where=where, update=inner):
            elements, defined = encode.chosen(domain, var, where, by)
            told = and_(defined, *(or_(not_(there), meets.defined) for there, _, meets in elements))
            for there, value, meets in elements:
                holds = and_(when, told, there, meets.value)
                if holds is not False:
                    _write(encode, writes, inner, {**by, var: value}, holds)
        case New(entity=entity, of=of, when=guard):
            ref = _there(encode.encode(of, by))
            holds = and_(when, _holds(encode, guard, by), ref.defined)
            hits: list[Truth] = []
            type_ = writes.world.ruleset.entities[entity].type
            for known in writes.world.scope.entities[entity]:
                hit = and_(holds, equal(ref.value, writes.world.shapes.constant(type_, known)))
                hits.append(hit)
                if hit is not False:
                    writes.created[entity, known] = or_(writes.created.get((entity, known), False), hit)
            writes.escapes = or_(writes.escapes, and_(holds, not_(or_(*hits))))
        case Write(target=target, value=value, when=guard):
            _write_to(encode, writes, target, value, and_(when, _holds(encode, guard, by)), by, gains=False)
        case Append(target=target, value=value, when=guard):
            _write_to(encode, writes, target, value, and_(when, _holds(encode, guard, by)), by, gains=True)


def _holds(encode: Encoder, guard: Any, by: Variables) -> Truth:
    if guard is None:
        return True
    found = encode.encode(guard, by)
    return and_(found.defined, found.value)


def _write_to(
    encode: Encoder, writes: _Writes, target: Target, term: Any, holds: Truth, by: Variables, gains: bool
) -> None:
    if holds is False:
        return
    value = encode.encode(term, by)
    candidates, where = _places(encode, target, by)
    holds = and_(holds, value.defined, where)
    hits: list[Truth] = []
    for place, here in candidates:
        hit = and_(holds, here)
        if hit is False:
            continue
        hits.append(hit)
        type_ = writes.world.places[place]
        written, old = writes.places.get(place, (False, None))
        new: Any
        if gains:
            assert isinstance(type_, ty.ListT)
            list_ = choose(written, old, encode.state.values[place])
            assert isinstance(list_, SlotList)
            new, full = list_.gained(value.value)
            too_long = and_(hit, compare(">=", list_.length, Num(type_.maximum)))
            writes.cannot = or_(writes.cannot, too_long)
            writes.escapes = or_(writes.escapes, and_(hit, full, not_(too_long)))
        else:
            new = optional(value.value) if isinstance(type_, ty.OptT) else value.value
            if isinstance(new, SlotList):
                assert isinstance(type_, ty.ListT)
                overfills = and_(hit, compare(">", new.length, Num(type_.maximum)))
                writes.cannot = or_(writes.cannot, overfills)
                new, too_long = new.within(writes.world.shapes.slots(writes.world.path(place), type_))
                writes.escapes = or_(writes.escapes, and_(hit, too_long, not_(overfills)))
            if written is not False:
                writes.cannot = or_(writes.cannot, and_(hit, written, not_(equal(old, new))))
        writes.places[place] = (
            or_(written, hit),
            new if written is False else choose(hit, new, old),
        )
    writes.escapes = or_(writes.escapes, and_(holds, not_(or_(*hits))))


def _there(found: Encoded) -> Encoded:
    """What an optional holds; undefined where it is absent."""
    if isinstance(found.value, Opt):
        return Encoded(found.value.value, and_(found.defined, found.value.present))
    return found


def _places(encode: Encoder, target: Target, by: Variables) -> tuple[list[tuple[Place, Truth]], Truth]:
    """The places in the scope where a target may be, each with its condition; and whether that is defined."""
    world = encode.world
    match target:
        case FieldTarget(entity=entity, name=name, of=of):
            ref = _there(encode.encode(of, by))
            type_: ty.Type = world.ruleset.entities[entity].type
            keys: list[tuple[Place, object]] = [
                (Place(entity, known, name), known) for known in world.scope.entities[entity]
            ]
        case StateTarget(name=name, key=None):
            return [(Place(name), True)], True
        case StateTarget(name=name, key=key):
            assert key is not None
            ref = _there(encode.encode(key, by))
            declared = world.ruleset.state[name].type
            assert isinstance(declared, ty.MapT | ty.SetT)
            type_ = declared.key if isinstance(declared, ty.MapT) else declared.of
            keys = [(Place(name, known), known) for known in world.scope.keys(type_)]
    return [
        (place, equal(ref.value, world.shapes.constant(type_, known))) for place, known in keys
    ], ref.defined


def _written(before: SymbolicState, writes: _Writes) -> SymbolicState:
    values = dict(before.values)
    exists = dict(before.exists)
    for entity, created in writes.created.items():
        exists[entity] = or_(exists[entity], created)
    for place, (written, value) in writes.places.items():
        values[place] = choose(written, value, values[place])
    return replace(before, values=values, exists=exists)


# ---------------------------------------------------------------------------------------- history and lives
def _counted(state: SymbolicState, event: str, args: tuple[Any, ...]) -> tuple[SymbolicState, Truth]:
    """The state with the event counted in history; and whether a key that it counts under is not in the scope."""
    world = state.world
    params = world.ruleset.events[event].params

    def is_(index: int, constant: object) -> Truth:
        return equal(args[index], world.shapes.constant(params[index].type, constant))

    found: list[dict[Any, Num]] = []
    escapes: Truth = False
    for latch, counts in zip(world.ruleset.latches, state.counts, strict=True):
        table: dict[Any, Num] = {}
        hits: list[Truth] = []
        for key, n in counts.items():
            count = n
            if latch.reset == event:
                linked = (is_(i, key[p]) for p, i in latch.reset_keys)
                ends = and_(*(is_(i, v) for i, v in latch.reset_fixed), *linked)
                count = choose(ends, Num(0), count)
            if latch.event == event:
                hits.append(and_(*(is_(i, k) for i, k in zip(latch.keys, key, strict=True))))
                counts_it = and_(*(is_(i, v) for i, v in latch.fixed), hits[-1])
                count = choose(counts_it, add(count, Num(1)), count)
            table[key] = count
        found.append(table)
        if latch.event == event:
            escapes = or_(escapes, and_(*(is_(i, v) for i, v in latch.fixed), not_(or_(*hits))))
    broken = tuple(
        False if breach.reset == event else bit
        for breach, bit in zip(world.ruleset.breaches, state.broken, strict=True)
    )
    return replace(state, counts=tuple(found), broken=broken), escapes


def begun_anew(state: SymbolicState, ended: Set[str]) -> SymbolicState:
    """The state with the lives that have ended begun anew."""
    world = state.world
    if not ended:
        return state
    return replace(
        state,
        values={
            place: world.initial[place] if world.lives[place] in ended else value
            for place, value in state.values.items()
        },
        exists={
            (kind, ref): False if world.ruleset.entities[kind].life in ended else bit
            for (kind, ref), bit in state.exists.items()
        },
        counts=tuple(
            {key: Num(0) for key in counts} if latch.life in ended else counts
            for latch, counts in zip(world.ruleset.latches, state.counts, strict=True)
        ),
        broken=tuple(
            False if breach.life in ended else bit
            for breach, bit in zip(world.ruleset.breaches, state.broken, strict=True)
        ),
    )
