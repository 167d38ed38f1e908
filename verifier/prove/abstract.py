"""Questions of which only the logic between their parts is asked: what reads the state is left open.

Functions and decisions are read through. What is then left of the state (a field, a sum over a list, whether some
entity is so) becomes a constant of its own, the same for the same reading. There are more ways to choose those than
there are states: where none answers the question no state does, however many entities there are and however long
their lists. Where some choice answers it, nothing follows.

Lists may be looked into: then what is said of their elements is no constant. They are of any length, known by their
first elements and by how many there are of each value (`Tally`), or of as many elements as the scope has, one by one.
What is said of entities and people, which may be any number, always is a constant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import Any, Literal

import z3

from verifier.core.program import EVENT_PREFIX, Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.terms import Term, children, free_variables
from verifier.model.types import BOOL, Type
from verifier.prove.encode import Encoded, Encoder, Variables
from verifier.prove.extent import read_by_number
from verifier.prove.lists import SlotList
from verifier.prove.projected import NOTHING, Read, Unread, read_of, sorts, told_apart, unread
from verifier.prove.question import Question
from verifier.prove.shapes import Shapes, leaves
from verifier.prove.smtlib import Writer
from verifier.prove.stated import chosen
from verifier.prove.symbolic import SymbolicOptions, SymbolicState
from verifier.prove.tally import Element, Mark, Tally, is_of, too_many
from verifier.prove.values import (
    CannotEncodeError,
    Num,
    Opt,
    Truth,
    and_,
    choose,
    compare,
    equal,
    key_of,
    not_,
    or_,
    times,
    total,
)

EVERYWHERE = "every state, of whatever size"
"""The scope of an answer that hangs on the logic of the question alone."""

BUT_LISTS = f"{EVERYWHERE} but for its lists"
"""The scope of one that hangs on the elements of lists, too, of which there are so many at most."""

Lists = Literal["open", "counted", "slots"]
"""What is known of a list: which one it is; how many there are of each value; each of as many as the scope has."""

COUNT = ty.IntT(0, None)

INSTANCES = 8
"""So many instances of what must not be are asked: those of the question's own values."""

MOST_ALIKE = 6
"""So many constants for one reading of different things are told to be equal where those things are."""


