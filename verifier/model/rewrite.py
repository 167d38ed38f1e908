"""Rewriting of terms: substitution for variables, and a map over every node."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from verifier.model import terms as m
from verifier.model.terms import Term, free_variables


def map_children(term: Term, f: Callable[[Term], Term]) -> Term:
    """`term` with `f` applied to each direct subterm, domains included."""

    def domain(d: m.Domain) -> m.Domain:
        match d:
            case m.OverValues(values=values):
                return replace(d, values=tuple(f(v) for v in values))
            case m.OverList(list=list_):
                return replace(d, list=f(list_))
            case m.OverEntity() | m.OverIds():
                return d

    match term:
        case m.Lit() | m.Var() | m.OptionGet() | m.BrokenT():
            return term
        case m.Get(key=key):
            return term if key is None else replace(term, key=f(key))
        case (
            m.Field(of=of)
            | m.Part(of=of)
            | m.NotT(of=of)
            | m.Present(of=of)
            | m.Force(of=of)
            | m.AfterT(of=of)
        ):
            return replace(term, of=f(of))
        case m.Length(list=list_):
            return replace(term, list=f(list_))
        case m.Make(parts=parts):
            return replace(term, parts=tuple(f(p) for p in parts))
        case m.CallF(args=args) | m.Decide(args=args):
            return replace(term, args=tuple(f(a) for a in args))
        case m.ArithT(left=left, right=right) | m.CompareT(left=left, right=right):
            return replace(term, left=f(left), right=f(right))
        case m.AndT(items=items) | m.OrT(items=items):
            return replace(term, items=tuple(f(i) for i in items))
        case m.Ite(condition=condition, then=then, otherwise=otherwise):
            return replace(term, condition=f(condition), then=f(then), otherwise=f(otherwise))
        case m.Quant(where=where, body=body):
            return replace(term, domain=domain(term.domain), where=f(where) if where else None, body=f(body))
        case m.Fold(where=where, body=value):
            return replace(
                term,
                domain=domain(term.domain),
                where=f(where) if where else None,
                body=f(value) if value else None,
            )
        case m.Pick(where=where):
            return replace(term, domain=domain(term.domain), where=f(where) if where else None)
        case m.At(list=list_, index=index):
            return replace(term, list=f(list_), index=f(index))
        case m.TableT(of=of, rows=rows):
            return replace(term, of=f(of), rows=tuple((k, f(v)) for k, v in rows))
        case m.Count(keys=keys):
            return replace(term, keys=tuple(f(k) for k in keys))


def substitute(term: Term, by: Mapping[str, Term]) -> Term:
    """`term` with free variables replaced by terms; a binder that would capture is renamed."""
    if not by:
        return term
    match term:
        case m.Var(name=name):
            return by.get(name, term)
        case m.Quant(var=var) | m.Fold(var=var) | m.Pick(var=var):
            taken = frozenset().union(*(free_variables(value) for value in by.values()))
            inner = {name: value for name, value in by.items() if name != var}
            if var in taken:
                element = term.domain.type
                fresh = var + "'"
                while fresh in taken or fresh in free_variables(term):
                    fresh += "'"
                inner[var] = m.Var(element, fresh)
                term = replace(term, var=fresh)
            outer = term.domain
            match outer:
                case m.OverValues(values=values):
                    outer = replace(outer, values=tuple(substitute(v, by) for v in values))
                case m.OverList(list=list_):
                    outer = replace(outer, list=substitute(list_, by))
                case m.OverEntity() | m.OverIds():
                    pass
            renamed = map_children(
                replace(term, domain=m.OverIds(outer.type)), lambda x: substitute(x, inner)
            )
            assert isinstance(renamed, m.Quant | m.Fold | m.Pick)
            return replace(renamed, domain=outer)
        case _:
            return map_children(term, lambda x: substitute(x, by))
