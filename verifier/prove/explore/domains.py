"""The values that a variable is tried with in a state: every one where the type has an end, else those that matter."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from fractions import Fraction
from itertools import chain, islice, product
from typing import Any

from verifier.model import types as ty
from verifier.model.ruleset import Ruleset
from verifier.model.types import Type
from verifier.prove.scope import Ref, Scope
from verifier.run.machine import Machine

FEW = (0, 1, 2, 10, 100)
"""Amounts that are tried where nothing in the ruleset names any."""

MOST_KEPT = 1_000
"""So many lists of references, and of amounts, are kept."""

MOST_REFS = 600
"""So many references to what does not exist are tried where no scope lists them."""


TEXT = "text"
"""A text that is tried beside those that the ruleset names."""

FEW_PARTS = 6
"""Of each part of a record so many values are tried, where its values have no end."""

MOST_RECORDS = 240
"""So many such records are tried."""


def size(type_: Type) -> int:
    """About how many values there will be to try."""
    match type_:
        case ty.BoolT():
            return 2
        case ty.EnumT(values=values):
            return len(values)
        case ty.IdT():
            return 3
        case ty.EntityT():
            return 8
        case ty.IntT(low=low, high=high) if low is not None and high is not None:
            return high - low + 1
        case ty.OptT(of=of):
            return 1 + size(of)
        case ty.RecordT(fields=parts):
            total = 1
            for _, part in parts:
                total *= size(part)
            return total
        case _:
            return 500


def ends(type_: Type) -> bool:
    """Whether all values that a variable of the type can have in a state can be listed."""
    match type_:
        case ty.BoolT() | ty.EnumT() | ty.IdT() | ty.EntityT():
            return True
        case ty.IntT(low=low, high=high):
            return low is not None and high is not None and high - low < ty.MAX_VALUES
        case ty.OptT(of=of):
            return ends(of)
        case ty.RecordT(fields=parts):
            return all(ends(part) for _, part in parts)
        case _:
            return False


def values_of(type_: Type, machine: Machine, scope: Scope | None = None) -> list[Any]:
    """The values of the type in the state that the machine has entered: ids that are known, entities that exist.

    Empty for a type whose values have no end.
    """
    if scope is not None and str(type_) in scope.narrowed:
        return list(scope.narrowed[str(type_)])
    match type_:
        case ty.BoolT():
            return [False, True]
        case ty.EnumT(values=values):
            return list(range(len(values)))
        case ty.IntT(low=low, high=high):
            if low is None or high is None or high - low >= ty.MAX_VALUES:
                return []
            return list(range(low, high + 1))
        case ty.IdT(name=name):
            return list(machine.state.ids[name])
        case ty.EntityT(name=name):
            return list(machine.refs(name))
        case ty.OptT(of=of):
            return [None, *values_of(of, machine, scope)]
        case ty.RecordT(fields=parts):
            return list(product(*(values_of(part, machine, scope) for _, part in parts)))
        case _:
            return []


def references(type_: Type, machine: Machine, scope: Scope | None, most: int | None = None) -> list[Any]:
    """As `values_of`, but with references also to what does not exist, of the ids that are known; the first `most`."""
    match type_:
        case ty.EntityT(name=name, keys=keys):
            ids = machine.state.ids
            there = machine.refs(name)
            known = set(there)
            if scope is not None:
                more: Iterable[Ref] = (
                    ref for ref in scope.entities.get(name, ()) if all_known(type_, ref, ids)
                )
            else:
                more = _made(keys, machine)
            return list(islice(chain(there, (ref for ref in more if ref not in known)), most))
        case ty.OptT(of=of):
            return [None, *references(of, machine, scope, most)][:most]
        case ty.RecordT(fields=parts):
            # The first so many combinations are of the first so many values of each part.
            return list(islice(product(*(references(part, machine, scope, most) for _, part in parts)), most))
        case _:
            return values_of(type_, machine, scope)[:most]


def _made(keys: Sequence[tuple[str, Type]], machine: Machine) -> Iterable[Ref]:
    total = 1
    for _, part in keys:
        total *= max(1, size(part))
        if total > MOST_REFS * 8:
            return ()
    return list(product(*(references(part, machine, None) for _, part in keys)))[:MOST_REFS]


def all_known(type_: Type, value: Any, ids: Any) -> bool:
    """Whether every id in a value is one that the state has met."""
    match type_:
        case ty.IdT(name=kind):
            return value in ids[kind]
        case ty.EntityT(keys=parts) | ty.RecordT(fields=parts):
            return all(all_known(part, inner, ids) for (_, part), inner in zip(parts, value, strict=True))
        case ty.OptT(of=of):
            return value is None or all_known(of, value, ids)
        case _:
            return True


def fits(type_: Type, value: Any, machine: Machine, existing: bool) -> bool:
    """Whether a value that an equation gave is one that a variable of the type can have in the state.

    What need not be `existing` is an event's argument: a log states no amount below 0, though a state may keep one.
    """
    match type_:
        case ty.BoolT():
            return isinstance(value, bool)
        case ty.IntT(low=low, high=high):
            return (
                isinstance(value, int)
                and not isinstance(value, bool)
                and (low is None or value >= low)
                and (high is None or value <= high)
            )
        case ty.MoneyT():
            return isinstance(value, int | Fraction) and (existing or value >= 0)
        case ty.OddsT():
            return isinstance(value, int | Fraction) and value >= 0
        case ty.EnumT(values=values):
            return isinstance(value, int) and 0 <= value < len(values)
        case ty.IdT(name=name):
            return value in machine.state.ids[name]
        case ty.EntityT(name=name):
            if value is None:
                return False
            return not existing or value in machine.refs(name)
        case ty.OptT(of=of):
            return value is None or fits(of, value, machine, existing)
        case ty.RecordT(fields=parts):
            return value is not None and all(
                fits(part, inner, machine, existing) for (_, part), inner in zip(parts, value, strict=True)
            )
        case _:
            return value is not None


def amounts(points: Iterable[Any], units: Iterable[Any], type_: Type, most: int = 16) -> list[Any]:
    """Numbers worth trying: where something turns, one more and one less, and the nearest multiples of the units.

    Whole numbers only, within the bounds of the type, no amount below 0; the turning points come first.
    """
    exact: dict[int, None] = {}
    for point in points:
        if isinstance(point, Fraction):
            exact[point.numerator // point.denominator] = None
        elif isinstance(point, int) and not isinstance(point, bool):
            exact[point] = None
    whole = [u for u in units if isinstance(u, int) and u > 0]
    found: dict[int, None] = {} if whole else dict(exact)
    for unit in whole:
        for point in exact:
            found[-(-point // unit) * unit] = None
            found[point // unit * unit] = None
            found[-(-point // unit) * 2 * unit] = None
        for times in (1, 2, 10):
            found[times * unit] = None
    found.update(exact)
    for point in exact:
        found[point + 1] = None
        found[point - 1] = None
    for point in FEW:
        found[point] = None
    low, high = (type_.low, type_.high) if isinstance(type_, ty.IntT) else (0, None)
    kept = [n for n in found if (low is None or n >= low) and (high is None or n <= high)]
    return kept[:most]


def endless(
    type_: Type, points: Sequence[Any], units: Sequence[Any], values: Callable[[Type], Sequence[Any]]
) -> list[Any]:
    """Values worth trying of a type whose values have no end, in a log: `amounts`, texts, and what is made of these.

    `values` lists those of a type that has an end.
    """
    match type_:
        case ty.MoneyT() | ty.IntT() | ty.OddsT():
            return amounts(points, units, type_)
        case ty.TextT():
            return list(dict.fromkeys([*(p for p in points if isinstance(p, str) and p), TEXT]))
        case ty.OptT(of=of):
            return [None, *endless(of, points, units, values)]
        case ty.RecordT(fields=parts):
            lists = [
                values(part) if ends(part) else endless(part, points, units, values)[:FEW_PARTS]
                for _, part in parts
            ]
            return list(islice(product(*lists), MOST_RECORDS))
        case _:
            return list(values(type_))


def next_new(name: str, machine: Machine, scope: Scope) -> str | None:
    """The first id of a scope that the state which the machine has entered has not met."""
    return next((one for one in scope.ids.get(name, ()) if one not in machine.state.ids[name]), None)


def met_in_references(ruleset: Ruleset) -> frozenset[str]:
    """The types of ids of which no event names one but in the key of an entity, or beside an entity that has one there:
    so a new one may only be met."""
    plain = {
        name
        for event in ruleset.events.values()
        for name in {n for p in event.params for n, key in _ids_of(p.type) if not key}
        - {n for p in event.params for n, key in _ids_of(p.type) if key}
    }
    return frozenset(t.name for t in ruleset.types.values() if isinstance(t, ty.IdT)) - plain


def _ids_of(type_: Type, key: bool = False) -> Iterable[tuple[str, bool]]:
    """The types of ids in a type, each with whether it is in an entity's key."""
    match type_:
        case ty.IdT(name=name):
            yield name, key
        case ty.OptT(of=of):
            yield from _ids_of(of, key)
        case ty.RecordT(fields=parts):
            for _, part in parts:
                yield from _ids_of(part, key)
        case ty.EntityT(keys=parts):
            for _, part in parts:
                yield from _ids_of(part, True)
        case _:
            return


