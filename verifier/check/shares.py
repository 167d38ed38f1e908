"""A check by several processes, each of which judges some of the tables, with the result that one process comes to.

Every process reads of the files what its tables have there; rows have the numbers that they have in the whole, so that
the entries of all can be put in one order. Whatever stands against it (rows that are malformed, headers that do not go
together, a log that is not by groups of rows or is another when it is opened anew, a process that ends before its time,
no room for what it finds) leaves everything to one process, which says what is wrong if anything is.
"""

from __future__ import annotations

import heapq
import multiprocessing
import pickle
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from itertools import accumulate
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import TYPE_CHECKING

from verifier.check import opening
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
from verifier.log.corrected import NOTHING, corrections_in
from verifier.log.limits import LIMITS
from verifier.log.strict import Malformed

if TYPE_CHECKING:
    from verifier.compile.untold import Untold
    from verifier.log.sources import LogFile

Placed = tuple[Place, Entry]

AMISS = (LogError, RequestError, Malformed, OSError, MemoryError)
"""What leaves everything to one process."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A check of logs that can be opened as often as `logs` is called. `keep` and `strict` as in a `Run`; `every`: all
    entries are wanted, and not only those kept; `save` as in a `Lanes`."""

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
    """What a process has found. `begun` and `open_rounds` go with the part's tables, in their order; `kept` are the
    entries, where not every one is wanted."""

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
    least: int | None = None,
    about: int | None = None,
    sample: int = SAMPLE,
    save: Path | None = None,
) -> CheckResult | None:
    """As `verifier.check.bulk.check_logs_in_bulk`, by at most so many processes; None where one is to do it all, before
    any entry has been given to `on_entry`. Entries go there once all rows are judged. `least`: of fewer rows it is one
    (None: `SHARED_ROWS`, or `SLOW_ROWS` where the kernel takes none of them). `about`: so many rows there are, as far
    as is known without looking.

    Raises `InternalError` where a process fails by a fault of ours, or not every row was judged.
    """
    if jobs < 2 or not can_fork():
        return None
    with ExitStack() as closing:
        try:
            settings = read_settings(ready.ruleset, options)
            asked = Asked(logs, ready, settings, strict, keep, on_entry is not None, sample, save)
            shares = shares_of(asked, jobs, least, about)
            if len(shares) < 2:
                return None
            spools: list[Path | None] = [None] * len(shares)
            if asked.every:
                folder = tempfile.TemporaryDirectory(prefix="gazette-check-", ignore_cleanup_errors=True)
                spools = [Path(closing.enter_context(folder)) / f"{i}.entries" for i in range(len(shares))]
            found = _judged(asked, shares, spools, progress)
            if found is None:
                return None
            run = closing.enter_context(_gathered(asked, shares[0], found, on_entry))
        except AMISS:
            return None
        # What goes wrong from here on has to do with whoever takes the entries.
        return _whole(run, found, spools)


