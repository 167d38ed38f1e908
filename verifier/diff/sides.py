"""A state of the common world as each side has it, and what each side's own interpreter says of it.

What is shown of an example comes from here: the rulesets as they are, not the program that was made of both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from verifier.core.program import Program
from verifier.diff.fold import conjunction
from verifier.diff.kindred import alike
from verifier.diff.laid import laid_amounts
from verifier.diff.lawful import Lawful
from verifier.diff.matter import Half, Matter
from verifier.diff.merge import Merger
from verifier.diff.plain import plain_ones, shorter
from verifier.diff.shown import shown_state
from verifier.diff.unify import SIDES, Side, Which
from verifier.diff.weight import Stock, overdrawn
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.names import name_of
from verifier.model.ruleset import Event, Param, Ruleset
from verifier.model.terms import Term, subterms
from verifier.model.types import Type
from verifier.model.values import House, show
from verifier.prove.explore.exhaust import every_term
from verifier.prove.obligations.decisions import gap_id
from verifier.prove.question import Sometimes
from verifier.prove.transitions import Reads
from verifier.run.account import DecisionWord
from verifier.run.bench import Happening
from verifier.run.facts import Fact
from verifier.run.grounds import Grounds
from verifier.run.judge import Judge
from verifier.run.machine import Machine
from verifier.run.operators import Closure
from verifier.run.state import EXISTS, State, first_state
from verifier.run.undefined import Undefined

FEW_TIMES = 12
"""What has happened more often in an example is tried with each number below this first."""


@dataclass(frozen=True, slots=True)
class Gain:
    """What comes to the player of one unit staked, by the event that settles; `amount` is None where nobody can tell.

    `why` says why not.
    """

    event: str | None
    amount: Fraction | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Posed:
    """An example as one side has it: a state of its own program, the options in force there, and in words what is there
    beside what is as at first."""

    state: State
    options: tuple[tuple[str, object], ...]
    shown: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Said:
    """What one side says in an example: its value, None where it has none; the rules that apply; what they read.

    `known` are the reasons for which its ruleset accepts, as a finding, that whoever asks here gets no answer.
    """

    value: str | None
    why: tuple[str, ...]
    rules: tuple[str, ...]
    facts: tuple[Fact, ...]
    due: bool
    gain: Gain | None
    posed: Posed
    known: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Act:
    """An event that settles an example as the rules of `by` say, and the same event as each side has it."""

    by: tuple[Which, ...]
    old: Happening
    new: Happening


@dataclass(frozen=True, slots=True)
class Example:
    """One state under both: the things that are there (`state`), the options, what each side says, and the events by
    which they have it settled, where both know such events. `breaks` are the invariants that it does not keep, by whose
    they are. `staked`: one unit is staked in it, or nothing is; else the difference hangs on the amount."""

    options: tuple[tuple[str, str], ...]
    values: tuple[tuple[str, str], ...]
    state: tuple[tuple[str, str], ...]
    old: Said
    new: Said
    acts: tuple[Act, ...]
    breaks: tuple[tuple[Which, str], ...] = ()
    staked: bool = True


class Sides:
    """Both rulesets' interpreters, and the way from a common state to each."""

    def __init__(self, merger: Merger, program: Program, stock: Stock | None = None) -> None:
        self.merger = merger
        self.stock = stock
        self.drawn = None if stock is None else stock.type
        self.program = program
        self._merged = Machine(program, {})
        self._closures: dict[tuple[int, tuple[str, ...]], tuple[Term, Closure]] = {}
        self._grounds: dict[tuple[Which, tuple[tuple[str, object], ...]], Grounds] = {}
        self._reads = {which: Reads(p) for which, p in merger.programs.items()}
        self._options_read: frozenset[str] | None = None
        self._lawful: Lawful | None = None

    @property
    def lawful(self) -> Lawful:
        """The invariants of both, to hold examples against."""
        if self._lawful is None:
            self._lawful = Lawful(self.merger, self.program, self.true)
        return self._lawful

    # ------------------------------------------------------------------------------------------------- states
    def state(self, which: Which, state: State) -> State:
        """A common state as one side has it. What that side does not know is as at first."""
        side = self.merger.common.side(which)
        found = first_state(side.ruleset)
        for name, field in side.ruleset.state.items():
            value: Any = state.fields.get(side.state[name])
            try:
                match field.type:
                    case ty.MapT(key=key, of=of):
                        found.fields[name] = {
                            side.value(key, k, True): side.value(of, v, True) for k, v in value.items()
                        }
                    case ty.SetT(of=of):
                        found.fields[name] = {side.value(of, k, True): v for k, v in value.items()}
                    case type_:
                        found.fields[name] = side.value(type_, value, True)
            except (LookupError, ValueError):
                continue
        for kind, entity in side.ruleset.entities.items():
            for ref, fields in state.entities.get(side.entities[kind], {}).items():
                known = _back(side, entity.type, ref)
                if known is None:
                    continue
                own: dict[str, object] = {EXISTS: True} if EXISTS in fields else {}
                for f in entity.fields:
                    common = side.fields[kind, f.name]
                    if common in fields:
                        own[f.name] = side.value(f.type, fields[common], True)
                found.entities[kind][known] = own
        for index in range(len(side.ruleset.latches)):
            common_index = self.merger.known_latch(which, index)
            if common_index is not None:
                params = side.ruleset.events[side.ruleset.latches[index].event].params
                types = [params[i].type for i in side.ruleset.latches[index].keys]
                found.counts[index] = {
                    tuple(side.value(t, k, True) for t, k in zip(types, key, strict=True)): n
                    for key, n in state.counts[common_index].items()
                }
        for index in range(len(side.ruleset.breaches)):
            common_index = self.merger.known_breach(which, index)
            if common_index is not None:
                found.broken[index] = state.broken[common_index]
        found.ids = {kind: dict(ids) for kind, ids in state.ids.items() if kind in found.ids}
        return found

    def options(self, which: Which, options: Mapping[str, object]) -> dict[str, object]:
        """The common options as one side has them."""
        side = self.merger.common.side(which)
        return {
            name: side.value(option.type, options[side.options[name]], True)
            for name, option in side.ruleset.options.items()
            if side.options[name] in options
        }

    def arguments(self, matter_half: Half, matter: Matter, at: Sometimes) -> tuple[Any, ...]:
        """One side's own arguments in an example. Raises `Undefined`."""
        machine = self._merged
        machine.options = dict(at.options)
        machine.enter(at.state)
        side = self.merger.common.side(matter_half.which)
        names = [p.name for p in matter.params]
        frame = [at.values[n] for n in names]
        declared = self._declared(matter_half.which, matter.name)
        return tuple(
            side.value(p.type, machine.closure(term, names)(list(frame)), True)
            for p, term in zip(declared, matter_half.args, strict=True)
        )

    def _declared(self, which: Which, name: str) -> tuple[Param, ...]:
        program, own = self.merger.programs[which], self._own(which, name)
        return program.decisions[own].params if own in program.decisions else program.functions[own].params

    def _own(self, which: Which, name: str) -> str:
        """What a side calls the decision of a common name."""
        return self.merger.common.side(which).own(name)

    # ---------------------------------------------------------------------------------------------- what is said
    def grounds(self, which: Which, at: Sometimes) -> Grounds:
        """One side's interpreter in an example."""
        options = self.options(which, at.options)
        key = which, tuple(sorted(options.items()))
        if key not in self._grounds:
            self._grounds[key] = Grounds(Judge(self.merger.programs[which], dict(options)))
        grounds = self._grounds[key]
        state = self.state(which, at.state)
        judge = grounds.judge
        judge.bench.state = judge.bench.before = state
        judge.machine.enter(state)
        return grounds

    def said(self, which: Which, matter: Matter, at: Sometimes) -> Said:
        """What one side says of a matter in an example."""
        half = matter.old if which == "old" else matter.new
        grounds = self.grounds(which, at)
        program = self.merger.programs[which]
        args = self.arguments(half, matter, at)
        grounds = self.grounds(which, at)
        name = self._own(which, matter.name)
        if name in program.decisions:
            word = grounds.decision(program.decisions[name], args)
            rules = tuple(c.rule for c in word.cases if c.applies == "yes")
            accepted = program.ruleset.accepted
            gaps = [name_of(gap_id(name, a.rule)) for a in word.asked if a.truth == "yes"]
            return Said(
                word.value,
                word.why,
                rules,
                _facts(word),
                word.due == "yes",
                self._gain(which, matter, args, grounds),
                self._posed(which, at, grounds),
                tuple(accepted[g] for g in gaps if g in accepted) if not rules else (),
            )
        function = program.functions[name]
        scope = {p.name: (p.type, v) for p, v in zip(function.params, args, strict=True)}
        facts = grounds.reading.facts([function.body], scope)
        call = m.CallF(function.type, name, tuple(m.Var(p.type, p.name) for p in function.params))
        try:
            value: str | None = show(function.type, grounds.reading.value(call, scope))
            why: tuple[str, ...] = ()
        except Undefined as undefined:
            value, why = None, grounds.reading.why(undefined)
        rules = (function.clause,) if function.clause else ()
        return Said(value, why, rules, facts, True, None, self._posed(which, at, grounds))

    def _posed(self, which: Which, at: Sometimes, grounds: Grounds) -> Posed:
        state = deepcopy(grounds.judge.state)
        shown = shown_state(self.merger.programs[which].ruleset, state, self.drawn)
        return Posed(state, tuple(self.options(which, at.options).items()), tuple(shown))

    def example(self, matter: Matter, at: Sometimes, condition: Term) -> Example | None:
        """An example under both, made as plain as `condition` lets it; None where one side owes no answer in it, or
        there is more in it than is drawn from."""
        names = [p.name for p in matter.params]
        whole = conjunction([matter.fixed, matter.old.asked, matter.new.asked, condition])
        if not self.true(whole, at, names):
            return None
        self._plainer(whole, at, names)
        if self.overdrawn(at):
            return None
        self._open(matter, at, whole, names)
        staked = self._staked(matter, at, whole, names)
        breaks = self.mended(at, whole, names)
        try:
            old, new = self.said("old", matter, at), self.said("new", matter, at)
        except (Undefined, LookupError, ValueError):
            return None
        if not old.due or not new.due:
            return None
        ruleset = self.program.ruleset
        return Example(
            self.options_read(at),
            tuple((p.name, show(p.type, at.values[p.name])) for p in matter.params),
            tuple(shown_state(ruleset, at.state, self.drawn)),
            old,
            new,
            self._acts(matter, at, old.gain, new.gain),
            breaks,
            staked,
        )

    def plain(self, condition: Term, at: Sometimes, names: Sequence[str]) -> bool:
        """Make an example as plain as the condition lets it; False where that is not so in it, or there is more in it
        than is drawn from."""
        if not self.true(condition, at, names):
            return False
        self._plainer(condition, at, names)
        return not self.overdrawn(at)

    def mended(self, at: Sometimes, condition: Term, names: Sequence[str]) -> tuple[tuple[Which, str], ...]:
        """Have an example be as play would have it, as long as `condition` holds: things of one origin alike, and what
        is yes or no as the invariants say. Those that stay broken, by whose they are and by name."""

        def judge() -> Callable[[], bool]:
            broken = set(self.lawful.broken(at))
            return lambda: (
                self.true(condition, at, names)
                and not self.overdrawn(at)
                and broken.issuperset(self.lawful.broken(at))
            )

        alike(self.program, at, judge)
        return self.lawful.mended(at, condition, names)

    def overdrawn(self, at: Sometimes) -> bool:
        """Whether an example holds more of something than there is to draw."""
        return self.stock is not None and overdrawn(self.stock, self.merger, self.program, at)

    def options_read(self, at: Sometimes) -> tuple[tuple[str, str], ...]:
        """The options of an example that some rule of either reads, as people write them."""
        types = self.program.ruleset.options
        if self._options_read is None:
            self._options_read = frozenset(
                self.merger.common.side(which).options[term.name]
                for which, program in self.merger.programs.items()
                for whole in every_term(program)
                for term in subterms(whole)
                if isinstance(term, m.OptionGet)
            )
        read = self._options_read
        return tuple((n, show(types[n].type, v)) for n, v in at.options.items() if n in read)

    # ------------------------------------------------------------------------------------------ plain examples
    def true(self, condition: Term, at: Sometimes, names: Sequence[str]) -> bool:
        """Whether a condition is true in an example."""
        machine = self._merged
        machine.options = dict(at.options)
        machine.enter(at.state)
        key = id(condition), tuple(names)
        if key not in self._closures:
            self._closures[key] = condition, machine.closure(condition, names)
        try:
            return self._closures[key][1]([at.values[n] for n in names]) is True
        except Undefined:
            return False

    def _plainer(self, condition: Term, at: Sometimes, names: Sequence[str]) -> None:
        """Take from the state of an example whatever the condition does not need, as long as it holds."""
        ruleset = self.program.ruleset
        kept = {known for _, known in self._about(at, ruleset, names)}
        state = at.state
        for kind, table in state.entities.items():
            entity = ruleset.entities[kind]
            for ref in sorted(table, key=repr):
                fields = table.pop(ref)
                if (kind, ref) not in kept and self.true(condition, at, names):
                    continue
                table[ref] = fields
                for f in entity.fields:
                    if f.name not in fields or fields[f.name] == f.initial:
                        continue
                    value = fields[f.name]
                    # A list of what the example is about stays as long as it is: how often it occurs hangs on that.
                    long = isinstance(f.type, ty.ListT) and (kind, ref) in kept
                    less = () if long else (f.initial, *shorter(f.type, value))
                    for tried in (*less, *plain_ones(f.type, value)):
                        fields[f.name] = tried
                        if self.true(condition, at, names):
                            break
                    else:
                        fields[f.name] = value
        for name, field in ruleset.state.items():
            value = state.fields[name]
            first: object = {} if isinstance(field.type, ty.MapT | ty.SetT) else field.initial
            state.fields[name] = first
            if value != first and not self.true(condition, at, names):
                state.fields[name] = value
                if isinstance(value, dict):
                    self._fewer(value, lambda: self.true(condition, at, names))
        for counts in state.counts:
            before = dict(counts)
            counts.clear()
            if self.true(condition, at, names):
                continue
            counts.update(before)
            for key_, number in before.items():
                for fewer in (0, *range(1, min(number, FEW_TIMES))):
                    counts[key_] = fewer
                    if self.true(condition, at, names):
                        break
                else:
                    counts[key_] = number
        for i, broken in enumerate(state.broken):
            state.broken[i] = False
            if broken and not self.true(condition, at, names):
                state.broken[i] = True

    @staticmethod
    def _fewer(table: dict[Any, Any], holds: Callable[[], bool]) -> None:
        """Take each entry from a map that can be spared."""
        for key in sorted(table, key=repr):
            value = table.pop(key)
            if not holds():
                table[key] = value

    @staticmethod
    def _about(at: Sometimes, ruleset: Ruleset, names: Sequence[str]) -> list[tuple[str, tuple[str, Any]]]:
        """The entities that the values name, and those that their keys name."""
        found: list[tuple[str, tuple[str, Any]]] = []

        def visit(value: Any, type_: Type) -> None:
            if isinstance(type_, ty.EntityT):
                found.append((type_.name, (type_.name, value)))
                for (_, part), inner in zip(type_.keys, value, strict=True):
                    visit(inner, part)

        for entity in ruleset.entities.values():
            for name in names:
                value = at.values[name]
                table = at.state.entities[entity.type.name]
                if isinstance(value, tuple) and len(value) == len(entity.type.keys) and value in table:
                    visit(value, entity.type)
        return found

    # --------------------------------------------------------------------------------------------------- money
    def settling(self, which: Which, matter: Matter) -> list[tuple[Event, str]]:
        """The events whose claims are about a matter, with their parameter that the matter is about."""
        side, decision = self.merger.common.side(which), self._own(which, matter.name)
        found: list[tuple[Event, str]] = []
        for event in side.ruleset.events.values():
            for claim in event.claims:
                for term in subterms(claim):
                    if not isinstance(term, m.Decide) or term.decision != decision or not event.moves:
                        continue
                    names = [a.name for a in term.args if isinstance(a, m.Var)]
                    if names and (event, names[0]) not in found:
                        found.append((event, names[0]))
        return found

    def _open(self, matter: Matter, at: Sometimes, condition: Term, names: Sequence[str]) -> None:
        """What the events that settle an example need of its own things, where the condition leaves that open."""
        for which in SIDES:
            side = self.merger.common.side(which)
            for event, name in self.settling(which, matter):
                param = next(p for p in event.params if p.name == name)
                value: Any = next(
                    (at.values[p.name] for p in matter.params if p.type == side.type(param.type)), None
                )
                if not event.needs or value is None or not isinstance(param.type, ty.EntityT):
                    continue
                kind = param.type.name
                scope = {name: (param.type, side.value(param.type, value, True))}
                fields = at.state.entities[side.entities[kind]].setdefault(value, {EXISTS: True})
                for f in side.ruleset.entities[kind].fields:
                    read = any(
                        isinstance(t, m.Field) and t.name == f.name for n in event.needs for t in subterms(n)
                    )
                    common = side.fields[kind, f.name]
                    if f.type != ty.BOOL or not read:
                        continue
                    before = fields.get(common, f.initial)
                    if self._met(which, event, scope, at):
                        break
                    fields[common] = not before
                    if not self._met(which, event, scope, at) or not self.true(condition, at, names):
                        fields[common] = before

    def _met(self, which: Which, event: Event, scope: Mapping[str, tuple[Type, Any]], at: Sometimes) -> bool:
        """Whether one side's event can happen in an example, as far as `scope` tells: of an amount nobody asks yet."""
        needs = [n for n in event.needs if m.free_variables(n) <= scope.keys()]
        return self.grounds(which, at).reading.all_true(needs, scope) == "yes"

    def _staked(self, matter: Matter, at: Sometimes, condition: Term, names: Sequence[str]) -> bool:
        """Have one unit be staked in an example, each amount laid on what it is about that the settling reads, and
        nothing of it be settled, as far as `condition` lets it. Whether no other amount is laid then."""
        staked = True
        common = self.merger.common
        for which in ("old", "new"):
            side = common.side(which)
            for event, name in self.settling(which, matter):
                param = next(p for p in event.params if p.name == name)
                for p in matter.params:
                    if p.type != side.type(param.type) or not isinstance(param.type, ty.EntityT):
                        continue
                    kind = param.type.name
                    entity = side.ruleset.entities[kind]
                    read = self._reads[which].of(event.moves[0].due or event.moves[0].amount)
                    ref: Any = at.values[p.name]
                    fields = at.state.entities[side.entities[kind]].setdefault(ref, {EXISTS: True})
                    laid = laid_amounts(side.ruleset, kind)
                    for f in entity.fields:
                        if not isinstance(f.type, ty.MoneyT) or f"{kind}.{f.name}" not in read:
                            continue
                        here = side.fields[kind, f.name]
                        before = fields.get(here, f.initial)
                        fields[here] = 1 if f.name in laid else f.initial
                        if fields[here] != before and not self.true(condition, at, names):
                            fields[here] = before
                            staked = staked and f.name not in laid
        return staked

    def _acts(self, matter: Matter, at: Sometimes, *gains: Gain | None) -> tuple[Act, ...]:
        """The events by which the sides settle an example, as either has them; one that both say once."""
        found: dict[tuple[str, Fraction], list[Which]] = {}
        for which, gain in zip(SIDES, gains, strict=True):
            if gain is not None and gain.event is not None and gain.amount is not None:
                event = self.merger.common.side(which).events[gain.event]
                found.setdefault((event, abs(gain.amount)), []).append(which)
        acts: list[Act] = []
        for (event, amount), by in found.items():
            old, new = (self._happening(which, matter, at, event, amount) for which in SIDES)
            if old is not None and new is not None:
                acts.append(Act(tuple(by), old, new))
        return tuple(acts)

    def _happening(
        self, which: Which, matter: Matter, at: Sometimes, name: str, amount: Fraction
    ) -> Happening | None:
        """The event of a common name that settles, as one side has it; None where it has no such, or one that needs to
        know more."""
        half = matter.old if which == "old" else matter.new
        args = self.arguments(half, matter, at)
        by_type = {p.type: v for p, v in zip(self._declared(which, matter.name), args, strict=True)}
        for event, about in self.settling(which, matter):
            if self.merger.common.side(which).events[event.name] != name:
                continue
            values: list[object] = []
            for param in event.params:
                if param.name == about and param.type in by_type:
                    values.append(by_type[param.type])
                elif event.moves[0].amount == m.Var(param.type, param.name):
                    values.append(int(amount) if amount.denominator == 1 else amount)
                else:
                    return None
            return Happening(event.name, event.by[0], tuple(values))
        return None

    def _gain(self, which: Which, matter: Matter, args: tuple[Any, ...], grounds: Grounds) -> Gain | None:
        """What settling as this side says brings the player, of one unit staked; None where nothing settles it."""
        program = self.merger.programs[which]
        params = program.decisions[self._own(which, matter.name)].params
        by_type = {p.type: v for p, v in zip(params, args, strict=True)}
        settling = self.settling(which, matter)
        if not settling:
            return None
        for event, name in settling:
            param = next(p for p in event.params if p.name == name)
            if param.type not in by_type:
                continue
            scope = {name: (param.type, by_type[param.type])}
            parts = [
                c for claim in event.claims for c in (claim.items if isinstance(claim, m.AndT) else (claim,))
            ]
            about = [c for c in parts if m.free_variables(c) <= {name}]
            if not about or grounds.reading.all_true(about, scope) != "yes":
                continue
            moves = event.moves[0]
            try:
                due = grounds.reading.value(moves.due if moves.due is not None else moves.amount, scope)
                source = grounds.reading.value(moves.source, scope)
            except Undefined as undefined:
                return Gain(event.name, None, "; ".join(grounds.reading.why(undefined)))
            amount = Fraction(due)
            return Gain(event.name, amount if isinstance(source, House) else -amount)
        return Gain(None, None, "nothing settles it")


def _back(side: Side, type_: ty.EntityT, ref: tuple[object, ...]) -> tuple[object, ...] | None:
    """A reference as one side has it; None where that side has no such."""
    try:
        known = side.value(type_, ref, True)
    except (LookupError, ValueError):
        return None
    assert isinstance(known, tuple)
    for (_, part), value in zip(type_.keys, known, strict=True):
        if not isinstance(part, ty.IntT) or not isinstance(value, int):
            continue
        if (part.low is not None and value < part.low) or (part.high is not None and value > part.high):
            return None
    return known


def _facts(word: DecisionWord) -> tuple[Fact, ...]:
    found: dict[str, Fact] = {}
    for fact in word.facts:
        found.setdefault(fact.text, fact)
    return tuple(found.values())
