"""The check in bulk: the kernel alone, from file to verdict, and whether both engines say the same.

First, for the rules that checkers by hand know, what `kernel.py` measures: the kernel alone, and beside it C, plain
Python and the interpreter; then how long it takes to begin. Then logs are simulated and checked from Parquet, from JSON
Lines and from CSV, by the compiled rules, a large one by a process for each processor; seconds are of processor time,
of all processes, and of the clock. Beside each
stands how many times as fast that is as the interpreter, plain Python and C were in memory. In another,
faults are planted: both engines judge every round of it, and must give the same entries and the same counts of every
rule. Then it says how many of the faults the check finds, by the way in which they were planted, and how many of its
entries stand in a planted fault's round or the next. Where the engines differ, or a lawful log is called at fault, the
exit code is 1. `agreement.py` does the same for as many rounds as one has time for, `growth.py` for logs of any size.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import growth  # noqa: E402
import kernel  # noqa: E402
from interpreter import RULESET  # noqa: E402
from planted import recall  # noqa: E402

from verifier.check.bulk import BulkRun  # noqa: E402
from verifier.check.engine import Prepared, check, prepare  # noqa: E402
from verifier.check.options import read_settings  # noqa: E402
from verifier.check.result import CheckResult  # noqa: E402
from verifier.compile.kernel import Compiled  # noqa: E402
from verifier.log.sources import open_logs  # noqa: E402
from verifier.simulate.simulate import simulate  # noqa: E402


def beginning(ruleset: str, folder: Path, seed: int) -> Prepared:
    """How long it takes to begin, in processor time: to load, to compile, and all in all until the only round of a log
    is judged, by a process of its own."""
    start = time.process_time()
    ready = prepare(ruleset)
    loaded = time.process_time()
    Compiled.of(ready.program)
    made = time.process_time()
    path = folder / "first.parquet"
    simulate(ready, path, 1, seed=seed, distinct=1, jobs=1)
    runs = [growth.checked(ruleset, path) for _ in range(3)]
    print(
        f"{ruleset}, seed {seed}; load {loaded - start:.2f} s, compile {made - loaded:.2f} s; "
        f"gazette check of one round, all in all {min(run.spent for run in runs):.2f} s of processor time"
    )
    return ready


def processor_time() -> float:
    """Seconds of processor time of this process and of those that it has started and that have ended."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def speed(ready: Prepared, path: Path, others: Mapping[str, float]) -> bool:
    """One file, checked in bulk, and its ratio to the events per second of `others`; whether it was found lawful."""
    wall, start = time.perf_counter(), processor_time()
    result = check([path], ready, engine="bulk", jobs=os.cpu_count() or 1)
    spent, passed = processor_time() - start, time.perf_counter() - wall
    print(
        f"{path.suffix[1:]:<8} {result.events:>10,} events {result.events / spent:>12,.0f} events/s of processor time "
        f"{result.events / passed:>12,.0f} events/s"
    )
    for name, other in others.items():
        print(f"{'':<8} {result.events / spent / other:>10,.4g} : 1 {name}")
    return result.entries_total == 0


def agreement(ready: Prepared, path: Path, key: Path) -> bool:
    """A log judged by both engines, each of its rounds."""
    one = check([path], ready, engine="explain", keep=10**9)
    with BulkRun(
        ready, read_settings(ready.ruleset, ()), False, 10**9, None, compiled=Compiled.of(ready.program), sample=1
    ) as run:  # fmt: skip
        for log in open_logs([path], ready.binding.schema):
            run.file(log, None)
        other = run.result()
    same = uncounted(one) == uncounted(other) and not run.disagreements
    print(
        f"{one.rounds or 0:,} rounds, {one.events:,} events by both engines: {run.explained:,} rounds marked, "
        f"{run.sampled:,} not; entries {one.entries_total:,} and {other.entries_total:,}; the same: {same}"
    )
    _, near = recall(key, other.entries, ready.ruleset)
    return same and near


def uncounted(result: CheckResult) -> CheckResult:
    """A result without how often rules were read, which the kernel does not count."""
    return replace(
        result,
        clauses=tuple(
            replace(clause, rules=tuple(replace(rule, read=None) for rule in clause.rules))
            for clause in result.clauses
        ),
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ruleset", default=RULESET)
    parser.add_argument(
        "--alone", type=int, default=2_000, help="rounds for the kernel alone; 0 leaves it out"
    )
    parser.add_argument("--interpreted", type=int, default=200, help="of these, rounds for the interpreter")
    parser.add_argument("--rounds", type=int, default=400_000, help="rounds of the Parquet log")
    parser.add_argument(
        "--small", type=int, default=160_000, help="rounds of the JSON Lines and of the CSV log"
    )
    parser.add_argument("--faulty", type=int, default=1_000, help="rounds in which faults are planted")
    parser.add_argument("--rate", type=float, default=0.2, help="how likely a round is to have a fault")
    parser.add_argument("--distinct", type=int, default=100, help="different rounds that are played")
    parser.add_argument("--seed", type=int, default=1998)
    asked = parser.parse_args()
    right, others = True, dict[str, float]()
    if asked.alone and asked.ruleset == RULESET:
        agreed, others = kernel.measure(asked.alone, asked.interpreted, 5, asked.seed)
        right &= agreed
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ready = beginning(asked.ruleset, folder, asked.seed)
        for ending, rounds in (("parquet", asked.rounds), ("jsonl", asked.small), ("csv", asked.small)):
            path = folder / f"log.{ending}"
            simulate(ready, path, rounds, seed=asked.seed, distinct=asked.distinct, jobs=1)
            right &= speed(ready, path, others)
        most = max(
            resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        )
        print(f"most memory of a process {most / 1024:,.0f} MB")
        path, key = folder / "faulty.jsonl", folder / "key.jsonl"
        simulate(
            ready, path, asked.faulty, seed=asked.seed, faults=asked.rate, key=key, distinct=asked.distinct, jobs=1
        )  # fmt: skip
        right &= agreement(ready, path, key)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
