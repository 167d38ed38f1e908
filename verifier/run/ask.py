"""Everything that the rules say at one point of a round: what is decided, what is owed, what may and must not be done.

Rules are asked for every entity there is and every value of a small type. What an act leaves open (an amount, a
card, an entity where none is there yet) stays open as `any`; where a rule's condition hangs on it, the variable
keeps its name and the rest of the condition is given in words.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice, product
from typing import Any, Literal

from verifier.core.program import EVENT_PREFIX
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.rewrite import map_children, substitute
from verifier.model.ruleset import Act, Event, Norm, Param
from verifier.model.show import cite, fill, show_act, show_conjunct, show_deadline, show_term
from verifier.model.terms import Term, free_variables
from verifier.model.types import Type
from verifier.model.values import show
from verifier.run.account import DecisionWord, required_words
from verifier.run.facts import Fact, Scope, asks_rules, conjuncts_of
from verifier.run.grounds import Grounds, own_conditions, scope_of
from verifier.run.judge import Judge
from verifier.run.undefined import Undefined

MAX_LISTED = 1024
"""So many sets of arguments are asked of a decision, and of a rule's act; what is beyond is counted as left out."""

SMALL = 16
"""A type with so many values or fewer is gone through value by value; larger ones stay open."""


@dataclass(frozen=True, slots=True)
class Owed:
    """A duty pending, with its deadline. `why` says why it may be owed only; `reported`: broken and charged."""

    rule: str
    unit: str
    quote: str
    roles: tuple[str, ...]
    acts: tuple[str, ...]
    deadline: str
    binding: tuple[tuple[str, str], ...]
    why: tuple[str, ...]
    reported: bool


