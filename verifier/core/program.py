"""The core: a ruleset with everything lawyerly lowered to terms. Interpreter, prover and kernel read only this.

Exceptions, givens, `otherwise`, `apply`, permissions and duties are gone: what is left are functions over terms,
and four kinds of judgement that say when one of those functions is asked, and what its answer means.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from verifier.model.ruleset import Function, Param, Ruleset
from verifier.model.terms import Term
from verifier.model.types import Type

EVENT_PREFIX = "@"
"""In a judgement's terms the parameters of the event at hand are variables with this prefix."""


@dataclass(frozen=True, slots=True)
class Case:
    """One rule's value for a decision: where function `applies` holds of the decision's arguments."""

    unit: str
    rule: str
    applies: str
    value: Term


@dataclass(frozen=True, slots=True)
class DecisionProgram:
    """A decision: its value is that of the cases that apply, if there is one and only one value.

    `asked` is true where an answer is due, absent where it always is; `askers` are the rules that say so.
    """

    name: str
    params: tuple[Param, ...]
    type: Type
    cases: tuple[Case, ...]
    asked: Term | None
    askers: tuple[tuple[str, Term], ...]


@dataclass(frozen=True, slots=True)
class EventNorm:
    """A prohibition or a permission on one kind of event.

    `head` says that it governs the event at hand, the function `applies` (of the event's parameters) that it
    forbids or permits it. `exempt` is the role that `anyone but` leaves out.
    """

    unit: str
    rule: str
    event: str
    roles: tuple[str, ...]
    head: Term
    applies: str
    reads_after: bool
    exempt: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ActMatch:
    """An event of kind `event` performs the act where `matches` holds of its parameters and the variables."""

    event: str
    matches: Term
    required: tuple[Term | None, ...]


@dataclass(frozen=True, slots=True)
class Duty:
    """A duty: for all values of `variables` with function `pending` true, one of `acts` is owed.

    `deadline_acts` are the events before which it is due, or right after which it becomes due.
    """

    unit: str
    rule: str
    roles: tuple[str, ...]
    variables: tuple[Param, ...]
    pending: str
    acts: tuple[ActMatch, ...]
    kind: Literal["at once", "before", "by end of", "immediately after"]
    deadline_acts: tuple[ActMatch, ...]
    life: str | None


@dataclass(frozen=True, slots=True)
class Program:
    """The whole core of a ruleset. `functions` hold the defines and one `applies` function for each unit.

    `endings` say, as prohibitions do, which acts would end a duty otherwise than it demands; their unit is the duty's.
    """

    ruleset: Ruleset
    functions: Mapping[str, Function]
    decisions: Mapping[str, DecisionProgram]
    prohibitions: Mapping[str, tuple[EventNorm, ...]]
    permissions: Mapping[str, tuple[EventNorm, ...]]
    duties: tuple[Duty, ...]
    breach_rules: tuple[tuple[str, ...], ...]
    answers: Mapping[str, tuple[tuple[str, str], ...]]
    endings: Mapping[str, tuple[EventNorm, ...]] = field(default_factory=dict)

    def breakable(self, breach: int) -> bool:
        """Whether one of the rules can be broken that are asked about: what is disapplied binds nobody. Where no rules
        are named it is not known which they are."""
        rules = self.breach_rules[breach]
        return not rules or any(self.ruleset.rules[rule].disapplied is None for rule in rules)

    def against(self, event: str) -> tuple[EventNorm, ...]:
        """What an event of a kind may be against: the prohibitions, and the duties that it may end otherwise."""
        return (*self.prohibitions.get(event, ()), *self.endings.get(event, ()))

    def waits_for(self, event: str, duty: Duty) -> bool:
        """Whether a duty may be waiting where an event of a kind happens: its acts stand in the same kind of log."""
        events = self.ruleset.events
        return events[duty.acts[0].event].life == events[event].life
