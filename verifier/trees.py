"""Trees of frozen dataclasses as JSON and back, in a form that is read quickly: what is parsed is kept so.

A tree is `[names, places, root]`. `names` are those of the classes that occur. In `root` a list is a node: its class by
number, or `TUPLE`, and its parts. The place that comes first in a node is left out; all such places stand in `places`
one after another, flat, in the order in which their nodes end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from datetime import date
from typing import Any

from verifier.cache import Json

TUPLE = -1


@dataclass(frozen=True, slots=True)
class Classes:
    """What a tree may be made of, besides None, truths, whole numbers, texts and tuples: the classes by name, dates
    among them if need be, and the one of places, if any, whose fields are whole numbers."""

    named: Mapping[str, type[Any]]
    place: type[Any] | None = None

    def placed(self, name: str) -> bool:
        """Whether the first field of a class is a place."""
        if self.place is None or self.named[name] is date:
            return False
        first = next(iter(fields(self.named[name])), None)
        return first is not None and first.type in (self.place, self.place.__name__)


def written(root: object, classes: Classes) -> Json:
    """A tree as JSON. Raises `KeyError` where something else is in it."""
    names: dict[str, int] = {}
    places: list[Json] = []

    def told(node: object) -> Json:
        if node is None or isinstance(node, bool | int | str):
            return node
        if isinstance(node, tuple):
            return [TUPLE, *map(told, node)]
        name = type(node).__name__
        if classes.named[name] is not type(node):
            raise KeyError(name)
        number = names.setdefault(name, len(names))
        if isinstance(node, date):
            return [number, node.year, node.month, node.day]
        values = [getattr(node, field.name) for field in fields(node)]  # type: ignore[arg-type]
        if not classes.placed(name):
            return [number, *map(told, values)]
        parts = [told(value) for value in values[1:]]
        places.extend(getattr(values[0], field.name) for field in fields(values[0]))
        return [number, *parts]

    found = told(root)
    return [list(names), places, found]


def built(value: Json, classes: Classes) -> Any:
    """The tree that was written. Of anything else it raises `LookupError`, `TypeError`, `ValueError` or
    `RecursionError`, or gives a tree of these classes."""
    match value:
        case [list() as names, list() as places, root]:
            return _built(root, [str(name) for name in names], places, classes)
        case _:
            raise ValueError("no tree")


def _built(root: Json, names: list[str], numbers: list[Json], classes: Classes) -> Any:
    makers: list[Callable[..., Any]] = [classes.named[name] for name in names]
    placed = [classes.placed(name) for name in names]
    places: list[Any] = []
    if classes.place is not None:
        each = iter(numbers)
        places = [classes.place(*one) for one in zip(*[each] * len(fields(classes.place)), strict=True)]
    places.reverse()
    next_place = places.pop

    def node(value: list[Json]) -> Any:
        number = value[0]
        parts = [node(part) if type(part) is list else part for part in value]
        if number == TUPLE:
            del parts[0]
            return tuple(parts)
        if type(number) is not int or number < 0:
            raise ValueError("no class")
        if placed[number]:
            parts[0] = next_place()
        else:
            del parts[0]
        return makers[number](*parts)

    found = node(root) if isinstance(root, list) else root
    if places:
        raise ValueError("places are left")
    return found
