"""How a program's things look, as far as it is known from states drawn before: what no state changes, and each part of
a scene as it was last drawn, for as long as nothing is different that it reads.

All is kept with the machine, under the objects of the ruleset that say it: the program keeps them alive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, TypeVar

from verifier.model.ruleset import Ruleset
from verifier.model.terms import (
    CompareT,
    Domain,
    Get,
    OverEntity,
    OverIds,
    OverList,
    OverValues,
    Term,
    Var,
    children,
)
from verifier.model.types import IdT, OptT, Type
from verifier.model.views import Grid, Lay, Many, Ring, Row, View, type_name
from verifier.run.facts import Scope
from verifier.run.machine import Machine
from verifier.run.reads import Place, Reads, together

Key = tuple[int, tuple[Any, ...]]

T = TypeVar("T")

MOST = 10_000
"""So many things of one type are kept as they were last drawn."""


@dataclass(slots=True)
class Face:
    """What is known of how the values of one type look. `moves` are the parts of their view that hang on the state, by
    the names of a thing's fields; `known` are the things as they were last drawn, by value."""

    bare: Type
    kind: str | None
    view: View | None
    moves: frozenset[str]
    told: frozenset[str] | None
    """Where they are ids: the fields with which all that moves compares the id, if it does nothing else with it. Then
    ids that are the value of none of these fields look alike in what moves."""
    known: dict[Any, Any] = field(default_factory=dict)
    moving: Callable[[Any], Any] = field(init=False)
    """What moves, of a thing."""

    def __post_init__(self) -> None:
        self.moving = attrgetter(*sorted(self.moves)) if self.moves else lambda thing: None

    def keep(self, value: Any, thing: T) -> T:
        """The thing, kept as the value's."""
        if len(self.known) >= MOST:
            self.known.clear()
        self.known[value] = thing
        return thing


@dataclass(slots=True)
class Looks:
    """`values` are of what no state changes, `parts` as last drawn, each with what was read for it."""

    machine: Machine
    reads: Reads
    values: dict[Key, Any] = field(default_factory=dict)
    parts: dict[object, tuple[list[Any], Any]] = field(default_factory=dict)
    _places: dict[object, frozenset[Place] | None] = field(default_factory=dict)
    _faces: dict[int, Face] = field(default_factory=dict)

    @staticmethod
    def of(machine: Machine) -> Looks:
        """Those that the machine keeps."""
        found = machine.kept.get(Looks)
        if not isinstance(found, Looks):
            found = machine.kept[Looks] = Looks(machine, Reads(machine.program))
        return found

    def face(self, type_: Type) -> Face:
        """What is known of a type's looks."""
        found = self._faces.get(id(type_))
        if found is None:
            bare = type_.of if isinstance(type_, OptT) else type_
            kind = type_name(bare)
            view = self.machine.ruleset.views.get(kind or "")
            found = self._faces[id(type_)] = self._face(bare, kind, view)
        return found

    def _face(self, bare: Type, kind: str | None, view: View | None) -> Face:
        if view is None:
            return Face(bare, kind, None, frozenset(), None)
        terms: dict[str, list[Term | None]] = {
            "lines": [t for line in view.words for t in (*line.values, line.when)],
            "colour": [said.when for said in view.colours],
            "marks": [said.when for said in view.marks],
            "faded": [*view.faded],
        }
        moves = {name for name, those in terms.items() if not all(map(self._is_fixed, those))}
        told: frozenset[str] | None = None
        if isinstance(bare, IdT) and not view.holds:
            told = told_by((t for name in moves for t in terms[name] if t is not None), view.var)
        return Face(bare, kind, view, frozenset(moves | ({"holds"} if view.holds else set())), told)

    def _is_fixed(self, what: Term | Domain | None) -> bool:
        if what is None:
            return True
        if id(what) not in self._places:
            domain = isinstance(what, OverValues | OverEntity | OverList | OverIds)
            self._places[id(what)] = self.reads.of_domain(what) if domain else self.reads.of(what)  # type: ignore[arg-type]
        return self._places[id(what)] == frozenset()

    def fixed(self, what: Term | Domain, scope: Scope, find: Callable[[], T]) -> T:
        """What `find` finds of a term or a domain: once, where no state can change it."""
        if not self._is_fixed(what):
            return find()
        key = id(what), tuple([value for _, value in scope.values()])
        if key not in self.values:
            self.values[key] = find()
        found: T = self.values[key]
        return found

    def part(self, what: tuple[Row | Ring | Grid | Lay, ...], draw: Callable[[], T]) -> T:
        """What `draw` draws of a scene's part with what lies on it: anew only where what it reads is different."""
        key = tuple(map(id, what))
        if key not in self._places:
            self._places[key] = together(map(self._read_by, what))
        places = self._places[key]
        if places is None:
            return draw()
        read = [self._at(kind, name) for kind, name in sorted(places)]
        read += [dict(self.machine.lost), dict(self.machine.lost_ids)]
        last = self.parts.get(key)
        if last is None or last[0] != read:
            last = self.parts[key] = (read, draw())
        found: T = last[1]
        return found

    def _at(self, kind: str, name: str) -> Any:
        """What the state has at a place."""
        state = self.machine.state
        match kind:
            case "field":
                return state.fields[name]
            case "entity":
                return state.entities[name]
            case _:
                return list(state.ids[name])  # the ids of a table are written to in place

    def _read_by(self, part: Row | Ring | Grid | Lay) -> frozenset[Place] | None:
        match part:
            case Row(many=many) | Ring(many=many):
                found = self._many([many])
            case Grid(many=many, across=across, down=down):
                found = together((self._many([many]), self.reads.of(across), self.reads.of(down)))
            case Lay(many=many, on=on):
                found = self._many([many, on])
        return found

    def _many(self, those: list[Many]) -> frozenset[Place] | None:
        return together(
            self.reads.of_domain(item)
            if isinstance(item, OverValues | OverEntity | OverList | OverIds)
            else self.reads.of(item)
            for item in _terms(those, self.machine.program.ruleset)
        )


def told_by(terms: Iterable[Term], var: str) -> frozenset[str] | None:
    """The fields of the state with which the terms compare their variable, if they do nothing else with it."""
    found: set[str] = set()
    for term in terms:
        match term:
            case Var(name=name):
                inside = None if name == var else frozenset[str]()
            case (
                CompareT(op="=" | "!=", left=Get(name=field, key=None), right=Var(name=name))
                | CompareT(op="=" | "!=", left=Var(name=name), right=Get(name=field, key=None))
            ) if name == var:
                inside = frozenset((field,))
            case _:
                inside = told_by(children(term), var)
        if inside is None:
            return None
        found |= inside
    return frozenset(found)


def _terms(those: list[Many], ruleset: Ruleset) -> Iterator[Term | Domain]:
    """All that says which things are drawn, how they look, and what they hold."""
    seen: set[str] = set()
    rest = list(those)
    while rest:
        many = rest.pop()
        yield many.domain
        if many.where is not None:
            yield many.where
        name = type_name(many.element)
        if name is None or name in seen or name not in ruleset.views:
            continue
        seen.add(name)
        yield from ruleset.views[name].terms()
        rest += ruleset.views[name].holds
