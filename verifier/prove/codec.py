"""Values and states of the interpreter as JSON, exactly, and back."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from verifier.cache import Json
from verifier.model.values import HOUSE, House
from verifier.run.state import State


def state_to_json(state: State) -> Json:
    """A state; `state_of` reads it."""
    return to_json((state.fields, state.entities, tuple(state.counts), tuple(state.broken), dict(state.ids)))


def state_of(value: Json) -> State:
    """The state that was written. Raises `ValueError` for what is none."""
    fields, entities, counts, broken, ids = from_json(value)
    return State(fields, entities, list(counts), list(broken), ids)


def to_json(value: object) -> Json:
    """A value of the interpreter as JSON: what JSON lacks is a list that begins with what it is."""
    match value:
        case None | bool() | int() | str():
            return value
        case House():
            return ["house"]
        case Fraction(numerator=n, denominator=d):
            return ["fraction", n, d]
        case tuple():
            return ["tuple", *map(to_json, value)]
        case Mapping():
            return ["map", *([to_json(k), to_json(v)] for k, v in value.items())]
        case _:
            raise ValueError(value)


def from_json(value: Json) -> Any:
    """The value that `to_json` wrote. Raises `ValueError` for what it never writes."""
    match value:
        case None | bool() | int() | str():
            return value
        case ["house"]:
            return HOUSE
        case ["fraction", int(n), int(d)]:
            return Fraction(n, d)
        case ["tuple", *rest]:
            return tuple(map(from_json, rest))
        case ["map", *rest]:
            return dict(_pair(entry) for entry in rest)
        case _:
            raise ValueError(value)


def _pair(entry: Json) -> tuple[Any, Any]:
    match entry:
        case [key, value]:
            return from_json(key), from_json(value)
        case _:
            raise ValueError(entry)
