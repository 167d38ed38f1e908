"""Conditions that say the same, with what they read of some variables where it can be looked at.

An event changes a field of one thing; told of the state before, whatever ranges over such things reads *this* of that
one and *that* of the others, in each comparison. Here the one is taken out of what ranges over it, and each comparison
is one of plain sides: that a number of things is more than 1 comes to two conditions, one where the thing counts and
one where it does not, and in neither an amount is read within what is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import product
from typing import TypeVar

from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model.domains import HIDDEN
from verifier.model.rewrite import map_children, substitute
from verifier.model.terms import Term, free_variables
from verifier.model.types import BOOL, INT
from verifier.prove.explore.pieces import called
from verifier.prove.obligations.units import FALSE, TRUE, all_of, both, either, no, same

MOST_CASES = 16
"""A comparison whose sides have more cases than this between them is left as it is."""

Cases = list[tuple[tuple[Term, ...], Term]]
"""What a term comes to, each with when it does; one of them is so."""

Ranging = TypeVar("Ranging", m.Quant, m.Fold, m.Pick)
Parted = TypeVar("Parted", m.Quant, m.Fold)
Chosen = TypeVar("Chosen", m.Fold, m.Pick)


def apart(program: Program, term: Term, names: Iterable[str], taken: Iterable[str] = ()) -> Term:
    """A condition that says the same, wherever it is defined. `names` are the variables that are to be looked at;
    nothing that reads them binds one of those that are `taken`."""
    return _Apart(program, frozenset(names), frozenset(taken)).condition(term)


class _Apart:
    """One set of variables, of which conditions are to tell."""

    def __init__(self, program: Program, names: frozenset[str], taken: frozenset[str]) -> None:
        self.program = program
        self.names = names
        self.taken = taken
        # By identity, and kept as long: what is large stands in many places, and is one object in all.
        self._told: dict[int, tuple[Term, Term]] = {}

    def condition(self, term: Term) -> Term:
        if not self._reads(term):
            return term
        if id(term) not in self._told:
            self._told[id(term)] = term, self._condition(term)
        return self._told[id(term)][1]

    def _condition(self, term: Term) -> Term:
        match term:
            case m.NotT(of=of):
                return no(self.condition(of))
            case m.AndT(items=items):
                return both(*map(self.condition, items))
            case m.OrT(items=items):
                return either(*map(self.condition, items))
            case m.CallF():
                return self.condition(called(self.program, term))
            case m.Ite(condition=which, then=then, otherwise=otherwise):
                return self.condition(either(both(which, then), both(no(which), otherwise)))
            case m.Quant():
                return self._quantified(self._renamed(term))
            case m.CompareT(op=op, left=left, right=right):
                lefts, rights = self._cases(left), self._cases(right)
                if len(lefts) * len(rights) > MOST_CASES:
                    return term
                return either(
                    *(
                        both(*map(self.condition, (*a, *b)), m.CompareT(BOOL, op, one, other))
                        for (a, one), (b, other) in product(lefts, rights)
                    )
                )
            case _:
                return term

    def _quantified(self, term: m.Quant) -> Term:
        one = self._one(term)
        if one is None:
            return _inside(term, self.condition)
        here, where, body, rest = one
        alone = both(here, where, body) if term.kind == "some" else either(no(both(here, where)), body)
        join = either if term.kind == "some" else both
        return join(self.condition(alone), self.condition(rest))

    def _cases(self, term: Term) -> Cases:
        if not self._reads(term):
            return [((), term)]
        match term:
            case m.CallF():
                return self._cases(called(self.program, term))
            case m.Ite(condition=which, then=then, otherwise=otherwise):
                yes, not_so = self._cases(then), self._cases(otherwise)
                return [((which, *a), t) for a, t in yes] + [((no(which), *a), t) for a, t in not_so]
            case m.ArithT(left=left, right=right):
                found: Cases = [
                    ((*a, *b), replace(term, left=one, right=other))
                    for (a, one), (b, other) in product(self._cases(left), self._cases(right))
                ]
                return found if len(found) <= MOST_CASES else [((), term)]
            case m.Fold():
                return self._folded(self._renamed(term))
            case m.Pick():
                return [((), self._conditioned(self._renamed(term)))]
            case _:
                return [((), term)]

    def _folded(self, term: m.Fold) -> Cases:
        one = self._one(term) if term.kind in ("sum", "number") else None
        if one is None:
            return [((), self._conditioned(term))]
        here, where, body, rest = one
        counts = m.Ite(term.type, both(here, where), body, m.Lit(term.type, 0))
        return self._cases(m.ArithT(term.type, "+", counts, rest))

    def _conditioned(self, term: Chosen) -> Chosen:
        return replace(term, where=None if term.where is None else self.condition(term.where))

    def _one(self, term: Parted) -> tuple[Term, Term, Term, Parted] | None:
        """What ranges over things, with one of them apart: that there is this one, what is so of it and read of it,
        and what ranges over the others. None where no part names one in particular."""
        parts = m.children(term)[len(m.domain_terms(term.domain)) :]
        which = next((t for part in parts for t in self._named(part, term.var)), None)
        if which is None or not isinstance(term.domain, m.OverEntity | m.OverIds):
            return None
        element = m.Var(term.domain.type, term.var)
        hidden = m.Var(term.domain.type, HIDDEN)
        here = m.Quant(BOOL, "some", HIDDEN, term.domain, None, same(hidden, which))
        where, body = (
            otherwise if part is None else _knowing(substitute(part, {term.var: which}), which, which, TRUE)
            for part, otherwise in ((term.where, TRUE), (term.body, m.Lit(INT, 1)))
        )
        rest = _inside(term, lambda part: _knowing(part, element, which, FALSE))
        others = no(same(element, which))
        return (
            here,
            where,
            body,
            replace(rest, where=others if rest.where is None else both(others, rest.where)),
        )

    def _named(self, term: Term, var: str) -> Iterator[Term]:
        """The things for which what is read of the variables differs from what is read for all others."""
        bound = {inner.var for inner in all_of(term) if isinstance(inner, m.Quant | m.Fold | m.Pick)}
        for choice in all_of(term) if var not in bound else ():
            if not isinstance(choice, m.Ite) or not self._reads(choice):
                continue
            for inner in all_of(choice.condition):
                other = _compared(inner, var)
                if other is not None and _sure(other) and not free_variables(other) & {var, *bound}:
                    yield other

    def _renamed(self, term: Ranging) -> Ranging:
        fresh = term.var
        while fresh in self.taken or (fresh != term.var and fresh in free_variables(term)):
            fresh += "'"
        if fresh == term.var:
            return term
        by = {term.var: m.Var(term.domain.type, fresh)}
        return replace(_inside(term, lambda part: substitute(part, by)), var=fresh)

    def _reads(self, term: Term) -> bool:
        return not free_variables(term).isdisjoint(self.names)


def _inside(term: Ranging, change: Callable[[Term], Term]) -> Ranging:
    """What ranges over things with another condition and another body."""
    found = map_children(replace(term, domain=m.OverIds(term.domain.type)), change)
    assert isinstance(found, type(term))
    return replace(found, domain=term.domain)


def _compared(term: Term, var: str) -> Term | None:
    """What a variable is held to be the same as."""
    match term:
        case m.CompareT(op="=", left=m.Var(name=name), right=other) if name == var:
            return other
        case m.CompareT(op="=", left=other, right=m.Var(name=name)) if name == var:
            return other
        case _:
            return None


def _sure(term: Term) -> bool:
    """Whether a term is a thing in every state."""
    match term:
        case m.Var() | m.Lit():
            return True
        case m.Make(parts=parts):
            return all(map(_sure, parts))
        case m.Part(of=of):
            return _sure(of)
        case _:
            return False


def _knowing(term: Term, one: Term, other: Term, value: m.Lit) -> Term:
    """`term` where it is known whether two things are the same."""
    made: dict[int, Term] = {}

    def of(term: Term) -> Term:
        if id(term) not in made:
            made[id(term)] = plain(map_children(term, of))
        return made[id(term)]

    def plain(term: Term) -> Term:
        match term:
            case m.CompareT(op="=", left=left, right=right) if (left, right) in ((one, other), (other, one)):
                return value
            case m.NotT(of=m.Lit() as of):
                return FALSE if of == TRUE else TRUE
            case m.AndT(items=items):
                return FALSE if FALSE in items else both(*items)
            case m.OrT(items=items):
                return either(*(item for item in items if item != FALSE))
            case m.Ite(condition=m.Lit() as condition, then=then, otherwise=otherwise):
                return then if condition == TRUE else otherwise
            case _:
                return term

    return of(term)
