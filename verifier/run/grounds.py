"""The rules on which a judgement rests, put into words in the state that the machine has entered."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice, product
from typing import Any

from verifier.core.program import EVENT_PREFIX, ActMatch, DecisionProgram, EventNorm, Program
from verifier.model import terms as m
from verifier.model.ruleset import Act, Contribution, Edge, Norm, Param, Ruleset, Unit
from verifier.model.show import APPLIES, OTHERWISE, Names, cite, names_of, show_deadline, show_term, show_unit
from verifier.model.terms import Term
from verifier.model.values import show
from verifier.run.account import (
    Asking,
    CaseWord,
    Course,
    DecisionWord,
    Displacement,
    Ending,
    Ground,
    required_words,
)
from verifier.run.bench import Happening
from verifier.run.duties import Compiled, Instance
from verifier.run.facts import Fact, Reading, Scope, Truth, asks_rules, conjuncts_of
from verifier.run.judge import Judge
from verifier.run.undefined import Undefined

MAX_BINDINGS = 4096
"""So many values for a rule's own variables are tried in search of those that its condition speaks of."""


@dataclass(frozen=True, slots=True)
class Tables:
    """What of a program is looked up for its words: which unit an `applies` function is of, edges by loser and winner,
    norms by unit and event. `said` are the words of edges told already."""

    names: Names
    units: dict[str, str]
    edges: dict[tuple[str, str], Edge]
    norms: dict[tuple[str, str], EventNorm]
    said: dict[Edge, str] = field(default_factory=dict)


def tables_of(program: Program) -> Tables:
    """The tables of a program."""
    ruleset = program.ruleset
    units: dict[str, str] = {}
    for unit in ruleset.units.values():
        units[f"{APPLIES}{unit.id}"] = unit.id
        for event in {a.event for a in unit.acts} if isinstance(unit, Norm) else ():
            units[f"{APPLIES}{unit.id} to {event}"] = unit.id
            units[f"{APPLIES}{unit.id}{OTHERWISE} to {event}"] = unit.id
    norms: dict[tuple[str, str], EventNorm] = {}
    for table in (program.prohibitions, program.permissions):
        norms.update({(n.unit, n.event): n for several in table.values() for n in several})
    return Tables(names_of(ruleset), units, {(e.loser, e.winner): e for e in ruleset.edges}, norms)


