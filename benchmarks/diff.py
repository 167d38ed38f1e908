"""How long a whole comparison of two rulesets takes, cold, beside the loading of both and their words alone.

Each run is a process of its own that keeps no answers. Cold is everything: start, both rulesets and laws read, clauses
aligned, every decision compared and proved.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

GAZETTE = "from verifier.cli import main; main()"
LOAD = "import sys; from verifier.model.load import load; [load(name) for name in sys.argv[1:]]"
WORDS = (
    "import sys; from verifier.model.load import load; from verifier.diff.rules import compare_rulesets; "
    "compare_rulesets(*(load(name) for name in sys.argv[1:]))"
)
TARGET = 3.0
"""Seconds on two cores."""

SETTLED = (0, 1, 3)
"""Exit codes of a run that came to its end."""


def run(program: str, words: list[str], times: int) -> tuple[float, float, str]:
    """Seconds that passed, seconds of processor, both medians, and what the last run printed."""
    walls, works, out = [], [], ""
    for _ in range(times):
        before = os.times()
        start = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-c", program, *words],
            cwd=ROOT,
            env={**os.environ, "GAZETTE_CACHE": "off"},
            capture_output=True,
            text=True,
            check=False,
        )
        walls.append(time.perf_counter() - start)
        after = os.times()
        works.append(
            after.children_user - before.children_user + after.children_system - before.children_system
        )
        if done.returncode not in SETTLED:
            raise SystemExit(done.stdout + done.stderr)
        out = done.stdout
    return statistics.median(walls), statistics.median(works), out


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old", nargs="?", default="nz/blackjack-1994")
    parser.add_argument("new", nargs="?", default="nz/blackjack-1998")
    parser.add_argument("--times", type=int, default=3, help="runs of which the median is taken (default 3)")
    asked = parser.parse_args()
    names = [asked.old, asked.new]
    found = {
        "load both": run(LOAD, names, asked.times),
        "words and rules as written": run(WORDS, names, asked.times),
        "everything, cold": run(GAZETTE, ["diff", *names], asked.times),
    }
    print(f"{asked.old} and {asked.new}")
    base = found["load both"][1]
    for name, (wall, work, _) in found.items():
        print(f"{name:30}{wall:8.2f} s   {work:8.2f} s of processor   {work / base:6.1f} times the loading")
    cold, *_ = found["everything, cold"]
    print(f"everything, cold: {cold:.2f} s, target {TARGET:.0f} s: {'met' if cold < TARGET else 'missed'}")
    again = run(GAZETTE, ["diff", *names], 1)[2]
    print(f"again; the same: {again == found['everything, cold'][2]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
