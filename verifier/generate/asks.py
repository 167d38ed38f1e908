"""What a round must come to for a rule to be exercised, and what event breaks it: as questions to plays and solvers.

The judge (`verifier.run.judge`) counts a rule as kept or broken in several ways, and each has its questions here. What
can be asked of no one state is said in words (`Asks.beyond`): where there is such a way, that all questions are
answered *never* proves nothing of the rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from verifier.check.clauses import Ledger
from verifier.core.absent import Absent
from verifier.core.lawful import parts as lawful_parts
from verifier.core.lower import event_variable
from verifier.core.program import ActMatch, Duty, EventNorm, Program
from verifier.generate.due import consulted, due, early, variables_of
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.rewrite import substitute
from verifier.model.ruleset import Contribution, Event, Norm
from verifier.model.terms import Term, children
from verifier.model.types import BOOL
from verifier.prove.explore.pieces import called
from verifier.prove.obligations.rules import applying
from verifier.prove.obligations.units import parts_of
from verifier.prove.question import Question

NESTED = "an answer is read to say of what another is wanted"
ABSENT_THINGS = "what it decides may be read of what is not there"
OPTIONS = "options may break it, and those that were tried do not"
OPTIONS_KEPT = "options may keep to it"
AT_ONCE = "another duty may be done by the same act, right after an earlier event"
UNENDED = "what is due by the end of a life is judged where that ends"


@dataclass(frozen=True, slots=True)
class Ask:
    """A question whose being true shows a rule at work; where it names an event, that event by `actor` does it.

    `before`: it is what `actor` does next that shows it. `astray`: the event is given to others than `actor`.
    """

    question: Question
    actor: str | None = None
    before: bool = False
    astray: bool = False


@dataclass(frozen=True, slots=True)
class Asks:
    """All ways in which a rule comes to be kept, or broken: questions, and in words what none of them covers."""

    asks: tuple[Ask, ...]
    beyond: tuple[str, ...] = ()


def keeping(program: Program, rule: str) -> Asks:
    """Where the rule is at work: its duty is done, its permission is used, its answer is due and given, an answer is
    due by it, or it looks at an event that it does not forbid."""
    asks: list[Ask] = []
    beyond: dict[str, None] = {}
    claimed = rule in Ledger(program).claimed_rules()
    for settling in program.ruleset.events.values():
        asks += _settling(program, settling, rule, True, beyond)
        asks += _by_its_actor(program, settling, due(program, settling, rule))
    for duty in program.duties:
        if duty.rule == rule:
            for act in duty.acts:
                asks += _each(program, duty.roles, _pending(program, duty, act))
            if duty.kind == "immediately after":
                asks += _becoming_due(program, duty)
    for unit in program.ruleset.units.values():
        if unit.rule != rule or (claimed and isinstance(unit, Contribution)):
            continue  # what claims consult is found kept by them alone
        match unit:
            case Contribution():
                asks += _reading(program, unit, beyond)
            case Norm(force="must not"):
                pass
            case Norm():
                for way in applying(program, unit):
                    question = Question(way.params, way.condition, way.event)
                    asks += (
                        [Ask(question)]
                        if way.event is None
                        else [Ask(question, actor) for actor in _actors(program, unit.id, way.event)]
                    )
    for event, norms in program.prohibitions.items():
        for norm in norms:
            if norm.rule == rule:
                asks += _heeding(program, program.ruleset.events[event], norm)
    if any(requirement.rule == rule for requirement in program.ruleset.requirements):
        beyond[OPTIONS_KEPT] = None
    return Asks(tuple(asks), tuple(beyond))


def breaking(program: Program, rule: str) -> Asks:
    """Events that are at fault by the rule: forbidden, not permitted, passing a duty by, settling otherwise, or
    before it is due, done by another than whose it is."""
    asks: list[Ask] = []
    beyond: dict[str, None] = {}
    for event in program.ruleset.events.values():
        asks += _unlawful(program, event, rule)
        asks += _settling(program, event, rule, False, beyond)
        asks += _by_its_actor(program, event, early(program, event, rule))
    absent = Absent(program)
    for duty in program.duties:
        if duty.rule == rule:
            asks += _passed_by(program, duty, absent, beyond)
    asks += _not_its_actor(program, rule, absent)
    if any(requirement.rule == rule for requirement in program.ruleset.requirements):
        beyond[OPTIONS] = None
    return Asks(tuple(dict.fromkeys(asks)), tuple(beyond))


def _unlawful(program: Program, event: Event, rule: str) -> Iterator[Ask]:
    """Where `lawful` has the event at fault by the rule: by those who may do it, else where others would be at fault
    that they are not."""
    asked: set[Question] = set()
    own = (event.by or program.ruleset.actors)[: 1 if event.observed else None]
    for actor in dict.fromkeys((*own, *program.ruleset.actors)):
        found = [
            Question((), m.NotT(BOOL, term), event.name)
            for name, _, term in lawful_parts(program, event.name, actor)
            if name == rule
        ]
        yield from (Ask(question, actor) for question in found if actor in own or question not in asked)
        asked.update(found)


# --------------------------------------------------------------------------------------------------- duties
def _pending(program: Program, duty: Duty, act: ActMatch) -> Question:
    """That the duty is pending for what an event matches."""
    pending = m.CallF(BOOL, duty.pending, tuple(m.Var(p.type, p.name) for p in duty.variables))
    return Question(duty.variables, _all(pending, act.matches), act.event)


def _becoming_due(program: Program, duty: Duty) -> Iterator[Ask]:
    """What makes something due right after it: what the bearer does next keeps the rule or breaks it."""
    for act in duty.deadline_acts:
        event = program.ruleset.events[act.event]
        for actor in (event.by or program.ruleset.actors)[:1]:
            yield Ask(_pending(program, duty, act), actor, before=True)


def _passed_by(program: Program, duty: Duty, absent: Absent, beyond: dict[str, None]) -> Iterator[Ask]:
    """Where a duty is passed by of which `lawful` says nothing."""
    match duty.kind:
        case "at once":
            if any(_perhaps_done(program, role) for role in duty.roles):
                beyond[AT_ONCE] = None
        case "immediately after":
            yield from _becoming_due(program, duty)
        case "before":
            for act in duty.deadline_acts:
                if absent.reads(act.matches).decides:
                    yield from _by_its_actor(
                        program, program.ruleset.events[act.event], [_pending(program, duty, act)]
                    )
        case "by end of":
            ends = [life.ends for life in program.ruleset.lives.values() if life.name == duty.life]
            seen = any(
                name == duty.rule and why == "late"
                for event in {event for events in ends for event in events}
                for name, why, _ in lawful_parts(program, event, program.ruleset.actors[0])
            )
            if not seen:
                beyond[UNENDED] = None


def _perhaps_done(program: Program, actor: str) -> bool:
    """Whether `lawful` lets some act of the actor's pass as one that is due right after an earlier event."""
    return any(duty.kind == "immediately after" and actor in duty.roles for duty in program.duties)


