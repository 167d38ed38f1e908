"""Which answers an event's claims consult, and where: what settles something before its answer is due breaks the rule
that says when it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from verifier.core.lower import event_variable
from verifier.core.program import EVENT_PREFIX, DecisionProgram, Program
from verifier.model import terms as m
from verifier.model.rewrite import substitute
from verifier.model.ruleset import Event, Param
from verifier.model.terms import Term, children
from verifier.model.types import BOOL
from verifier.prove.question import Nothing, Question


@dataclass(frozen=True, slots=True)
class Consulted:
    """An answer that a claim consults unless one of `unless` is true. `holding` are the claims heard before it."""

    answer: m.Decide
    unless: tuple[Term, ...]
    holding: tuple[Term, ...]
    claim: Term


def consulted(program: Program, event: Event) -> Iterator[Consulted]:
    """The answers that the claims of an event consult, in the order in which a hearing comes to them."""
    by: dict[str, Term] = {p.name: event_variable(p) for p in event.params}
    holding: tuple[Term, ...] = ()
    for claim in event.claims:
        term = substitute(claim, by)
        for answer, unless in _answers(program, term, ()):
            yield Consulted(answer, unless, holding, term)
        holding += (term,)


def early(program: Program, event: Event, rule: str) -> Iterator[Question]:
    """Where the event consults an answer that is not due, and the rule says when such answers are."""
    found = list(consulted(program, event))
    for number, one in enumerate(found):
        decision = program.decisions[one.answer.decision]
        for asker, term in decision.askers:
            if asker == rule and decision.asked is not None:
                fixed = [_of(decision, one, item) for item in _items(term) if _reads_arguments(item)]
                not_due = m.NotT(BOOL, _of(decision, one, decision.asked))
                yield _question(program, event, one, found[:number], (*fixed, not_due))


def due(program: Program, event: Event, rule: str) -> Iterator[Question]:
    """Where the event consults an answer that is due by the rule, and its claim holds."""
    found = list(consulted(program, event))
    for number, one in enumerate(found):
        decision = program.decisions[one.answer.decision]
        for asker, term in decision.askers:
            if asker == rule:
                owed = _of(decision, one, term)
                yield _question(program, event, one, found[:number], (owed, one.claim))


def _question(
    program: Program, event: Event, one: Consulted, before: list[Consulted], items: tuple[Term, ...]
) -> Question:
    earlier: list[Term] = []
    for other in before:
        decision = program.decisions[other.answer.decision]
        surely = set(other.unless) <= set(one.unless) and not variables_of(other.answer)
        heard = other.claim == one.claim or other.claim in one.holding
        if heard and surely and other.answer != one.answer and decision.asked is not None:
            earlier.append(_of(decision, other, decision.asked))
    params = variables_of(one.answer)
    parts = (*one.holding, *earlier, *items)
    condition = parts[0] if len(parts) == 1 else m.AndT(BOOL, parts)
    names = {p.name for p in params}
    none = tuple(
        Nothing((), term) for term in one.unless if not m.free_variables(term) - _of_event(event) - names
    )
    return Question(params, condition, event.name, none)


def _of(decision: DecisionProgram, one: Consulted, term: Term) -> Term:
    """A term over the decision's parameters, of the answer consulted."""
    return substitute(term, {p.name: a for p, a in zip(decision.params, one.answer.args, strict=True)})


def _of_event(event: Event) -> set[str]:
    return {name for p in event.params for name in m.free_variables(event_variable(p))}


def variables_of(answer: m.Decide) -> tuple[Param, ...]:
    """The variables in the answer's arguments that are none of the event's: of a quantifier round it."""
    found: dict[str, Param] = {}
    pending: list[Term] = list(answer.args)
    while pending:
        term = pending.pop()
        if isinstance(term, m.Var) and not term.name.startswith(EVENT_PREFIX):
            found[term.name] = Param(term.name, term.type)
        pending.extend(children(term))
    return tuple(found.values())


def _answers(
    program: Program, term: Term, unless: tuple[Term, ...]
) -> Iterator[tuple[m.Decide, tuple[Term, ...]]]:
    """The answers that a term consults, each with what would keep it from that; none within another's arguments."""
    match term:
        case m.Decide():
            yield term, unless
        case m.CallF(function=name, args=args):
            for arg in args:
                yield from _answers(program, arg, unless)
            function = program.functions[name]
            by = {p.name: a for p, a in zip(function.params, args, strict=True)}
            yield from _answers(program, substitute(function.body, by), unless)
        case m.AndT(items=items) | m.OrT(items=items):
            for item in items:
                yield from _answers(program, item, unless)
                unless += (m.NotT(BOOL, item) if isinstance(term, m.AndT) else item,)
        case m.Ite(condition=condition, then=then, otherwise=otherwise):
            yield from _answers(program, condition, unless)
            yield from _answers(program, then, (*unless, m.NotT(BOOL, condition)))
            yield from _answers(program, otherwise, (*unless, condition))
        case _:
            for child in children(term):
                yield from _answers(program, child, unless)


def _items(term: Term) -> tuple[Term, ...]:
    return term.items if isinstance(term, m.AndT) else (term,)


def _reads_arguments(term: Term) -> bool:
    """Whether a condition reads the arguments of the answer alone, never the state: it says whose answers are meant."""
    match term:
        case m.Lit() | m.Var():
            return True
        case m.Part() | m.CompareT() | m.OrT() | m.AndT() | m.NotT():
            return all(map(_reads_arguments, children(term)))
        case _:
            return False
