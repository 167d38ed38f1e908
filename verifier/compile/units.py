"""In what the kernel counts amounts, and the terms in which a program writes them."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import lcm

from verifier.compile.encoding import NotCompiledError
from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model.terms import Term, children

LARGEST_UNIT = 1_000_000
"""No amount has a larger denominator."""


def unit_of(program: Program) -> int:
    """The common denominator of all odds that the ruleset writes."""
    ruleset = program.ruleset
    written = [term.value for term in terms_of(program) if isinstance(term, m.Lit)]
    written += [field.initial for field in ruleset.state.values()]
    written += [field.initial for entity in ruleset.entities.values() for field in entity.fields]
    for option in ruleset.options.values():
        written += (option.default, *(option.values or ()))
    found = 1
    for value in written:
        if isinstance(value, Fraction):
            found = lcm(found, value.denominator)
    if found > LARGEST_UNIT:
        raise NotCompiledError("odds whose denominators have no small common multiple")
    return found


def terms_of(program: Program) -> Iterator[Term]:
    """Every term of a program's functions and decisions, with their subterms."""
    rest: list[Term] = [function.body for function in program.functions.values()]
    rest += [case.value for decision in program.decisions.values() for case in decision.cases]
    while rest:
        term = rest.pop()
        yield term
        rest += children(term)


__all__ = ["LARGEST_UNIT", "terms_of", "unit_of"]