class Listed:
    """Lists of values to try that are kept from one state to the next, for as long as nothing changes them."""

    def __init__(self, machine: Machine, scope: Scope) -> None:
        self._machine, self._scope = machine, scope
        self._new = met_in_references(machine.ruleset)
        self._refs: dict[tuple[object, ...], tuple[Ref, ...]] = {}
        self._last: dict[str, tuple[tuple[Ref, ...], list[Ref], list[Ref]]] = {}
        self._amounts: dict[tuple[object, ...], list[Any]] = {}

    def references(self, type_: ty.EntityT) -> list[Ref]:
        """As `references`: those that exist in the state that the machine has entered stand first. Of ids that are met
        in no other way the next new one is among them."""
        ids: dict[str, Collection[str]] = dict(self._machine.state.ids)
        for name in self._new:
            new = next_new(name, self._machine, self._scope)
            ids[name] = [*ids[name], *(() if new is None else (new,))]
        key = (type_.name, *(tuple(names) for names in ids.values()))
        more = self._refs.get(key)
        if more is None:
            if len(self._refs) >= MOST_KEPT:
                self._refs.clear()
            every = self._scope.entities.get(type_.name, ())
            more = self._refs[key] = tuple(ref for ref in every if all_known(type_, ref, ids))
        there = self._machine.refs(type_.name)
        last = self._last.get(type_.name)
        if last is None or last[0] is not more or last[1] != there:
            known = set(there)
            found = [*there, *(ref for ref in more if ref not in known)]
            last = self._last[type_.name] = (more, there, found)
        return last[2]

    def amounts(self, points: tuple[Any, ...], units: tuple[Any, ...], type_: Type) -> list[Any]:
        """As `amounts`."""
        # A truth is no number there, and equals one.
        key = (type_, points, units, *map(type, points))
        found = self._amounts.get(key)
        if found is None:
            if len(self._amounts) >= MOST_KEPT:
                self._amounts.clear()
            found = self._amounts[key] = amounts(points, units, type_)
        return found
