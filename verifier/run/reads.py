"""What of a state the terms of a program read: what reads nothing of it has one value in all states."""

from __future__ import annotations

from collections.abc import Iterable

from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.terms import Domain, Term, children, domain_terms

Place = tuple[str, str]
"""A part of a state: `("field", name)`, all entities of a kind, `("entity", name)`, or the ids that were met, `("ids",
name)`."""

ANYTHING = None
"""What a term reads of which nothing more is known."""


class Reads:
    """Tells what terms of one program read."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._functions: dict[str, frozenset[Place] | None] = {}

    def of(self, term: Term) -> frozenset[Place] | None:
        """The places that the term's value rests on, beside its variables and stated options; or `ANYTHING`."""
        own: frozenset[Place] | None = frozenset()
        match term:
            case m.Decide() | m.Count() | m.BrokenT() | m.AfterT():
                return ANYTHING
            case m.Get(name=name):
                own = frozenset({("field", name)})
            case m.Field(entity=entity):
                own = frozenset({("entity", entity)})
            case m.CallF(function=name):
                own = self._function(name)
            case m.Quant(domain=domain) | m.Fold(domain=domain) | m.Pick(domain=domain):
                own = self.of_domain(domain)
            case _:
                pass
        return together((own, *map(self.of, children(term))))

    def of_domain(self, domain: Domain) -> frozenset[Place] | None:
        """The places that the domain's elements rest on, or `ANYTHING`."""
        match domain:
            case m.OverEntity(entity=entity):
                return frozenset({("entity", entity)})
            case m.OverIds(type=ty.IdT(name=name)):
                return frozenset({("ids", name)})
            case m.OverIds():
                return ANYTHING
            case m.OverValues() | m.OverList():
                return together(map(self.of, domain_terms(domain)))

    def _function(self, name: str) -> frozenset[Place] | None:
        if name not in self._functions:
            function = self.program.functions.get(name)
            self._functions[name] = ANYTHING if function is None else self.of(function.body)
        return self._functions[name]


def together(places: Iterable[frozenset[Place] | None]) -> frozenset[Place] | None:
    """All of the places, or `ANYTHING` where one is that."""
    found: set[Place] = set()
    for some in places:
        if some is None:
            return ANYTHING
        found |= some
    return frozenset(found)