# ------------------------------------------------------------------------------------------------------ planning
def shares_of(asked: Asked, jobs: int, least: int | None = None, about: int | None = None) -> list[Share]:
    """The tables in at most so many shares of about as many rows, in the order in which they come, so that those of one
    share stand near one another; none where the logs are not to be shared. Raises what is in `AMISS`."""
    from verifier.compile.encoding import NotCompiledError
    from verifier.compile.kept import host_and_module
    from verifier.compile.untold import Untold

    schema = asked.ready.binding.schema
    if len(schema.lives) < 2 or schema.beside:
        return []
    life = schema.lives[0].name
    files: list[InFile] = []
    tables: dict[str | None, int] = {}
    unstated: tuple[str, ...] | None = None
    untold: Untold | None = None
    run = asked.run(Share((), ()), None, own=False)
    for log in asked.logs():
        with log:
            unstated = run.unstated(log) if unstated is None else unstated
            if log.header.lacks(life) or not run.apart(log):
                return []
            untold = untold or run.untold(log)
            if untold is not None and about is not None and about < opening.SHARED_ROWS:
                return []
            assert log.columnar is not None
            assert log.columnar.groups is not None
            plan = log.columnar.groups.plan(life)
            corrected = NOTHING
            if plan.corrected:
                corrected = corrections_in(log.name, log.columnar, schema, log.header, LIMITS)
            rows = sum(plan.counts.values()) - len(corrected.left_out)
            places: dict[object, int] = {table: i for i, table in enumerate(plan.counts)}
            files.append(InFile(log.name, plan, corrected, log.header, rows, places))
        for table, count in plan.counts.items():
            tables[table] = tables.get(table, 0) + count
    total = sum(tables.values())
    if least is None:
        least = opening.SLOW_ROWS if untold is None else opening.SHARED_ROWS
    if total < max(least, 1) or len(tables) > LIMITS.tables:
        return []
    try:
        if untold is not None:
            host_and_module(asked.ready.program, unstated or (), untold)
    except NotCompiledError:
        if untold == Untold():
            return []
    parts: list[list[str | None]] = [[] for _ in range(jobs)]
    ends = accumulate(tables.values())
    for (table, count), end in zip(tables.items(), ends, strict=True):
        parts[(2 * end - count) * jobs // (2 * total)].append(table)
    return [Share(frozenset(part), files) for part in parts if part]


# ------------------------------------------------------------------------------------------------- the processes
@dataclass(frozen=True, slots=True)
class Worker:
    """A process that judges a share, and where it says how many events it has judged and, at last, what it found."""

    process: BaseProcess
    receiver: Connection

    def stop(self) -> None:
        """End the process, if it has not ended."""
        self.receiver.close()
        self.process.terminate()
        self.process.join()


def _judged(
    asked: Asked, shares: Sequence[Share], spools: Sequence[Path | None], progress: Progress | None
) -> list[Found] | None:
    """What each process finds, in the order of the shares; None where one is to judge everything."""
    workers: list[Worker] = []
    try:
        with forking():
            for share, spool in zip(shares, spools, strict=True):
                workers.append(_begun(asked, share, spool, progress is not None))
        return _awaited(workers, _teller(progress, shares[0].files))
    finally:
        for worker in workers:
            worker.stop()


def _begun(asked: Asked, share: Share, spool: Path | None, telling: bool) -> Worker:
    context = multiprocessing.get_context(FORK)
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(asked, share, spool, sender, telling), daemon=True)
    process.start()
    sender.close()
    return Worker(process, receiver)


def _awaited(workers: Sequence[Worker], tell: Callable[[int], None]) -> list[Found] | None:
    waiting = {worker.receiver: i for i, worker in enumerate(workers)}
    judged = [0] * len(workers)
    found: dict[int, Found] = {}
    while waiting:
        for receiver in [one for one in wait(list(waiting)) if isinstance(one, Connection)]:
            try:
                said = receiver.recv()
            except (EOFError, OSError):
                return None  # it ended before its time
            match said:
                case int():
                    judged[waiting[receiver]] = said
                    tell(sum(judged))
                case Found():
                    found[waiting.pop(receiver)] = said
                case InternalError():
                    raise said
                case _:
                    return None
    return [found[i] for i in range(len(workers))]


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


def _work(asked: Asked, share: Share, spool: Path | None, sender: Connection, telling: bool) -> None:
    """What a process does."""
    begin()
    said: Found | InternalError | None
    try:
        said = _judge(asked, share, spool, sender.send if telling else lambda events: None)
    except AMISS:
        said = None
    except InternalError as error:
        said = InternalError(*error.problems)
    except Exception as error:
        words = f"a process that judges tables failed: {type(error).__name__}: {error}"
        said = InternalError(
            Problem(words, code="worker-failed", help="please report it; --jobs 1 does without")
        )
    with suppress(OSError):  # whoever waited has gone
        sender.send(said)


