"""Questions of which only the logic between their parts is asked: what reads the state is left open.

Functions and decisions are read through. What is then left of the state (a field, a sum over a list, whether some
entity is so) becomes a constant of its own, the same for the same reading. There are more ways to choose those than
there are states: where none answers the question no state does, however many entities there are and however long
their lists. Where some choice answers it, nothing follows.

Lists may be looked into, element by element within the scope: then what is said of their elements is no constant.
What is said of entities and people, which may be any number, always is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

from verifier.core.program import EVENT_PREFIX, Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.terms import Term, children, free_variables
from verifier.model.types import BOOL, Type
from verifier.prove.encode import Encoded, Encoder, Variables
from verifier.prove.lists import SlotList
from verifier.prove.question import Question
from verifier.prove.shapes import Shapes, leaves
from verifier.prove.smtlib import Writer
from verifier.prove.stated import chosen
from verifier.prove.symbolic import SymbolicOptions, SymbolicState
from verifier.prove.values import Num, Opt, Truth, and_, compare, equal, key_of, not_, or_

EVERYWHERE = "every state, of whatever size"
"""The scope of an answer that hangs on the logic of the question alone."""

COUNT = ty.IntT(0, None)

INSTANCES = 8
"""So many instances of what must not be are asked: those of the question's own values."""

MOST_ALIKE = 6
"""So many constants for one reading of different things are told to be equal where those things are."""


class Outline:
    """A program's terms over any state, encoded once and kept. Of the state given only the types are read."""

    def __init__(self, state: SymbolicState, options: SymbolicOptions, lists: bool = False) -> None:
        self.writer = Writer()
        self._encoder = Abstract(state, options, lists)

    def conditions(self, question: Question) -> list[Truth]:
        """What must hold of the constants where a state answers the question.

        Raises `CannotEncodeError` for what is not linear.
        """
        found = [c for c in self._asked(question) if c is not True]
        return [*found, *self._encoder.open.promised(found, self.writer)]

    def _asked(self, question: Question) -> Iterator[Truth]:
        encoder, shapes = self._encoder, self._encoder.shapes
        values: dict[str, Any] = {}
        if question.event is not None:
            event = encoder.program.ruleset.events[question.event]
            whole = chosen(event)
            args = {
                p.name: shapes.named(p.type, f"{question.event} {p.name}", whole=p.name in whole)
                for p in event.params
            }
            for need in event.needs:
                met = encoder.encode(need, args)
                yield or_(not_(met.defined), met.value)
            for param in event.params:
                yield from promises(param.type, args[param.name])
                values[EVENT_PREFIX + param.name] = args[param.name]
        for param in question.params:
            values[param.name] = shapes.named(param.type, f"some {param.name}")
            yield from promises(param.type, values[param.name], stated=False)
        condition = encoder.encode(question.condition, values)
        yield condition.defined
        yield condition.value
        for nothing in question.none:
            own = [
                [p.name for p in question.params if p.type == param.type and p.name not in question.made]
                for param in nothing.params
            ]
            for names in islice(product(*own), INSTANCES):
                given = {p.name: values[name] for p, name in zip(nothing.params, names, strict=True)}
                something = encoder.encode(nothing.condition, {**values, **given})
                yield not_(and_(something.defined, something.value))


@dataclass(frozen=True, slots=True)
class OpenList:
    """A list of which nothing is known but which one it is."""

    name: Any
    open: Open

    def key(self) -> Any:
        return ("open", self.name)

    def chosen(self, test: Truth, otherwise: OpenList) -> OpenList:
        self.open.alive.append(test)
        return OpenList(("if", key_of(test), self.name, otherwise.name), self.open)

    def equals(self, other: OpenList) -> Truth:
        return self.name == other.name or self.open.constant(
            ("equal", self.name, other.name), (), BOOL, "equal lists"
        )


@dataclass(frozen=True, slots=True)
class Reading:
    """What one constant stands for: what `what` reads of the values `of`."""

    number: int
    what: Any
    of: Any
    value: Any
    promises: tuple[Truth, ...]


