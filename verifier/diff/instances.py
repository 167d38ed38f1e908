"""What an invariant says of the things that a comparison is about, and of no others.

An invariant speaks of every hand; a region of one or two. That it holds of those follows from it, and is far quicker to
ask: what is said of all things is one constant to whoever looks at the logic alone, what is said of one thing is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.rewrite import map_children, substitute
from verifier.model.terms import Term, children, free_variables
from verifier.model.types import BOOL

MOST_INSTANCES = 24
"""So many things, or parts of their keys, are put into one invariant at most."""

MOST_REFERENCES = 6
"""So many things of one kind are looked at."""


def references(program: Program, terms: Sequence[Term], names: frozenset[str]) -> tuple[Term, ...]:
    """The things that terms name by `names` alone: a variable, a part of its key, what a function without arguments
    gives. What they call is read through once."""
    found: dict[Term, None] = {}
    seen: set[Term] = set()

    def visit(term: Term, deep: bool) -> None:
        if term in seen:
            return
        seen.add(term)
        named = isinstance(term, m.Var | m.Part) or (isinstance(term, m.CallF) and not term.args)
        if named and isinstance(term.type, ty.EntityT) and free_variables(term) <= names:
            found.setdefault(term)
        if isinstance(term, m.CallF) and term.args and deep:
            function = program.functions[term.function]
            by = dict(zip((p.name for p in function.params), term.args, strict=True))
            visit(substitute(function.body, by), False)
        for child in children(term):
            visit(child, deep)

    for term in terms:
        visit(term, True)
    kept: list[Term] = []
    for term in found:
        if sum(other.type == term.type for other in kept) < MOST_REFERENCES:
            kept.append(term)
    return tuple(kept)


def instances(term: Term, of: Sequence[Term], there: frozenset[str]) -> tuple[Term, ...]:
    """What follows from a closed condition, if it is true, for the things in `of`; nothing where its form hides it.

    The variables in `there` stand for things that exist.
    """
    match term:
        case m.AndT(items=items):
            return tuple(one for item in items for one in instances(item, of, there))
        case m.NotT(of=m.Quant(kind="some") as inner):
            none = m.Quant(BOOL, "every", inner.var, inner.domain, inner.where, m.NotT(BOOL, inner.body))
            return instances(none, of, there)
        case m.Quant(kind="every"):
            return tuple(_plain(one) for one in _instances(term, {}, of, there))[:MOST_INSTANCES]
        case _:
            return ()


def _instances(
    term: m.Quant, by: Mapping[str, Term], of: Sequence[Term], there: frozenset[str]
) -> Iterator[Term]:
    """`term` for each thing that it speaks of: where that is there and meets the condition, the body."""
    domain = term.domain
    for one in _candidates(domain, of):
        given = {**by, term.var: one}
        unless: list[Term] = []
        if isinstance(domain, m.OverEntity) and not (isinstance(one, m.Var) and one.name in there):
            it = m.Var(domain.type, "it'")
            member = m.Quant(BOOL, "some", it.name, domain, None, m.CompareT(BOOL, "=", it, one))
            unless.append(m.NotT(BOOL, member))
        if term.where is not None:
            unless.append(m.NotT(BOOL, substitute(term.where, given)))
        inner: Iterator[Term] | tuple[Term, ...]
        if isinstance(term.body, m.Quant) and term.body.kind == "every" and _looked_into(term.body.domain):
            inner = _instances(term.body, given, of, there)
        else:
            inner = (substitute(term.body, given),)
        for body in inner:
            yield m.OrT(BOOL, (*unless, body)) if unless else body


def _looked_into(domain: m.Domain) -> bool:
    return isinstance(domain, m.OverEntity | m.OverValues)


def _candidates(domain: m.Domain, of: Sequence[Term]) -> list[Term]:
    """What may be put in place of a variable that goes through a domain."""
    match domain:
        case m.OverEntity(type=type_):
            return [one for one in of if one.type == type_]
        case m.OverValues(type=type_, values=values):
            whole = ty.finite_values(type_)
            if whole is None or {v.value for v in values if isinstance(v, m.Lit)} != set(whole):
                return []
            keys = [
                m.Part(part, one, at)
                for one in of
                if isinstance(one.type, ty.EntityT)
                for at, (_, part) in enumerate(one.type.keys)
                if part == type_
            ]
            return list(dict.fromkeys(keys))
        case _:
            return []


def _plain(term: Term) -> Term:
    """A term in which a thing made of the parts of a thing is that thing."""
    found = map_children(term, _plain)
    match found:
        case m.Make(type=ty.EntityT() as type_, parts=parts):
            wholes = {p.of for p in parts if isinstance(p, m.Part)}
            if len(wholes) == 1 and len(parts) == len(type_.keys):
                (whole,) = wholes
                same = all(isinstance(p, m.Part) and p.index == at for at, p in enumerate(parts))
                if same and whole.type == type_:
                    return whole
            return found
        case _:
            return found
