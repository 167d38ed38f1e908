"""What two rulesets have in common before any rule is read: types, entities, their fields, state, events, options.

Things of one name and one structure are one. Ranges of one name become the range that holds both, as do ranges without
a name of what acts of one name take, or a state of one name is; enumerations become the one with the values of both
(their order must agree), so that a state of either is a state of both. A field that only
one side has is taken for a field of the same entity that only the other has where each is the only one of its type, an
actor for one that only the other has where of those each alone does some act of both; so is what is stated to be two
names of one thing. Whoever reads the comparison is told. What cannot be one is kept apart, under a name of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from verifier.diff.stated import Calling, Stated, likely
from verifier.model import types as ty
from verifier.model.ruleset import Entity, Event, Life, Option, Param, Ruleset, StateField
from verifier.model.types import Type

Which = Literal["old", "new"]
SIDES: tuple[Which, Which] = ("old", "new")


@dataclass(slots=True)
class Side:
    """How one side's names and values become the common ones, and back.

    `types` by name; `places` the enumerations' positions by name where they moved; `fields` by entity and field,
    `state`, `events`, `options` by name; `actors` and `decisions` those that are called otherwise.
    """

    ruleset: Ruleset
    types: dict[str, Type] = field(default_factory=dict)
    places: dict[str, tuple[int, ...]] = field(default_factory=dict)
    fields: dict[tuple[str, str], str] = field(default_factory=dict)
    state: dict[str, str] = field(default_factory=dict)
    entities: dict[str, str] = field(default_factory=dict)
    events: dict[str, str] = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)
    actors: dict[str, str] = field(default_factory=dict)
    decisions: dict[str, str] = field(default_factory=dict)

    def own(self, decision: str) -> str:
        """What this side calls a decision of a common name."""
        return next((own for own, known in self.decisions.items() if known == decision), decision)

    def decides(self) -> tuple[str, ...]:
        """This side's decisions, by their common names."""
        return tuple(self.decisions.get(name, name) for name in self.ruleset.decisions)

    def roles(self, actors: Iterable[str]) -> set[str]:
        """Actors by their common names."""
        return {self.actors.get(actor, actor) for actor in actors}

    def has(self, type_: Type, value: object) -> bool:
        """Whether a value of a common type is one that this side has."""
        places = self.places.get(type_.name) if isinstance(type_, ty.EnumT) else None
        return places is None or value in places

    def type(self, type_: Type) -> Type:
        """The common type."""
        match type_:
            case ty.EnumT(name=name) | ty.RecordT(name=name) | ty.EntityT(name=name) | ty.IdT(name=name):
                return self.types.get(name, type_)
            case ty.IntT(name=str() as name):
                return self.types.get(name, type_)
            case ty.OptT(of=of):
                return ty.OptT(self.type(of))
            case ty.ListT(of=of, maximum=maximum):
                return ty.ListT(self.type(of), maximum)
            case ty.SetT(of=of):
                return ty.SetT(self.type(of))
            case ty.MapT(key=key, of=of):
                return ty.MapT(self.type(key), self.type(of))
            case _:
                return type_

    def value(self, type_: Type, value: object, back: bool = False) -> object:
        """A value of this side's `type_` as the common type has it; `back` the other way.

        Raises `LookupError` for a value that this side does not know.
        """
        match type_, value:
            case ty.EnumT(name=name), int() if name in self.places:
                moved = self.places[name]
                return moved.index(value) if back else moved[value]
            case ty.OptT(of=of), _:
                return None if value is None else self.value(of, value, back)
            case ((ty.RecordT(fields=parts) | ty.EntityT(keys=parts)), tuple()):
                return tuple(self.value(t, v, back) for (_, t), v in zip(parts, value, strict=True))
            case ty.ListT(of=of), tuple():
                return tuple(self.value(of, v, back) for v in value)
            case _:
                return value

    @property
    def plain(self) -> bool:
        """Whether this side's types are the common ones as they stand."""
        return not self.places and all(t == self.ruleset.types.get(n) for n, t in self.types.items())


