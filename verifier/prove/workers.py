"""Obligations decided one after the other, or in several processes forked from this one.

Processes are forked for what the types alone settle, then, once plays and invariants are ready, for the rest.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import dataclass, field
from multiprocessing.reduction import ForkingPickler
from typing import Protocol, TypeVar

from verifier.errors import InternalError, Problem, RequestError, VerifierError
from verifier.forks import FORK, begin, can_fork, forking
from verifier.model.values import House
from verifier.prove.finding import refutation
from verifier.prove.question import Answer, Decided, Never, Obligation, Play, Sometimes, Unknown
from verifier.prove.values import CannotEncodeError
from verifier.prove.witness import UndecidedError

ForkingPickler.register(House, lambda house: "HOUSE")


class Decider(Protocol):
    """What decides obligations that ask a question; `prepare` comes between the first and the rest."""

    def parts(self, obligation: Obligation) -> tuple[Obligation, ...]:
        """The obligations that together say the same, which are reported in its place where it is not proved.

        The first of them stands for those of the others that need not be told apart.
        """

    def begin(self, obligations: Sequence[Obligation], note: Callable[[str], None]) -> None:
        """Get ready what all of the first need."""

    def narrow(self, parts: Sequence[Obligation]) -> tuple[tuple[Obligation, ...], Answer | None]:
        """Those of `parts` but the first that are not settled at once, and the answer to the others taken together,
        None where there are no others."""

    def first(self, obligation: Obligation) -> Decided | None:
        """The decision where it is cheap, else None."""

    def prepare(self, note: Callable[[str], None]) -> None:
        """Get ready what all of the rest need, so that processes forked later have it; `note` says what is done."""

    def rest(self, obligation: Obligation) -> Decided:
        """The decision where `first` had none."""

    def again(self, decided: Decided, plays: Sequence[Play]) -> Decided:
        """The decision where some of it was not known, now that these plays are."""

    def region(self, decided: Decided) -> tuple[str, ...]:
        """Where else what was found is so, in the clauses' own terms; nothing where that is not told in a few words."""

    def close(self) -> None:
        """Let go of whatever runs beside this process."""

    def counts(self) -> tuple[int, int]:
        """How many queries were answered by a solver, and how many from the cache, so far in this process."""


Made = TypeVar("Made")

