"""What has not been made is as it first was: told of each reference in a scope, where a kind has too many references
for it to be said of them value by value (`facts.plain` says it of the others)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import z3

from verifier.prove.clauses import countable
from verifier.prove.smtlib import Writer
from verifier.prove.solve import Settings, solve
from verifier.prove.symbolic import SymbolicState
from verifier.prove.transitions import System, next_of, transitions
from verifier.prove.values import Truth, equal, or_

SUPPOSED = "What has not been made is supposed to be as it first was; that this is kept is asked by itself."


def unmade(made: System, settings: Settings, writer: Writer | None = None) -> System:
    """The system, in which that holds always, if every solver says that nothing that can happen ends it.

    It holds at first, when nothing is made, so that this is an induction of its own. Where it is not confirmed the
    system is as it was.
    """
    claims = [claim for claim in _claims(made.state) if not isinstance(claim, bool)]
    if not claims:
        return made
    for move in transitions(made):
        then = next_of(claims, move.changes)
        ended = [z3.Not(after) for after, before in zip(then, claims, strict=True) if not after.eq(before)]
        if not ended:
            continue
        name = f"what has not been made, {made.mode}, {move.name}"
        comment = (
            f"unsat means that {move.name} leaves what has not been made as it first was, in {made.mode}."
        )
        conditions = [*made.always, *claims, *move.conditions, z3.Or(*ended)]
        if solve(conditions, settings, name, comment, None, writer).status != "unsat":
            return made
    return replace(made, always=(*made.always, *claims))


def _claims(state: SymbolicState) -> Iterator[Truth]:
    world = state.world
    for kind, entity in world.ruleset.entities.items():
        if countable(entity.type):
            continue
        for place in world.places:
            if place.name == kind and place.field is not None:
                first = equal(state.values[place], world.initial[place])
                yield or_(state.exists[kind, place.key], first)
