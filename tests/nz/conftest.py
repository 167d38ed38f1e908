"""Makes `nz_transcripts` importable under the importlib import mode, and loads the ruleset once."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from verifier.check.engine import Prepared

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "scripted")]


@pytest.fixture(scope="session")
def blackjack() -> Prepared:
    from shown import ready

    return ready("nz/blackjack-1998")
