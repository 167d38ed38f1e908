"""Which values of a range a scope must have, for all that is said of any to be so of one and otherwise of another.

Things are kept by pegs 1 to 30, and a scope has pegs 1 and 5. *No heavy thing hangs where three times the peg is below
30* is then a law of every peg there is, and peg 10 is met by nobody. Of the values that nothing said tells apart two
are enough, the lowest and the highest; where what is said reckons with a value and something else, each may tell.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain
from typing import Any

from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.rewrite import substitute
from verifier.model.ruleset import Append, Each, FieldTarget, StateTarget, Update, Write
from verifier.model.terms import Term, children
from verifier.model.types import BOOL, Type
from verifier.prove.extent import terms_of
from verifier.prove.question import Question
from verifier.prove.reached import called_by
from verifier.prove.scope import Scope, scope_of
from verifier.prove.transitions import read_by

VALUE = "the value"
"""The variable that stands for a value of the range in what is said of it alone."""

MOST_KEPT = 4
"""What was found of so many programs is kept."""

Values = tuple[object, ...]


def telling(program: Program, base: Scope) -> Scope:
    """The scope with those values of its ranges besides that the program tells apart from all that it has: itself
    where it has enough."""
    kept = next((found for known, found in _KEPT if known is program), None)
    if kept is None:
        updates = chain.from_iterable(program.ruleset.mechanics.values())
        kept = _classes(program, terms_of(program), tuple(updates))
        _KEPT.insert(0, (program, kept))
        del _KEPT[MOST_KEPT:]
    return _with(program, base, kept)


def telling_of(program: Program, bases: Sequence[Scope], question: Question) -> Scope:
    """The first of some scopes with those values of its ranges that a question tells apart from all that any of them
    has; itself where one of them has enough. What an event does is asked with the question, if it has one."""
    terms = [question.condition, *(nothing.condition for nothing in question.none)]
    updates: tuple[Update, ...] = ()
    if question.event is not None:
        event = question.event
        terms += program.ruleset.events[event].needs
        updates = program.ruleset.mechanics.get(event, ())
        terms += chain.from_iterable(map(read_by, updates))
    classes = _classes(program, with_called(program, terms), updates)
    enough = any(_with(program, base, classes) is base for base in bases)
    return bases[0] if enough else _with(program, bases[0], classes)


def with_called(program: Program, terms: Iterable[Term]) -> list[Term]:
    """The terms, and the bodies of the functions and decisions that they call."""
    found, rest, called = list(terms), list(terms), set[str]()
    while rest:
        term = rest.pop()
        rest += children(term)
        bodies = called_by(program, term, called)
        found += bodies
        rest += bodies
    return found


def _with(program: Program, base: Scope, classes: Mapping[str, list[Values]]) -> Scope:
    more = {
        name: tuple(sorted({*base.narrowed[name], *lacking}))
        for name, several in classes.items()
        if name in base.narrowed and (lacking := _lacking(base.narrowed[name], several))
    }
    if not more:
        return base
    return scope_of(program, base.ids, {**base.narrowed, **more}, base.slots, money_parts=base.money_parts)


def _lacking(has: Sequence[object], classes: Sequence[Values]) -> list[Any]:
    """Two of each class of which there is none, and nothing where there is one of each."""
    if all(set(has) & set(values) for values in classes):
        return []
    return [value for values in classes for value in (values[0], values[-1])]


def _classes(program: Program, terms: Sequence[Term], updates: Sequence[Update]) -> dict[str, list[Values]]:
    """By range, its values in classes, no two of one of which are told apart."""
    found: dict[str, list[Values]] = {}
    for name, type_ in program.ruleset.types.items():
        values = ty.finite_values(type_) if isinstance(type_, ty.IntT) else None
        if values is None:
            continue
        said = _Said(program, name)
        for term in terms:
            said.take(term)
        for update in updates:
            said.kept_elsewhere(update)
        found[name] = said.classes(values)
    return found


@dataclass(slots=True)
class _Said:
    """What is said of the values of one range: `alone` of one value and nothing else, `whole` where something is
    reckoned of a value and of something else, so that each value may make a difference."""

    program: Program
    name: str
    alone: dict[Term, None] = field(default_factory=dict)
    whole: bool = False
    _seen: set[int] = field(default_factory=set)
    _held: list[Term] = field(default_factory=list)

    def classes(self, values: Sequence[object]) -> list[Values]:
        if not self.whole:
            found: dict[tuple[object, ...], list[object]] = {}
            try:
                for value in values:
                    found.setdefault(tuple(_worked_out(term, value) for term in self.alone), []).append(value)
            except _CannotTellError:
                self.whole = True
            else:
                return [tuple(several) for several in found.values()]
        return [(value,) for value in values]

    def take(self, term: Term) -> None:
        """Take up what a term says, with all its parts; functions are taken up by themselves."""
        rest = [term]
        while rest:
            part = rest.pop()
            if id(part) in self._seen:
                continue
            self._seen.add(id(part))
            self._held.append(part)
            rest += self._parts(part)

    def kept_elsewhere(self, update: Update) -> None:
        """Where a value is written to what is no such range it is one number among others from then on."""
        match update:
            case Each(update=inner):
                self.kept_elsewhere(inner)
            case Write(target=target, value=value) | Append(target=target, value=value):
                held = _type_of(self.program, target)
                if self._is(value.type) and not self._is(held):
                    self.whole = True
                self._given(held, value)
                if isinstance(target, StateTarget) and target.key is not None:
                    self._given(_key_of(self.program, target.name), target.key)
            case _:
                return

    def _is(self, type_: Type) -> bool:
        while isinstance(type_, ty.OptT | ty.ListT | ty.SetT):
            type_ = type_.of
        return isinstance(type_, ty.IntT) and str(type_) == self.name

    def _bare(self, term: Term) -> bool:
        """Whether a term is a value of the range, and nothing reckoned of one."""
        return self._is(term.type) and not isinstance(term, m.ArithT)

    def _parts(self, term: Term) -> Sequence[Term]:
        """The parts of a term that are to be taken up by themselves."""
        if (said := self._of_one(term)) is not None:
            self.alone[said[0]] = None
            return children(said[1])
        match term:
            case m.Lit(type=ty.EntityT(keys=keys) | ty.RecordT(fields=keys), value=tuple() as given):
                return [m.Lit(type_, part) for (_, type_), part in zip(keys, given, strict=True)]
            case m.Lit(type=type_, value=int()) if self._is(type_):
                self._one_of(term)
            case m.CompareT(left=left, right=right):
                self.whole |= self._bare(left) != self._bare(right)
            case m.ArithT() | m.TableT():
                self.whole |= any(map(self._bare, children(term)))
            case m.Quant(domain=m.OverValues(type=type_, values=values)) if self._is(type_):
                self._one_of(*values)
                return [part for part in children(term) if part not in values]
            case m.Fold(domain=domain, kind=kind, body=body):
                self.whole |= kind == "sum" and body is not None and self._bare(body)
                if isinstance(domain, m.OverValues) and self._is(domain.type):
                    self._one_of(*domain.values)
                    return [part for part in children(term) if part not in domain.values]
            case m.At(index=index):
                self.whole |= self._bare(index)
            case m.Make(type=ty.EntityT(keys=keys) | ty.RecordT(fields=keys), parts=parts):
                for (_, type_), part in zip(keys, parts, strict=True):
                    self.whole |= self._bare(part) and not self._is(type_)
                    self._given(type_, part)
            case m.Get(name=name, key=key) if key is not None:
                self._given(_key_of(self.program, name), key)
            case m.Count(latch=latch, keys=keys):
                counter = self.program.ruleset.latches[latch]
                params = self.program.ruleset.events[counter.event].params
                for position, key in zip(counter.keys, keys, strict=True):
                    self._given(params[position].type, key)
                fixed = [(params[i].type, value) for i, value in counter.fixed]
                if counter.reset is not None:
                    begun_by = self.program.ruleset.events[counter.reset].params
                    fixed += [(begun_by[i].type, value) for i, value in counter.reset_fixed]
                return [*keys, *(m.Lit(type_, value) for type_, value in fixed)]
            case m.Decide(decision=name, args=args):
                for param, arg in zip(self.program.ruleset.decisions[name].params, args, strict=True):
                    self.whole |= self._bare(arg) and not self._is(param.type)
                    self._given(param.type, arg)
            case m.CallF(function=name, args=args):
                function = self.program.functions[name]
                by = {p.name: arg for p, arg in zip(function.params, args, strict=True)}
                for param in function.params:
                    self._given(param.type, by[param.name])
                if any(self._bare(by[p.name]) and not self._is(p.type) for p in function.params):
                    return [*args, substitute(function.body, by)]
            case _:
                pass
        return children(term)

    def _given(self, type_: Type, term: Term) -> None:
        """Take up that a term stands where a value of some type is wanted: of the range it is one that is named, or
        one that is reckoned of something else."""
        if not self._is(type_) or self._is(term.type):
            return
        if not isinstance(term, m.Lit):
            self.whole = True
        elif isinstance(term.value, int):
            self._one_of(term)

    def _one_of(self, *values: Term) -> None:
        """Take up that a value is one of some that are named."""
        named = m.Var(values[0].type, VALUE) if values else None
        if named is not None:
            self.alone[m.OrT(BOOL, tuple(m.CompareT(BOOL, "=", named, value) for value in values))] = None

    def _of_one(self, term: Term) -> tuple[Term, Term] | None:
        """What a term says of one value and of nothing else, with `VALUE` for it, and the value; None where it does
        not, or is the value itself."""
        if self._bare(term) or not isinstance(term, _WORKED_OUT):
            return None
        found: dict[Term, None] = {}

        def put(inner: Term) -> Term | None:
            if isinstance(inner, m.Lit):
                return inner
            if self._bare(inner):
                found[inner] = None
                return m.Var(inner.type, VALUE)
            match inner:
                case m.ArithT(type_, op, left, right):
                    one, two = put(left), put(right)
                    return None if one is None or two is None else m.ArithT(type_, op, one, two)
                case m.CompareT(type_, comparison, left, right):
                    one, two = put(left), put(right)
                    return None if one is None or two is None else m.CompareT(type_, comparison, one, two)
                case m.TableT(type_, of, rows):
                    of_one = put(of)
                    literal = all(isinstance(value, m.Lit) for _, value in rows)
                    return m.TableT(type_, of_one, rows) if of_one is not None and literal else None
                case _:
                    return None

        said = put(term)
        if said is None or len(found) != 1:
            return None
        return said, next(iter(found))


_WORKED_OUT = (m.ArithT, m.CompareT, m.TableT)


class _CannotTellError(Exception):
    """What comes of a value is not told here."""


def _worked_out(term: Term, value: object) -> object:
    match term:
        case m.Lit(value=literal):
            return literal
        case m.Var(name=name) if name == VALUE:
            return value
        case m.CompareT(op=op, left=left, right=right):
            return m.COMPARED[op](_worked_out(left, value), _worked_out(right, value))
        case m.OrT(items=items):
            return any(_worked_out(item, value) for item in items)
        case m.ArithT(op=op, left=left, right=right):
            by = _worked_out(right, value)
            if op in _DIVIDING and by == 0:
                return None
            return _RECKONED[op](_worked_out(left, value), by)
        case m.TableT(of=of, rows=rows):
            at = _worked_out(of, value)
            return next((_worked_out(row, value) for key, row in rows if key == at), None)
        case _:
            raise _CannotTellError


_DIVIDING = ("/", "mod", "div")

_RECKONED: Mapping[str, Callable[[Any, Any], object]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": Fraction,
    "mod": operator.mod,
    "div": operator.floordiv,
}


def _key_of(program: Program, name: str) -> Type:
    """By what a map or a set is kept."""
    type_ = program.ruleset.state[name].type
    return type_.key if isinstance(type_, ty.MapT) else type_.of if isinstance(type_, ty.SetT) else type_


def _type_of(program: Program, target: FieldTarget | StateTarget) -> Type:
    match target:
        case FieldTarget(entity=entity, name=name):
            fields = program.ruleset.entities[entity].fields
            return next(field.type for field in fields if field.name == name)
        case StateTarget(name=name):
            type_ = program.ruleset.state[name].type
            return type_.of if isinstance(type_, ty.MapT) else type_


_KEPT: list[tuple[Program, dict[str, list[Values]]]] = []