def _judge(asked: Asked, share: Share, spool: Path | None, tell: Callable[[int], None]) -> Found:
    """Judge a share; where every entry is wanted they go to a file. Raises what is in `AMISS`."""
    places: list[Place] = []
    before = current = 0

    def progress(name: str, events: int) -> None:
        nonlocal before, current
        if events == 0:
            before += current
        current = events
        tell(before + events)

    with ExitStack() as closing:
        kept = None if spool is None else closing.enter_context(spool.open("wb"))

        def take(entry: Entry) -> None:
            assert kept is not None
            pickle.dump((places.pop(), entry), kept)

        run = closing.enter_context(asked.run(share, take if kept else None, own=False))

        def place(at: Place) -> None:
            if kept or len(run.entries) < asked.keep:
                places.append(at)

        run.on_place = place
        for log in asked.logs():
            run.file(log, progress)
        if len(run.files) < len(share.files):
            raise Malformed
        result = run.result()
    return Found(
        Part(0, 0, result.tables, (), run.total, dict(run.faults), run.sums, run.ledger.tallies()),
        tuple(stream.begun for stream in run.streams.values()),
        tuple(tuple(run.open_at(table)) for table in run.streams),
        tuple(run.disagreements),
        () if kept else tuple(zip(places, run.entries, strict=True)),
    )


# ---------------------------------------------------------------------------------------------------- the result
def _gathered(
    asked: Asked, share: Share, found: Sequence[Found], on_entry: Callable[[Entry], None] | None
) -> BulkRun:
    """A run that has judged the files' headers and options, and taken what was found, but for the entries."""
    run = asked.run(replace(share, tables=()), on_entry, own=True)
    for log in asked.logs():
        run.file(log, None)
    if len(run.files) < len(share.files):
        raise Malformed
    tables: list[tuple[tuple[int, int], TableResult, tuple[str, ...]]] = []
    for one in found:
        run.take(replace(one.part, tables=()))
        run.disagreements += one.disagreements
        tables += zip(one.begun, one.part.tables, one.open_rounds, strict=True)
    judged, rows = sum(table.events for _, table, _ in tables), sum(file.rows for file in share.files)
    if judged != rows:
        raise InternalError(
            Problem(
                f"{judged} events were judged of {rows}",
                code="shares-disagree",
                help="please report it; --jobs 1 does without processes that share a log",
            )
        )
    tables.sort(key=lambda table: table[0])
    results = tuple(result for _, result, _ in tables)
    names = tuple(name for _, _, names in tables for name in names)
    run.taken.append(Part(0, 0, results, names, 0, {}, AllOwing(), Tallies({}, {}, {}, True)))
    return run


def _whole(run: BulkRun, found: Sequence[Found], spools: Sequence[Path | None]) -> CheckResult:
    """The result, once the entries of all have been handed on in one order."""
    own = [(place, entry) for place, _, entry in sorted(run.held, key=lambda held: held[:2])]
    run.held = []
    for _, entry in own:
        run.total += 1
        key = (entry.lead.verdict, entry.lead.kind)
        run.faults[key] = run.faults.get(key, 0) + 1
    others = (
        iter(one.kept) if spool is None else _spooled(spool) for one, spool in zip(found, spools, strict=True)
    )
    for number, (_, entry) in enumerate(heapq.merge(own, *others, key=lambda placed: placed[0]), 1):
        numbered = replace(entry, number=number)
        if len(run.entries) < run.keep:
            run.entries.append(numbered)
        if run.on_entry is not None:
            run.on_entry(numbered)
    return run.result()


def _spooled(spool: Path) -> Iterator[Placed]:
    """The entries in a file that a process of ours has written."""
    with spool.open("rb") as stream:
        while stream.peek(1):
            yield pickle.load(stream)


__all__ = ["check_shared", "shares_of"]
