"""What a solver found, told by the interpreter that checks logs: a state is shown only where this says the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

from verifier.core.program import Program
from verifier.model import types as ty
from verifier.model.ruleset import Param
from verifier.model.terms import Term
from verifier.prove.question import Question, Sometimes
from verifier.run.apply import CannotApply, apply, compile_mechanics
from verifier.run.machine import Machine
from verifier.run.operators import Closure, Frame
from verifier.run.state import State
from verifier.run.undefined import Undefined

MOST_CHECKED = 5_000
"""The interpreter looks at so many values of what must not be."""

MOST_KEPT = 500
"""So many conditions are kept as closures: questions that are asked one after the other share most of theirs."""


@dataclass(frozen=True, slots=True)
class Modelled:
    """A model as the interpreter has it. `before` is the state that the question reads, with the event's ids noted."""

    state: State
    before: State
    options: dict[str, object]
    values: dict[str, Any]
    event: tuple[Any, ...]
    model: Any


def denied(
    program: Program,
    machine: Machine,
    question: Question,
    assuming: tuple[Term, ...],
    found: Modelled,
    event: Mapping[str, Any],
) -> str:
    """What the interpreter says otherwise of the answer to a question; empty where it agrees. `event` are the
    arguments of the question's own event, by name."""
    machine.options = dict(found.options)
    machine.enter(found.state)
    for requirement in program.ruleset.requirements:
        if not _true(_closure(machine, requirement.condition, ()), []):
            return f"the options do not meet {requirement.rule}"
    for term in assuming:
        if not _true(_closure(machine, term, ()), []):
            return "something assumed is not so"
    machine.enter(found.before)
    if question.event is not None:
        try:
            after = apply(machine, compile_mechanics(machine, question.event), found.event)
        except CannotApply as cannot:
            return f"{question.event} cannot be applied: {cannot}"
        machine.enter(found.before, after)
    for param in question.params:
        if param.name in question.made or not isinstance(param.type, ty.EntityT):
            continue
        if found.values[param.name] not in machine.refs(param.type.name):
            return f"there is no {param.name}"
    given = {**found.values, **event}
    if not _true(_closure(machine, question.condition, given), list(given.values())):
        return "the condition is not true"
    for nothing in question.none:
        closure = _closure(machine, nothing.condition, (*given, *(p.name for p in nothing.params)))
        listed = product(*(_listed(machine, p) for p in nothing.params))
        for values in islice(listed, MOST_CHECKED):
            if _true(closure, [*given.values(), *values]):
                return "there is what there must not be"
    return ""


def not_met(machine: Machine, assuming: Sequence[Term], found: Sometimes) -> list[Term]:
    """Those assumptions that are not so in a state found, what is shortest first."""
    machine.options = dict(found.options)
    machine.enter(found.state)
    unmet = [term for term in assuming if not _true(_closure(machine, term, ()), [])]
    return sorted(unmet, key=lambda term: len(repr(term)))


def _closure(machine: Machine, term: Term, variables: Iterable[str]) -> Closure:
    """The closure of a term, made once: to make that of a long condition costs more than to ask it."""
    kept: dict[tuple[Term, tuple[str, ...]], Closure]
    kept = machine.kept.setdefault(Modelled, {})  # type: ignore[assignment]
    key = (term, tuple(variables))
    found = kept.get(key)
    if found is None:
        if len(kept) >= MOST_KEPT:
            kept.clear()
        found = kept[key] = machine.closure(term, key[1])
    return found


def _true(closure: Closure, frame: Frame) -> bool:
    try:
        return closure(frame) is True
    except Undefined:
        return False


def _listed(machine: Machine, param: Param) -> list[Any]:
    """What a parameter ranges over in the machine's state; nothing where that is too much to list."""
    match param.type:
        case ty.EntityT(name=name):
            return machine.refs(name)
        case ty.IdT(name=name):
            return list(machine.state.ids[name])
        case type_:
            return ty.finite_values(type_) or []
