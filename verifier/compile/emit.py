"""WebAssembly text, in folded form: what every part of the generator needs to write it."""

from __future__ import annotations

from dataclasses import dataclass, field

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
    """Code that leaves a 32-bit 0 or 1, and if `open` perhaps 3, which is undefined."""

    code: str
    open: bool = False


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
    used: set[str] = field(default_factory=set)
    """The labels of undefined values that something jumps to."""

    def local(self, kind: str = "i64") -> str:
        name = f"$v{len(self.locals)}"
        self.locals.append((name, kind))
        return name

    def label(self) -> str:
        self.labels += 1
        return f"$b{self.labels}"

    def undefined_if(self, condition: str, label: str) -> str:
        self.used.add(label)
        return f"(br_if {label} {condition})"

    def declared(self) -> str:
        return "".join(f"(local {name} {kind})" for name, kind in self.locals)


def i64(number: int) -> str:
    return f"(i64.const {int(number)})"


def i32(number: int) -> str:
    return f"(i32.const {int(number)})"


def load(at: int | str, offset: int = 0) -> str:
    where = i32(at) if isinstance(at, int) else at
    return f"(i64.load offset={offset} {where})" if offset else f"(i64.load {where})"


def store(at: int | str, value: str, offset: int = 0) -> str:
    where = i32(at) if isinstance(at, int) else at
    return f"(i64.store offset={offset} {where} {value})"


def add_to(at: int | str, by: int = 1, offset: int = 0) -> str:
    """One more in a cell."""
    return store(at, f"(i64.add {load(at, offset)} {i64(by)})", offset)


def if_(condition: str, then: str, otherwise: str = "") -> str:
    if condition == "(i32.const 1)":
        return then
    if condition == "(i32.const 0)":
        return otherwise
    tail = f" (else {otherwise})" if otherwise else ""
    return f"(if {condition} (then {then}){tail})"


def is_undefined(code: str) -> str:
    return f"(i64.eq {code} {i64(UNDEFINED)})"


def cell_offset(index: str) -> str:
    """Code for eight times a number."""
    return f"(i32.shl (i32.wrap_i64 {index}) (i32.const 3))"
