"""Text as pages show it: inert, whatever a log says, and money as text."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from verifier.check.played import Cut
from verifier.check.result import Amount
from verifier.errors import escaped
from verifier.report.money import money

MOST = 400
"""Characters of one value of a log that a page shows; how many more there are is said."""


def inert(value: object, most: int | None = None, length: int | None = None) -> str:
    """Text without control and bidirectional characters, cut to `most` characters; the template escapes markup.

    `length`: how many characters it has, where `value` is only how it begins.
    """
    text = str(value)
    length = len(text) if length is None else length
    if most is not None and length > most:
        return f"{escaped(text[:most])}… ({length - most:,} more characters)"
    return escaped(text)


def logged(value: object) -> str:
    """A value of a log: inert, and no longer than a page bears."""
    return inert(value, MOST)


def own(value: object) -> str:
    """A value under an x_ name, the operator's own: text, cut or not, a whole number or a truth."""
    if isinstance(value, Cut):
        return inert(value.start, MOST, value.length)
    return str(value).lower() if isinstance(value, bool) else logged(value)


def amount_of(value: Any) -> Amount:
    """An amount from JSON: an integer, or a fraction as numerator and denominator."""
    if isinstance(value, dict):
        return Fraction(int(value["numerator"]), int(value["denominator"]))
    return int(value)


def amount_text(value: Any, currency: str, exponent: int) -> str:
    """An amount from JSON, written out."""
    return money(amount_of(value), currency, exponent)


def plural(number: int, noun: str) -> str:
    """`1 fault`, `2,000 faults`."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def capitalised(text: str) -> str:
    """A text with its first letter large, the rest as it is."""
    return text[:1].upper() + text[1:]
