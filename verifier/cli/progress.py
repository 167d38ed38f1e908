"""A progress bar on the terminal's standard error, where there is one."""

from __future__ import annotations

import contextlib
import os
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

    Several files fill the bar by their sizes as each is done. How far one file is cannot be told before its
    end: it shows how many events were judged, and goes on moving.
    """
    if not wanted:
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    from verifier.log.sources import STDIN, find_logs

    names = find_logs(paths, format) if paths else []
    sizes = {name: _size(name) for name in names if name != STDIN}
    several = len(names) > 1 and len(sizes) == len(names)
    console = Console(stderr=True, no_color=not colour, highlight=False)
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[events]:,} events", markup=False),
        TimeElapsedColumn(),
    )
    with Progress(
        *columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False
    ) as bar:
        task = bar.add_task("", total=sum(sizes.values()) if several else None, events=0)
        current, before, latest = "", 0, 0

        def report(name: str, events: int) -> None:
            nonlocal current, before, latest
            if name != current:
                if current:
                    bar.advance(task, sizes.get(current, 0))
                current, before = name, before + latest
            latest = events
            bar.update(task, description=escaped(os.path.basename(name)), events=before + events)

        yield report


def _size(name: str) -> int:
    with contextlib.suppress(OSError):
        return os.path.getsize(name)
    return 0


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