Take = Callable[[Decided, tuple[str, ...], float], None]


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What one process says of one obligation; `left` where `first` leaves it for later."""

    words: Answer | None
    play: Answer | None
    left: bool
    region: tuple[str, ...]
    seconds: float
    asked: int
    cached: int


@dataclass(frozen=True, slots=True)
class _Work:
    decider: Decider
    obligations: Sequence[Obligation]
    rest: bool


_work: _Work | None = None
"""What forked processes find in their memory."""


@dataclass(slots=True)
class Workers:
    """Up to `jobs` processes that decide by `decider`.

    `take` is handed every obligation, decided, with its region and the seconds it took.
    `asked` and `cached` count the queries to solvers and the answers from the cache.
    """

    decider: Decider
    jobs: int
    take: Take
    note: Callable[[str], None]
    asked: int = 0
    cached: int = 0
    _spent: dict[str, float] = field(default_factory=dict)

    def run(self, obligations: Sequence[Obligation]) -> tuple[Obligation, ...]:
        """Decide all; returns those that were decided, in order, parts where an obligation was not proved whole.

        Raises `InternalError` where a process dies.
        """
        try:
            return self._run(obligations)
        finally:
            self.decider.close()

    def _run(self, obligations: Sequence[Obligation]) -> tuple[Obligation, ...]:
        self._count(lambda: self.decider.begin(obligations, self.note))
        in_place: dict[str, tuple[Obligation, ...]] = {}
        left = {o.id for o in self._first(obligations, in_place)}
        for whole, parts in in_place.items():
            in_place[whole] = open_ = self._narrowed(parts)
            left |= {part.id for part in open_} - {parts[0].id}
        order = [part for o in obligations for part in in_place.get(o.id, (o,))]
        self._rest([o for o in order if o.id in left])
        return tuple(order)

    def _narrowed(self, parts: tuple[Obligation, ...]) -> tuple[Obligation, ...]:
        """The first of the parts, which stands for those that need not be asked one by one, and the others."""
        start = time.perf_counter()
        open_, answer = self._count(lambda: self.decider.narrow(parts))
        self._spent.update(dict.fromkeys((part.id for part in open_), 0.0))
        if answer is None:
            return open_
        modes = parts[0].modes
        decided = Decided(parts[0], answer if "words" in modes else None, answer if "play" in modes else None)
        self.take(decided, (), time.perf_counter() - start)
        return (parts[0], *open_)

    def _count(self, work: Callable[[], Made]) -> Made:
        """What `work` makes, with the queries counted that it asks in this process."""
        before = self.decider.counts()
        made = work()
        after = self.decider.counts()
        self.asked += after[0] - before[0]
        self.cached += after[1] - before[1]
        return made

    def _first(
        self, obligations: Sequence[Obligation], in_place: dict[str, tuple[Obligation, ...]]
    ) -> list[Obligation]:
        """Decide what is cheap; returns what is left, and notes what is to be asked in parts."""
        left: list[Obligation] = []
        questions = [o for o in obligations if o.question is not None]
        with closing(self._outcomes(_Work(self.decider, questions, False))) as outcomes:
            for obligation in obligations:
                if obligation.question is None:
                    self.take(Decided(obligation, None, None), (), 0.0)
                    continue
                outcome = next(outcomes)
                parts = () if _proved(outcome) else self.decider.parts(obligation)
                if parts:
                    in_place[obligation.id] = parts
                elif outcome.left:
                    left.append(obligation)
                    self._spent[obligation.id] = outcome.seconds
                else:
                    self._took(obligation, outcome, outcome.seconds)
        return left

    def _rest(self, left: Sequence[Obligation]) -> None:
        if not left:
            return
        self._count(lambda: self.decider.prepare(self.note))
        self.note("deciding")
        with closing(self._outcomes(_Work(self.decider, left, True))) as outcomes:
            open_: list[tuple[Decided, float]] = []
            plays: dict[int, Play] = {}
            for obligation, outcome in zip(left, outcomes, strict=True):
                seconds = self._spent[obligation.id] + outcome.seconds
                decided = Decided(obligation, outcome.words, outcome.play)
                answers = (outcome.words, outcome.play)
                plays |= {
                    id(a.play): a.play for a in answers if isinstance(a, Sometimes) and a.play is not None
                }
                if any(isinstance(answer, Unknown) and not answer.disagree for answer in answers):
                    open_.append((decided, seconds))
                else:
                    self.take(decided, outcome.region, seconds)
            for decided, seconds in open_:
                self._again(decided, tuple(plays.values()), seconds)

    def _again(self, decided: Decided, plays: Sequence[Play], seconds: float) -> None:
        """Take what was not known, once more with the plays that answer other questions."""
        found = self._count(lambda: self.decider.again(decided, plays))
        shown = refutation(found) is not None
        self.take(found, self._count(lambda: self.decider.region(found)) if shown else (), seconds)

    def _took(self, obligation: Obligation, outcome: _Outcome, seconds: float) -> None:
        self.take(Decided(obligation, outcome.words, outcome.play), outcome.region, seconds)

    def _outcomes(self, work: _Work) -> Generator[_Outcome, None, None]:
        """What is said of each obligation, in order."""
        count = len(work.obligations)
        alone = min(self.jobs, count) <= 1 or not can_fork()
        found = (_decide(work, i) for i in range(count)) if alone else _forked(work, min(self.jobs, count))
        with closing(found):
            for outcome in found:
                self.asked += outcome.asked
                self.cached += outcome.cached
                yield outcome


def _proved(outcome: _Outcome) -> bool:
    answers = [answer for answer in (outcome.words, outcome.play) if answer is not None]
    return bool(answers) and all(isinstance(answer, Never) for answer in answers)


def _forked(work: _Work, jobs: int) -> Generator[_Outcome, None, None]:
    global _work
    others = set(multiprocessing.active_children())
    _work = work
    pool = ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context(FORK), initializer=begin)
    try:
        # Not by `map`: it would cancel what waits, and ending the processes then fails in a thread of the pool's own.
        with forking():
            futures = [pool.submit(_decide_here, i) for i in range(len(work.obligations))]
        for future in futures:
            yield future.result()
    except BrokenProcessPool:
        raise InternalError(
            Problem(
                "a process that decides obligations ended before its time",
                code="worker-died",
                help="it may have run out of memory: try --jobs 1, or a smaller scope",
            )
        ) from None
    except BaseException:
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        raise
    finally:
        _work = None
        pool.shutdown(wait=True, cancel_futures=True)


def _decide_here(index: int) -> _Outcome:
    assert _work is not None
    try:
        return _decide(_work, index)
    except VerifierError as error:  # some families cannot be sent from process to process
        raise (RequestError if isinstance(error, RequestError) else InternalError)(*error.problems) from None


def _decide(work: _Work, index: int) -> _Outcome:
    obligation, decider = work.obligations[index], work.decider
    before, start = decider.counts(), time.perf_counter()
    found: Decided | None
    try:
        found = decider.rest(obligation) if work.rest else decider.first(obligation)
    except (CannotEncodeError, UndecidedError) as error:
        unknown = Unknown(error.problem.message)
        found = Decided(
            obligation,
            unknown if "words" in obligation.modes else None,
            unknown if "play" in obligation.modes else None,
        )
    region = decider.region(found) if found is not None and refutation(found) is not None else ()
    after, seconds = decider.counts(), time.perf_counter() - start
    asked, cached = after[0] - before[0], after[1] - before[1]
    if found is None:
        return _Outcome(None, None, True, region, seconds, asked, cached)
    return _Outcome(found.words, found.play, False, region, seconds, asked, cached)
