"""What a round must come to for a rule to be exercised, and what event breaks it: as questions to plays and solvers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from verifier.check.clauses import Ledger
from verifier.core.lawful import parts as lawful_parts
from verifier.core.lower import event_variable
from verifier.core.program import Program
from verifier.generate.due import due, early
from verifier.model import terms as m
from verifier.model.rewrite import substitute
from verifier.model.ruleset import Contribution, Event
from verifier.model.terms import Term, children
from verifier.model.types import BOOL
from verifier.prove.obligations.rules import applying
from verifier.prove.question import Question


@dataclass(frozen=True, slots=True)
class Ask:
    """A question whose being true shows a rule at work; where it names an event, that event by `actor` does it."""

    question: Question
    actor: str | None = None


def keeping(program: Program, rule: str) -> list[Ask]:
    """Where the rule is at work: its duty is done, its permission is used, its answer is due and given, an answer is
    due by it, or it looks at an event that it does not forbid."""
    asks: list[Ask] = []
    claimed = rule in Ledger(program).claimed_rules()
    for settling in program.ruleset.events.values():
        asks += _settling(program, settling, rule, True)
        asks += _by_its_actor(program, settling, due(program, settling, rule))
    for duty in program.duties:
        if duty.rule == rule:
            pending = m.CallF(BOOL, duty.pending, tuple(m.Var(p.type, p.name) for p in duty.variables))
            for act in duty.acts:
                question = Question(duty.variables, _all(pending, act.matches), act.event)
                asks += [
                    Ask(question, actor)
                    for actor in duty.roles
                    if _may(program.ruleset.events[act.event], actor)
                ]
    for unit in program.ruleset.units.values():
        if claimed and isinstance(unit, Contribution):
            continue  # what claims consult is found kept by them alone
        if unit.rule == rule and not any(
            unit.id == n.unit for ns in program.prohibitions.values() for n in ns
        ):
            for way in applying(program, unit):
                question = Question(way.params, way.condition, way.event)
                if way.event is None:
                    asks.append(Ask(question))
                else:
                    asks += [Ask(question, actor) for actor in _actors(program, unit.id, way.event)]
    for event, norms in program.prohibitions.items():
        declared = program.ruleset.events[event]
        for norm in norms:
            if norm.rule == rule:
                barred = m.CallF(BOOL, norm.applies, tuple(event_variable(p) for p in declared.params))
                condition = _all(norm.head, m.NotT(BOOL, barred))
                actors = norm.exempt or norm.roles
                asks += [
                    Ask(Question((), condition, event), actor) for actor in actors if _may(declared, actor)
                ]
    return asks


def breaking(program: Program, rule: str) -> list[Ask]:
    """Events that are at fault by the rule: forbidden, not permitted, passing a duty by, settling otherwise, or
    before it is due."""
    asks: list[Ask] = []
    for event in program.ruleset.events.values():
        for actor in program.ruleset.actors:
            if event.observed and actor != program.ruleset.actors[0]:
                continue
            for name, _, term in lawful_parts(program, event.name, actor):
                if name == rule:
                    asks.append(Ask(Question((), m.NotT(BOOL, term), event.name), actor))
        asks += _settling(program, event, rule, False)
        asks += _by_its_actor(program, event, early(program, event, rule))
    return asks


def _settling(program: Program, event: Event, rule: str, right: bool) -> list[Ask]:
    return _by_its_actor(program, event, _claims(program, event, rule, right))


def _by_its_actor(program: Program, event: Event, questions: Iterable[Question]) -> list[Ask]:
    return [Ask(q, actor) for q in questions for actor in (event.by or program.ruleset.actors)[:1]]


def _claims(program: Program, event: Event, rule: str, right: bool) -> Iterator[Question]:
    """A claim of the event, right or not, about an answer that the rule gives."""
    by: dict[str, Term] = {p.name: event_variable(p) for p in event.params}
    for claim in event.claims:
        term = substitute(claim, by)
        for consulted in dict.fromkeys(_consulted(term)):
            decision = program.decisions[consulted.decision]
            for case in decision.cases:
                if case.rule == rule:
                    applies = m.CallF(BOOL, case.applies, consulted.args)
                    own = {p.name: a for p, a in zip(decision.params, consulted.args, strict=True)}
                    due = () if decision.asked is None else (substitute(decision.asked, own),)
                    told = term if right else m.NotT(BOOL, term)
                    yield Question((), _all(*due, applies, told), event.name)


def _consulted(term: Term) -> Iterator[m.Decide]:
    if isinstance(term, m.Decide):
        yield term
        return
    for child in children(term):
        yield from _consulted(child)


def _actors(program: Program, unit: str, event: str) -> list[str]:
    """Those whom a permission of the unit allows the event."""
    norms = (n for n in program.permissions.get(event, ()) if n.unit == unit)
    found = dict.fromkeys(role for norm in norms for role in norm.roles)
    return [actor for actor in found if _may(program.ruleset.events[event], actor)]


def _may(event: Event, actor: str) -> bool:
    return not event.by or actor in event.by


def _all(*items: Term) -> Term:
    return items[0] if len(items) == 1 else m.AndT(BOOL, items)
