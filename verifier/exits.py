"""Exit codes: one meaning each, the same for every command."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum


class Exit(IntEnum):
    """What a command found, as the code its process ends with.

    Where several hold, the order of precedence is `OURSELVES`, `REQUEST`, `BROKEN`, `UNDECIDED`, `HOLDS`.
    A process ended from outside follows the shells' custom instead: `INTERRUPTED`, `CLOSED`.
    """

    HOLDS = 0
    """All holds."""
    BROKEN = 1
    """Something is broken or refuted: a rule in a log; with `--strict` or `--check`, a ruleset's state. Of `diff`:
    two rulesets differ."""
    REQUEST = 2
    """The request or an input file is at fault: nothing was judged by it."""
    UNDECIDED = 3
    """Undecided: the law leaves it open, a fact or an option is missing, or a resource limit was met."""
    OURSELVES = 4
    """Our own code is at fault, or its parts disagree."""
    INTERRUPTED = 130
    """Interrupted from the keyboard (128 + SIGINT)."""
    CLOSED = 141
    """Whoever read our output closed it early (128 + SIGPIPE)."""


_PRECEDENCE = (
    Exit.INTERRUPTED,
    Exit.CLOSED,
    Exit.OURSELVES,
    Exit.REQUEST,
    Exit.BROKEN,
    Exit.UNDECIDED,
    Exit.HOLDS,
)


def worst(exits: Iterable[Exit]) -> Exit:
    """The one that takes precedence; `HOLDS` where there is none."""
    return min(exits, key=_PRECEDENCE.index, default=Exit.HOLDS)
