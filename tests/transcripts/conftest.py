"""The toll bridge of the command line's tests, ready to judge, and transcripts of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from verifier.check.engine import Prepared, prepare

BRIDGE = Path(__file__).parents[1] / "cli" / "bridge" / "bridge.rules"

HEAD = "ruleset: bridge\nevents:\n- traveller arrive traveller=ann\n"
CROSSING = "- traveller cross traveller=ann\n- traveller leave\n"


@pytest.fixture(scope="session")
def bridge() -> Prepared:
    return prepare(BRIDGE)


@pytest.fixture
def transcript(tmp_path: Path) -> Callable[..., Path]:
    """Writes a transcript in which Ann pays `paid` on foot and crosses, and which expects `expect`."""

    def write(expect: str, paid: int = 50, name: str = "one.transcript.yaml") -> Path:
        path = tmp_path / name
        charge = f"- keeper charge traveller=ann kind=foot amount={paid}\n"
        path.write_text(f"{HEAD}{charge}{CROSSING}{expect}", "utf-8")
        return path

    return write
