"""Whether a question is true at a concrete state, and for which values: asked of the interpreter's own closures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from typing import Any

from verifier.core.program import Program
from verifier.model import types as ty
from verifier.model.types import Type
from verifier.prove.explore.compiled import Bindings, Compiled, Compiling, Level, event_params_of
from verifier.prove.explore.domains import endless, ends, fits, references, values_of
from verifier.prove.explore.pieces import (
    value_from,
)
from verifier.prove.explore.snapshot import ids_in
from verifier.prove.question import Question
from verifier.prove.scope import Scope, id_of
from verifier.run.apply import CannotApply, Mechanics, apply, compile_mechanics
from verifier.run.machine import Machine
from verifier.run.operators import Closure
from verifier.run.state import State
from verifier.run.undefined import Undefined

MOST_TRIED = 200_000
"""So many bindings of a question's variables are tried in one state before it is given up there."""

Frame = list[Any]


class _Spent(Exception):  # noqa: N818 - travels up the search, no error
    """More bindings were tried than are allowed."""


@dataclass(slots=True)
class Asker:
    """Asks questions at states of a program. What is compiled for a question is kept until it is to be forgotten.

    `scope` lists the references that an event may bring in and narrows what is tried; without one, all are tried
    whose keys have an end. After `most` bindings in one state it gives up there.
    """

    program: Program
    scope: Scope | None = None
    most: int = MOST_TRIED
    machine: Machine = field(init=False)
    _compiled: dict[int, Compiled] = field(default_factory=dict)
    _mechanics: dict[str, Mechanics] = field(default_factory=dict)
    _given_up: dict[int, Question] = field(default_factory=dict)
    _tried: int = 0

    def __post_init__(self) -> None:
        self.machine = Machine(self.program, {})

    def enter(self, state: State, options: Mapping[str, object]) -> None:
        """Make `state` the one asked about; what was found out about the last one is kept if it is the same."""
        machine = self.machine
        if machine.state is not state or machine.options != options or machine.after is not None:
            machine.options = dict(options)
            machine.enter(state)

    def find(
        self, question: Question, state: State, options: Mapping[str, object], most: int | None = None
    ) -> dict[str, object] | None:
        """Values of the question's params, by name, and of its event's with `EVENT_PREFIX`, for which it is true.

        None where there are none, or none were found: with `most`, among the first so many bindings.
        """
        compiled = self.compiled(question)
        self._tried = max(0, self.most - most) if most is not None else 0
        try:
            for noted in self._noted(question, state):
                self.enter(noted, options)
                frame: Frame = [None] * compiled.size
                for _ in self._solutions(compiled, noted, frame):
                    values = self._values(compiled, frame)
                    if noted is state or self._is_noted(question, state, noted, values):
                        return values
        except _Spent:
            self._given_up[id(question)] = question
            return None
        finally:
            self.machine.after = None
        return None

    def holds(
        self, question: Question, state: State, options: Mapping[str, object], values: Mapping[str, object]
    ) -> bool:
        """Whether the question is true at the state for these very values, named as `find` names them."""
        bound = tuple(question.params) + event_params_of(self.program, question)
        compiled = self.compiled(question)
        self._tried = 0
        for noted in self._noted(question, state):
            if not self._is_noted(question, state, noted, values):
                continue
            self.enter(noted, options)
            frame: Frame = [None] * compiled.size
            for param in bound:
                self._bind(compiled, frame, param.name, param.type, values[param.name])
            try:
                if self._right(compiled, noted, frame):
                    return True
            finally:
                self.machine.after = None
        return False

    def complete(self, question: Question) -> bool:
        """Whether `find` tries every value that there can be, so that finding none means that there are none."""
        return self.compiled(question).complete and self._given_up.get(id(question)) is not question

    @property
    def gave_up(self) -> bool:
        """Whether the last `find` stopped before all bindings that it would have tried."""
        return self._tried > self.most

    # --------------------------------------------------------------------------------------- compiling
    def compiled(self, question: Question) -> Compiled:
        """The question made runnable."""
        found = self._compiled.get(id(question))
        if found is None or found.question is not question:
            found = Compiling(self.program, self.machine).compiled(question)
            self._compiled[id(question)] = found
        return found

    def forget(self) -> None:
        """Drop what was compiled: of a large question that is much."""
        self._compiled.clear()

    # --------------------------------------------------------------------------------------- searching
    def _solutions(self, compiled: Compiled, state: State, frame: Frame) -> Iterator[None]:
        for _ in self._bindings(compiled.search, frame, 0):
            if self._right(compiled, state, frame, searched=True):
                yield

    def _bindings(self, search: Bindings, frame: Frame, depth: int) -> Iterator[None]:
        if depth == 0 and not _all_true(search.first, frame):
            return
        if depth == len(search.levels):
            yield
            return
        level = search.levels[depth]
        for value in self._values_at(level, frame):
            frame[level.slot] = value
            self._tried += 1
            if self._tried > self.most:
                raise _Spent
            if _all_true(level.filters, frame):
                yield from self._bindings(search, frame, depth + 1)
        frame[level.slot] = None

    def _values_at(self, level: Level, frame: Frame) -> list[Any]:
        type_ = level.param.type
        if level.solved is not None:
            found: dict[Any, None] = {}
            for closure in level.solved:
                try:
                    value = closure(frame)
                except Undefined:
                    continue
                if level.whole and isinstance(value, Fraction):
                    continue
                if fits(type_, value, self.machine, existing=not level.of_event):
                    found[value] = None
            return list(found)
        if not ends(type_):
            points, units = list(_known(level.points, frame)), list(_known(level.units, frame))
            return endless(type_, points, units, lambda part: references(part, self.machine, self.scope))
        if level.of_event:
            return references(type_, self.machine, self.scope)
        return values_of(type_, self.machine)

    def _right(self, compiled: Compiled, state: State, frame: Frame, searched: bool = False) -> bool:
        """Whether the rest holds of a full frame: the event can be applied, what reads `after`, and each of `none`."""
        if not searched:
            search = compiled.search
            if not _all_true(search.first, frame):
                return False
            if not all(_all_true(level.filters, frame) for level in search.levels):
                return False
        question = compiled.question
        if question.event is not None:
            for need in compiled.needs:
                try:
                    if not need(frame):
                        return False
                except Undefined:
                    continue
            if not self._applied(question, compiled, state, frame):
                return False
        if not _all_true(compiled.search.last, frame):
            return False
        for index, search in enumerate(compiled.none):
            if self._any(search, frame):
                # What there was in one state there often is in the next: it is tried first there.
                compiled.none.insert(0, compiled.none.pop(index))
                return False
        return True

    def _any(self, search: Bindings, frame: Frame) -> bool:
        return any(_all_true(search.last, frame) for _ in self._bindings(search, frame, 0))

    def _applied(self, question: Question, compiled: Compiled, state: State, frame: Frame) -> bool:
        """Whether the event can be applied; then what it leaves is there to be read."""
        assert question.event is not None
        if question.event not in self._mechanics:
            self._mechanics[question.event] = compile_mechanics(self.machine, question.event)
        values = tuple(
            self._value(compiled, frame, p.name, p.type) for p in event_params_of(self.program, question)
        )
        try:
            self.machine.after = apply(self.machine, self._mechanics[question.event], values)
        except CannotApply:
            return False
        return True

    # ------------------------------------------------------------------------------------------ values
    def _values(self, compiled: Compiled, frame: Frame) -> dict[str, object]:
        question = compiled.question
        return {
            p.name: self._value(compiled, frame, p.name, p.type)
            for p in (*question.params, *event_params_of(self.program, question))
        }

    def _value(self, compiled: Compiled, frame: Frame, name: str, type_: Type) -> object:
        scalars = {n: frame[slot] for n, slot in compiled.slots.items()}
        return value_from(type_, scalars, name)

    def _bind(self, compiled: Compiled, frame: Frame, name: str, type_: Type, value: Any) -> None:
        if isinstance(type_, ty.RecordT):
            for (part, inner), piece in zip(type_.fields, value, strict=True):
                self._bind(compiled, frame, f"{name}.{part}", inner, piece)
        else:
            frame[compiled.slots[name]] = value

    # --------------------------------------------------------------------------------------------- ids
    def _noted(self, question: Question, state: State) -> Iterator[State]:
        """The state, and those with one new name of each kind that the event may bring; the event notes it first."""
        yield state
        kinds = sorted(
            {kind for p in event_params_of(self.program, question) for kind in ty.ids_within(p.type)}
        )
        fresh = {kind: self._fresh(kind, state) for kind in kinds}
        new = [(kind, name) for kind, name in fresh.items() if name is not None]
        for chosen in product((False, True), repeat=len(new)):
            if any(chosen):
                ids = {kind: dict(names) for kind, names in state.ids.items()}
                for (kind, name), taken in zip(new, chosen, strict=True):
                    if taken:
                        ids[kind][name] = len(ids[kind])
                yield replace(state, ids=ids)

    def _is_noted(self, question: Question, state: State, noted: State, values: Mapping[str, object]) -> bool:
        named = {
            pair for p in event_params_of(self.program, question) for pair in ids_in(p.type, values[p.name])
        }
        wanted = {(k, n) for k, names in state.ids.items() for n in names} | named
        return wanted == {(k, n) for k, names in noted.ids.items() for n in names}

    def _fresh(self, kind: str, state: State) -> str | None:
        """The next name of a kind, in the scope's order; None where there are no more."""
        known = state.ids[kind]
        if self.scope is not None:
            return next((name for name in self.scope.ids[kind] if name not in known), None)
        declared = self.program.ruleset.types[kind]
        assert isinstance(declared, ty.IdT)
        if len(known) >= declared.maximum:
            return None
        number = len(known) + 1
        while id_of(kind, number) in known:
            number += 1
        return id_of(kind, number)


def true_at(
    program: Program,
    state: State,
    options: Mapping[str, object],
    question: Question,
    scope: Scope | None = None,
) -> dict[str, object] | None:
    """Values for which the question is true at the state, as `Asker.find` gives them; None where there are none.

    Params of an entity's type are those that exist, ids those that the state has met; an event's may be new ones.
    """
    return asker(program, scope).find(question, state, options)


def asker(program: Program, scope: Scope | None = None) -> Asker:
    """An asker of the program, kept from one call to the next."""
    for known in _ASKERS:
        if known.program is program and known.scope is scope:
            return known
    made = Asker(program, scope)
    _ASKERS.insert(0, made)
    del _ASKERS[MOST_ASKERS:]
    return made


MOST_ASKERS = 4
"""So many askers are kept for `true_at`."""

_ASKERS: list[Asker] = []


def _all_true(closures: Sequence[Closure], frame: Frame) -> bool:
    try:
        return all(closure(frame) for closure in closures)
    except Undefined:
        return False


def _known(closures: Sequence[Closure], frame: Frame) -> Iterator[Any]:
    for closure in closures:
        try:
            yield closure(frame)
        except Undefined:
            continue
