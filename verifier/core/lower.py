"""A ruleset to its core. Every rule of meaning about exceptions, givens, duties and permissions is here, once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from verifier.core.program import (
    EVENT_PREFIX,
    ActMatch,
    Case,
    DecisionProgram,
    Duty,
    EventNorm,
    Program,
)
from verifier.errors import RuleTextError
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.order import problem_for
from verifier.model.rewrite import substitute
from verifier.model.rules import rule_id
from verifier.model.ruleset import (
    Act,
    Contribution,
    Edge,
    Event,
    Function,
    Norm,
    Param,
    Ruleset,
    Slot,
    Unit,
)
from verifier.model.show import OTHERWISE
from verifier.model.terms import Term, children, free_variables
from verifier.model.types import BOOL

TRUE = m.Lit(BOOL, True)


def conjunction(items: list[Term]) -> Term:
    """All of `items`; nested conjunctions are flattened and `yes` dropped."""
    flat: list[Term] = []
    for item in items:
        flat += item.items if isinstance(item, m.AndT) else (item,)
    flat = [item for item in flat if item != TRUE]
    if not flat:
        return TRUE
    return flat[0] if len(flat) == 1 else m.AndT(BOOL, tuple(flat))


def lower(ruleset: Ruleset) -> Program:
    """The core of `ruleset`."""
    return _Lowering(ruleset).program()


def own_condition(unit: Unit) -> Term:
    """A unit's own condition: its givens and its `when`."""
    return conjunction([*unit.given, *((unit.when,) if unit.when is not None else ())])


def event_variable(param: Param) -> m.Var:
    return m.Var(param.type, EVENT_PREFIX + param.name)


