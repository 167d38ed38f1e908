"""A check by several processes, each of which judges some of the tables, with the result that one process comes to.

Every process reads of the files what its tables have there; rows have the numbers that they have in the whole, so that
the entries of all can be put in one order. Where anything stands against it (rows that are malformed, headers that do
not go together, a log that is not by groups of rows), one process judges everything, and says what is wrong.
"""

from __future__ import annotations

import heapq
import multiprocessing
import pickle
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

from verifier.check.bulk import BulkRun, InFile, Share
from verifier.check.clauses import Tallies
from verifier.check.disagree import Disagreement
from verifier.check.engine import Prepared, Progress
from verifier.check.lanes import SAMPLE, Place
from verifier.check.options import read_settings
from verifier.check.owing import AllOwing
from verifier.check.parts import Part
from verifier.check.result import CheckResult, Entry, TableResult
from verifier.errors import InternalError, LogError, Problem, RequestError
from verifier.forks import FORK, begin, can_fork, forking
from verifier.log.limits import LIMITS
from verifier.log.strict import Malformed

if TYPE_CHECKING:
    from verifier.log.sources import LogFile

LEAST = 2_000_000
"""Logs of fewer rows are judged by one process: to start others costs more than they save."""

WAITING = 0.1
"""Seconds between two looks at how far the processes have come."""

Placed = tuple[Place, Entry]


@dataclass(frozen=True, slots=True)
class Asked:
    """A check of logs that can be opened as often as `logs` is called. `keep` and `strict` as in a `Run`; `every`: all
    entries are wanted, and not only those kept."""

    logs: Callable[[], Iterable[LogFile]]
    ready: Prepared
    settings: dict[str, object]
    strict: bool
    keep: int
    every: bool
    sample: int = SAMPLE
    save: Path | None = None

    def run(self, share: Share, on_entry: Callable[[Entry], None] | None, own: bool) -> BulkRun:
        """A run of what is judged here; `own`: of the options too."""
        return BulkRun(
            self.ready,
            self.settings,
            self.strict,
            self.keep,
            on_entry,
            compiled=None,
            sample=self.sample,
            save=self.save,
            options_too=own,
            share=share,
        )


@dataclass(frozen=True, slots=True)
class Found:
    """What a process has found. `begun` and `open_rounds` go with the part's tables, in their order."""

    part: Part
    begun: tuple[tuple[int, int], ...]
    open_rounds: tuple[tuple[str, ...], ...]
    disagreements: tuple[Disagreement, ...]
    kept: tuple[Placed, ...]


def check_shared(
    logs: Callable[[], Iterable[LogFile]],
    ready: Prepared,
    options: Mapping[str, object] | Iterable[str],
    progress: Progress | None,
    *,
    jobs: int,
    strict: bool,
    keep: int,
    on_entry: Callable[[Entry], None] | None,
    least: int = LEAST,
    sample: int = SAMPLE,
    save: Path | None = None,
) -> CheckResult | None:
    """As `verifier.check.bulk.check_logs_in_bulk`, by at most so many processes; None where one is to do it all.

    Entries go to `on_entry` once all rows are judged.
    """
    if jobs < 2 or not can_fork():
        return None
    settings = read_settings(ready.ruleset, options)
    asked = Asked(logs, ready, settings, strict, keep, on_entry is not None, sample, save)
    shares = shares_of(asked, jobs, least)
    if len(shares) < 2:
        return None
    with tempfile.TemporaryDirectory(prefix="gazette-check-") as folder:
        spools = [Path(folder) / f"{i}.entries" for i in range(len(shares))]
        found = _judged(asked, shares, spools, progress)
        return None if found is None else _whole(asked, shares[0], found, spools, on_entry)


