"""What judging an event yields."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from verifier.run.undefined import Reason

Verdict = Literal["kept", "broken", "disputed", "undecided", "not checkable", "impossible"]

Kind = Literal[
    "forbidden",  # a prohibition applies to the event
    "not permitted",  # permissions govern the event and none permits it
    "skipped",  # a duty due at once was passed over
    "late",  # a duty's deadline came
    "otherwise",  # a duty was ended by another amount than it demands
    "settlement",  # a settlement claims what the rules deny
    "contested",  # a settlement claims what is wrong by each answer of rules that clash
    "early",  # a settlement before it is due
    "unasked",  # a settlement of what no rule asks to be settled
    "actor",  # somebody acted for whom the rules provide no such act
    "impossible",  # the event cannot have happened
    "option",  # an option stated breaks a rule
]


Required = tuple[str, tuple[str | None, ...]]
"""An act that was owed: the event, and its values as shown, None where any would do."""


@dataclass(frozen=True, slots=True)
class Subject:
    """The debt that money is about: what is due, by the event and the place of the `moves` that name it first
    (`verifier.run.debts`), of which values, from whom to whom. It ends with its life.

    A party is None where nobody can tell who it is.
    """

    life: str
    due: tuple[str, int]
    of: tuple[object, ...]
    parties: tuple[str | None, str | None]


@dataclass(frozen=True, slots=True)
class Short:
    """Who is short, by how much (minor units), and of what."""

    who: str
    amount: int | Fraction
    of: Subject | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """What one or more rules say of one event. `rules` are rule ids, in the order of the text.

    `required` are the acts that were owed instead; `binding` the values of the rule's variables; `values` those
    the judgement rests on; `reasons` why nothing could be told, where that is so. `short` is of the first money that
    went wrong, `besides` of what else the same event moves. `unmade` are the debts of settlements that were owed and
    would have moved nothing: their money stayed where it lay.
    """

    verdict: Verdict
    kind: Kind
    rules: tuple[str, ...]
    units: tuple[str, ...]
    binding: tuple[tuple[str, str], ...] = ()
    required: tuple[Required, ...] = ()
    values: tuple[tuple[str, str], ...] = ()
    short: Short | None = None
    reasons: tuple[Reason, ...] = ()
    note: str = ""
    unmade: tuple[Subject, ...] = ()
    besides: tuple[Short, ...] = ()

    @property
    def shorts(self) -> tuple[Short, ...]:
        """All who are short, each of what the event moves."""
        return () if self.short is None else (self.short, *self.besides)


@dataclass(slots=True)
class Tally:
    """How often a rule was judged, and with what verdict."""

    kept: int = 0
    broken: int = 0
    disputed: int = 0
    undecided: int = 0
    not_checkable: int = 0