class _Lowering:
    """The passes; `functions` fills as units are met, an edge's winner before its loser since edges are acyclic."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset = ruleset
        self.functions: dict[str, Function] = dict(ruleset.functions)
        self.under_way: set[str] = set()
        self.read_after: dict[str, tuple[Term, bool]] = {}
        self.displacers: dict[str, list[Edge]] = {}
        for edge in ruleset.edges:
            self.displacers.setdefault(edge.loser, []).append(edge)

    def program(self) -> Program:
        decisions = {name: self._decision(name) for name in self.ruleset.decisions}
        prohibitions: dict[str, list[EventNorm]] = {}
        permissions: dict[str, list[EventNorm]] = {}
        duties: list[Duty] = []
        endings: dict[str, list[EventNorm]] = {}
        for unit in self.ruleset.units.values():
            match unit:
                case Norm(force="must"):
                    duties.append(self._duty(unit))
                    for ending in self._endings(unit):
                        endings.setdefault(ending.event, []).append(ending)
                case Norm(force=("must not" | "may") as force):
                    table = permissions if force == "may" else prohibitions
                    for event in dict.fromkeys(act.event for act in unit.acts):
                        table.setdefault(event, []).append(self._event_norm(unit, event))
                case Contribution():
                    pass
        breaches = tuple(
            tuple(
                r.id
                for r in self.ruleset.rules.values()
                if r.base == b.base and self.ruleset.means(rule_id(b.address, b.label), r)
            )
            for b in self.ruleset.breaches
        )
        answers: dict[str, list[tuple[str, str]]] = {}
        for rule in self.ruleset.rules.values():
            for role, clauses in rule.answers_for:
                for clause in clauses:
                    for other in self.ruleset.rules.values():
                        if other.module == rule.module and self.ruleset.means(clause, other):
                            answers.setdefault(other.id, []).append((role, rule.id))
        return Program(
            self.ruleset,
            self.functions,
            decisions,
            {k: tuple(v) for k, v in prohibitions.items()},
            {k: tuple(v) for k, v in permissions.items()},
            tuple(duties),
            breaches,
            {k: tuple(v) for k, v in answers.items()},
            {k: tuple(v) for k, v in endings.items()},
        )

    # ------------------------------------------------------------------------------------------ decisions
    def _decision(self, name: str) -> DecisionProgram:
        decision = self.ruleset.decisions[name]
        cases = []
        for unit in self.ruleset.units.values():
            if isinstance(unit, Contribution) and unit.decision == name:
                cases.append(Case(unit.id, unit.rule, self._applies(unit), self._canonical(unit, unit.value)))
        askers = tuple(
            (
                q.rule,
                substitute(
                    q.condition,
                    {
                        v.name: m.Var(p.type, p.name)
                        for v, p in zip(q.variables, decision.params, strict=True)
                    },
                ),
            )
            for q in self.ruleset.questions
            if q.decision == name
        )
        asked: Term | None = None
        if askers:
            asked = askers[0][1] if len(askers) == 1 else m.OrT(BOOL, tuple(term for _, term in askers))
        return DecisionProgram(name, decision.params, decision.type, tuple(cases), asked, askers)

    def _canonical(self, unit: Contribution, term: Term) -> Term:
        params = self.ruleset.decisions[unit.decision].params
        return substitute(
            term,
            {
                v.name: m.Var(p.type, p.name)
                for v, p in zip(unit.variables, params, strict=True)
                if v.name != p.name
            },
        )

    def _applies(self, unit: Contribution) -> str:
        name = f"applies {unit.id}"
        if name not in self.functions:
            self._open(name, unit)
            params = self.ruleset.decisions[unit.decision].params
            items = [self._canonical(unit, own_condition(unit))]
            if unit.otherwise:
                items += [
                    m.NotT(BOOL, self._call(self._applies(other), params)) for other in self._beside(unit)
                ]
            items += [
                m.NotT(BOOL, self._winner_over_contribution(unit, edge))
                for edge in self.displacers.get(unit.id, ())
            ]
            self.functions[name] = Function(name, params, BOOL, conjunction(items), unit.place, unit.rule)
            self.under_way.discard(name)
        return name

    def _open(self, name: str, unit: Unit) -> None:
        """Refuse a unit that is met again while it is being lowered: an `otherwise` closes a circle."""
        if name in self.under_way:
            raise self._error(
                unit,
                f"{unit.rule} stands back for an `otherwise` that waits for {unit.rule}",
                "exception-cycle",
                "an exception in favour of the `otherwise` of its own list goes in a circle: drop it",
            )
        self.under_way.add(name)

    def _beside(self, unit: Contribution) -> list[Contribution]:
        """The other rules of the decision under the same chapeau: on the same clause or beside it in its list.

        A copy that an `apply` made has the other copies of the same application beside it.
        """
        rule = self.ruleset.rules[unit.rule]
        parent = self._parent(rule.address)
        found: list[Contribution] = []
        for other in self.ruleset.units.values():
            if not isinstance(other, Contribution) or other.decision != unit.decision or other.otherwise:
                continue
            if unit.applied is not None:
                near = other.applied is not None and other.rule == unit.rule
            else:
                there = self.ruleset.rules[other.rule]
                near = (
                    other.applied is None
                    and there.module == rule.module
                    and (
                        there.address == rule.address
                        or (parent is not None and self._parent(there.address) == parent)
                    )
                )
            if near:
                found.append(other)
        return found

    def _parent(self, address: str) -> str | None:
        return address.rsplit("(", 1)[0] if address.endswith(")") else None

    def _call(self, function: str, params: tuple[Param, ...]) -> Term:
        return m.CallF(BOOL, function, tuple(m.Var(p.type, p.name) for p in params))

    def _winner_over_contribution(self, loser: Contribution, edge: Edge) -> Term:
        winner = self.ruleset.units[edge.winner]
        params = self.ruleset.decisions[loser.decision].params
        if isinstance(winner, Contribution) and edge.like:
            return self._call(self._applies(winner), params)
        names = {v.name: m.Var(p.type, p.name) for v, p in zip(loser.variables, params, strict=True)}
        return self._unlike(winner, {v.name: (v.type, names[v.name]) for v in loser.variables})

    def _unlike(self, winner: Unit, sight: dict[str, tuple[ty.Type, Term]]) -> Term:
        """`winner` applies, its variables linked by name and type to those in sight, the others to some value."""
        match winner:
            case Contribution():
                params = self.ruleset.decisions[winner.decision].params
                call: Term = self._call(self._applies(winner), params)
                own = tuple(Param(v.name, v.type) for v in winner.variables)
                call = substitute(
                    call,
                    {
                        p.name: m.Var(v.type, v.name)
                        for p, v in zip(params, own, strict=True)
                        if p.name != v.name
                    },
                )
            case Norm():
                own = winner.variables
                call = m.CallF(BOOL, self._norm_function(winner), tuple(m.Var(v.type, v.name) for v in own))
        linked = {v.name: sight[v.name][1] for v in own if v.name in sight and sight[v.name][0] == v.type}
        for variable in own:
            if variable.name not in linked:
                call = self._some(variable, call, winner)
        return substitute(call, linked)

    def _some(self, variable: Param, body: Term, unit: Unit) -> Term:
        """`body` for some value of a variable that nothing links."""
        domain = domain_of(variable.type)
        if domain is None:
            raise self._error(
                unit,
                f"an exception here would range over all of {variable.type}, which has no end",
                "unlinked",
                "name the same things on both sides of the exception",
            )
        return m.Quant(BOOL, "some", variable.name, domain, None, body)

    def _error(self, unit: Unit, message: str, code: str, help: str) -> RuleTextError:
        texts = {source.path: source.text for source in self.ruleset.sources}
        return RuleTextError(problem_for(unit.place, texts, message, code, help))

    # ---------------------------------------------------------------------------------------------- norms
    def _norm_function(self, norm: Norm) -> str:
        """The function of a norm's own variables: it applies in this state."""
        name = f"applies {norm.id}"
        if name not in self.functions:
            items = [own_condition(norm)]
            for edge in self.displacers.get(norm.id, ()):
                items.append(m.NotT(BOOL, self._winner_over_norm(norm, edge)))
            self.functions[name] = Function(
                name, norm.variables, BOOL, conjunction(items), norm.place, norm.rule
            )
        return name

    def _event_function(self, norm: Norm, event: str) -> str:
        """The function of an event's parameters: the norm applies to such an event."""
        name = f"applies {norm.id} to {event}"
        if name not in self.functions:
            params = tuple(Param(EVENT_PREFIX + p.name, p.type) for p in self.ruleset.events[event].params)
            alternatives = [
                self._event_condition(norm, act, own_condition(norm))
                for act in norm.acts
                if act.event == event
            ]
            items = [_any(alternatives)]
            for edge in self.displacers.get(norm.id, ()):
                winner = self.ruleset.units[edge.winner]
                if edge.like and isinstance(winner, Norm) and any(a.event == event for a in winner.acts):
                    items.append(m.NotT(BOOL, self._call(self._event_function(winner, event), params)))
                elif not edge.like:
                    items.append(m.NotT(BOOL, self._unlike_at_event(norm, winner, event)))
            self.functions[name] = Function(name, params, BOOL, conjunction(items), norm.place, norm.rule)
        return name

    def _unlike_at_event(self, norm: Norm, winner: Unit, event: str) -> Term:
        act = next(a for a in norm.acts if a.event == event)
        sight: dict[str, tuple[ty.Type, Term]] = {}
        for slot, param in zip(act.slots, self.ruleset.events[event].params, strict=True):
            if slot.variable:
                sight[slot.variable] = (param.type, event_variable(param))
        return self._unlike(winner, sight)

    def _event_condition(self, norm: Norm, act: Act, condition: Term) -> Term:
        head, by = head_of(act, self.ruleset.events[act.event])
        body = conjunction([head, substitute(condition, by)])
        for variable in norm.variables:
            if variable.name not in by and variable.name in free_variables(body):
                body = self._some(variable, body, norm)
        return body

    def _winner_over_norm(self, loser: Norm, edge: Edge) -> Term:
        winner = self.ruleset.units[edge.winner]
        sight: dict[str, tuple[ty.Type, Term]] = {
            v.name: (v.type, m.Var(v.type, v.name)) for v in loser.variables
        }
        if not (edge.like and isinstance(winner, Norm)):
            return self._unlike(winner, sight)
        found: list[Term] = []
        for act in loser.acts:
            if any(a.event == act.event for a in winner.acts):
                found.append(self._linked_by_act(winner, act))
        return _any(found)

    def _linked_by_act(self, winner: Norm, act: Act) -> Term:
        """`winner` applies to the act that the loser's slots describe; what they leave open is some value."""
        function = self._event_function(winner, act.event)
        event = self.ruleset.events[act.event]
        args: list[Term] = []
        open_: list[Param] = []
        for slot, param in zip(act.slots, event.params, strict=True):
            if slot.variable is not None:
                args.append(m.Var(param.type, slot.variable))
            elif slot.equals is not None:
                args.append(slot.equals)
            else:
                free = Param(f"any {param.name}", param.type)
                open_.append(free)
                args.append(m.Var(param.type, free.name))
        call: Term = m.CallF(BOOL, function, tuple(args))
        read = free_variables(self.functions[function].body)
        for free in open_:
            if EVENT_PREFIX + free.name.removeprefix("any ") in read:
                call = self._some(free, call, winner)
            else:
                call = substitute(call, {free.name: m.Lit(free.type, None)})
        return call

    def _event_norm(self, norm: Norm, event: str) -> EventNorm:
        heads = [head_of(act, self.ruleset.events[event])[0] for act in norm.acts if act.event == event]
        function = self._event_function(norm, event)
        return EventNorm(
            norm.id,
            norm.rule,
            event,
            norm.roles,
            _any(heads),
            function,
            self._reads_after(self.functions[function].body),
            norm.exempt,
        )

    def _reads_after(self, term: Term) -> bool:
        if isinstance(term, m.AfterT):
            return True
        if isinstance(term, m.CallF) and self._function_reads_after(term.function):
            return True
        return any(self._reads_after(child) for child in children(term))

    def _function_reads_after(self, name: str) -> bool:
        body = self.functions[name].body
        known = self.read_after.get(name)
        if known is None or known[0] is not body:
            known = self.read_after[name] = body, self._reads_after(body)
        return known[1]

    def _duty(self, norm: Norm) -> Duty:
        assert norm.deadline is not None
        function = self._norm_function(norm)
        narrowed = [slot.where for act in norm.acts for slot in act.slots if slot.where is not None]
        if narrowed:
            old = self.functions[function]
            if len(norm.acts) == 1:
                self.functions[function] = replace(old, body=conjunction([*narrowed, old.body]))
        acts = tuple(self._act_match(norm, act) for act in norm.acts)
        deadline = tuple(self._act_match(norm, act) for act in norm.deadline.acts)
        return Duty(
            norm.id,
            norm.rule,
            norm.roles,
            norm.variables,
            function,
            acts,
            norm.deadline.kind,
            deadline,
            norm.deadline.life,
        )

    def _endings(self, norm: Norm) -> Iterator[EventNorm]:
        """By event, that an act of another amount than a duty demands may not end it: nothing would be left to be done.

        An amount that the event claims is judged by that. What is due at once or right after something is passed over
        by such an act anyway.
        """
        assert norm.deadline is not None
        if norm.deadline.kind not in ("before", "by end of"):
            return
        for name in dict.fromkeys(act.event for act in norm.acts):
            event = self.ruleset.events[name]
            acts = [act for act in norm.acts if act.event == name]
            fixed = [
                act
                for act in acts
                if any(_fixes(event, slot, p) for slot, p in zip(act.slots, event.params, strict=True))
            ]
            if not fixed:
                continue
            does = _any([self._act_match(norm, act).matches for act in acts])
            pending = self._call(self._norm_function(norm), norm.variables)
            over = m.AfterT(BOOL, m.NotT(BOOL, pending))
            items = [m.NotT(BOOL, does), pending, over]
            function = f"applies {norm.id}{OTHERWISE} to {name}"
            params = tuple(Param(EVENT_PREFIX + p.name, p.type) for p in event.params)
            body = _any([self._but_amounts(norm, act, items) for act in fixed])
            self.functions[function] = Function(function, params, BOOL, body, norm.place, norm.rule)
            head = m.CallF(BOOL, function, tuple(event_variable(p) for p in event.params))
            yield EventNorm(norm.id, norm.rule, name, norm.roles, head, function, True)

    def _but_amounts(self, norm: Norm, act: Act, items: list[Term]) -> Term:
        """That an event is as an act says but for its amounts, and `items` hold of the norm's variables that it names,
        or of some."""
        event = self.ruleset.events[act.event]
        known = {variable.name for variable in norm.variables}
        slots = list(zip(act.slots, event.params, strict=True))
        by: dict[str, Term] = {s.variable: event_variable(p) for s, p in slots if s.variable in known}
        like: list[Term] = []
        for slot, param in slots:
            if not _fixes(event, slot, param):
                if slot.equals is not None:
                    like.append(m.CompareT(BOOL, "=", event_variable(param), slot.equals))
                if slot.where is not None:
                    like.append(slot.where)
        body = substitute(conjunction([*like, *items]), by)
        for variable in norm.variables:
            if variable.name not in by and variable.name in free_variables(body):
                body = self._some(variable, body, norm)
        return body

    def _act_match(self, norm: Norm, act: Act) -> ActMatch:
        """What performs an act. A wrong amount performs it wrongly where the event claims what it is: that judges it.
        An amount that is as claimed, and not what the act wants, does not perform it.

        A variable of a deadline that is none of the norm's stands for what the event itself has there.
        """
        event = self.ruleset.events[act.event]
        items: list[Term] = []
        required: list[Term | None] = []
        known = {variable.name for variable in norm.variables}
        own = {name: term for name, term in head_of(act, event)[1].items() if name not in known}
        for slot, param in zip(act.slots, event.params, strict=True):
            variable = event_variable(param)
            if slot.variable in own:
                wanted: Term | None = None
            elif slot.variable is not None:
                wanted = m.Var(param.type, slot.variable)
            else:
                wanted = None if slot.equals is None else substitute(slot.equals, own)
            if wanted is not None:
                claimed = _claimed(event, param) if isinstance(param.type, ty.MoneyT) else []
                wrong = [m.NotT(BOOL, claim) for claim in claimed]
                items.append(_any([m.CompareT(BOOL, "=", variable, wanted), *wrong]))
            if slot.where is not None:
                items.append(substitute(slot.where, own))
            required.append(wanted)
        return ActMatch(act.event, conjunction(items), tuple(required))