@dataclass(slots=True)
class Grounds:
    """Puts rules and decisions of a judge's program into words; `norms` by unit and event.

    Where `brief`, of a norm that does not apply only its rule is told, and of a decision's cases no conditions.
    """

    judge: Judge
    names: Names = field(init=False)
    reading: Reading = field(init=False)
    units: dict[str, str] = field(init=False)
    edges: dict[tuple[str, str], Edge] = field(init=False)
    norms: dict[tuple[str, str], EventNorm] = field(init=False)
    said: dict[Edge, str] = field(init=False)
    brief: bool = False

    def __post_init__(self) -> None:
        kept = self.judge.machine.kept
        tables = kept.get(Tables)
        if not isinstance(tables, Tables):
            kept[Tables] = tables = tables_of(self.judge.program)
        self.names, self.units, self.edges = tables.names, tables.units, tables.edges
        self.norms, self.said = tables.norms, tables.said
        self.reading = Reading(self.judge.bench, self.names)

    @property
    def ruleset(self) -> Ruleset:
        return self.judge.program.ruleset

    # -------------------------------------------------------------------------------------------- grounds
    def _make(
        self,
        unit: Unit,
        scope: Scope,
        conditions: list[Term],
        applies: Truth,
        displaced_by: tuple[Displacement, ...],
        displaces: tuple[Displacement, ...],
        course: Course | None = None,
    ) -> Ground:
        rule = self.ruleset.rules[unit.rule]
        return Ground(
            cite(unit.id),
            unit.id,
            rule.quote,
            show_unit(unit, self.names),
            applies,
            tuple((name, show(type_, value)) for name, (type_, value) in scope.items()),
            self.reading.conjuncts(conditions, scope),
            self.reading.facts(conditions, scope),
            displaced_by,
            displaces,
            rule.readings,
            course,
        )

    def contribution(self, unit: Contribution, args: tuple[Any, ...]) -> Ground:
        decision = self.judge.program.decisions[unit.decision]
        case = next(c for c in decision.cases if c.unit == unit.id)
        scope = scope_of(unit.variables, args)
        applies, _ = self.truth(case.applies, args)
        displaces = [
            self._displacement(edge, applies)
            for edge in self.ruleset.edges
            if edge.winner == unit.id and self._would_decide(edge.loser, unit, args)
        ]
        return self._make(
            unit,
            scope,
            own_conditions(unit),
            applies,
            self.displacements(case.applies, args),
            tuple(displaces),
        )

    def _would_decide(self, loser: str, winner: Contribution, args: tuple[Any, ...]) -> bool:
        other = self.ruleset.units[loser]
        if not isinstance(other, Contribution) or other.decision != winner.decision:
            return False
        return self.reading.all_true(own_conditions(other), scope_of(other.variables, args)) == "yes"

    def norm(self, unit: Norm, happening: Happening) -> Ground:
        known = self.norms.get((unit.id, happening.event)) if self.brief else None
        if known is not None and self.truth(known.applies, happening.values)[0] == "no":
            return self._make(unit, {}, [], "no", (), ())
        act = self._matching_act(unit, happening)
        if act is None:
            return self._make(unit, {}, [], "yes", (), ())
        scope, conditions = self.bound(unit, act, happening)
        norm = self.norms[unit.id, happening.event]
        applies, _ = self.truth(norm.applies, happening.values)
        displaces = [
            self._displacement(edge, applies)
            for edge in self.ruleset.edges
            if edge.winner == unit.id and self._would_bind(edge.loser, happening)
        ]
        return self._make(
            unit,
            scope,
            conditions,
            applies,
            self.displacements(norm.applies, happening.values),
            tuple(displaces),
        )

    def _would_bind(self, loser: str, happening: Happening) -> bool:
        """Whether the loser's own condition holds, so that it is only the edge that keeps it from applying."""
        other = self.ruleset.units[loser]
        if not isinstance(other, Norm) or all(a.event != happening.event for a in other.acts):
            return False
        if other.force == "must":
            compiled = next(c for c in self.judge.duties.duties if c.duty.unit == loser)
            return any(
                self.reading.all_true(own_conditions(other), scope_of(compiled.duty.variables, values))
                == "yes"
                for values in self.combinations(compiled.duty.variables)
            )
        act = self._matching_act(other, happening)
        if act is None:
            return False
        scope, conditions = self.bound(other, act, happening)
        return self.reading.all_true(conditions, scope) == "yes"

    def _matching_act(self, unit: Norm, happening: Happening) -> Act | None:
        """The act of a norm that an event is; None where the norm speaks of other events."""
        acts = [a for a in unit.acts if a.event == happening.event]
        for act in acts:
            scope, conditions = self.bound(unit, act, happening)
            if self.reading.all_true(conditions, scope) == "yes":
                return act
        return acts[0] if acts else None

    def bound(self, unit: Norm, act: Act, happening: Happening) -> tuple[Scope, list[Term]]:
        """The values of a norm's variables at an event, and its conditions; what the event leaves open is sought."""
        params = self.ruleset.events[act.event].params
        scope: dict[str, tuple[Any, Any]] = {}
        conditions: list[Term] = []
        for slot, param, value in zip(act.slots, params, happening.values, strict=True):
            if slot.variable is not None and slot.variable not in scope:
                scope[slot.variable] = (param.type, value)
            elif slot.equals is not None and not isinstance(slot.equals, m.Lit):
                scope[EVENT_PREFIX + param.name] = (param.type, value)
            if slot.where is not None:
                conditions.append(slot.where)
        conditions += own_conditions(unit)
        named = {n for term in conditions for n in m.free_variables(term)}
        scope = {n: v for n, v in scope.items() if not n.startswith(EVENT_PREFIX)}
        open_ = [v for v in unit.variables if v.name not in scope and v.name in named]
        first: Scope | None = None
        for values in self.combinations(tuple(open_)) if open_ else ():
            tried = {**scope, **scope_of(tuple(open_), values)}
            first = first or tried
            if self.reading.all_true(conditions, tried) == "yes":
                return tried, conditions
        return (first or scope), [c for c in conditions if m.free_variables(c) <= set(first or scope)]

    def combinations(self, variables: tuple[Param, ...]) -> list[Instance]:
        bench = self.judge.bench
        return list(islice(product(*(bench.values(v) for v in variables)), MAX_BINDINGS))

    def duty(
        self, unit: Norm, compiled: Compiled, instance: Instance, ending: Ending, since: str | None
    ) -> Ground:
        applies, _ = self.truth(compiled.duty.pending, instance)
        narrowed = [slot.where for act in unit.acts for slot in act.slots if slot.where is not None]
        return self._make(
            unit,
            scope_of(compiled.duty.variables, instance),
            [*narrowed, *own_conditions(unit)],
            applies,
            self.displacements(compiled.duty.pending, instance),
            (),
            self.course(compiled, instance, ending, since),
        )

    def course(self, compiled: Compiled, instance: Instance, ending: Ending, since: str | None) -> Course:
        """A duty's course in words."""
        unit = self.ruleset.units[compiled.duty.unit]
        assert isinstance(unit, Norm)
        assert unit.deadline is not None
        scope = scope_of(compiled.duty.variables, instance)
        return Course(
            compiled.duty.roles,
            tuple(self._act_words(act, scope) for act in compiled.duty.acts),
            show_deadline(unit.deadline, self.names),
            since,
            ending,
        )

    def _act_words(self, act: ActMatch, scope: Scope) -> str:
        """An act that is owed, with the values that it must have."""
        values: list[str | None] = []
        for required in act.required:
            try:
                values.append(
                    None if required is None else show(required.type, self.reading.value(required, scope))
                )
            except Undefined:
                values.append(None if required is None else show_term(required, self.names))
        return required_words(act.event, tuple(values))

    # -------------------------------------------------------------------------------------- displacements
    def truth(self, function: str, args: tuple[Any, ...]) -> tuple[Truth, tuple[str, ...]]:
        try:
            return ("yes" if self.judge.bench.applies(function, args) else "no"), ()
        except Undefined as undefined:
            return "unknown", self.reading.why(undefined)

    def displacements(self, function: str, args: tuple[Any, ...]) -> tuple[Displacement, ...]:
        """The rules that keep the function's rule from applying, or would if they applied."""
        found: list[Displacement] = []
        core = self.judge.program.functions[function]
        loser = self.units[function]
        for term in conjuncts_of([core.body]):
            if not isinstance(term, m.NotT) or not asks_rules(term.of):
                continue
            applies, _ = self.reading.truth(term.of, scope_of(core.params, args))
            for winner in dict.fromkeys(self._asked_units(term.of)):
                edge = self.edges.get((loser, winner))
                if edge is None:
                    found.append(Displacement(cite(winner), cite(loser), applies, "otherwise"))
                else:
                    found.append(self._displacement(edge, applies))
        return tuple(found)

    def _asked_units(self, term: Term) -> list[str]:
        if isinstance(term, m.CallF) and term.function in self.units:
            return [self.units[term.function]]
        return [unit for child in m.children(term) for unit in self._asked_units(child)]

    def _displacement(self, edge: Edge, applies: Truth) -> Displacement:
        if edge not in self.said:
            self.said[edge] = edge_words(edge, self.ruleset)
        return Displacement(cite(edge.winner), cite(edge.loser), applies, self.said[edge])

    # ------------------------------------------------------------------------------------------ decisions
    def decision(self, decision: DecisionProgram, args: tuple[Any, ...]) -> DecisionWord:
        """What every rule of a decision says for `args`, in the state that the machine has entered."""
        bench = self.judge.bench
        scope = scope_of(decision.params, args)
        why: tuple[str, ...] = ()
        value: str | None = None
        try:
            value = show(decision.type, bench.ask(lambda: bench.machine.decide(decision.name, args)))
        except Undefined as undefined:
            why = self.reading.why(undefined)
        asked = tuple(
            Asking(rule, self.reading.truth(term, scope)[0], self.reading.conjuncts([term], scope))
            for rule, term in decision.askers
        )
        due: Truth = "yes"
        if decision.asked is not None:
            due, _ = self.reading.truth(decision.asked, scope)
        shown = ", ".join(show(type_, v) for type_, v in scope.values())
        facts: dict[str, Fact] = {}
        for case in decision.cases:
            if self.truth(case.applies, args)[0] != "no":
                unit = self.ruleset.units[case.unit]
                for fact in self.reading.facts(own_conditions(unit), scope_of(unit.variables, args)):
                    facts.setdefault(fact.text, fact)
        return DecisionWord(
            f"{decision.name}({shown})" if args else decision.name,
            value,
            why,
            due,
            asked,
            tuple(self._case(decision, index, args) for index in range(len(decision.cases))),
            tuple(facts.values()),
        )

    def _case(self, decision: DecisionProgram, index: int, args: tuple[Any, ...]) -> CaseWord:
        case = decision.cases[index]
        unit = self.ruleset.units[case.unit]
        scope = scope_of(decision.params, args)
        try:
            value = show(decision.type, self.reading.value(case.value, scope))
        except Undefined:
            value = show_term(case.value, self.names)
        applies, _ = self.truth(case.applies, args)
        return CaseWord(
            cite(case.unit),
            case.unit,
            self.ruleset.rules[case.rule].quote,
            applies,
            value,
            ()
            if self.brief
            else self.reading.conjuncts(own_conditions(unit), scope_of(unit.variables, args)),
            tuple(d for d in self.displacements(case.applies, args) if d.applies != "no"),
        )