def _not_its_actor(program: Program, rule: str, absent: Absent) -> Iterator[Ask]:
    """An act that the rule gives to somebody else; and one that it governs only where some decision has it so."""
    for event in program.ruleset.events.values():
        others = [actor for actor in program.ruleset.actors if event.by and actor not in event.by]
        for norm in program.permissions.get(event.name, ()):
            if norm.rule == rule:
                if absent.reads(norm.head).decides:
                    yield from _each(program, program.ruleset.actors, Question((), norm.head, event.name))
                yield from (
                    Ask(Question((), norm.head, event.name), actor, astray=True) for actor in others[:1]
                )
        for duty in program.duties:
            if duty.rule == rule:
                for act in duty.acts:
                    if act.event == event.name:
                        yield from (
                            Ask(_pending(program, duty, act), actor, astray=True) for actor in others[:1]
                        )


# ---------------------------------------------------------------------------------- prohibitions, answers
def _heeding(program: Program, event: Event, norm: EventNorm) -> Iterator[Ask]:
    """An event that a prohibition looks at and does not forbid; of those whom it leaves out any that it looks at."""
    barred = m.CallF(BOOL, norm.applies, tuple(event_variable(p) for p in event.params))
    yield from _each(program, norm.exempt, Question((), norm.head, event.name))
    yield from _each(program, norm.roles, Question((), _all(norm.head, m.NotT(BOOL, barred)), event.name))


