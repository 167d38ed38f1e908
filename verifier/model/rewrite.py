"""Rewriting of terms: substitution for variables, and a map over every node."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from operator import is_

from verifier.model import terms as m
from verifier.model.terms import Term, free_variables


def map_children(term: Term, f: Callable[[Term], Term]) -> Term:
    """`term` with `f` applied to each direct subterm, domains included; itself where `f` leaves all as it is."""

    def domain(d: m.Domain) -> m.Domain:
        match d:
            case m.OverValues(values=values):
                made = each(values)
                return d if made is values else replace(d, values=made)
            case m.OverList(list=list_):
                inner = f(list_)
                return d if inner is list_ else replace(d, list=inner)
            case m.OverEntity() | m.OverIds():
                return d

    def each(terms: tuple[Term, ...]) -> tuple[Term, ...]:
        made = tuple([f(t) for t in terms])
        return terms if all(map(is_, made, terms)) else made

    def maybe(inner: Term | None) -> Term | None:
        return None if inner is None else f(inner)

    match term:
        case m.Lit() | m.Var() | m.OptionGet() | m.BrokenT():
            return term
        case m.Get(key=key):
            return _with(term, key=maybe(key))
        case (
            m.Field(of=of)
            | m.Part(of=of)
            | m.NotT(of=of)
            | m.Present(of=of)
            | m.Force(of=of)
            | m.AfterT(of=of)
        ):
            return _with(term, of=f(of))
        case m.Length(list=list_):
            return _with(term, list=f(list_))
        case m.Make(parts=parts):
            return _with(term, parts=each(parts))
        case m.CallF(args=args) | m.Decide(args=args):
            return _with(term, args=each(args))
        case m.ArithT(left=left, right=right) | m.CompareT(left=left, right=right):
            return _with(term, left=f(left), right=f(right))
        case m.AndT(items=items) | m.OrT(items=items):
            return _with(term, items=each(items))
        case m.Ite(condition=condition, then=then, otherwise=otherwise):
            return _with(term, condition=f(condition), then=f(then), otherwise=f(otherwise))
        case m.Quant(where=where, body=body):
            return _with(term, domain=domain(term.domain), where=maybe(where), body=f(body))
        case m.Fold(where=where, body=value):
            return _with(term, domain=domain(term.domain), where=maybe(where), body=maybe(value))
        case m.Pick(where=where):
            return _with(term, domain=domain(term.domain), where=maybe(where))
        case m.At(list=list_, index=index):
            return _with(term, list=f(list_), index=f(index))
        case m.TableT(of=of, rows=rows):
            values = tuple(v for _, v in rows)
            made = each(values)
            same = made is values
            return _with(
                term,
                of=f(of),
                rows=rows if same else tuple((k, v) for (k, _), v in zip(rows, made, strict=True)),
            )
        case m.Count(keys=keys):
            return _with(term, keys=each(keys))


def _with(term: Term, **parts: object) -> Term:
    """`term` with other parts, itself where they are the same: what is shared stays shared."""
    if all(getattr(term, name) is part for name, part in parts.items()):
        return term
    return replace(term, **parts)  # type: ignore[arg-type]


class Alike:
    """Terms with one object for all that are equal: what is made of a term once need not be made of its double."""

    def __init__(self) -> None:
        self._first: dict[Term, Term] = {}
        # By identity, and kept as long: to compare large terms that are not alike inside takes long.
        self._of: dict[int, tuple[Term, Term]] = {}

    def of(self, term: Term) -> Term:
        """The first term met that is equal to this one, as are all terms inside it."""
        kept = self._of.get(id(term))
        if kept is None:
            made = map_children(term, self.of)
            first = self._first.setdefault(made, made)
            kept = self._of[id(term)] = term, first
        return kept[1]


def substitute(term: Term, by: Mapping[str, Term]) -> Term:
    """`term` with free variables replaced by terms; a binder that would capture is renamed."""
    return _Substituted(by).of(term)


class _Substituted:
    """Terms with variables replaced; what is one object in several of them still is."""

    def __init__(self, by: Mapping[str, Term]) -> None:
        self.by = by
        self._of: dict[int, Term] = {}

    def of(self, term: Term) -> Term:
        if free_variables(term).isdisjoint(self.by):
            return term
        if id(term) not in self._of:
            self._of[id(term)] = self._made(term)
        return self._of[id(term)]

    def _made(self, term: Term) -> Term:
        match term:
            case m.Var(name=name):
                return self.by.get(name, term)
            case m.Quant() | m.Fold() | m.Pick():
                return self._ranging(term)
            case _:
                return map_children(term, self.of)

    def _ranging(self, term: m.Quant | m.Fold | m.Pick) -> Term:
        var, inner = term.var, self.by
        taken = frozenset[str]().union(*(free_variables(value) for value in inner.values()))
        if var in inner:
            inner = {name: value for name, value in inner.items() if name != var}
        fresh = var
        if var in taken:
            while fresh in taken or fresh in free_variables(term):
                fresh += "'"
            inner = {**inner, var: m.Var(term.domain.type, fresh)}
        outer = term.domain
        match outer:
            case m.OverValues(values=values):
                outer = replace(outer, values=tuple(map(self.of, values)))
            case m.OverList(list=list_):
                outer = replace(outer, list=self.of(list_))
            case m.OverEntity() | m.OverIds():
                pass
        inside = self.of if inner is self.by else _Substituted(inner).of
        renamed = map_children(replace(term, var=fresh, domain=m.OverIds(outer.type)), inside)
        assert isinstance(renamed, m.Quant | m.Fold | m.Pick)
        return replace(renamed, domain=outer)
