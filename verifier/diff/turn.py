"""One condition against another over the same inputs: the same, wider, narrower, or neither."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import islice, product
from random import Random
from typing import Any, Literal, TypeAlias

from verifier.core.absent import Absent
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.ruleset import Param
from verifier.model.terms import Term, subterms
from verifier.model.types import BOOL
from verifier.prove.abstract import EVERYWHERE
from verifier.prove.question import Answer, Never, Nothing, Question, Sometimes, Unknown
from verifier.prove.random_states import met, random_options, random_state, random_value
from verifier.prove.wide import Wide
from verifier.run.machine import Machine
from verifier.run.operators import Closure
from verifier.run.state import State
from verifier.run.undefined import Undefined

Turn: TypeAlias = Literal[
    "same", "wider", "narrower", "other", "some wider", "some narrower", "unsure", "open"
]
"""What became of a condition: as before; true more often; less often; neither; true in some cases more, or in some
less, and nobody can tell of others; true as before, but in other cases without an answer; nobody can tell."""

OTHERWISE: tuple[Turn, ...] = ("wider", "narrower", "other", "some wider", "some narrower")
"""True in other cases than before."""

HALF_OPEN: tuple[Turn, ...] = ("some wider", "some narrower")
"""Of these one way is known and the other open."""

DRAWN = 64
"""So many states are drawn at random, and looked at by the interpreter before solvers are asked."""

TRIED = 24
"""So many values are tried in each."""


@dataclass(frozen=True, slots=True)
class Turned:
    """What became of a condition; where nobody can tell, why not, and whether those asked contradict each other.

    `scope` and `by`: how far, and by whom, it was looked for what would make it otherwise, where it is the same. Of
    what is wider or narrower `never` proves that it is not the other as well.
    """

    turn: Turn
    why: str = ""
    disagree: bool = False
    scope: str = ""
    by: tuple[str, ...] = ()
    never: Never | None = None


SAME = Turned("same", scope=EVERYWHERE, by=("the terms themselves",))


def proved(proofs: Sequence[Never]) -> Turned:
    """The same, by all of these together."""
    by = dict.fromkeys(name for proof in proofs for name in proof.by)
    return Turned("same", scope=together([proof.scope for proof in proofs]), by=tuple(by))


def together(scopes: Sequence[str]) -> str:
    """The scopes in which several things were proved, each once, the bounded ones first; what holds everywhere adds
    none."""
    some = dict.fromkeys(s for s in scopes if s != EVERYWHERE)
    return "; ".join(sorted(some, key=lambda scope: scope.startswith(EVERYWHERE))) or EVERYWHERE


class Turner:
    """Holds conditions against each other, over the states of one program."""

    def __init__(self, wide: Wide) -> None:
        self.wide = wide
        self._machine = Machine(wide.program, {})
        self._drawing = Random(0)
        self._drawn: list[tuple[State, dict[str, object]]] = []
        self._requirements: list[Closure] = []
        self._left = 4 * DRAWN

    def turned(
        self, params: Sequence[Param], first: Term, second: Term, made: frozenset[str] = frozenset()
    ) -> Turned:
        """What became of `first`, which is `second` now, of all values of `params`. Of those in `made` things need not
        exist, as in a `Question`.

        A state in which the interpreter says that one is true, and the other not, proves as much: what was not met by
        chance is asked of the solvers.
        """
        if first == second:
            return SAME
        more, less = self._met(params, first, second, made)
        answers: list[Answer | None] = [
            None if met else self._asked(params, inside, (outside,), made)
            for met, inside, outside in ((less, first, second), (more, second, first))
        ]
        unknown = [a for a in answers if isinstance(a, Unknown)]
        if unknown:
            why, disagree = "; ".join(a.why for a in unknown), any(a.disagree for a in unknown)
            match answers:
                case [Unknown(), None | Sometimes()]:
                    return Turned("some wider", why, disagree)
                case [None | Sometimes(), Unknown()]:
                    return Turned("some narrower", why, disagree)
                case _:
                    return Turned("open", why, disagree)
        match answers:
            case [Never() as one, Never() as other]:
                return self._answered(params, first, second, made, (one, other))
            case [Never() as never, _]:
                return Turned("wider", never=never)
            case [_, Never() as never]:
                return Turned("narrower", never=never)
            case _:
                return Turned("other")

    def _asked(
        self, params: Sequence[Param], inside: Term, none: Sequence[Term], made: frozenset[str]
    ) -> Answer:
        nothing = tuple(Nothing((), term) for term in none)
        return self.wide.ask(Question(tuple(params), inside, none=nothing, made=made))

    def _answered(
        self,
        params: Sequence[Param],
        first: Term,
        second: Term,
        made: frozenset[str],
        proofs: Sequence[Never],
    ) -> Turned:
        """Of conditions that are true in the same cases, whether one is false where a decision that the other reads
        leaves that without an answer. `proofs` are those of the former."""
        absent = Absent(self.wide.program)
        if not (absent.reads(first).decides or absent.reads(second).decides):
            return proved(proofs)
        found = list(proofs)
        for one, other in ((first, second), (second, first)):
            match self._asked(params, m.NotT(BOOL, other), (one, m.NotT(BOOL, one)), made):
                case Never() as never:
                    found.append(never)
                case Sometimes():
                    return Turned("unsure")
                case Unknown(why=why, disagree=disagree):
                    return Turned("open", why, disagree)
        return proved(found)

    def apart(
        self, params: Sequence[Param], inside: Term, outside: Term, made: frozenset[str] = frozenset()
    ) -> bool:
        """Whether in a state drawn at random `inside` is true and `outside` is not."""
        return self._met(params, inside, outside, made, one_way=True)[1]

    def drawn(
        self, params: Sequence[Param], condition: Term, made: frozenset[str] = frozenset()
    ) -> Iterator[Sometimes]:
        """States drawn at random in which a condition is true, with values of `params` for which it is."""
        if self._reads_after(condition):
            return
        names = [p.name for p in params]
        holds = self._machine.closure(condition, names)
        for state, options in self._states():
            self._machine.options = options
            self._machine.enter(state)
            for values in self._values(params, state, made):
                if _true(holds, values):
                    found = dict(zip(names, values, strict=True))
                    yield Sometimes(
                        deepcopy(state), dict(options), found, None, "a state drawn at random", ()
                    )
                    self._machine.options = options
                    self._machine.enter(state)

    def _met(
        self,
        params: Sequence[Param],
        first: Term,
        second: Term,
        made: frozenset[str],
        one_way: bool = False,
    ) -> tuple[bool, bool]:
        """Whether in a state drawn at random `second` is true and `first` is not, and the other way round; `one_way`
        asks of the other way round alone."""
        if self._reads_after(first) or self._reads_after(second):
            return False, False  # what no event leaves nobody can tell of a state
        names = [p.name for p in params]
        one, other = (self._machine.closure(term, names) for term in (first, second))
        more = less = False
        for state, options in self._states():
            self._machine.options = options
            self._machine.enter(state)
            for values in self._values(params, state, made):
                was, is_ = (_true(closure, values) for closure in (one, other))
                more |= is_ and not was
                less |= was and not is_
            if less and (more or one_way):
                break
        return more, less

    def _reads_after(self, term: Term) -> bool:
        """Whether a term reads what an event leaves."""
        seen: set[str] = set()
        rest = [term]
        while rest:
            for inner in subterms(rest.pop()):
                if isinstance(inner, m.AfterT):
                    return True
                if isinstance(inner, m.CallF) and inner.function not in seen:
                    seen.add(inner.function)
                    rest.append(self.wide.program.functions[inner.function].body)
        return False

    def _states(self) -> Iterator[tuple[State, dict[str, object]]]:
        yield from tuple(self._drawn)
        world = self.wide.typed.world
        if not self._requirements:
            required = self.wide.program.ruleset.requirements
            self._requirements = [self._machine.closure(r.condition, ()) for r in required]
        while self._left and len(self._drawn) < DRAWN:
            self._left -= 1
            state, options = (
                random_state(world, self._drawing),
                random_options(world, self._drawing, all_stated=True),
            )
            self._machine.options = options
            self._machine.enter(state)
            if all(_true(required, ()) for required in self._requirements):
                self._drawn.append((state, options))
                yield state, options

    def _values(
        self, params: Sequence[Param], state: State, made: frozenset[str]
    ) -> Iterator[tuple[Any, ...]]:
        """Values that a question's parameters may have in a state: things that exist, or may be made; people met."""
        listed: list[list[Any]] = []
        for param in params:
            match param.type:
                case ty.EntityT(name=name) if param.name in made:
                    world = self.wide.typed.world
                    listed.append(
                        [ref for ref in world.scope.entities[name] if met(world, state, param.type, ref)]
                    )
                case ty.EntityT(name=name):
                    listed.append(self._machine.refs(name))
                case ty.IdT(name=name):
                    listed.append(list(state.ids[name]))
                case type_:
                    drawn = (
                        random_value(self.wide.typed.world, state, type_, self._drawing) for _ in range(4)
                    )
                    listed.append(list(dict.fromkeys(drawn)))
        every = list(islice(product(*listed), 1000))
        return iter(every if len(every) <= TRIED else self._drawing.sample(every, TRIED))


def _true(closure: Closure, values: Sequence[Any]) -> bool:
    try:
        return closure(list(values)) is True
    except Undefined:
        return False
