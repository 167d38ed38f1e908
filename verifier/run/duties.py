"""Duties: when they arise, what performs them, and when they are broken.

A duty is a condition on the state that its own performance makes false. Each instance is charged once, then
silent until its condition has been false. "At once" binds the actor's own acts: the next must perform one of
the duties then due at once from that actor.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from verifier.core.program import EVENT_PREFIX, ActMatch, Duty, EventNorm
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.ruleset import Event, Param
from verifier.model.types import BOOL
from verifier.model.values import Partial, show
from verifier.run.bench import Bench, Happening
from verifier.run.operators import Closure
from verifier.run.settlement import Settlement
from verifier.run.undefined import Reason, Undefined, because, untold
from verifier.run.verdict import Judgement, Kind, Required, Short, Subject

Instance = tuple[Any, ...]
Pending = tuple["Compiled", Instance, Any]


@dataclass(slots=True)
class Compiled:
    """A duty made runnable."""

    duty: Duty
    names: tuple[str, ...]
    acts: dict[str, list[tuple[Closure, tuple[Closure | None, ...]]]]
    deadlines: dict[str, list[Closure]]
    lacking: frozenset[Reason] | None
    """What the log lacks for it, where it cannot be checked for that."""
    told: str | None = None
    """The field of the state that its only variable, an id, must equal before anything else is asked."""


@dataclass(slots=True)
class Duties:
    """The duties of one table, compiled as those of `like`.

    `charged` are those reported and still holding, `bits` those that an event left, `unsure` those of which nobody can
    tell whether it did. `asks_all`: conditions are asked also of what their first words rule out.
    """

    bench: Bench
    settlement: Settlement
    like: Duties | None = None
    duties: list[Compiled] = field(init=False)
    at_once: list[Compiled] = field(init=False)
    by_act: dict[str, list[Compiled]] = field(default_factory=dict)
    by_deadline: dict[str, list[Compiled]] = field(default_factory=dict)
    charged: dict[tuple[str, Instance], tuple[Compiled, Instance]] = field(default_factory=dict)
    bits: dict[tuple[str, Instance], tuple[Compiled, Instance]] = field(default_factory=dict)
    unsure: dict[tuple[str, Instance], Pending] = field(default_factory=dict)
    _over: dict[str, Closure] = field(default_factory=dict)
    asks_all: bool = False

    def __post_init__(self) -> None:
        if self.like is not None:
            self.duties, self.at_once = self.like.duties, self.like.at_once
            self.by_act, self.by_deadline = self.like.by_act, self.like.by_deadline
            self.like = None
            return
        self.duties = [self._compile(duty) for duty in self.bench.program.duties]
        self.at_once = [c for c in self.duties if c.duty.kind == "at once"]
        for compiled in self.duties:
            for event in compiled.acts:
                self.by_act.setdefault(event, []).append(compiled)
            for event in compiled.deadlines:
                self.by_deadline.setdefault(event, []).append(compiled)

    def _compile(self, duty: Duty) -> Compiled:
        names = [p.name for p in duty.variables]
        acts: dict[str, list[tuple[Closure, tuple[Closure | None, ...]]]] = {}
        for act in duty.acts:
            required = tuple(
                None if r is None else self.bench.machine.closure(r, names) for r in act.required
            )
            acts.setdefault(act.event, []).append((self._match_closure(act, names), required))
        deadlines: dict[str, list[Closure]] = {}
        for act in duty.deadline_acts:
            deadlines.setdefault(act.event, []).append(self._match_closure(act, names))
        lacking = self._lacking(duty)
        reasons = None if lacking is None else frozenset((Reason("unrecorded", lacking),))
        return Compiled(duty, tuple(names), acts, deadlines, reasons, self._told(duty))

    def _told(self, duty: Duty) -> str | None:
        """The field that the condition compares the only variable with first, where that is an id."""
        if len(duty.variables) != 1 or not isinstance(duty.variables[0].type, ty.IdT):
            return None
        function = self.bench.program.functions[duty.pending]
        first = function.body.items[0] if isinstance(function.body, m.AndT) else function.body
        match first:
            case (
                m.CompareT(op="=", left=m.Get(name=name, key=None), right=m.Var(name=variable))
                | m.CompareT(op="=", left=m.Var(name=variable), right=m.Get(name=name, key=None))
            ) if variable == function.params[0].name:
                return name
            case _:
                return None

    def _match_closure(self, act: ActMatch, names: list[str]) -> Closure:
        params = [EVENT_PREFIX + p.name for p in self.bench.program.ruleset.events[act.event].params]
        return self.bench.machine.closure(act.matches, [*params, *names])

    def _lacking(self, duty: Duty) -> str | None:
        """What the log lacks for this duty, in a word, or None."""
        lacking = [a.event for a in duty.acts if a.event in self.bench.recording.absent]
        if lacking:
            return lacking[0]
        if duty.kind != "by end of":
            loose = [
                a.event
                for a in (*duty.acts, *duty.deadline_acts)
                if a.event in self.bench.recording.unordered or a.event in self.bench.recording.absent
            ]
            if loose:
                return f"the order of {loose[0]}" if loose[0] in self.bench.recording.unordered else loose[0]
        return None

    def instances(self, compiled: Compiled) -> Iterator[tuple[Instance, Any]]:
        """Each instance of a duty with True, or with the `Undefined` that keeps one from telling.

        Whatever there may be besides of which the log tells nothing stands as one value that nobody knows.
        """
        duty = compiled.duty
        for values in self._candidates(compiled):
            try:
                if self.bench.applies(duty.pending, values):
                    unknown = next((v for v in values if type(v) is Partial), None)
                    yield values, True if unknown is None else because(unknown.kind, unknown.what)
            except Undefined as undefined:
                yield values, undefined

    def due(self, compiled: Compiled) -> Iterator[tuple[Instance, Any]]:
        """As `instances`, of what is due now: of a duty `immediately after` an event, what such an event left."""
        if compiled.duty.kind != "immediately after":
            yield from self.instances(compiled)
        elif compiled.lacking is not None:
            yield from ((values, Undefined(compiled.lacking)) for values in self._candidates(compiled))
        else:
            yield from [(instance, True) for c, instance in self.bits.values() if c is compiled]
            yield from [(instance, unsure) for c, instance, unsure in self.unsure.values() if c is compiled]

    def _candidates(self, compiled: Compiled) -> Iterable[Instance]:
        """The values of a duty's variables; those of which its condition's first words say at once that it is false may
        be left out."""
        variables, machine = compiled.duty.variables, self.bench.machine
        if not machine.tells_all():
            return product(*(self._values_of(p) for p in variables))
        if compiled.told is not None and not self.asks_all:
            type_, value = variables[0].type, machine.state.fields[compiled.told]
            if isinstance(type_, ty.IdT) and type(value) is not Partial:
                return [(value,)] if value in self.bench.state.ids[type_.name] else []
        return product(*(self.bench.values(p) for p in variables))

    def _values_of(self, param: Param) -> list[Any]:
        unknown = self.bench.machine.unlisted(param.type)
        return [*self.bench.values(param), *(() if unknown is None else (unknown,))]

    def performs(self, compiled: Compiled, instance: Instance, happening: Happening) -> bool:
        """Whether the event surely does a duty's act."""
        return self.doing(compiled, instance, happening) is True

    def doing(self, compiled: Compiled, instance: Instance, happening: Happening) -> bool | Undefined:
        """Whether the event does a duty's act; the `Undefined` where nobody can tell."""
        unsure: Undefined | None = None
        for matches, _ in compiled.acts.get(happening.event, ()):
            try:
                if matches([*happening.values, *instance]):
                    return True
            except Undefined as undefined:
                unsure = undefined
        return unsure or False

    def _key(self, compiled: Compiled, instance: Instance) -> tuple[str, Instance]:
        """What a duty is charged by: its rule, its variables and the places of its act, never amounts."""
        kept = [
            v
            for p, v in zip(compiled.duty.variables, instance, strict=True)
            if not isinstance(p.type, ty.MoneyT)
        ]
        for event, acts in compiled.acts.items():
            params = self.bench.program.ruleset.events[event].params
            for param, closure in (
                pair for _, required in acts for pair in zip(params, required, strict=True)
            ):
                if closure is not None and isinstance(param.type, ty.EntityT | ty.IntT | ty.IdT):
                    try:
                        kept.append(closure(list(instance)))
                    except Undefined:
                        kept.append(None)
        return compiled.duty.unit, tuple(kept)

    def demanded(self, happening: Happening) -> bool:
        """Whether some duty is pending that this event performs. Raises `Undefined` where nobody can tell."""
        reasons: frozenset[Reason] = frozenset()
        for _, _, pending in self.performed(happening):
            if pending is True:
                return True
            reasons |= pending.reasons
        if reasons:
            raise Undefined(reasons)
        return False

    def performed(self, happening: Happening) -> Iterator[Pending]:
        """The duties that this event performs, with True; or with why nobody can tell that it performs one due."""
        for compiled in self.by_act.get(happening.event, ()):
            if happening.actor in compiled.duty.roles:
                for instance, pending in self.due(compiled):
                    done = self.doing(compiled, instance, happening)
                    if done is True:
                        yield compiled, instance, pending
                    elif isinstance(done, Undefined) and untold(done.reasons):
                        yield compiled, instance, done

    def conflicts(self, compiled: Compiled, instance: Instance) -> tuple[str, ...]:
        """The prohibitions, by unit, that leave no act to perform the duty with; none where some act is open."""
        found: dict[str, None] = {}
        for name, alternatives in compiled.acts.items():
            params = self.bench.program.ruleset.events[name].params
            for _, required in alternatives:
                values = tuple(
                    self._value(closure, instance, param.name)
                    for closure, param in zip(required, params, strict=True)
                )
                forbidding = [n.unit for n in self._forbidding(name, compiled.duty.roles, values)]
                if not forbidding:
                    return ()
                found.update(dict.fromkeys(forbidding))
        return tuple(found)

    def _value(self, closure: Closure | None, instance: Instance, name: str) -> Any:
        """A value that an act requires; one that is open is as good as not recorded."""
        if closure is None:
            return Partial(name)
        try:
            return closure(list(instance))
        except Undefined:
            return Partial(name)

    def _forbidding(self, event: str, roles: tuple[str, ...], values: tuple[Any, ...]) -> Iterator[EventNorm]:
        """The prohibitions that apply to every bearer and every such event."""
        for norm in self.bench.program.prohibitions.get(event, ()):
            if set(roles) <= set(norm.roles):
                try:
                    if self.bench.applies(norm.applies, values):
                        yield norm
                except Undefined:
                    continue

    def pending_at_once(self, event: Event, happening: Happening) -> list[Pending]:
        """The duties due at once from this actor, with the bits that `immediately after` left."""
        if event.observed or event.name in self.bench.recording.unordered:
            return []
        found: list[Pending] = []
        waits_for = self.bench.program.waits_for
        for compiled in self.at_once:
            if happening.actor not in compiled.duty.roles or not waits_for(event.name, compiled.duty):
                continue
            if compiled.lacking is not None:
                self._count_lacking(compiled)
                continue
            found += [(compiled, instance, pending) for instance, pending in self.instances(compiled)]
        found += [
            (compiled, instance, True)
            for compiled, instance in self.left()
            if happening.actor in compiled.duty.roles and waits_for(event.name, compiled.duty)
        ]
        return found

    def left(self) -> Sequence[tuple[Compiled, Instance]]:
        """What is due right after an event, duty by duty: in whatever order it became due it is told in one."""
        left = tuple(self.bits.values())
        if len(left) < 2:
            return left
        place = {id(compiled): index for index, compiled in enumerate(self.duties)}
        return sorted(left, key=lambda one: place[id(one[0])])

    def _count_lacking(self, compiled: Compiled) -> None:
        assert compiled.lacking is not None
        self.bench.count(compiled.duty.rule, "not checkable", compiled.lacking)

    def passed_over(self, happening: Happening, pending: list[Pending]) -> list[Judgement]:
        done = [(c, i, p) for c, i, p in pending if self.performs(c, i, happening)]
        self._too_late(happening)
        for compiled, instance, sure in done:
            self.bits.pop(self._key(compiled, instance), None)
            if sure is True:
                self.bench.tally(compiled.duty.rule).kept += 1
        if any(sure is True for _, _, sure in done):
            return []
        perhaps = done or [
            (c, i, unsure)
            for c, i, _ in pending
            if isinstance(unsure := self.doing(c, i, happening), Undefined)
        ]
        if perhaps:
            return self._perhaps_passed(pending, perhaps, done or perhaps[:1])
        found: list[Judgement] = []
        passed = [(c, i) for c, i, p in pending if p is True]
        fresh = [(c, i) for c, i in passed if self._key(c, i) not in self.charged]
        for compiled, instance in fresh:
            found.append(self._breach(compiled, instance, "skipped"))
            self.bits.pop(self._key(compiled, instance), None)
        if not passed:
            for compiled, instance, unsure in pending:
                if isinstance(unsure, Undefined):
                    found += self._unsure(compiled, instance, unsure, "skipped")
        return found

    def _too_late(self, happening: Happening) -> None:
        """What perhaps was due right after an event is so no longer once its bearer has acted."""
        if self.unsure and not self.bench.program.ruleset.events[happening.event].observed:
            self.unsure = {k: p for k, p in self.unsure.items() if happening.actor not in p[0].duty.roles}

    def _perhaps_passed(
        self, pending: list[Pending], perhaps: list[Pending], named: list[Pending]
    ) -> list[Judgement]:
        """What is said of an act that perhaps does a duty due: where a whole log might tell, it may pass over all."""
        reasons = frozenset(reason for _, _, unsure in perhaps for reason in unsure.reasons)
        if untold(reasons):
            for compiled, instance, _ in perhaps:
                self.bits.pop(self._key(compiled, instance), None)
            named = [(compiled, instance, Undefined(reasons)) for compiled, instance, _ in pending]
        return [judgement for c, i, unsure in named for judgement in self._unsure(c, i, unsure, "skipped")]

    def _unsure(
        self, compiled: Compiled, instance: Instance, unsure: Undefined, kind: Kind
    ) -> list[Judgement]:
        duty = compiled.duty
        return self.bench.unknown(
            duty.unit, duty.rule, unsure.reasons, kind, self._binding(compiled, instance)
        )

    def _breach(self, compiled: Compiled, instance: Instance, kind: Kind) -> Judgement:
        """A duty not done; where every act that would do it is forbidden, the law clashes with itself."""
        duty = compiled.duty
        key = self._key(compiled, instance)
        if duty.kind != "immediately after":
            self.charged[key] = (compiled, instance)
        clash = self.conflicts(compiled, instance)
        if clash and not self._was_open(compiled, instance):
            return self.disputed(compiled, instance, clash, kind)
        self.bench.tally(duty.rule).broken += 1
        required, shorts, unmade = self._owed(compiled, instance)
        short, *besides = shorts or (None,)
        return Judgement(
            "broken",
            kind,
            (duty.rule,),
            (duty.unit,),
            self._binding(compiled, instance),
            required,
            short=short,
            unmade=unmade,
            besides=tuple(besides),
        )

    def ended(self, norm: EventNorm, happening: Happening) -> list[Judgement]:
        """The duties that an event ends by another amount than they demand: at least one."""
        compiled = next(one for one in self.duties if one.duty.unit == norm.unit)
        self.bench.tally(norm.rule).broken += 1
        found: list[Judgement] = []
        for instance, pending in self.instances(compiled):
            over = pending is True and self._is_over(compiled, instance)
            if over and self._but_amounts(compiled, instance, happening):
                required, _, _ = self._owed(compiled, instance)
                binding = self._binding(compiled, instance)
                found.append(Judgement("broken", "otherwise", (norm.rule,), (norm.unit,), binding, required))
        return found or [Judgement("broken", "otherwise", (norm.rule,), (norm.unit,))]

    def _is_over(self, compiled: Compiled, instance: Instance) -> bool:
        """Whether the event at hand leaves a duty no longer pending."""
        duty = compiled.duty
        if duty.unit not in self._over:
            call = m.CallF(BOOL, duty.pending, tuple(m.Var(p.type, p.name) for p in duty.variables))
            names = [p.name for p in duty.variables]
            self._over[duty.unit] = self.bench.machine.closure(m.AfterT(BOOL, m.NotT(BOOL, call)), names)
        try:
            return bool(self._over[duty.unit](list(instance)))
        except Undefined:
            return False

    def _but_amounts(self, compiled: Compiled, instance: Instance, happening: Happening) -> bool:
        """Whether an event is what some act demands, but for sums of money."""
        params = self.bench.program.ruleset.events[happening.event].params
        for _, required in compiled.acts.get(happening.event, ()):
            asked = [self._value(c, instance, p.name) for c, p in zip(required, params, strict=True)]
            if all(
                isinstance(value, Partial) or isinstance(param.type, ty.MoneyT) or value == given
                for value, param, given in zip(asked, params, happening.values, strict=True)
            ):
                return True
        return False

    def _was_open(self, compiled: Compiled, instance: Instance) -> bool:
        """Whether there was a moment in this round at which the duty was pending and some act to do it open."""
        machine = self.bench.machine
        here, after, at_end = machine.state, machine.after, machine.at_end
        try:
            for state in reversed(self.bench.past):
                machine.enter(state)
                try:
                    pending = self.bench.applies(compiled.duty.pending, instance)
                except Undefined:
                    continue
                if pending and not self.conflicts(compiled, instance):
                    return True
            return False
        finally:
            machine.enter(here, after, at_end)

    def disputed(
        self, compiled: Compiled, instance: Instance, clash: tuple[str, ...], kind: Kind
    ) -> Judgement:
        """A duty and the prohibitions that leave no act to perform it with."""
        duty = compiled.duty
        rules = tuple(dict.fromkeys([duty.rule, *(self.bench.rule_of(unit) for unit in clash)]))
        for rule in rules:
            self.bench.count(rule, "disputed")
        reason = Reason("conflict", "a duty and a prohibition", (duty.unit, *clash))
        return Judgement(
            "disputed", kind, rules, (duty.unit, *clash), self._binding(compiled, instance), reasons=(reason,)
        )

    def _binding(self, compiled: Compiled, instance: Instance) -> tuple[tuple[str, str], ...]:
        return tuple(
            (p.name, show(p.type, v)) for p, v in zip(compiled.duty.variables, instance, strict=True)
        )

    def _owed(
        self, compiled: Compiled, instance: Instance
    ) -> tuple[tuple[Required, ...], tuple[Short, ...], tuple[Subject, ...]]:
        """The acts that would have done, who is short for want of them, and, where nobody is known to be, what would
        have been settled."""
        acts: list[Required] = []
        shorts: tuple[Short, ...] = ()
        unmade: dict[Subject, None] = {}
        for name, alternatives in compiled.acts.items():
            params = self.bench.program.ruleset.events[name].params
            for _, required in alternatives:
                values: list[Any] = []
                for closure in required:
                    try:
                        values.append(None if closure is None else closure(list(instance)))
                    except Undefined:
                        values.append(None)
                acts.append(
                    (
                        name,
                        tuple(
                            None if v is None else show(p.type, v)
                            for p, v in zip(params, values, strict=True)
                        ),
                    )
                )
                shorts = shorts or tuple(self._missed(name, values))
                unmade |= dict.fromkeys(self._unsettled(name, values))
        return tuple(acts), shorts, () if shorts else tuple(unmade)

    def _unsettled(self, event: str, values: list[Any]) -> Iterator[Subject]:
        """What the event would have settled."""
        declared = self.bench.program.ruleset.events[event]
        frame = [Partial("amount") if value is None else value for value in values]
        for place in range(len(declared.moves) if declared.claims else 0):
            subject = self.settlement.subject(event, place, frame)
            if subject is not None:
                yield subject

    def _missed(self, event: str, values: list[Any]) -> Iterator[Short]:
        """Who is short when the event does not happen: whoever its money would have gone to from somebody else.

        Where the act leaves the amount open, it is what the law would have moved.
        """
        frame = [Partial("amount") if value is None else value for value in values]
        for place, (amount, source, target, due) in enumerate(self.settlement.moves_of(event)):
            for owed in (amount, due):
                if owed is None:
                    continue
                try:
                    sum_ = self.bench.ask(lambda f=owed: f(frame))  # type: ignore[misc]
                    payer, payee = (show(ty.PARTY, who(frame)) for who in (source, target))
                except Undefined:
                    continue
                if sum_ > 0 and payer != payee:
                    yield Short(payee, sum_, self.settlement.subject(event, place, frame))
                break

    def due_before(self, happening: Happening) -> bool:
        """Whether a duty is pending that is due before such an event."""
        for compiled in self.by_deadline.get(happening.event, ()):
            if compiled.duty.kind == "before":
                for instance, pending in self.instances(compiled):
                    if pending is True and self._is_deadline(compiled, instance, happening) is True:
                        return True
        return False

    def deadlines(self, happening: Happening) -> list[Judgement]:
        """Duties due before this event, and those by-the-way performed by it."""
        found: list[Judgement] = []
        for compiled in self.by_act.get(happening.event, ()):
            waits = compiled.duty.kind in ("before", "by end of") and compiled.lacking is None
            if waits and happening.actor in compiled.duty.roles:
                self._count_performed(compiled, happening)
        for compiled in self.by_deadline.get(happening.event, ()):
            if compiled.duty.kind != "before":
                continue
            if compiled.lacking is not None:
                self._count_lacking(compiled)
                continue
            for instance, pending in self.instances(compiled):
                due = self._is_deadline(compiled, instance, happening)
                if due is not True:
                    found += self._perhaps_due(compiled, instance, due)
                elif isinstance(pending, Undefined):
                    found += self._unsure(compiled, instance, pending, "late")
                elif self._key(compiled, instance) not in self.charged:
                    found.append(self._breach(compiled, instance, "late"))
        return found

    def _count_performed(self, compiled: Compiled, happening: Happening) -> None:
        for instance, pending in self.instances(compiled):
            if pending is True and self.performs(compiled, instance, happening):
                self.bench.tally(compiled.duty.rule).kept += 1

    def _is_deadline(self, compiled: Compiled, instance: Instance, happening: Happening) -> bool | Undefined:
        """Whether the event is a duty's deadline; the `Undefined` where nobody can tell."""
        unsure: Undefined | None = None
        for closure in compiled.deadlines.get(happening.event, ()):
            try:
                if closure([*happening.values, *instance]):
                    return True
            except Undefined as undefined:
                unsure = undefined
        return unsure or False

    def _perhaps_due(self, compiled: Compiled, instance: Instance, due: bool | Undefined) -> list[Judgement]:
        """What is said of a duty that is not surely due by an event."""
        if isinstance(due, Undefined) and untold(due.reasons):
            return self._unsure(compiled, instance, due, "late")
        return []

    def right_after(self, happening: Happening) -> list[Judgement]:
        """Note the duties that become due right after this event."""
        found: list[Judgement] = []
        for compiled in self.by_deadline.get(happening.event, ()):
            if compiled.duty.kind != "immediately after":
                continue
            if compiled.lacking is not None:
                self._count_lacking(compiled)
                continue
            for instance, pending in self.instances(compiled):
                due = self._is_deadline(compiled, instance, happening)
                if due is not True:
                    found += self._perhaps_due(compiled, instance, due)
                elif pending is True:
                    self.bits[self._key(compiled, instance)] = (compiled, instance)
                else:
                    self.unsure[self._key(compiled, instance)] = compiled, instance, pending
                    found += self._unsure(compiled, instance, pending, "late")
        return found

    def end_of(self, life: str) -> list[Judgement]:
        """The duties that were due by the end of a life which ends now."""
        found: list[Judgement] = []
        for compiled in self.duties:
            if compiled.duty.kind != "by end of" or compiled.duty.life != life:
                continue
            if compiled.lacking is not None:
                self._count_lacking(compiled)
                continue
            for instance, pending in self.instances(compiled):
                if isinstance(pending, Undefined):
                    found += self._unsure(compiled, instance, pending, "late")
                elif self._key(compiled, instance) not in self.charged:
                    found.append(self._breach(compiled, instance, "late"))
        return found

    def forgive(self) -> None:
        """A duty charged once is silent until its condition has been false."""
        if not self.charged:
            return
        self.bench.machine.enter(self.bench.state)
        for key, (compiled, instance) in list(self.charged.items()):
            try:
                still = self.bench.applies(compiled.duty.pending, instance)
            except Undefined:
                still = True
            if not still or self._key(compiled, instance) != key:
                del self.charged[key]
