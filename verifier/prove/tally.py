"""Lists of any length: their first elements by number, and how many of each value stand behind those.

Whatever is said of all elements of a list alike (how many are so, what they add up to, whether some are) is the same
for every order of them, so that to count them by their values loses nothing. What hangs on the order of those behind
the first is left open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from verifier.prove.values import (
    CannotEncodeError,
    Num,
    Truth,
    add,
    and_,
    choose,
    choose_number,
    choose_truth,
    compare,
    equal,
    key_of,
    or_,
    same_truth,
    total,
)


@dataclass(frozen=True, slots=True)
class Mark:
    """Stands for what nobody reads of an element, but to ask whether it is the same as that of one other element.

    `of` tells of which list it is. One element is marked in each; of any other is known whether all of it that nobody
    reads is the `same` as of the marked one there. Of two of which neither is the marked one nothing is known.
    """

    of: str
    same: Truth

    def equals(self, other: Any) -> Truth:
        """That both are the same."""
        if not isinstance(other, Mark) or other.of != self.of:
            raise too_many()
        if self.same is True:
            return other.same
        if other.same is True:
            return self.same
        raise too_many()

    def chosen(self, test: Truth, otherwise: Any) -> Mark:
        """This one where `test` holds, else the other."""
        if not isinstance(otherwise, Mark) or otherwise.of != self.of:
            raise too_many()
        return Mark(self.of, choose_truth(test, self.same, otherwise.same))

    def key(self) -> Any:
        return ("mark", self.of, key_of(self.same))

    def leaves(self) -> tuple[Any, ...]:
        """The values that it is made of."""
        return (self.same,)


def is_of(value: Any, sort: Any) -> Truth:
    """That an element is of a sort of its list; of its mark that is asked too."""
    match value, sort:
        case Mark(same=a), Mark(same=b):
            return same_truth(a, b)
        case tuple(), tuple():
            return and_(*(is_of(a, b) for a, b in zip(value, sort, strict=True)))
        case _:
            return equal(value, sort)


def too_many() -> CannotEncodeError:
    """What is raised where more has to be known of the elements of lists than how many there are of each sort."""
    return CannotEncodeError(
        "elements of lists of any length are held against more than one of their list",
        "it is asked of lists that have so many elements at most",
    )


@dataclass(frozen=True, slots=True)
class Element:
    """What may stand in a list: `number` times where it is `behind` the first, else once."""

    there: Truth
    value: Any
    number: Num
    behind: bool


@dataclass(frozen=True, slots=True)
class Tally:
    """A list. `rest` has how many of each of `values` stand behind `slots`, which hold the first elements.

    `ordered` tells of two lists with elements of the same sorts whether they are the same; `beyond` what the element is
    that has a number behind the first. Both may be anything. Where elements are `marked`, there are two of `values`
    for each sort: those that are not as the marked one, and those that are, but for what is read.
    """

    length: Num
    slots: tuple[Any, ...]
    values: tuple[Any, ...]
    rest: tuple[Num, ...]
    ordered: Callable[[Tally, Tally], Truth]
    beyond: Callable[[Tally, Num], Any]
    marked: str | None = None

    def each(self) -> Iterator[Element]:
        """What may stand in it, the first elements in order and then those behind."""
        one = Num(1)
        for i, slot in enumerate(self.slots):
            yield Element(compare(">", self.length, Num(i)), slot, one, False)
        for value, number in zip(self.values, self.rest, strict=True):
            yield Element(compare(">=", number, one), value, number, True)

    def elements(self) -> list[tuple[Truth, Any]]:
        """The same, each with the condition that it is there."""
        return [(one.there, one.value) for one in self.each()]

    def at(self, index: Num, _: Any) -> tuple[Any, Truth]:
        """The element with this number, from 1, and whether there is one."""
        there = and_(compare(">=", index, Num(1)), compare("<=", index, self.length))
        behind = compare(">", index, Num(len(self.slots)))
        value = self.slots[0] if behind is False else self.beyond(self, index)
        for i, slot in enumerate(self.slots, 1):
            value = choose(compare("=", index, Num(i)), slot, value)
        return value, there

    def counted(self) -> Iterator[Truth]:
        """What holds of its numbers: there are as many elements as it is long."""
        first = Num(len(self.slots))
        yield compare(">=", self.length, Num(0))
        for number in self.rest:
            yield compare(">=", number, Num(0))
        some = compare(">", self.length, first)
        behind = choose_number(some, add(self.length, Num(-len(self.slots))), Num(0))
        yield compare("=", total(self.rest), behind)

    def chosen(self, test: Truth, otherwise: Tally) -> Tally:
        """This list where `test` holds, else the other."""
        if self.marked != otherwise.marked:
            raise too_many()
        return Tally(
            choose_number(test, self.length, otherwise.length),
            tuple(choose(test, a, b) for a, b in zip(self.slots, otherwise.slots, strict=True)),
            self.values,
            tuple(choose_number(test, a, b) for a, b in zip(self.rest, otherwise.rest, strict=True)),
            self.ordered,
            self.beyond,
            self.marked,
        )

    def equals(self, other: Tally) -> Truth:
        """That both hold the same elements in the same order."""
        if self.marked is None and other.marked is None:
            told = compare("<=", self.length, Num(len(self.slots) + 1))
            first = [
                or_(compare("<=", self.length, Num(i)), equal(a, b))
                for i, (a, b) in enumerate(zip(self.slots, other.slots, strict=True))
            ]
        else:
            told, first = compare("=", self.length, Num(0)), []
        return and_(
            compare("=", self.length, other.length),
            *first,
            *(compare("=", a, b) for a, b in zip(self.sorts(), other.sorts(), strict=True)),
            or_(told, self.ordered(self, other)),
        )

    def sorts(self) -> tuple[Num, ...]:
        """How many there are of each sort behind the first."""
        if self.marked is None:
            return self.rest
        return tuple(add(a, b) for a, b in zip(self.rest[::2], self.rest[1::2], strict=True))

    def key(self) -> Any:
        return ("tally", key_of(self.length), key_of(self.slots), key_of(self.rest))

    def leaves(self) -> tuple[Any, ...]:
        """The values that it is made of."""
        return (self.length, *self.slots, *self.rest)
