"""What all code of an event has in common: the event's parameters as locals, marks, counts, and who acts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter

from verifier.compile.emit import TRUE, Body, Bound, Truth, add_to, i32, i64
from verifier.compile.encoding import range_of
from verifier.compile.expressions import Expressions
from verifier.compile.functions import Functions
from verifier.compile.inputs import Inputs
from verifier.compile.layout import Layout
from verifier.compile.loops import Env
from verifier.compile.marks import Mark
from verifier.compile.unstated import asked, not_checkable
from verifier.core.program import EVENT_PREFIX, Program
from verifier.model.ruleset import Event

NOBODY = -1


@dataclass(slots=True)
class Marking:
    """The code of one kind of event while it is written."""

    functions: Functions
    inputs: Inputs
    event: Event
    body: Body = field(default_factory=Body)
    expressions: Expressions = field(init=False)
    marked: Env = field(init=False)
    """The event's parameters as judgements name them, with the prefix,"""
    plain: Env = field(init=False)
    """and as its own terms name them."""
    missing: dict[int, str] = field(init=False)
    """Those that are never told, each with the column that is named."""

    def __post_init__(self) -> None:
        self.expressions = self.functions.expressions(self.body)
        self.missing = self.layout.untold.of(self.event.name)
        plain: dict[str, Bound] = {}
        for param in self.event.params:
            low, high = range_of(param.type)
            plain[param.name] = Bound(self.body.local(), param.type, low, high)
        self.plain = plain
        self.marked = {EVENT_PREFIX + name: bound for name, bound in plain.items()}
        self.expressions.fixed.update(bound.local for bound in plain.values())

    @property
    def program(self) -> Program:
        return self.functions.layout.program

    @property
    def layout(self) -> Layout:
        return self.functions.layout

    def mark(self, mark: Mark, rule: str | None = None) -> str:
        number = NOBODY if rule is None else self.layout.rules[rule]
        return f"(global.set $rule {i32(number)}) (return {i32(mark)})"

    def count(self, rule: str) -> str:
        return add_to(self.layout.tally + 8 * self.layout.rules[rule])

    def by(self, roles: tuple[str, ...]) -> Truth:
        """The actor is one of these."""
        actors = self.program.ruleset.actors
        mask = sum(1 << i for i, actor in enumerate(actors) if actor in roles)
        if mask == (1 << len(actors)) - 1:
            return TRUE
        return Truth(f"(i32.and (i32.shr_u {i32(mask)} (local.get $actor)) (i32.const 1))")

    def by_roles(self, parts: Iterable[tuple[tuple[str, ...], str]]) -> list[str]:
        """Code of which each part runs only where the actor has one of its roles; which that is, is asked once for
        parts that follow one another."""
        return [
            self.body.where(self.by(roles), " ".join(code for _, code in group))
            for roles, group in groupby(parts, key=itemgetter(0))
        ]

    def demand(self, truth: Truth, wanted: int, then: str) -> str:
        """`then` where the value is `wanted`; where it is undefined this gives up."""
        if truth == TRUE:
            return then if wanted == 1 else ""
        if not truth.open:
            return self.body.where(truth if wanted == 1 else self.expressions.negated(truth), then)
        t = self.body.local("i32")
        return (
            f"(local.set {t} {truth.code}) (if (i32.eq (local.get {t}) (i32.const 3)) (then {self.functions.give_up}))"
            f" (if (i32.eq (local.get {t}) {i32(wanted)}) (then {then}))"
        )

    def countable(self, rule: str, function: str) -> bool:
        """Whether the kernel counts itself how often a rule, whose condition the function is, could not be judged for
        want of options: where that leaves no doubt whether a rule has been broken on which others rest."""
        return bool(self.layout.lacks.reached(function)) and self.doubtable(rule)

    def owed(self, index: int) -> str | None:
        """What the log lacks for a duty, so that nobody can ever tell whether it is done."""
        return None if self.layout.told is None else self.layout.told.owed.get(index)

    def never(self, rule: str, what: str) -> str:
        """Code that counts that a rule could not be judged, since this is never recorded."""
        return not_checkable(self.functions, rule, i64(self.layout.why(what)))

    def doubtable(self, rule: str) -> bool:
        """Whether it is told of a rule that it could not be judged, as far as others rest on that."""
        return bool(self.layout.reasons) or not any(rule in rules for rules in self.program.breach_rules)

    def asked(self, function: str, truth: Truth, t: str) -> str:
        """As `verifier.compile.unstated.asked`."""
        return asked(self.functions, self.body, function, truth, t)

    def unless_no(self, truth: Truth, then: str) -> str:
        """`then` where the value is true or undefined."""
        return self.body.where(truth, then)

    def if_sure(self, truth: Truth, then: str) -> str:
        """`then` where the value is true; what is undefined is as good as false."""
        if truth == TRUE:
            return then
        if truth.open:
            return f"(if (i32.eq {truth.code} (i32.const 1)) (then {then}))"
        return self.body.where(truth, then)
