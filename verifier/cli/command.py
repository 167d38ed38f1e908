"""What all commands share: colour, where the output goes, and how trouble is shown."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TextIO, TypeVar

import click

from verifier.errors import InternalError, VerifierError, escaped, render
from verifier.exits import Exit

DEBUG = "GAZETTE_DEBUG"
"""With this environment variable set to 1, a fault of our own shows its traceback."""

WIDTH = 100
NARROWEST = 60
WIDEST = 120
"""Columns of a page that goes to no terminal, and limits to what a terminal's width makes of one."""

MOST_JOBS = 64

F = TypeVar("F", bound=Callable[..., Any])


class Command(click.Command):
    """A command whose errors are shown as the package renders them, in its own choice of colour.

    What it reads and what it writes are kept apart before it begins.
    """

    def implied(self, ctx: click.Context) -> Sequence[Path]:
        """What the command writes besides what its parameters name."""
        return ()

    def invoke(self, ctx: click.Context) -> Any:
        try:
            from verifier.cli.apart import keep_apart

            keep_apart(ctx, self.implied(ctx))
            return super().invoke(ctx)
        except VerifierError as error:
            return show_error(error, coloured(ctx, sys.stderr))


def _choose(ctx: click.Context, parameter: click.Parameter, value: str) -> None:
    ctx.color = {"always": True, "never": False, "auto": None}[value]


def color_option(command: F) -> F:
    """Adds `--color auto|always|never`; `coloured` tells what it comes to."""
    return click.option(
        "--color",
        type=click.Choice(["auto", "always", "never"]),
        default="auto",
        show_default=True,
        expose_value=False,
        is_eager=True,
        callback=_choose,
        help="Colour: auto is on a terminal only, and not where NO_COLOR is set.",
    )(command)


def output_option(command: F) -> F:
    """Adds `--output FILE` as the parameter `output`, None for standard output."""
    return click.option(
        "-o",
        "--output",
        type=click.Path(dir_okay=False, allow_dash=True, path_type=Path),
        metavar="FILE",
        callback=lambda ctx, parameter, value: None if value == Path("-") else value,
        help="Write to FILE, which is replaced only when all is written.  [default: standard output]",
    )(command)


def format_option(*formats: str) -> Callable[[F], F]:
    """Adds `--format` with the first of `formats` as its default, as the parameter `format_`."""
    return click.option(
        "--format",
        "format_",
        type=click.Choice(formats),
        default=formats[0],
        show_default=True,
        help="How the result is written.",
    )


def transcripts_option(command: F) -> F:
    """Adds `--transcripts PATH…` as the parameter `transcripts`."""
    return click.option(
        "-t",
        "--transcripts",
        multiple=True,
        type=click.Path(path_type=Path),
        metavar="PATH",
        help="Transcripts that say what they expect: files, or folders of *.transcript.yaml. May be repeated.",
    )(command)


def columns_option(command: F) -> F:
    """Adds `--columns FILE` as the parameter `columns`."""
    return click.option(
        "--columns",
        type=click.Path(dir_okay=False),
        metavar="FILE",
        help="What the casino calls its columns (YAML; see the log format).",
    )(command)


def sort_option(command: F) -> F:
    """Adds `--sort` as the parameter `sort`."""
    return click.option(
        "--sort", is_flag=True, help="Put rows that come in any order in the order of record first."
    )(command)


def jobs_option(command: F) -> F:
    """Adds `--jobs N` as the parameter `jobs`, the number of processors where it is not given."""
    return click.option(
        "-j",
        "--jobs",
        type=click.IntRange(1, MOST_JOBS),
        default=None,
        metavar="N",
        callback=lambda ctx, parameter, value: value or processors(),
        help="How many processes work at once.  [default: one for each processor]",
    )(command)


def quiet_option(command: F) -> F:
    """Adds `--quiet` as the parameter `quiet`."""
    return click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors; the exit code tells.")(
        command
    )


def progress_option(command: F) -> F:
    """Adds `--no-progress` as the parameter `no_progress`."""
    return click.option("--no-progress", is_flag=True, help="Show no progress bar.")(command)


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return min(len(os.sched_getaffinity(0)), MOST_JOBS)
    return min(os.cpu_count() or 1, MOST_JOBS)


def coloured(ctx: click.Context, stream: TextIO) -> bool:
    """Whether to write colour to `stream`: as `--color` says, else on a terminal unless NO_COLOR is set."""
    if ctx.color is not None:
        return ctx.color
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream.isatty()


def page_width(output: Path | None) -> int:
    """The columns of a page: the terminal's within limits, `WIDTH` where it goes elsewhere."""
    if output is not None or not sys.stdout.isatty():
        return WIDTH
    return min(max(shutil.get_terminal_size().columns, NARROWEST), WIDEST)


def show_error(error: VerifierError, colour: bool = False) -> Exit:
    """Prints the problems of `error` to standard error; returns the exit code they call for."""
    for number, problem in enumerate(error.problems):
        print(("\n" if number else "") + render(problem, colour), file=sys.stderr)
    if isinstance(error, InternalError):
        _ask_for_report(error)
        return Exit.OURSELVES
    return Exit.REQUEST


def report_fault(error: BaseException) -> Exit:
    """Prints that our own code failed, with the traceback where `GAZETTE_DEBUG=1`; returns the exit code."""
    what = plainly_visible(str(error).splitlines()[0] if str(error) else "no message")
    print(f"error: gazette itself failed: {type(error).__name__}: {what}", file=sys.stderr)
    _ask_for_report(error)
    return Exit.OURSELVES


def _ask_for_report(error: BaseException) -> None:
    if os.environ.get(DEBUG) == "1":
        import traceback

        traceback.print_exception(error, file=sys.stderr)
    else:
        advice = f"run it again with {DEBUG}=1 set, and report what that prints with the command you gave"
        print(f"  = help: this is a fault of ours, not of your files: {advice}", file=sys.stderr)


def plainly_visible(text: str, most: int = 200) -> str:
    """`text` escaped and cut to `most` characters."""
    shown = escaped(text)
    return shown if len(shown) <= most else shown[: most - 1] + "…"
