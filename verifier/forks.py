"""Processes forked from this one: they have in memory all that it has, and leave the keyboard's interrupt to it."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

FORK: Final = "fork"
"""The only way to start a process that has what this one has; where there is none, there is one process."""


PR_SET_PDEATHSIG: Final = 1
"""prctl(2): the signal that a process gets when who started it ends."""


def can_fork() -> bool:
    """Whether a process can be started that has what this one has."""
    return FORK in multiprocessing.get_all_start_methods()


def begin() -> None:
    """What a forked process does first.

    An interrupt from the keyboard reaches every process of the group; only the one that started them heeds it, and what
    else that one does when it is told to end is its own. Where the system can be told (Linux), this process ends with
    the thread that started it. What the other has thrown away is never taken apart here: it may have threads (a
    database's) that are not in this process.
    """
    gc.freeze()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


@contextmanager
def forking() -> Iterator[None]:
    """Fork within: an interrupt that comes meanwhile is heeded at the end, and by the process that forked alone.

    It would else meet a new process before `begin`, in the middle of what Python does there first, and be printed.
    """
    heeds = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or heeds is None:
        yield  # no handler of Python's runs in this thread, or there is none
        return
    here = os.getpid()
    came = False

    def wait(number: int, frame: FrameType | None) -> None:
        nonlocal came
        came = True

    signal.signal(signal.SIGINT, wait)
    try:
        yield
    finally:
        if os.getpid() == here:
            signal.signal(signal.SIGINT, heeds)
            if came:
                signal.raise_signal(signal.SIGINT)