class Open:
    """The constants that stand for what reads the state, by what they read."""

    def __init__(self, shapes: Shapes, lists: bool) -> None:
        self.shapes = shapes
        self.lists = lists
        self.alive: list[Any] = []
        self._constants: dict[Any, Any] = {}
        self._readings: dict[int, Reading] = {}
        self._same: dict[tuple[int, int], Truth] = {}

    def constant(
        self,
        what: Any,
        of: Any,
        type_: Type,
        name: str,
        path: str = "",
        promised: bool = True,
        stated: bool = False,
    ) -> Any:
        """The constant for what `what` reads of the values `of`; where those are equal so are the constants.

        Amounts are 0 or more where they are `stated`.
        """
        key = (what, key_of(of))
        if key not in self._constants:
            self.alive.append(of)
            number = len(self._constants)
            if isinstance(type_, ty.ListT) and not self.lists:
                self._constants[key] = OpenList(key, self)
                return self._constants[key]
            value = self.shapes.variable(type_, f"{name}\x1f{number}\x1f", path)
            self._constants[key] = value
            reading = Reading(
                number, what, of, value, tuple(promises(type_, value, stated)) if promised else ()
            )
            self._readings.update({expr.decl().get_id(): reading for expr in leaves(value)})
        return self._constants[key]

    def promised(self, conditions: Sequence[Truth], writer: Writer) -> list[Truth]:
        """What holds of the constants in the conditions, and of those that it brings in."""
        found: list[Truth] = []
        alike: dict[Any, list[Reading]] = {}
        rest = [r for d in writer.met(conditions) if (r := self._readings.get(d)) is not None]
        seen: set[int] = set()
        for reading in rest:
            if reading.number in seen:
                continue
            seen.add(reading.number)
            more = list(reading.promises)
            if plain(reading.of):
                others = alike.setdefault(reading.what, [])
                more += [self._alike(other, reading) for other in others[:MOST_ALIKE]]
                others.append(reading)
            more = [condition for condition in more if condition is not True]
            found += more
            rest += [r for d in writer.met(more) if (r := self._readings.get(d)) is not None]
        return found

    def _alike(self, one: Reading, other: Reading) -> Truth:
        """That the same is read of the same."""
        key = (one.number, other.number)
        if key not in self._same:
            self._same[key] = or_(not_(equal(one.of, other.of)), equal(one.value, other.value))
        return self._same[key]


def plain(value: Any) -> bool:
    """Whether a value holds no open list."""
    match value:
        case tuple():
            return all(map(plain, value))
        case Opt(value=inner):
            return plain(inner)
        case _:
            return not isinstance(value, OpenList)


def promises(type_: Type, value: Any, stated: bool = True) -> Iterator[Truth]:
    """What every value of the type promises, whatever there is: ranges, odds not below 0, `stated` money neither."""
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
        case ((ty.RecordT(fields=parts) | ty.EntityT(keys=parts)), tuple()):
            for (_, part), inner in zip(parts, value, strict=True):
                yield from promises(part, inner, stated)
        case ty.OptT(of=of), Opt():
            yield or_(not_(value.present), and_(*promises(of, value.value, stated)))
        case ty.ListT(of=of), SlotList():
            yield compare(">=", value.length, Num(0))
            yield compare("<=", value.length, Num(len(value.slots)))
            for there, element in value.elements():
                yield or_(not_(there), and_(*promises(of, element, stated)))
        case _:
            return


