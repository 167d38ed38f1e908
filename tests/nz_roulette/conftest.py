"""Puts this folder, and those of two shared harnesses, on the path, and loads the ruleset once."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from verifier.check.engine import Prepared

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "nz"), str(HERE.parent / "scripted")]


@pytest.fixture(scope="session")
def roulette() -> Prepared:
    from shown import ready

    return ready("nz/roulette-1998")
