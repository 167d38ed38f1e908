"""Something done for each mutant, perhaps in several processes forked from this one."""

from __future__ import annotations

import gc
import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

from verifier.errors import InternalError, Problem
from verifier.forks import FORK, begin, can_fork, forking
from verifier.mutate.mutant import Mutant

T = TypeVar("T")

_work: tuple[Callable[[Mutant], Any], Sequence[Mutant]] | None = None
"""What forked processes find in their memory."""


def spread(work: Callable[[Mutant], T], mutants: Sequence[Mutant], jobs: int) -> Iterator[T]:
    """What `work` makes of each, as it is made: one that takes long holds up none of the others, which can be kept.

    Where the caller stops before the end (an interrupt, an error) the processes are ended in the midst of their work.
    Raises `InternalError` where a process dies.
    """
    # What was made before stays to the end: it need not be looked through for garbage again and again, nor even once.
    thaw = not gc.get_freeze_count()  # else the caller has done so for itself, and for longer
    if thaw:
        gc.freeze()
    try:
        if min(jobs, len(mutants)) <= 1 or not can_fork():
            yield from map(work, mutants)
        else:
            yield from _forked(work, mutants, min(jobs, len(mutants)))
    finally:
        if thaw:
            gc.unfreeze()


def _forked(work: Callable[[Mutant], T], mutants: Sequence[Mutant], jobs: int) -> Iterator[T]:
    global _work
    others = set(multiprocessing.active_children())
    _work = (work, mutants)
    pool = ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context(FORK), initializer=begin)
    try:
        with forking():
            futures = [pool.submit(_work_here, index) for index in range(len(mutants))]
        for future in as_completed(futures):
            yield future.result()
    except BrokenProcessPool:
        raise InternalError(
            Problem(
                "a process that tries mutants ended before its time",
                code="worker-died",
                help="it may have run out of memory: try --jobs 1; what was found is kept",
            )
        ) from None
    except BaseException:
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        raise
    finally:
        _work = None
        pool.shutdown(wait=True, cancel_futures=True)


def _work_here(index: int) -> Any:
    assert _work is not None
    work, mutants = _work
    return work(mutants[index])
