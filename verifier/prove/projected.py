"""What is told apart of the elements of a list: those of their parts that are read, and no others.

A parcel has a weight, a colour and a number. Where only weights are read there are as many sorts of it as weights.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import product
from math import prod

from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.declare import default_of
from verifier.model.terms import Term, children
from verifier.model.types import Type
from verifier.prove.reached import reached

MOST_SORTS = 100
"""Elements of more sorts are not counted by them: of such a list nothing is known but which one it is."""


@dataclass(frozen=True, slots=True)
class Read:
    """Of each record and kind of entity, which of its parts are read (`whole`: all of them), and of which it is only
    asked whether one value is another. `picks` are the elements of lists, picked out by what they are, that others
    are held against, in an order that hangs on nothing else."""

    parts: Mapping[str, frozenset[int]]
    whole: frozenset[str]
    compared: frozenset[str]
    picks: tuple[m.Pick, ...] = ()

    def key(self) -> Hashable:
        return frozenset(self.parts.items()), self.whole, self.compared, self.picks


NOTHING = Read({}, frozenset(), frozenset())


class Unread(Enum):
    """Stands for a part of a value of which only is asked whether it is the same as that of another."""

    PART = "unread"


def read_of(program: Program, terms: Sequence[Term]) -> tuple[Read, bool]:
    """What the terms read of records, with the functions and decisions that they call; and whether of any list."""
    parts: dict[str, frozenset[int]] = {}
    whole: set[str] = set()
    compared: set[str] = set()
    picks: set[m.Pick] = set()
    lists = False
    for term in reached(program, terms):
        match term:
            case m.Length() | m.At():
                lists = True
            case m.Quant(domain=m.OverList()) | m.Fold(domain=m.OverList()):
                lists = True
            case m.Pick(domain=m.OverList()):
                lists = True
                picks.add(term)
            case m.Part(of=of, index=index):
                for name in _outermost(of.type):
                    parts[name] = parts.get(name, frozenset()) | {index}
            case m.Decide(type=type_):
                # Where two rules decide it, their values are held against each other.
                whole |= set(_names(type_))
            case m.CompareT(left=left, right=right):
                compared |= {*_outermost(left.type), *_outermost(right.type)}
                whole |= {*_within(left.type), *_within(right.type)}
            case _:
                pass
        if not isinstance(term, _HANDED_ON):
            for child in children(term):
                whole |= set(_names(child.type))
    held = [pick for pick in picks if compared & set(_outermost(pick.domain.type))]
    return Read(parts, frozenset(whole), frozenset(compared), tuple(sorted(held, key=repr))), lists


_HANDED_ON = (
    m.Part,
    m.CallF,
    m.Decide,
    m.CompareT,
    m.Ite,
    m.Force,
    m.Present,
    m.AfterT,
    m.Quant,
    m.Fold,
    m.Pick,
    m.Length,
    m.At,
)
"""Terms that read no more of a record within them than is noted of themselves, or others do of what they hand on."""


def sorts(type_: Type, read: Read) -> list[object] | None:
    """Values of a type, one for each sort of them that what is read tells apart; None where these are too many.

    Parts of which nothing is asked are anything; those of the value as a whole that are only held against those of
    another are `Unread`.
    """
    number = _number(type_, read)
    return None if number is None or number > MOST_SORTS else list(_sorts(type_, read))


def unread(value: object) -> bool:
    """Whether a sort leaves open what is held against others."""
    return isinstance(value, tuple) and Unread.PART in value


def told_apart(type_: ty.RecordT | ty.EntityT, read: Read, nested: bool = False) -> list[bool]:
    """Of each of a record's parts, whether it is read. Records that are `nested` in others are read as a whole where
    they are held against others by themselves."""
    parts = type_.fields if isinstance(type_, ty.RecordT) else type_.keys
    known, name = read.parts.get(type_.name, frozenset()), type_.name
    every = name in read.whole or (nested and name in read.compared)
    return [every or i in known for i, _ in enumerate(parts)]


def _number(type_: Type, read: Read, nested: bool = False) -> int | None:
    match type_:
        case ty.RecordT(fields=parts) | ty.EntityT(keys=parts):
            told = zip(parts, told_apart(type_, read, nested), strict=True)
            numbers = [_number(of, read, True) for (_, of), known in told if known]
            finite = [n for n in numbers if n is not None]
            return prod(finite) if len(finite) == len(numbers) else None
        case ty.OptT(of=of):
            number = _number(of, read, True)
            return None if number is None else number + 1
        case _:
            return ty.count_values(type_)


def _sorts(type_: Type, read: Read, nested: bool = False) -> Iterator[object]:
    match type_:
        case ty.RecordT(name=name, fields=parts) | ty.EntityT(name=name, keys=parts):
            marked = not nested and name in read.compared
            told = zip(parts, told_apart(type_, read, nested), strict=True)
            yield from product(
                *(
                    _sorts(of, read, True) if known else (Unread.PART if marked else default_of(of),)
                    for (_, of), known in told
                )
            )
        case ty.OptT(of=of):
            yield None
            yield from _sorts(of, read, True)
        case _:
            yield from ty.finite_values(type_) or ()


def _names(type_: Type) -> Iterator[str]:
    """The records and kinds of entity that a value of the type holds, or a list's elements are or hold."""
    match type_:
        case ty.OptT(of=of) | ty.ListT(of=of):
            yield from _names(of)
        case ty.RecordT(name=name, fields=parts) | ty.EntityT(name=name, keys=parts):
            yield name
            for _, of in parts:
                yield from _names(of)
        case _:
            return


def _within(type_: Type) -> Iterator[str]:
    """Those that the elements of a list hold: of lists that are held against each other all is read."""
    if isinstance(plain := _plain(type_), ty.ListT):
        yield from _names(plain.of)


def _outermost(type_: Type) -> Iterator[str]:
    """The record or kind of entity that a value of the type is, if any."""
    if isinstance(plain := _plain(type_), ty.RecordT | ty.EntityT):
        yield plain.name


def _plain(type_: Type) -> Type:
    """The type of what is there, where it may be absent."""
    return _plain(type_.of) if isinstance(type_, ty.OptT) else type_
