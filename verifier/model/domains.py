"""Domains, and what ranges over them: quantifiers, folds, membership, tables, counts of events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from verifier.model import expressions as ex
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.history import event_latch
from verifier.model.rewrite import substitute
from verifier.model.scope import nearest
from verifier.model.terms import Term
from verifier.model.types import BOOL, INT, Type
from verifier.syntax import tree as t

HIDDEN = "it'"
"""The variable of a membership test: no text can use the name."""

MAX_SET = 4096
"""A range or a set written out may hold this many values."""


@dataclass(frozen=True, slots=True)
class Over:
    """A domain, the type of its elements, and the condition that a set brings along (on the variable given)."""

    domain: m.Domain
    element: Type
    where: Term | None = None


def over(domain: t.Domain, var: str, env: ex.Env) -> Over:
    """The domain that `var` is to range over."""
    match domain:
        case t.DomainType(at=at, name=name):
            found = env.world.types.get(name)
            if found is None:
                raise env.error(
                    at, f"there is no type `{name}`", "unknown-type", nearest(name, list(env.world.types))
                )
            return Over(_all_of(found, at, env), found)
        case t.DomainRange(at=at, low=low, high=high):
            if high - low >= MAX_SET or high < low:
                raise env.error(
                    at,
                    f"the range {low}..{high} is empty or too long",
                    "out-of-range",
                    f"a range holds 1 to {MAX_SET} values",
                )
            whole = ty.IntT(low, high)
            return Over(m.OverValues(whole, tuple(m.Lit(whole, v) for v in range(low, high + 1))), whole)
        case t.DomainSet():
            values = set_values(domain, env, None)
            element = _element_of(values, domain.at, env)
            return Over(m.OverValues(element, tuple(values)), element)
        case t.Aggregate(kind="all"):
            return _over_filter(domain, var, env)
        case _:
            return _over_value(domain, var, env)


def _element_of(values: Sequence[Term], at: t.At, env: ex.Env) -> Type:
    """The type of whatever stands in a set that is written out: each of its values fits it."""
    found = values[0].type
    for value in values[1:]:
        if not ty.comparable(found, value.type):
            raise env.error(
                at,
                f"{ex.article(found)} and {ex.article(value.type)} cannot stand in one set",
                "type-mismatch",
                "what a variable ranges over is of one kind",
            )
        found = _wider(found, value.type)
    return found


def _wider(one: Type, other: Type) -> Type:
    """The type that has the values of both, which are comparable."""
    match one, other:
        case ty.OptT(of=of), ty.OptT(of=more):
            return ty.OptT(_wider(of, more))
        case (ty.OptT(of=of), more) | (more, ty.OptT(of=of)):
            return ty.OptT(_wider(of, more))
        case ty.IntT(low=low, high=high), ty.IntT(low=least, high=most):
            if (low, high) == (least, most):
                return one
            if low is None or high is None or least is None or most is None:
                return INT
            return ty.IntT(min(low, least), max(high, most))
        case (ty.OddsT(), _) | (_, ty.OddsT()):
            return ty.OddsT()
        case _:
            return other if ty.fits(one, other) else one


def _over_filter(domain: t.Aggregate, var: str, env: ex.Env) -> Over:
    inner = over(domain.domain, domain.name, env)
    term = _where(domain.where, env.bind(domain.name, inner.element))
    joined = _both(inner.where, term)
    renamed = substitute(joined, {domain.name: m.Var(inner.element, var)}) if joined else None
    return Over(inner.domain, inner.element, renamed)


def _over_value(domain: t.Expr, var: str, env: ex.Env) -> Over:
    term = ex.read(domain, env, None)
    match term.type:
        case ty.ListT(of=element):
            return Over(m.OverList(element, term), element)
        case ty.SetT(of=element):
            whole = _all_of(element, domain.at, env)
            return Over(whole, element, contains(term, m.Var(element, var)))
        case _:
            raise env.error(
                domain.at,
                f"{ex.article(term.type)} cannot be ranged over",
                "type-mismatch",
                "range over a type, a list, a set, `2..9` or `{a, b}`",
            )


def contains(set_: Term, element: Term) -> Term:
    """That `element` is in a set: a state field, or a define of set type applied to its extra last argument."""
    match set_:
        case m.Get(name=name):
            return m.Get(BOOL, name, element)
        case m.CallF(function=function, args=args):
            return m.CallF(BOOL, function, (*args, element))
        case _:
            raise AssertionError(f"no set: {set_}")


def _all_of(type_: Type, at: t.At, env: ex.Env) -> m.Domain:
    match type_:
        case ty.EntityT(name=name):
            return m.OverEntity(type_, name)
        case ty.IdT():
            return m.OverIds(type_)
        case _:
            values = ty.finite_values(type_)
            if values is None or len(values) > MAX_SET:
                raise env.error(
                    at,
                    f"{ex.article(type_)} has too many values to range over",
                    "type-mismatch",
                    "range over entities, a list, a set, or a small type",
                )
            return m.OverValues(type_, tuple(m.Lit(type_, value) for value in values))


def set_values(domain: t.DomainSet, env: ex.Env, expected: Type | None) -> list[Term]:
    """The elements of a set written out; `2..9` stands for the values between in their order."""
    values: list[Term] = []
    for element in domain.elements:
        if isinstance(element, tuple):
            low, high = (ex.read(side, env, expected) for side in element)
            if not (
                isinstance(low, m.Lit)
                and isinstance(high, m.Lit)
                and isinstance(low.value, int)
                and isinstance(high.value, int)
                and low.value <= high.value
                and high.value - low.value < MAX_SET
            ):
                raise env.error(
                    element[0].at,
                    "this range is not one of constants, from low to high",
                    "out-of-range",
                    None,
                )
            kind = INT if isinstance(low.type, ty.IntT) else low.type
            values += [m.Lit(kind, v) for v in range(low.value, high.value + 1)]
        else:
            values.append(ex.read(element, env, expected))
    return values


def _both(first: Term | None, second: Term | None) -> Term | None:
    if first is None or second is None:
        return first or second
    return m.AndT(BOOL, (first, second))


def _where(where: t.Expr | None, env: ex.Env) -> Term | None:
    return None if where is None else ex.condition(where, env)


def quantified(expr: t.Quantified, env: ex.Env) -> Term:
    ranged = over(expr.domain, expr.name, env)
    inside = env.bind(expr.name, ranged.element)
    where = _both(ranged.where, _where(expr.where, inside))
    body = ex.condition(expr.body, inside.guarded(where))
    if expr.kind == "none":
        return m.NotT(BOOL, m.Quant(BOOL, "some", expr.name, ranged.domain, where, body))
    return m.Quant(BOOL, expr.kind, expr.name, ranged.domain, where, body)


def aggregate(expr: t.Aggregate, env: ex.Env, expected: Type | None) -> Term:
    if expr.kind == "all":
        raise env.error(
            expr.at,
            "a set is not a value",
            "type-mismatch",
            "give it a name: `define NAME: set of T = all (x in T where C)`",
        )
    ranged = over(expr.domain, expr.name, env)
    inside = env.bind(expr.name, ranged.element)
    where = _both(ranged.where, _where(expr.where, inside))
    match expr.kind:
        case "number":
            return m.Fold(INT, "number", expr.name, ranged.domain, where, None)
        case "first" | "last":
            return m.Pick(ty.OptT(ranged.element), expr.kind, expr.name, ranged.domain, where)
        case "sum" | "least" | "greatest":
            assert expr.value is not None
            body = ex.read(expr.value, inside.guarded(where), None)
            if not ty.numeric(body.type):
                raise env.error(
                    expr.value.at,
                    f"this is {ex.article(body.type)}, where a number is expected",
                    "type-mismatch",
                    None,
                )
            if expr.kind == "sum":
                return m.Fold(
                    INT if isinstance(body.type, ty.IntT) else body.type,
                    "sum",
                    expr.name,
                    ranged.domain,
                    where,
                    body,
                )
            return m.Fold(ty.OptT(body.type), expr.kind, expr.name, ranged.domain, where, body)


def member(of: t.Expr, domain: t.Domain, at: t.At, env: ex.Env) -> Term:
    match domain:
        case t.DomainSet():
            term = ex.read(of, env, None)
            wanted = INT if isinstance(term.type, ty.IntT) else term.type
            values = set_values(domain, env, wanted)
            for value in values:
                if not ty.comparable(term.type, value.type):
                    raise env.error(
                        at,
                        f"{ex.article(term.type)} is never {ex.article(value.type)}",
                        "type-mismatch",
                        None,
                    )
            return m.OrT(BOOL, tuple(m.CompareT(BOOL, "=", term, value) for value in values))
        case t.DomainRange(low=low, high=high):
            term = ex.read(of, env, None)
            ends = (
                ex.read(t.Int(at, low), env, None if isinstance(term.type, ty.IntT) else term.type),
                ex.read(t.Int(at, high), env, None if isinstance(term.type, ty.IntT) else term.type),
            )
            return m.AndT(
                BOOL, (m.CompareT(BOOL, ">=", term, ends[0]), m.CompareT(BOOL, "<=", term, ends[1]))
            )
        case t.DomainType():
            ranged = over(domain, HIDDEN, env)
            term = ex.read(of, env, None)
            return m.Quant(
                BOOL,
                "some",
                HIDDEN,
                ranged.domain,
                None,
                m.CompareT(BOOL, "=", m.Var(ranged.element, HIDDEN), term),
            )
        case t.Aggregate(kind="all"):
            ranged = _over_filter(domain, HIDDEN, env)
            term = ex.elaborate(of, env, ranged.element)
            return substitute(ranged.where, {HIDDEN: term}) if ranged.where else m.Lit(BOOL, True)
        case _:
            set_ = ex.read(domain, env, None)
            if isinstance(set_.type, ty.SetT):
                return contains(set_, ex.elaborate(of, env, set_.type.of))
            if isinstance(set_.type, ty.ListT):
                return m.Quant(
                    BOOL,
                    "some",
                    HIDDEN,
                    m.OverList(set_.type.of, set_),
                    None,
                    m.CompareT(BOOL, "=", m.Var(set_.type.of, HIDDEN), ex.elaborate(of, env, set_.type.of)),
                )
            raise env.error(
                at, f"nothing is in {ex.article(set_.type)}", "type-mismatch", "expected a set or a list"
            )


def table(
    of: t.Expr, rows: tuple[tuple[t.Expr, t.Expr], ...], at: t.At, env: ex.Env, expected: Type | None
) -> Term:
    key = ex.read(of, env, None)
    found: dict[object, Term] = {}
    for left, right in rows:
        name = ex.read(left, env, INT if isinstance(key.type, ty.IntT) else key.type)
        if not isinstance(name, m.Lit):
            raise env.error(left.at, "a row's key is a constant", "table", None)
        if name.value in found:
            raise env.error(left.at, "this key has a row already", "table", "keep one of the two")
        found[name.value] = ex.elaborate(right, env, expected)
    whole = ty.finite_values(key.type)
    missing = [] if whole is None else [v for v in whole if v not in found]
    if whole is None or missing:
        lacking = "" if whole is None else f"; {len(missing)} of its values have none"
        raise env.error(
            at,
            f"the table must have a row for every value of {ex.article(key.type)}{lacking}",
            "table",
            "add the rows: a table has no default",
        )
    type_ = next(iter(found.values())).type
    common: Type = INT if isinstance(type_, ty.IntT) else type_
    return m.TableT(common, key, tuple(found.items()))


def times(event: t.Call | t.Name, scope: t.Scope, at: t.At, env: ex.Env) -> Term:
    latch, keys = event_latch(event, scope, at, env)
    return m.Count(INT, latch, keys)
