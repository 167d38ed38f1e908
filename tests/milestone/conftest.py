"""The milestone rulesets, each with the scope in which it is looked at; loaded once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from verifier.core.lower import lower
from verifier.core.program import Program
from verifier.model.load import load
from verifier.prove.scope import Scope, scope_of

RULES = Path(__file__).parent.parent / "rules"

Milestone = tuple[Program, Scope]


@cache
def _milestone(name: str) -> Milestone:
    program = lower(load(RULES / f"milestone-{name}.rules"))
    match name:
        case "blackjack":
            kinds = program.ruleset.types["Kind"].values  # type: ignore[union-attr]
            scope = scope_of(
                program,
                {"Player": ("p",)},
                narrowed={"Kind": [kinds.index(k) for k in ("initial", "double", "super_sevens")]},
                slots={"Hand.cards": 4},
                entities={"Hand": [(0, 1), (1, 1), (1, 2)]},
            )
        case "placings":
            scope = scope_of(program, {"Entrant": ("p", "q", "r", "s")})
        case "constructs":
            scope = scope_of(program, {"Player": ("p", "q")}, slots={"Pile.chips": 3}, money_parts=4)
        case _:
            raise AssertionError(name)
    return program, scope


@pytest.fixture
def milestone() -> Callable[[str], Milestone]:
    """A milestone ruleset's program and scope, by name."""
    return _milestone
