"""How many people and things are looked at where what is proved does not hold of any number."""

from __future__ import annotations

from dataclasses import replace

from verifier.core.program import Program
from verifier.prove.extent import scopes
from verifier.prove.scope import Scope, list_fields

SLOTS = 5
"""Lists are looked at with so many elements, where what is proved does not hold of any length."""


def scope_of_program(program: Program) -> Scope:
    """A small scope with few people and things, and lists of some length."""
    first = scopes(program)[0]
    return replace(
        first,
        slots={
            path: max(most, min(SLOTS, _longest(program, path))) if most > 1 else most
            for path, most in first.slots.items()
        },
    )


def _longest(program: Program, path: str) -> int:
    return next((type_.maximum for name, type_ in list_fields(program.ruleset) if name == path), SLOTS)
