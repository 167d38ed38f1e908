"""How time and memory of a check in bulk grow with the log: one line for each size, with its ratio to the first.

Lawful logs are simulated as Parquet, of a few different rounds strung together at tables of many rounds, and each is
checked by `gazette check`, of a large one by a process for each processor: seconds of processor time of all, of the
clock, the most memory that one process held, and, where the system tells it (Linux), the most that all held together,
what they share counted once. If a log is called at fault the exit code is 1.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent)]

from verifier.check.engine import prepare  # noqa: E402
from verifier.simulate.simulate import simulate  # noqa: E402

PAUSE = 0.2
"""Seconds from one look at the memory of all to the next."""

PROBE = 200
"""From so many rounds it is told how many events a round has."""


@dataclass(frozen=True, slots=True)
class Checked:
    """One run: events, seconds of processor time and of the clock, most memory of a process and of all together (None
    where it cannot be told) in megabytes, and the exit code."""

    events: int
    spent: float
    passed: float
    memory: float
    together: float | None
    code: int


def checked(ruleset: str, path: Path) -> Checked:
    """`gazette check` of a log in a process of its own."""
    result = path.with_suffix(".json")
    command = [sys.executable, "-m", "verifier", "check", str(path), "--rules", ruleset, "--engine", "bulk"]
    command += ["--format", "json", "--no-progress", "--output", str(result)]
    environment = {**os.environ, "PYTHONPATH": str(HERE.parent)}
    begun = time.perf_counter()
    process = subprocess.Popen(command, env=environment)
    most = 0
    while (ended := os.wait4(process.pid, os.WNOHANG))[0] == 0:
        most = max(most, proportional(process.pid))
        time.sleep(PAUSE if most else 0.01)
    _, status, usage = ended
    passed = time.perf_counter() - begun
    told = json.loads(result.read_text("utf-8"))
    return Checked(
        told["events"],
        usage.ru_utime + usage.ru_stime,
        passed,
        usage.ru_maxrss / 1024,
        most / 1024 if most else None,
        os.waitstatus_to_exitcode(status),
    )


def proportional(pid: int) -> int:
    """Kilobytes that a process and those that it started hold, a page that several share divided among these; 0 where
    the system does not tell."""
    try:
        rolled = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii")
        own = sum(int(line.split()[1]) for line in rolled.splitlines() if line.startswith("Pss:"))
        started = [path.read_text("ascii").split() for path in Path(f"/proc/{pid}/task").glob("*/children")]
    except OSError:
        return 0
    return own + sum(proportional(int(child)) for children in started for child in children)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="*", type=float, help="millions of events (default 1 10 100)")
    parser.add_argument("--ruleset", default="nz/roulette-1998")
    parser.add_argument("--distinct", type=int, default=40, help="different rounds that are played")
    parser.add_argument("--per-table", type=int, default=1_000, help="rounds at a table")
    parser.add_argument("--seed", type=int, default=1998)
    asked = parser.parse_args()
    ready = prepare(asked.ruleset)
    first: Checked | None = None
    right = True
    with tempfile.TemporaryDirectory() as folder:
        probe = simulate(
            ready, Path(folder, "probe.parquet"), PROBE, seed=asked.seed, distinct=asked.distinct, jobs=1
        )
        for size in asked.sizes or (1, 10, 100):
            path = Path(folder, "log.parquet")
            rounds = max(1, round(size * 1_000_000 * probe.rounds / probe.rows))
            simulate(
                ready,
                path,
                rounds,
                seed=asked.seed,
                distinct=asked.distinct,
                per_table=asked.per_table,
                jobs=1,
            )
            run = checked(asked.ruleset, path)
            first = first or run
            memory = f"{run.memory:>6,.0f} MB"
            if run.together is not None:
                memory += f" ({run.together:,.0f} MB together)"
            ratio = (run.spent / run.events) / (first.spent / first.events)
            print(
                f"{run.events:>12,} events  {run.spent:>8.1f} s of processor time, {run.passed:>8.1f} s passed, "
                f"{run.events / run.passed:>10,.0f} events/s, {memory}, an event 1 : {ratio:.2f}",
                flush=True,
            )
            right &= run.code == 0
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
