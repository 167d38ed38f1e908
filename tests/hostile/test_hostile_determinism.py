"""The same request gives the same bytes, whatever the seed of Python's hashes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROUND = Path(__file__).parents[2] / "examples" / "one-round.yaml"

REQUESTS = (
    ["check", str(ROUND), "--rules", "nz/blackjack-1998", "--format", "json"],
    ["ask", "nz/blackjack-1998", "--transcript", str(ROUND), "--format", "json"],
)


def pages(seed: str) -> list[bytes]:
    """What each request prints, in a process with this seed."""
    program = (
        f"from verifier.cli.app import run\nfor request in {REQUESTS!r}:\n  run(request)\n  print(chr(12))"
    )
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, env=environment)
    return done.stdout.split(b"\f\n")[:-1]


def test_the_seed_of_hashes_changes_nothing() -> None:
    first, *others = (pages(seed) for seed in ("0", "1", "2"))
    assert others == [first, first]
    assert [len(page) > 1000 for page in first] == [True] * len(REQUESTS)
