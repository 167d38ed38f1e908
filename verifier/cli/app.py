"""The group of commands, each loaded when it is asked for, and the one place where exits are decided."""

from __future__ import annotations

import errno
import importlib
import os
import sys
from collections.abc import Sequence
from typing import Any

import click

from verifier.cli.command import plainly_visible, report_fault, show_error
from verifier.errors import Problem, RequestError, VerifierError
from verifier.exits import Exit

COMMANDS: dict[str, str] = {
    "check": "Check game logs against a ruleset.",
    "explain": "Show a clause of the law and the rules on it.",
    "ask": "Show all that the law says at one point of a transcript.",
    "report": "Check game logs and write a report to read.",
    "prove": "Prove what must hold of a ruleset in every course of play.",
    "diff": "Show what changed between two rulesets and their laws.",
    "coverage": "Show how much of the law its rules say, and what looks after them.",
    "mutate": "Change rules in small ways, and list what no test notices.",
    "simulate": "Make a log of lawful play, with faults planted in it.",
    "generate": "Make rounds that show every rule kept, and every rule broken.",
    "compile": "Compile a ruleset to WebAssembly.",
    "rules": "List the rulesets that come with this package.",
    "schema": "Print what a ruleset's log looks like.",
    "lint": "Check rulesets without running anything.",
    "fmt": "Format rule files.",
    "version": "Print the version.",
}
"""Name and summary of each command; the module `verifier.cli.<name>` holds it as `command`."""


class LazyGroup(click.Group):
    """A group that imports the module of a command only to run it or to print its own help."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = importlib.import_module(f"verifier.cli.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            import difflib

            near = difflib.get_close_matches(args[0], COMMANDS, n=1)
            advice = f"did you mean {near[0]}?" if near else f"there are {', '.join(COMMANDS)}"
            ctx.fail(f"there is no command {plainly_visible(args[0])}; {advice}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        try:  # --help and --version print while the arguments are still being read
            return super().make_context(info_name, args, parent, **extra)
        except BrokenPipeError:
            raise _ReaderGoneError from None

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise _ReaderGoneError from None


class _ReaderGoneError(Exception):
    """A broken pipe, under a name by which click does not make an exit code of its own of it."""


def _version(ctx: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from verifier.version import VERSION

        click.echo(f"gazette {VERSION}")
        ctx.exit()


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 all holds; 1 something is broken; 2 the request or an input file is at fault; "
    "3 undecided; 4 our own code is at fault.",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_version,
    help="Print the version and exit.",
)
def group() -> None:
    """Gaming law, transcribed clause by clause, checked against game logs.

    RULESET is the name of a shipped ruleset (see gazette rules) or a .rules file of your own.
    """


_UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
"""How writing fails where the place written to is at fault; such an error names no file."""


def run(arguments: Sequence[str]) -> int:
    """Runs one command line, prints what goes wrong to standard error, and returns the exit code."""
    _open_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        code = group.main(list(arguments), prog_name="gazette", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        return Exit.REQUEST
    except (click.Abort, KeyboardInterrupt):
        return Exit.INTERRUPTED
    except (_ReaderGoneError, BrokenPipeError):
        _drop_output()
        return Exit.CLOSED
    except VerifierError as error:
        return show_error(error)
    except OSError as error:
        if error.filename is not None or error.errno not in _UNWRITABLE:
            return report_fault(error)
        _drop_output()
        return show_error(_unwritable(error))
    except Exception as error:
        return report_fault(error)
    return code if isinstance(code, int) else Exit.HOLDS


def _open_closed_streams() -> None:
    """Gives a command started without standard output or standard error (`>&-`) streams all the same.

    Output then fails when it is written, as to a full disk, and not before; messages go nowhere.
    """
    if sys.stdout is None:
        sys.stdout = os.fdopen(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8")


def _unwritable(error: OSError) -> RequestError:
    return RequestError(
        Problem(
            f"cannot write to standard output: {(error.strerror or str(error)).lower()}",
            code="unwritable",
            help="check that it is open and that there is room, or write to a file with --output",
        )
    )


def _drop_output() -> None:
    """Sends what is still buffered nowhere, so that Python's own flush at the end finds no broken pipe."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