def _reading(program: Program, unit: Contribution, beyond: dict[str, None]) -> Iterator[Ask]:
    """Where an answer that only other rules read is the unit's, due or not."""
    params = program.decisions[unit.decision].params
    if any(isinstance(p.type, ty.EntityT | ty.IdT) for p in params):
        beyond[ABSENT_THINGS] = None
    for way in applying(program, unit):
        yield Ask(Question(way.params, way.condition, way.event))
    for parts in parts_of(program, unit):
        yield Ask(Question(parts.params, parts.applies, parts.event))


def _settling(program: Program, event: Event, rule: str, right: bool, beyond: dict[str, None]) -> list[Ask]:
    """A claim of the event, right or not, about an answer that the rule gives."""
    questions: list[Question] = []
    answers = list(consulted(program, event))
    plainly = {one.answer for one in answers}
    for one in answers:
        decision = program.decisions[one.answer.decision]
        own = {p.name: a for p, a in zip(decision.params, one.answer.args, strict=True)}
        if any(
            inner not in plainly and _bears(program, rule, inner.decision)
            for arg in one.answer.args
            for inner in _answers_in(program, arg, frozenset())
            if any(inner.decision == other.answer.decision for other in answers)
        ):
            beyond[NESTED] = None
        for case in decision.cases:
            if case.rule == rule:
                applies = m.CallF(BOOL, case.applies, one.answer.args)
                asked = () if decision.asked is None else (substitute(decision.asked, own),)
                told = one.claim if right else m.NotT(BOOL, one.claim)
                condition = _all(*one.holding, *asked, applies, told)
                questions.append(Question(variables_of(one.answer), condition, event.name))
    return _by_its_actor(program, event, questions)


def _answers_in(program: Program, term: Term, seen: frozenset[str]) -> Iterator[m.Decide]:
    """The answers that are read for a term: a claim that speaks of their decision elsewhere counts them, too."""
    match term:
        case m.Decide():
            yield term
        case m.CallF(function=name) if name not in seen:
            yield from _answers_in(program, called(program, term), seen | {name})
        case _:
            pass
    for child in children(term):
        yield from _answers_in(program, child, seen)


def _bears(program: Program, rule: str, name: str) -> bool:
    """Whether the rule answers the decision, or says when it is due."""
    decision = program.decisions[name]
    return any(case.rule == rule for case in decision.cases) or any(r == rule for r, _ in decision.askers)


# ----------------------------------------------------------------------------------------------- who does it
def _by_its_actor(program: Program, event: Event, questions: Iterable[Question]) -> list[Ask]:
    return [Ask(q, actor) for q in questions for actor in (event.by or program.ruleset.actors)[:1]]


def _each(program: Program, actors: Iterable[str], question: Question) -> list[Ask]:
    """The question of each of the actors who may do the event."""
    assert question.event is not None
    event = program.ruleset.events[question.event]
    return [Ask(question, actor) for actor in actors if not event.by or actor in event.by]


def _actors(program: Program, unit: str, event: str) -> list[str]:
    """Those whom a permission of the unit allows the event."""
    norms = (n for n in program.permissions.get(event, ()) if n.unit == unit)
    found = dict.fromkeys(role for norm in norms for role in norm.roles)
    declared = program.ruleset.events[event]
    return [actor for actor in found if not declared.by or actor in declared.by]


def _all(*items: Term) -> Term:
    return items[0] if len(items) == 1 else m.AndT(BOOL, items)
