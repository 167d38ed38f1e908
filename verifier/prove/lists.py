"""How a list is represented. Only this module knows: so many slots with a length, the rest of a slot meaningless.

Running accumulators (a count, a total, the first three elements) are to replace the slots here: whoever reads a
list reads it through `length`, `elements`, `at` and `gained`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from verifier.prove.values import Num, Truth, add, and_, choose, choose_number, compare, equal, key_of, or_


@dataclass(frozen=True, slots=True)
class SlotList:
    """A list of at most as many elements as there are slots."""

    length: Num
    slots: tuple[Any, ...]

    def elements(self) -> list[tuple[Truth, Any]]:
        """Each slot with the condition that it holds an element, in order."""
        return [(compare(">", self.length, Num(i)), slot) for i, slot in enumerate(self.slots)]

    def at(self, index: Num, anything: Any) -> tuple[Any, Truth]:
        """The element with this number, from 1, and whether there is one."""
        there = and_(compare(">=", index, Num(1)), compare("<=", index, self.length))
        value = anything
        for i, slot in reversed(list(enumerate(self.slots, 1))):
            value = choose(compare("=", index, Num(i)), slot, value)
        return value, there

    def gained(self, value: Any) -> tuple[SlotList, Truth]:
        """The list with `value` at its end, and whether there is no slot for it."""
        slots = tuple(
            choose(compare("=", self.length, Num(i)), value, slot) for i, slot in enumerate(self.slots)
        )
        return SlotList(add(self.length, Num(1)), slots), compare(">=", self.length, Num(len(self.slots)))

    def within(self, slots: int) -> tuple[SlotList, Truth]:
        """The list with so many slots at most, and whether it is longer than that."""
        return SlotList(self.length, self.slots[:slots]), compare(">", self.length, Num(slots))

    def chosen(self, test: Truth, otherwise: SlotList) -> SlotList:
        """This list where `test` holds, else the other."""
        return SlotList(
            choose_number(test, self.length, otherwise.length),
            tuple(
                choose(test, self.slots[i], otherwise.slots[i])
                if i < min(len(self.slots), len(otherwise.slots))
                else (self.slots if i < len(self.slots) else otherwise.slots)[i]
                for i in range(max(len(self.slots), len(otherwise.slots)))
            ),
        )

    def equals(self, other: SlotList) -> Truth:
        """That both hold the same elements in the same order."""
        pairs = zip(self.elements(), other.slots, strict=False)
        return and_(
            compare("=", self.length, other.length),
            *(or_(compare("<=", self.length, Num(i)), equal(a, b)) for i, ((_, a), b) in enumerate(pairs)),
        )

    def key(self) -> Any:
        return ("list", key_of(self.length), *(key_of(slot) for slot in self.slots))


def empty() -> SlotList:
    return SlotList(Num(0), ())


def of_constants(values: list[Any], slots: int, anything: Any) -> SlotList:
    """A list of known length; the slots beyond hold `anything`."""
    return SlotList(Num(len(values)), (*values, *([anything] * (slots - len(values)))))


def of_variables(length: Num, slot: Callable[[int], Any], slots: int) -> SlotList:
    """A list of unknown length, `slot(i)` its element with number i from 1."""
    return SlotList(length, tuple(slot(i) for i in range(1, slots + 1)))
