"""The types of the rule language, resolved.

Values at run time: bool; int for numbers, money and enumerations (an enumeration's value is its position);
`Fraction` for odds and for money that is no whole number; str for texts and ids; a tuple of its parts for a
record; a tuple of its key's values for a reference; None for an absent optional; a tuple for a list.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BoolT:
    def __str__(self) -> str:
        return "yes or no"


@dataclass(frozen=True, slots=True)
class IntT:
    """Whole numbers from `low` to `high`, both included; None is no bound. `name` is only for messages."""

    low: int | None = None
    high: int | None = None
    name: str | None = None

    def __str__(self) -> str:
        if self.name:
            return self.name
        return "number" if self.low is None or self.high is None else f"{self.low}..{self.high}"


@dataclass(frozen=True, slots=True)
class MoneyT:
    """Minor units of the log's currency; exact."""

    def __str__(self) -> str:
        return "money"


@dataclass(frozen=True, slots=True)
class OddsT:
    """Paid for one staked; exact."""

    def __str__(self) -> str:
        return "odds"


@dataclass(frozen=True, slots=True)
class TextT:
    def __str__(self) -> str:
        return "text"


@dataclass(frozen=True, slots=True)
class IdT:
    """Somebody's or something's name; at most `maximum` of them live at a time."""

    name: str
    maximum: int

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class EnumT:
    name: str
    values: tuple[str, ...]
    written: tuple[str, ...]

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Form:
    """One way a value is written: literal pieces and part numbers in turn; only for values equal to `only`."""

    pieces: tuple[str | int, ...]
    only: tuple[object, ...] | None = None


@dataclass(frozen=True, slots=True)
class RecordT:
    name: str
    fields: tuple[tuple[str, Type], ...]
    forms: tuple[Form, ...] = ()

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class EntityT:
    """A reference: the key's parts and how it is written. What fields it has, the model's Entity says."""

    name: str
    keys: tuple[tuple[str, Type], ...]
    forms: tuple[Form, ...] = ()

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class OptT:
    of: Type

    def __str__(self) -> str:
        return f"{self.of}?"


@dataclass(frozen=True, slots=True)
class ListT:
    of: Type
    maximum: int

    def __str__(self) -> str:
        return f"list of {self.of}"


@dataclass(frozen=True, slots=True)
class SetT:
    of: Type

    def __str__(self) -> str:
        return f"set of {self.of}"


@dataclass(frozen=True, slots=True)
class MapT:
    key: Type
    of: Type

    def __str__(self) -> str:
        return f"{self.key} -> {self.of}"


@dataclass(frozen=True, slots=True)
class PartyT:
    """Who money moves from or to: the house, or an id."""

    def __str__(self) -> str:
        return "a party (`house`, or a person)"


Type = (
    BoolT
    | IntT
    | MoneyT
    | OddsT
    | TextT
    | IdT
    | EnumT
    | RecordT
    | EntityT
    | OptT
    | ListT
    | SetT
    | MapT
    | PartyT
)

BOOL = BoolT()
INT = IntT()
MONEY = MoneyT()
ODDS = OddsT()
TEXT = TextT()
PARTY = PartyT()


def numeric(type_: Type) -> bool:
    """Whether arithmetic is done on it."""
    return isinstance(type_, IntT | MoneyT | OddsT)


def fits(found: Type, wanted: Type) -> bool:
    """Whether a value of `found` may stand where `wanted` is expected. Ranges are checked by proof, not here."""
    match found, wanted:
        case IntT(), (IntT() | MoneyT()):
            return True
        case _, OptT(of=of) if not isinstance(found, OptT):
            return fits(found, of)
        case OptT(of=a), OptT(of=b):
            return fits(a, b)
        case SetT(of=a), SetT(of=b):
            return fits(a, b)
        case ListT(of=a), ListT(of=b):
            return fits(a, b)
        case IdT(), PartyT():
            return True
        case _:
            return found == wanted


def comparable(left: Type, right: Type) -> bool:
    """Whether `=` is meaningful between the two."""
    bare_left = left.of if isinstance(left, OptT) else left
    bare_right = right.of if isinstance(right, OptT) else right
    if numeric(bare_left) and numeric(bare_right):
        return True
    return bare_left == bare_right or fits(bare_left, bare_right) or fits(bare_right, bare_left)


MAX_VALUES = 20_000
"""A type with more values than this is not listed: nothing ranges over it."""


def simple_parts(type_: Type) -> Iterator[Type]:
    """The types that a value of the type is made of in the end: those of its keys and fields, down to what has none."""
    match type_:
        case EntityT(keys=parts) | RecordT(fields=parts):
            for _, part in parts:
                yield from simple_parts(part)
        case OptT(of=of):
            yield from simple_parts(of)
        case _:
            yield type_


def ids_within(type_: Type) -> Iterator[str]:
    """The id types that a value of the type names."""
    return (part.name for part in simple_parts(type_) if isinstance(part, IdT))


def count_values(type_: Type) -> int | None:
    """How many values a type has, or None where there is no end of them."""
    match type_:
        case BoolT():
            return 2
        case IntT(low=low, high=high):
            return None if low is None or high is None else high - low + 1
        case EnumT(values=values):
            return len(values)
        case RecordT(fields=parts) | EntityT(keys=parts):
            total = 1
            for _, part in parts:
                count = count_values(part)
                if count is None:
                    return None
                total *= count
            return total
        case OptT(of=of):
            inner = count_values(of)
            return None if inner is None else inner + 1
        case MoneyT() | OddsT() | TextT() | IdT() | ListT() | SetT() | MapT() | PartyT():
            return None


def finite_values(type_: Type) -> list[object] | None:
    """Every value of a small type, in order, or None where they are too many to list."""
    count = count_values(type_)
    if count is None or count > MAX_VALUES:
        return None
    match type_:
        case BoolT():
            return [False, True]
        case IntT(low=low, high=high):
            return None if low is None or high is None else list(range(low, high + 1))
        case EnumT(values=values):
            return list(range(len(values)))
        case RecordT(fields=fields):
            combined: list[tuple[object, ...]] = [()]
            for _, field in fields:
                values_ = finite_values(field)
                if values_ is None:
                    return None
                combined = [(*head, value) for head in combined for value in values_]
            return list(combined)
        case EntityT(keys=keys):
            return finite_values(RecordT("", keys))
        case OptT(of=of):
            inner = finite_values(of)
            return None if inner is None else [None, *inner]
        case MoneyT() | OddsT() | TextT() | IdT() | ListT() | SetT() | MapT() | PartyT():
            return None
