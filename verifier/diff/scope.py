"""How many people and things are looked at where what is proved does not hold of any number."""

from __future__ import annotations

import re
from dataclasses import replace

from verifier.core.program import Program
from verifier.diff.merge import Merger
from verifier.diff.unify import SIDES
from verifier.prove.extent import scopes
from verifier.prove.scope import Scope, list_fields
from verifier.run.apply import written_by

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


_LISTS = re.compile(r", at most (\d+) ([\w.]+)")
_MONEY = re.compile(r"\bamounts in parts of (1/\d+)")


def in_words(scope: str, merger: Merger) -> str:
    """A scope of a comparison in the words of the declarations: `each Hand with at most 5 cards`.

    A list of the state that no event of either side writes is as at first in every round: how long it may be is no
    bound on anything.
    """

    def told(found: re.Match[str]) -> str:
        most, path = found.groups()
        entity, _, field = path.rpartition(".")
        if entity:
            return f", each {entity} with at most {most} {field}"
        return f", at most {most} things in {path}" if path in written else ""

    written = {
        merger.common.side(which).state.get(name, name)
        for which in SIDES
        for body in merger.common.side(which).ruleset.mechanics.values()
        for update in body
        for name in written_by(update)
    }
    return _MONEY.sub(r"money to \1 of its smallest unit", _LISTS.sub(told, scope))


def _longest(program: Program, path: str) -> int:
    return next((type_.maximum for name, type_ in list_fields(program.ruleset) if name == path), SLOTS)
