"""How long all obligations of a ruleset take: cold, again from the cache, and its decisions alone.

Each run is a process of its own, with an empty cache at first. Beside the solvers stands plain enumeration in Python,
on those questions that both answer with `never`: the same question, within this process, the median of few runs.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

GAZETTE = [sys.executable, "-c", "from verifier.cli import main; main()"]
DECISIONS = ("--only", "gap", "--only", "conflict")
TARGETS = {"cold": 60, "decisions": 5, "warm": 2}
"""Seconds on two cores."""

SETTLED = (0, 1, 3)
"""Exit codes of a run that came to its end."""


def run(ruleset: str, words: tuple[str, ...], cache: Path) -> tuple[float, str]:
    """Seconds, and what is printed, of one `gazette prove` with its timings."""
    start = time.perf_counter()
    done = subprocess.run(
        [*GAZETTE, "prove", ruleset, *words, "--timings"],
        cwd=ROOT,
        env={**os.environ, "GAZETTE_CACHE": str(cache)},
        capture_output=True,
        text=True,
        check=False,
    )
    spent = time.perf_counter() - start
    if done.returncode not in SETTLED:
        raise SystemExit(done.stdout + done.stderr)
    return spent, done.stdout


def seconds(work: Callable[[], object], times: int) -> float:
    spent: list[float] = []
    for _ in range(times):
        start = time.process_time()
        work()
        spent.append(time.process_time() - start)
    return statistics.median(spent)


def beside(ruleset: str, only: tuple[str, ...], times: int) -> None:
    """The questions that enumeration answers too, by both solvers and by it."""
    from verifier.core.lower import lower
    from verifier.model.load import load
    from verifier.prove.desk import Desk
    from verifier.prove.enumerate import enumerated
    from verifier.prove.question import Never
    from verifier.prove.typed import Typed
    from verifier.prove.whole import every, settings

    program = lower(load(ruleset))
    desk = Desk(program, settings(no_cache=True))
    solved = counted = 0.0
    questions = 0
    for obligation in every(program):
        question = obligation.question
        if question is None or obligation.wanted != "never" or obligation.kind not in only:
            continue
        if enumerated(program, question) is None:
            continue

        def ask(question: Any = question, name: str = obligation.id) -> object:
            return Typed(program, desk.scopes[0], desk.settings).ask(question, name=name)

        if not isinstance(ask(), Never):
            raise SystemExit(f"{obligation.id}: enumeration says never, and the solvers do not")
        questions += 1
        solved += seconds(ask, times)
        counted += seconds(lambda question=question: enumerated(program, question), times)
    if questions:
        print(f"questions of {', '.join(only)} that enumeration answers too: {questions}; the same: True")
        print(f"  by enumeration   {counted:9.2f} s   1 : 1.0")
        print(f"  by z3 and cvc5   {solved:9.2f} s   1 : {solved / counted:.1f}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ruleset", default="nz/blackjack-1998")
    parser.add_argument(
        "--only", action="append", default=[], help="prove only this, as gazette prove takes it"
    )
    parser.add_argument("--jobs", default="2", help="processes (default 2)")
    parser.add_argument("--times", type=int, default=3, help="runs of which the median is taken (default 3)")
    asked = parser.parse_args()
    words = (*(w for pattern in asked.only for w in ("--only", pattern)), "--jobs", asked.jobs)

    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as other:
        found["cold"], cold = run(asked.ruleset, words, Path(folder))
        found["warm"], warm = run(asked.ruleset, words, Path(folder))
        if not asked.only:
            found["decisions"], _ = run(asked.ruleset, (*DECISIONS, "--jobs", asked.jobs), Path(other))
    print(f"{asked.ruleset}, {asked.jobs} processes")
    for name, spent in found.items():
        met = "met" if spent < TARGETS[name] else "missed"
        print(f"{name:10}{spent:9.1f} s" + ("" if asked.only else f"   target {TARGETS[name]} s: {met}"))
    print(f"cold: {asked_of(cold)}")
    print(f"warm: {asked_of(warm)}; the same: {said(cold) == said(warm)}")
    print("\n".join(SLOW.findall(cold)))
    beside(asked.ruleset, ("gap", "conflict", "theorem"), asked.times)
    return 0


ASKED = re.compile(r"[0-9,]+ questions? asked, [0-9,]+ answered from the cache")
SLOW = re.compile(r"^ *[0-9]+[.][0-9]{2} s  .*$", re.MULTILINE)


def asked_of(printed: str) -> str:
    """How many questions were asked."""
    found = ASKED.search(" ".join(printed.split()))
    return "" if found is None else found[0]


def said(printed: str) -> str:
    """What was printed but for how it was found out."""
    return ASKED.sub("", " ".join(SLOW.sub("", printed).split()))


if __name__ == "__main__":
    sys.exit(main())
