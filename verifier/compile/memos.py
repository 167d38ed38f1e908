"""Which functions are written out where they are called, and whose values are kept, and for how long.

Judging one event asks for the same few things again and again, and most events change little of what they rest on. A
value is kept until some of the state that it was made from is written to (`verifier.compile.depends`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from verifier.compile.costs import Costs
from verifier.compile.depends import AFTER, Atom, Depends
from verifier.compile.encoding import NotCompiledError, bits
from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.ruleset import Param
from verifier.model.terms import Term, children

SMALL = 30
"""A function of at most so many nodes, those it calls written out, is written out where it is called."""


KEPT_BITS = 8
"""Arguments of at most so many bits together have a value kept for each."""

DEAR = 60
"""What costs less is not worth keeping."""


@dataclass(frozen=True, slots=True)
class Memo:
    """A function or decision whose values are kept: by its arguments, or for each row of an `entity`.

    A value is good until one of `atoms` is written to, or any of the fields `own` of the entity that its argument at
    `position` is, or of `rows`, entities by kind and key. `atoms` None: only while nothing changes at all.
    """

    name: str
    params: tuple[Param, ...]
    entity: str | None
    position: int | None
    own: frozenset[str]
    rows: frozenset[tuple[str, tuple[object, ...], str]]
    atoms: frozenset[Atom] | None


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
        depends, costs = Depends(self.program, dense), Costs(self.program)
        for name, function in self.program.functions.items():
            if not self.written_out(name) and costs.of(function.body) >= DEAR:
                yield from self._memo(name, function.params, depends, self.calls[name])
        for name, decision in self.program.decisions.items():
            called = f"decide {name}"
            yield from self._memo(called, decision.params, depends, self.calls[called])

    def _memo(self, name: str, params: tuple[Param, ...], depends: Depends, calls: int) -> Iterator[Memo]:
        if calls == 0:
            return
        entity: str | None = None
        match params:
            case (Param(type=ty.EntityT(name=only)),) if only not in depends.dense:
                entity = only
            case _ if not small(params):
                return
            case _:
                pass
        # with which of the arguments the fields that are read are told apart
        choices = [
            i for i, p in enumerate(params) if isinstance(p.type, ty.EntityT) and p.type.name in depends.dense
        ]
        position = max(choices, key=lambda i: len(depends.reads(name, i).own), default=None)
        reads = depends.reads(name, position)
        if AFTER in reads.atoms:
            if calls > 1:
                yield Memo(name, params, entity, None, frozenset(), frozenset(), None)
            return
        keyed = [p.type.name for p in params if isinstance(p.type, ty.EntityT)] + [
            e for e, _, _ in reads.rows
        ]
        atoms = reads.atoms | {("keys", kind) for kind in keyed}
        yield Memo(name, params, entity, position if reads.own else None, reads.own, reads.rows, atoms)


def small(params: tuple[Param, ...]) -> bool:
    """Whether there can be a value for each of these arguments."""
    try:
        return (
            all(isinstance(p.type, ty.IntT | ty.EnumT | ty.BoolT | ty.EntityT) for p in params)
            and all(not isinstance(p.type, ty.IntT) or p.type.low is not None for p in params)
            and sum(bits(p.type) for p in params) <= KEPT_BITS
        )
    except NotCompiledError:
        return False


__all__ = ["Memo", "Memos", "small"]
