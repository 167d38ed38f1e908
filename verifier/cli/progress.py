"""A progress bar on the terminal's standard error, where there is one."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from verifier.errors import escaped

if TYPE_CHECKING:
    from verifier.check.engine import Progress
    from verifier.log.sources import Format
    from verifier.prove.prove import OnProgress


@contextlib.contextmanager
def shown_progress(
    wanted: bool, paths: Sequence[str], format: Format | None, colour: bool
) -> Iterator[Progress | None]:
    """A function to report progress to, while a bar shows it; None where none is `wanted`.

    It shows how many events were judged, how many a second, and, where all the files together tell about how many there
    are, how long the rest will take.
    """
    if not wanted:
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    from verifier.check.opening import READING
    from verifier.log.sources import find_logs

    counts = [events_in(name, format) for name in (find_logs(paths, format) if paths else [])]
    total = sum(count for count in counts if count is not None) if counts and None not in counts else None
    console = Console(stderr=True, no_color=not colour, highlight=False)
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[events]:,} events", markup=False),
        TextColumn("{task.fields[rate]:,.0f}/s", markup=False),
        TimeElapsedColumn(),
        *(() if total is None else (TextColumn("left", markup=False), TimeRemainingColumn())),
    )
    with Progress(
        *columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False
    ) as bar:
        task = bar.add_task("", total=total, events=0, rate=0.0)
        current, before, latest = "", 0, 0
        began = time.monotonic()

        def report(name: str, events: int) -> None:
            nonlocal current, before, latest
            if name.startswith(READING):
                rate = events / max(time.monotonic() - began, 1e-3)
                shown = READING + escaped(os.path.basename(name.removeprefix(READING)))
                done = events if total is None else min(events, total)
                bar.update(task, description=shown, events=events, rate=rate, completed=done)
                return
            if name != current:
                current, before = name, before + latest
            latest = events
            done = before + events
            bar.update(
                task,
                description=escaped(os.path.basename(name)),
                events=done,
                rate=done / max(time.monotonic() - began, 1e-3),
                completed=done if total is None else min(done, total),
            )

        yield report


def events_in(name: str, format: Format | None) -> int | None:
    """About how many events there are in a log: as a Parquet file or a database says, or by the length of a log's first
    lines, compressed or not. None where it cannot be told."""
    from verifier.log.sources import DUCKDB, STDIN, format_of

    if name == STDIN:
        return None
    kind = format or format_of(name)
    # whatever is wrong with the file is said by who reads it
    with contextlib.suppress(Exception):
        if name.startswith(DUCKDB):
            from verifier.log.query import rows_in_table

            return rows_in_table(name)
        if kind == "parquet":
            import pyarrow.parquet as pq

            with pq.ParquetFile(name) as file:
                rows: int = file.metadata.num_rows
                return rows
        if kind in ("jsonl", "csv"):
            from verifier.log.lineblocks import lines_in

            return lines_in(name)
    return None


@contextlib.contextmanager
def obligations_shown(
    wanted: bool, colour: bool
) -> Iterator[tuple[OnProgress, Callable[[], AbstractContextManager[None]]]]:
    """A function to report progress to, and a block in which lines may be printed while a bar is shown.

    The bar is drawn where progress is reported and nowhere else: a thread that drew it could not be forked.
    """
    if not wanted:
        yield (lambda what, done, total: None), contextlib.nullcontext
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        console=Console(stderr=True, no_color=not colour, highlight=False),
        transient=True,
        auto_refresh=False,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    task = bar.add_task("", total=None)

    def report(what: str, done: int, total: int) -> None:
        bar.update(task, description=what, completed=done, total=total, refresh=True)

    @contextlib.contextmanager
    def aside() -> Iterator[None]:
        bar.stop()
        try:
            yield
        finally:
            bar.start()

    with bar:
        yield report, aside
