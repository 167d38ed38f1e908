"""WebAssembly text, in folded form: what every part of the generator needs to write it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from verifier.compile.encoding import UNDEFINED
from verifier.model.types import Type

LIMIT = 1 << 61
"""No number is larger, either way, at any step of a computation; a larger one goes to the interpreter."""


@dataclass(frozen=True, slots=True)
class Number:
    """Code that leaves a 64-bit number: the value times `den`, which lies from `low` to `high` (times `den` too)."""

    code: str
    low: int = -LIMIT
    high: int = LIMIT
    den: int = 1


@dataclass(frozen=True, slots=True)
class Truth:
    """Code that leaves a 32-bit 0 or 1, and if `open` perhaps 3, which is undefined. `when` is known where it is not 0,
    `unless` where it is not 1 (`verifier.compile.facts`)."""

    code: str
    open: bool = False
    when: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)
    unless: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)
    shape: tuple[Literal["all", "any", "not"], tuple[Truth, ...]] | None = field(
        default=None, compare=False, repr=False
    )
    """What it is made of: other than 0 where all are, where any is, or where the one is 0."""


OPEN, TELL, CLOSE = "\x02", "\x03", "\x04"
"""What stands around code that is marked, and after the number of what it is for."""

VARIED, VARIED_END = "\x05", "\x06"
"""What stands around a loop's variable where it has another value."""

BEGUN = re.compile("\x05([^\x06]*)\x06")
MARKED = re.compile("([\x02\x03\x04])")

WORD = 64
"""Bits of a number."""

OTHER = 1 << 62
"""The bit of `$lack` for whatever is no unstated option, and nothing that the log never records."""

FALSE = Truth("(i32.const 0)")
TRUE = Truth("(i32.const 1)")


@dataclass(frozen=True, slots=True)
class Bound:
    """A variable: the local that has its number; of an entity perhaps the local that has its row."""

    local: str
    type: Type
    low: int = -LIMIT
    high: int = LIMIT
    den: int = 1
    row: str | None = None


@dataclass(slots=True)
class Body:
    """One function being written: its locals and labels."""

    locals: list[tuple[str, str]] = field(default_factory=list)
    labels: int = 0
    shared: dict[object, int] = field(default_factory=dict)
    kinds: dict[int, str] = field(default_factory=dict)
    often: set[int] = field(default_factory=set)
    loops: list[str] = field(default_factory=list)
    """The variables of the loops in which the code that is being written stands,"""
    within: dict[str, list[int]] = field(default_factory=dict)
    """and what is the same while they are."""

    def begun(self, local: str) -> str:
        """What stands where a loop's variable has another value; it is code only once it is resolved."""
        return f"{VARIED}{local}{VARIED_END}"

    used: set[str] = field(default_factory=set)
    """The labels of undefined values that something jumps to."""
    tracking: bool = False
    """Whether what is undefined is to note why (`verifier.compile.lacking`)."""

    def local(self, kind: str = "i64") -> str:
        name = f"$v{len(self.locals)}"
        self.locals.append((name, kind))
        return name

    def label(self) -> str:
        self.labels += 1
        return f"$b{self.labels}"

    def jump_unless(self, truth: Truth, label: str) -> str:
        """Code that jumps where a truth value is 0."""
        match truth.shape:
            case ("all", items):
                return "".join(self.jump_unless(item, label) for item in items)
            case ("any", items):
                on = self.label()
                before = "".join(self.jump_if(item, on) for item in items[:-1])
                return f"(block {on} {before}{self.jump_unless(items[-1], label)})"
            case ("not", (of,)):
                return self.jump_if(of, label)
            case _:
                return f"(br_if {label} (i32.eqz {truth.code}))"

    def jump_if(self, truth: Truth, label: str) -> str:
        """Code that jumps where a truth value is not 0."""
        match truth.shape:
            case ("all", items):
                on = self.label()
                before = "".join(self.jump_unless(item, on) for item in items[:-1])
                return f"(block {on} {before}{self.jump_if(items[-1], label)})"
            case ("any", items):
                return "".join(self.jump_if(item, label) for item in items)
            case ("not", (of,)):
                return self.jump_unless(of, label)
            case _:
                return f"(br_if {label} {truth.code})"

    def where(self, truth: Truth, then: str) -> str:
        """Code that runs only where a truth value is not 0."""
        if truth == TRUE:
            return then
        if truth.shape is None:
            return f"(if {truth.code} (then {then}))"
        past = self.label()
        return f"(block {past} {self.jump_unless(truth, past)} {then})"

    def either(self, truth: Truth, then: str, otherwise: str, kind: str) -> str:
        """Code for a value that is one where a truth value is not 0, and another where it is."""
        if truth.shape is None:
            return f"(if (result {kind}) {truth.code} (then {then}) (else {otherwise}))"
        past, done = self.label(), self.label()
        return (
            f"(block {done} (result {kind}) (block {past} {self.jump_unless(truth, past)} (br {done} {then}))"
            f" {otherwise})"
        )

    def undefined_if(self, condition: str, label: str, why: int = OTHER) -> str:
        """Code that jumps where a value is undefined; `why` as a bit of `$lack`."""
        if not self.tracking:
            return self.passed_on(condition, label)
        self.used.add(label)
        return f"(if {condition} (then {lacking(why)} (br {label})))"

    def passed_on(self, condition: str, label: str) -> str:
        """Code that jumps where a part of a value is undefined, which has noted why."""
        self.used.add(label)
        return f"(br_if {label} {condition})"

    def noted(self, truth: Truth) -> Truth:
        """A truth value that has not noted why it is undefined, and rests on no option."""
        if not truth.open:
            return truth
        t = self.local("i32")
        code = (
            f"(block (result i32) (local.set {t} {truth.code})"
            f" (if (i32.eq (local.get {t}) (i32.const 3)) (then {lacking()})) (local.get {t}))"
        )
        return Truth(code, True, truth.when, truth.unless)

    def forgiven(self, truth: Truth) -> Truth:
        """A truth value that, where it is defined, leaves no note of what in it was undefined."""
        if not truth.open:
            return truth
        before, t = self.local(), self.local("i32")
        code = (
            f"(block (result i32) (local.set {before} {lack()}) (local.set {t} {truth.code})"
            f" (if (i32.ne (local.get {t}) (i32.const 3)) (then {lacked(before)})) (local.get {t}))"
        )
        return Truth(code, True, truth.when, truth.unless)

    def once(self, key: object, kind: str, code: str, varying: frozenset[str] = frozenset()) -> str:
        """Code for a value that is the same wherever it is asked for in this function, by `key`, while the variables
        `varying` of loops are; it is marked, until it is known how often that is (`resolved`): what stands in a loop
        of another variable is asked for often."""
        index = self.shared.setdefault(key, len(self.shared))
        if self.loops and self.loops[-1] not in varying:
            self.often.add(index)
        for local in varying:
            self.within.setdefault(local, []).append(index)
        self.kinds[index] = kind
        return f"{OPEN}{index}{TELL}{code}{CLOSE}"

    def resolved(self, code: str) -> str:
        """The function's code, where what is asked for in several places is kept from the first on. The locals are to
        be declared only then."""
        pieces = MARKED.split(code)
        often = Counter(int(piece) for piece, mark in pairwise(pieces) if mark == TELL)
        kept = {
            index: (self.local("i32"), self.local(self.kinds[index]))
            for index, n in often.items()
            if n > 1 or index in self.often
        }
        found: list[str] = []
        under_way: list[int] = []
        for piece, mark in zip(pieces, [*pieces[1:], ""], strict=True):
            match piece:
                case _ if mark == TELL:
                    index = int(piece)
                    under_way.append(index)
                    if index in kept:
                        known, value = kept[index]
                        found.append(
                            f"(if (result {self.kinds[index]}) (local.get {known}) (then (local.get {value}))"
                            f" (else (local.set {value} "
                        )
                case "\x02" | "\x03":
                    pass
                case "\x04":
                    index = under_way.pop()
                    if index in kept:
                        known, value = kept[index]
                        found.append(f") (local.set {known} (i32.const 1)) (local.get {value})))")
                case _:
                    found.append(piece)

        def forgotten(match: re.Match[str]) -> str:
            indices = dict.fromkeys(self.within.get(match[1], ()))
            return "".join(
                f"(local.set {kept[index][0]} (i32.const 0))" for index in indices if index in kept
            )

        return BEGUN.sub(forgotten, "".join(found))

    def declared(self) -> str:
        return "".join(f"(local {name} {kind})" for name, kind in self.locals)


