"""An interrupt from the keyboard is heeded by the process that forked, and by no other; what that one has thrown away
is not taken apart by one that it has forked."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from verifier.forks import FORK, begin, forking

# What a forked process does first is interrupted, where the keyboard's signal reaches every process of the group.
AMID_THE_BEGINNING = """
import os, signal, sys
from verifier.forks import begin, forking
signal.signal(signal.SIGINT, signal.default_int_handler)
os.register_at_fork(after_in_child=lambda: signal.raise_signal(signal.SIGINT))
with {held}:
    process = os.fork()
    if not process:
        begin()
if not process:
    os._exit(7)
_, status = os.waitpid(process, 0)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def ran(held: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-c", "import contextlib" + AMID_THE_BEGINNING.format(held=held)],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr


def test_a_forked_process_is_not_interrupted_while_it_begins() -> None:
    assert ran("forking()") == (7, "")


def test_without_it_the_interrupt_is_printed() -> None:
    _, err = ran("contextlib.nullcontext()")
    assert "KeyboardInterrupt" in err


@pytest.fixture
def heeded() -> Iterator[None]:
    """A shell's background ignores the interrupt from the keyboard."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeded")
def test_the_interrupt_is_heeded_afterwards() -> None:
    done: list[str] = []

    def interrupted() -> None:
        with forking():
            os.kill(os.getpid(), signal.SIGINT)
            done.append("went on")

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert done == ["went on"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_nothing_comes_of_no_interrupt() -> None:
    before = signal.getsignal(signal.SIGINT)
    with forking():
        pass
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.usefixtures("heeded")
def test_a_process_that_began_heeds_no_interrupt() -> None:
    begin()
    os.kill(os.getpid(), signal.SIGINT)


class Thrown:
    """What tells, with its last breath, in which process it is taken apart."""

    def __init__(self, told: list[int]) -> None:
        self.told = told
        self.itself = self

    def __del__(self) -> None:
        self.told.append(os.getpid())


def test_what_was_thrown_away_before_is_not_taken_apart() -> None:
    told: list[int] = []
    gc.collect()
    gc.disable()
    try:
        Thrown(told)
        context = multiprocessing.get_context(FORK)
        receiver, sender = context.Pipe(duplex=False)

        def work() -> None:
            begin()
            gc.collect()
            sender.send(list(told))

        process = context.Process(target=work)
        process.start()
        assert receiver.recv() == []
        process.join()
    finally:
        gc.enable()
    gc.collect()
    assert told == [os.getpid()]
