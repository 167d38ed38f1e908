"""Scopes with what one play has, and little else: where it takes many people to play at all, few things are theirs.

Four players, each with every wager that he might lay on every hand, are more than an induction can look at, and one
player does not make a session. Four with the wager that each of them laid in one play are fewer things than one
player with all of his.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

from verifier.core.program import Program
from verifier.model import types as ty
from verifier.model.types import Type
from verifier.prove.explore.corpus import Node
from verifier.prove.explore.explorer import Explorer
from verifier.prove.extent import places
from verifier.prove.playable import MOST_PLACES
from verifier.prove.question import Mode, Play
from verifier.prove.scope import Ref, Scope, scope_of
from verifier.run.bench import Happening
from verifier.run.state import State

ROUNDS = 3
"""So many times as many events as elsewhere are played at most to see what can happen within such a scope."""


@dataclass(frozen=True, slots=True)
class Course:
    """A lawful play of which the states on the way are known: each event with what it led to."""

    play: Play
    steps: tuple[tuple[Happening, State], ...]

    @property
    def events(self) -> frozenset[str]:
        """The kinds of event that it has."""
        return frozenset(happening.event for happening, _ in self.steps)


def course_of(node: Node) -> Course:
    """The play that led to a node."""
    steps = ((step.happening, step.state) for step in node.path())
    return Course(
        node.play(), tuple((happening, state) for happening, state in steps if happening is not None)
    )


def scope_of_course(program: Program, base: Scope, course: Course) -> Scope:
    """The scope with the ids, keys and entities of a play, in lists as long as in `base` at least.

    So that nothing is left out for its kind, each value of an enumeration by which entities are told apart is there
    once: of a wager of each kind one.
    """
    ruleset = program.ruleset
    needs = _Needs(base)
    for happening, state in course.steps:
        for param, value in zip(ruleset.events[happening.event].params, happening.values, strict=True):
            needs.note(param.type, value)
        for kind, table in state.entities.items():
            declared = ruleset.entities[kind]
            for ref, written in table.items():
                needs.note(declared.type, ref)
                for part in declared.fields:
                    if isinstance(part.type, ty.ListT):
                        needs.length(f"{kind}.{part.name}", written.get(part.name, ()))
        for name, declared_field in ruleset.state.items():
            value = state.fields[name]
            match declared_field.type:
                case ty.ListT():
                    needs.length(name, value)
                case ty.MapT(key=key) | ty.SetT(of=key):
                    for item in value:
                        needs.note(key, item)
                case _:
                    continue
    met = course.play.state.ids
    ids = {kind: tuple(i for i in met[kind] if i in needs.values.get(kind, ())) for kind in base.ids}
    narrowed = {
        name: tuple(sorted(needs.values[name])) if name in needs.values else tuple(values)
        for name, values in base.narrowed.items()
    }
    entities: dict[str, tuple[Ref, ...]] = {}
    for kind, entity in ruleset.entities.items():
        inner = Scope(ids, entities, {}, narrowed)
        every = list(product(*(inner.keys(part) for _, part in entity.type.keys)))
        wanted = needs.entities.get(kind, {})
        wanted = {**wanted, **dict.fromkeys(_of_each_kind(entity.type, list(wanted)))}
        entities[kind] = tuple(ref for ref in every if ref in wanted)
    return scope_of(program, ids, narrowed, needs.slots, entities, base.money_parts)


class _Needs:
    """What a play has, in the order met."""

    def __init__(self, base: Scope) -> None:
        self.base = base
        self.values: dict[str, dict[Any, None]] = {}
        self.entities: dict[str, dict[Ref, None]] = {}
        self.slots: dict[str, int] = dict(base.slots)

    def length(self, path: str, elements: Any) -> None:
        self.slots[path] = max(self.slots[path], len(elements))

    def note(self, type_: Type, value: Any) -> None:
        match type_:
            case ty.IdT(name=name):
                self.values.setdefault(name, {})[value] = None
            case ty.EntityT(name=name, keys=parts):
                self.entities.setdefault(name, {})[value] = None
                for (_, part), inner in zip(parts, value, strict=True):
                    self.note(part, inner)
            case ty.RecordT(fields=parts):
                for (_, part), inner in zip(parts, value, strict=True):
                    self.note(part, inner)
            case ty.OptT(of=of):
                if value is not None:
                    self.note(of, value)
            case _:
                if str(type_) in self.base.narrowed:
                    self.values.setdefault(str(type_), {})[value] = None


def _of_each_kind(type_: ty.EntityT, refs: Sequence[Ref]) -> Iterator[Ref]:
    """References like the first, with each value of an enumeration among their keys that none of them has."""
    for index, (_, part) in enumerate(type_.keys):
        if isinstance(part, ty.EnumT) and refs:
            had = {ref[index] for ref in refs}
            for value in ty.finite_values(part) or ():
                if value not in had:
                    yield (*refs[0][:index], value, *refs[0][index + 1 :])


class Sparse:
    """A scope made of a play, and what can happen there: play goes on from that one, and never leaves it."""

    def __init__(self, program: Program, scope: Scope, course: Course) -> None:
        self.program = program
        self.scope = scope
        self.course = course
        self._explorer: Explorer | None = None

    @property
    def explorer(self) -> Explorer:
        """What plays within the scope."""
        if self._explorer is None:
            self._explorer = Explorer(self.program, self.scope, confined=True)
            self._explorer.mover.take_up(self.course.play)
        return self._explorer

    def had(self, mode: Mode, wanted: Iterable[str], steps: int) -> set[str]:
        """The kinds of event that plays of the mode have within the scope; while one that is `wanted` is not among
        them more are played, up to `ROUNDS` times so many `steps`."""
        corpus, wanted = self.explorer.corpus, set(wanted)
        while True:
            had = {node.happening.event for node in corpus.of(mode) if node.happening is not None}
            had |= {name for name, broken in corpus.returns if mode == "words" or not broken}
            if wanted <= had or self.explorer.runner.taken >= ROUNDS * steps:
                return had
            self.explorer.run(steps)


def best_of(
    program: Program,
    base: Scope,
    courses: Iterable[Course],
    events: Collection[str],
    made: Sequence[Sparse],
    most: int,
) -> Sparse | None:
    """The scope of the play that has most of the `events`, and of these the smallest; None where all of them are too
    much for an induction, or none has any. One of those `made` is taken where it has as many, or where there are so
    many already.
    """
    wanted = set(events)
    known = max(made, key=lambda one: len(one.course.events & wanted), default=None)
    enough = 0 if known is None else len(known.course.events & wanted)
    ways: list[tuple[int, int, int]] = []
    scopes: list[tuple[Scope, Course]] = []
    for course in courses if len(made) < most else ():
        if (number := len(course.events & wanted)) > enough:
            scope = scope_of_course(program, base, course)
            if (size := places(program, scope)) <= MOST_PLACES:
                ways.append((-number, size, len(scopes)))
                scopes.append((scope, course))
    if ways:
        return Sparse(program, *scopes[min(ways)[2]])
    return known if enough else None


def leaves_out(program: Program, scope: Scope, kind: str) -> bool:
    """Whether a scope lacks some of the entities of a kind that its keys allow."""
    keys = program.ruleset.entities[kind].type.keys
    return len(scope.entities[kind]) < prod(len(scope.keys(part)) for _, part in keys)
