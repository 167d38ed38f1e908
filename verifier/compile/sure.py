"""Decisions that always have an answer, as their cases alone show: so that nobody asks whether there was one.

The cases' conditions are taken apart into propositions, and every way in which these may turn out is tried. Of each at
least one case must apply, and all that do must give one value. A proposition may be undefined where no condition as a
whole is: then the conditions are the same whichever way it turns out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product

from verifier.core.program import DecisionProgram, Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.rewrite import substitute
from verifier.model.terms import Term

MOST = 4096
"""So many ways at most are tried."""

DEEP = 4
"""Functions called within functions that are looked into."""


@dataclass(slots=True)
class Propositions:
    """What the conditions ask: of a value which of a few it is, by the value; and whatever else is true or not."""

    values: dict[Term, int] = field(default_factory=dict)
    """How many values there are."""
    truths: dict[Term, None] = field(default_factory=dict)

    @property
    def ways(self) -> int:
        found = 1 << len(self.truths)
        for count in self.values.values():
            found *= count
        return found

    def each(self) -> Iterator[Mapping[Term, int]]:
        """Every way in which they may turn out."""
        names = [*self.values, *self.truths]
        for turned in product(*(range(n) for n in self.values.values()), *([(0, 1)] * len(self.truths))):
            yield dict(zip(names, turned, strict=True))


def always_answered(program: Program, decision: DecisionProgram) -> bool:
    """Whether some case applies whatever its propositions are, and those that apply together give one value; given that
    no case's condition or value is ever undefined."""
    conditions = [_opened(program, program.functions[case.applies].body, DEEP) for case in decision.cases]
    arguments = [p.name for p in decision.params]
    if any([p.name for p in program.functions[c.applies].params] != arguments for c in decision.cases):
        return False
    asked = Propositions()
    for condition in conditions:
        _propositions(condition, asked)
        if asked.ways > MOST:
            return False
    for turned in asked.each():
        given = {
            case.value for case, condition in zip(decision.cases, conditions, strict=True)
            if _holds(condition, turned)
        }  # fmt: skip
        if len(given) != 1:
            return False
    return True


def _opened(program: Program, term: Term, deep: int) -> Term:
    """A condition with what it calls written out, as far as that is made of propositions."""
    match term:
        case m.AndT(type=type_, items=items):
            return m.AndT(type_, tuple(_opened(program, item, deep) for item in items))
        case m.OrT(type=type_, items=items):
            return m.OrT(type_, tuple(_opened(program, item, deep) for item in items))
        case m.NotT(type=type_, of=of):
            return m.NotT(type_, _opened(program, of, deep))
        case m.CallF(function=name, args=args) if deep:
            function = program.functions[name]
            by = {p.name: arg for p, arg in zip(function.params, args, strict=True)}
            return _opened(program, substitute(function.body, by), deep - 1)
        case _:
            return term


def _propositions(condition: Term, found: Propositions) -> None:
    match condition:
        case m.AndT(items=items) | m.OrT(items=items):
            for item in items:
                _propositions(item, found)
        case m.NotT(of=of):
            _propositions(of, found)
        case m.Lit():
            pass
        case m.CompareT(left=left, right=m.Lit(value=int())) if isinstance(left.type, ty.EnumT):
            found.values[left] = len(left.type.values)
        case _:
            found.truths[condition] = None


def _holds(condition: Term, turned: Mapping[Term, int]) -> bool:
    match condition:
        case m.AndT(items=items):
            return all(_holds(item, turned) for item in items)
        case m.OrT(items=items):
            return any(_holds(item, turned) for item in items)
        case m.NotT(of=of):
            return not _holds(of, turned)
        case m.Lit(value=value):
            return bool(value)
        case m.CompareT(op=op, left=left, right=m.Lit(value=int() as value)) if left in turned:
            return m.COMPARED[op](turned[left], value)
        case _:
            return bool(turned[condition])


__all__ = ["always_answered"]
