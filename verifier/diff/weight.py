"""How often a group occurs, counted exactly: of all ways to fill the lists of the example, those that are in it.

The model of dealing is stated with the number. What fills a list is drawn without replacement from a stock, which is
what some prohibition says: no value of an event's parameter comes more often than an option allows. Lists are as long
as in the example, every order of drawing counts alike, and all else is as it is there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, product
from math import prod
from operator import add, mul, sub
from typing import Any, TypeAlias

from verifier.core.program import Program
from verifier.diff.merge import Merger
from verifier.diff.names import shown
from verifier.diff.unify import SIDES, Which
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.rewrite import substitute
from verifier.model.ruleset import Option
from verifier.model.terms import Term, children, free_variables, subterms
from verifier.prove.question import Sometimes
from verifier.prove.transitions import Reads
from verifier.run.machine import Machine
from verifier.run.state import EXISTS
from verifier.run.undefined import Undefined

MOST_FILLINGS = 5_000
"""A list that can be filled in more ways than this is not counted."""

MOST_PAIRS = 1_500_000
"""Nor are lists that can be filled together in more ways, drawings of one composition being taken as one."""


@dataclass(frozen=True, slots=True)
class Stock:
    """That of each value of a record type there are `copies`, by an option of that name on each side."""

    type: ty.RecordT
    copies: int
    options: tuple[tuple[Which, str], ...]


@dataclass(frozen=True, slots=True)
class Weight:
    """`ways` of `of` drawings are in the group. `model` says of which, in words; both are exact."""

    ways: int
    of: int
    model: str


# ------------------------------------------------------------------------------------------------------- stocks
def stock(merger: Merger) -> Stock | None:
    """The stock that both sides have, with the fewest copies that both allow; None where there is none."""
    found = {which: _stock_of(merger.programs[which]) for which in SIDES}
    old, new = found["old"], found["new"]
    if old is None or new is None or old[0].name != new[0].name:
        return None
    both = [v for v in _values(old[1]) if v in _values(new[1])]
    return Stock(old[0], min(both), (("old", old[1].name), ("new", new[1].name))) if both else None


def _values(option: Option) -> list[int]:
    values = option.values if option.values is not None else ty.finite_values(option.type)
    return [v for v in values or () if isinstance(v, int)]


def _stock_of(program: Program) -> tuple[ty.RecordT, Option] | None:
    """A record that an event draws and an option bounds: what some prohibition says of how often it has happened."""
    for event, norms in program.prohibitions.items():
        records = [p.type for p in program.ruleset.events[event].params if isinstance(p.type, ty.RecordT)]
        if not records:
            continue
        for norm in norms:
            for term in _inside(program, program.functions[norm.applies].body):
                match term:
                    case m.CompareT(op=">=", left=left, right=m.OptionGet(type=ty.IntT(), name=name)):
                        if any(isinstance(t, m.Count) for t in _inside(program, left)):
                            return records[0], program.ruleset.options[name]
                    case _:
                        continue
    return None


def _inside(program: Program, term: Term) -> Iterator[Term]:
    """A term with its subterms, defines opened."""
    seen: set[str] = set()
    rest = [term]
    while rest:
        inner = rest.pop()
        yield inner
        rest += children(inner)
        if isinstance(inner, m.CallF) and inner.function not in seen:
            seen.add(inner.function)
            rest.append(program.functions[inner.function].body)


# ----------------------------------------------------------------------------------------------------- counting
@dataclass(frozen=True, slots=True)
class _List:
    """A list of the example: the entity's field, whose it is, and how many elements it has."""

    term: m.Field
    ref: Any
    length: int


