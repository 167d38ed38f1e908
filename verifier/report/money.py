"""Amounts in minor units, written out exactly in the log's currency."""

from __future__ import annotations

from fractions import Fraction

from verifier.check.result import Amount

UNNAMED = ("XTS", "XXX")
"""ISO 4217's codes for tests, which transcripts have, and for no currency: neither is shown."""


def money(amount: Amount, currency: str, exponent: int) -> str:
    """`NZD 1,234.50`; beyond whole minor units a fraction of one is left: `NZD 1,234.50 and 1/2 of NZD 0.01`. Never
    rounded."""
    code = "" if currency in UNNAMED else f"{currency} "
    fraction = Fraction(amount)
    whole, part = divmod(abs(fraction), 1)
    sign = "-" if fraction < 0 else ""
    said = f"{code}{sign}{_decimal(whole, exponent)}"
    if not part:
        return said
    rest = f"{part} of {code}{_decimal(1, exponent)}"
    return f"{said} and {rest}" if whole else f"{sign}{rest}"


def _decimal(units: int, exponent: int) -> str:
    whole, part = divmod(units, 10**exponent)
    return f"{whole:,}" + (f".{part:0{exponent}d}" if exponent else "")
