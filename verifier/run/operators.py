"""What closures are joined by: Kleene's tables, comparisons, arithmetic. Part of `verifier.run.evaluate`."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.terms import Term
from verifier.model.values import Partial
from verifier.run.undefined import Reason, Undefined, because

MAX_BITS = 4096
"""A product, a quotient of more bits than this is too large to check."""

Frame = list[Any]
Closure = Callable[[Any], Any]
"""Of a frame, which a closure that `Compiler.top` gives never writes to; it may be a tuple."""


def every(items: list[Closure]) -> Closure:
    """Whether all are so; undefined where none is false and one undefined, for the reasons of all that are."""
    if len(items) == 2:
        return _both(*items)

    def run(frame: Frame) -> bool:
        reasons: frozenset[Reason] | None = None
        for item in items:
            try:
                if not item(frame):
                    return False
            except Undefined as undefined:
                reasons = (reasons or frozenset()) | undefined.reasons
        if reasons is not None:
            raise Undefined(reasons)
        return True

    return run


def _both(one: Closure, other: Closure) -> Closure:
    """Two of `every`, which most are."""

    def run(frame: Frame) -> bool:
        try:
            if not one(frame):
                return False
        except Undefined as undefined:
            reasons = undefined.reasons
        else:
            return bool(other(frame))
        try:
            if not other(frame):
                return False
        except Undefined as undefined:
            reasons |= undefined.reasons
        raise Undefined(reasons)

    return run


def some(items: list[Closure]) -> Closure:
    """Whether one is so; undefined where none is and one undefined, for the reasons of all that are."""

    def run(frame: Frame) -> bool:
        reasons: frozenset[Reason] | None = None
        for item in items:
            try:
                if item(frame):
                    return True
            except Undefined as undefined:
                reasons = (reasons or frozenset()) | undefined.reasons
        if reasons is not None:
            raise Undefined(reasons)
        return False

    return run


def comparison(op: str, left: Closure, right: Closure, left_term: Term, right_term: Term) -> Closure:
    """How two values compare."""
    if op in ("=", "!="):
        equal = _equality(left, right, left_term, right_term)
        return equal if op == "=" else lambda frame: not equal(frame)
    compare = m.COMPARED[op]
    return lambda frame: compare(left(frame), right(frame))


def _equality(left: Closure, right: Closure, left_term: Term, right_term: Term) -> Closure:
    """Nothing equals what is absent; two values of which a part is not recorded may be equal or not."""
    if isinstance(right_term, m.Lit):
        value = right_term.value
        return lambda frame: left(frame) == value
    if isinstance(left_term.type, ty.RecordT) or isinstance(right_term.type, ty.RecordT):
        return lambda frame: _same_record(left(frame), right(frame))
    if isinstance(left_term.type, ty.OptT) and isinstance(right_term.type, ty.OptT):

        def both(frame: Frame) -> bool:
            value = left(frame)
            return value is not None and value == right(frame)

        return both
    return lambda frame: left(frame) == right(frame)


def _same_record(a: Any, b: Any) -> bool:
    if a is None or b is None or a == b:
        return a is not None and a == b
    unknown: Partial | None = None
    rest = list(zip(a, b, strict=True))
    for x, y in rest:
        if type(x) is Partial or type(y) is Partial:
            unknown = unknown or (x if type(x) is Partial else y)
        elif type(x) is tuple and type(y) is tuple and len(x) == len(y):
            rest += zip(x, y, strict=True)
        elif x != y:
            return False
    if unknown is None:
        return True
    raise because(unknown.kind, unknown.what)


def arithmetic(op: str, left: Closure, right: Closure) -> Closure:
    """What an operator makes of two numbers, exactly."""
    match op:
        case "+":
            return lambda frame: left(frame) + right(frame)
        case "-":
            return lambda frame: left(frame) - right(frame)
        case "*":
            return lambda frame: _whole(left(frame) * right(frame))
        case "/":
            return lambda frame: _whole(Fraction(left(frame)) / _nonzero(right(frame)))
        case "mod":
            return lambda frame: left(frame) % _nonzero(right(frame))
        case "div":
            return lambda frame: left(frame) // _nonzero(right(frame))
        case _:
            raise AssertionError(op)


def _whole(value: Any) -> Any:
    """A `Fraction` that is whole as an int, so that equal amounts are equal and hash alike."""
    if value.numerator.bit_length() > MAX_BITS or value.denominator.bit_length() > MAX_BITS:
        raise because("large", "a number")
    return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else value


def _nonzero(value: Any) -> Any:
    if value == 0:
        raise because("absent", "a division by nothing")
    return value
