"""How a program's things look, as far as it is known from states drawn before: what no state changes, and each part of
a scene as it was last drawn, for as long as nothing is different that it reads.

All is kept with the machine, under the objects of the ruleset that say it: the program keeps them alive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeVar

from verifier.model.ruleset import Ruleset
from verifier.model.terms import Domain, OverEntity, OverIds, OverList, OverValues, Term
from verifier.model.views import Grid, Lay, Many, Ring, Row, type_name
from verifier.run.facts import Scope
from verifier.run.machine import Machine
from verifier.run.reads import Place, Reads, together

Key = tuple[int, tuple[Any, ...]]

T = TypeVar("T")


@dataclass(slots=True)
class Looks:
    """`values` are of what no state changes, `parts` as last drawn, each with what was read for it."""

    machine: Machine
    reads: Reads
    values: dict[Key, Any] = field(default_factory=dict)
    parts: dict[object, tuple[list[Any], Any]] = field(default_factory=dict)
    _places: dict[object, frozenset[Place] | None] = field(default_factory=dict)

    @staticmethod
    def of(machine: Machine) -> Looks:
        """Those that the machine keeps."""
        found = machine.kept.get(Looks)
        if not isinstance(found, Looks):
            found = machine.kept[Looks] = Looks(machine, Reads(machine.program))
        return found

    def fixed(self, what: Term | Domain, scope: Scope, find: Callable[[], T]) -> T:
        """What `find` finds of a term or a domain: once, where no state can change it."""
        if id(what) not in self._places:
            domain = isinstance(what, OverValues | OverEntity | OverList | OverIds)
            self._places[id(what)] = self.reads.of_domain(what) if domain else self.reads.of(what)  # type: ignore[arg-type]
        if self._places[id(what)] != frozenset():
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
        state, lost = self.machine.state, self.machine.lost
        read = [(state.fields if kind == "field" else state.entities)[name] for kind, name in sorted(places)]
        read.append(dict(lost))
        last = self.parts.get(key)
        if last is None or last[0] != read:
            last = self.parts[key] = (read, draw())
        found: T = last[1]
        return found

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
