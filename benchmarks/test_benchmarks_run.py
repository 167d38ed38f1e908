"""That the benchmarks run and agree with themselves, on small sizes. Times are never tested."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent

RUNS = {
    "agreement.py": (
        ["--rounds=40", "--each=40", "--distinct=4", "--rate=0.4", "--jobs=1"],
        ("seed 1998", "disagreements 0", "the next"),
    ),
    "agreement.py --whole": (
        ["--ruleset=uk/blackjack-1994", "--rounds=30", "--each=30", "--distinct=4", "--rate=0.4", "--jobs=1"],
        ("seed 1998", "6 rounds marked", "disagreements 0", "10 of 10"),
    ),
    "growth.py": (
        ["0.0005", "0.001", "--distinct=3"],
        ("s of processor time", "an event 1 : 1.00"),
    ),
    "lists.py": (["5", "20"], ("told anew", "carried on", "all events pass: True")),
    "ingest.py": (
        [
            "--ruleset=nz/roulette-1998",
            "--rounds=100",
            "--small=20",
            "--faulty=30",
            "--distinct=5",
            "--rate=0.4",
        ],
        ("rounds played", "column by column", "read csv strictly", "lawful: True", "doubled", "the next"),
    ),
    "bulk.py": (
        [
            "--ruleset=nz/roulette-1998",
            "--rounds=60",
            "--small=20",
            "--faulty=30",
            "--distinct=4",
            "--rate=0.4",
        ],
        (
            "gazette check of one round",
            "parquet",
            "jsonl",
            "csv",
            "most memory",
            "the same: True",
            "the next",
        ),
    ),
    "diff.py": (
        ["tests/cli/bridge/bridge.rules", "tests/cli/bridge/bridge.rules", "--times", "1"],
        ("load both", "everything, cold", "target 3 s", "the same: True"),
    ),
    "interpreter.py": (
        ["--rounds", "60", "--explained", "1", "--times", "1"],
        ("lawful: True", "by hand (settlement and drawing)", "every event explained", "the same: True"),
    ),
    "kernel.py": (
        ["--rounds", "40", "--interpreted", "4", "--times", "1"],
        (
            "kernel, all rules",
            "interpreter, all rules",
            "Python by hand",
            "lawful log: 0",
            "the same: True",
            "planted: ",
        ),
    ),
    "prove.py": (
        ["--ruleset", "tests/cli/bridge/bridge.rules", "--only", "conflict", "--times", "1"],
        ("cold", "warm", "warm: 0 questions asked", "the same: True"),
    ),
    "report.py": (
        ["--sizes", "3", "250", "--no-browser"],
        ("      3 faults: written in", "    250 faults: written in", "; not opened"),
    ),
    "startup.py": (
        ["--times", "1"],
        ("python -c pass", "gazette --help", "gazette check --help", "target 150 ms"),
    ),
}


@pytest.mark.parametrize("name", RUNS)
def test_a_benchmark_runs(name: str) -> None:
    arguments, expected = RUNS[name]
    script, *more = name.split()
    done = subprocess.run(
        [sys.executable, HERE / script, *more, *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert not done.stderr
    assert [words for words in expected if words not in done.stdout] == []
    assert "the same: False" not in done.stdout
