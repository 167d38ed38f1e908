"""Rounds made for the toll bridge, once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from verifier.check.engine import Prepared, prepare
from verifier.generate.generate import Generated, generate
from verifier.prove.solve import Settings

BRIDGE = Path(__file__).parents[1] / "cli" / "bridge"

STEPS = 100


def made_of(ready: Prepared) -> Generated:
    return generate(ready, Settings(("z3",)), steps=STEPS)


@pytest.fixture(scope="session")
def bridge() -> Prepared:
    return prepare(BRIDGE / "bridge.rules")


@pytest.fixture(scope="session")
def make() -> Callable[[Prepared], Generated]:
    """Makes the rounds of a small ruleset."""
    return made_of


@pytest.fixture(scope="session")
def made(bridge: Prepared) -> Generated:
    return made_of(bridge)
