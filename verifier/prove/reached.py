"""The terms that terms are made of, and those of the functions and decisions that they call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model.terms import Term, children
from verifier.model.types import BOOL


def reached(program: Program, terms: Sequence[Term], *, decisions: bool = True) -> Iterator[Term]:
    """The terms with all their parts, and those of the functions that they call, and with `decisions` of these too."""
    rest, called = list(terms), set[str]()
    while rest:
        term = rest.pop()
        yield term
        rest += children(term)
        if decisions or not isinstance(term, m.Decide):
            rest += called_by(program, term, called)


def called_by(program: Program, term: Term, called: set[str]) -> list[Term]:
    """What a term calls that was not `called` yet: the body of a function, the cases of a decision and its values."""
    match term:
        case m.CallF(function=name) if name not in called:
            called.add(name)
            return [program.functions[name].body]
        case m.Decide(decision=name) if name not in called:
            called.add(name)
            cases = program.decisions[name].cases
            params = tuple(m.Var(p.type, p.name) for p in program.ruleset.decisions[name].params)
            return [*(m.CallF(BOOL, case.applies, params) for case in cases), *(case.value for case in cases)]
        case _:
            return []