class Abstract(Encoder):
    """Terms over any state. Options are what they are, and stated."""

    def __init__(
        self,
        state: SymbolicState,
        options: SymbolicOptions,
        lists: bool = False,
        open_: Open | None = None,
        tense: str = "",
    ) -> None:
        super().__init__(state, options)
        self.open = open_ or Open(self.shapes, lists)
        self._tense = tense
        self._later: Abstract | None = None
        self._definedness = Definedness(self.program)

    def encode(self, term: Term, variables: Variables) -> Encoded:
        match term:
            case m.Get(name=name, key=None):
                return Encoded(self._stored(("get", name), (), term.type, name), True)
            case m.Get(name=name, key=key) if key is not None:
                of = self.encode(key, variables)
                return Encoded(self._stored(("get", name), of.value, term.type, name), of.defined)
            case m.Field(entity=entity, name=name, of=ref):
                of = self.encode(ref, variables)
                there = of.value.present if isinstance(of.value, Opt) else True
                value = of.value.value if isinstance(of.value, Opt) else of.value
                found = self._stored(("field", entity, name), value, term.type, f"{entity}.{name}")
                return Encoded(found, and_(of.defined, there))
            case m.Length(list=list_) if not self.open.lists:
                of = self.encode(list_, variables)
                return Encoded(self._length(list_.type, of.value), of.defined)
            case m.At(type=type_, list=list_, index=index) if not self.open.lists:
                (elements, which), defined = self._all((list_, index), variables)
                there = and_(
                    compare(">=", which, Num(1)), compare("<=", which, self._length(list_.type, elements))
                )
                value = self.open.constant("at", (elements, which), type_, "element")
                return Encoded(value, and_(defined, there))
            case m.Quant(domain=domain) | m.Fold(domain=domain) | m.Pick(domain=domain):
                if isinstance(domain, m.OverValues) or (isinstance(domain, m.OverList) and self.open.lists):
                    return super().encode(term, variables)
                return self._over(term, variables)
            case m.Count(latch=latch, keys=keys):
                values, defined = self._all(keys, variables)
                return Encoded(self._stored(("count", latch), values, COUNT, f"count {latch}"), defined)
            case m.BrokenT(latch=latch):
                return Encoded(self._stored(("broken", latch), (), BOOL, f"breach {latch}"), True)
            case m.AfterT(of=inner):
                if self._later is None:
                    self._later = Abstract(self.state, self.options, open_=self.open, tense="after ")
                    self._later._later = self._later
                return self._later.encode(inner, variables)
            case _:
                return super().encode(term, variables)

    def _stored(self, what: Any, of: Any, type_: Type, name: str) -> Any:
        """What stands somewhere in the state."""
        stated = name not in self.state.world.signed
        return self.open.constant(
            (self._tense, *what), of, type_, f"{self._tense}{name}", name, stated=stated
        )

    def _length(self, type_: Type, list_: Any) -> Any:
        assert isinstance(type_, ty.ListT)
        return self.open.constant("length", list_, ty.IntT(0, type_.maximum), "length")

    def _over(self, term: m.Quant | m.Fold | m.Pick, variables: Variables) -> Encoded:
        """What is said of all elements of a domain: one constant, and one for whether it is defined."""
        read = tuple(variables[name] for name in sorted(free_variables(term)))
        number = isinstance(term, m.Fold) and term.kind == "number"
        name = f"{self._tense}{term.kind}"
        value = self.open.constant(
            (self._tense, term),
            read,
            COUNT if number else _loose(term.type),
            name,
            promised=number or isinstance(term, m.Pick),
        )
        if self._definedness.certain(term):
            return Encoded(value, True)
        return Encoded(value, self.open.constant((self._tense, "?", term), read, BOOL, f"{name} is defined"))


class Definedness:
    """Which terms are defined in every state, as far as their form shows, if what they read is."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._certain: dict[int, tuple[bool, Term]] = {}

    def certain(self, term: Term) -> bool:
        """Whether the term is defined in every state."""
        if id(term) not in self._certain:
            found = self._by_form(term) and all(map(self.certain, children(term)))
            self._certain[id(term)] = found, term
        return self._certain[id(term)][0]

    def _by_form(self, term: Term) -> bool:
        match term:
            case m.Decide() | m.Force() | m.At() | m.AfterT():
                return False
            case m.ArithT(op=op, right=right) if op in ("/", "mod", "div"):
                return isinstance(right, m.Lit) and right.value != 0
            case m.Field(of=of) | m.Part(of=of):
                return not isinstance(of.type, ty.OptT)
            case m.CallF(function=name):
                return self.certain(self.program.functions[name].body)
            case _:
                return True


def _loose(type_: Type) -> Type:
    """The type without its bounds: what a sum can be nobody promises."""
    match type_:
        case ty.IntT():
            return ty.INT
        case ty.OptT(of=of):
            return ty.OptT(_loose(of))
        case _:
            return type_
