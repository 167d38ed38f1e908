"""What is played with: how many of everything, and the options in force."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod
from random import Random

from verifier.check.options import read_settings
from verifier.core.program import Program
from verifier.errors import Problem, RequestError
from verifier.model import types as ty
from verifier.prove.explore.settings import Options, Settings
from verifier.prove.extent import key_ranges
from verifier.prove.scope import Scope, scope_of
from verifier.simulate.habits import Habits

PEOPLE = 4
"""So many ids of a type there are at a table."""

PLACES = 3
"""So many values of a range by which things are kept are played with, beside those that rules name."""

MOST_LISTED = 3_000
"""References to what does not exist are tried for kinds of thing of which there can be no more than this."""

DRAWN = 60
"""So many settings of the options are looked at for some that may be played under."""


def scope_for(program: Program, places: int = PLACES) -> Scope:
    """Few ids, and of ranges by which things are kept the values that rules name with the lowest `places` others.

    What chance decides has its whole range. References to what does not exist are listed where they are not too many.
    """
    ruleset = program.ruleset
    ids = {
        t.name: tuple(f"{t.name[:1].upper()}{i + 1}" for i in range(min(PEOPLE, t.maximum)))
        for t in ruleset.types.values()
        if isinstance(t, ty.IdT)
    }
    drawn = {str(ruleset.events[c.event].params[c.parameter].type) for c in ruleset.chances}
    narrowed: dict[str, tuple[object, ...]] = {}
    for name, (named, values) in key_ranges(program).items():
        if name not in drawn and len(values) > places + len(named):
            spare = [v for v in values if v not in named]
            narrowed[name] = tuple(v for v in values if v in named or v in spare[:places])
    whole = scope_of(program, ids, narrowed, entities=dict.fromkeys(ruleset.entities, ()))
    sizes: dict[str, int] = {}
    for name, entity in ruleset.entities.items():
        sizes[name] = prod(_size(part, whole, sizes) for _, part in entity.type.keys)
    return scope_of(
        program, ids, narrowed, entities={n: () for n, size in sizes.items() if size > MOST_LISTED}
    )


def _size(type_: ty.Type, scope: Scope, entities: Mapping[str, int]) -> int:
    if str(type_) in scope.narrowed:
        return len(scope.narrowed[str(type_)])
    match type_:
        case ty.IdT(name=name):
            return len(scope.ids[name])
        case ty.EntityT(name=name):
            return entities[name]
        case ty.OptT(of=of):
            return 1 + _size(of, scope, entities)
        case ty.RecordT(fields=parts):
            return prod(_size(part, scope, entities) for _, part in parts)
        case _:
            values = ty.finite_values(type_)
            return MOST_LISTED + 1 if values is None else len(values)


def options_for(
    program: Program, scope: Scope, habits: Habits, given: Mapping[str, object], rng: Random
) -> Iterator[Options]:
    """Options to play under, all stated, that meet every requirement: those given, then habits, the others drawn.

    `given` are as the core holds them. Raises `RequestError` where none meet the requirements.
    """
    usual = read_settings(program.ruleset, habits.options)
    settings = Settings(program, scope, rng)
    found: list[Options] = []
    for drawn in settings.draw(DRAWN):
        for fixed in ({**usual, **given}, given):
            options = {**drawn, **fixed}
            if options not in found and settings.meets(options):
                found.append(options)
                yield options
    if not found:
        raise RequestError(
            Problem(
                "no options were found that meet all that the rules require of them",
                code="options",
                help="state them with --set, or state fewer",
            )
        )
