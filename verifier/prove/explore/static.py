"""What reads what, and which events write it: so that play goes where something is still to be seen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model.terms import Term, children
from verifier.run.apply import written_by

Place = str
"""`field` of the state, `Entity.field`, `new Entity`, `latch N` or `breach N`."""


@dataclass(slots=True)
class Reads:
    """The places that each function and decision of a program reads, with those of what it calls."""

    program: Program
    _functions: dict[str, frozenset[Place]] = field(default_factory=dict)
    _decisions: dict[str, frozenset[Place]] = field(default_factory=dict)

    def function(self, name: str) -> frozenset[Place]:
        """What a function reads."""
        if name not in self._functions:
            self._functions[name] = frozenset()
            self._functions[name] = self.terms([self.program.functions[name].body])
        return self._functions[name]

    def decision(self, name: str) -> frozenset[Place]:
        """What a decision reads: when its cases apply, and what they give."""
        if name not in self._decisions:
            self._decisions[name] = frozenset()
            cases = self.program.decisions[name].cases
            found = self.terms(case.value for case in cases)
            self._decisions[name] = found.union(*(self.function(case.applies) for case in cases))
        return self._decisions[name]

    def terms(self, terms: Iterable[Term]) -> frozenset[Place]:
        """What terms read."""
        found: set[Place] = set()
        rest = list(terms)
        while rest:
            term = rest.pop()
            rest += children(term)
            found.update(self._own(term))
        return frozenset(found)

    def _own(self, term: Term) -> Iterator[Place]:
        match term:
            case m.Get(name=name):
                yield name
            case m.Field(entity=entity, name=name):
                yield f"{entity}.{name}"
            case m.Count(latch=latch):
                yield f"latch {latch}"
            case m.BrokenT(latch=latch):
                yield f"breach {latch}"
            case m.CallF(function=name):
                yield from self.function(name)
            case m.Decide(decision=name):
                yield from self.decision(name)
            case (
                m.Quant(domain=m.OverEntity(entity=entity))
                | m.Fold(domain=m.OverEntity(entity=entity))
                | m.Pick(domain=m.OverEntity(entity=entity))
            ):
                yield f"new {entity}"
            case _:
                return


def writers(program: Program) -> dict[Place, tuple[str, ...]]:
    """The kinds of event that write each place, other than by ending a life."""
    found: dict[Place, dict[str, None]] = {}
    for event, updates in program.ruleset.mechanics.items():
        for update in updates:
            for place in written_by(update):
                found.setdefault(place, {})[event] = None
    for index, latch in enumerate(program.ruleset.latches):
        for name in (latch.event, latch.reset):
            if name is not None:
                found.setdefault(f"latch {index}", {})[name] = None
    return {place: tuple(events) for place, events in found.items()}
