"""Judging one table's events against the core, in the order of record.

One event's faults are gathered together, so that one fault is one entry: an act that is forbidden, not
permitted and passes over a duty yields one judgement for each rule, all on one event. After a breach the
replay goes on with what was logged.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from verifier.core.program import EVENT_PREFIX, EventNorm, Program
from verifier.model import types as ty
from verifier.model.ruleset import Event, Latch
from verifier.model.types import ids_within
from verifier.model.values import Partial, show, unrecorded_in
from verifier.run.apply import CannotApply, Mechanics, apply, compile_mechanics
from verifier.run.bench import Bench, Happening, order_of, verdict_for
from verifier.run.duties import Compiled, Duties, Instance
from verifier.run.machine import Machine
from verifier.run.operators import Closure
from verifier.run.recording import Recording
from verifier.run.settlement import Settlement
from verifier.run.state import State, reset_life
from verifier.run.undefined import Reason, Undefined, untold
from verifier.run.verdict import Judgement, Tally

__all__ = ["Happening", "Judge", "Recording"]


@dataclass(slots=True)
class Judge:
    """The interpreter of a program over one table's events.

    `step` takes the events in the order of record. The verdict of each rule is counted in `tallies`, and why a
    rule could not be judged in `why_not`; `before` is the state before the last event. A judge made `beside` one
    of another table, with the same options and recording, shares what that one has compiled.
    """

    program: Program
    options: dict[str, object]
    recording: Recording = field(default_factory=Recording)
    beside: Judge | None = None
    bench: Bench = field(init=False)
    settlement: Settlement = field(init=False)
    duties: Duties = field(init=False)
    _mechanics: dict[str, Mechanics] = field(default_factory=dict)
    _heads: dict[str, Closure] = field(default_factory=dict)
    _ends: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _stocks: dict[int, Closure] = field(default_factory=dict)
    _latches: dict[str, list[tuple[int, Latch]]] = field(default_factory=dict)
    """By event, the latches that it counts in or resets."""

    def __post_init__(self) -> None:
        like, self.beside = self.beside, None
        self.bench = Bench(self.program, self.options, self.recording, like.machine if like else None)
        if like is None:
            self.settlement = Settlement(self.bench)
        else:
            self._mechanics, self._heads, self._stocks = like._mechanics, like._heads, like._stocks
            self.settlement = Settlement(
                self.bench,
                like.settlement.claims,
                like.settlement.asked,
                like.settlement.askers,
                like.settlement.moves,
                like.settlement.debts,
            )
        self.duties = Duties(self.bench, self.settlement, like.duties if like else None)
        if like is not None:
            self._ends, self._latches = like._ends, like._latches
            return
        ends: dict[str, list[str]] = {}
        for life in self.program.ruleset.lives.values():
            for event in life.ends:
                ends.setdefault(event, []).append(life.name)
        self._ends = {event: tuple(lives) for event, lives in ends.items()}
        for index, latch in enumerate(self.program.ruleset.latches):
            for name in dict.fromkeys((latch.event, latch.reset or latch.event)):
                self._latches.setdefault(name, []).append((index, latch))

    @property
    def machine(self) -> Machine:
        return self.bench.machine

    @property
    def state(self) -> State:
        return self.bench.state

    @property
    def before(self) -> State:
        return self.bench.before

    @property
    def tallies(self) -> Mapping[str, Tally]:
        return self.bench.tallies

    @property
    def why_not(self) -> Mapping[str, Mapping[Reason, int]]:
        return self.bench.why_not

    @property
    def given(self) -> Mapping[str, int]:
        """How often each unit gave the value of a decision that something read."""
        return self.bench.own.given

    def ends(self, event: str) -> tuple[str, ...]:
        """The lives that an event ends."""
        return self._ends.get(event, ())

    # ---------------------------------------------------------------------------------------------- steps
    def step(self, happening: Happening) -> list[Judgement]:
        """Judge one event and replay it. The judgements are those that are not `kept`.

        An event that cannot have happened does no duty, passes no deadline and settles nothing.
        """
        self.bench.sit()
        machine, before = self.machine, self.bench.state
        self.bench.before = before
        self.bench.doubted.clear()
        event = self.program.ruleset.events[happening.event]
        self.settlement.settled = ()
        self._note_ids(event, happening.values)
        machine.enter(before)
        found: list[Judgement] = []
        happened = True
        try:
            after = apply(machine, self._mechanic(event.name), happening.values)
        except CannotApply as cannot:
            after, happened = before, False
            found.append(Judgement("impossible", "impossible", (), (), note=str(cannot)))
        machine.enter(before, after)
        found += self._overdrawn(event, happening)
        pending = self.duties.pending_at_once(event, happening) if happened else []
        left = self.duties.left()
        found += self._prohibitions(happening)
        found += self._endings(happening)
        found += self._permissions(event, happening)
        if happened:
            found += self.duties.passed_over(happening, pending)
            found += self.duties.deadlines(happening)
            found += self.settlement.judge(event, happening, self._lawful)
        if not any(j.kind in ("forbidden", "not permitted", "skipped") for j in found):
            found += self._actor(event, happening, left)
        if happened:
            found += self.duties.right_after(happening)
            after = self._count_history(event, happening, after)
        for life in self._ends.get(event.name, ()):
            machine.enter(after, at_end=True)
            found += self.duties.end_of(life)
        after = self._keep_breaches(found, after)
        self.bench.past.append(before)
        if event.name in self._ends:
            after = self._reset(after, set(self._ends[event.name]))
        self.bench.state = after
        self.duties.forgive()
        return found

    def end_life(self, life: str) -> list[Judgement]:
        """A life ended without an event of its own: judge what was due by its end, and reset it."""
        self.bench.sit()
        self.bench.before = self.bench.state
        self.machine.enter(self.state, at_end=True)
        found = self.duties.end_of(life)
        self.bench.state = self._reset(self._keep_breaches(found, self.state), {life})
        self.duties.forgive()
        return found

    def _reset(self, after: State, lives: set[str]) -> State:
        """The state once `lives` have ended."""
        self.bench.past.clear()
        self.bench.begin_anew(lives)
        for index, breach in enumerate(self.program.ruleset.breaches):
            if breach.life in lives:
                self.machine.doubts.pop(index, None)
        return reset_life(after, self.program.ruleset, lives)

    def _lawful(self, happening: Happening) -> bool:
        """Whether nothing forbids the event in the state at hand, or is due before it."""
        for norm in self.program.against(happening.event):
            if happening.actor in norm.roles:
                try:
                    if self.bench.applies(norm.applies, happening.values):
                        return False
                except Undefined:
                    continue
        return not self.duties.due_before(happening)

    def _overdrawn(self, event: Event, happening: Happening) -> list[Judgement]:
        """A value drawn more often than its stock holds cannot have come about."""
        found: list[Judgement] = []
        for index, chance in enumerate(self.program.ruleset.chances):
            if chance.event != event.name or chance.stock is None or chance.latch is None:
                continue
            value = happening.values[chance.parameter]
            if chance.latch in self.machine.unrecorded.latches or unrecorded_in(value):
                continue
            if index not in self._stocks:
                names = [p.name for p in event.params]
                self._stocks[index] = self.machine.closure(chance.stock, names)
            stock = self._stocks[index]
            drawn = self.state.counts[chance.latch].get((value,), 0) + 1
            try:
                short = self.bench.ask(lambda s=stock, d=drawn: d > s(list(happening.values)))  # type: ignore[misc]
            except Undefined:
                continue
            if short:
                shown = show(event.params[chance.parameter].type, value)
                found.append(
                    Judgement(
                        "impossible", "impossible", (), (), note=f"{shown} is drawn more often than there are"
                    )
                )
        return found

    def left_by(self, happening: Happening) -> State:
        """The state that the last event left, with its history counted, before any life it ends is reset."""
        event = self.program.ruleset.events[happening.event]
        self.machine.enter(self.before)
        try:
            after = apply(self.machine, self._mechanic(event.name), happening.values)
        except CannotApply:
            after = self.before
        return self._count_history(event, happening, after.changed())

    def _note_ids(self, event: Event, values: tuple[Any, ...]) -> None:
        for param, value in zip(event.params, values, strict=True):
            _note(self.state.ids, self.bench.own.lost_ids, param.type, value)

    def _mechanic(self, name: str) -> Mechanics:
        if name not in self._mechanics:
            self._mechanics[name] = compile_mechanics(self.machine, name)
        return self._mechanics[name]

    def _head(self, norm: EventNorm) -> Closure:
        closure = self._heads.get(norm.unit + norm.event)
        if closure is None:
            names = [EVENT_PREFIX + p.name for p in self.program.ruleset.events[norm.event].params]
            closure = self.machine.closure(norm.head, names)
            self._heads[norm.unit + norm.event] = closure
        return closure

    def _matches(self, norm: EventNorm, happening: Happening) -> bool | Undefined:
        """Whether a norm's head matches an event; the `Undefined`, which is true, where nobody can tell."""
        try:
            return bool(self._head(norm)(happening.values))
        except Undefined as undefined:
            return undefined

    def _prohibitions(self, happening: Happening) -> list[Judgement]:
        found: list[Judgement] = []
        for norm in self.program.prohibitions.get(happening.event, ()):
            if happening.actor in norm.exempt and self._matches(norm, happening):
                self.bench.count(norm.rule, "kept")
            if happening.actor not in norm.roles or not self._matches(norm, happening):
                continue
            if happening.event in self.recording.unordered:
                found += self.bench.unknown(norm.unit, norm.rule, order_of(happening.event), "forbidden")
                continue
            try:
                forbidden = self.bench.applies(norm.applies, happening.values)
            except Undefined as undefined:
                found += self.bench.unknown(norm.unit, norm.rule, undefined.reasons, "forbidden")
                continue
            if forbidden:
                found += self._forbidden(norm, happening)
            else:
                self.bench.tally(norm.rule).kept += 1
        return found

    def _endings(self, happening: Happening) -> list[Judgement]:
        """Duties that the event ends otherwise than they demand; nobody can tell where its order is not known."""
        found: list[Judgement] = []
        for norm in self.program.endings.get(happening.event, ()):
            if happening.actor not in norm.roles:
                continue
            try:
                if happening.event in self.recording.unordered:
                    raise Undefined(order_of(happening.event))
                if self.bench.applies(norm.applies, happening.values):
                    found += self.duties.ended(norm, happening)
            except Undefined as undefined:
                found += self.bench.unknown(norm.unit, norm.rule, undefined.reasons, "otherwise")
        return found

    def _forbidden(self, norm: EventNorm, happening: Happening) -> list[Judgement]:
        """A prohibited event; where it does a duty due now that nothing else would do, the law clashes with itself.

        A duty that may be done later is no excuse: the prohibition can lapse by its deadline.
        """
        for compiled, instance, pending in self.duties.performed(happening):
            now = compiled.duty.kind in ("at once", "immediately after")
            if now and norm.unit in (clash := self.duties.conflicts(compiled, instance)):
                if pending is True:
                    return [self.duties.disputed(compiled, instance, clash, "forbidden")]
                if untold(pending.reasons):
                    return self.bench.unknown(norm.unit, norm.rule, pending.reasons, "forbidden")
        self.bench.count(norm.rule, "broken")
        return [Judgement("broken", "forbidden", (norm.rule,), (norm.unit,))]

    def _permissions(self, event: Event, happening: Happening) -> list[Judgement]:
        governing = [n for n in self.program.permissions.get(event.name, ()) if self._matches(n, happening)]
        if not governing or event.observed:
            return []
        reasons: frozenset[Reason] = frozenset()
        if not any(self._matches(n, happening) is True for n in governing):
            reasons |= frozenset((Reason("unrecorded", f"part of {event.name}"),))
        if event.name in self.recording.unordered:
            reasons = order_of(event.name)
        else:
            permitting: list[str] = []
            for norm in governing:
                if happening.actor not in norm.roles:
                    continue
                try:
                    if self.bench.applies(norm.applies, happening.values):
                        permitting.append(norm.rule)
                except Undefined as undefined:
                    reasons |= undefined.reasons
            for rule in dict.fromkeys(permitting):
                self.bench.count(rule, "kept")
            if permitting:
                return []
            try:
                if self.duties.demanded(happening):
                    return []
            except Undefined as undefined:
                reasons |= undefined.reasons
        if reasons:
            if verdict_for(reasons) == "not checkable":
                for rule in dict.fromkeys(n.rule for n in governing):
                    self.bench.count(rule, "not checkable", reasons)
                return []
            return self.bench.unknown(governing[0].unit, governing[0].rule, reasons, "not permitted")
        own = [n for n in governing if happening.actor in n.roles]
        governing = own or governing
        rules = tuple(dict.fromkeys(n.rule for n in governing))
        for rule in rules:
            self.bench.tally(rule).broken += 1
        return [Judgement("broken", "not permitted", rules, tuple(n.unit for n in governing))]

    def _actor(
        self, event: Event, happening: Happening, left: Sequence[tuple[Compiled, Instance]]
    ) -> list[Judgement]:
        """An act by somebody for whom the rules provide none: it breaks what gives the act to another. `left` was due
        right after an earlier event.

        Where no rule gives it to anybody here, the law is silent on it.
        """
        if not event.by or happening.actor in event.by:
            return []
        given: list[str] = []
        unsure: dict[str, frozenset[Reason]] = {}
        for norm in self.program.permissions.get(event.name, ()):
            matches = self._matches(norm, happening)
            if isinstance(matches, Undefined) and untold(matches.reasons):
                unsure[norm.rule] = matches.reasons
            elif matches:
                given.append(norm.rule)
        owed = [
            compiled.duty.rule
            for compiled in self.duties.by_act.get(event.name, ())
            if compiled.duty.kind != "immediately after"
            for instance, pending in self.duties.instances(compiled)
            if pending is True and self.duties.performs(compiled, instance, happening)
        ]
        owed += [c.duty.rule for c, instance in left if self.duties.performs(c, instance, happening)]
        rules = tuple(dict.fromkeys([*given, *owed]))
        if unsure and not rules:
            for rule, reasons in unsure.items():
                self.bench.count(rule, "not checkable", reasons)
            return []
        required = tuple((event.name, (by,)) for by in event.by)
        for rule in rules:
            self.bench.count(rule, "broken")
        return [Judgement("broken" if rules else "undecided", "actor", rules, (), required=required)]

    def _count_history(self, event: Event, happening: Happening, after: State) -> State:
        ruleset = self.program.ruleset
        after = after if after is not self.state else after.changed()
        for index, latch in self._latches.get(event.name, ()):
            resets = latch.reset == event.name and _agrees(happening, latch.reset_fixed)
            if resets is None or (
                resets and any(unrecorded_in(happening.values[i]) for _, i in latch.reset_keys)
            ):
                self.machine.lost_latches[index] = f"part of {event.name}"
            elif resets:
                if latch.reset_keys:
                    keep = {
                        key: n
                        for key, n in after.counts[index].items()
                        if any(key[p] != happening.values[i] for p, i in latch.reset_keys)
                    }
                    after.counts[index] = keep
                else:
                    after.counts[index] = {}
                    self.machine.before_latches.pop(index, None)
                    self.machine.lost_latches.pop(index, None)
            counts = latch.event == event.name and _agrees(happening, latch.fixed)
            if counts is None or (counts and any(unrecorded_in(happening.values[i]) for i in latch.keys)):
                self.machine.lost_latches[index] = f"part of {event.name}"
            elif counts:
                key = tuple(happening.values[i] for i in latch.keys)
                after.counts[index] = {**after.counts[index], key: after.counts[index].get(key, 0) + 1}
        for index, breach in enumerate(ruleset.breaches):
            if breach.reset == event.name:
                after.broken[index] = False
                # As a breach by the very event counts from there on, so does one by it that nobody can tell of.
                if index not in self.bench.doubted:
                    self.machine.doubts.pop(index, None)
        return after

    def _keep_breaches(self, found: list[Judgement], after: State) -> State:
        broken = {rule for j in found if j.verdict == "broken" for rule in j.rules}
        if broken and self.program.breach_rules:
            after = after.changed()
            for index, rules in enumerate(self.program.breach_rules):
                if broken & set(rules):
                    after.broken[index] = True
        return after


def _agrees(happening: Happening, fixed: tuple[tuple[int, Any], ...]) -> bool | None:
    """Whether an event has the values that a pattern fixes; None where nobody can tell."""
    found: bool | None = True
    for index, value in fixed:
        if unrecorded_in(happening.values[index]):
            found = None
        elif happening.values[index] != value:
            return False
    return found


def _note(ids: dict[str, dict[str, int]], lost: dict[str, Partial], type_: ty.Type, value: Any) -> None:
    """Remember the ids in a value, in the order first seen; of a value that is not recorded, that there were some."""
    if type(value) is Partial:
        lost.update(dict.fromkeys(ids_within(type_), value))
        return
    match type_:
        case ty.IdT(name=name):
            if value is not None:
                ids[name].setdefault(value, len(ids[name]))
        case ty.EntityT(keys=parts) | ty.RecordT(fields=parts):
            for (_, part), inner in zip(parts, value, strict=True):
                _note(ids, lost, part, inner)
        case ty.OptT(of=of):
            if value is not None:
                _note(ids, lost, of, value)
        case _:
            return