@dataclass(frozen=True, slots=True)
class Common:
    """What both have, under common names. `notes` tell what was taken for what, in words."""

    old: Side
    new: Side
    types: Mapping[str, Type]
    lives: Mapping[str, Life]
    state: Mapping[str, StateField]
    entities: Mapping[str, Entity]
    events: Mapping[str, Event]
    options: Mapping[str, Option]
    notes: tuple[str, ...]

    def side(self, which: Which) -> Side:
        return self.old if which == "old" else self.new


def unify(old: Ruleset, new: Ruleset, same: Sequence[Stated] = ()) -> Common:
    """The common world of two rulesets. Raises `RequestError` where what is stated to be the same does not fit."""
    return _Unifier(old, new, Calling(tuple(same))).common()


class _Unifier:
    def __init__(self, old: Ruleset, new: Ruleset, calling: Calling) -> None:
        self.old, self.new = Side(old), Side(new)
        self.calling = calling
        self.notes: list[str] = [one.said for one in calling.stated]
        self.found: dict[str, Type] = {}

    def common(self) -> Common:
        for name in dict.fromkeys([*self.old.ruleset.types, *self.new.ruleset.types]):
            self._type(name)
        lives = {**self.new.ruleset.lives, **self.old.ruleset.lives}
        state = self._state()
        entities = self._entities()
        events = self._events()
        self._actors()
        self._decisions()
        options = self._options()
        self.notes += likely(
            self.old.ruleset,
            self.new.ruleset,
            self.calling,
            (self.old.type, self.new.type),
            self.new.roles,
        )
        return Common(
            self.old, self.new, self.found, lives, state, entities, events, options, tuple(self.notes)
        )

    # ------------------------------------------------------------------------------------------------ types
    def _type(self, name: str) -> None:
        first = self.old.ruleset.types.get(name)
        second = self.new.ruleset.types.get(name)
        if first is None or second is None or (first == second and not self._moved(first)):
            one = first or second
            assert one is not None
            side = self.old if first is not None else self.new
            self._set(name, side.type(one) if self._compound(one) is None else self._rebuilt(side, one))
            return
        both = self._both(name, first, second)
        if both is not None:
            self._set(name, both)
            return
        self.notes.append(f"the type {name} is not the same in both, and is kept apart")
        for side, which, one in ((self.old, "old", first), (self.new, "new", second)):
            rebuilt = self._rebuilt(side, one)
            assert isinstance(rebuilt, ty.IntT | ty.EnumT | ty.IdT | ty.RecordT | ty.EntityT), rebuilt
            apart = replace(rebuilt, name=f"{which}.{name}")
            side.types[name] = apart
            self.found[f"{which}.{name}"] = apart

    def _set(self, name: str, type_: Type) -> None:
        self.found[name] = type_
        for side in (self.old, self.new):
            if name in side.ruleset.types:
                side.types[name] = type_

    @staticmethod
    def _compound(type_: Type) -> Sequence[tuple[str, Type]] | None:
        match type_:
            case ty.RecordT(fields=parts) | ty.EntityT(keys=parts):
                return parts
            case _:
                return None

    def _moved(self, type_: Type) -> bool:
        """Whether a part of the type is of a type that has changed."""
        parts = self._compound(type_)
        return parts is not None and any(
            self.old.type(part) != part or self.new.type(part) != part for _, part in parts
        )

    @staticmethod
    def _rebuilt(side: Side, type_: Type) -> Type:
        match type_:
            case ty.RecordT(fields=parts):
                return replace(type_, fields=tuple((n, side.type(t)) for n, t in parts))
            case ty.EntityT(keys=parts):
                return replace(type_, keys=tuple((n, side.type(t)) for n, t in parts))
            case _:
                return type_

    def _both(self, name: str, first: Type, second: Type) -> Type | None:
        """A type that holds the values of both; None where there is none."""
        match first, second:
            case ty.IntT(), ty.IntT():
                return ty.IntT(_least(first.low, second.low), _most(first.high, second.high), name)
            case ty.IdT(), ty.IdT():
                return ty.IdT(name, max(first.maximum, second.maximum))
            case ty.EnumT(), ty.EnumT():
                return self._enumeration(name, first, second)
            case (ty.RecordT(), ty.RecordT()) | (ty.EntityT(), ty.EntityT()):
                a, b = self._rebuilt(self.old, first), self._rebuilt(self.new, second)
                return a if self._compound(a) == self._compound(b) else None
            case _:
                return None

    def _enumeration(self, name: str, first: ty.EnumT, second: ty.EnumT) -> Type | None:
        theirs = tuple(self.calling.common("value", value, name) for value in second.values)
        values = _in_both_orders(first.values, theirs)
        if values is None:
            return None
        written = {
            **dict(zip(theirs, second.written, strict=True)),
            **dict(zip(first.values, first.written, strict=True)),
        }
        for side, own in ((self.old, first.values), (self.new, theirs)):
            if own != values:
                side.places[name] = tuple(values.index(v) for v in own)
        return ty.EnumT(name, values, tuple(written[v] for v in values))

    def _actors(self) -> None:
        """Actors of one side alone, each taken for the one of the other side alone that does its acts."""
        old, new = self.old.ruleset, self.new.ruleset
        self.new.actors.update({s.new: s.old for s in self.calling.stated if s.kind == "actor"})
        pairs: set[tuple[str, str]] = set()
        for event in old.events.values():
            common = self.old.events[event.name]
            other = next((e for e in new.events.values() if self.new.events[e.name] == common), None)
            if other is None:
                continue
            stated = self.new.actors
            mine = sorted({*event.by} - {*new.actors} - {*stated.values()})
            theirs = sorted({*other.by} - {*old.actors} - {*stated})
            if len(mine) == len(theirs) == 1:
                pairs.add((mine[0], theirs[0]))
        for first, second in sorted(pairs):
            if sum(first == a or second == b for a, b in pairs) == 1:
                self.new.actors[second] = first
                self.notes.append(f"{second} (new) is taken for the {first} (old)")

    # ------------------------------------------------------------------------------------------------ state
    def _state(self) -> dict[str, StateField]:
        found: dict[str, StateField] = {}
        theirs = self.calling.by_common("state", tuple(self.new.ruleset.state))
        for name in dict.fromkeys([*self.old.ruleset.state, *theirs]):
            fields = [
                (side, which, field_)
                for side, which, own in ((self.old, "old", name), (self.new, "new", theirs.get(name, "")))
                if (field_ := side.ruleset.state.get(own)) is not None
            ]
            one = _held([side.type(f.type) for side, _, f in fields])
            if one is None:
                self.calling.unfit("state", name, "they are not of the same type")
            for side, which, f in fields:
                known = f"{which}.{name}" if one is None else name
                side.state[f.name] = known
                found.setdefault(known, replace(self._field(side, f, known), type=one or side.type(f.type)))
        return found

    @staticmethod
    def _field(side: Side, field_: StateField, name: str) -> StateField:
        initial = side.value(field_.type, field_.initial)
        return StateField(name, side.type(field_.type), field_.life, initial)

    def _entities(self) -> dict[str, Entity]:
        found: dict[str, Entity] = {}
        for name in dict.fromkeys([*self.old.ruleset.entities, *self.new.ruleset.entities]):
            first = self.old.ruleset.entities.get(name)
            second = self.new.ruleset.entities.get(name)
            if first is not None and second is not None and self.old.types[name] == self.new.types[name]:
                self.old.entities[name] = self.new.entities[name] = name
                found[name] = self._fields(name, first, second)
                continue
            for side, one in ((self.old, first), (self.new, second)):
                if one is None:
                    continue
                type_ = side.types[name]
                assert isinstance(type_, ty.EntityT)
                side.entities[name] = type_.name
                for f in one.fields:
                    side.fields[name, f.name] = f.name
                found[type_.name] = Entity(
                    type_, one.life, tuple(self._field(side, f, f.name) for f in one.fields)
                )
        return found

    def _fields(self, name: str, first: Entity, second: Entity) -> Entity:
        """The fields of an entity of both."""
        mine = {f.name: f for f in first.fields}
        theirs = {f.name: f for f in second.fields}
        shared = [n for n in mine if n in theirs and self._alike(mine[n], theirs[n])]
        only_old = [f for n, f in mine.items() if n not in theirs]
        only_new = [f for n, f in theirs.items() if n not in mine]
        taken = self._stated_fields(name, mine, theirs)
        only_old = [f for f in only_old if f.name not in taken.values()]
        only_new = [f for f in only_new if f.name not in taken]
        for f in only_old:
            type_ = self.old.type(f.type)
            here = [g for g in only_new if self.new.type(g.type) == type_]
            if len(here) == 1 and sum(self.old.type(g.type) == type_ for g in only_old) == 1:
                taken[here[0].name] = f.name
                self.notes.append(f"{here[0].name} of a {name} (new) is taken for its {f.name} (old)")
        fields: dict[str, StateField] = {}
        for side, which, own in ((self.old, "old", mine), (self.new, "new", theirs)):
            for n, f in own.items():
                known = n
                if which == "new" and n in taken:
                    known = taken[n]
                elif n in taken and n in mine:
                    known = n
                elif n in mine and n in theirs and n not in shared:
                    known = f"{which}.{n}"
                side.fields[name, n] = known
                fields.setdefault(known, self._field(side, f, known))
        type_ = self.old.types[name]
        assert isinstance(type_, ty.EntityT)
        return Entity(type_, first.life, tuple(fields.values()))

    def _stated_fields(
        self, entity: str, mine: Mapping[str, StateField], theirs: Mapping[str, StateField]
    ) -> dict[str, str]:
        """The new side's fields of an entity that are stated to be fields of the old."""
        found: dict[str, str] = {}
        for one in self.calling.stated:
            if (one.kind, one.within) == ("field", entity):
                if not self._alike(mine[one.old], theirs[one.new]):
                    self.calling.unfit("field", one.old, "they are not of the same type")
                found[one.new] = one.old
        return found

    def _alike(self, first: StateField, second: StateField) -> bool:
        """Whether two fields of one name are one. A longer list holds a shorter one, a wider range a narrower."""
        return self.old.type(first.type) == self.new.type(second.type)

    # ---------------------------------------------------------------------------------------------- the rest
    def _events(self) -> dict[str, Event]:
        found: dict[str, Event] = {}
        theirs = self.calling.by_common("act", tuple(self.new.ruleset.events))
        for name in dict.fromkeys([*self.old.ruleset.events, *theirs]):
            kinds = [
                (side, which, event)
                for side, which, own in ((self.old, "old", name), (self.new, "new", theirs.get(name, "")))
                if (event := side.ruleset.events.get(own)) is not None
            ]
            taken = [[side.type(p.type) for p in event.params] for side, _, event in kinds]
            alike = len({len(types) for types in taken}) == 1
            held = [_held(types) for types in zip(*taken, strict=True)] if alike else []
            one = alike and None not in held
            if not one:
                self.calling.unfit("act", name, "they do not take the same")
            for (side, which, event), types in zip(kinds, taken, strict=True):
                known = name if one else f"{which}.{name}"
                side.events[event.name] = known
                params = tuple(
                    Param(p.name, whole or type_)
                    for p, type_, whole in zip(
                        event.params, types, held if one else [None] * len(types), strict=True
                    )
                )
                bare = Event(known, params, event.by, (), (), (), event.observed, event.place, event.life)
                found.setdefault(known, bare)
        return found

    def _decisions(self) -> None:
        """Decisions that are stated to be one, by the old ruleset's names."""
        for one in self.calling.stated:
            if one.kind != "decision":
                continue
            first, second = self.old.ruleset.decisions[one.old], self.new.ruleset.decisions[one.new]
            if self.old.type(first.type) != self.new.type(second.type):
                self.calling.unfit("decision", one.old, "their answers are not of the same type")
            self.new.decisions[one.new] = one.old

    def _options(self) -> dict[str, Option]:
        found: dict[str, Option] = {}
        theirs = self.calling.by_common("option", tuple(self.new.ruleset.options))
        for name in dict.fromkeys([*self.old.ruleset.options, *theirs]):
            first = self.old.ruleset.options.get(name)
            second = self.new.ruleset.options.get(theirs.get(name, ""))
            if first is None or second is None:
                side, one = (self.old, first) if first is not None else (self.new, second)
                assert one is not None
                side.options[one.name] = name
                found[name] = _option(side, one, name)
                continue
            a, b = _option(self.old, first, name), _option(self.new, second, name)
            both = _shared(a, b)
            for side, own in ((self.old, first), (self.new, second)):
                side.options[own.name] = name
            if both is None:
                self.notes.append(f"the option {name} has no value that both allow, and is kept apart")
                for side, which, own, one in ((self.old, "old", first, a), (self.new, "new", second, b)):
                    side.options[own.name] = f"{which}.{name}"
                    found[f"{which}.{name}"] = replace(one, name=f"{which}.{name}")
            else:
                found[name] = both
        return found