def edge_words(edge: Edge, ruleset: Ruleset) -> str:
    """The words of the rules that put one rule before another, with the rule in which they stand."""
    place = edge.place
    if edge.by == "layer":
        base = ruleset.rules[ruleset.units[edge.loser].rule].base
        return f"layer: {ruleset.units[edge.winner].rule} is laid over {base}"
    text = next((s.text for s in ruleset.sources if s.path == place.file), "")
    lines = list(_lines(text)[place.line - 1 : place.end_line])
    if not lines:
        return f"{cite(edge.winner)} goes before {cite(edge.loser)}"
    lines[-1] = lines[-1][: place.end_column - 1]
    lines[0] = lines[0][place.column - 1 :]
    words = " ".join(" ".join(lines).split())
    standing = next(
        (
            rule.id
            for rule in ruleset.rules.values()
            if rule.place.file == place.file and rule.place.line <= place.line <= rule.place.end_line
        ),
        cite(edge.loser),
    )
    return f"{standing}: {words}"


@lru_cache(maxsize=32)
def _lines(text: str) -> tuple[str, ...]:
    return tuple(text.splitlines())


def own_conditions(unit: Unit) -> list[Term]:
    """A unit's own conditions: its givens, then its `when`."""
    return [*unit.given, *((unit.when,) if unit.when is not None else ())]


def scope_of(variables: tuple[Param, ...], values: tuple[Any, ...]) -> dict[str, tuple[Any, Any]]:
    return {v.name: (v.type, value) for v, value in zip(variables, values, strict=True)}
