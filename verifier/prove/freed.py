"""Lawfulness within a scope, less what only its size says: a rule may leave free among more what it forbids among few.

*Nobody raises twelve times unless two are in the hand*: in a scope with one person it would be taken for a law that
nobody does. There whether two are in the hand is not known, and the rule is taken to bind nothing that it might not
bind among more: neither what it counts, nor what it says of another person than the one at hand.

Counts within what decisions answer, and in amounts, are taken as they are within the scope.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain, repeat

from verifier.core.absent import NO, YES
from verifier.core.absent import all_of as _and
from verifier.core.absent import negated as _not
from verifier.core.absent import some_of as _or
from verifier.core.lawful import Part, parts
from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model.rewrite import substitute
from verifier.model.terms import Term, children, free_variables
from verifier.model.types import BOOL
from verifier.prove.counted import settled_by_size
from verifier.prove.scope import Scope
from verifier.prove.transitions import read_by

Names = frozenset[str]
NONE: Names = frozenset()


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


def hanging(program: Program, scope: Scope, events: Iterable[str]) -> list[Term]:
    """Conditions of what the events need, and of what they change, of which the size of the scope settles something."""
    freeing, ruleset = _Freeing(program, scope), program.ruleset
    terms = [need for event in events for need in ruleset.events[event].needs]
    for event in events:
        terms += chain.from_iterable(map(read_by, ruleset.mechanics.get(event, ())))
    return [term for term in terms if freeing.either(term)]


MOST_KEPT = 4
"""What was found of so many scopes is kept."""


@dataclass(slots=True)
class _Freeing:
    """What of one program's terms the size of one scope settles. Terms that are kept by their place in memory are held
    on to, so that it stays theirs."""

    program: Program
    scope: Scope
    _known: dict[tuple[int, bool, Names], bool] = field(default_factory=dict)
    _functions: dict[tuple[str, bool, Names], bool] = field(default_factory=dict)
    _held: list[Term] = field(default_factory=list)

    def most(self, term: Term, wanted: bool, all_: Names = NONE) -> Term:
        """The term; or, where that might be as `wanted` in a larger scope for its size alone, one that is. `all_` are
        the variables that stand for each thing there is."""
        if not self._hangs(term, wanted, all_):
            return term
        match term:
            case m.NotT(of=of):
                return _not(self.most(of, not wanted, all_))
            case m.AndT(items=items):
                return _and(*(self.most(item, wanted, all_) for item in items))
            case m.OrT(items=items):
                return _or(*(self.most(item, wanted, all_) for item in items))
            case m.AfterT(of=of):
                return m.AfterT(BOOL, self.most(of, wanted, all_))
            case m.CallF(function=name, args=args):
                function = self.program.functions[name]
                by = {param.name: arg for param, arg in zip(function.params, args, strict=True)}
                return self.most(substitute(function.body, by), wanted, all_)
            case m.Ite(condition=condition, then=then, otherwise=otherwise):
                then, otherwise = self.most(then, wanted, all_), self.most(otherwise, wanted, all_)
                if not self.either(condition, all_):
                    return m.Ite(BOOL, condition, then, otherwise)
                return _or(then, otherwise) if wanted else _and(then, otherwise)
            case m.Quant(kind=kind, var=var, domain=domain, where=where, body=body):
                every = (kind == "every") == wanted
                pinned = not every and where is not None and _pins(var, where)
                each = all_ - {var} if pinned else all_ | {var}
                where = None if where is None else self.most(where, wanted == (kind == "some"), each)
                told = m.Quant(BOOL, kind, var, domain, where, self.most(body, wanted, each))
                if every or not self._hangs(told, wanted, all_):
                    return told
                return _settled(wanted)  # of another one, who may be in a larger scope, nothing is known here
            case _:
                return _settled(wanted)

    def _hangs(self, term: Term, wanted: bool, all_: Names = NONE) -> bool:
        """Whether a condition that is not as `wanted` might be in a larger scope, for its size alone.

        Where there is one person all is his, and *is it his?* is yes. Where yes is wanted, where it is asked of each
        thing there is, or where it only chooses what is counted, that leaves out what is not his, and no more.
        """
        key = id(term), wanted, all_
        if key not in self._known:
            self._held.append(term)
            self._known[key] = self._found(term, wanted, all_)
        return self._known[key]

    def _found(self, term: Term, wanted: bool, all_: Names) -> bool:
        match term:
            case m.CompareT(op=op) if (
                settled := settled_by_size(self.program, self.scope, term)
            ) is not None:
                chosen = not all_.isdisjoint(free_variables(term))
                return settled == "counted" or ((op == "=") != wanted and not chosen)
            case m.NotT(of=of):
                return self._hangs(of, not wanted, all_)
            case m.AndT() | m.OrT() | m.AfterT():
                return any(self._hangs(child, wanted, all_) for child in children(term))
            case m.Ite(condition=condition, then=then, otherwise=otherwise) if term.type == BOOL:
                ways = (then, otherwise)
                return self.either(condition, all_) or any(self._hangs(way, wanted, all_) for way in ways)
            case m.Quant(kind=kind, var=var, where=where, body=body):
                each = all_ | {var} if (kind == "every") == wanted else all_ - {var}
                chosen = wanted if kind == "some" else not wanted
                if where is not None and self._hangs(where, chosen, each):
                    return True
                return self._hangs(body, wanted, each)
            case m.CallF(function=name, args=args):
                params = self.program.functions[name].params
                told = zip(params, args, strict=True)
                each = frozenset(p.name for p, arg in told if not all_.isdisjoint(free_variables(arg)))
                key = name, wanted, each
                if key not in self._functions:
                    self._functions[key] = False  # what calls itself says nothing more by that
                    self._functions[key] = self._hangs(self.program.functions[name].body, wanted, each)
                return self._functions[key] or any(self.either(arg, all_) for arg in args)
            case m.Fold(var=var, where=where, body=body):
                each = all_ - {var}
                chosen = where is not None and self._hangs(where, True, each)
                return chosen or (body is not None and self.either(body, each))
            case m.Decide(decision=name):
                return self._decided(name)
            case m.Pick(var=var, where=where):
                return where is not None and self._hangs(where, True, all_ - {var})
            case _:
                return any(self.either(child, all_) for child in children(term))

    def _decided(self, name: str) -> bool:
        """Whether what a decision answers hangs on the size of the scope."""
        key = f"decision {name}", True, NONE
        if key not in self._functions:
            self._functions[key] = False
            cases = self.program.decisions[name].cases
            bodies = [self.program.functions[case.applies].body for case in cases]
            values = [case.value for case in cases]
            self._functions[key] = any(map(self.either, bodies, repeat(NONE))) or any(
                self.either(value, NONE) for value in values
            )
        return self._functions[key]

    def either(self, term: Term, all_: Names = NONE) -> bool:
        """Whether it hangs on the size of the scope, be it yes or no."""
        if term.type == BOOL:
            return self._hangs(term, True, all_) or self._hangs(term, False, all_)
        return self._hangs(term, True, all_)


def _pins(var: str, where: Term) -> bool:
    """Whether a condition says which one a variable stands for."""
    for test in where.items if isinstance(where, m.AndT) else (where,):
        if isinstance(test, m.CompareT) and test.op == "=":
            for one, other in ((test.left, test.right), (test.right, test.left)):
                if one == m.Var(one.type, var) and var not in free_variables(other):
                    return True
    return False


def _settled(wanted: bool) -> Term:
    return YES if wanted else NO


_KEPT: list[_Freeing] = []
