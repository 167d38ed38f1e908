"""What a question asks of the very thing that an event is about, before the event: the rest is what the event does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from verifier.core.program import EVENT_PREFIX, Program
from verifier.model import terms as m
from verifier.model.rewrite import substitute
from verifier.model.terms import Term, free_variables
from verifier.model.types import Type
from verifier.prove.explore.pieces import conjuncts, negated
from verifier.prove.question import Question
from verifier.prove.transitions import Reads, written


def remaining(program: Program, reads: Reads, question: Question, event: str) -> tuple[Term, ...]:
    """The conjuncts of a question that must be true before an event of a kind, for that to make the question true.

    A variable of the question is taken to be the first of the event's parameters that has its type. What the event
    may change is left out, and what speaks of other things.
    """
    if question.event is not None:
        return ()
    params = program.ruleset.events[event].params
    own: dict[Type, Term] = {}
    for param in params:
        own.setdefault(param.type, m.Var(param.type, EVENT_PREFIX + param.name))
    names = frozenset(EVENT_PREFIX + param.name for param in params)
    named = {p.name: own[p.type] for p in question.params if p.type in own}
    changes = written(program.ruleset, event)
    found: dict[Term, None] = {}
    for item in _opened(question.condition, own, named):
        if free_variables(item) & names and free_variables(item) <= names and not reads.of(item) & changes:
            found[item] = None
    return tuple(found)


def _opened(term: Term, own: Mapping[Type, Term], named: Mapping[str, Term]) -> Iterator[Term]:
    """The conjuncts of a term and of what some thing is to be, in the event's own terms."""
    for item in conjuncts(term):
        match item:
            case m.Quant(kind="some", var=var, domain=domain, where=where, body=body):
                inside = body
            case m.NotT(of=m.Quant(kind="every", var=var, domain=domain, where=where, body=body)):
                inside = negated(body)
            case _:
                yield substitute(item, named)
                continue
        # Where no parameter has its type the variable means itself, and not one of that name outside.
        inner = {name: term for name, term in named.items() if name != var}
        if domain.type in own:
            inner[var] = own[domain.type]
        for part in (inside,) if where is None else (where, inside):
            yield from _opened(part, own, inner)