class Counting:
    """Counts groups of one program under one stock."""

    def __init__(self, program: Program, known: Stock | None) -> None:
        self.program = program
        self.stock = known
        self.shown = shown(program)
        self.machine = Machine(program, {})
        self.reads = Reads(program)
        self._pure: dict[str, bool] = {}
        self._parts: dict[str, frozenset[int]] = {}

    def weight(
        self, condition: Term, lists: Sequence[Term], at: Sometimes, names: Sequence[str]
    ) -> Weight | None:
        """How often `condition` holds, over all fillings of the lists; None where it reads none, or nobody counts."""
        if self.stock is None:
            return None
        self.machine.options = dict(at.options)
        self.machine.enter(at.state)
        frame = [at.values[n] for n in names]
        known = [self._list(term, at, names, frame) for term in lists]
        here = [one for one in known if one is not None]
        if len(here) != len(lists) or not here:
            return None
        leaves: dict[Term, int | None] = {}
        if not self._leaves(condition, here, leaves) or all(i is None for i in leaves.values()):
            return None
        return self._counted(condition, here, leaves, at, names, frame)

    def _list(self, term: Term, at: Sometimes, names: Sequence[str], frame: list[Any]) -> _List | None:
        if not isinstance(term, m.Field) or not isinstance(term.type, ty.ListT):
            return None
        ref = self.machine.closure(term.of, names)(list(frame))
        fields = at.state.entities[term.entity].get(ref, {})
        return _List(term, ref, len(fields.get(term.name, ())))  # type: ignore[arg-type]

    # ------------------------------------------------------------------------------------------------- leaves
    def _leaves(self, term: Term, lists: Sequence[_List], found: dict[Term, int | None]) -> bool:
        """The parts of a condition that read one list or none, by the list; whether all of it is made of such."""
        paths = {f"{one.term.entity}.{one.term.name}" for one in lists}
        if not self.reads.of(term) & paths:
            found[term] = None
            return True
        owners = [i for i, one in enumerate(lists) if _contains(term, one.term.of)]
        match term:
            case m.CallF(function=name, args=args):
                if len(owners) == 1 and self._is_pure(name, paths):
                    found[term] = owners[0]
                    return True
                function = self.program.functions[name]
                by = dict(zip((p.name for p in function.params), args, strict=True))
                return self._leaves(substitute(function.body, by), lists, found)
            case m.AndT() | m.OrT() | m.NotT() | m.CompareT() | m.Ite() | m.ArithT():
                return all(self._leaves(child, lists, found) for child in children(term))
            case m.Decide(decision=name):
                pure = all(
                    self._is_pure(c.applies, paths) and not self.reads.of(c.value) & paths
                    for c in self.program.decisions[name].cases
                )
                if len(owners) == 1 and pure:
                    found[term] = owners[0]
                    return True
                return False
            case (
                m.Quant(domain=m.OverEntity()) | m.Fold(domain=m.OverEntity()) | m.Pick(domain=m.OverEntity())
            ):
                return False
            case _ if len(owners) == 1:
                found[term] = owners[0]
                return True
            case _:
                return False

    def _is_pure(self, name: str, paths: set[str]) -> bool:
        """Whether a function reads the lists only of what it is given."""
        if name not in self._pure:
            self._pure[name] = True
            function = self.program.functions[name]
            own = {p.name for p in function.params}
            self._pure[name] = all(self._reads_given(t, own, paths) for t in subterms(function.body))
        return self._pure[name]

    def _reads_given(self, term: Term, own: set[str], paths: set[str]) -> bool:
        match term:
            case m.Field(entity=entity, name=name, of=of):
                return f"{entity}.{name}" not in paths or bool(free_variables(of))
            case m.CallF(function=name, args=()):
                return not self.reads.of(term) & paths
            case m.CallF(function=name):
                return self._is_pure(name, paths)
            case (
                m.Quant(domain=m.OverEntity()) | m.Fold(domain=m.OverEntity()) | m.Pick(domain=m.OverEntity())
            ):
                return not self.reads.of(term) & paths
            case m.Decide(decision=name):
                return all(self._is_pure(c.applies, paths) for c in self.program.decisions[name].cases)
            case _:
                return True

    # ------------------------------------------------------------------------------------------------ drawing
    def _counted(
        self,
        condition: Term,
        lists: Sequence[_List],
        leaves: Mapping[Term, int | None],
        at: Sometimes,
        names: Sequence[str],
        frame: list[Any],
    ) -> Weight | None:
        assert self.stock is not None
        first = lists[0].term.type
        assert isinstance(first, ty.ListT)
        if not isinstance(first.of, ty.RecordT) or any(one.term.type != first for one in lists):
            return None
        element = first.of
        visible = self._visible(condition, element)
        atoms = self._atoms(element, visible)
        if atoms is None or any(len(atoms[0]) ** one.length > MOST_FILLINGS for one in lists):
            return None
        values, copies = atoms
        order = [*(t for t, i in leaves.items() if i is None)]
        constant = [self._value(t, names, frame) for t in order]
        classes: list[dict[tuple[Any, ...], Counter[tuple[int, ...]]]] = []
        for i, one in enumerate(lists):
            mine = [t for t, owner in leaves.items() if owner == i]
            order += mine
            classes.append(self._classes(one, mine, element, values, at, names, frame))
        if prod(sum(len(c) for c in by.values()) for by in classes) > MOST_PAIRS:
            return None
        holds = self._reader(condition, {t: i for i, t in enumerate(order)})
        ways = 0
        for signatures in product(*classes):
            if holds([*constant, *chain.from_iterable(signatures)]) is not True:
                continue
            ways += _joint([by[s] for by, s in zip(classes, signatures, strict=True)], copies)
        drawn = sum(one.length for one in lists)
        whole = copies * len(values)
        return Weight(ways, _falling(whole, drawn), self._model(lists, whole))

    def _visible(self, condition: Term, element: ty.RecordT) -> tuple[int, ...]:
        """The parts of an element that anything reads."""
        found: set[int] = set()
        seen: set[str] = set()

        def visit(term: Term) -> None:
            if isinstance(term, m.Part) and term.of.type == element:
                found.add(term.index)
            if isinstance(term, m.CompareT) and element in (term.left.type, term.right.type):
                found.add(len(element.fields))
            if isinstance(term, m.CallF) and term.function not in seen:
                seen.add(term.function)
                visit(self.program.functions[term.function].body)
            if isinstance(term, m.Decide) and term.decision not in seen:
                seen.add(term.decision)
                for case in self.program.decisions[term.decision].cases:
                    visit(self.program.functions[case.applies].body)
                    visit(case.value)
            for child in children(term):
                visit(child)

        visit(condition)
        return tuple(sorted(i for i in found if i < len(element.fields)))

    def _atoms(
        self, element: ty.RecordT, visible: Sequence[int]
    ) -> tuple[list[tuple[object, ...]], int] | None:
        """What can be told apart of what is drawn, and how many there are of each; None where it is not drawn so."""
        assert self.stock is not None
        drawn = dict(self.stock.type.fields)
        inside = dict(element.fields)
        beside = [t for n, t in element.fields if n not in drawn]
        if any(inside.get(n) != t for n, t in drawn.items()):
            return None
        if len(beside) > 1 or any(not isinstance(t, ty.IntT) for t in beside):
            return None
        seen = [n for i, (n, _) in enumerate(element.fields) if i in visible and n in drawn]
        parts: list[list[object]] = []
        hidden = self.stock.copies
        for name, type_ in self.stock.type.fields:
            values = ty.finite_values(type_)
            if values is None:
                return None
            if name in seen:
                parts.append(values)
            else:
                parts.append(values[:1])
                hidden *= len(values)
        return list(product(*parts)), hidden

    def _classes(
        self,
        one: _List,
        mine: Sequence[Term],
        element: ty.RecordT,
        values: Sequence[tuple[object, ...]],
        at: Sometimes,
        names: Sequence[str],
        frame: list[Any],
    ) -> dict[tuple[Any, ...], Counter[tuple[int, ...]]]:
        """The fillings of a list by what its leaves say of them, each with its composition and in how many orders."""
        assert self.stock is not None
        order = [n for n, _ in self.stock.type.fields]
        found: dict[tuple[Any, ...], Counter[tuple[int, ...]]] = {}
        fields = at.state.entities[one.term.entity].setdefault(one.ref, {EXISTS: True})
        before = fields.get(one.term.name)
        for picked in product(range(len(values)), repeat=one.length):
            elements = []
            for position, index in enumerate(picked, 1):
                parts = dict(zip(order, values[index], strict=True))
                elements.append(tuple(parts.get(n, position) for n, _ in element.fields))
            fields[one.term.name] = tuple(elements)
            self.machine.enter(at.state)
            signature = tuple(self._value(t, names, frame) for t in mine)
            composition = Counter(picked)
            key = tuple(composition[i] for i in range(len(values)))
            found.setdefault(signature, Counter())[key] += 1
        if before is None:
            fields.pop(one.term.name, None)
        else:
            fields[one.term.name] = before
        self.machine.enter(at.state)
        return found

    def _value(self, term: Term, names: Sequence[str], frame: list[Any]) -> Any:
        try:
            return self.machine.closure(term, names)(list(frame))
        except Undefined:
            return _UNKNOWN

    def _reader(self, term: Term, place: Mapping[Term, int]) -> _Read:
        """A condition as a function of the values of its leaves, by Kleene's strong tables; `place` is where each
        leaf's value stands."""
        if term in place:
            at = place[term]
            return lambda values: values[at]
        match term:
            case m.Lit(value=value):
                return lambda _: value
            case m.AndT(items=items) | m.OrT(items=items):
                return _junction([self._reader(item, place) for item in items], isinstance(term, m.AndT))
            case m.NotT(of=of):
                return _strict(lambda a: not a, self._reader(of, place))
            case m.Ite(condition=condition, then=then, otherwise=otherwise):
                test, yes, no = (self._reader(t, place) for t in (condition, then, otherwise))
                return lambda values: (
                    _UNKNOWN if (c := test(values)) is _UNKNOWN else yes(values) if c else no(values)
                )
            case m.CompareT(op=op, left=left, right=right):
                return _strict(
                    lambda a, b: _compare(op, a, b), self._reader(left, place), self._reader(right, place)
                )
            case m.ArithT(op=("+" | "-" | "*") as op, left=left, right=right):
                return _strict(_ARITHMETIC[op], self._reader(left, place), self._reader(right, place))
            case m.CallF(function=name, args=args):
                function = self.program.functions[name]
                by = dict(zip((p.name for p in function.params), args, strict=True))
                return self._reader(substitute(function.body, by), place)
            case _:
                return lambda _: _UNKNOWN

    def _model(self, lists: Sequence[_List], whole: int) -> str:
        assert self.stock is not None
        lengths = " and ".join(f"{one.length} to {self.shown.term(one.term)}" for one in lists)
        options = " / ".join(dict.fromkeys(name for _, name in self.stock.options))
        each = self.stock.copies
        return (
            f"{lengths}, drawn one by one from {whole}, {each} of each {self.stock.type.name} ({options} = {each}); "
            "every order alike, all else as in the example"
        )


