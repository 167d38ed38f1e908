"""Expressions, domains, arguments and types: Lark's parse tree to the dataclasses of `tree`.

One method a production, named as in grammar/rules.lark.
"""

from __future__ import annotations

from typing import Any, Literal, cast

from lark import Token, v_args
from lark.tree import Meta
from lark.visitors import Transformer_NonRecursive

from verifier.syntax import tree as t
from verifier.syntax.nodes import Children, declared, parts, place, span, string, token_place

Quantifier = Literal["some", "every", "none"]
Folding = Literal["sum", "least", "greatest"]
Collecting = Literal["number", "first", "last", "all"]
Bound = Literal["exactly", "at least", "at most"]


@v_args(meta=True)
class BuildExpressions(Transformer_NonRecursive[Token, Any]):
    """Expressions, patterns, domains and types."""

    def int(self, meta: Meta, c: Children) -> t.Expr:
        return t.Int(place(meta), int(c[0]))

    def odds(self, meta: Meta, c: Children) -> t.Expr:
        paid, staked = str(c[0]).split("to")
        return t.OddsLiteral(place(meta), int(paid), int(staked))

    def yes(self, meta: Meta, c: Children) -> t.Expr:
        return t.Bool(place(meta), True)

    def no(self, meta: Meta, c: Children) -> t.Expr:
        return t.Bool(place(meta), False)

    def text(self, meta: Meta, c: Children) -> t.Expr:
        return t.Text(place(meta), string(c[0]))

    def name(self, meta: Meta, c: Children) -> t.Expr:
        return t.Name(place(meta), str(c[0]))

    def call(self, meta: Meta, c: Children) -> t.Expr:
        return t.Call(place(meta), str(c[0]), c[1])

    def construct(self, meta: Meta, c: Children) -> t.Expr:
        return t.Construct(place(meta), str(c[0]), c[1])

    def attr(self, meta: Meta, c: Children) -> t.Expr:
        of, name = parts(c)
        return t.Attr(place(meta), of, str(name))

    def index(self, meta: Meta, c: Children) -> t.Expr:
        of, index = parts(c)
        return t.Index(place(meta), of, index)

    def _arith(self, meta: Meta, c: Children, op: t.ArithOp) -> t.Expr:
        left, right = parts(c)
        return t.Arith(place(meta), op, left, right)

    def add(self, meta: Meta, c: Children) -> t.Expr:
        return self._arith(meta, c, "+")

    def sub(self, meta: Meta, c: Children) -> t.Expr:
        return self._arith(meta, c, "-")

    def mul(self, meta: Meta, c: Children) -> t.Expr:
        return self._arith(meta, c, "*")

    def mod(self, meta: Meta, c: Children) -> t.Expr:
        return self._arith(meta, c, "mod")

    def div(self, meta: Meta, c: Children) -> t.Expr:
        return self._arith(meta, c, "div")

    def ratio(self, meta: Meta, c: Children) -> t.Expr:
        return self._arith(meta, c, "/")

    def neg(self, meta: Meta, c: Children) -> t.Expr:
        (of,) = parts(c)
        return t.Negate(place(meta), of)

    def compare(self, meta: Meta, c: Children) -> t.Expr:
        op = cast(t.CompareOp, str(c[1]))
        return t.Compare(place(meta), op, c[0], c[2])

    def equals(self, meta: Meta, c: Children) -> t.Expr:
        left, right = parts(c)
        return t.Compare(place(meta), "=", left, right)

    def multiple(self, meta: Meta, c: Children) -> t.Expr:
        left, right = parts(c)
        return t.MultipleOf(place(meta), left, right)

    def and_(self, meta: Meta, c: Children) -> t.Expr:
        left, right = parts(c)
        return t.And(place(meta), left, right)

    def or_(self, meta: Meta, c: Children) -> t.Expr:
        left, right = parts(c)
        return t.Or(place(meta), left, right)

    def or_and(self, meta: Meta, c: Children) -> t.Expr:
        first, second, third = parts(c)
        return t.Or(place(meta), first, t.And(span(second.at, third.at), second, third))

    def not_(self, meta: Meta, c: Children) -> t.Expr:
        (of,) = parts(c)
        return t.Not(place(meta), of)

    def if_(self, meta: Meta, c: Children) -> t.Expr:
        condition, then, otherwise = parts(c)
        return t.If(place(meta), condition, then, otherwise)

    def _quantified(self, meta: Meta, c: Children, kind: Quantifier) -> t.Expr:
        name, domain, where, body = parts(c)
        return t.Quantified(place(meta), kind, declared(name), domain, where, body)

    def some(self, meta: Meta, c: Children) -> t.Expr:
        return self._quantified(meta, c, "some")

    def every(self, meta: Meta, c: Children) -> t.Expr:
        return self._quantified(meta, c, "every")

    def none_(self, meta: Meta, c: Children) -> t.Expr:
        return self._quantified(meta, c, "none")

    def _aggregate(self, meta: Meta, c: Children, kind: Folding) -> t.Expr:
        value, name, domain, where = parts(c)
        return t.Aggregate(place(meta), kind, value, declared(name), domain, where)

    def sum_of(self, meta: Meta, c: Children) -> t.Expr:
        return self._aggregate(meta, c, "sum")

    def least_of(self, meta: Meta, c: Children) -> t.Expr:
        return self._aggregate(meta, c, "least")

    def greatest_of(self, meta: Meta, c: Children) -> t.Expr:
        return self._aggregate(meta, c, "greatest")

    def _collect(self, meta: Meta, c: Children, kind: Collecting) -> t.Expr:
        name, domain, where = parts(c)
        return t.Aggregate(place(meta), kind, None, declared(name), domain, where)

    def number_of(self, meta: Meta, c: Children) -> t.Expr:
        return self._collect(meta, c, "number")

    def the_first(self, meta: Meta, c: Children) -> t.Expr:
        return self._collect(meta, c, "first")

    def the_last(self, meta: Meta, c: Children) -> t.Expr:
        return self._collect(meta, c, "last")

    def all_of(self, meta: Meta, c: Children) -> t.Expr:
        return self._collect(meta, c, "all")

    def times(self, meta: Meta, c: Children) -> t.Expr:
        event, scope = parts(c)
        return t.Times(place(meta), event, scope)

    def member(self, meta: Meta, c: Children) -> t.Expr:
        of, domain = parts(c)
        return t.Member(place(meta), of, domain, False)

    def not_member(self, meta: Meta, c: Children) -> t.Expr:
        of, domain = parts(c)
        return t.Member(place(meta), of, domain, True)

    def exists(self, meta: Meta, c: Children) -> t.Expr:
        return t.Exists(place(meta), c[0], False)

    def not_exists(self, meta: Meta, c: Children) -> t.Expr:
        return t.Exists(place(meta), c[0], True)

    def _has(self, meta: Meta, c: Children, bound: Bound) -> t.Expr:
        of, count, what = parts(c)
        return t.Has(place(meta), of, int(count), str(what), bound)

    def has_exactly(self, meta: Meta, c: Children) -> t.Expr:
        return self._has(meta, c, "exactly")

    def has_at_least(self, meta: Meta, c: Children) -> t.Expr:
        return self._has(meta, c, "at least")

    def has_at_most(self, meta: Meta, c: Children) -> t.Expr:
        return self._has(meta, c, "at most")

    def happened(self, meta: Meta, c: Children) -> t.Expr:
        event, scope = parts(c)
        return t.Happened(place(meta), event, scope, False)

    def not_happened(self, meta: Meta, c: Children) -> t.Expr:
        event, scope = parts(c)
        return t.Happened(place(meta), event, scope, True)

    def this_life(self, meta: Meta, c: Children) -> t.Scope:
        (life,) = parts(c)
        return t.Scope(place(meta), str(life), None)

    def since(self, meta: Meta, c: Children) -> t.Scope:
        (event,) = parts(c)
        return t.Scope(place(meta), None, event)

    def broken(self, meta: Meta, c: Children) -> t.Expr:
        clause, scope = parts(c)
        return t.Broken(place(meta), clause, scope)

    def after(self, meta: Meta, c: Children) -> t.Expr:
        (of,) = parts(c)
        return t.After(place(meta), of)

    def table_of(self, meta: Meta, c: Children) -> t.Expr:
        of, *rows = parts(c)
        return t.Table(place(meta), of, tuple(rows))

    def table_row(self, meta: Meta, c: Children) -> tuple[t.Expr, t.Expr]:
        key, value = parts(c)
        return key, value

    def where(self, meta: Meta, c: Children) -> t.Expr:
        condition: t.Expr = parts(c)[0]
        return condition

    # ------------------------------------------------------------------------------------------------ domains
    def domain_type(self, meta: Meta, c: Children) -> t.Domain:
        return t.DomainType(place(meta), str(c[0]))

    def domain_value(self, meta: Meta, c: Children) -> t.Domain:
        value: t.Expr = c[0]
        return value

    def domain_range(self, meta: Meta, c: Children) -> t.Domain:
        low, high = parts(c)
        return t.DomainRange(place(meta), int(low), int(high))

    def domain_set(self, meta: Meta, c: Children) -> t.Domain:
        return t.DomainSet(place(meta), tuple(parts(c)))

    def element(self, meta: Meta, c: Children) -> t.Expr:
        value: t.Expr = c[0]
        return value

    def element_range(self, meta: Meta, c: Children) -> tuple[t.Expr, t.Expr]:
        low, high = parts(c)
        return low, high

    # ---------------------------------------------------------------------------------- arguments, references
    def args(self, meta: Meta, c: Children) -> tuple[t.Arg, ...]:
        return tuple(parts(c))

    def any(self, meta: Meta, c: Children) -> t.Arg:
        return t.Arg(place(meta), None)

    def arg(self, meta: Meta, c: Children) -> t.Arg:
        return t.Arg(place(meta), c[0])

    def arg_where(self, meta: Meta, c: Children) -> t.Arg:
        name, where = parts(c)
        return t.Arg(place(meta), t.Name(token_place(name), str(name)), where)

    def named_arg(self, meta: Meta, c: Children) -> t.Arg:
        name, value = parts(c)
        return t.Arg(place(meta), value, None, str(name))

    def named_any(self, meta: Meta, c: Children) -> t.Arg:
        (name,) = parts(c)
        return t.Arg(place(meta), None, None, str(name))

    def clause_ref(self, meta: Meta, c: Children) -> t.ClauseRef:
        address, label = [*parts(c), None][:2]
        return t.ClauseRef(place(meta), str(address), str(label)[1:-1] if label else None)

    def section_ref(self, meta: Meta, c: Children) -> t.ClauseRef:
        (address,) = parts(c)
        return t.ClauseRef(place(meta), str(address), None, True)

    # -------------------------------------------------------------------------------------------------- types
    def range_type(self, meta: Meta, c: Children) -> t.TypeExpr:
        low, high = parts(c)
        return t.RangeType(place(meta), int(low), int(high))

    def bool_type(self, meta: Meta, c: Children) -> t.TypeExpr:
        return t.PlainType(place(meta), "bool")

    def money_type(self, meta: Meta, c: Children) -> t.TypeExpr:
        return t.PlainType(place(meta), "money")

    def odds_type(self, meta: Meta, c: Children) -> t.TypeExpr:
        return t.PlainType(place(meta), "odds")

    def text_type(self, meta: Meta, c: Children) -> t.TypeExpr:
        return t.PlainType(place(meta), "text")

    def id_type(self, meta: Meta, c: Children) -> t.TypeExpr:
        (maximum,) = parts(c)
        return t.IdType(place(meta), int(maximum))

    def named_type(self, meta: Meta, c: Children) -> t.TypeExpr:
        return t.NamedType(place(meta), str(c[0]))

    def optional_type(self, meta: Meta, c: Children) -> t.TypeExpr:
        return t.NamedType(place(meta), str(c[0]), True)

    def list_type(self, meta: Meta, c: Children) -> t.TypeExpr:
        element, maximum = parts(c)
        return t.ListType(place(meta), str(element), int(maximum))

    def set_type(self, meta: Meta, c: Children) -> t.TypeExpr:
        (element,) = parts(c)
        return t.SetType(place(meta), str(element))

    def map_type(self, meta: Meta, c: Children) -> t.TypeExpr:
        key, value = parts(c)
        return t.MapType(place(meta), str(key), value)

    def choice_type(self, meta: Meta, c: Children) -> t.TypeExpr:
        return t.ChoiceType(place(meta), tuple(int(v) for v in parts(c)))
