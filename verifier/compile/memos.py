"""Which functions are written out where they are called, and whose values are kept, and for how long.

Judging one event asks for the same few things again and again. What reads only the fields of one entity is kept until
one of them is written to; what reads more is kept while an event is judged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.ruleset import Param
from verifier.model.terms import Term, children

SMALL = 30
"""A function of at most so many nodes, those it calls written out, is written out where it is called."""


@dataclass(frozen=True, slots=True)
class Memo:
    """A function or decision whose values are kept: for each entity of a kind, or one only.

    `fields` are those of the entity that it reads, where it reads nothing else; then a value is good until one of them
    is written to. None: only while nothing changes at all.
    """

    name: str
    entity: str | None
    fields: frozenset[str] | None


@dataclass(slots=True)
class Memos:
    """What is known of a program's functions."""

    program: Program
    calls: Counter[str] = field(default_factory=Counter)
    """How often each is called in the text, decisions with `decide ` in front."""
    sizes: dict[str, int] = field(default_factory=dict)
    _under_way: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        program = self.program
        for function in program.functions.values():
            self._count(function.body)
        for decision in program.decisions.values():
            for case in decision.cases:
                self._count(case.value)
                self.calls[case.applies] += 1
            if decision.asked is not None:
                self._count(decision.asked)
        for duty in program.duties:
            self.calls[duty.pending] += 2
            for act in (*duty.acts, *duty.deadline_acts):
                self._count(act.matches)

    def _count(self, term: Term) -> None:
        rest = [term]
        while rest:
            here = rest.pop()
            match here:
                case m.CallF(function=name):
                    self.calls[name] += 1
                case m.Decide(decision=name):
                    self.calls[f"decide {name}"] += 1
                case _:
                    pass
            rest += children(here)

    # ----------------------------------------------------------------------------------------------- written out
    def size(self, name: str) -> int:
        """The nodes of a function, those of what is written out in it too; a loop counts for many."""
        if name not in self.sizes:
            self.sizes[name] = SMALL + 1  # of one that calls itself
            self.sizes[name] = self._size(self.program.functions[name].body)
        return self.sizes[name]

    def _size(self, term: Term) -> int:
        found = 1
        match term:
            case m.Quant() | m.Fold() | m.Pick() | m.AfterT():
                found = SMALL + 1
            case m.CallF(function=name):
                found = min(self.size(name), SMALL // 3)
            case _:
                pass
        return found + sum(self._size(child) for child in children(term))

    def written_out(self, name: str) -> bool:
        return self.size(name) <= SMALL

    # ----------------------------------------------------------------------------------------------- kept
    def kept(self, dense: frozenset[str]) -> Iterator[Memo]:
        """What is worth keeping; `dense` are the kinds of entity that have a row for each key."""
        for name, function in self.program.functions.items():
            if self.calls[name] > 1 and not self.written_out(name):
                yield from self._memo(name, function.params, dense)
        for name, decision in self.program.decisions.items():
            if self.calls[f"decide {name}"] > 1:
                yield from self._memo(f"decide {name}", decision.params, dense)

    def _memo(self, name: str, params: tuple[Param, ...], dense: frozenset[str]) -> Iterator[Memo]:
        match params:
            case ():
                yield Memo(name, None, None)
            case (Param(type=ty.EntityT(name=entity)),):
                # rows that no key has for itself know no versions
                fields = self.fields_of(name, 0) if entity in dense else None
                yield Memo(name, entity, None if fields is None else frozenset(fields))
            case _:
                return

    def fields_of(self, name: str, position: int | None) -> set[str] | None:
        """The fields of its argument at `position` that a function or decision reads, None where it reads anything
        else of the state."""
        if name in self._under_way:
            return None
        self._under_way.add(name)
        try:
            return self._fields_of(name, position)
        finally:
            self._under_way.discard(name)

    def _fields_of(self, name: str, position: int | None) -> set[str] | None:
        if not name.startswith("decide "):
            function = self.program.functions[name]
            return self._read(function.body, None if position is None else function.params[position].name)
        decision = self.program.decisions[name.removeprefix("decide ")]
        var = None if position is None else decision.params[position].name
        found: set[str] = set()
        for case in decision.cases:
            for part in (self.fields_of(case.applies, position), self._read(case.value, var)):
                if part is None:
                    return None
                found |= part
        return found

    def _read(self, term: Term, var: str | None) -> set[str] | None:
        match term:
            case m.Field(name=name, of=m.Var(name=of)):
                return {name} if of == var else None
            case m.Field() | m.Get() | m.Count() | m.BrokenT() | m.AfterT():
                return None
            case m.Quant(domain=domain) | m.Fold(domain=domain) | m.Pick(domain=domain):
                if isinstance(domain, m.OverEntity | m.OverIds) or term.var == var:
                    return None
            case m.CallF(function=name, args=args):
                return self._called(name, args, var)
            case m.Decide(decision=name, args=args):
                return self._called(f"decide {name}", args, var)
            case _:
                pass
        return self._together(children(term), var)

    def _called(self, name: str, args: tuple[Term, ...], var: str | None) -> set[str] | None:
        own = [i for i, arg in enumerate(args) if isinstance(arg, m.Var) and arg.name == var]
        if len(own) > 1:
            return None
        inside = self.fields_of(name, own[0] if own else None)
        outside = self._together(args, var)
        return None if inside is None or outside is None else inside | outside

    def _together(self, terms: tuple[Term, ...], var: str | None) -> set[str] | None:
        found: set[str] = set()
        for term in terms:
            part = self._read(term, var)
            if part is None:
                return None
            found |= part
        return found


__all__ = ["Memo", "Memos"]
