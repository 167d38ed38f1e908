"""Ranges are kept: by what events write, by defines and by decisions.

Nothing at run time holds a written number to its declared range, and all proofs suppose that the state keeps its
types; so this is asked first of all. What is asked: an event that can be applied, with arguments within their
types, in a state within its types, writes a value outside the declared range of its place (odds below 0 included),
or writes to an entity whose key is outside its range. Money has no range (see `verifier.prove.signed`). A full list is
no such case: an event that would overfill one cannot be applied. What the types alone tell (`bounds`) is not asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from verifier.core.lawful import stocks_left
from verifier.core.lower import event_variable
from verifier.core.program import DecisionProgram, Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.rewrite import substitute
from verifier.model.ruleset import (
    Append,
    Each,
    Event,
    FieldTarget,
    Function,
    New,
    StateTarget,
    Target,
    Update,
    Write,
)
from verifier.model.show import Names, names_of, show_term
from verifier.model.terms import Term
from verifier.model.types import BOOL, Type
from verifier.prove.obligations.acts import event_params, loose
from verifier.prove.obligations.bounds import Bounds, Measure, of_type
from verifier.prove.obligations.units import both, call, either, items_of, no
from verifier.prove.question import Nothing, Obligation, Question

SURE = "the types and conditions alone say so"
"""What stands beside an obligation that needs no question."""


def obligations(program: Program) -> Iterator[Obligation]:
    """One for each define and decision with a declared range, and for each place that an event may leave outside."""
    names = names_of(program.ruleset)
    measure = Measure(program)
    for function in program.ruleset.functions.values():
        if _limited(function.type):
            yield _of_define(program, measure, function, names)
    for decision in program.decisions.values():
        if _limited(decision.type):
            yield _of_decision(program, measure, decision)
    for event in program.ruleset.events.values():
        yield from _of_event(program, measure, event, names)


def _limited(type_: Type) -> bool:
    bare = type_.of if isinstance(type_, ty.OptT) else type_
    return isinstance(bare, ty.IntT) and (bare.low is not None or bare.high is not None)


# --------------------------------------------------------------------------------------- defines, decisions
def _of_define(program: Program, measure: Measure, function: Function, names: Names) -> Obligation:
    variables = tuple(m.Var(p.type, p.name) for p in function.params)
    value = m.CallF(function.type, function.name, variables)
    outside = [_outside(value, of_type(function.type)) for _ in beyond(measure, function.type, function.body)]
    return Obligation(
        f"range {function.name}",
        "range",
        f"{show_term(value, names)} is always in {_shown(function.type)}",
        tuple(rule.id for rule in program.ruleset.rules.values() if function.name in rule.defines),
        question=Question(function.params, outside[0]) if outside else None,
        about=() if outside else (SURE,),
    )


def _of_decision(program: Program, measure: Measure, decision: DecisionProgram) -> Obligation:
    outside = [
        both(call(case.applies, decision.params), wrong)
        for case in decision.cases
        for wrong in beyond(
            measure.where(*items_of(program.functions[case.applies].body)), decision.type, case.value
        )
    ]
    return Obligation(
        f"range {decision.name}",
        "range",
        f"no rule gives `{decision.name}` a value outside {_shown(decision.type)}",
        tuple(dict.fromkeys(case.rule for case in decision.cases)),
        question=Question(decision.params, either(*outside)) if outside else None,
        about=() if outside else (SURE,),
    )


def beyond(measure: Measure, type_: Type, value: Term) -> Iterator[Term]:
    """For each number in a value of the type that may be outside its declared range: the condition that it is.

    What is undefined is not outside: it is not written.
    """
    match type_:
        case ty.OptT(of=of):
            if isinstance(value, m.Lit) and value.value is None:
                return
            held = m.Force(of, value) if isinstance(value.type, ty.OptT) else value
            yield from beyond(measure, of, held)
        case ty.IntT() | ty.MoneyT() | ty.OddsT():
            limits = of_type(type_)
            if not measure.of(value).within(limits):
                yield _outside(value, limits)
        case ty.RecordT(fields=parts) | ty.EntityT(keys=parts):
            for index, (_, part_type) in enumerate(parts):
                made = measure.part(value, index)
                if made is not None:
                    yield from beyond(measure, part_type, made)
        case _:
            return


def _outside(value: Term, limits: Bounds) -> Term:
    held = m.Force(value.type.of, value) if isinstance(value.type, ty.OptT) else value
    sides: list[Term] = []
    if limits.low is not None:
        sides.append(m.CompareT(BOOL, "<", held, m.Lit(ty.INT, limits.low)))
    if limits.high is not None:
        sides.append(m.CompareT(BOOL, ">", held, m.Lit(ty.INT, limits.high)))
    return either(*sides)


def _shown(type_: Type) -> str:
    bare = type_.of if isinstance(type_, ty.OptT) else type_
    assert isinstance(bare, ty.IntT)
    if bare.low is None or bare.high is None:
        return str(bare)
    span = f"{bare.low}..{bare.high}"
    return f"{bare.name} ({span})" if bare.name else span


# --------------------------------------------------------------------------------------------------- events
@dataclass(frozen=True, slots=True)
class _Written:
    """What an update may write outside a range: the place, what is written as the rule has it, and when that is
    outside. `key`: what is outside is not what is written, but where."""

    place: str
    shown: str
    wrong: Term | None
    key: bool


def _of_event(program: Program, measure: Measure, event: Event, names: Names) -> Iterator[Obligation]:
    by = {p.name: event_variable(p) for p in event.params}
    found: dict[tuple[str, bool], list[_Written]] = {}
    possible = measure.where(*event.needs)
    for update in program.ruleset.mechanics.get(event.name, ()):
        for written in _written(program, possible, update, names):
            found.setdefault((written.place, written.key), []).append(written)
    for (place, key), several in found.items():
        wrong = [w for w in several if w.wrong is not None]
        question: Question | None = None
        if wrong:
            anywhere = either(*dict.fromkeys(w.wrong for w in wrong if w.wrong is not None))
            condition = both(substitute(anywhere, by), *stocks_left(program, event))
            question = _at_any(event, condition) if key else Question((), condition, event.name)
        yield Obligation(
            f"range {place} at {event.name}",
            "range",
            f"`{event.name}` names no {place} outside its range"
            if key
            else f"`{event.name}` leaves {place} within its range",
            (),
            question=question,
            about=(
                *(f"written: {shown}" for shown in dict.fromkeys(w.shown for w in wrong or several)),
                *(() if wrong else (SURE,)),
            ),
        )


def _at_any(event: Event, condition: Term) -> Question:
    """The question where the event need not be one that can be followed: its key may lead out of what is looked at.

    What the event names may not exist yet, so its parameters are taken by their parts.
    """
    by = {p.name: event_variable(p) for p in event.params}
    return Question(
        tuple(replace(p, type=loose(p.type)) for p in event_params(event)),
        condition,
        none=tuple(Nothing((), no(substitute(need, by))) for need in event.needs),
    )


def _written(program: Program, measure: Measure, update: Update, names: Names) -> Iterator[_Written]:
    match update:
        case Each(var=var, domain=domain, where=where, update=inner):
            inside = measure if where is None else measure.where(where)
            for found in _written(program, inside, inner, names):
                wrong = (
                    None if found.wrong is None else m.Quant(BOOL, "some", var, domain, where, found.wrong)
                )
                yield replace(found, wrong=wrong)
        case New(entity=entity, of=of, when=when):
            yield from _of_key(program, entity, of, when, measure, names)
        case Write(target=target, value=value, when=when) | Append(target=target, value=value, when=when):
            match target:
                case FieldTarget(entity=entity, of=of):
                    yield from _of_key(program, entity, of, when, measure, names)
                case StateTarget(name=name, key=key) if key is not None:
                    declared = program.ruleset.state[name].type
                    assert isinstance(declared, ty.MapT | ty.SetT)
                    key_type = declared.key if isinstance(declared, ty.MapT) else declared.of
                    yield from _of_place(name, key_type, key, when, measure, names)
                case _:
                    pass
            type_ = _type_of(program, target)
            if isinstance(update, Append):
                assert isinstance(type_, ty.ListT)
                type_ = type_.of
            yield from _numbers(_place(target), type_, value, when, measure, names, key=False)


def _of_key(
    program: Program, entity: str, of: Term, when: Term | None, measure: Measure, names: Names
) -> Iterator[_Written]:
    return _of_place(entity, program.ruleset.entities[entity].type, of, when, measure, names)


def _of_place(
    place: str, type_: Type, key: Term, when: Term | None, measure: Measure, names: Names
) -> Iterator[_Written]:
    return _numbers(place, type_, _held(key), when, measure, names, key=True)


def _numbers(
    place: str, type_: Type, value: Term, when: Term | None, measure: Measure, names: Names, key: bool
) -> Iterator[_Written]:
    """The numbers in a value that types alone do not keep in their ranges; `wrong` is absent where conditions do."""
    inside = measure if when is None else measure.where(when)
    asked = list(beyond(inside, type_, value))
    for wrong in asked:
        yield _Written(place, show_term(value, names), _guarded(when, wrong), key)
    if not asked and any(True for _ in beyond(Measure(measure.program), type_, value)):
        yield _Written(place, show_term(value, names), None, key)


def _held(of: Term) -> Term:
    return m.Force(of.type.of, of) if isinstance(of.type, ty.OptT) else of


def _guarded(when: Term | None, wrong: Term) -> Term:
    return wrong if when is None else both(when, wrong)


def _place(target: Target) -> str:
    return f"{target.entity}.{target.name}" if isinstance(target, FieldTarget) else target.name


def _type_of(program: Program, target: Target) -> Type:
    """The type of what stands in a place; of a map what a key leads to, of a set whether it holds the key."""
    match target:
        case FieldTarget(entity=entity, name=name):
            return next(f.type for f in program.ruleset.entities[entity].fields if f.name == name)
        case StateTarget(name=name):
            declared = program.ruleset.state[name].type
            match declared:
                case ty.MapT(of=of):
                    return of
                case ty.SetT():
                    return BOOL
                case _:
                    return declared
