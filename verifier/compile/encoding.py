"""How the kernel holds values: every value but a list is one signed 64-bit number.

Numbers and money stand for themselves, odds for a multiple of one unit that the ruleset's denominators share, ids for
their place in the order first seen. A record or a reference is packed, its first part highest, so that packed values
are ordered as the interpreter orders them.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from verifier.model import types as ty
from verifier.model.types import Type

UNDEFINED = -(1 << 63)
"""What a function returns where its value is undefined, and what an option holds that is not stated."""

ABSENT = -(1 << 62)
"""An absent optional; in a column: no value."""

BAD = -(1 << 61)
"""In a column: a value that the kernel cannot take in (partial, or too large)."""

LARGEST = 1 << 52
"""No number that the state holds or an event brings is larger, either way; what is goes to the interpreter."""

ID_BITS = 20
WIDE_BITS = 32
"""A number without bounds has so many bits within a packed value."""

MOST_BITS = 62


class NotCompiledError(Exception):
    """A ruleset, or a part of it, that the kernel has no code for; the message says what."""


def bits(type_: Type) -> int:
    """How many bits a value of the type takes within a packed one. Raises `NotCompiledError`."""
    match type_:
        case ty.BoolT():
            return 1
        case ty.IntT(low=low, high=high):
            if low is None or high is None:
                return WIDE_BITS
            return max(1, (high - low).bit_length())
        case ty.EnumT(values=values):
            return max(1, (len(values) - 1).bit_length())
        case ty.IdT():
            return ID_BITS
        case ty.RecordT(fields=parts) | ty.EntityT(keys=parts):
            return sum(bits(part) for _, part in parts)
        case ty.OptT(of=of):
            return bits(of) + 1
        case _:
            raise NotCompiledError(f"{type_} within a key or a record")


def base(type_: Type) -> int:
    """What is taken off a number before it is packed, so that it is not below 0."""
    match type_:
        case ty.IntT(low=low, high=high):
            return -(1 << (WIDE_BITS - 1)) if low is None or high is None else low
        case _:
            return 0


def parts_of(type_: Type) -> tuple[Type, ...]:
    match type_:
        case ty.RecordT(fields=parts) | ty.EntityT(keys=parts):
            return tuple(part for _, part in parts)
        case _:
            raise AssertionError(type_)


def shifts(types: tuple[Type, ...]) -> list[int]:
    """By how much each part is shifted in a packed value of `types`."""
    found: list[int] = []
    total = sum(bits(part) for part in types)
    for part in types:
        total -= bits(part)
        found.append(total)
    return found


Ids = Mapping[str, Mapping[str, int]]
"""For each id type, its ids in the order first seen."""


def encode(type_: Type, value: Any, ids: Ids, unit: int = 1) -> int:
    """A value as the kernel holds it; `unit` is the denominator of odds. Raises `NotCompiledError`."""
    match type_:
        case ty.OptT(of=of):
            return ABSENT if value is None else encode(of, value, ids, unit)
        case ty.BoolT() | ty.EnumT():
            _demand(isinstance(value, int), value)
            return int(value)
        case ty.IntT() | ty.MoneyT():
            if type(value) is not int or not -LARGEST <= value <= LARGEST:
                raise NotCompiledError(f"the number {value}")
            if isinstance(type_, ty.IntT) and type_.low is not None and type_.high is not None:
                _demand(type_.low <= value <= type_.high, value)
            return value
        case ty.OddsT():
            scaled = Fraction(value) * unit
            _demand(scaled.denominator == 1 and abs(scaled) <= LARGEST, value)
            return int(scaled)
        case ty.IdT(name=name):
            number = ids.get(name, {}).get(value)
            if number is None or number >= 1 << ID_BITS:
                raise NotCompiledError(f"the id {value}")
            return number
        case ty.RecordT() | ty.EntityT():
            _demand(type(value) is tuple, value)
            return pack(parts_of(type_), value, ids)
        case _:
            raise NotCompiledError(f"a value of {type_}")


def _demand(holds: bool, value: object) -> None:
    if not holds:
        raise NotCompiledError(f"the value {value}")


def pack(types: tuple[Type, ...], values: tuple[Any, ...], ids: Ids) -> int:
    """Several values in one."""
    found = 0
    for type_, value in zip(types, values, strict=True):
        found = found << bits(type_) | _packed(type_, value, ids)
    return found


def _packed(type_: Type, value: Any, ids: Ids) -> int:
    if isinstance(type_, ty.OptT):
        return 0 if value is None else 1 << bits(type_.of) | _packed(type_.of, value, ids)
    number = encode(type_, value, ids) - base(type_)
    _demand(0 <= number < 1 << bits(type_), value)
    return number


Names = Mapping[str, list[str]]
"""For each id type, its ids by number."""


def decode(type_: Type, number: int, names: Names, unit: int = 1) -> Any:
    """The value that a number stands for."""
    match type_:
        case ty.OptT(of=of):
            return None if number == ABSENT else decode(of, number, names, unit)
        case ty.BoolT():
            return bool(number)
        case ty.IntT() | ty.MoneyT() | ty.EnumT():
            return number
        case ty.OddsT():
            odds = Fraction(number, unit)
            return odds.numerator if odds.denominator == 1 else odds
        case ty.IdT(name=name):
            return names[name][number]
        case ty.RecordT() | ty.EntityT():
            return unpack(parts_of(type_), number, names)
        case _:
            raise NotCompiledError(f"a value of {type_}")


def unpack(types: tuple[Type, ...], number: int, names: Names) -> tuple[Any, ...]:
    """The values packed in one."""
    found: list[Any] = []
    for type_, shift in zip(types, shifts(types), strict=True):
        part = number >> shift & ((1 << bits(type_)) - 1)
        if isinstance(type_, ty.OptT):
            inner = bits(type_.of)
            present = part >> inner & 1
            found.append(
                decode(type_.of, (part & ((1 << inner) - 1)) + base(type_.of), names) if present else None
            )
        else:
            found.append(decode(type_, part + base(type_), names))
    return tuple(found)


def range_of(type_: Type) -> tuple[int, int]:
    """The least and the largest number that a cell of the type holds, absence apart."""
    match type_:
        case ty.OptT(of=of):
            return range_of(of)
        case ty.BoolT():
            return 0, 1
        case ty.IntT(low=low, high=high):
            return (-LARGEST if low is None else low), (LARGEST if high is None else high)
        case ty.MoneyT() | ty.OddsT():
            return -LARGEST, LARGEST
        case ty.EnumT(values=values):
            return 0, len(values) - 1
        case _:
            return 0, 1 << MOST_BITS - 1
