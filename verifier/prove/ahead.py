"""Something worked out in a process of its own while this one goes on, and fetched when it is wanted."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Generic, TypeVar

from verifier.forks import FORK, begin, forking

Made = TypeVar("Made")


@dataclass(slots=True)
class Ahead(Generic[Made]):
    """What a forked process makes. `fetch` or `stop` ends it."""

    process: BaseProcess
    receiver: Connection

    def fetch(self) -> Made | None:
        """What was made, once it is; None where the process failed, whatever the reason: make it here then."""
        try:
            return self.receiver.recv()  # type: ignore[no-any-return]
        except (EOFError, OSError):
            return None
        finally:
            self.stop()

    def stop(self) -> None:
        """End the process."""
        self.receiver.close()
        self.process.terminate()
        self.process.join()


def ahead(make: Callable[[], Made]) -> Ahead[Made]:
    """Begin to make something in a process forked from this one, which has all that this one has."""
    context = multiprocessing.get_context(FORK)
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(make, sender), daemon=True)
    with forking():
        process.start()
    sender.close()
    return Ahead(process, receiver)


def _run(make: Callable[[], Made], sender: Connection) -> None:
    begin()
    try:
        sender.send(make())
    except Exception:
        # Whoever waits makes it again, and meets the same error where it can be told.
        sender.close()