def _option(side: Side, option: Option, name: str) -> Option:
    values = option.values
    return replace(
        option,
        name=name,
        type=side.type(option.type),
        values=None if values is None else tuple(side.value(option.type, v) for v in values),
        default=None,
    )


def _shared(first: Option, second: Option) -> Option | None:
    """An option of both, with the values that both allow; None where there are none."""
    match first.type, second.type:
        case ((ty.IntT() as a), (ty.IntT() as b)):
            low, high = _bound(max, a.low, b.low), _bound(min, a.high, b.high)
            if low is not None and high is not None and low > high:
                return None
            type_: Type = ty.IntT(low, high, a.name if a.name == b.name else None)
        case a, b:
            if a != b:
                return None
            type_ = a
    values = first.values if second.values is None else second.values
    if first.values is not None and second.values is not None:
        values = tuple(v for v in first.values if v in second.values)
        if not values:
            return None
    return replace(first, type=type_, values=values)


def _bound(choose: Callable[[int, int], int], a: int | None, b: int | None) -> int | None:
    return b if a is None else a if b is None else choose(a, b)


def _held(types: Sequence[Type]) -> Type | None:
    """The type that holds the values of all: of ranges without a name the range that does; None where there is none."""
    if len(set(types)) == 1:
        return types[0]
    ranges = [t for t in types if isinstance(t, ty.IntT) and t.name is None]
    if len(ranges) != len(types):
        return None
    whole = ranges[0]
    for other in ranges[1:]:
        whole = ty.IntT(_least(whole.low, other.low), _most(whole.high, other.high))
    return whole


def _least(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else min(a, b)


def _most(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else max(a, b)


def _in_both_orders(first: Sequence[str], second: Sequence[str]) -> tuple[str, ...] | None:
    """The values of both, each side's in its own order; None where the orders contradict each other."""
    shared = [v for v in first if v in second]
    if shared != [v for v in second if v in first]:
        return None
    found: list[str] = []
    rest = list(second)
    for value in first:
        if value in rest:
            at = rest.index(value)
            found += [v for v in rest[:at] if v not in found]
            rest = rest[at + 1 :]
        found.append(value)
    return (*found, *rest)