def i64(number: int) -> str:
    return f"(i64.const {int(number)})"


def i32(number: int) -> str:
    return f"(i32.const {int(number)})"


SUM = "(i32.add "
"""What the code of an address begins with that is one and so many bytes more."""


def apart(where: str) -> tuple[str, int]:
    """Code for an address, and how many bytes more it is: no address is so large that their sum is not one."""
    if where.startswith(SUM):
        first, _, number = where[len(SUM) : -2].rpartition(" (i32.const ")
        if number.isdigit():
            return first, int(number)
    return where, 0


def constant_of(code: str) -> int | None:
    """The number that code for 64 bits is, where it is written out and not below 0."""
    number = code.removeprefix("(i64.const ")[:-1]
    return int(number) if number.isdigit() and len(number) + 12 == len(code) else None


def load(at: int | str, offset: int = 0) -> str:
    where = i32(at) if isinstance(at, int) else at
    where, more = apart(where)
    offset += more
    return f"(i64.load offset={offset} {where})" if offset else f"(i64.load {where})"


def store(at: int | str, value: str, offset: int = 0) -> str:
    where = i32(at) if isinstance(at, int) else at
    return f"(i64.store offset={offset} {where} {value})"


def add_to(at: int | str, by: int = 1, offset: int = 0) -> str:
    """One more in a cell."""
    return store(at, f"(i64.add {load(at, offset)} {i64(by)})", offset)


def lack() -> str:
    return "(global.get $lack)"


def lacking(why: int = OTHER) -> str:
    """Code that notes why something is undefined."""
    return f"(global.set $lack (i64.or {lack()} {i64(why)}))"


def lacked(before: str) -> str:
    """Code after which nothing is noted but what was when a local was set to it."""
    return f"(global.set $lack (local.get {before}))"


def if_(condition: str, then: str, otherwise: str = "") -> str:
    if condition == "(i32.const 1)":
        return then
    if condition == "(i32.const 0)":
        return otherwise
    tail = f" (else {otherwise})" if otherwise else ""
    return f"(if {condition} (then {then}){tail})"


def is_untold(code: str) -> str:
    """Whether a cell has instead of a value why nobody can tell it: `UNDEFINED`, and a bit's number more."""
    return f"(i64.lt_s {code} {i64(UNDEFINED + WORD)})"


def is_undefined(code: str) -> str:
    return f"(i64.eq {code} {i64(UNDEFINED)})"


def cell_offset(index: str) -> str:
    """Code for eight times a number."""
    return f"(i32.shl (i32.wrap_i64 {index}) (i32.const 3))"
