"""Things worked out beside each other, in processes forked from this one; what comes out does not hang on how many."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from multiprocessing.sharedctypes import Synchronized
from typing import TypeVar

from verifier.forks import FORK, can_fork
from verifier.prove.ahead import Ahead, ahead

Made = TypeVar("Made")


def several(tasks: Sequence[Callable[[], Made]], jobs: int) -> list[Made]:
    """What each of the tasks makes, in their order, by up to `jobs` processes. Each takes the first task that is left.

    What a process made of ours fails at is made here, so that errors are raised here.
    """
    jobs = min(jobs, len(tasks))
    if jobs < 2 or not can_fork():
        return [task() for task in tasks]
    taken: Synchronized[int] = multiprocessing.get_context(FORK).Value("i", 0)

    def share() -> dict[int, Made]:
        made: dict[int, Made] = {}
        while True:
            with taken.get_lock():
                at = taken.value
                taken.value += 1
            if at >= len(tasks):
                return made
            made[at] = tasks[at]()

    others: list[Ahead[dict[int, Made]]] = [ahead(share) for _ in range(jobs - 1)]
    try:
        found = share()
        for other in others:
            found |= other.fetch() or {}
    finally:
        for other in others:
            other.stop()
    return [found[at] if at in found else task() for at, task in enumerate(tasks)]
