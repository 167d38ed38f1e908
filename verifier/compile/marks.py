"""Why the kernel hands a round to the interpreter."""

from __future__ import annotations

from enum import IntEnum


class Mark(IntEnum):
    """What it found. All but `UNSURE` say that the event is at fault, which the interpreter must find too."""

    NONE = 0
    IMPOSSIBLE = 1
    FORBIDDEN = 2
    NOT_PERMITTED = 3
    SKIPPED = 4
    LATE = 5
    SETTLEMENT = 6
    EARLY = 7
    ACTOR = 8
    UNSURE = 9
    LIFE = 10
    READ = 11
    """A decision was asked whose value came from a case of which it is not known whether anything reads it: the kernel
    asks in another order than the interpreter does."""