# ------------------------------------------------------------------------------------------------------ planning
def shares_of(asked: Asked, jobs: int, least: int = LEAST) -> list[Share]:
    """The tables in at most so many shares of about as many rows, in the order in which they come, so that those of one
    share stand near one another; none where the logs are not to be shared."""
    from verifier.compile.encoding import NotCompiledError
    from verifier.compile.kept import host_and_module

    schema = asked.ready.binding.schema
    if len(schema.lives) < 2 or schema.beside:
        return []
    life = schema.lives[0].name
    files: list[InFile] = []
    tables: dict[str | None, int] = {}
    try:
        run = asked.run(Share((life, ()), files), None, own=False)
        for log in asked.logs():
            with log:
                if log.header.lacks(life) or not run.apart(log):
                    return []
                rows = _counted(log, life)
            files.append(InFile(log.name, sum(rows.values()), {table: i for i, table in enumerate(rows)}))
            for table, count in rows.items():
                tables[table] = tables.get(table, 0) + count
        host_and_module(asked.ready.program)
    except (LogError, RequestError, NotCompiledError):
        return []
    total = sum(tables.values())
    if total < least or len(tables) > LIMITS.tables:
        return []
    parts: list[list[str | None]] = [[] for _ in range(jobs)]
    ends = accumulate(tables.values())
    for (table, count), end in zip(tables.items(), ends, strict=True):
        parts[(2 * end - count) * jobs // (2 * total)].append(table)
    return [Share((life, frozenset(part)), files) for part in parts if part]


def _counted(log: LogFile, life: str) -> dict[str | None, int]:
    """How many rows each table has in a file, in the order in which they come."""
    rows: dict[str | None, int] = {}
    assert log.columnar is not None
    assert log.columnar.groups is not None
    for counts in log.columnar.groups.counts(life):
        for table, count in counts.items():
            rows[table] = rows.get(table, 0) + count
    return rows


# ------------------------------------------------------------------------------------------------- the processes
_asked: tuple[Asked, list[Share], list[Path], Any] | None = None
"""What forked processes find in their memory; at last how many events each has judged of each file."""


def _judged(
    asked: Asked, shares: list[Share], spools: list[Path], progress: Progress | None
) -> list[Found] | None:
    """What each process finds, in the order of the shares; None where one is to judge everything."""
    global _asked
    counts = multiprocessing.RawArray("q", len(shares))
    _asked = asked, shares, spools, counts
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(len(shares), mp_context=multiprocessing.get_context(FORK), initializer=begin)
    try:
        with forking():
            futures = [pool.submit(_judge_here, i) for i in range(len(shares))]
        tell = _teller(progress, shares[0].files)
        waiting: set[Future[Found | None]] = set(futures)
        while waiting:
            done, waiting = wait(waiting, None if progress is None else WAITING, FIRST_COMPLETED)
            tell(sum(counts))
            if any(future.result() is None for future in done):
                _end(others)
                return None
        return [one for future in futures if (one := future.result()) is not None]
    except BrokenProcessPool:
        raise InternalError(
            Problem(
                "a process that judges tables ended before its time",
                code="worker-died",
                help="it may have run out of memory: try --jobs 1",
            )
        ) from None
    except BaseException:
        _end(others)
        raise
    finally:
        _asked = None
        pool.shutdown(wait=True, cancel_futures=True)


def _end(others: set[Any]) -> None:
    """End the processes but these."""
    for process in set(multiprocessing.active_children()) - others:
        process.terminate()


def _teller(progress: Progress | None, files: Sequence[InFile]) -> Callable[[int], None]:
    """What is told how many events are judged, of all files, and reports it as if one came after the other."""
    at = before = 0

    def tell(total: int) -> None:
        nonlocal at, before
        while progress is not None and at < len(files):
            here = min(total - before, files[at].rows)
            progress(files[at].name, here)
            if here < files[at].rows:
                return
            before += here
            at += 1

    return tell


def _judge_here(index: int) -> Found | None:
    assert _asked is not None
    asked, shares, spools, counts = _asked
    return _judge(asked, shares[index], spools[index], partial(counts.__setitem__, index))


def _judge(asked: Asked, share: Share, spool: Path, tell: Callable[[int], None]) -> Found | None:
    """Judge a share; entries go to a file where every one is wanted. None where one process is to judge everything."""
    places: list[Place] = []
    before = [0, 0]

    def progress(name: str, events: int) -> None:
        if events == 0:
            before[0] += before[1]
        before[1] = events
        tell(before[0] + events)

    with ExitStack() as closing:
        kept = closing.enter_context(spool.open("wb")) if asked.every else None

        def take(entry: Entry) -> None:
            assert kept is not None
            pickle.dump((places.pop(), entry), kept)

        run = closing.enter_context(asked.run(share, take if kept else None, own=False))

        def place(at: Place) -> None:
            if kept or len(run.entries) < asked.keep:
                places.append(at)

        run.on_place = place
        try:
            for log in asked.logs():
                run.file(log, progress)
            result = run.result()
        except (LogError, RequestError, Malformed):
            return None
    return Found(
        Part(0, result.tables, (), run.total, dict(run.faults), run.sums, run.ledger.tallies()),
        tuple(stream.begun for stream in run.streams.values()),
        tuple(tuple(run.open_at(table)) for table in run.streams),
        tuple(run.disagreements),
        () if kept else tuple(zip(places, run.entries, strict=True)),
    )


# ---------------------------------------------------------------------------------------------------- the result
def _whole(
    asked: Asked,
    share: Share,
    found: Sequence[Found],
    spools: Sequence[Path],
    on_entry: Callable[[Entry], None] | None,
) -> CheckResult:
    """All that was found. Raises what a check of all tables does of the files' headers."""
    run = asked.run(replace(share, having=(share.having[0], ())), on_entry, own=True)
    with run:
        for log in asked.logs():
            run.file(log, None)
        own = [(place, entry) for place, _, entry in sorted(run.held)]
        run.held = []
        for _, entry in own:
            run.total += 1
            key = (entry.lead.verdict, entry.lead.kind)
            run.faults[key] = run.faults.get(key, 0) + 1
        tables: list[tuple[tuple[int, int], TableResult, tuple[str, ...]]] = []
        for one in found:
            run.take(replace(one.part, tables=()))
            run.disagreements += one.disagreements
            tables += zip(one.begun, one.part.tables, one.open_rounds, strict=True)
        tables.sort(key=lambda table: table[0])
        run.taken.append(
            Part(
                0,
                tuple(result for _, result, _ in tables),
                tuple(name for _, _, names in tables for name in names),
                0,
                {},
                AllOwing(),
                Tallies({}, {}, {}, True),
            )
        )
        others = (
            _spooled(spool) if asked.every else iter(one.kept)
            for one, spool in zip(found, spools, strict=True)
        )
        for number, (_, entry) in enumerate(heapq.merge(own, *others, key=lambda placed: placed[0]), 1):
            numbered = replace(entry, number=number)
            if len(run.entries) < run.keep:
                run.entries.append(numbered)
            if on_entry is not None:
                on_entry(numbered)
        return run.result()


def _spooled(spool: Path) -> Iterator[Placed]:
    """The entries in a file that a process of ours has written."""
    with spool.open("rb") as stream:
        while stream.peek(1):
            yield pickle.load(stream)
