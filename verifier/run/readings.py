"""Claims of what rules clash over, tried with each of their answers: what is wrong by all of them is wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from verifier.run.machine import Machine
from verifier.run.undefined import Reason, Undefined

Asked = tuple[str, tuple[Any, ...]]
"""A decision with its arguments."""

MOST = 16
"""So many readings of one event's claims are tried."""


@dataclass(frozen=True, slots=True)
class Readings:
    """What was read, and the answers that clash of those decisions of which rules give several."""

    read: dict[Asked, None] = field(default_factory=dict)
    clashing: dict[Asked, tuple[Any, ...]] = field(default_factory=dict)


def wrong_by_all(machine: Machine, hold: Callable[[list[Asked]], bool]) -> Readings | None:
    """The readings of claims that are wrong whichever of the answers counts which rules that clash give; None where by
    some of them they are right or open, or where these are too many.

    `hold` judges the claims and leaves what it read in its argument.
    """
    found = Readings()
    left: list[dict[Asked, Any]] = [{}]
    tried = 0
    before = machine.chosen
    try:
        while left:
            tried += 1
            machine.chosen = left.pop()
            read: list[Asked] = []
            try:
                if hold(read):
                    return None
            except Undefined as undefined:
                clash = _clash(machine, read, undefined.reasons)
                if clash is None or tried + len(left) > MOST:
                    return None
                asked, values = clash
                found.clashing[asked] = tuple(dict.fromkeys((*found.clashing.get(asked, ()), *values)))
                left += [{**machine.chosen, asked: value} for value in reversed(values)]
            found.read.update(dict.fromkeys(read))
    finally:
        machine.chosen = before
        machine.memo = {}  # what was worked out under the answers chosen
    return found


def _clash(
    machine: Machine, read: list[Asked], reasons: frozenset[Reason]
) -> tuple[Asked, tuple[Any, ...]] | None:
    """The first decision read over which rules clash, with their answers; None where the claim is open otherwise."""
    if any(reason.kind != "conflict" for reason in reasons):
        return None
    for name, args in dict.fromkeys(read):
        if (name, args) not in machine.chosen:
            sure, maybe, _ = machine.cases(name, args)
            values = tuple(dict.fromkeys(value for value, _ in sure))
            if len(values) > 1 and not maybe:
                return (name, args), values
    return None
