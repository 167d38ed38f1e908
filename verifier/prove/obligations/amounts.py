"""That conditions can be met by some amounts, said without them: where the comparisons that read an amount turn.

Whether there is a number that meets comparisons with other terms is settled by few of them: the least there is, each
that a comparison bounds it by from below, and what lies just above such a bound (virtual substitution: Loos and
Weispfenning, Applying linear quantifier elimination, The Computer Journal 36, 1993). Amounts are taken to lie densely,
so that more can be met than by whole ones, never less. Where a comparison reads what is ranged over there is a number
for each thing there. A part that cannot be read like that (it is of two amounts, or a remainder, or adds an amount up
for each of several things) is supposed to be as it helps, by each part of it on its own; or, where it is asked what
can *surely* be met, as it hinders, and what lies just above a bound is one more than it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Literal

from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.rewrite import map_children, substitute
from verifier.model.ruleset import Param
from verifier.model.terms import Term, free_variables
from verifier.model.types import BOOL, INT, Type
from verifier.prove.explore.pieces import called
from verifier.prove.obligations.apart import apart
from verifier.prove.obligations.units import FALSE, TRUE, all_of, both, either, no

MOST_POINTS = 24
"""So many choices of all amounts together are looked at; the amounts beyond are supposed to be as it helps."""

Binder = tuple[str, m.Domain]
"""A variable with what it ranges over."""


@dataclass(frozen=True, slots=True)
class Point:
    """A number: `of`, or what lies just above it. Without `of`: one below all others.

    Where a comparison reads what is ranged over there is a point for each thing there: some of `over`, of whom `of` is.
    """

    of: Term | None
    above: bool = False
    over: tuple[Binder, ...] = ()


@dataclass(frozen=True, slots=True)
class Turn:
    """A comparison as what it says of one variable: `name op of`."""

    name: str
    op: m.Comparison
    of: Term


class _Untold(Exception):  # noqa: N818 - travels up the term, no error
    """A part cannot be told at a point, and of it no way helps more than the other."""


Sure = Literal["perhaps", "as told", "surely"]
"""How sure it is that what is said can be met is so: `as told`, where it is false there is no way, and where it is true
there may be none; `perhaps`, so too, but no amount is looked at; `surely`, where it is true there is a way, and where
it is false there may be one."""


def met(program: Program, open_: Iterable[Param], items: Iterable[Term], sure: Sure = "as told") -> Term:
    """That all conditions are met for some values of the variables in `open_`, without these."""
    variables = {p.name: p.type for p in open_}
    conditions = list(dict.fromkeys(items))
    for name, type_ in () if sure == "perhaps" else variables.items():
        if any(name in free_variables(item) for item in conditions):
            conditions += within(m.Var(type_, name), sure == "surely")
    reading = [item for item in conditions if free_variables(item) & variables.keys()]
    rest = [item for item in conditions if not free_variables(item) & variables.keys()]
    if not reading:
        return both(*rest)
    choices: dict[str, list[Point]] = {}
    inside: set[str] = set()
    if sure != "perhaps":
        taken = frozenset[str]().union(*map(free_variables, reading))
        reading = [apart(program, item, variables, taken) for item in reading]
        many = 1
        for name, type_ in variables.items():
            every = _Look(program, variables, frozenset((name,)), sure)
            for look in (every, replace(every, inside=frozenset())):
                found = look.points(name, type_, reading)
                if found and many * len(found) <= MOST_POINTS:
                    choices[name] = found
                    inside |= look.inside
                    many *= len(found)
                    break
    look = _Look(program, variables, frozenset(inside), sure)
    ways: dict[Term, None] = {}
    for points in product(*choices.values()):
        here = _There(look, dict(zip(choices, points, strict=True)))
        ways[_somewhere(points, both(*(here.supposing(item, True, {}) for item in reading)))] = None
    return both(*rest, either(*ways))


def _somewhere(at: Sequence[Point], way: Term) -> Term:
    """A way at points, for some of what they range over."""
    for name, domain in reversed([binder for point in at for binder in point.over]):
        way = m.Quant(BOOL, "some", name, domain, None, way)
    return way


@dataclass(frozen=True, slots=True)
class _Look:
    """Conditions looked at for what they say of some variables.

    Of those `inside` also for what is said where something ranges over things, of each of these, and where they are
    counted, added up or chosen.
    """

    program: Program
    variables: Mapping[str, Type]
    inside: frozenset[str] = frozenset()
    sure: Sure = "as told"

    def points(self, name: str, type_: Type, items: Iterable[Term]) -> list[Point]:
        """The numbers that settle whether there is one; none where the variable is no number."""
        if not isinstance(type_, ty.MoneyT | ty.IntT):
            return []
        found = {Point(_least(type_)): None}
        for item in items:
            for turn, wanted, bound in self._turns(item, True, {}):
                for op in (turn.op, m.DENIED[turn.op]) if wanted is None else (_held(turn.op, wanted),):
                    if turn.name == name and op in ("=", ">=", ">", "!="):
                        found[self._one_more(_of_each(turn, op in (">", "!="), bound))] = None
        return list(found)

    def _one_more(self, point: Point) -> Point:
        """What lies just above a bound, as a number that there is where that is wanted."""
        if self.sure != "surely" or not point.above or point.of is None:
            return point
        return replace(point, of=m.ArithT(point.of.type, "+", point.of, m.Lit(INT, 1)), above=False)

    def _turns(
        self, term: Term, wanted: bool | None, bound: Mapping[str, m.Domain]
    ) -> Iterator[tuple[Turn, bool | None, Mapping[str, m.Domain]]]:
        """The comparisons that can be read as a bound of one variable, each with what it is wanted to be, None where
        that may be either, and with what ranges around it."""
        if not self.reads(term):
            return
        match term:
            case m.NotT(of=of):
                yield from self._turns(of, _other(wanted), bound)
            case m.AndT(items=items) | m.OrT(items=items):
                for item in items:
                    yield from self._turns(item, wanted, bound)
            case m.CallF():
                yield from self._turns(called(self.program, term), wanted, bound)
            case m.Quant(kind=kind, where=where, body=body) if self.ranges(term, bound):
                within = {**bound, term.var: term.domain}
                if where is not None:
                    yield from self._turns(where, wanted if kind == "some" else _other(wanted), within)
                yield from self._turns(body, wanted, within)
            case m.CompareT() if (turn := self.turn(term, wanted, bound)) is not None:
                yield turn, wanted, bound
            case m.CompareT(left=left, right=right):
                for inner in (*all_of(left), *all_of(right)):
                    if isinstance(inner, m.Fold | m.Pick) and inner.where and self.ranges(inner, bound):
                        yield from self._turns(inner.where, None, {**bound, inner.var: inner.domain})
            case _:
                return

    def reads(self, term: Term) -> bool:
        """Whether a term reads any of the variables."""
        return not free_variables(term).isdisjoint(self.variables)

    def ranges(self, ranging: m.Quant | m.Fold | m.Pick, bound: Mapping[str, m.Domain]) -> bool:
        """Whether what is ranged over is told without the variables, and is not called as something around it."""
        return ranging.var not in bound and not any(self.reads(x) for x in m.domain_terms(ranging.domain))

    def turn(self, term: m.CompareT, wanted: bool | None, bound: Mapping[str, m.Domain]) -> Turn | None:
        """What a comparison says of one variable, if it says that of one only."""
        read = free_variables(term) & self.variables.keys()
        if len(read) != 1:
            return None
        (name,) = read
        side, other, op = term.left, term.right, term.op
        if name in free_variables(other):
            side, other, op = other, side, m.TURNED[op]
        ranging = free_variables(term) & bound.keys()
        if name in free_variables(other) or ((ranging or wanted is None) and name not in self.inside):
            return None
        if any(free_variables(x) & bound.keys() for one in ranging for x in m.domain_terms(bound[one])):
            return None
        return _alone(side, op, other, name)


@dataclass(frozen=True, slots=True)
class _There:
    """Conditions at a point of each of some variables."""

    look: _Look
    at: Mapping[str, Point]
    # By identity, and kept as long: what is large stands in many places, and is one object in all.
    _made: dict[tuple[object, ...], tuple[Term, Mapping[str, m.Domain], Term]] = field(default_factory=dict)

    def supposing(self, term: Term, wanted: bool | None, bound: Mapping[str, m.Domain]) -> Term:
        """A condition there, with each part that cannot be told such that the whole is `wanted`, or is not where it is
        asked what is surely so.

        Raises `_Untold` where there is such a part and it is None that is wanted.
        """
        if not self.look.reads(term):
            return term
        key = (id(term), wanted, *((name, id(domain)) for name, domain in bound.items()))
        if key not in self._made:
            self._made[key] = term, bound, self._supposing(term, wanted, bound)
        return self._made[key][2]

    def _supposing(self, term: Term, wanted: bool | None, bound: Mapping[str, m.Domain]) -> Term:
        match term:
            case m.NotT(of=of):
                return no(self.supposing(of, _other(wanted), bound))
            case m.AndT(items=items):
                return both(*(self.supposing(item, wanted, bound) for item in items))
            case m.OrT(items=items):
                return either(*(self.supposing(item, wanted, bound) for item in items))
            case m.CallF():
                return self.supposing(called(self.look.program, term), wanted, bound)
            case m.Quant(kind=kind, where=where, body=body) if self.look.ranges(term, bound):
                within = {**bound, term.var: term.domain}
                met_by = wanted if kind == "some" else _other(wanted)
                inner = None if where is None else self.supposing(where, met_by, within)
                return replace(term, where=inner, body=self.supposing(body, wanted, within))
            case m.CompareT() if (
                turn := self.look.turn(term, wanted, bound)
            ) is not None and turn.name in self.at:
                return _at(turn, self.at[turn.name])
            case m.CompareT(left=left, right=right):
                try:
                    return replace(term, left=self._told(left, bound), right=self._told(right, bound))
                except _Untold:
                    if wanted is None:
                        raise
            case _ if wanted is None:
                raise _Untold
            case _:
                pass
        return m.Lit(BOOL, wanted is (self.look.sure != "surely"))

    def _told(self, term: Term, bound: Mapping[str, m.Domain]) -> Term:
        """What is counted, added up or chosen there."""
        if not self.look.reads(term):
            return term
        match term:
            case m.ArithT():
                return map_children(term, lambda child: self._told(child, bound))
            case m.Fold() | m.Pick() if term.where is not None and self.look.ranges(term, bound):
                where = self.supposing(term.where, None, {**bound, term.var: term.domain})
                found = replace(term, where=where)
                if not self.look.reads(found):
                    return found
                raise _Untold
            case _:
                raise _Untold


def _other(wanted: bool | None) -> bool | None:
    return None if wanted is None else not wanted


def _held(op: m.Comparison, wanted: bool) -> m.Comparison:
    return op if wanted else m.DENIED[op]


def _of_each(turn: Turn, above: bool, bound: Mapping[str, m.Domain]) -> Point:
    """The number that a comparison turns at, where it reads what is ranged over one for each thing there."""
    read = [name for name in bound if name in free_variables(turn.of)]
    by = {name: m.Var(bound[name].type, f"{name} of {turn.name}") for name in read}
    over = tuple((by[name].name, bound[name]) for name in read)
    return Point(substitute(turn.of, by), above, over)


def within(variable: m.Var, whole: bool) -> Iterator[Term]:
    """That a number is not below the least of its type; nor, where the `whole` range counts, above its greatest."""
    if (low := _least(variable.type)) is not None:
        yield m.CompareT(BOOL, ">=", variable, low)
    match variable.type:
        case ty.IntT(high=int(high)) if whole:
            yield m.CompareT(BOOL, "<=", variable, m.Lit(variable.type, high))
        case _:
            pass


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
