"""Which parameters of an event decide what it reads and writes, and which only what it writes there."""

from __future__ import annotations

from dataclasses import dataclass, field

from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.ruleset import Append, Each, FieldTarget, New, StateTarget, Target, Update, Write
from verifier.model.terms import Term, children, free_variables


def steering(program: Program, event: str) -> frozenset[str]:
    """The parameters of an event that make up the references and keys that its mechanics read and write.

    Parameters that are references, ids, parties or texts themselves are always among them.
    """
    reader = _Steering(program)
    found: set[str] = set()
    for update in program.ruleset.mechanics.get(event, ()):
        found |= reader.update(update)
    for need in program.ruleset.events[event].needs:
        found |= reader.term(need)
    names = {p.name for p in program.ruleset.events[event].params if isinstance(p.type, _ALWAYS)}
    return frozenset(names | found & {p.name for p in program.ruleset.events[event].params})


_ALWAYS = ty.EntityT | ty.IdT | ty.PartyT | ty.TextT


@dataclass(slots=True)
class _Steering:
    """Which variables of a term make up references or keys; within a function, which of its parameters do."""

    program: Program
    _functions: dict[str, frozenset[str]] = field(default_factory=dict)

    def update(self, update: Update) -> set[str]:
        match update:
            case Write(target=target, value=value, when=when) | Append(target=target, value=value, when=when):
                return self._target(target) | self.term(value) | (self.term(when) if when else set())
            case New(of=of, when=when):
                return set(free_variables(of)) | self.term(of) | (self.term(when) if when else set())
            case Each(domain=domain, where=where, update=inner):
                found = self.update(inner) | (self.term(where) if where else set())
                return found.union(*(self.term(t) for t in m.domain_terms(domain)))

    def _target(self, target: Target) -> set[str]:
        match target:
            case StateTarget(key=None):
                return set()
            case StateTarget(key=key) if key is not None:
                return set(free_variables(key)) | self.term(key)
            case FieldTarget(of=of):
                return set(free_variables(of)) | self.term(of)
            case _:
                raise AssertionError(target)

    def term(self, term: Term) -> set[str]:
        """The variables of a term that make up a reference or a key in it."""
        found: set[str] = set()
        match term:
            case m.Make(type=ty.EntityT()):
                found |= free_variables(term)
            case m.Get(key=key) if key is not None:
                found |= free_variables(key)
            case m.CallF(function=name, args=args):
                inside = self._function(name)
                params = self.program.functions[name].params
                for param, arg in zip(params, args, strict=True):
                    if param.name in inside:
                        found |= free_variables(arg)
            case _:
                pass
        for child in children(term):
            found |= self.term(child)
        return found

    def _function(self, name: str) -> frozenset[str]:
        if name not in self._functions:
            self._functions[name] = frozenset()
            self._functions[name] = frozenset(self.term(self.program.functions[name].body))
        return self._functions[name]
