"""What all judging shares: the machine, the state, the tallies, and asking with options unstated."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import Any

from verifier.core.program import Program
from verifier.model import types as ty
from verifier.model.ruleset import Param
from verifier.model.values import Partial
from verifier.run.machine import Known, Machine
from verifier.run.recording import Recording, never_judged, never_reset, unknown_before, unrecorded
from verifier.run.state import State, first_state
from verifier.run.undefined import Reason, Undefined
from verifier.run.verdict import Judgement, Kind, Tally, Verdict

MAX_COMBINATIONS = 64
"""So many combinations of unstated options are tried before a rule is not checkable for want of them."""


MAX_PAST = 2048
"""So many states of a round are kept; a longer round is looked back on no further."""


@dataclass(frozen=True, slots=True)
class Happening:
    """One event as the judge sees it: values in the order of the event's parameters."""

    event: str
    actor: str
    values: tuple[Any, ...]


@dataclass(slots=True)
class Bench:
    """One table's state and the counts of verdicts. `before` is the state before the last event.

    `shared` is the machine of another table of the same log, where there is one.
    `past` are the states since a life last ended: what was open then is no clash now.
    """

    program: Program
    options: dict[str, object]
    recording: Recording = field(default_factory=Recording)
    shared: Machine | None = None
    machine: Machine = field(init=False)
    own: Known = field(init=False)
    state: State = field(init=False)
    before: State = field(init=False)
    past: deque[State] = field(default_factory=lambda: deque(maxlen=MAX_PAST))
    tallies: dict[str, Tally] = field(default_factory=dict)
    why_not: dict[str, dict[Reason, int]] = field(default_factory=dict)
    doubted: set[int] = field(default_factory=set)
    """The latches of breaches that the event at hand has put in doubt."""
    _breaches: dict[str, list[int]] = field(default_factory=dict)
    """By rule, the latches that its breach sets."""

    def __post_init__(self) -> None:
        for index, rules in enumerate(self.program.breach_rules):
            for rule in rules:
                self._breaches.setdefault(rule, []).append(index)
        self.own = Known()
        self.machine = self.shared or Machine(
            self.program, self.options, unrecorded(self.program, self.recording)
        )
        self.machine.know(self.own)
        self.state = self.before = first_state(self.program.ruleset)
        self.machine.never_judged = never_judged(self.program, self.recording)
        self.machine.never_reset = never_reset(self.program, self.recording)
        fields, latches = unknown_before(self.program, self.recording.begun)
        self.own.before_latches.update(latches)
        if self.recording.begun:
            met = Partial("whom the table met before the log began", "history")
            self.own.lost_ids.update(dict.fromkeys(self.state.ids, met))
        for name, life in fields.items():
            lost = Partial(f"what came before the log began in the {life}", "history")
            self.machine.before[name] = lost
            if name in self.state.fields and self.state.fields[name] != {}:
                self.state.fields[name] = lost

    def ask(self, run: Callable[[], Any]) -> Any:
        """`run`'s value; where it lacks unstated options, the value that all of theirs agree on.

        Raises `Undefined` where they disagree, are too many, or something else is lacking: where it is so under some
        of their values only, for want of the options.
        """
        try:
            return run()
        except Undefined as undefined:
            lacking = undefined
        names: set[str] = set()
        while True:
            more = {r.what for r in lacking.reasons if r.kind == "option"} - names
            if not more:
                raise lacking
            names |= more
            options = [self.program.ruleset.options[name] for name in sorted(names)]
            values = [option.values for option in options if option.values is not None]
            if len(values) < len(options) or prod(map(len, values)) > MAX_COMBINATIONS:
                raise lacking
            told, reasons = self._under_all(run, sorted(names), values)
            if len(told) > 1:
                raise lacking
            if any(reason.kind == "option" for reason in reasons):
                lacking = Undefined(reasons)
            elif not told:
                raise Undefined(reasons)
            elif reasons:
                raise lacking
            else:
                return told[0]

    def _under_all(
        self, run: Callable[[], Any], names: list[str], values: list[tuple[object, ...]]
    ) -> tuple[list[Any], frozenset[Reason]]:
        """The value under all combinations, or the first two, and why there is none under some of those tried."""
        machine = self.machine
        stated, memo = machine.options, machine.memo
        told: list[Any] = []
        reasons: frozenset[Reason] = frozenset()
        try:
            for combination in product(*values):
                machine.options = {**stated, **dict(zip(names, combination, strict=True))}
                machine.memo = {}
                try:
                    value = run()
                except Undefined as undefined:
                    reasons |= undefined.reasons
                    continue
                if value not in told:
                    told.append(value)
                if len(told) > 1:
                    break
        finally:
            machine.options, machine.memo = stated, memo
        return told, reasons

    def applies(self, function: str, args: tuple[Any, ...]) -> Any:
        """As `ask` of a function; where no option is lacking, which is most often, without its toll."""
        try:
            return self.machine.function(function, args)
        except Undefined:
            return self.ask(lambda: self.machine.function(function, args))

    def sit(self) -> None:
        """Make the machine, which tables may share, know what this table knows."""
        if self.machine.known is not self.own:
            self.machine.know(self.own)

    def begin_anew(self, lives: set[str]) -> None:
        """Lives that have ended: what follows in them is known from its beginning."""
        machine = self.machine
        if not (machine.before or machine.before_latches or machine.lost or machine.lost_latches):
            return
        fields, latches = unknown_before(self.program, frozenset(lives))
        for name in fields:
            machine.before.pop(name, None)
            machine.lost.pop(name, None)
        for index in latches:
            if self.program.ruleset.latches[index].life is not None:
                machine.before_latches.pop(index, None)
                machine.lost_latches.pop(index, None)

    def unknown(
        self,
        unit: str,
        rule: str,
        reasons: frozenset[Reason],
        kind: Kind,
        binding: tuple[tuple[str, str], ...] = (),
    ) -> list[Judgement]:
        """A rule whose condition nobody can tell: disputed, undecided or not checkable by its reasons."""
        verdict = verdict_for(reasons)
        self.count(rule, verdict, reasons)
        if verdict == "not checkable":
            return []
        rules = dict.fromkeys([rule, *(self.rule_of(u) for r in reasons for u in r.units)])
        return [Judgement(verdict, kind, tuple(rules), (unit,), binding, reasons=tuple(sorted(reasons)))]

    def count(self, rule: str, verdict: Verdict, reasons: frozenset[Reason] = frozenset()) -> None:
        """Count one verdict on a rule, with the reasons where it is not checkable."""
        tally = self.tally(rule)
        match verdict:
            case "kept":
                tally.kept += 1
            case "broken":
                tally.broken += 1
            case "disputed":
                tally.disputed += 1
            case "undecided":
                tally.undecided += 1
            case "not checkable":
                tally.not_checkable += 1
                lacking = {r for r in reasons if r.kind != "absent"}
                for reason in lacking or reasons:
                    self.count_why_not(rule, reason)
                self._doubt(rule, reasons)
            case "impossible":
                raise AssertionError("an impossible event is no rule's verdict")

    def _doubt(self, rule: str, reasons: frozenset[Reason]) -> None:
        """Whether a rule has been broken nobody can tell, once it could not be judged."""
        for index in self._breaches.get(rule, ()):
            self.machine.doubts[index] = reasons
            self.doubted.add(index)

    def count_why_not(self, rule: str, reason: Reason) -> None:
        """Count one reason why a rule could not be judged."""
        counts = self.why_not.setdefault(rule, {})
        counts[reason] = counts.get(reason, 0) + 1

    def rule_of(self, unit: str) -> str:
        return self.program.ruleset.units[unit].rule

    def tally(self, rule: str) -> Tally:
        return self.tallies.setdefault(rule, Tally())

    def values(self, param: Param) -> list[Any]:
        match param.type:
            case ty.EntityT(name=name):
                return self.machine.refs(name)
            case ty.IdT(name=name):
                return list(self.state.ids[name])
            case other:
                values = ty.finite_values(other)
                return values if values is not None else []


def verdict_for(reasons: frozenset[Reason]) -> Verdict:
    """What it means that a rule's condition is undefined for these reasons."""
    kinds = {r.kind for r in reasons}
    if kinds <= {"conflict"}:
        return "disputed"
    if kinds <= {"gap", "conflict"}:
        return "undecided"
    return "not checkable"


def order_of(event: str) -> frozenset[Reason]:
    return frozenset((Reason("unrecorded", f"the order of {event}"),))


def effective_options(program: Program, stated: Mapping[str, object]) -> dict[str, object]:
    """The options in force: those stated, and the defaults that the clauses themselves give."""
    found = {
        name: option.default for name, option in program.ruleset.options.items() if option.default is not None
    }
    return {**found, **stated}
