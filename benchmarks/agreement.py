"""Whether the compiled rules and the interpreter say the same of a great many rounds with faults in them.

Logs of `--each` rounds are simulated, each with a seed and a play of its own, and faults are planted in them; each log
is checked in bulk with nothing left out of the sample, so that every round is judged by the kernel and then by the
interpreter, whether it was marked or not. They must mark the same events for the same rules, count alike and come to
the same state; where they do not, or an entry stands far from any planted fault, the exit code is 1. With `--whole` the
interpreter judges the log by itself, and the compiled rules with no sample: the answers as JSON must be the same, every
clause, count, sum and entry. Then it says how many of the faults were found, by the way in which they were planted, and
how many of the entries stand near a fault, by what they say. A line for each log as soon as it is done.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from planted import Found, found, told  # noqa: E402

from verifier.check.bulk import BulkRun  # noqa: E402
from verifier.check.engine import check, prepare  # noqa: E402
from verifier.check.options import read_settings  # noqa: E402
from verifier.check.result import CheckResult  # noqa: E402
from verifier.compile.kernel import Compiled  # noqa: E402
from verifier.log.sources import open_logs  # noqa: E402
from verifier.report.json import document_text  # noqa: E402
from verifier.simulate.simulate import simulate  # noqa: E402


@dataclass(frozen=True, slots=True)
class Piece:
    """A log to make and to judge twice."""

    ruleset: str
    seed: int
    rounds: int
    rate: float
    distinct: int
    whole: bool


@dataclass(slots=True)
class Agreed:
    """What was judged by both, and whether they said the same of it."""

    rounds: int = 0
    events: int = 0
    marked: int = 0
    entries: int = 0
    disagreements: int = 0
    seconds: float = 0.0
    found: Found = field(default_factory=lambda: Found(Counter(), Counter(), Counter(), Counter()))

    @property
    def right(self) -> bool:
        return not self.disagreements and self.found.near == self.found.entries

    def add(self, other: Agreed) -> None:
        self.rounds += other.rounds
        self.events += other.events
        self.marked += other.marked
        self.entries += other.entries
        self.disagreements += other.disagreements
        self.seconds += other.seconds
        self.found = self.found.plus(other.found)

    def line(self) -> str:
        return (
            f"{self.rounds:>9,} rounds, {self.events:>11,} events by both engines: {self.marked:,} rounds marked; "
            f"entries {self.entries:,}, {self.found.near:,} near a fault; faults found {self.found.hit.total():,} of "
            f"{self.found.planted.total():,}; disagreements {self.disagreements}; "
            f"{self.events / max(self.seconds, 1e-9):,.0f} events/s of processor time"
        )


def judge(piece: Piece) -> Agreed:
    """One log, simulated and judged by both engines."""
    ready = prepare(piece.ruleset)
    with tempfile.TemporaryDirectory() as folder:
        path, key = Path(folder, "log.parquet"), Path(folder, "key.jsonl")
        simulate(
            ready,
            path,
            piece.rounds,
            seed=piece.seed,
            faults=piece.rate,
            key=key,
            distinct=piece.distinct,
            jobs=1,
        )
        start = time.process_time()
        settings = read_settings(ready.ruleset, ())
        sample = 0 if piece.whole else 1
        with BulkRun(
            ready, settings, False, 10**9, None, compiled=Compiled.of(ready.program), sample=sample
        ) as run:
            for log in open_logs([path], ready.binding.schema):
                run.file(log, None)
            result = run.result()
        unlike: list[str] = []
        if piece.whole:
            unlike = differing(check([path], ready, engine="explain", keep=10**9), result)
            for what in unlike:
                print(f"{piece.ruleset} seed {piece.seed}: {what}", flush=True)
        return Agreed(
            result.rounds or 0,
            result.events,
            run.explained,
            result.entries_total,
            len(run.disagreements) + len(unlike),
            time.process_time() - start,
            found(key, result.entries, ready.ruleset),
        )


def differing(one: CheckResult, other: CheckResult) -> list[str]:
    """The parts of two answers, as JSON, that are not the same; of clauses, which."""
    mine, theirs = (json.loads(document_text(result)) for result in (one, other))
    clauses = [answer.pop("clauses") for answer in (mine, theirs)]
    parts = sorted(part for part in mine.keys() | theirs.keys() if mine.get(part) != theirs.get(part))
    return [
        *(f"{part} differs" for part in parts),
        *(
            f"clause {a['clause']} differs: {a['status']}, kept {a['kept']}; in bulk {b['status']}, kept {b['kept']}"
            for a, b in zip(*clauses, strict=True)
            if a != b
        ),
    ]


def pieces(asked: argparse.Namespace) -> Iterator[Piece]:
    """The logs: of every ruleset as many rounds, each log with the next seed."""
    for ruleset in asked.ruleset:
        for i in range(-(-asked.rounds // asked.each)):
            rounds = min(asked.each, asked.rounds - i * asked.each)
            yield Piece(ruleset, asked.seed + i, rounds, asked.rate, asked.distinct, asked.whole)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ruleset", action="append", help="may be repeated (default nz/roulette-1998)")
    parser.add_argument("--rounds", type=int, default=1_000_000, help="rounds of each ruleset")
    parser.add_argument("--each", type=int, default=20_000, help="rounds of one log")
    parser.add_argument("--rate", type=float, default=0.05, help="how likely a round is to have a fault")
    parser.add_argument("--distinct", type=int, default=200, help="different rounds of one log")
    parser.add_argument("--seed", type=int, default=1998, help="of the first log")
    parser.add_argument(
        "--whole", action="store_true", help="compare the whole answers of either engine by itself"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args()
    asked.ruleset = asked.ruleset or ["nz/roulette-1998"]
    right = True
    totals: dict[str, Agreed] = {}
    every = list(pieces(asked))
    with ProcessPoolExecutor(asked.jobs, mp_context=get_context("spawn")) as pool:
        for piece, agreed in zip(every, pool.map(judge, every), strict=True):
            print(f"{piece.ruleset} seed {piece.seed}: {agreed.line()}", flush=True)
            totals.setdefault(piece.ruleset, Agreed()).add(agreed)
            right &= agreed.right
    for ruleset, total in totals.items():
        print(f"{ruleset}: {total.line()}")
        told(total.found)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
