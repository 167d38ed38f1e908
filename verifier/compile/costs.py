"""What it takes to evaluate a term, roughly: so that what is quickly false is asked first.

The order of a conjunction's or disjunction's parts changes no value (`and` and `or` are Kleene's); it changes how soon
the value is known.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from verifier.compile.names import OWN
from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model.terms import Term, children
from verifier.model.types import BOOL

LOOP = 100
ANY = 10
"""For whether some entity meets a condition on it alone: a bit each tells."""
CALL = 12
ANSWER = 60
"""For a decision: all its cases may have to be asked."""
ROW = 3
"""For an entity's row to be found."""
MOST = 100_000


@dataclass(slots=True)
class Costs:
    """The costs of a program's terms."""

    program: Program
    functions: dict[str, int] = field(default_factory=dict)
    _terms: dict[int, tuple[Term, int]] = field(default_factory=dict)
    """By identity, which is quicker than to compare them."""
    _under_way: set[str] = field(default_factory=set)

    def of(self, term: Term) -> int:
        """About how many instructions the term takes."""
        known = self._terms.get(id(term))
        if known is None:
            known = self._terms[id(term)] = (term, self._of(term))
        return known[1]

    def _of(self, term: Term) -> int:
        found = 1
        match term:
            case m.Quant(kind="some", where=m.CallF(function=name), body=m.Lit(value=True)) if (
                name.startswith(OWN)
            ):
                return ANY
            case m.Quant() | m.Fold() | m.Pick():
                return min(MOST, LOOP + 4 * sum(self.of(child) for child in children(term)))
            case m.AfterT():
                found = LOOP
            case m.CallF(function=name):
                found = CALL + self._function(name)
            case m.Decide(decision=name):
                found = ANSWER + sum(self._function(c.applies) for c in self.program.decisions[name].cases)
            case m.Field():
                found = ROW
            case _:
                pass
        return min(MOST, found + sum(self.of(child) for child in children(term)))

    def _function(self, name: str) -> int:
        if name not in self.functions:
            if name in self._under_way:
                return ANSWER
            self._under_way.add(name)
            self.functions[name] = self.of(self.program.functions[name].body)
            self._under_way.discard(name)
        return self.functions[name]

    def cheapest_first(self, items: tuple[Term, ...]) -> tuple[Term, ...]:
        """The terms in the order in which they are best asked."""
        return tuple(sorted(items, key=self.of))


def items(term: Term) -> tuple[Term, ...]:
    """The parts of a conjunction."""
    if term == m.Lit(BOOL, True):
        return ()
    return term.items if isinstance(term, m.AndT) else (term,)
