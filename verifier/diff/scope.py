"""How many people and things are looked at where what is proved does not hold of any number."""

from __future__ import annotations

from dataclasses import replace

from verifier.core.program import Program
from verifier.diff.merge import Merger
from verifier.diff.unify import SIDES
from verifier.model.types import ListT
from verifier.prove.extent import first_scope
from verifier.prove.scope import Scope, list_fields
from verifier.prove.scope_words import Telling
from verifier.run.apply import written_by

SLOTS = 5
"""Lists are looked at with so many elements, where what is proved does not hold of any length."""


def scope_of_program(program: Program) -> Scope:
    """A small scope with few people and things, and lists of some length."""
    first = first_scope(program)
    return replace(
        first,
        slots={
            path: max(most, min(SLOTS, _longest(program, path))) if most > 1 else most
            for path, most in first.slots.items()
        },
    )


def telling(merger: Merger) -> Telling:
    """How a comparison tells its scopes: in words, and nothing of a list of the state that no event of either side
    writes. It is as at first in every round: how long it may be is no bound on anything."""
    common = merger.common
    written = {
        common.side(which).state.get(name, name)
        for which in SIDES
        for body in common.side(which).ruleset.mechanics.values()
        for update in body
        for name in written_by(update)
    }
    lists = {name for name, state in common.state.items() if isinstance(state.type, ListT)}
    return Telling(in_words=True, quiet=frozenset(lists - written))


def _longest(program: Program, path: str) -> int:
    return next((type_.maximum for name, type_ in list_fields(program.ruleset) if name == path), SLOTS)
