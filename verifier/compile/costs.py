"""What it takes to evaluate a term, roughly: so that what is quickly false is asked first.

The order of a conjunction's or disjunction's parts changes no value (`and` and `or` are Kleene's); it changes how soon
the value is known.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from verifier.compile.facts import is_length
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
KEPT = 3
"""For a function or decision whose value is kept to be looked up, its call apart."""
ROW = 3
"""For an entity's row to be found."""
MOST = 100_000


@dataclass(slots=True)
class Costs:
    """The costs of a program's terms. `keeps`: of what is called, by its name (decisions with `decide ` in front) and
    what it takes, whether its values are kept."""

    program: Program
    keeps: Callable[[str, int], bool] | None = None
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
            case m.Fold() if is_length(term):
                pass
            case m.Quant() | m.Fold() | m.Pick():
                return min(MOST, LOOP + 4 * sum(self.of(child) for child in children(term)))
            case m.AfterT():
                found = LOOP
            case m.CallF(function=name):
                found = CALL + self._asked(name)
            case m.Decide(decision=name):
                found = CALL + self._asked(f"decide {name}")
            case m.Field():
                found = ROW
            case _:
                pass
        return min(MOST, found + sum(self.of(child) for child in children(term)))

    def _asked(self, name: str) -> int:
        """A function or decision, its call apart."""
        found = self.called(name)
        return min(found, KEPT) if self.keeps is not None and self.keeps(name, found) else found

    def called(self, name: str) -> int:
        """A function, or with `decide ` in front a decision, where its value is not kept."""
        if name not in self.functions:
            if name in self._under_way:
                return ANSWER
            self._under_way.add(name)
            if name.startswith("decide "):
                cases = self.program.decisions[name.removeprefix("decide ")].cases
                found = ANSWER - CALL + sum(self._asked(case.applies) for case in cases)
            else:
                found = self.of(self.program.functions[name].body)
            self.functions[name] = min(MOST, found)
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
