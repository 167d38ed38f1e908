"""Makes the modules that stand beside these tests importable under the importlib import mode, and play shorter."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True)
def fewer_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rulesets here are small: what play can come upon it does soon."""
    monkeypatch.setattr("verifier.prove.desk.STEPS", 1_000)
