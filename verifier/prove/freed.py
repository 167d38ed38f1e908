"""Lawfulness within a scope, less what only its size says: a rule may leave free among more what it forbids among few.

*Nobody raises twelve times unless two are in the hand*: in a scope with one person it would be taken for a law that
nobody does. There whether two are in the hand is not known, and the rule is taken to bind nothing that it might not
bind among more: neither what it counts, nor what it says of another person than the one at hand.

Counts within what decisions answer, and in amounts, are taken as they are within the scope.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from verifier.core.absent import NO, YES
from verifier.core.absent import all_of as _and
from verifier.core.absent import negated as _not
from verifier.core.absent import some_of as _or
from verifier.core.lawful import Part, parts
from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model.rewrite import substitute
from verifier.model.terms import Term, children
from verifier.model.types import BOOL
from verifier.prove.counted import settled_by_size
from verifier.prove.scope import Scope


def freed(program: Program, scope: Scope, event: str, actor: str) -> tuple[Part, ...]:
    """The parts of what makes an event lawful (`verifier.core.lawful.parts`), in their order; where the size of the
    scope settles what a part says, it says what leaves most free."""
    freeing = next((one for one in _KEPT if one.program is program and one.scope == scope), None)
    if freeing is None:
        freeing = _Freeing(program, scope)
        _KEPT.insert(0, freeing)
        del _KEPT[MOST_KEPT:]
    return tuple((rule, why, freeing.most(term, True)) for rule, why, term in parts(program, event, actor))


def unbinding(program: Program, scope: Scope, events: Iterable[str]) -> dict[str, list[Term]]:
    """By rule, those of the parts of what makes the events lawful of which the size of the scope settles something."""
    found: dict[str, list[Term]] = {}
    for event in events:
        for actor in program.ruleset.events[event].by or program.ruleset.actors:
            told = zip(parts(program, event, actor), freed(program, scope, event, actor), strict=True)
            for (rule, _, term), (_, _, most) in told:
                if most is not term:
                    found.setdefault(rule, []).append(term)
    return found


MOST_KEPT = 4
"""What was found of so many scopes is kept."""


@dataclass(slots=True)
class _Freeing:
    """What of one program's terms the size of one scope settles. Terms that are kept by their place in memory are held
    on to, so that it stays theirs."""

    program: Program
    scope: Scope
    _known: dict[tuple[int, bool], bool] = field(default_factory=dict)
    _functions: dict[tuple[str, bool], bool] = field(default_factory=dict)
    _held: list[Term] = field(default_factory=list)

    def most(self, term: Term, wanted: bool) -> Term:
        """The term; or, where that might be as `wanted` in a larger scope for its size alone, one that is."""
        if not self._hangs(term, wanted):
            return term
        match term:
            case m.NotT(of=of):
                return _not(self.most(of, not wanted))
            case m.AndT(items=items):
                return _and(*(self.most(item, wanted) for item in items))
            case m.OrT(items=items):
                return _or(*(self.most(item, wanted) for item in items))
            case m.AfterT(of=of):
                return m.AfterT(BOOL, self.most(of, wanted))
            case m.CallF(function=name, args=args):
                function = self.program.functions[name]
                by = {param.name: arg for param, arg in zip(function.params, args, strict=True)}
                return self.most(substitute(function.body, by), wanted)
            case m.Ite(condition=condition, then=then, otherwise=otherwise):
                then, otherwise = self.most(then, wanted), self.most(otherwise, wanted)
                if not (self._hangs(condition, True) or self._hangs(condition, False)):
                    return m.Ite(BOOL, condition, then, otherwise)
                return _or(then, otherwise) if wanted else _and(then, otherwise)
            case m.Quant(kind=kind, var=var, domain=domain, where=where, body=body) if (
                kind == "every"
            ) == wanted:
                where = None if where is None else self.most(where, not wanted)
                return m.Quant(BOOL, kind, var, domain, where, self.most(body, wanted))
            case _:  # of another one, who may be in a larger scope, nothing is known in this one
                return YES if wanted else NO

    def _hangs(self, term: Term, wanted: bool) -> bool:
        """Whether a condition that is not as `wanted` might be in a larger scope, for its size alone.

        Where there is one person all is his, and *is it his?* is yes. Where yes is wanted, or where it only chooses
        what is counted, that leaves nothing out.
        """
        key = id(term), wanted
        if key not in self._known:
            self._held.append(term)
            self._known[key] = self._found(term, wanted)
        return self._known[key]

    def _found(self, term: Term, wanted: bool) -> bool:
        match term:
            case m.CompareT(op=op) if (
                settled := settled_by_size(self.program, self.scope, term)
            ) is not None:
                return settled == "counted" or (op == "=") != wanted
            case m.NotT(of=of):
                return self._hangs(of, not wanted)
            case m.AndT() | m.OrT() | m.AfterT():
                return any(self._hangs(child, wanted) for child in children(term))
            case m.Ite(condition=condition, then=then, otherwise=otherwise) if term.type == BOOL:
                return self._either(condition) or self._hangs(then, wanted) or self._hangs(otherwise, wanted)
            case m.Quant(kind=kind, where=where, body=body):
                chosen = wanted if kind == "some" else not wanted
                return self._hangs(body, wanted) or (where is not None and self._hangs(where, chosen))
            case m.CallF(function=name, args=args):
                if (name, wanted) not in self._functions:
                    self._functions[name, wanted] = False  # what calls itself says nothing more by that
                    self._functions[name, wanted] = self._hangs(self.program.functions[name].body, wanted)
                return self._functions[name, wanted] or any(map(self._either, args))
            case m.Fold(where=where) | m.Pick(where=where):
                chosen = where is not None and self._hangs(where, True)
                return chosen or (
                    isinstance(term, m.Fold) and term.body is not None and self._either(term.body)
                )
            case _:
                return any(map(self._either, children(term)))

    def _either(self, term: Term) -> bool:
        """Whether it hangs on the size of the scope, be it yes or no."""
        if term.type == BOOL:
            return self._hangs(term, True) or self._hangs(term, False)
        return self._hangs(term, True)


_KEPT: list[_Freeing] = []
