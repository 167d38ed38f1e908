"""How often a group occurs, counted exactly: of all ways to fill the lists of the example, those that are in it.

The model of dealing is stated with the number. What fills a list is drawn without replacement from a stock, which is
what some prohibition says: no value of an event's parameter comes more often than an option allows. Lists are as long
as in the example, every order of drawing counts alike, and all else is as it is there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any, TypeAlias

from verifier.core.program import Program
from verifier.diff.apiece import UNKNOWN, Apiece, Filled, Read, UncountedError
from verifier.diff.merge import Merger
from verifier.diff.names import shown
from verifier.diff.unify import SIDES, Which
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.rewrite import substitute
from verifier.model.ruleset import Option, Param
from verifier.model.terms import Term, children
from verifier.prove.question import Sometimes
from verifier.prove.transitions import Reads
from verifier.run.machine import Machine
from verifier.run.operators import Closure
from verifier.run.state import EXISTS
from verifier.run.undefined import Undefined

MOST_FILLINGS = 5_000
"""A list that can be filled in more ways than this is not counted."""

MOST_PAIRS = 1_500_000
"""Nor are lists that can be filled together in more ways, drawings of one composition being taken as one."""


@dataclass(frozen=True, slots=True)
class Stock:
    """That of each value of a record type there are `copies`, by an option of that name on each side; or on one alone,
    where no prohibition of the other says of how many each is drawn."""

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
    """The stock that both sides have, or the one that has any, with the fewest copies that are allowed; None where
    there is none, or the two allow no one number."""
    found: dict[Which, tuple[ty.RecordT, Option]] = {}
    for which in SIDES:
        one = _stock_of(merger.programs[which])
        if one is not None:
            type_ = merger.common.side(which).type(one[0])
            assert isinstance(type_, ty.RecordT)
            found[which] = type_, one[1]
    types = {type_ for type_, _ in found.values()}
    if len(types) != 1:
        return None
    allowed = [set(_values(option)) for _, option in found.values()]
    copies = set.intersection(*allowed)
    options = tuple((which, option.name) for which, (_, option) in found.items())
    return Stock(types.pop(), min(copies), options) if copies else None


def overdrawn(known: Stock, merger: Merger, program: Program, at: Sometimes) -> bool:
    """Whether lists of one kind hold more of something than there is to draw, by the options of an example."""
    options = [merger.common.side(which).options[name] for which, name in known.options]
    copies = [n for name in options if isinstance(n := at.options.get(name), int)]
    most = min(copies, default=known.copies)
    names = [name for name, _ in known.type.fields]
    for kind, table in at.state.entities.items():
        for f in program.ruleset.entities[kind].fields:
            if not isinstance(f.type, ty.ListT) or not isinstance(f.type.of, ty.RecordT):
                continue
            parts = [name for name, _ in f.type.of.fields]
            if not set(names) <= set(parts):
                continue
            places = [parts.index(name) for name in names]
            lists: list[Any] = [fields.get(f.name, ()) for fields in table.values()]
            drawn = Counter(tuple(x[i] for i in places) for elements in lists for x in elements)
            if any(n > most for n in drawn.values()):
                return True
    return False


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
Compositions: TypeAlias = Counter[tuple[int, ...]]
"""How many orders there are of so many elements of each kind."""


class Counting:
    """Counts groups of one program under one stock."""

    def __init__(self, program: Program, known: Stock | None) -> None:
        self.program = program
        self.stock = known
        self.shown = shown(program)
        self.machine = Machine(program, {})
        self.reads = Reads(program)

    def weight(
        self, condition: Term, lists: Sequence[Term], at: Sometimes, params: Sequence[Param]
    ) -> Weight | str:
        """How often `condition` holds, over all fillings of the lists; or why nobody counts."""
        if self.stock is None:
            return (
                "no prohibition says of how many each is drawn, or the two laws allow no one number of them"
            )
        self.machine.options = dict(at.options)
        self.machine.enter(at.state)
        values = {p.name: m.Lit(p.type, at.values[p.name]) for p in params}
        here = [self._list(term, values, at) for term in lists]
        filled = [one for one in here if one is not None]
        if len(filled) != len(lists) or not filled:
            return "it is open which lists are filled"
        if len({(one.term.entity, one.ref) for one in filled}) != len(filled):
            return "it reads two lists of one thing, and how these hang together nobody says"
        apiece = Apiece(self.program, self.machine, self.reads, self.shown, filled)
        try:
            holds = apiece.reader(condition, values)
            if not all(apiece.parts):
                # What no part reads may hold whatever it does.
                filled = [one for one, parts in zip(filled, apiece.parts, strict=True) if parts]
                apiece = Apiece(self.program, self.machine, self.reads, self.shown, filled)
                holds = apiece.reader(condition, values)
            return self._counted(holds, apiece, at) if filled else "it reads no list that is filled"
        except UncountedError as error:
            return str(error)

    def _list(self, term: Term, values: Mapping[str, m.Lit], at: Sometimes) -> Filled | None:
        if not isinstance(term, m.Field) or not isinstance(term.type, ty.ListT):
            return None
        try:
            ref = self.machine.closure(substitute(term.of, dict(values)), ())([])
        except Undefined:
            return None
        fields = at.state.entities[term.entity].get(ref, {})
        return Filled(term, ref, len(fields.get(term.name, ())))  # type: ignore[arg-type]

    # ------------------------------------------------------------------------------------------------ drawing
    def _counted(self, holds: Read, apiece: Apiece, at: Sometimes) -> Weight:
        assert self.stock is not None
        lists = apiece.lists
        first = lists[0].term.type
        assert isinstance(first, ty.ListT)
        if not isinstance(first.of, ty.RecordT) or any(one.term.type != first for one in lists):
            raise UncountedError("the lists are not of one kind of record")
        element = first.of
        values, copies = self._atoms(
            element, self._visible([t for parts in apiece.parts for t in parts], element)
        )
        if any(len(values) ** one.length > MOST_FILLINGS for one in lists):
            raise UncountedError(
                f"a list can be filled in more than {MOST_FILLINGS:,} ways that can be told apart"
            )
        classes = [
            self._classes(one, list(parts), element, values, at)
            for one, parts in zip(lists, apiece.parts, strict=True)
        ]
        if prod(sum(len(c) for c in by.values()) for by in classes) > MOST_PAIRS:
            raise UncountedError(f"there are more than {MOST_PAIRS:,} ways to fill the lists together")
        ways = sum(
            _joint([by[s] for by, s in zip(classes, signature, strict=True)], copies)
            for signature in product(*classes)
            if holds(signature) is True
        )
        whole = copies * len(values)
        return Weight(ways, _falling(whole, sum(one.length for one in lists)), self._model(lists, whole))

    def _visible(self, terms: Sequence[Term], element: ty.RecordT) -> tuple[int, ...]:
        """The parts of an element that any of the terms reads."""
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

        for term in terms:
            visit(term)
        return tuple(sorted(i for i in found if i < len(element.fields)))

    def _atoms(self, element: ty.RecordT, visible: Sequence[int]) -> tuple[list[tuple[object, ...]], int]:
        """What can be told apart of what is drawn, and how many there are of each."""
        assert self.stock is not None
        drawn = dict(self.stock.type.fields)
        inside = dict(element.fields)
        beside = [t for n, t in element.fields if n not in drawn]
        alone = len(beside) <= 1 and all(isinstance(t, ty.IntT) for t in beside)
        if not alone or any(inside.get(n) != t for n, t in drawn.items()):
            raise UncountedError("what lies in the lists is not what is drawn")
        seen = [n for i, (n, _) in enumerate(element.fields) if i in visible and n in drawn]
        parts: list[list[object]] = []
        hidden = self.stock.copies
        for name, type_ in self.stock.type.fields:
            values = ty.finite_values(type_)
            if values is None:
                raise UncountedError("what is drawn may be any of too many")
            if name in seen:
                parts.append(values)
            else:
                parts.append(values[:1])
                hidden *= len(values)
        return list(product(*parts)), hidden

    def _classes(
        self,
        one: Filled,
        mine: Sequence[Term],
        element: ty.RecordT,
        values: Sequence[tuple[object, ...]],
        at: Sometimes,
    ) -> dict[tuple[Any, ...], Compositions]:
        """The fillings of a list by what the parts that read it say of them, each with its composition and in how many
        orders."""
        assert self.stock is not None
        order = [n for n, _ in self.stock.type.fields]
        found: dict[tuple[Any, ...], Compositions] = {}
        closures = [self.machine.closure(term, ()) for term in mine]
        fields = at.state.entities[one.term.entity].setdefault(one.ref, {EXISTS: True})
        before = fields.get(one.term.name)
        for picked in product(range(len(values)), repeat=one.length):
            elements = []
            for position, index in enumerate(picked, 1):
                parts = dict(zip(order, values[index], strict=True))
                elements.append(tuple(parts.get(n, position) for n, _ in element.fields))
            fields[one.term.name] = tuple(elements)
            self.machine.enter(at.state)
            signature = tuple([_value(closure) for closure in closures])
            composition = Counter(picked)
            key = tuple(composition[i] for i in range(len(values)))
            found.setdefault(signature, Counter())[key] += 1
        if before is None:
            fields.pop(one.term.name, None)
        else:
            fields[one.term.name] = before
        self.machine.enter(at.state)
        return found

    def _model(self, lists: Sequence[Filled], whole: int) -> str:
        assert self.stock is not None
        filled = [one for one in lists if one.length] or lists
        lengths = " and ".join(f"{one.length} to {self.shown.term(one.term)}" for one in filled)
        options = " / ".join(dict.fromkeys(name for _, name in self.stock.options))
        each = self.stock.copies
        number = f"{options} = {each}"
        if len(self.stock.options) == 1:
            ((which, _),) = self.stock.options
            other = "new" if which == "old" else "old"
            number += f" of the {which}, for no prohibition of the {other} says of how many"
        return (
            f"{lengths}, drawn one by one from {whole}, {each} of each {self.stock.type.name} ({number}); "
            "every order alike, all else as in the example"
        )


def _value(closure: Closure) -> Any:
    try:
        return closure([])
    except Undefined:
        return UNKNOWN


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