def _fixes(event: Event, slot: Slot, param: Param) -> bool:
    """Whether an act says what an amount is, and the event does not claim it."""
    return slot.equals is not None and isinstance(param.type, ty.MoneyT) and not _claimed(event, param)


def _claimed(event: Event, param: Param) -> list[Term]:
    """The event's claims of what the amount is, in the event's own variables."""
    by: dict[str, Term] = {p.name: event_variable(p) for p in event.params}
    amount = m.Var(param.type, param.name)
    found: list[Term] = []
    for claim in event.claims:
        match claim:
            case m.CompareT(op="=", left=left, right=right) if amount in (left, right):
                found.append(substitute(claim, by))
            case _:
                pass
    return found


def head_of(act: Act, event: Event) -> tuple[Term, dict[str, Term]]:
    """Which events an act's head matches, and what its variables stand for in such an event."""
    by: dict[str, Term] = {}
    for slot, param in zip(act.slots, event.params, strict=True):
        if slot.variable is not None and slot.variable not in by:
            by[slot.variable] = event_variable(param)
    items: list[Term] = []
    bound: set[str] = set()
    for slot, param in zip(act.slots, event.params, strict=True):
        if slot.equals is not None:
            items.append(m.CompareT(BOOL, "=", event_variable(param), substitute(slot.equals, by)))
        if slot.variable is not None and slot.variable in bound:
            items.append(m.CompareT(BOOL, "=", event_variable(param), by[slot.variable]))
        if slot.variable is not None:
            bound.add(slot.variable)
        if slot.where is not None:
            items.append(substitute(slot.where, by))
    return conjunction(items), by


def domain_of(type_: ty.Type) -> m.Domain | None:
    """Every value that a variable of the type can take in a state; None where there is no end of them."""
    match type_:
        case ty.EntityT(name=name):
            return m.OverEntity(type_, name)
        case ty.IdT():
            return m.OverIds(type_)
        case _:
            values = ty.finite_values(type_)
            return None if values is None else m.OverValues(type_, tuple(m.Lit(type_, v) for v in values))


def _any(items: list[Term]) -> Term:
    if not items or TRUE in items:
        return TRUE
    return items[0] if len(items) == 1 else m.OrT(BOOL, tuple(items))
