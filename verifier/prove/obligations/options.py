"""Every value of every option can be stated, and some rule reads it.

Where no `require` reads an option, each of its values can be stated with whatever the others are; where one does,
each value is asked for: of a range or a list of more than `MOST_VALUES` the ends. An option that no rule reads makes
no difference, and whoever states it is misled: unless its own rule says that what depends on it is not observed.
"""

from __future__ import annotations

from collections.abc import Iterator

from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model.ruleset import Act, Contribution, Norm, Option, Unit
from verifier.model.terms import Term, children
from verifier.model.types import BOOL
from verifier.model.values import show
from verifier.prove.obligations.units import TRUE
from verifier.prove.question import Obligation, Question

MOST_VALUES = 16
"""An option with more listed values than this is asked for its lowest and its highest only."""


def obligations(program: Program) -> Iterator[Obligation]:
    """For each option: that a rule reads it, and that each of its values can be stated."""
    readers = read_by(program)
    required: dict[str, list[str]] = {}
    for requirement in program.ruleset.requirements:
        for name in options_in(program, [requirement.condition]):
            required.setdefault(name, []).append(requirement.rule)
    for option in program.ruleset.options.values():
        yield _read(program, option, readers.get(option.name, ()))
        yield from _stated(program, option, tuple(dict.fromkeys(required.get(option.name, ()))))


# -------------------------------------------------------------------------------------------- somebody reads it
def _read(program: Program, option: Option, readers: tuple[str, ...]) -> Obligation:
    told: str | None = None
    about: tuple[str, ...] = ()
    own = next((rule for rule in program.ruleset.rules.values() if option.name in rule.options), None)
    if readers:
        about = (f"read by {', '.join(readers)}",)
    elif own is not None and own.unchecked:
        about = tuple(f"{own.id} is {u.kind}: {u.reason}" for u in own.unchecked)
    else:
        told = f"no rule reads `{option.name}`: whatever is stated, every verdict is the same"
    return Obligation(
        f"option {option.name} is read",
        "unreachable option",
        f"what is stated for `{option.name}` makes a difference to some rule",
        _rules(program, option, readers),
        told=told,
        about=about,
    )


def read_by(program: Program) -> dict[str, tuple[str, ...]]:
    """For each option the rules that read it, themselves or through what they call, in the order of the law.

    A decision's cases are rules of their own, so what they read does not count for who asks the decision; a claim
    of an event counts for the event, under its name, and so does the stock that it draws from.
    """
    found: dict[str, dict[str, None]] = {}
    for unit in program.ruleset.units.values():
        for name in options_in(program, list(_terms_of(unit))):
            found.setdefault(name, {})[unit.rule] = None
    for question in program.ruleset.questions:
        for name in options_in(program, [question.condition]):
            found.setdefault(name, {})[question.rule] = None
    for event in program.ruleset.events.values():
        terms = [
            *event.claims,
            *(t for move in event.moves for t in (move.amount, move.due) if t is not None),
        ]
        for name in options_in(program, terms):
            found.setdefault(name, {})[f"event {event.name}"] = None
    for chance in program.ruleset.chances:
        for name in options_in(program, [] if chance.stock is None else [chance.stock]):
            found.setdefault(name, {})[f"event {chance.event}"] = None
    return {name: tuple(rules) for name, rules in found.items()}


def options_in(program: Program, terms: list[Term]) -> set[str]:
    """The options that terms read, also through functions."""
    found: set[str] = set()
    seen: set[str] = set()
    rest = list(terms)
    while rest:
        term = rest.pop()
        rest += children(term)
        match term:
            case m.OptionGet(name=name):
                found.add(name)
            case m.CallF(function=name) if name not in seen:
                seen.add(name)
                rest.append(program.functions[name].body)
            case _:
                continue
    return found


def _terms_of(unit: Unit) -> Iterator[Term]:
    yield from unit.given
    if unit.when is not None:
        yield unit.when
    match unit:
        case Contribution(value=value):
            yield value
        case Norm(acts=acts, deadline=deadline):
            for act in (*acts, *(deadline.acts if deadline is not None else ())):
                yield from _terms_of_act(act)


def _terms_of_act(act: Act) -> Iterator[Term]:
    for slot in act.slots:
        if slot.equals is not None:
            yield slot.equals
        if slot.where is not None:
            yield slot.where


# ------------------------------------------------------------------------------------------ it can be stated
def _stated(program: Program, option: Option, requiring: tuple[str, ...]) -> Iterator[Obligation]:
    """One for each value where some `require` reads the option, else one for all of them."""
    rules = _rules(program, option, requiring)
    if not requiring:
        yield Obligation(
            f"option {option.name} can be stated",
            "unreachable option",
            f"every value of `{option.name}` can be stated",
            rules,
            about=("no `require` reads it",),
        )
        return
    about = (f"`require` of {', '.join(requiring)}",)
    if option.values is None:
        yield Obligation(
            f"option {option.name} can be stated",
            "unreachable option",
            f"some value of `{option.name}` can be stated",
            rules,
            wanted="sometimes",
            question=Question((), TRUE),
            about=about,
        )
        return
    for value in _chosen(option.values):
        shown = show(option.type, value)
        is_it = m.CompareT(BOOL, "=", m.OptionGet(option.type, option.name), m.Lit(option.type, value))
        yield Obligation(
            f"option {option.name} = {shown}",
            "unreachable option",
            f"`{option.name}` can be stated to be {shown}",
            rules,
            wanted="sometimes",
            question=Question((), is_it),
            about=about,
        )


def _chosen(values: tuple[object, ...]) -> tuple[object, ...]:
    return values if len(values) <= MOST_VALUES else (values[0], values[-1])


def _rules(program: Program, option: Option, others: tuple[str, ...]) -> tuple[str, ...]:
    """The rule that gives the option, then the others, without events."""
    own = [rule.id for rule in program.ruleset.rules.values() if option.name in rule.options]
    return tuple(dict.fromkeys([*own, *(rule for rule in others if not rule.startswith("event "))]))
