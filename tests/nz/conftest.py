"""Makes `nz_transcripts` importable under the importlib import mode, and loads the ruleset once."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from verifier.check.engine import Prepared, prepare

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session")
def blackjack() -> Prepared:
    return prepare("nz/blackjack-1998")
