"""That conditions can be met by some amounts, said without them: where the comparisons that read an amount turn.

Whether there is a number that meets comparisons with other terms is settled by few of them: the least there is, each
that a comparison bounds it by from below, and what lies just above such a bound (virtual substitution: Loos and
Weispfenning, Applying linear quantifier elimination, The Computer Journal 36, 1993). Amounts are taken to lie densely,
so that more can be met than by whole ones, never less. A part that cannot be read like that (it is of two amounts, or
of a bound variable, or a remainder) is supposed to be as it helps, by each part of it on its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.ruleset import Param
from verifier.model.terms import Term, free_variables
from verifier.model.types import BOOL, Type
from verifier.prove.explore.pieces import called
from verifier.prove.obligations.units import FALSE, TRUE, both, either, no

MOST_POINTS = 24
"""So many choices of all amounts together are looked at; the amounts beyond are supposed to be as it helps."""


@dataclass(frozen=True, slots=True)
class Point:
    """A number: `of`, or what lies just above it. Without `of`: one below all others."""

    of: Term | None
    above: bool = False


@dataclass(frozen=True, slots=True)
class Turn:
    """A comparison as what it says of one variable: `name op of`."""

    name: str
    op: m.Comparison
    of: Term


def met(program: Program, open_: Iterable[Param], items: Iterable[Term], perhaps: bool = False) -> Term:
    """That all conditions are met for some values of the variables in `open_`, without these.

    Where it is false there are no such values; where it is true there may be none. `perhaps`: no amount is looked at.
    """
    variables = {p.name: p.type for p in open_}
    conditions = list(dict.fromkeys(items))
    for name, type_ in () if perhaps else variables.items():
        if any(name in free_variables(item) for item in conditions) and (low := _least(type_)) is not None:
            conditions.append(m.CompareT(BOOL, ">=", m.Var(type_, name), low))
    reading = [item for item in conditions if free_variables(item) & variables.keys()]
    rest = [item for item in conditions if not free_variables(item) & variables.keys()]
    if not reading:
        return both(*rest)
    look = _Look(program, variables)
    choices: dict[str, list[Point]] = {}
    many = 1
    for name, type_ in variables.items():
        found = [] if perhaps else look.points(name, type_, reading)
        if found and many * len(found) <= MOST_POINTS:
            choices[name] = found
            many *= len(found)
    ways = (
        both(*(look.supposing(item, True, dict(zip(choices, at, strict=True))) for item in reading))
        for at in product(*choices.values())
    )
    return both(*rest, either(*dict.fromkeys(ways)))


@dataclass(frozen=True, slots=True)
class _Look:
    """Conditions looked at for what they say of some variables."""

    program: Program
    variables: Mapping[str, Type]

    def points(self, name: str, type_: Type, items: Iterable[Term]) -> list[Point]:
        """The numbers that settle whether there is one; none where the variable is no number."""
        if not isinstance(type_, ty.MoneyT | ty.IntT):
            return []
        found = {Point(_least(type_)): None}
        for item in items:
            for turn, wanted in self._turns(item, True, frozenset()):
                op = turn.op if wanted else m.DENIED[turn.op]
                if turn.name == name and op in ("=", ">=", ">", "!="):
                    found[Point(turn.of, op in (">", "!="))] = None
        return list(found)

    def _turns(self, term: Term, wanted: bool, bound: frozenset[str]) -> Iterator[tuple[Turn, bool]]:
        """The comparisons that can be read as a bound of one variable, each with what it is wanted to be."""
        if not self._reads(term):
            return
        match term:
            case m.NotT(of=of):
                yield from self._turns(of, not wanted, bound)
            case m.AndT(items=items) | m.OrT(items=items):
                for item in items:
                    yield from self._turns(item, wanted, bound)
            case m.CallF():
                yield from self._turns(called(self.program, term), wanted, bound)
            case m.Quant(kind=kind, var=var, where=where, body=body) if self._ranges(term):
                inside = bound | {var}
                if where is not None:
                    yield from self._turns(where, wanted is (kind == "some"), inside)
                yield from self._turns(body, wanted, inside)
            case m.CompareT() if (turn := self._turn(term, bound)) is not None:
                yield turn, wanted
            case _:
                return

    def supposing(
        self, term: Term, wanted: bool, at: Mapping[str, Point], bound: frozenset[str] = frozenset()
    ) -> Term:
        """A condition at points, with each part that cannot be told there such that the whole is `wanted`."""
        if not self._reads(term):
            return term
        match term:
            case m.NotT(of=of):
                return no(self.supposing(of, not wanted, at, bound))
            case m.AndT(items=items):
                return both(*(self.supposing(item, wanted, at, bound) for item in items))
            case m.OrT(items=items):
                return either(*(self.supposing(item, wanted, at, bound) for item in items))
            case m.CallF():
                return self.supposing(called(self.program, term), wanted, at, bound)
            case m.Quant(kind=kind, var=var, domain=over, where=where, body=body) if self._ranges(term):
                inside = bound | {var}
                inner = (
                    None if where is None else self.supposing(where, wanted is (kind == "some"), at, inside)
                )
                return m.Quant(BOOL, kind, var, over, inner, self.supposing(body, wanted, at, inside))
            case m.CompareT() if (turn := self._turn(term, bound)) is not None and turn.name in at:
                return _at(turn, at[turn.name])
            case _:
                return m.Lit(BOOL, wanted)

    def _reads(self, term: Term) -> bool:
        return not free_variables(term).isdisjoint(self.variables)

    def _ranges(self, quantified: m.Quant) -> bool:
        """Whether what is ranged over is told without the variables."""
        return not any(self._reads(x) for x in m.domain_terms(quantified.domain))

    def _turn(self, term: m.CompareT, bound: frozenset[str]) -> Turn | None:
        read = free_variables(term) & self.variables.keys()
        if len(read) != 1:
            return None
        (name,) = read
        side, other, op = term.left, term.right, term.op
        if name in free_variables(other):
            side, other, op = other, side, m.TURNED[op]
        if name in free_variables(other) or free_variables(term) & bound:
            return None
        return _alone(side, op, other, name)


def _least(type_: Type) -> Term | None:
    """The least number of the type, where there is one: no log has money below 0."""
    match type_:
        case ty.MoneyT():
            return m.Lit(type_, 0)
        case ty.IntT(low=int(low)):
            return m.Lit(type_, low)
        case _:
            return None


def _alone(side: Term, op: m.Comparison, other: Term, name: str) -> Turn | None:
    """`side op other` as what it says of the variable, which stands once in `side`; None where that is not plain."""
    match side:
        case m.Var(name=found) if found == name:
            return Turn(name, op, other)
        case m.ArithT(op="+", left=left, right=right):
            inside, rest = (left, right) if name in free_variables(left) else (right, left)
            if name in free_variables(rest):
                return None
            return _alone(inside, op, m.ArithT(other.type, "-", other, rest), name)
        case m.ArithT(op="-", left=left, right=right) if name not in free_variables(right):
            return _alone(left, op, m.ArithT(other.type, "+", other, right), name)
        case m.ArithT(op="-", left=left, right=right) if name not in free_variables(left):
            return _alone(right, m.TURNED[op], m.ArithT(left.type, "-", left, other), name)
        case _:
            return None


def _at(turn: Turn, point: Point) -> Term:
    """What a comparison is at a point."""
    if point.of is None:
        return TRUE if turn.op in ("<", "<=", "!=") else FALSE
    if not point.above:
        return m.CompareT(BOOL, turn.op, point.of, turn.of)
    match turn.op:
        case "=":
            return FALSE
        case "!=":
            return TRUE
        case "<" | "<=":
            return m.CompareT(BOOL, "<", point.of, turn.of)
        case ">" | ">=":
            return m.CompareT(BOOL, ">=", point.of, turn.of)