class _Unknown:
    """What nobody can tell."""


_UNKNOWN = _Unknown()

_Read: TypeAlias = Callable[[Sequence[Any]], Any]

_ARITHMETIC: Mapping[str, Callable[[Any, Any], Any]] = {"+": add, "-": sub, "*": mul}


def _junction(items: Sequence[_Read], unit: bool) -> _Read:
    def read(values: Sequence[Any]) -> Any:
        unknown = False
        for item in items:
            said = item(values)
            if said is _UNKNOWN:
                unknown = True
            elif bool(said) is not unit:
                return not unit
        return _UNKNOWN if unknown else unit

    return read


def _strict(of: Callable[..., Any], *parts: _Read) -> _Read:
    def read(values: Sequence[Any]) -> Any:
        told = [part(values) for part in parts]
        return _UNKNOWN if any(t is _UNKNOWN for t in told) else of(*told)

    return read


def _compare(op: str, a: Any, b: Any) -> bool:
    if op in ("=", "!="):
        return (a == b and a is not None) is (op == "=")
    match op:
        case "<":
            return bool(a < b)
        case "<=":
            return bool(a <= b)
        case ">":
            return bool(a > b)
        case _:
            return bool(a >= b)


def _contains(term: Term, part: Term) -> bool:
    return term == part or any(_contains(child, part) for child in children(term))


def _falling(n: int, k: int) -> int:
    """How many ways there are to draw k of n one by one."""
    return prod(range(n - k + 1, n + 1)) if k <= n else 0


def _joint(compositions: Sequence[Counter[tuple[int, ...]]], copies: int) -> int:
    """In how many ways lists of these compositions are drawn together, from so many copies of each."""
    ways = [_falling(copies, k) for k in range(40)]
    total = 0
    for chosen in product(*(c.items() for c in compositions)):
        orders = prod(n for _, n in chosen)
        total += orders * prod(ways[sum(parts)] for parts in zip(*(c for c, _ in chosen), strict=True))
    return total
