"""Values of the core in Z3, and what can be done to them. Constants stay Python's and fold away at once.

A value is a truth (`bool` or a Z3 Bool), a `Num`, a tuple of its parts (records, references), an `Opt` or a
`SlotList`. Whether it is defined is never part of it: see `verifier.prove.encode`.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import z3

from verifier.errors import Problem, VerifierError
from verifier.model.terms import COMPARED
from verifier.prove import build

Truth = Any
"""`bool`, or a Z3 Bool."""

MOST_CASES = 64
"""A factor or divisor that is no constant is split over its possible values where there are at most this many."""


class CannotEncodeError(VerifierError):
    """The core says something for which there is no exact translation to linear integer arithmetic."""

    def __init__(self, message: str, help: str) -> None:
        super().__init__(Problem(message, code="cannot-encode", help=help))


# ------------------------------------------------------------------------------------------------- truths
def and_(*items: Truth) -> Truth:
    """All of `items`."""
    rest: list[Any] = []
    for item in items:
        if item is False:
            return False
        if item is not True:
            rest.append(item)
    if not rest:
        return True
    return rest[0] if len(rest) == 1 else build.all_of(rest)


def or_(*items: Truth) -> Truth:
    """Some of `items`."""
    rest: list[Any] = []
    for item in items:
        if item is True:
            return True
        if item is not False:
            rest.append(item)
    if not rest:
        return False
    return rest[0] if len(rest) == 1 else build.some_of(rest)


def not_(item: Truth) -> Truth:
    return (not item) if isinstance(item, bool) else build.negated(item)


def same_truth(left: Truth, right: Truth) -> Truth:
    if isinstance(left, bool):
        return right if left else not_(right)
    if isinstance(right, bool):
        return left if right else not_(left)
    return build.same(left, right)


def choose_truth(test: Truth, then: Truth, otherwise: Truth) -> Truth:
    if isinstance(test, bool):
        return then if test else otherwise
    if isinstance(then, bool) and isinstance(otherwise, bool):
        return then if then is otherwise else (test if then else not_(test))
    if isinstance(then, bool):
        return or_(test, otherwise) if then else and_(not_(test), otherwise)
    if isinstance(otherwise, bool):
        return or_(not_(test), then) if otherwise else and_(test, then)
    return then if build.identical(then, otherwise) else build.truth_if(test, then, otherwise)


# ------------------------------------------------------------------------------------------------ numbers
@dataclass(frozen=True, slots=True)
class Num:
    """The rational `n / den`. `den` is a constant above 0, so that arithmetic is exact and stays linear."""

    n: Any
    den: int = 1

    @property
    def constant(self) -> bool:
        return isinstance(self.n, int)


def number(value: Any) -> Num:
    """A constant: an int or a `Fraction`."""
    exact = Fraction(value)
    return Num(exact.numerator, exact.denominator)


def scaled(num: Num, den: int) -> Any:
    """The numerator of `num` over `den`, a multiple of its own denominator."""
    factor = den // num.den
    return num.n if factor == 1 else num.n * factor


def common(left: Num, right: Num) -> tuple[Any, Any, int]:
    """Both numerators over one denominator."""
    den = lcm(left.den, right.den)
    return scaled(left, den), scaled(right, den), den


def compare(op: str, left: Num, right: Num) -> Truth:
    """`left op right`, `op` one of `= != < <= > >=`."""
    a, b, _ = common(left, right)
    if isinstance(a, int) and isinstance(b, int):
        return COMPARED[op](a, b)
    match op:
        case "=":
            return build.same(a, b)
        case "!=":
            return build.negated(build.same(a, b))
        case "<":
            return build.below(a, b)
        case "<=":
            return build.at_most(a, b)
        case ">":
            return build.below(b, a)
        case ">=":
            return build.at_most(b, a)
        case _:
            raise AssertionError(op)


def add(left: Num, right: Num) -> Num:
    a, b, den = common(left, right)
    if isinstance(a, int) and a == 0:
        return right
    if isinstance(b, int) and b == 0:
        return left
    return Num(_sum(a, b), den)


def _sum(a: Any, b: Any) -> Any:
    if isinstance(a, int):
        return a + b if isinstance(b, int) else build.sum_of((build.whole(a), b))
    return build.sum_of((a, build.whole(b) if isinstance(b, int) else b))


def negative(num: Num) -> Num:
    return Num(-num.n, num.den)


def total(items: Iterable[Num]) -> Num:
    """The sum of `items`."""
    listed = list(items)
    den = lcm(1, *(item.den for item in listed))
    fixed = sum(scaled(item, den) for item in listed if item.constant)
    rest = [scaled(item, den) for item in listed if not item.constant]
    if not rest:
        return Num(fixed, den)
    terms = [*rest, build.whole(fixed)] if fixed else rest
    return Num(terms[0] if len(terms) == 1 else build.sum_of(terms), den)


def times(left: Num, by: Num) -> Num:
    """A product of which one factor at least is a constant."""
    if left.constant and not by.constant:
        left, by = by, left
    assert by.constant
    if by.n == 0:
        return Num(0)
    return Num(left.n if by.n == 1 else left.n * by.n, left.den * by.den)


def divided(left: Num, by: Num) -> Num:
    """A quotient by a constant that is not 0."""
    assert by.constant
    assert by.n
    flipped = Num(by.den, by.n) if by.n > 0 else Num(-by.den, -by.n)
    return times(left, flipped)


def modulo(left: Num, by: Num) -> Num:
    """What the division by a constant leaves, with the divisor's sign, as Python has it."""
    a, b, den = common(left, by)
    assert isinstance(b, int)
    assert b
    if isinstance(a, int):
        return Num(a % b, den)
    return Num(a % b if b > 0 else -((-a) % -b), den)


