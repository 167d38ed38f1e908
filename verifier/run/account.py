"""What an explanation says: the data that reports and the Python interface hand on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from verifier.run.facts import Conjunct, Fact, Truth
from verifier.run.verdict import Judgement, Short

Ending = Literal["arisen", "pending", "performed", "skipped", "late", "otherwise", "lapsed", "unclear"]
"""What an event did to a duty; `lapsed`: its condition ended without its act."""


@dataclass(frozen=True, slots=True)
class Displacement:
    """`winner` applies or not, and if it does `loser` does not apply, `because` of words of the rules."""

    winner: str
    loser: str
    applies: Truth
    because: str


@dataclass(frozen=True, slots=True)
class Course:
    """A duty's course: who owes which acts until when, since which event, and what became of it."""

    roles: tuple[str, ...]
    owed: tuple[str, ...]
    deadline: str
    since: str | None
    ending: Ending


@dataclass(frozen=True, slots=True)
class Ground:
    """A rule on which a judgement rests. `rule` is as one cites it, `says` what it says without its condition."""

    rule: str
    unit: str
    quote: str
    says: str
    applies: Truth
    binding: tuple[tuple[str, str], ...]
    condition: tuple[Conjunct, ...]
    facts: tuple[Fact, ...]
    displaced_by: tuple[Displacement, ...]
    displaces: tuple[Displacement, ...]
    readings: tuple[str, ...]
    course: Course | None = None


@dataclass(frozen=True, slots=True)
class CaseWord:
    """One rule's word on a decision: whether it applies, its value, and which rules displace it here."""

    rule: str
    unit: str
    quote: str
    applies: Truth
    value: str
    condition: tuple[Conjunct, ...]
    displaced_by: tuple[Displacement, ...]


@dataclass(frozen=True, slots=True)
class Asking:
    """Whether an answer is due, by one rule that says when."""

    rule: str
    truth: Truth
    condition: tuple[Conjunct, ...]


@dataclass(frozen=True, slots=True)
class DecisionWord:
    """What all rules of a decision say for some arguments. `value` is None where they give none or several."""

    text: str
    value: str | None
    why: tuple[str, ...]
    due: Truth
    asked: tuple[Asking, ...]
    cases: tuple[CaseWord, ...]
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why one judgement on one event came out as it did."""

    event: str
    actor: str
    verdict: str
    kind: str
    rules: tuple[str, ...]
    grounds: tuple[Ground, ...]
    decisions: tuple[DecisionWord, ...]
    reasons: tuple[str, ...]
    required: tuple[str, ...]
    short: Short | None
    note: str


@dataclass(frozen=True, slots=True)
class NormWord:
    """What a prohibition or a permission that governs an event says of it."""

    force: Literal["must not", "may"]
    ground: Ground


@dataclass(frozen=True, slots=True)
class DutyWord:
    """A duty at an event: its rule, the values of its variables, and its course."""

    rule: str
    unit: str
    binding: tuple[tuple[str, str], ...]
    course: Course


@dataclass(frozen=True, slots=True)
class EventTrace:
    """Everything that the rules had to say at one event; `number` counts the judge's events from 1."""

    number: int
    event: str
    actor: str
    judgements: tuple[Judgement, ...]
    norms: tuple[NormWord, ...]
    duties: tuple[DutyWord, ...]
    decisions: tuple[DecisionWord, ...]


def required_words(event: str, values: tuple[str | None, ...]) -> str:
    """An act that is owed: `deal(dealer, any)`."""
    return f"{event}({', '.join('any' if v is None else v for v in values)})" if values else event
