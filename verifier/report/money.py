"""Amounts in minor units, written out exactly in the log's currency."""

from __future__ import annotations

from fractions import Fraction

from verifier.check.result import Amount

UNNAMED = ("XTS", "XXX")
"""ISO 4217's codes for tests, which transcripts have, and for no currency: neither is shown."""


def money(amount: Amount, currency: str, exponent: int) -> str:
    """`NZD 1,234.50`; what is no whole minor unit stays a fraction: `7/2 of NZD 0.01`. Never rounded."""
    code = "" if currency in UNNAMED else f"{currency} "
    fraction = Fraction(amount)
    if fraction.denominator != 1:
        unit = _decimal(1, exponent)
        return f"{fraction.numerator}/{fraction.denominator} of {code}{unit}"
    return f"{code}{_decimal(fraction.numerator, exponent)}"


def _decimal(units: int, exponent: int) -> str:
    whole, part = divmod(abs(units), 10**exponent)
    sign = "-" if units < 0 else ""
    return f"{sign}{whole:,}" + (f".{part:0{exponent}d}" if exponent else "")
