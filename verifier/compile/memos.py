"""Which functions are written out where they are called, and whose values are kept, and for how long.

Judging one event asks for the same few things again and again, and most events change little of what they rest on. A
value is kept until some of the state that it was made from is written to (`verifier.compile.depends`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from verifier.compile.costs import Costs
from verifier.compile.depends import Atom, Depends, called, direct
from verifier.compile.encoding import LARGEST, NotCompiledError, bits
from verifier.compile.facts import is_length
from verifier.compile.names import OWED, OWN
from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.ruleset import Param
from verifier.model.terms import Term, children, subterms

SMALL = 30
"""A function of at most so many nodes, those it calls written out, is written out where it is called."""


KEPT_BITS = 8
"""Arguments of at most so many bits together have a value kept for each."""

DEAR = 100
"""What costs less is not worth keeping,"""

DEAR_COMPARED = 400
"""nor what costs less and is kept for the last arguments only."""

WORD = 64
"""Bits of a number: which values are good is told by a bit each."""


ROWS_KEPT = 64
"""Of entities whose rows are made as they come, so many have a value kept for each."""


@dataclass(frozen=True, slots=True)
class Memo:
    """A function or decision whose values are kept: for each of its arguments, where these are few; for each row of the
    `entity` that its argument at `position` is; or only the last (`keys` is then 1). `compared`: the arguments that do
    not tell where a value is kept, and are kept with it.

    A value is good until one of `atoms` is written to, or any of the fields `own` of the entity that its argument at
    `position` is, or of `rows`, entities by kind and key.
    """

    name: str
    params: tuple[Param, ...]
    entity: str | None
    position: int | None
    compared: tuple[int, ...]
    keys: int
    truth: bool
    """Its values are truth values alone, a bit each."""
    own: frozenset[str]
    rows: frozenset[tuple[str, tuple[object, ...], str]]
    atoms: frozenset[Atom]

    @property
    def by_row(self) -> bool:
        """Whether there is a value for each row of the entity at `position`, and no more."""
        return self.position is not None and (
            self.entity is not None
            or all(i in (self.position, *self.compared) for i in range(len(self.params)))
        )


@dataclass(slots=True)
class Memos:
    """What is known of a program's functions."""

    program: Program
    doubtful: frozenset[Atom] = frozenset()
    """Parts of the state of which nobody may be able to tell what they are."""
    calls: Counter[str] = field(default_factory=Counter)
    """How often each is called in the text, decisions with `decide ` in front."""
    sizes: dict[str, int] = field(default_factory=dict)
    _under_way: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        program = self.program
        for function in program.functions.values():
            self.calls.update(called_in(function.body))
        for decision in program.decisions.values():
            for case in decision.cases:
                self.calls.update(called_in(case.value))
                self.calls[case.applies] += 1
            if decision.asked is not None:
                self.calls.update(called_in(decision.asked))
        for duty in program.duties:
            for act in (*duty.acts, *duty.deadline_acts):
                self.calls.update(called_in(act.matches))

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
            case m.Fold() if is_length(term):
                pass
            case m.Quant() | m.Fold() | m.Pick() | m.AfterT():
                found = SMALL + 1
            case m.CallF(function=name):
                found = min(self.size(name), SMALL // 3)
            case _:
                pass
        return found + sum(self._size(child) for child in children(term))

    def written_out(self, name: str) -> bool:
        return self.size(name) <= SMALL and not name.startswith((OWN, OWED))

    def used_once(self) -> frozenset[str]:
        """Functions that one place calls, which is not itself written out anywhere."""
        program = self.program
        places: Counter[str] = Counter()
        for name, function in program.functions.items():
            for found in called_in(function.body):
                places[found] += 2 if self.written_out(name) else 1
        places.update(case.applies for decision in program.decisions.values() for case in decision.cases)
        norms = [
            norm
            for of in (program.prohibitions, program.permissions, program.endings)
            for many in of.values()
            for norm in many
        ]
        places.update(norm.applies for norm in norms)
        # what else stands in a program may be written in several places
        terms = [norm.head for norm in norms]
        for decision in program.decisions.values():
            terms += [case.value for case in decision.cases]
            terms += [term for term in (decision.asked, *(t for _, t in decision.askers)) if term is not None]
        for event in program.ruleset.events.values():
            terms += [*event.claims, *event.needs]
        for duty in program.duties:
            places[duty.pending] += 2
            terms += [program.functions[duty.pending].body]
            terms += [act.matches for act in (*duty.acts, *duty.deadline_acts)]
        for term in terms:
            places.update(2 * called_in(term))
        return frozenset(
            name for name, times in places.items() if times == 1 and not name.startswith("decide ")
        )

    # ----------------------------------------------------------------------------------------------- kept
    def held(self) -> list[str]:
        """Conditions on one entity alone that are quickly told and always defined: of every row it is held, at any
        time, whether it meets them."""
        return [
            name
            for name, function in self.program.functions.items()
            if name.startswith(OWN) and self._plain(function.body)
        ]

    def _plain(self, term: Term) -> bool:
        if direct(term) & self.doubtful:
            return False
        match term:
            case m.AndT(items=parts) | m.OrT(items=parts):
                return all(self._plain(part) for part in parts)
            case m.NotT(of=of):
                return self._plain(of)
            case m.CompareT(left=left, right=right):
                return all(self._plain(t) and not _of_odds(t.type) for t in (left, right))
            case m.Lit(value=value):
                # a number that the kernel has no room for hands over whatever asks for it
                return not isinstance(value, Fraction) and (
                    not isinstance(value, int) or abs(value) <= LARGEST
                )
            case m.Var():
                return True
            case m.Field(of=m.Var()) | m.Part(of=m.Var(type=ty.EntityT())):
                return not isinstance(term.type, ty.ListT | ty.MapT | ty.SetT)
            case m.Present(of=m.Field(of=m.Var()) as of) | m.Length(list=m.Field(of=m.Var()) as of):
                return not direct(of) & self.doubtful
            case m.Fold(kind="number", domain=m.OverList(list=m.Field(of=m.Var()) as of), where=None):
                return not direct(of) & self.doubtful
            case m.CallF(function=name, args=args):
                plain = all(isinstance(arg, m.Var) for arg in args)
                return plain and self.written_out(name) and self._plain(self.program.functions[name].body)
            case _:
                return False

    def kept(self, dense: frozenset[str]) -> Iterator[Memo]:
        """What is worth keeping; `dense` are the kinds of entity that have a row for each key."""
        depends = Depends(self.program, dense)
        held = set(self.held())
        params = {name: function.params for name, function in self.program.functions.items()}
        params |= {f"decide {name}": decision.params for name, decision in self.program.decisions.items()}

        def keeps(name: str, cost: int) -> bool:
            if name in held or self.calls[name] == 0:
                return False
            if name.startswith(OWN):
                return True
            if name.startswith("decide "):
                return cost >= (DEAR if small(params[name]) else DEAR_COMPARED)
            if name.startswith(OWED) and len(params[name]) == 1:
                return cost >= DEAR
            return self.calls[name] > 1 and not self.written_out(name) and cost >= DEAR

        costs = Costs(self.program, lambda name, cost: name in held or keeps(name, cost))
        for name in params:
            if keeps(name, costs.called(name)):
                yield from self._memo(name, params[name], depends, self.calls[name])

    def _memo(self, name: str, params: tuple[Param, ...], depends: Depends, calls: int) -> Iterator[Memo]:
        if calls == 0:
            return
        entities = [i for i, p in enumerate(params) if isinstance(p.type, ty.EntityT)]
        # with which of the arguments the fields that are read are told apart
        position = max(entities, key=lambda i: len(depends.reads(name, i).own), default=None)
        entity: str | None = None
        compared: tuple[int, ...] = ()
        sparse = any(isinstance(p.type, ty.EntityT) and p.type.name not in depends.dense for p in params)
        if small(params) and not (len(params) == 1 and sparse):
            keys = 1 << sum(bits(p.type) for p in params)
        elif position is None:
            keys, compared = 1, tuple(range(len(params)))
        else:
            type_ = params[position].type
            assert isinstance(type_, ty.EntityT)
            entity = None if type_.name in depends.dense else type_.name
            keys = ROWS_KEPT if entity else 1 << bits(type_)
            compared = tuple(i for i in range(len(params)) if i != position)
        reads = depends.reads(name, position)
        if any(isinstance(p.type, ty.ListT | ty.MapT | ty.SetT) for p in params):
            return
        keyed = [p.type.name for p in params if isinstance(p.type, ty.EntityT)] + [
            e for e, _, _ in reads.rows
        ]
        atoms = reads.atoms | {("keys", kind) for kind in keyed}
        decision = name.startswith("decide ")
        truth = not decision and not compared and keys <= WORD
        if truth:
            truth = isinstance(self.program.functions[name].type, ty.BoolT)
        yield Memo(name, params, entity, position, compared, keys, truth, reads.own, reads.rows, atoms)


def called_in(term: Term) -> list[str]:
    """What a term calls, decisions with `decide ` in front, as often as it does."""
    return [name for one in subterms(term) if (name := called(one)) is not None]


def _of_odds(type_: ty.Type) -> bool:
    return isinstance(type_.of if isinstance(type_, ty.OptT) else type_, ty.OddsT)


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
