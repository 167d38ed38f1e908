"""RFC 3339 date-times, checked to the letter and kept as text."""

from __future__ import annotations

import re

_FORM = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]{1,9})?"
    r"(?:Z|[+-]([0-9]{2}):([0-9]{2}))"
)
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)

EXPECTED = "a time by RFC 3339 with its offset, as in 2024-03-01T20:15:00+13:00"

PATTERN = "^" + _FORM.pattern + "$"
"""The form as a JSON Schema pattern (without the calendar)."""


def is_rfc3339(text: str) -> bool:
    """Whether `text` is a date-time of RFC 3339, section 5.6, with capital T and Z.

    Fractions have 1 to 9 digits. A 60th second is allowed where a leap second can be: at 23:59 UTC.
    """
    match = _FORM.fullmatch(text)
    if match is None:
        return False
    year, month, day, hour, minute, second = (int(part) for part in match.group(1, 2, 3, 4, 5, 6))
    offset_hour, offset_minute = (int(part or 0) for part in match.group(7, 8))
    if not (1 <= month <= 12 and hour <= 23 and minute <= 59 and offset_hour <= 23 and offset_minute <= 59):
        return False
    leap = month == 2 and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    if not 1 <= day <= _DAYS[month - 1] + leap:
        return False
    if second < 60:
        return True
    offset = offset_hour * 60 + offset_minute
    east = match.group(7) is not None and text[-6] == "+"
    utc = (hour * 60 + minute + (-offset if east else offset)) % (24 * 60)
    return second == 60 and utc == 23 * 60 + 59
