"""Rounds played again by several processes at once: what comes, and in which order, is what one process gives.

Every process reads the logs and judges what goes before the rounds of its share; it is the drawing that they share.
They are forked before anything else is done: a process that has run threads is not safely forked.
"""

from __future__ import annotations

import heapq
import multiprocessing
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, TypeAlias, TypeVar

from verifier.check.engine import Prepared
from verifier.check.opening import Logs, size_of
from verifier.check.played import Place, Played, Wanted, placed
from verifier.errors import InternalError, Problem, VerifierError
from verifier.forks import FORK, begin, can_fork, forking

SMALL = 10_000
"""Logs of fewer bytes are played by one process: others would not have begun before it is done."""

Made = TypeVar("Made")

Sent: TypeAlias = tuple[Place, Any] | VerifierError | None
"""What a process sends: what is made of a round, with its place; None behind the last."""


@dataclass(slots=True)
class Replays:
    """Plays rounds of logs in up to `jobs` processes; what is given is what the check was given.

    Used as a context: the processes begin with it, wait for `play`, and end with it.
    """

    logs: Logs
    ready: Prepared
    settings: Sequence[str] = ()
    jobs: int = 1
    _workers: list[tuple[BaseProcess, Connection]] = field(default_factory=list)
    _closing: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> Replays:
        forks = can_fork()  # where it is not, there is one process
        if self.jobs > 1 and forks and size_of(self.logs.paths) >= SMALL:
            context = multiprocessing.get_context(FORK)
            for _ in range(self.jobs):
                ours, theirs = context.Pipe()
                process = context.Process(target=self._work, args=(ours, theirs), daemon=True)
                with forking():
                    process.start()
                theirs.close()
                self._workers.append((process, ours))
        return self

    def __exit__(self, *raised: object) -> None:
        for process, connection in self._workers:
            connection.close()
            process.terminate()
            process.join()
        self._workers.clear()

    @property
    def shares(self) -> int:
        """How many shares to divide the wanted rounds into."""
        return max(1, len(self._workers))

    def play(self, shares: Iterable[Iterable[Wanted]], make: Callable[[Played], Made]) -> Iterator[Made]:
        """What is made of the rounds that hold the wanted entries of any share, in the order of the logs.

        `make`, which is sent to the processes, knows nothing of other rounds. Raises what a check raises, and
        `InternalError` where a process dies.
        """
        if not self._workers:
            (wanted,) = shares
            for _, played in self._play(wanted):
                yield make(played)
            return
        for (_, connection), wanted in zip(self._workers, shares, strict=True):
            connection.send((list(wanted), make))
        last: Place | None = None
        # A round with entries in two shares comes twice.
        for place, made in heapq.merge(*map(self._received, self._workers), key=lambda found: found[0]):
            if place != last:
                yield made
            last = place

    def _play(self, wanted: Iterable[Wanted]) -> Iterator[tuple[Place, Played]]:
        return placed(self.logs, self.ready, wanted, self.settings)

    def _received(self, worker: tuple[BaseProcess, Connection]) -> Iterator[tuple[Place, Any]]:
        while True:
            try:
                sent: Sent = worker[1].recv()
            except EOFError:
                raise InternalError(
                    Problem(
                        "a process that plays rounds ended before its time",
                        code="worker-died",
                        help="it may have run out of memory: try --jobs 1",
                    )
                ) from None
            if sent is None:
                return
            if isinstance(sent, VerifierError):
                raise sent
            yield sent

    def _work(self, theirs: Connection, connection: Connection) -> None:
        """What a process does: it waits for its share, and sends what it plays."""
        begin()
        # What the process before has of its ends would keep this one waiting when that one is gone.
        for end in (theirs, *(end for _, end in self._workers)):
            end.close()
        try:
            wanted, make = connection.recv()
            try:
                for place, played in self._play(wanted):
                    connection.send((place, make(played)))
                connection.send(None)
            except VerifierError as error:
                connection.send(error)
        except (EOFError, BrokenPipeError):
            return  # nobody waits for it any more
