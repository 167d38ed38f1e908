"""Scopes made for one question: with the very things and values that its logic asks for.

A scope chosen beforehand has few of the values by which things are kept, and not those that a question may need:
that what is asked for is in none of them tells little. Where the logic of the question, with everything that reads
the state left open, can be met, what its variables then are is looked up, and a scope is made that has it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from verifier.core.program import Program
from verifier.model import types as ty
from verifier.model.types import Type
from verifier.prove.abstract import Outline
from verifier.prove.extent import MOST_PLACES, places
from verifier.prove.question import Answer, Question, Sometimes
from verifier.prove.scope import Ref, Scope, list_fields, scope_of
from verifier.prove.shapes import model_leaf
from verifier.prove.solve import Settings, solve
from verifier.prove.stated import chosen
from verifier.prove.typed import Typed
from verifier.prove.values import CannotEncodeError, and_, equal, not_

TRIES = 4
"""So many ways of meeting a question's logic are looked into."""


def in_focus(
    typed: Typed, question: Question, name: str, claim: str, more: Sequence[Scope]
) -> Sometimes | None:
    """A state that answers the question, in one of the scopes `more` or in one made for it; None where none was found
    so."""
    for scope in (*more, *focused(typed, question)):
        answer: Answer = Typed(typed.program, scope, typed.settings, typed.telling).ask(
            question, (), f"{name} in focus", claim, "sometimes"
        )
        if isinstance(answer, Sometimes):
            return answer
    return None


def longer(typed: Typed) -> Scope:
    """The scope of `typed` with lists twice as long, as far as their types allow."""
    program, base = typed.program, typed.scope
    slots = {path: min(t.maximum, 2 * base.slots[path]) for path, t in list_fields(program.ruleset)}
    return replace(base, slots=slots)


def focused(typed: Typed, question: Question) -> Iterator[Scope]:
    """The scope of `typed` with what the question's variables are where its logic is met, in a few ways."""
    shapes = typed.world.shapes
    outline = Outline(typed.state, typed.options)
    event = None if question.event is None else typed.program.ruleset.events[question.event]
    variables = [(p.type, shapes.variable(p.type, f"some {p.name}")) for p in question.params]
    if event is not None:
        whole = chosen(event)
        variables += [
            (p.type, shapes.variable(p.type, f"{event.name} {p.name}", whole=p.name in whole))
            for p in event.params
        ]
    try:
        conditions = outline.conditions(question)
    except CannotEncodeError:
        return
    assert conditions is not None
    # One solver's word will do: what it finds is asked about, not believed.
    settings = Settings(("z3",), typed.settings.rlimit, seed=typed.settings.seed, cache=typed.settings.cache)
    for _ in range(TRIES):
        solved = solve(conditions, settings, confirm=False, writer=outline.writer)
        if solved.status != "sat":
            return
        leaf = model_leaf(solved.model)
        wider = _Wider(typed.program, typed.scope)
        same: list[Any] = []
        for type_, variable in variables:
            value = shapes.concrete(type_, variable, leaf)
            wider.take(type_, value)
            if isinstance(type_, ty.EntityT | ty.RecordT | ty.IntT | ty.EnumT):
                same.append(equal(variable, shapes.constant(type_, value)))
        scope = wider.made() if event is None else wider.all_made()
        if scope is not None:
            yield scope
        if not same:
            return
        conditions = [*conditions, not_(and_(*same))]


@dataclass(slots=True)
class _Wider:
    """A scope that grows by what values name."""

    program: Program
    base: Scope
    entities: dict[str, dict[Ref, None]] = field(default_factory=dict)
    narrowed: dict[str, dict[object, None]] = field(default_factory=dict)
    named: dict[str, dict[object, None]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.entities = {kind: dict.fromkeys(refs) for kind, refs in self.base.entities.items()}
        self.narrowed = {name: dict.fromkeys(values) for name, values in self.base.narrowed.items()}

    def take(self, type_: Type, value: Any) -> Any:
        """Take up what a value names; the value, with the scope's ids."""
        match type_:
            case ty.IdT(name=name):
                ids = self.base.ids[name]
                return value if value in ids or not ids else ids[0]
            case ty.OptT(of=of):
                return None if value is None else self.take(of, value)
            case ty.EntityT(name=name, keys=parts):
                ref = tuple(self.take(part, inner) for (_, part), inner in zip(parts, value, strict=True))
                self.entities[name][ref] = None
                return ref
            case ty.RecordT(fields=parts):
                return tuple(self.take(part, inner) for (_, part), inner in zip(parts, value, strict=True))
            case _:
                if str(type_) in self.narrowed:
                    self.narrowed[str(type_)][value] = None
                elif isinstance(type_, ty.EnumT):
                    self.named.setdefault(str(type_), {})[value] = None
                return value

    def made(self) -> Scope | None:
        """The scope; None where it is no wider, or too wide."""
        scope = Scope(
            self.base.ids,
            {kind: tuple(refs) for kind, refs in self.entities.items()},
            self.base.slots,
            {name: tuple(sorted(values, key=_order)) for name, values in self.narrowed.items()},
            self.base.money_parts,
        )
        return self._fit(scope)

    def all_made(self) -> Scope | None:
        """The scope with every entity that its values can name, for an event may bring in any; of enumerations all
        values, or where that is too much those that were named."""
        narrowed = {name: tuple(sorted(values, key=_order)) for name, values in self.narrowed.items()}
        for more in ({}, self.named):
            scope = scope_of(
                self.program,
                self.base.ids,
                {**{name: tuple(values) for name, values in more.items()}, **narrowed},
                self.base.slots,
                money_parts=self.base.money_parts,
            )
            if (found := self._fit(scope)) is not None:
                return found
        return None

    def _fit(self, scope: Scope) -> Scope | None:
        return scope if scope != self.base and places(self.program, scope) <= MOST_PLACES else None


def _order(value: object) -> tuple[str, object]:
    return type(value).__name__, value