class Outline:
    """A program's terms over any state, encoded once and kept. Of the state given only the types are read."""

    def __init__(self, state: SymbolicState, options: SymbolicOptions, lists: Lists = "open") -> None:
        self.writer = Writer()
        self.lists: Lists = lists
        self.slots = tuple(state.world.scope.slots.items()) if lists == "slots" else ()
        self._state, self._options = state, options
        self._encoders: dict[Any, Abstract] = {}

    def conditions(self, question: Question) -> list[Truth] | None:
        """What must hold of the constants where a state answers the question; None where lists are to be looked into
        and it reads none.

        Raises `CannotEncodeError` for what is not linear.
        """
        program = self._state.world.program
        needs = () if question.event is None else program.ruleset.events[question.event].needs
        terms = (question.condition, *needs, *(nothing.condition for nothing in question.none))
        read = NOTHING
        if self.lists != "open":
            read, lists = read_of(program, terms)
            if not lists:
                return None
        key = read.key() if self.lists == "counted" else None
        if key not in self._encoders:
            self._encoders[key] = Abstract(self._state, self._options, self.lists, read=read)
        encoder = self._encoders[key]
        found = [c for c in self._asked(question, encoder) if c is not True]
        return [*found, *encoder.open.promised(found, self.writer)]

    def _asked(self, question: Question, encoder: Abstract) -> Iterator[Truth]:
        shapes = encoder.shapes
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

    def __init__(self, shapes: Shapes, lists: Lists, first: int, read: Read) -> None:
        self.shapes = shapes
        self.lists = lists
        self.first = first
        self.read = read
        self.alive: list[Any] = []
        self._constants: dict[Any, Any] = {}
        self._readings: dict[int, Reading] = {}
        self._same: dict[tuple[int, int], Truth] = {}
        self._marked: dict[str, Any] = {}

    def constant(
        self,
        what: Any,
        of: Any,
        type_: Type,
        name: str,
        path: str = "",
        promised: bool = True,
        stated: bool = False,
        also: Callable[[Any], Truth] = lambda _: True,
    ) -> Any:
        """The constant for what `what` reads of the values `of`; where those are equal so are the constants.

        Amounts are 0 or more where they are `stated`; whatever it is, it is so as `also` says.
        """
        key = (what, key_of(of))
        if key not in self._constants:
            value = self._made(type_, key, f"{name}\x1f{len(self._constants)}\x1f", path)
            held = promises(type_, value, stated) if promised else ()
            self._keep(key, what, of, value, (*held, also(value)))
        return self._constants[key]

    def _keep(self, key: Any, what: Any, of: Any, value: Any, held: tuple[Truth, ...]) -> None:
        """Keep a constant, and what holds of it."""
        self.alive.append(of)
        if not isinstance(value, OpenList):
            reading = Reading(len(self._constants), what, of, value, held)
            self._readings.update({expr.decl().get_id(): reading for expr in leaves(value)})
        self._constants[key] = value

    def _made(self, type_: Type, key: Any, name: str, path: str) -> Any:
        """A constant of a type."""
        if not isinstance(type_, ty.ListT) or self.lists == "slots":
            return self.shapes.variable(type_, name, path)
        values = sorts(type_.of, self.read) if self.lists == "counted" else None
        return OpenList(key, self) if values is None else self.tally(type_, name, values)

    def tally(self, type_: ty.ListT, name: str, values: Sequence[object]) -> Tally:
        """A list of any length, made of constants; `values` has one for each sort of elements."""
        marked = name if any(map(unread, values)) else None
        kinds = [(v, same) for v in values for same in ((False,) if marked is None else (False, True))]
        return Tally(
            Num(z3.Int(f"{name} length")),
            tuple(self.element(type_.of, f"{name}[{i + 1}]", marked) for i in range(self.first)),
            tuple(self._sort(type_.of, value, name, same) for value, same in kinds),
            tuple(Num(z3.Int(f"{name} of sort {i}")) for i, _ in enumerate(kinds)),
            lambda one, other: self.constant("order", (one, other), BOOL, "equal lists"),
            lambda list_, index: self._beyond(type_.of, list_, index),
            marked,
        )

    def _beyond(self, type_: Type, list_: Tally, index: Num) -> Any:
        if list_.marked is not None:
            raise too_many()
        return self.constant("at", (list_, index), type_, "element")

    def element(self, type_: Type, name: str, marked: str | None) -> Any:
        """Some element of a list, made of fresh variables; of one whose elements are `marked` it is known whether it is
        as the marked one."""
        if marked is None:
            return self.shapes.variable(type_, name)
        return self._element(type_, name, Mark(marked, z3.Bool(f"{name} is marked")))

    def _element(self, type_: Type, name: str, mark: Mark) -> Any:
        assert isinstance(type_, ty.RecordT | ty.EntityT)
        parts = type_.fields if isinstance(type_, ty.RecordT) else type_.keys
        return tuple(
            self.shapes.variable(of, f"{name}.{part}") if read else mark
            for (part, of), read in zip(parts, told_apart(type_, self.read), strict=True)
        )

    def _sort(self, type_: Type, value: Any, list_: str, same: bool) -> Any:
        """A sort of elements; `same` where it is as the marked one, but for what is read."""
        match type_:
            case _ if value is Unread.PART:
                return Mark(list_, same)
            case ty.RecordT(fields=parts) | ty.EntityT(keys=parts):
                return tuple(
                    self._sort(of, inner, list_, same) for (_, of), inner in zip(parts, value, strict=True)
                )
            case ty.OptT(of=of) if value is not None:
                return Opt(True, self._sort(of, value, list_, same))
            case _:
                return self.shapes.constant(type_, value)

    def picked(self, what: Any, of: Any, type_: Type, list_: Tally, also: Callable[[Any], Truth]) -> Any:
        """Some element of a list, that is so as `also` says. The marked one is the first of what the question picks."""
        if list_.marked is None:
            return self.constant(("picked", *what), (*of, list_), type_, "picked", also=also)
        key = ("picked", what, key_of((*of, list_)))
        if key not in self._constants:
            name = f"picked\x1f{len(self._constants)}\x1f"
            is_marked = self.read.picks[:1] == what[1:] and self._marked.setdefault(list_.marked, key) == key
            mark = Mark(list_.marked, is_marked or z3.Bool(f"{name} is marked"))
            value = self._element(type_, name, mark)
            self._keep(key, what, (*of, list_), value, (*promises(type_, value), also(value)))
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
    """Whether a value holds no list of any length."""
    match value:
        case tuple():
            return all(map(plain, value))
        case Opt(value=inner):
            return plain(inner)
        case _:
            return not isinstance(value, OpenList | Tally | Mark)


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
        case ty.ListT(of=of, maximum=most), Tally():
            yield compare("<=", value.length, Num(most))
            yield from value.counted()
            for one in value.each():
                if not one.behind:
                    yield or_(not_(one.there), and_(*promises(of, one.value, stated)))
        case _:
            return


