"""Synthetic logs and how fast they are written, read strictly, and sorted; what of the faults planted is found.

All in one run, by the processor's time, over one simulated log: what it costs to play rounds, to string them together
and to write them; to read them with no check at all (pyarrow, the limit), column by column, and row by row from each
format. Then faults are planted in another log. Where the check finds something in the lawful one, or anything far from
a fault planted, the exit code is 1.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import pyarrow.parquet as pq  # noqa: E402
from planted import recall  # noqa: E402

from verifier.check.engine import Prepared, check, prepare  # noqa: E402
from verifier.log.arrange import PLAIN, Arrange  # noqa: E402
from verifier.log.batches import typed_batches  # noqa: E402
from verifier.log.sources import open_log  # noqa: E402
from verifier.simulate.simulate import Simulated, simulate  # noqa: E402

T = TypeVar("T")


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """What the work makes, and the seconds of a processor that it took: a busy machine makes it wait, not work."""
    start = time.process_time()
    found = work()
    return found, time.process_time() - start


def count(items: Iterable[object]) -> int:
    """How many there are."""
    return sum(1 for _ in items)


def show(what: str, rows: int, seconds: float, limit: float, unit: str = "rows") -> None:
    """One line: the rate, and how many times the limit's time it takes."""
    rate = rows / max(seconds, 1e-9)
    print(f"{what:<44} {rate:>14,.0f} {unit}/s   1 : {limit / max(rate, 1e-9):,.1f}")


def unchecked(path: Path) -> int:
    """The rows of a Parquet file, decoded and looked at by nobody."""
    with pq.ParquetFile(path) as file:
        return sum(batch.num_rows for batch in file.iter_batches(batch_size=65_536))


def made(ready: Prepared, path: Path, rounds: int, given: argparse.Namespace, **more: object) -> Simulated:
    """A simulated log."""
    return simulate(ready, path, rounds, seed=given.seed, distinct=given.distinct, jobs=1, **more)  # type: ignore[arg-type]


def batched(path: Path, ready: Prepared, arrange: Arrange = PLAIN) -> int:
    """Read a log by columns; how many rows it has."""
    schema = ready.binding.schema
    with open_log(path, schema, arrange=arrange) as log:
        return sum(batch.data.num_rows for batch in typed_batches([log], schema))


def speeds(ready: Prepared, folder: Path, given: argparse.Namespace) -> bool:
    """Writing and reading; whether the lawful log was found lawful."""
    schema = ready.binding.schema
    parquet = folder / "log.parquet"
    played = [0.0]

    def note(what: str, done: int, total: int) -> None:
        if what == "playing":
            played[0] = time.process_time()

    start = time.process_time()
    log = made(ready, parquet, given.rounds, given, on_progress=note)
    playing, writing = played[0] - start, time.process_time() - played[0]
    rows = log.rows
    small = {kind: folder / f"small.{kind}" for kind in ("parquet", "jsonl", "csv")}
    for path in small.values():
        made(ready, path, given.small, given)
    size = count(open_log(small["parquet"], schema).rows())
    _, plain = timed(lambda: unchecked(parquet))
    limit = rows / plain
    print(
        f"{given.ruleset}: {log.rounds:,} rounds, {rows:,} rows, {log.distinct:,} different rounds, seed {given.seed}"
    )
    print(f"rounds played {log.distinct / playing:>44,.1f} rounds/s")
    print(f"rounds strung together, written to Parquet {log.rounds / max(writing, 1e-9):>15,.1f} rounds/s")
    show("read Parquet, no check (pyarrow)", rows, plain, limit)
    found, seconds = timed(lambda: batched(parquet, ready))
    assert found == rows
    show("read Parquet strictly, column by column", rows, seconds, limit)
    found, seconds = timed(lambda: batched(parquet, ready, Arrange(sort=True)))
    assert found == rows
    show("the same, put in order first", rows, seconds, limit)
    for kind, path in small.items():
        _, seconds = timed(lambda p=path: count(open_log(p, schema).rows()))  # type: ignore[misc]
        show(f"read {kind} strictly, row by row", size, seconds, limit)
        if kind != "parquet":
            _, seconds = timed(lambda p=path: batched(p, ready))  # type: ignore[misc]
            show(f"read {kind} strictly, by blocks", size, seconds, limit)
    _, seconds = timed(lambda: count(open_log(small["parquet"], schema, arrange=Arrange(sort=True)).rows()))
    show("the same of Parquet, put in order, row by row", size, seconds, limit)
    result, seconds = timed(lambda: check([small["parquet"]], ready))
    show("checked by the interpreter", size, seconds, limit)
    print(f"lawful: {result.entries_total == 0}")
    return result.entries_total == 0


def found(ready: Prepared, folder: Path, given: argparse.Namespace) -> bool:
    """Plants faults in a log and checks it; whether any was found, and nothing is at fault far from one."""
    path, key = folder / "faulty.jsonl", folder / "key.jsonl"
    log = made(ready, path, given.faulty, given, faults=given.rate, key=key)
    result = check([path], ready, keep=10**9)
    planted = sum(log.planted.values())
    print(f"planted in {given.faulty:,} rounds at a rate of {given.rate}: {planted} faults")
    hits, near = recall(key, result.entries, ready.ruleset)
    return hits > 0 and near


def main() -> int:
    """Runs all; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ruleset", default="nz/blackjack-1998")
    parser.add_argument("--rounds", type=int, default=100_000, help="rounds of the large log")
    parser.add_argument("--small", type=int, default=2_000, help="rounds of what is read row by row")
    parser.add_argument("--faulty", type=int, default=1_000, help="rounds in which faults are planted")
    parser.add_argument("--rate", type=float, default=0.2, help="how likely a round is to have a fault")
    parser.add_argument("--distinct", type=int, default=100, help="different rounds that are played")
    parser.add_argument("--seed", type=int, default=1998)
    given = parser.parse_args()
    ready = prepare(given.ruleset)
    with tempfile.TemporaryDirectory() as name:
        fine = speeds(ready, Path(name), given)
        fine &= found(ready, Path(name), given)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
