"""Between which numbers a term lies, read off types and conditions alone: what need not be asked of a solver.

What stands in the state, in an event and in a variable is taken to keep its type; a define or a decision with a
declared range is taken to keep that, which is an obligation of its own. It holds whatever the scope.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import prod

from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.rewrite import substitute
from verifier.model.terms import Term, free_variables
from verifier.model.types import Type

Number = int | Fraction


@dataclass(frozen=True, slots=True)
class Bounds:
    """A least and a greatest value, both included; None where there is no telling."""

    low: Number | None = None
    high: Number | None = None

    def within(self, other: Bounds) -> bool:
        """Whether whatever lies between these lies between the others."""
        low = other.low is None or (self.low is not None and self.low >= other.low)
        return low and (other.high is None or (self.high is not None and self.high <= other.high))

    def and_(self, other: Bounds) -> Bounds:
        """What lies between both."""
        lows = [low for low in (self.low, other.low) if low is not None]
        highs = [high for high in (self.high, other.high) if high is not None]
        return Bounds(max(lows, default=None), min(highs, default=None))


OPEN = Bounds()


def of_type(type_: Type) -> Bounds:
    """What a value of the type lies between: odds are 0 or more, amounts anything."""
    match type_:
        case ty.IntT(low=low, high=high):
            return Bounds(low, high)
        case ty.OddsT():
            return Bounds(0, None)
        case ty.OptT(of=of):
            return of_type(of)
        case _:
            return OPEN


def _unsigned(type_: Type) -> Bounds:
    """What a value of the type lies between where amounts are 0 or more."""
    match type_:
        case ty.MoneyT():
            return Bounds(0, None)
        case ty.OptT(of=of):
            return _unsigned(of)
        case _:
            return of_type(type_)


@dataclass(slots=True)
class Measure:
    """Bounds of a program's terms. `given` are those of terms that a condition speaks of, `signed` the places whose
    amounts may be below 0 (`verifier.prove.signed`): where it is None, all."""

    program: Program
    given: Mapping[Term, Bounds] = field(default_factory=dict)
    signed: frozenset[str] | None = None
    _functions: dict[str, Bounds] = field(default_factory=dict)
    _open: set[str] = field(default_factory=set)

    def _unsigned(self, path: str) -> bool:
        return self.signed is not None and path not in self.signed

    def where(self, *conditions: Term) -> Measure:
        """A measure for where these conditions hold."""
        found = dict(self.given)
        for condition in conditions:
            for term, bounds in _told(condition):
                found[term] = found.get(term, OPEN).and_(bounds)
        return replace(self, given=found, _functions=self._functions, _open=set())

    def of(self, term: Term) -> Bounds:
        """What `term`, a number or an optional one, lies between wherever it is defined and not absent."""
        found = self._of(term)
        return found.and_(self.given[term]) if term in self.given else found

    def _of(self, term: Term) -> Bounds:
        match term:
            case m.Lit(value=value):
                return Bounds(value, value) if _number(value) else OPEN  # type: ignore[arg-type]
            case m.Get(type=type_, name=path) if self._unsigned(path):
                return _unsigned(type_)
            case m.Field(type=type_, entity=entity, name=name) if self._unsigned(f"{entity}.{name}"):
                return _unsigned(type_)
            case m.Var(type=type_) | m.Get(type=type_) | m.Field(type=type_) | m.At(type=type_):
                return of_type(type_)
            case m.Part(type=type_, of=of, index=index):
                part = self.part(of, index)
                return of_type(type_) if part is None else self.of(part)
            case m.CallF(type=type_, function=name):
                declared = of_type(type_)
                return declared if isinstance(type_, ty.IntT) and declared != OPEN else self._function(name)
            case m.Decide(type=type_, decision=name):
                return of_type(type_) if isinstance(type_, ty.IntT) else self._decision(name)
            case m.OptionGet(type=type_, name=name):
                values = self.program.ruleset.options[name].values
                return of_type(type_) if values is None else _hull(self.of(m.Lit(type_, v)) for v in values)
            case m.ArithT(op=op, left=left, right=right):
                return _arithmetic(op, self.of(left), self.of(right))
            case m.Ite(then=then, otherwise=otherwise):
                return _hull((self.of(then), self.of(otherwise)))
            case m.Fold():
                return self._fold(term)
            case m.Pick(domain=domain):
                return self._element(domain)
            case m.Length(list=list_):
                return Bounds(0, list_.type.maximum if isinstance(list_.type, ty.ListT) else None)
            case m.Force(of=of) | m.AfterT(of=of):
                return self.of(of)
            case m.TableT(rows=rows):
                return _hull(self.of(value) for _, value in rows)
            case m.Count():
                return Bounds(0, None)
            case _:
                return OPEN

    def part(self, of: Term, index: int) -> Term | None:
        """The term that makes a part of a record or of a reference, where it is written out."""
        match of:
            case m.Make(parts=parts):
                return parts[index]
            case m.Lit(type=(ty.RecordT(fields=parts) | ty.EntityT(keys=parts)), value=tuple() as whole):
                return m.Lit(parts[index][1], whole[index])
            case m.Force(of=inner) | m.AfterT(of=inner):
                return self.part(inner, index)
            case m.Ite(condition=condition, then=then, otherwise=otherwise):
                one, other = self.part(then, index), self.part(otherwise, index)
                return None if one is None or other is None else m.Ite(one.type, condition, one, other)
            case m.CallF(function=name, args=args):
                function = self.program.functions[name]
                by = {p.name: a for p, a in zip(function.params, args, strict=True)}
                return self.part(substitute(function.body, by), index)
            case _:
                return None

    def _function(self, name: str) -> Bounds:
        if name not in self._functions:
            self._functions[name] = replace(self, given={}).of(self.program.functions[name].body)
        return self._functions[name]

    def _decision(self, name: str) -> Bounds:
        if name in self._open:
            return OPEN
        self._open.add(name)
        found = _hull(self.of(case.value) for case in self.program.decisions[name].cases)
        self._open.discard(name)
        return found

    def _fold(self, term: m.Fold) -> Bounds:
        most = self._size(term)
        match term.kind:
            case "number":
                return Bounds(0, most)
            case "least" | "greatest":
                return OPEN if term.body is None else self.of(term.body)
            case "sum":
                assert term.body is not None
                each = self.of(term.body)
                low = 0 if each.low is not None and each.low >= 0 else _times(each.low, most)
                high = 0 if each.high is not None and each.high <= 0 else _times(each.high, most)
                return Bounds(low, high)

    def _size(self, term: m.Fold) -> int | None:
        """How many elements a fold takes at most: of entities, one for each key that its `where` leaves open."""
        match term.domain:
            case m.OverValues(values=values):
                return len(values)
            case m.OverList(list=list_):
                return list_.type.maximum if isinstance(list_.type, ty.ListT) else None
            case m.OverEntity(type=type_):
                assert isinstance(type_, ty.EntityT)
                pinned = set() if term.where is None else set(_pinned(term.where, term.var))
                sizes = [ty.count_values(part) for i, (_, part) in enumerate(type_.keys) if i not in pinned]
                return None if None in sizes else prod(size for size in sizes if size is not None)
            case m.OverIds():
                return None

    def _element(self, domain: m.Domain) -> Bounds:
        match domain:
            case m.OverValues(values=values):
                return _hull(self.of(value) for value in values)
            case m.OverList() | m.OverEntity() | m.OverIds():
                return of_type(domain.type)


def _pinned(condition: Term, var: str) -> Iterable[int]:
    """The parts of the key of `var` that a condition sets equal to something else."""
    match condition:
        case m.AndT(items=items):
            return [index for item in items for index in _pinned(item, var)]
        case m.CompareT(op="=", left=m.Part(of=m.Var(name=name), index=index), right=other) if name == var:
            return [] if var in free_variables(other) else [index]
        case _:
            return []


def _told(condition: Term) -> Iterable[tuple[Term, Bounds]]:
    """What a condition says of how great terms are, where it compares them with constants."""
    match condition:
        case m.AndT(items=items):
            return [told for item in items for told in _told(item)]
        case m.CompareT(op=op, left=left, right=m.Lit(value=value)) if _number(value):
            return _compared(left, op, value)  # type: ignore[arg-type]
        case m.CompareT(op=op, left=m.Lit(value=value), right=right) if _number(value):
            return _compared(right, m.TURNED[op], value)  # type: ignore[arg-type]
        case _:
            return []


def _compared(term: Term, op: str, value: Number) -> Iterable[tuple[Term, Bounds]]:
    whole = isinstance(term.type, ty.IntT)
    match op:
        case "=":
            found = Bounds(value, value)
        case "<=" | "<":
            found = Bounds(None, value - 1 if op == "<" and whole else value)
        case ">=" | ">":
            found = Bounds(value + 1 if op == ">" and whole else value, None)
        case _:
            return []
    inner = term.of if isinstance(term, m.Force) else term
    return [(term, found), (inner, found)] if inner != term else [(term, found)]


def _number(value: object) -> bool:
    return isinstance(value, int | Fraction) and not isinstance(value, bool)


def _times(bound: Number | None, size: int | None) -> Number | None:
    return None if bound is None or size is None else bound * size


def _hull(several: Iterable[Bounds]) -> Bounds:
    """What lies between any of them."""
    found = list(several)
    if not found:
        return OPEN
    lows = [b.low for b in found]
    highs = [b.high for b in found]
    return Bounds(
        None if None in lows else min(low for low in lows if low is not None),
        None if None in highs else max(high for high in highs if high is not None),
    )


def _arithmetic(op: str, left: Bounds, right: Bounds) -> Bounds:
    match op:
        case "+":
            return Bounds(_sum(left.low, right.low), _sum(left.high, right.high))
        case "-":
            return Bounds(_difference(left.low, right.high), _difference(left.high, right.low))
        case "*":
            return _product(left, right)
        case "mod":
            least = right.low
            if least is None or least <= 0:
                return OPEN
            return Bounds(0, right.high)
        case "/" | "div":
            if right.low is None or right.low < 1:
                return OPEN
            return Bounds(
                None if left.low is None else min(left.low, 0),
                None if left.high is None else max(left.high, 0),
            )
        case _:
            raise AssertionError(op)


def _sum(a: Number | None, b: Number | None) -> Number | None:
    return None if a is None or b is None else a + b


def _difference(a: Number | None, b: Number | None) -> Number | None:
    return None if a is None or b is None else a - b


def _product(left: Bounds, right: Bounds) -> Bounds:
    if left.low is not None and right.low is not None and left.low >= 0 and right.low >= 0:
        high = None if left.high is None or right.high is None else left.high * right.high
        return Bounds(left.low * right.low, high)
    ends = [left.low, left.high, right.low, right.high]
    if None in ends:
        return OPEN
    corners = [
        a * b
        for a in (left.low, left.high)
        for b in (right.low, right.high)
        if a is not None and b is not None
    ]
    return Bounds(min(corners), max(corners))