class Abstract(Encoder):
    """Terms over any state. Options are what they are, and stated."""

    def __init__(
        self,
        state: SymbolicState,
        options: SymbolicOptions,
        lists: Lists = "open",
        open_: Open | None = None,
        tense: str = "",
        read: Read | None = None,
    ) -> None:
        super().__init__(state, options)
        self.open = open_ or Open(self.shapes, lists, read_by_number(self.program), read or NOTHING)
        self._tense = tense
        self._later: Abstract | None = None
        self._definedness = Definedness(self.program)

    def _encode(self, term: Term, variables: Variables) -> Encoded:
        match term:
            case m.Lit(type=ty.ListT() as type_, value=value) if self.open.lists == "counted":
                return Encoded(self._constant_list(type_, value), True)
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
            case m.Length(list=list_):
                of = self.encode(list_, variables)
                if not isinstance(of.value, OpenList):
                    return Encoded(of.value.length, of.defined)
                return Encoded(self._length(list_.type, of.value), of.defined)
            case m.At(type=type_, list=list_, index=index):
                (elements, which), defined = self._all((list_, index), variables)
                if not isinstance(elements, OpenList):
                    value, there = elements.at(which, self.shapes.anything(type_))
                    return Encoded(value, and_(defined, there))
                there = and_(
                    compare(">=", which, Num(1)), compare("<=", which, self._length(list_.type, elements))
                )
                value = self.open.constant("at", (elements, which), type_, "element")
                return Encoded(value, and_(defined, there))
            case m.Quant(domain=domain) | m.Fold(domain=domain) | m.Pick(domain=domain):
                if isinstance(domain, m.OverValues) or self._looked_into(domain, variables):
                    return super()._encode(term, variables)
                return self._over(term, variables)
            case m.Count(latch=latch, keys=keys):
                values, defined = self._all(keys, variables)
                return Encoded(self._stored(("count", latch), values, COUNT, f"count {latch}"), defined)
            case m.BrokenT(latch=latch) if not self.state.world.program.breakable(latch):
                return Encoded(False, True)
            case m.BrokenT(latch=latch):
                return Encoded(self._stored(("broken", latch), (), BOOL, f"breach {latch}"), True)
            case m.AfterT(of=inner):
                if self._later is None:
                    self._later = Abstract(self.state, self.options, open_=self.open, tense="after ")
                    self._later._later = self._later
                return self._later.encode(inner, variables)
            case _:
                return super()._encode(term, variables)

    def _stored(self, what: Any, of: Any, type_: Type, name: str) -> Any:
        """What stands somewhere in the state."""
        stated = name not in self.state.world.signed
        return self.open.constant(
            (self._tense, *what), of, type_, f"{self._tense}{name}", name, stated=stated
        )

    def _length(self, type_: Type, list_: Any) -> Any:
        assert isinstance(type_, ty.ListT)
        return self.open.constant("length", list_, ty.IntT(0, type_.maximum), "length")

    def _constant_list(self, type_: ty.ListT, value: Any) -> Any:
        """A list that is known: nobody can write one but the empty one."""
        values = sorts(type_.of, self.open.read)
        if values is None:
            return OpenList(("known", type_, value), self.open)
        if value:
            raise too_many()
        none = self.open.tally(type_, "", values)
        return replace(none, length=Num(0), rest=tuple(Num(0) for _ in none.rest))

    def _looked_into(self, domain: m.Domain, variables: Variables) -> bool:
        """Whether a domain is a list of whose elements something is known."""
        if self.open.lists == "open" or not isinstance(domain, m.OverList):
            return False
        return not isinstance(self.encode(domain.list, variables).value, OpenList)

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

    # ------------------------------------------------------------------------------- lists of any length
    def elements(self, domain: m.Domain, variables: Variables) -> tuple[list[tuple[Truth, Any]], Truth]:
        if isinstance(domain, m.OverList):
            encoded = self.encode(domain.list, variables)
            return encoded.value.elements(), encoded.defined
        return super().elements(domain, variables)

    def _fold(self, term: m.Fold, variables: Variables) -> Encoded:
        if term.kind not in ("sum", "number") or (found := self._tallied(term, variables)) is None:
            return super()._fold(term, variables)
        _, elements, known = found
        defined: list[Truth] = [known]
        taken: list[Num] = []
        for one, meets in elements:
            body = self._body(term, {**variables, term.var: one.value})
            defined.append(or_(not_(one.there), and_(meets.defined, or_(not_(meets.value), body.defined))))
            amount = self._so_many(one, body.value, term)
            taken.append(choose(and_(one.there, meets.value), amount, Num(0)))
        return Encoded(total(taken), and_(*defined))

    def _body(self, term: m.Fold, variables: Variables) -> Encoded:
        return Encoded(Num(1), True) if term.body is None else self.encode(term.body, variables)

    def _so_many(self, one: Element, value: Num, term: m.Fold) -> Num:
        """A value as many times as an element stands in a list."""
        if not one.behind:
            return value
        if value.constant:
            return times(one.number, value)
        cases = None if term.body is None else self._cases(value, term.body)
        if cases is None:
            raise CannotEncodeError(
                "an amount that may be anything is added up over lists of any length",
                "it is asked of lists that have so many elements at most",
            )
        amount = Num(0)
        for case in cases:
            amount = choose(compare("=", value, case), times(one.number, case), amount)
        return amount

    def _tallied(
        self, term: m.Fold | m.Pick, variables: Variables
    ) -> tuple[Tally, list[tuple[Element, Encoded]], Truth] | None:
        """A list of any length and its elements, each with whether it meets what is asked; None of other domains."""
        if not isinstance(term.domain, m.OverList):
            return None
        encoded = self.encode(term.domain.list, variables)
        if not isinstance(encoded.value, Tally):
            return None
        found: list[tuple[Element, Encoded]] = []
        for one in encoded.value.each():
            given = {**variables, term.var: one.value}
            meets = Encoded(True, True) if term.where is None else self.encode(term.where, given)
            if one.there is not False and not meets.certainly(False):
                found.append((one, meets))
        return encoded.value, found, encoded.defined

    def _pick(self, term: m.Pick, variables: Variables) -> Encoded:
        """The first or last of those that are so. Which of those behind the first elements it is may be any."""
        found = self._tallied(term, variables)
        if found is None:
            return super()._pick(term, variables)
        list_, elements, known = found
        holds = [(one, and_(one.there, meets.value)) for one, meets in elements]
        all_known = and_(*(or_(not_(one.there), meets.defined) for one, meets in elements))
        read = tuple(variables[name] for name in sorted(free_variables(term)))
        behind = [(so, one.value) for one, so in holds if one.behind]
        first = [(so, one.value) for one, so in holds if not one.behind]
        some = or_(*(so for so, _ in behind))

        def taken(value: Any) -> Truth:
            """That it is the first of those that are so, or the last; any of those behind, if it is one of them."""
            among = or_(*(and_(so, is_of(value, one)) for so, one in behind))
            found: Truth = True if term.kind == "last" else choose(some, among, True)
            for so, one in first if term.kind == "last" else reversed(first):
                found = choose(so, is_of(value, one), found)
            return choose(some, among, found) if term.kind == "last" else found

        there = or_(some, *(so for so, _ in first))
        if there is False:
            picked = Opt(False, self.shapes.anything(term.domain.type))
        else:
            picked = Opt(there, self.open.picked((self._tense, term), read, term.domain.type, list_, taken))
        if all_known is True:
            return Encoded(picked, known)
        told = self.open.constant((self._tense, "?", term), read, BOOL, f"{term.kind} is defined")
        return Encoded(picked, and_(known, or_(all_known, told)))


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
