"""What is undefined for want of options, told by the kernel itself: which options, a bit each.

A module is compiled for options that are not stated. What reads one of them notes it in `$lack` where it is undefined,
and so does, as `OTHER`, what is undefined for any other reason. A truth value that is defined leaves `$lack` as it was:
so that it holds, of what is undefined, all reasons that the interpreter gives, and if `Lacking.exact` no others.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field

from verifier.compile.depends import Atom, called, direct
from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model.terms import Term, subterms

MOST = 60
"""So many unstated options have a bit."""


@dataclass(slots=True)
class Lacking:
    """Which of the `unstated` options functions and terms read, in what they call too. `found` are parts of the state
    that may have no value, each with what may then be lacking."""

    program: Program
    unstated: tuple[str, ...]
    found: Mapping[Atom, frozenset[str]] = field(default_factory=dict)
    bits: dict[str, int] = field(init=False)
    _reached: dict[str, frozenset[str]] = field(default_factory=dict)
    _of: dict[int, tuple[Term, frozenset[str]]] = field(default_factory=dict)
    """By the identity of the term, which is held here so that no other has it."""
    _exactly: dict[str, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.bits = {name: 1 << i for i, name in enumerate(self.unstated)}

    def reached(self, name: str) -> frozenset[str]:
        """The options that a function reads, or with `decide ` in front a decision."""
        if not self.unstated:
            return frozenset()
        if name not in self._reached:
            found: set[str] = set()
            reached, rest = {name}, [name]
            while rest:
                for body in self._bodies(rest.pop()):
                    options, names = self._direct(body)
                    found |= options
                    rest += names - reached
                    reached |= names
            self._reached[name] = frozenset(found)
        return self._reached[name]

    def of(self, term: Term) -> frozenset[str]:
        """The options that a term reads."""
        if not self.unstated:
            return frozenset()
        known = self._of.get(id(term))
        if known is None:
            options, names = self._direct(term)
            known = self._of[id(term)] = term, options.union(*(self.reached(name) for name in names))
        return known[1]

    def exact(self, term: Term) -> bool:
        """Whether, where a term is undefined, `$lack` says nothing but why, even if it lacks several options."""
        if len(self.of(term)) < 2:
            return True
        match term:
            case m.AndT(items=items) | m.OrT(items=items):
                return all(self.exact(item) for item in items)
            case m.NotT(of=of):
                return self.exact(of)
            case m.Quant(domain=domain, where=where, body=body):
                fixed = not any(self.of(part) for part in m.domain_terms(domain))
                return fixed and self.exact(body) and (where is None or self.exact(where))
            case m.CallF(function=name, args=args):
                return not any(self.of(arg) for arg in args) and self.exactly(name)
            case m.Get() | m.Field() | m.Count():
                # of what has no value it is kept for which reason
                return not any(self.of(child) for child in m.children(term))
            case m.BrokenT():
                return True
            case m.Ite(condition=condition, then=then, otherwise=otherwise):
                return all(self.exact(part) for part in (condition, then, otherwise))
            case _:
                return False

    def exactly(self, name: str) -> bool:
        """As `exact`, of a function."""
        if name not in self._exactly:
            self._exactly[name] = False  # of one that calls itself
            self._exactly[name] = self.exact(self.program.functions[name].body)
        return self._exactly[name]

    def _bodies(self, name: str) -> list[Term]:
        if not name.startswith("decide "):
            return [self.program.functions[name].body]
        cases = self.program.decisions[name.removeprefix("decide ")].cases
        return [term for case in cases for term in (self.program.functions[case.applies].body, case.value)]

    def _direct(self, term: Term) -> tuple[frozenset[str], frozenset[str]]:
        """The options that a term reads itself, and what it calls."""
        parts = list(subterms(term))
        options = {one.name for one in parts if isinstance(one, m.OptionGet) and one.name in self.bits}
        for atom in {atom for one in parts for atom in direct(one)} & self.found.keys():
            options |= self.found[atom]
        return frozenset(options), frozenset(name for one in parts if (name := called(one)) is not None)


def unstated_in(program: Program, stated: Container[str]) -> tuple[str, ...]:
    """The options not stated on which it hangs what is forbidden, permitted or due, as far as each has a bit."""
    names = tuple(name for name in program.ruleset.options if name not in stated)
    if not names:
        return ()
    lacks = Lacking(program, names)
    many = (program.prohibitions, program.permissions, program.endings)
    conditions = {norm.applies for of in many for norms in of.values() for norm in norms}
    conditions |= {duty.pending for duty in program.duties}
    read = frozenset[str]().union(*(lacks.reached(condition) for condition in conditions))
    return tuple(name for name in names if name in read)[:MOST]


__all__ = ["Lacking", "unstated_in"]
