"""How many things of a kind terms speak of at once: where there are fewer, such a term is the same for ever.

Who is first but for the first, and so on through defines and decisions, speaks of as many as *some, and some other*.
"""

from __future__ import annotations

from collections import Counter

from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.terms import Term, children
from verifier.prove.reached import called_by


class Depths:
    """Of each id type and range, by name, how many a term speaks of at once at most: those bound within one another,
    what the term calls included. Terms are held on to, so that their place in memory stays theirs."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._known: dict[int, tuple[Term, Counter[str]]] = {}
        self._called: dict[str, Counter[str]] = {}

    def of(self, term: Term) -> Counter[str]:
        kept = self._known.get(id(term))
        if kept is None:
            kept = self._known[id(term)] = term, self._found(term)
        return kept[1]

    def _found(self, term: Term) -> Counter[str]:
        found: Counter[str] = Counter()
        for child in children(term):
            found |= self.of(child)
        match term:
            case m.CallF() | m.Decide():
                return found | self._of_called(term)
            case m.Quant(domain=domain) | m.Pick(domain=domain) | m.Fold(domain=domain):
                return found + Counter(set(map(str, ty.simple_parts(domain.type))))
            case _:
                return found

    def _of_called(self, term: m.CallF | m.Decide) -> Counter[str]:
        name = f"define {term.function}" if isinstance(term, m.CallF) else f"decision {term.decision}"
        if name not in self._called:
            self._called[name] = Counter()  # what calls itself says nothing more by that
            found: Counter[str] = Counter()
            for body in called_by(self._program, term, set()):
                found |= self.of(body)
            self._called[name] = found
        return self._called[name]
