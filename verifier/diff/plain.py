"""What may stand for a value in an example where that needs no other: lists cut short, numbered and in order."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

from verifier.model import types as ty
from verifier.model.types import Type


def shorter(type_: Type, value: object) -> tuple[object, ...]:
    """A list's beginnings, the shortest first."""
    if not isinstance(type_, ty.ListT) or not isinstance(value, tuple):
        return ()
    return tuple(value[:n] for n in range(1, len(value)))


def plain_ones(type_: Type, value: object) -> tuple[object, ...]:
    """What may stand for a value in an example where it needs no other, the plainest first."""
    match type_, value:
        case ty.ListT(), _:
            return _numbered(type_, value), _ordered(type_, value)
        case ty.MoneyT(), Fraction() | int():
            return 1, ceil(value)
        case _:
            return ()


def _numbered(type_: Type, value: object) -> object:
    """A list whose elements that number themselves are numbered by their places."""
    match type_, value:
        case ty.ListT(of=ty.RecordT() as of), tuple() if (at := _number(of)) is not None:
            return tuple(
                tuple(place if i == at else part for i, part in enumerate(element))
                for place, element in enumerate(value, 1)
            )
        case _:
            return value


def _ordered(type_: Type, value: object) -> object:
    """A list whose elements that number themselves stand in the order of their numbers."""
    match type_, value:
        case ty.ListT(of=ty.RecordT() as of), tuple() if (at := _number(of)) is not None:
            return tuple(sorted(value, key=lambda element: element[at]))
        case _:
            return value


def _number(type_: ty.RecordT) -> int | None:
    """Which part of a record is its only number."""
    at = [i for i, (_, t) in enumerate(type_.fields) if isinstance(t, ty.IntT)]
    return at[0] if len(at) == 1 else None
