"""What is known where code is written: conditions that hold there are not asked again, and what they make certain needs
no test.

A fact is a key and a number, and follows from a truth value (`Truth.when`, `Truth.unless`). Conditions are told by
their code: within one function equal code gives equal values, for a local that code names has one value as long as what
was told of it is known.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from verifier.compile.emit import FALSE, TRUE, Truth
from verifier.model import terms as m
from verifier.model.terms import Term

AMONG = "among "
LONGEST = 400
"""A condition whose code is longer is asked again: to look for it would take longer than it saves."""


def is_present(code: str) -> str:
    """The key of the fact that an optional number, by its code, is there."""
    return f"there {code}"


def at_least(code: str) -> str:
    """The key of the fact that a list's length, by its code, is at least so much."""
    return f"length {code}"


VALUES = 64
"""Of a number are told apart so many values from 0 on, a bit each; the bit behind them is for all others."""
OTHERS = 1 << VALUES
ANY = (OTHERS << 1) - 1

COMPARED = re.compile(r"\(i64\.(eq|ne|lt_s|le_s|gt_s|ge_s) (.*) \(i64\.const (\d+)\)\)", re.DOTALL)
"""The code of a comparison with a number that is written out; what stands before that is one number's code."""

HOLDS: Mapping[str, Callable[[int, int], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt_s": operator.lt,
    "le_s": operator.le,
    "gt_s": operator.gt,
    "ge_s": operator.ge,
}


def is_among(code: str) -> str:
    """The key of the fact which values a number, by its code, may have."""
    return f"{AMONG}{code}"


@dataclass(slots=True)
class Facts:
    """What is known at a place."""

    known: Mapping[str, int] = field(default_factory=dict)

    @contextmanager
    def given(self, more: Mapping[str, int]) -> Iterator[None]:
        """Within, this is known too."""
        outer = self.known
        if more:
            self.known = joined(outer, more)
        try:
            yield
        finally:
            self.known = outer

    @contextmanager
    def none(self) -> Iterator[None]:
        """Within, nothing is known: it is about another state."""
        outer, self.known = self.known, {}
        try:
            yield
        finally:
            self.known = outer

    def compared(self, found: Truth, values: int) -> Truth:
        """A comparison of a number, which may have these values, with one that is written out: the answer, where they
        leave but one; and what follows for them."""
        if found.open or len(found.code) > LONGEST or (parts := COMPARED.fullmatch(found.code)) is None:
            return found
        name, code, number = parts[1], parts[2], int(parts[3])
        holds = sum(1 << n for n in range(VALUES) if HOLDS[name](n, number))
        fails = ANY ^ OTHERS ^ holds
        if name != "eq" or number >= VALUES:
            holds |= OTHERS
        if name != "ne" or number >= VALUES:
            fails |= OTHERS
        return self.among(found, code, holds, fails, values)

    def among(self, found: Truth, code: str, holds: int, fails: int, values: int) -> Truth:
        """As `compared`, for any question about one number: the values of which it may hold, and of which it may
        fail."""
        key = is_among(code)
        known = self.known.get(key, ANY) & values
        if not known & fails:
            return TRUE
        if not known & holds:
            return FALSE
        return replace(
            found,
            when=joined(found.when, {key: known & holds}),
            unless=joined(found.unless, {key: known & fails}),
        )

    def told(self, found: Truth) -> Truth:
        """A truth value, for one that may be known; and with it what follows from it."""
        if found.open or len(found.code) > LONGEST or found in (TRUE, FALSE):
            return found
        known = self.known.get(found.code)
        if known is not None:
            return TRUE if known else FALSE
        return replace(found, when={**found.when, found.code: 1}, unless={**found.unless, found.code: 0})


def joined(one: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    """Both; of a length the greater, of the values of a number those that both leave."""
    found = {**one, **other}
    for key in one.keys() & other.keys():
        found[key] = one[key] & other[key] if key.startswith(AMONG) else max(one[key], other[key])
    return found


def of_length(op: str, number: int, code: str) -> tuple[dict[str, int], dict[str, int]]:
    """What follows where a list's length, by its code, compares so with a number, and what where it does not."""
    key = at_least(code)
    match op:
        case ">=":
            return {key: number}, {}
        case ">":
            return {key: number + 1}, {}
        case "=":
            return {key: number}, {key: 1} if number == 0 else {}
        case "!=":
            return {key: 1} if number == 0 else {}, {key: number}
        case "<":
            return {}, {key: number}
        case "<=":
            return {}, {key: number + 1}
        case _:
            raise AssertionError(op)


def is_length(term: Term) -> bool:
    """Whether a term is how many elements a list has."""
    match term:
        case m.Length() | m.Fold(kind="number", where=None, domain=m.OverList()):
            return True
        case _:
            return False
