"""Why a judgement came out as it did, and what the rules had to say at an event.

An `Explainer` goes with one judge. Everything is evaluated in the state before the event, by the closures that
judged it: the conditions of the rules at issue conjunct by conjunct, the values they read, which rule displaced
which, every case of the decisions consulted, and the course of the duties.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from verifier.core.program import EVENT_PREFIX, Duty, EventNorm
from verifier.model.ruleset import Contribution, Norm, Ruleset, Unit
from verifier.model.show import cite
from verifier.model.values import show
from verifier.run.account import (
    DecisionWord,
    DutyWord,
    Ending,
    EventTrace,
    Explanation,
    Ground,
    NormWord,
    required_words,
)
from verifier.run.apply import CannotApply, Mechanics, apply, compile_mechanics
from verifier.run.bench import Happening
from verifier.run.duties import Compiled, Instance
from verifier.run.facts import reason_words
from verifier.run.grounds import Grounds, scope_of
from verifier.run.judge import Judge
from verifier.run.verdict import Judgement

Key = tuple[str, Instance]


def explain(judge: Judge, judgement: Judgement, happening: Happening | None) -> Explanation:
    """Why `judgement` came out so, on the last event that `judge` has stepped through.

    `happening` is that event, None for a life that ended without one. For many explanations keep an `Explainer`.
    """
    return Explainer(judge).explain(judgement, happening)


@dataclass(slots=True)
class Explainer:
    """Explains a judge's judgements. With `tracking` it follows duties from event to event, which costs time:
    then events must be judged by `step` or `trace`, and courses know since when a duty is owed. `brief` leaves out what
    no picture of an event shows: see `Grounds`."""

    judge: Judge
    tracking: bool = False
    brief: bool = False
    grounds: Grounds = field(init=False)
    number: int = 0
    _mechanics: dict[str, Mechanics] = field(default_factory=dict)
    _since: dict[Key, str] = field(default_factory=dict)
    _pending: dict[Key, tuple[Compiled, Instance, bool]] = field(default_factory=dict)
    _was_since: dict[Key, str] = field(default_factory=dict)
    _was_pending: dict[Key, tuple[Compiled, Instance, bool]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.grounds = Grounds(self.judge, brief=self.brief)

    @property
    def ruleset(self) -> Ruleset:
        return self.judge.program.ruleset

    # ---------------------------------------------------------------------------------------- stepping
    def step(self, happening: Happening, label: str | None = None) -> list[Judgement]:
        """`Judge.step`, followed where this explainer tracks; `label` is what courses call the event."""
        self.number += 1
        if not self.tracking:
            return self.judge.step(happening)
        if self.number == 1:
            self._pending = self._open_duties()
            self._since = dict.fromkeys(self._pending, "the beginning")
        self._was_pending, self._was_since = self._pending, self._since
        found = self.judge.step(happening)
        self._pending = self._open_duties()
        name = label or f"event {self.number}, {self.event_words(happening)}"
        self._since = {key: self._was_since.get(key, name) for key in self._pending}
        return found

    def _open_duties(self) -> dict[Key, tuple[Compiled, Instance, bool]]:
        """The duties owed in the judge's state now, with whether one can tell that they are."""
        self.judge.machine.enter(self.judge.state)
        duties = self.judge.duties
        found: dict[Key, tuple[Compiled, Instance, bool]] = {}
        for compiled in duties.duties:
            if compiled.lacking is None and compiled.duty.kind != "immediately after":
                for instance, pending in duties.instances(compiled):
                    found[compiled.duty.unit, instance] = (compiled, instance, pending is True)
        for compiled, instance in duties.bits.values():
            found[compiled.duty.unit, instance] = (compiled, instance, True)
        return found

    def enter(self, happening: Happening | None, at_end: bool = False) -> None:
        """Let the machine read the state in which the last event was judged."""
        machine, before = self.judge.machine, self.judge.before
        if happening is None:
            machine.enter(before, at_end=True)
            return
        if at_end:
            machine.enter(self.judge.left_by(happening), at_end=True)
            return
        if happening.event not in self._mechanics:
            self._mechanics[happening.event] = compile_mechanics(machine, happening.event)
        machine.enter(before)
        try:
            after = apply(machine, self._mechanics[happening.event], happening.values)
        except CannotApply:
            after = before
        machine.enter(before, after)

    def event_words(self, happening: Happening) -> str:
        """An event in words: `deal(B1H1, As)`."""
        params = self.ruleset.events[happening.event].params
        if not params:
            return happening.event
        values = ", ".join(show(p.type, v) for p, v in zip(params, happening.values, strict=True))
        return f"{happening.event}({values})"

    # ------------------------------------------------------------------------------------- explanations
    def explain(self, judgement: Judgement, happening: Happening | None) -> Explanation:
        """Why `judgement` on the last event came out so; see `verifier.run.explain.explain`."""
        at_end = judgement.kind == "late" and any(
            isinstance(u, Norm) and u.deadline is not None and u.deadline.kind == "by end of"
            for u in (self.ruleset.units[name] for name in judgement.units)
        )
        self.enter(happening, at_end)
        units = dict.fromkeys(judgement.units) or dict.fromkeys(u for r in judgement.reasons for u in r.units)
        decisions: tuple[DecisionWord, ...] = ()
        if happening is not None and judgement.kind in ("settlement", "contested", "early", "unasked"):
            decisions = self._consulted(happening)
        grounds = [
            ground
            for unit in units
            if (ground := self._ground(self.ruleset.units[unit], judgement, happening)) is not None
        ]
        found = Explanation(
            "" if happening is None else self.event_words(happening),
            "" if happening is None else happening.actor,
            judgement.verdict,
            judgement.kind,
            judgement.rules,
            tuple(grounds),
            decisions,
            tuple(reason_words(reason, self.ruleset) for reason in judgement.reasons),
            tuple(required_words(event, values) for event, values in judgement.required),
            judgement.short,
            judgement.note,
        )
        self.judge.machine.enter(self.judge.state)
        return found

    def _ground(self, unit: Unit, judgement: Judgement, happening: Happening | None) -> Ground | None:
        match unit:
            case Norm(force="must"):
                compiled = next(c for c in self.judge.duties.duties if c.duty.unit == unit.id)
                instance = self._instance(compiled.duty, judgement.binding)
                if instance is None:
                    return None
                ending: Ending = "late"
                if judgement.kind in ("skipped", "otherwise"):
                    ending = judgement.kind
                if judgement.verdict != "broken":
                    ending = "unclear"
                return self.grounds.duty(
                    unit, compiled, instance, ending, self._was_since.get((unit.id, instance))
                )
            case Norm():
                return None if happening is None else self.grounds.norm(unit, happening)
            case Contribution():
                if happening is None:
                    return None
                event = self.ruleset.events[happening.event]
                for name, args in self.judge.settlement.consulted_by(event, happening):
                    if name == unit.decision:
                        return self.grounds.contribution(unit, args)
                return None

    def _instance(self, duty: Duty, binding: tuple[tuple[str, str], ...]) -> Instance | None:
        """The values of a duty's variables that a judgement shows."""
        shown = dict(binding)
        values: list[Any] = []
        for variable in duty.variables:
            fitting = [
                v
                for v in self.judge.bench.values(variable)
                if show(variable.type, v) == shown.get(variable.name)
            ]
            if not fitting:
                return None
            values.append(fitting[0])
        return tuple(values)

    def _consulted(self, happening: Happening) -> tuple[DecisionWord, ...]:
        event = self.ruleset.events[happening.event]
        return tuple(
            self.grounds.decision(self.judge.program.decisions[name], args)
            for name, args in self.judge.settlement.consulted_by(event, happening)
        )

    # ------------------------------------------------------------------------------------------- tracing
    def trace(self, happening: Happening, label: str | None = None) -> EventTrace:
        """Judge one event and say everything that the rules had to say at it. Needs `tracking`."""
        if not self.tracking:
            raise ValueError("an explainer traces only with tracking=True")
        judgements = self.step(happening, label)
        self.enter(happening)
        program = self.judge.program
        norms = [
            *self._norm_words("must not", program.prohibitions.get(happening.event, ()), happening),
            *self._norm_words("may", program.permissions.get(happening.event, ()), happening),
        ]
        duties = [
            self._duty_word(key, happening, judgements) for key in {**self._was_pending, **self._pending}
        ]
        decisions = self._consulted(happening)
        self.judge.machine.enter(self.judge.state)
        return EventTrace(
            self.number,
            self.event_words(happening),
            happening.actor,
            tuple(judgements),
            tuple(norms),
            tuple(duties),
            decisions,
        )

    def _norm_words(
        self, force: Literal["must not", "may"], norms: tuple[EventNorm, ...], happening: Happening
    ) -> list[NormWord]:
        found: list[NormWord] = []
        for norm in norms:
            unit = self.ruleset.units[norm.unit]
            if isinstance(unit, Norm) and self._governs(norm, happening):
                found.append(NormWord(force, self.grounds.norm(unit, happening)))
        return found

    def _governs(self, norm: EventNorm, happening: Happening) -> bool:
        """A permission closes an action to everyone, a prohibition binds those that it names."""
        unit = self.ruleset.units[norm.unit]
        if isinstance(unit, Norm) and unit.force == "must not" and happening.actor not in norm.roles:
            return False
        params = self.ruleset.events[norm.event].params
        scope = {EVENT_PREFIX + p.name: (p.type, v) for p, v in zip(params, happening.values, strict=True)}
        return self.grounds.reading.truth(norm.head, scope)[0] != "no"

    def _duty_word(self, key: Key, happening: Happening, judgements: list[Judgement]) -> DutyWord:
        compiled, instance, sure = self._was_pending.get(key) or self._pending[key]
        duty = compiled.duty
        binding = tuple((n, show(t, v)) for n, (t, v) in scope_of(duty.variables, instance).items())
        broken = {
            j.kind
            for j in judgements
            if j.units == (duty.unit,) and j.binding == binding and j.verdict == "broken"
        }
        ending: Ending
        if key not in self._was_pending:
            ending = "arisen"
        elif happening.actor in duty.roles and self.judge.duties.performs(compiled, instance, happening):
            ending = "performed"
        elif "skipped" in broken:
            ending = "skipped"
        elif "late" in broken:
            ending = "late"
        elif "otherwise" in broken:
            ending = "otherwise"
        elif key not in self._pending:
            ending = "lapsed"
        else:
            ending = "pending" if sure else "unclear"
        since = self._was_since.get(key) or self._since.get(key)
        return DutyWord(
            cite(duty.unit), duty.unit, binding, self.grounds.course(compiled, instance, ending, since)
        )
