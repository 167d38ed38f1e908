"""Rounds that were played, each with the states that it leads from and to, so that others can be strung together.

Plays go from an empty table on and are numbered: what the play of a number is depends on the seed and that number, and
not on how many processes play. Two states count as one where nothing that the rules read tells them apart, counters
included up to the highest number that any rule compares them with: what is lawful after the one is so after the other.
"""

from __future__ import annotations

import hashlib
import multiprocessing
from collections.abc import Callable, Generator, Hashable, Mapping
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import dataclass, field, replace
from random import Random

from verifier.check.engine import Prepared
from verifier.check.fields import Writable, fields_of
from verifier.errors import InternalError, Problem, RequestError
from verifier.forks import FORK, begin, can_fork, forking
from verifier.prove.explore.candidates import Candidates
from verifier.prove.explore.exhaust import caps
from verifier.prove.explore.settings import Options
from verifier.prove.explore.snapshot import Runner, Snapshot, snapshot_key
from verifier.prove.scope import Scope
from verifier.simulate.habits import Habits
from verifier.simulate.performer import Performer, Stretch

AGAIN = 5
"""So often a round is begun anew where play came to nowhere."""

AGAIN_ALONE = 60
"""The same in a log without tables, which is one play: where that breaks off the log ends."""

AS_MANY = 3
"""So many times the plays that should have been enough are played before a library stays small."""

MOST_TRIED = 1_500
"""So many values are tried for the arguments of an event: where it may lie on a layout there is much to try."""

MOST_FAILED = 300
"""So many arguments are looked at that no rule permits."""

Fields = Mapping[str, object]
OnPlayed = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Round:
    """One round: its rows, which lives each of them ends, and where it leads from and to.

    `rows` have `actor`, `event` and parameters. `ends` say for each row of each life of the schema whether it ends it.
    `before` and `after` are digests of states.
    """

    rows: tuple[Fields, ...]
    ends: tuple[tuple[bool, ...], ...]
    before: str
    after: str


@dataclass(slots=True)
class Playing:
    """What plays are played by. `stream` is the life whose own log is played, None where it is the tables'."""

    ready: Prepared
    options: Options
    habits: Habits
    scope: Scope
    seed: str
    stream: str | None = None
    caps: Mapping[int, int | None] = field(init=False)
    candidates: Candidates = field(init=False)

    def __post_init__(self) -> None:
        self.caps = caps(self.ready.program)
        self.candidates = Candidates(Runner(self.ready.program), self.scope, MOST_TRIED, MOST_FAILED)

    def play(self, number: int, rounds: int) -> tuple[Round, ...]:
        """At most so many rounds, one after the other from an empty table on; fewer where play comes to nowhere."""
        rng = Random(f"{self.seed}:{number}")
        candidates = self.candidates
        writable = Writable(self.ready.ruleset, self.ready.binding)
        performer = Performer(
            self.ready.program, candidates.runner, candidates, self.habits, rng, writable, self.stream
        )
        snapshot = candidates.runner.empty
        found: list[Round] = []
        before = self.digest(snapshot)
        again = AGAIN if len(self.ready.binding.schema.lives) > 1 else AGAIN_ALONE
        while len(found) < rounds:
            stretch = next((s for _ in range(again) if (s := performer.play(snapshot, self.options))), None)
            if stretch is None:
                break
            snapshot = stretch.after
            after = self.digest(snapshot)
            found.append(self._round(stretch, before, after))
            before = after
        return tuple(found)

    def _round(self, stretch: Stretch, before: str, after: str) -> Round:
        ruleset, binding = self.ready.ruleset, self.ready.binding
        lives = [life.name for life in binding.schema.lives]
        return Round(
            tuple(fields_of(moment.happening, ruleset, binding) for moment in stretch.moments),
            tuple(tuple(life in moment.ended for life in lives) for moment in stretch.moments),
            before,
            after,
        )

    def digest(self, snapshot: Snapshot) -> str:
        """The same for two states after which the same is lawful."""
        counts = [
            table if (cap := self.caps.get(i, 1)) is None else {key: min(n, cap) for key, n in table.items()}
            for i, table in enumerate(snapshot.state.counts)
        ]
        capped = replace(snapshot, state=replace(snapshot.state, counts=counts))
        text = _stable(snapshot_key(capped, self.ready.ruleset))
        return hashlib.sha256(text.encode()).hexdigest()


def _stable(value: Hashable) -> str:
    """A text of a key that is the same in every process, which the order of a set is not."""
    match value:
        case frozenset():
            return "{" + ",".join(sorted(map(_stable, value))) + "}"
        case tuple():
            return "(" + ",".join(map(_stable, value)) + ")"
        case _:
            return repr(value)


def library(
    playing: Playing, rounds: int, each: int, jobs: int = 1, on_played: OnPlayed | None = None
) -> tuple[tuple[Round, ...], ...]:
    """Plays of at most `each` rounds that together have `rounds`, in the order of their numbers.

    Where plays come to nowhere there are fewer, but at least one. Raises `RequestError` where there is none.
    """
    found: list[tuple[Round, ...]] = []
    have, number, most = 0, 0, AS_MANY * (-(-rounds // each)) + AS_MANY
    while have < rounds and number < most:
        wanted = min(-(-(rounds - have) // each), most - number)
        with closing(_played(playing, range(number, number + wanted), each, jobs)) as plays:
            for play in plays:
                if play and have < rounds:
                    found.append(play[: rounds - have])
                    have += len(found[-1])
                    if on_played is not None:
                        on_played(have, rounds)
        number += wanted
    if not found:
        raise RequestError(
            Problem(
                "no round was found that could be played to its end without breaking a rule",
                code="no-round",
                help="other options (--set), other habits (--habits) or another --seed may have some",
            )
        )
    return tuple(found)


_playing: Playing | None = None
"""What forked processes find in their memory."""


def _played(
    playing: Playing, numbers: range, each: int, jobs: int
) -> Generator[tuple[Round, ...], None, None]:
    if min(jobs, len(numbers)) <= 1 or not can_fork():
        for number in numbers:
            yield playing.play(number, each)
        return
    global _playing
    _playing = playing
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(
        min(jobs, len(numbers)), mp_context=multiprocessing.get_context(FORK), initializer=begin
    )
    try:
        with forking():
            futures = [pool.submit(_play_here, number, each) for number in numbers]
        for future in futures:
            yield future.result()
    except BrokenProcessPool:
        help = "it may have run out of memory: try --jobs 1"
        raise InternalError(
            Problem("a process that plays ended before its time", code="worker-died", help=help)
        ) from None
    except BaseException:
        for process in set(multiprocessing.active_children()) - others:
            process.terminate()
        raise
    finally:
        _playing = None
        pool.shutdown(wait=True, cancel_futures=True)


def _play_here(number: int, each: int) -> tuple[Round, ...]:
    assert _playing is not None
    return _playing.play(number, each)
