"""From a type to its values in Z3 and back: variables, constants, what a type promises, values read off a model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import z3

from verifier.model import types as ty
from verifier.model.declare import default_of
from verifier.model.types import Type
from verifier.prove import lists
from verifier.prove.lists import SlotList
from verifier.prove.scope import Names, Scope
from verifier.prove.tally import Mark, Tally
from verifier.prove.values import Num, Opt, Truth, and_, compare, equal, not_, number, or_

Leaf = Callable[[Any], Any]
"""From a Z3 expression of a leaf to Python's `bool` or `int`."""


@dataclass(frozen=True, slots=True)
class Shapes:
    """What the types of one program look like within a scope."""

    scope: Scope
    names: Names
    _constants: dict[str, dict[Any, Any]] = field(default_factory=dict, compare=False, repr=False)
    _named: dict[tuple[Type, str], Any] = field(default_factory=dict, compare=False, repr=False)

    def slots(self, path: str, type_: ty.ListT) -> int:
        return min(self.scope.slots.get(path, type_.maximum), type_.maximum)

    def named(self, type_: Type, name: str, whole: bool = False) -> Any:
        """As `variable`, one value for one name: what is encoded of it once need not be again."""
        if (type_, name) not in self._named:
            self._named[type_, name] = self.variable(type_, name, whole=whole)
        return self._named[type_, name]

    def variable(self, type_: Type, name: str, path: str = "", whole: bool = False) -> Any:
        """A value made of fresh variables whose names begin with `name`.

        An amount is a whole number of minor units where it is to be `whole`, else of the scope's parts of one.
        """
        match type_:
            case ty.BoolT():
                return z3.Bool(name)
            case ty.RecordT(fields=parts) | ty.EntityT(keys=parts):
                return tuple(self.variable(part, f"{name}.{key}", whole=whole) for key, part in parts)
            case ty.OptT(of=of):
                return Opt(z3.Bool(f"{name} exists"), self.variable(of, name, whole=whole))
            case ty.ListT(of=of):
                return lists.of_variables(
                    Num(z3.Int(f"{name} length")),
                    lambda i: self.variable(of, f"{name}[{i}]", whole=whole),
                    self.slots(path, type_),
                )
            case ty.MapT() | ty.SetT():
                raise AssertionError("maps are kept by key, see SymbolicState")
            case ty.MoneyT():
                return Num(z3.Int(name), 1 if whole else self.scope.money_parts)
            case ty.OddsT():
                return Num(z3.Int(name), self.scope.money_parts)
            case ty.IntT() | ty.EnumT() | ty.IdT() | ty.TextT() | ty.PartyT():
                return Num(z3.Int(name))

    def constant(self, type_: Type, value: Any, path: str = "") -> Any:
        """The constant `value`, as the interpreter has it. None of a type that is no optional is anything.

        Raises `ValueError` for a list that is longer than the scope has slots.
        """
        match type_:
            case ty.BoolT():
                return bool(value)
            case ty.RecordT(fields=parts) | ty.EntityT(keys=parts):
                given = default_of(type_) if value is None else value
                assert isinstance(given, tuple)
                kept = self._constants.setdefault(type_.name, {}) if isinstance(type_, ty.EntityT) else {}
                if given not in kept:
                    kept[given] = tuple(
                        self.constant(part, v) for (_, part), v in zip(parts, given, strict=True)
                    )
                return kept[given]
            case ty.OptT(of=of):
                return Opt(value is not None, self.constant(of, default_of(of) if value is None else value))
            case ty.ListT(of=of):
                elements = [self.constant(of, v) for v in value or ()]
                if len(elements) > self.slots(path, type_):
                    raise ValueError("a list holds more than the scope has slots")
                return lists.of_constants(elements, self.slots(path, type_), self.anything(of))
            case ty.IdT() | ty.TextT() | ty.PartyT():
                return Num(self.names.code("" if value is None else value, type_))
            case ty.MapT() | ty.SetT():
                raise AssertionError("maps are kept by key, see SymbolicState")
            case ty.IntT() | ty.MoneyT() | ty.OddsT() | ty.EnumT():
                return number(0 if value is None else value)

    def anything(self, type_: Type) -> Any:
        """Some value, for where it does not matter which."""
        return self.constant(type_, default_of(type_))

    def promises(self, type_: Type, value: Any, stated: bool = True) -> Iterator[Truth]:
        """What holds of every value of the type: ranges, odds not below 0, references in the scope.

        An amount that is `stated`, by an event or as an option, is not below 0; one that is kept may be.
        """
        match type_, value:
            case ty.IntT(low=low, high=high), Num():
                yield True if low is None else compare(">=", value, Num(low))
                yield True if high is None else compare("<=", value, Num(high))
            case ty.MoneyT(), Num():
                yield not stated or compare(">=", value, Num(0))
            case ty.OddsT(), Num():
                yield compare(">=", value, Num(0))
            case ty.EnumT(values=values), Num():
                yield compare(">=", value, Num(0))
                yield compare("<=", value, Num(len(values) - 1))
            case ty.IdT(name=kind), Num():
                yield or_(
                    *(
                        compare("=", value, Num(self.names.code(i, type_)))
                        for i in ("", *self.scope.ids[kind])
                    )
                )
            case ty.EntityT(name=kind), tuple():
                yield or_(*(equal(value, self.constant(type_, ref)) for ref in self.scope.entities[kind]))
            case ty.RecordT(fields=parts), tuple():
                for (_, part), inner in zip(parts, value, strict=True):
                    yield from self.promises(part, inner, stated)
            case ty.OptT(of=of), Opt():
                yield or_(not_(value.present), and_(*self.promises(of, value.value, stated)))
            case ty.ListT(of=of), SlotList():
                yield compare(">=", value.length, Num(0))
                yield compare("<=", value.length, Num(len(value.slots)))
                for there, element in value.elements():
                    yield or_(not_(there), and_(*self.promises(of, element, stated)))
            case _:
                return

    def mentions(self, type_: Type, value: Any, kind: str, name: str) -> Truth:
        """That the id `name` of that kind stands somewhere in `value`."""
        match type_, value:
            case ty.IdT(name=own), Num():
                return own == kind and compare("=", value, Num(self.names.code(name, type_)))
            case ((ty.RecordT(fields=parts) | ty.EntityT(keys=parts)), tuple()):
                return or_(
                    *(
                        self.mentions(part, inner, kind, name)
                        for (_, part), inner in zip(parts, value, strict=True)
                    )
                )
            case ty.OptT(of=of), Opt():
                return and_(value.present, self.mentions(of, value.value, kind, name))
            case ty.OptT(of=of), _:
                return self.mentions(of, value, kind, name)
            case ty.ListT(of=of), SlotList():
                return or_(
                    *(and_(there, self.mentions(of, inner, kind, name)) for there, inner in value.elements())
                )
            case _:
                return False

    def pairs(self, variable: Any, constant: Any) -> Iterator[tuple[Any, Any]]:
        """Each leaf of a value of variables with the leaf of a constant. Raises `ValueError` if it does not fit."""
        match variable, constant:
            case Opt(), Opt():
                yield variable.present, z3.BoolVal(constant.present)
                yield from self.pairs(variable.value, constant.value)
            case SlotList(), SlotList():
                yield variable.length.n, z3.IntVal(constant.length.n)
                for mine, theirs in zip(variable.slots, constant.slots, strict=True):
                    yield from self.pairs(mine, theirs)
            case tuple(), tuple():
                for mine, theirs in zip(variable, constant, strict=True):
                    yield from self.pairs(mine, theirs)
            case Num(), Num():
                exact = Fraction(constant.n, constant.den) * variable.den
                if exact.denominator != 1:
                    raise ValueError("an amount is no whole number of units")
                yield variable.n, z3.IntVal(exact.numerator)
            case _, bool():
                yield variable, z3.BoolVal(constant)
            case _:
                raise AssertionError((variable, constant))

    def concrete(self, type_: Type, value: Any, leaf: Leaf) -> Any:
        """`value` as the interpreter has it; `leaf` tells what each Z3 expression in it is."""
        match type_, value:
            case ty.OptT(of=of), Opt():
                return self.concrete(of, value.value, leaf) if _known(value.present, leaf) else None
            case ty.OptT(of=of), _:
                return self.concrete(of, value, leaf)
            case ty.ListT(of=of), SlotList():
                length = _known(value.length.n, leaf)
                return tuple(self.concrete(of, slot, leaf) for slot in value.slots[:length])
            case ((ty.RecordT(fields=parts) | ty.EntityT(keys=parts)), tuple()):
                return tuple(
                    self.concrete(part, inner, leaf) for (_, part), inner in zip(parts, value, strict=True)
                )
            case ((ty.IdT() | ty.TextT() | ty.PartyT()), Num()):
                return self.names.text(_known(value.n, leaf))
            case _, Num():
                exact = Fraction(_known(value.n, leaf), value.den)
                return exact.numerator if exact.denominator == 1 else exact
            case ty.BoolT(), _:
                return _known(value, leaf)
            case _:
                raise AssertionError((type_, value))


def leaves(value: Any) -> Iterator[Any]:
    """The Z3 expressions in a value; constants are left out."""
    match value:
        case bool():
            return
        case Num(n=n):
            if not isinstance(n, int):
                yield n
        case tuple():
            for part in value:
                yield from leaves(part)
        case Opt(present=present, value=inner):
            yield from leaves(present)
            yield from leaves(inner)
        case SlotList(length=length, slots=slots):
            yield from leaves(length)
            for slot in slots:
                yield from leaves(slot)
        case Tally() | Mark():
            yield from leaves(value.leaves())
        case _:
            yield value


def constant_of(value: Any) -> bool:
    """Whether a value is made of constants only."""
    return next(leaves(value), None) is None


def _known(expr: Any, leaf: Leaf) -> Any:
    return expr if isinstance(expr, bool | int) else leaf(expr)


def model_leaf(model: Any) -> Leaf:
    """Leaves as `model` has them; what it leaves open is given some value."""

    def read(expr: Any) -> Any:
        found = model.eval(expr, model_completion=True)
        return z3.is_true(found) if z3.is_bool(found) else found.as_long()

    return read
