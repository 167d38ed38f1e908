"""How many things of a kind it takes for terms to be so, or not: where there are fewer, they are the same for ever.

Who is first but for the first, and so on through defines and decisions, takes as many as *some, and some other*; that
there is one here and one there takes two, and *somebody for each of six pegs* takes six. *Everybody has somebody* may
take all that there may be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.terms import Term, children, free_variables
from verifier.prove.reached import called_by

ENDLESS = 1_000_000
"""So many where nobody can tell how many."""

_AT_MOST = {True: ("<", "<="), False: (">", ">=")}

Number = Counter[str]


class Depths:
    """Of each id type and range, by name, how many a term speaks of at once at most, what the term calls included.

    Terms are held on to, so that their place in memory stays theirs.
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self._known: dict[tuple[int, bool], tuple[Term, Number]] = {}
        self._called: dict[tuple[str, bool], Number] = {}

    def of(self, term: Term) -> Number:
        """So many as it may take for a term to be so, or for it not to be, whichever takes more."""
        return self.wanted(term, True) | self.wanted(term, False)

    def wanted(self, term: Term, so: bool) -> Number:
        """So many as it may take for a condition to be so, or, unless `so`, not to be."""
        kept = self._known.get((id(term), so))
        if kept is None:
            kept = self._known[id(term), so] = term, self._found(term, so)
        return kept[1]

    def _found(self, term: Term, so: bool) -> Number:
        match term:
            case m.NotT(of=of):
                return self.wanted(of, not so)
            case m.AndT(items=items) | m.OrT(items=items):
                found = [self.wanted(item, so) for item in items]
                return _together(found) if isinstance(term, m.AndT) == so else _either(found)
            case m.Ite(condition=condition, then=then, otherwise=otherwise):
                one = _together((self.wanted(condition, True), self.wanted(then, so)))
                return one | _together((self.wanted(condition, False), self.wanted(otherwise, so)))
            case m.Quant(kind=kind, domain=domain, where=where, body=body):
                one_will_do = (kind == "some") == so
                of_each = [self.wanted(body, so)]
                if where is not None:
                    of_each.append(self.wanted(where, one_will_do))
                each = _times(_either(of_each), _size(domain))
                number = _together((_one(term), *of_each)) if one_will_do else each
                return number | _either(map(self.of, m.domain_terms(domain)))
            case m.Pick(domain=domain) | m.Fold(domain=domain):
                counted = _either(map(self.of, children(term)))
                if isinstance(term, m.Fold) and isinstance(domain, m.OverValues):
                    counted = _times(counted, _size(domain))
                return _together((_one(term), counted))
            case m.CompareT(op=op, left=m.Fold(kind="number") as fold, right=m.Lit()) if op in _AT_MOST[so]:
                return _either(map(self.of, children(fold)))  # the fewer there are the more it is so
            case m.CallF() | m.Decide():
                return self._of_called(term, so) | _either(map(self.of, children(term)))
            case _:
                return _either(map(self.of, children(term)))

    def _of_called(self, term: m.CallF | m.Decide, so: bool) -> Number:
        name = f"define {term.function}" if isinstance(term, m.CallF) else f"decision {term.decision}"
        if (name, so) not in self._called:
            self._called[name, so] = Counter()  # what calls itself says nothing more by that
            bodies = called_by(self._program, term, set())
            several = isinstance(term, m.Decide)
            self._called[name, so] = _either(
                self.of(body) if several else self.wanted(body, so) for body in bodies
            )
        return self._called[name, so]


def _one(term: m.Quant | m.Pick | m.Fold) -> Number:
    """Of each kind one, so that there is something of the domain; none of what a variable tells of it: whom else
    another term tells, as `next[g]` does, is somebody besides."""
    match term.domain:
        case m.OverEntity(type=ty.EntityT(keys=keys)):
            told = told_parts(term)
            parts = [
                part
                for i, (_, key) in enumerate(keys)
                if not isinstance(told.get(i), m.Var)
                for part in ty.simple_parts(key)
            ]
        case domain:
            parts = list(ty.simple_parts(domain.type))
    return Counter(set(map(str, parts)))


def told_parts(term: m.Quant | m.Pick | m.Fold) -> dict[int, Term]:
    """The parts of a reference that all of what is spoken of have alike, and what tells them: `s.guest = g`, where `g`
    is none of it."""
    tests = term.where.items if isinstance(term.where, m.AndT) else (term.where,)
    told: dict[int, Term] = {}
    for test in tests:
        if isinstance(test, m.CompareT) and test.op == "=":
            for one, other in ((test.left, test.right), (test.right, test.left)):
                match one:
                    case m.Part(of=m.Var(name=term.var), index=index) if term.var not in free_variables(
                        other
                    ):
                        told[index] = other
                    case _:
                        continue
    return told


def _either(found: Iterable[Number]) -> Number:
    most: Number = Counter()
    for one in found:
        most |= one
    return most


def _together(found: Iterable[Number]) -> Number:
    most: Number = Counter()
    for one in found:
        for name, number in one.items():
            most[name] = min(ENDLESS, most[name] + number)
    return most


def _times(found: Number, times: int) -> Number:
    return Counter({name: min(ENDLESS, number * times) for name, number in found.items()})


def _size(domain: m.Domain) -> int:
    """Of how many things something must be so that is to be so of each."""
    match domain:
        case m.OverValues(values=values, type=type_):
            return len(values) or ty.count_values(type_) or ENDLESS
        case m.OverList(type=ty.ListT(maximum=maximum)):
            return maximum
        case _:
            return ENDLESS
