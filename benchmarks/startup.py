"""How long `gazette --help`, and each command's, takes to answer: medians over processes of their own.

Beside them `python -c pass`, which no program in Python can beat. The target is under 150 ms.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from verifier.cli.app import COMMANDS  # noqa: E402

TARGET = 0.150
"""Seconds."""

BASELINE = ["-c", "pass"]
GAZETTE = ["-c", "from verifier.cli import main; main()"]


def seconds(arguments: list[str], times: int) -> float:
    """The median time of a Python process with these arguments, after one that warms the caches."""
    spent: list[float] = []
    for attempt in range(times + 1):
        start = time.perf_counter()
        subprocess.run([sys.executable, *arguments], cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
        if attempt:
            spent.append(time.perf_counter() - start)
    return statistics.median(spent)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--times", type=int, default=9, help="processes of which the median is taken (default 9)"
    )
    asked = parser.parse_args()

    baseline = seconds(BASELINE, asked.times)
    print(f"{'python -c pass':26}{baseline * 1000:8.1f} ms")
    slowest = 0.0
    for words in (["--help"], *([name, "--help"] for name in COMMANDS)):
        spent = seconds([*GAZETTE, *words], asked.times)
        slowest = max(slowest, spent)
        print(
            f"{'gazette ' + ' '.join(words):26}{spent * 1000:8.1f} ms   {spent / baseline:4.1f} times the baseline"
        )
    print(
        f"slowest {slowest * 1000:.1f} ms, target {TARGET * 1000:.0f} ms: {'met' if slowest < TARGET else 'missed'}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
