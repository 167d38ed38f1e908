"""Clauses: that this holds or that, of everything of a type; and the one condition that says so."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.rewrite import substitute
from verifier.model.terms import Term
from verifier.model.types import BOOL, Type
from verifier.prove.probes import VAR, not_, or_

MOST_VALUES = 4096
"""A type with more values than this, ids apart, is not spoken of value by value."""


@dataclass(frozen=True, slots=True)
class Clause:
    """That one of the `literals` holds (each a test, and whether it is to be true), of everything of a type.

    Of an entity: of those that exist, or with `anywhere` of every reference.
    """

    sort: Type | None
    anywhere: bool
    literals: tuple[tuple[Term, bool], ...]


def clause(sort: Type | None, *literals: Term, anywhere: bool = False) -> Clause:
    """A clause of literals that are all to be true."""
    return Clause(sort, anywhere, tuple((literal, True) for literal in literals))


def closed(clause: Clause) -> Term:
    """A clause as one condition without variables."""
    literals = [test if wanted else not_(test) for test, wanted in clause.literals]
    body = literals[0] if len(literals) == 1 else or_(*literals)
    match clause.sort:
        case None:
            return body
        case ty.EntityT(name=name) as sort:
            if clause.anywhere:
                return every_reference(sort, body)
            return m.Quant(BOOL, "every", VAR, m.OverEntity(sort, name), None, body)
        case ty.IdT() as sort:
            return m.Quant(BOOL, "every", VAR, m.OverIds(sort), None, body)
        case sort:
            values = ty.finite_values(sort) or []
            over = m.OverValues(sort, tuple(m.Lit(sort, v) for v in values))
            return m.Quant(BOOL, "every", VAR, over, None, body)


def countable(type_: Type) -> bool:
    """Whether all values of a type, or all references that could be made, can be spoken of."""
    return _values(type_) <= MOST_VALUES


def _values(type_: Type) -> int:
    match type_:
        case ty.IdT():
            return 1
        case ty.EntityT(keys=parts) | ty.RecordT(fields=parts):
            return prod(_values(part) for _, part in parts)
        case _:
            count = ty.count_values(type_)
            return MOST_VALUES + 1 if count is None else count


def exists(ref: Term) -> Term:
    """That the entity exists to which a reference is."""
    assert isinstance(ref.type, ty.EntityT)
    same = m.CompareT(BOOL, "=", m.Var(ref.type, "other"), ref)
    return m.Quant(BOOL, "some", "other", m.OverEntity(ref.type, ref.type.name), None, same)


def every_reference(type_: ty.EntityT, body: Term, of: str = VAR) -> Term:
    """`body` of every reference that could be made, whether it exists or not, in the place of the variable `of`."""
    fresh: list[tuple[str, m.Domain]] = []
    made = _open(type_, of, fresh)
    term = substitute(body, {of: made})
    for name, domain in reversed(fresh):
        term = m.Quant(BOOL, "every", name, domain, None, term)
    return term


def _open(type_: Type, name: str, fresh: list[tuple[str, m.Domain]]) -> Term:
    match type_:
        case ty.EntityT(keys=parts) | ty.RecordT(fields=parts):
            return m.Make(type_, tuple(_open(part, f"{name}_{key}", fresh) for key, part in parts))
        case ty.IdT():
            fresh.append((name, m.OverIds(type_)))
        case _:
            values = ty.finite_values(type_) or []
            fresh.append((name, m.OverValues(type_, tuple(m.Lit(type_, v) for v in values))))
    return m.Var(type_, name)
