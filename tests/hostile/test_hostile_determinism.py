"""The same request gives the same bytes, whatever the seed of Python's hashes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROUND = Path(__file__).parents[2] / "examples" / "one-round.yaml"


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", str(ROUND), "--rules", "nz/blackjack-1998", "--format", "json"],
        ["ask", "nz/blackjack-1998", "--transcript", str(ROUND), "--format", "json"],
    ],
    ids=lambda arguments: str(arguments[0]),
)
def test_the_seed_of_hashes_changes_nothing(arguments: list[str]) -> None:
    program = [sys.executable, "-c", "from verifier.cli import main; main()"]
    pages = {
        subprocess.run(
            [*program, *arguments], capture_output=True, env={**os.environ, "PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(pages) == 1
    assert len(pages.pop()) > 1000