@dataclass(frozen=True, slots=True)
class Ruled:
    """A rule's word on acts that `act` describes: they may or must not be done, if what `when` says is so."""

    force: Literal["may", "must not"]
    act: str
    rule: str
    unit: str
    quote: str
    when: tuple[str, ...]
    why: tuple[str, ...]
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Governed:
    """What binds one actor in one kind of event. `closed_by` are the rules, with the acts they speak of, by which
    only what a rule permits or demands may be done; none where the event is free but for what is forbidden."""

    actor: str
    event: str
    closed_by: tuple[str, ...]
    words: tuple[Ruled, ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class Answers:
    """All that the rules say at one point; `free` are kinds of event, by actor, of which no rule speaks here."""

    decisions: tuple[DecisionWord, ...]
    owed: tuple[Owed, ...]
    governed: tuple[Governed, ...]
    free: tuple[tuple[str, tuple[str, ...]], ...]
    left_out: int


def ask(judge: Judge) -> Answers:
    """What the rules say in the state that `judge` is in. The judge is left as it is."""
    return _Asker(judge).answers()


class _Asker:
    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self.grounds = Grounds(judge)
        self.reading = self.grounds.reading
        self.ruleset = judge.program.ruleset
        self.left_out = 0

    def answers(self) -> Answers:
        self.judge.machine.enter(self.judge.state)
        decisions = self._decisions()
        governed: list[Governed] = []
        free: list[tuple[str, tuple[str, ...]]] = []
        for actor in self.ruleset.actors:
            silent: list[str] = []
            for event in self.ruleset.events.values():
                if event.observed:
                    continue
                found = self._governed(actor, event)
                if found.words or (found.closed_by and _does(actor, event)):
                    governed.append(found)
                elif _does(actor, event):
                    silent.append(event.name)
            if silent:
                free.append((actor, tuple(silent)))
        return Answers(decisions, self._owed(), tuple(governed), tuple(free), self.left_out)

    # ------------------------------------------------------------------------------------------ decisions
    def _decisions(self) -> tuple[DecisionWord, ...]:
        """The decisions that are asked now, for what a settlement of each entity would claim, or for all values."""
        asked: dict[tuple[str, tuple[Any, ...]], None] = {}
        claimed: set[str] = set()
        for event in self.ruleset.events.values():
            for claim in event.claims:
                for term in _decides(claim):
                    claimed.add(term.decision)
                    asked.update(
                        dict.fromkeys((term.decision, args) for args in self._arguments(term, event))
                    )
        for decision in self.judge.program.decisions.values():
            if decision.asked is not None and decision.name not in claimed:
                asked.update(dict.fromkeys((decision.name, args) for args in self._product(decision.params)))
        found: list[DecisionWord] = []
        for name, args in asked:
            decision = self.judge.program.decisions[name]
            if decision.asked is None and not self._beside_due(name, args):
                continue
            scope = scope_of(decision.params, args)
            if decision.asked is None or self.reading.truth(decision.asked, scope)[0] != "no":
                found.append(self.grounds.decision(decision, args))
        return tuple(found)

    def _beside_due(self, name: str, args: tuple[Any, ...]) -> bool:
        """A decision that is always asked is of interest where one with the same arguments is due now."""
        types = [p.type for p in self.judge.program.decisions[name].params]
        alike = [
            d
            for d in self.judge.program.decisions.values()
            if d.asked is not None and [p.type for p in d.params] == types
        ]
        return any(self.reading.truth(d.asked, scope_of(d.params, args))[0] != "no" for d in alike if d.asked)

    def _arguments(self, term: m.Decide, event: Event) -> list[tuple[Any, ...]]:
        """The arguments that a claim gives a decision, for all values of the event's parameters that they read."""
        needed = {name for arg in term.args for name in free_variables(arg)}
        params = tuple(p for p in event.params if p.name in needed)
        found: list[tuple[Any, ...]] = []
        for values in self._product(params):
            try:
                found.append(tuple(self.reading.value(a, scope_of(params, values)) for a in term.args))
            except Undefined:
                continue
        return found

    def _product(self, params: tuple[Param, ...]) -> list[tuple[Any, ...]]:
        every = product(*(self.judge.bench.values(p) for p in params))
        found = list(islice(every, MAX_LISTED))
        self.left_out += sum(1 for _ in islice(every, MAX_LISTED))
        return found

    # --------------------------------------------------------------------------------------------- duties
    def _owed(self) -> tuple[Owed, ...]:
        duties = self.judge.duties
        found: list[Owed] = []
        for compiled in duties.duties:
            if compiled.lacking is not None:
                continue
            instances = list(duties.due(compiled))
            unit = self.ruleset.units[compiled.duty.unit]
            assert isinstance(unit, Norm)
            assert unit.deadline is not None
            charged = {instance for c, instance in duties.charged.values() if c is compiled}
            for instance, pending in instances:
                course = self.grounds.course(compiled, instance, "pending", None)
                found.append(
                    Owed(
                        cite(unit.id),
                        unit.id,
                        self.ruleset.rules[unit.rule].quote,
                        unit.roles,
                        course.owed,
                        show_deadline(unit.deadline, self.grounds.names),
                        tuple(
                            (n, show(t, v))
                            for n, (t, v) in scope_of(compiled.duty.variables, instance).items()
                        ),
                        self.reading.why(pending) if isinstance(pending, Undefined) else (),
                        instance in charged,
                    )
                )
        return tuple(found)

    # -------------------------------------------------------------------------------------------- actions
    def _governed(self, actor: str, event: Event) -> Governed:
        program = self.judge.program
        permissions = program.permissions.get(event.name, ())
        words: list[Ruled] = []
        left_out = 0
        for force, norms in (("may", permissions), ("must not", program.prohibitions.get(event.name, ()))):
            for norm in norms:
                unit = self.ruleset.units[norm.unit]
                if actor not in norm.roles or not isinstance(unit, Norm):
                    continue
                if not _does(actor, event) and any(role in norm.roles for role in event.by):
                    continue
                for act in unit.acts:
                    if act.event == event.name:
                        found, more = self._words(unit, act, event, "may" if force == "may" else "must not")
                        words += found
                        left_out += more
        closed_by = tuple(
            f"{cite(unit.id)} {show_act(act, self.grounds.names)}"
            for unit in (self.ruleset.units[n.unit] for n in permissions)
            if isinstance(unit, Norm)
            for act in unit.acts
            if act.event == event.name
        )
        return Governed(actor, event.name, closed_by, tuple(words), left_out)

    def _words(
        self, unit: Norm, act: Act, event: Event, force: Literal["may", "must not"]
    ) -> tuple[list[Ruled], int]:
        """What a norm says of the acts of one kind, each set of values that its condition tells apart."""
        conditions = self._conditions(unit, act, event)
        read = {name for term in conditions for name in free_variables(term)}
        bound = {
            s.variable: p for s, p in zip(act.slots, event.params, strict=True) if s.variable is not None
        }
        variables = [v for v in unit.variables if v.name in read or v.name in bound]
        known = {v.name: self.judge.bench.values(v) for v in variables if self._enumerable(v.type)}
        closed = _worth_trying([v for v in variables if v.name in read and known.get(v.name)], conditions)
        every = product(*(known[v.name] for v in closed))
        found: dict[tuple[str, tuple[str, ...]], Ruled] = {}
        for values in islice(every, MAX_LISTED):
            scope = scope_of(tuple(closed), values)
            word = self._word(unit, act, event, force, conditions, scope)
            if word is not None:
                found.setdefault((word.act, word.when), word)
        return list(found.values()), sum(1 for _ in islice(every, MAX_LISTED))

    def _enumerable(self, type_: Type) -> bool:
        match type_:
            case ty.EntityT() | ty.IdT():
                return True
            case _:
                values = ty.finite_values(type_)
                return values is not None and len(values) <= SMALL

    def _conditions(self, unit: Norm, act: Act, event: Event) -> list[Term]:
        """The norm's own conditions and those of the rules before it, all over the norm's variables."""
        conditions = [s.where for s in act.slots if s.where is not None] + own_conditions(unit)
        function = self.judge.program.functions[self.grounds.norms[unit.id, event.name].applies]
        by: dict[str, Term] = {}
        for slot, param in zip(act.slots, event.params, strict=True):
            name = EVENT_PREFIX + param.name
            if slot.variable is not None:
                by[name] = m.Var(param.type, slot.variable)
            elif slot.equals is not None:
                by[name] = slot.equals
        for term in conjuncts_of([function.body]):
            if isinstance(term, m.NotT) and asks_rules(term.of):
                conditions.append(self._without_unread(substitute(term, by)))
        return list(conjuncts_of(conditions))

    def _without_unread(self, term: Term) -> Term:
        """`term` with nothing given to functions for parameters that they never read."""
        found = map_children(term, self._without_unread)
        if isinstance(found, m.CallF):
            function = self.judge.program.functions[found.function]
            read = free_variables(function.body)
            return m.CallF(
                found.type,
                found.function,
                tuple(
                    a if p.name in read else m.Lit(a.type, None)
                    for p, a in zip(function.params, found.args, strict=True)
                ),
            )
        return found

    def _word(
        self,
        unit: Norm,
        act: Act,
        event: Event,
        force: Literal["may", "must not"],
        conditions: list[Term],
        scope: Scope,
    ) -> Ruled | None:
        open_: list[Term] = []
        why: list[str] = []
        for term in conditions:
            if free_variables(term) <= set(scope):
                truth, reasons = self.reading.truth(term, scope)
                if truth == "no":
                    return None
                why += reasons
            else:
                open_.append(term)
        values = {name: value for name, (_, value) in scope.items()}
        types = {name: type_ for name, (type_, _) in scope.items()}
        shown = [fill(term, values, types) for term in open_]
        in_words = show_term if len(shown) == 1 else show_conjunct
        return Ruled(
            force,
            self._act_words(act, event, scope, {n for term in open_ for n in free_variables(term)}),
            cite(unit.id),
            unit.id,
            self.ruleset.rules[unit.rule].quote,
            tuple(in_words(term, self.grounds.names) for term in shown),
            tuple(dict.fromkeys(why)),
            self.reading.facts(open_, scope),
        )

    def _act_words(self, act: Act, event: Event, scope: Scope, open_: set[str]) -> str:
        """The act with the values known; what is open has its name where a condition hangs on it, else `any`."""
        values: list[str | None] = []
        for slot, param in zip(act.slots, event.params, strict=True):
            if slot.variable is not None:
                name = slot.variable
                values.append(
                    show(param.type, scope[name][1]) if name in scope else name if name in open_ else None
                )
            elif slot.equals is None:
                values.append(None)
            else:
                try:
                    values.append(show(param.type, self.reading.value(slot.equals, scope)))
                except Undefined:
                    values.append(show_term(slot.equals, self.grounds.names))
        return required_words(event.name, tuple(values))


def _does(actor: str, event: Event) -> bool:
    """Whether the event is one of the actor's acts at all."""
    return actor in event.by or not event.by


def _worth_trying(variables: list[Param], conditions: list[Term]) -> list[Param]:
    """Those whose values are gone through: all entities and ids, and of small types those that decide a condition
    together with the rest, nothing else being open in it."""
    names = {v.name for v in variables}
    decided = {n for term in conditions if free_variables(term) <= names for n in free_variables(term)}
    return [v for v in variables if isinstance(v.type, ty.EntityT | ty.IdT) or v.name in decided]


def _decides(term: Term) -> list[m.Decide]:
    """The decisions that a claim speaks of, not those within their arguments."""
    if isinstance(term, m.Decide):
        return [term]
    return [found for child in m.children(term) for found in _decides(child)]
