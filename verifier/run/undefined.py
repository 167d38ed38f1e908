"""Undefined: the value that is no value, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ReasonKind = Literal["gap", "conflict", "absent", "option", "unrecorded", "history", "impossible", "large"]


@dataclass(frozen=True, slots=True, order=True)
class Reason:
    """Why a value is undefined. `what` names the decision, option, field or event; `units` the rules at issue."""

    kind: ReasonKind
    what: str
    units: tuple[str, ...] = ()


class Undefined(Exception):  # noqa: N818 - it is a value that travels as an exception, no error
    """Raised where a value would be read; caught where Kleene's tables or a judgement decide what it means."""

    def __init__(self, reasons: frozenset[Reason]) -> None:
        super().__init__(reasons)
        self.reasons = reasons


def untold(reasons: frozenset[Reason]) -> bool:
    """Whether a whole log, with all options stated, might tell what is undefined for these reasons."""
    return any(reason.kind in ("unrecorded", "history", "option") for reason in reasons)


def because(kind: ReasonKind, what: str, units: tuple[str, ...] = ()) -> Undefined:
    """An `Undefined` with one reason."""
    return Undefined(frozenset((Reason(kind, what, units),)))