def whole_quotient(left: Num, by: Num) -> Num:
    """The quotient by a constant, rounded down, as Python has it."""
    a, b, _ = common(left, by)
    assert isinstance(b, int)
    assert b
    if isinstance(a, int):
        return Num(a // b)
    return Num(a / b if b > 0 else (-a) / -b)


def choose_number(test: Truth, then: Num, otherwise: Num) -> Num:
    if isinstance(test, bool):
        return then if test else otherwise
    a, b, den = common(then, otherwise)
    if isinstance(a, int) and isinstance(b, int):
        return Num(a, den) if a == b else Num(build.number_if(test, a, b), den)
    if not isinstance(a, int) and not isinstance(b, int) and build.identical(a, b):
        return Num(a, den)
    return Num(build.number_if(test, a, b), den)


Known = dict[int, frozenset[int] | None]
"""The values that Z3 expressions can have, by id; None where they are not few."""


def possible(num: Num, known: Known) -> list[int] | None:
    """The numerators that `num` can have, where it is made of few constants and what is `known`; else None."""
    found = _possible(num.n, dict(known))
    return None if found is None else sorted(found)


def _possible(expr: Any, memo: Known) -> frozenset[int] | None:
    if isinstance(expr, int):
        return frozenset((expr,))
    name = expr.get_id()
    if name not in memo:
        memo[name] = None
        memo[name] = _possible_of(expr, memo)
    return memo[name]


def _possible_of(expr: Any, memo: Known) -> frozenset[int] | None:
    if z3.is_int_value(expr):
        return frozenset((expr.as_long(),))
    if z3.is_app_of(expr, z3.Z3_OP_ITE):
        then, otherwise = _possible(expr.arg(1), memo), _possible(expr.arg(2), memo)
        return None if then is None or otherwise is None else _few(then | otherwise)
    if not z3.is_add(expr) and not z3.is_mul(expr):
        return None
    operation = operator.add if z3.is_add(expr) else operator.mul
    found: frozenset[int] | None = None
    for child in expr.children():
        side = _possible(child, memo)
        if side is None:
            return None
        found = side if found is None else _few(frozenset(operation(a, b) for a in found for b in side))
        if found is None:
            return None
    return found


def _few(values: frozenset[int]) -> frozenset[int] | None:
    return values if len(values) <= MOST_CASES else None


# --------------------------------------------------------------------------------------- values of any kind
@dataclass(frozen=True, slots=True)
class Opt:
    """An optional: `value` is anything where it is not `present`."""

    present: Truth
    value: Any


def optional(value: Any) -> Opt:
    """`value` as an optional, which it may be already."""
    return value if isinstance(value, Opt) else Opt(True, value)


def choose(test: Truth, then: Any, otherwise: Any) -> Any:
    """`then` where `test` holds, else `otherwise`; both of one type, optional or not."""
    if isinstance(test, bool):
        return then if test else otherwise
    if then is otherwise:
        return then
    match then, otherwise:
        case (Opt(), _) | (_, Opt()):
            left, right = optional(then), optional(otherwise)
            return Opt(choose_truth(test, left.present, right.present), choose(test, left.value, right.value))
        case Num(), Num():
            return choose_number(test, then, otherwise)
        case tuple(), tuple():
            return tuple(choose(test, a, b) for a, b in zip(then, otherwise, strict=True))
        case _ if hasattr(then, "chosen"):
            return then.chosen(test, otherwise)
        case _ if hasattr(otherwise, "chosen"):
            return otherwise.chosen(not_(test), then)
        case _:
            return choose_truth(test, then, otherwise)


def equal(left: Any, right: Any) -> Truth:
    """That two values are the same. An absent optional equals an absent one, and nothing else."""
    match left, right:
        case (Opt(), _) | (_, Opt()):
            a, b = optional(left), optional(right)
            return or_(
                and_(a.present, b.present, equal(a.value, b.value)), and_(not_(a.present), not_(b.present))
            )
        case Num(), Num():
            return compare("=", left, right)
        case tuple(), tuple():
            return and_(*(equal(a, b) for a, b in zip(left, right, strict=True)))
        case _ if hasattr(left, "equals"):
            return left.equals(right)
        case _ if hasattr(right, "equals"):
            return right.equals(left)
        case _:
            return same_truth(left, right)


def key_of(value: Any) -> Any:
    """Something hashable that is the same for the same expression; the caller keeps `value` alive."""
    match value:
        case bool():
            return ("truth", value)
        case Num(n=n, den=den):
            return (n if isinstance(n, int) else ("z3", n.get_id()), den)
        case tuple():
            return tuple(key_of(part) for part in value)
        case Opt(present=present, value=inner):
            return ("opt", key_of(present), key_of(inner))
        case _ if hasattr(value, "key"):
            return value.key()
        case _:
            return ("z3", value.get_id())
