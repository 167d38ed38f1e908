"""Independent pieces of work shared out between processes forked from this one."""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeVar

from verifier.forks import begin, can_fork, forking

Made = TypeVar("Made")


def shared(work: Callable[[int], Made], costs: Sequence[int], jobs: int) -> list[Made]:
    """What `work` makes of 0, 1, …, in order, by up to `jobs` processes of which this is one.

    `costs` has for each about how dear it is. Who makes what hangs on the costs and `jobs` alone. What is made must
    be such as can be pickled. Whatever goes wrong in another process, its pieces are made here then. Not for a
    process that has threads.
    """
    if min(jobs, len(costs)) <= 1 or not can_fork():
        return [work(number) for number in range(len(costs))]
    mine, *others = dealt(costs, jobs)
    children: list[tuple[int, int]] = []
    found: dict[int, Made] = {}
    try:
        for numbers in others:
            children.append(_forked(work, numbers))
        for number in mine:
            found[number] = work(number)
        for _, results in children:
            found |= _received(results)
    finally:
        for process, results in children:
            os.close(results)
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
    return [found[number] if number in found else work(number) for number in range(len(costs))]


def dealt(costs: Sequence[int], jobs: int) -> list[list[int]]:
    """The numbers of the pieces in so many shares, the dearest first to the share that is cheapest so far."""
    shares: list[list[int]] = [[] for _ in range(min(jobs, len(costs)))]
    sums = [0] * len(shares)
    for number in sorted(range(len(costs)), key=lambda n: (-costs[n], n)):
        least = sums.index(min(sums))
        shares[least].append(number)
        sums[least] += costs[number]
    return [sorted(share) for share in shares]


def _forked(work: Callable[[int], Made], numbers: Sequence[int]) -> tuple[int, int]:
    """A process that makes its share, and where that can be read."""
    results, out = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    with forking():
        process = os.fork()
        if not process:
            begin()
    if process:
        os.close(out)
        return process, results
    try:
        made = {number: work(number) for number in numbers}
        with os.fdopen(out, "wb") as file:
            pickle.dump(made, file)
    finally:
        os._exit(0)


def _received(results: int) -> dict[int, Made]:
    """What another process made; nothing where it failed."""
    with os.fdopen(os.dup(results), "rb") as file:
        try:
            made: dict[int, Made] = pickle.load(file)
        except (EOFError, pickle.UnpicklingError):
            return {}
    return made
