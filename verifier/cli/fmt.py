"""`gazette fmt`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from verifier.cli.command import Command, color_option, coloured, show_error
from verifier.errors import Problem, RequestError, RuleTextError
from verifier.exits import Exit, worst

STDIN_NAME = "<standard input>"


@click.command(cls=Command)
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if a file is not formatted.")
@click.option("--diff", is_flag=True, help="Write nothing; print what would change.")
@color_option
@click.pass_context
def command(ctx: click.Context, files: tuple[str, ...], check: bool, diff: bool) -> Exit:
    """Format rule files.

    Each FILE is rewritten in place; - reads standard input and writes standard output. What a file means
    never changes: a file that would mean something else is left alone.
    """
    exits = [Exit.HOLDS]
    for name in files:
        try:
            exits.append(_format(ctx, name, check, diff))
        except RuleTextError as error:
            exits.append(show_error(error, coloured(ctx, sys.stderr)))
    return worst(exits)


def _format(ctx: click.Context, name: str, check: bool, diff: bool) -> Exit:
    from verifier.cli.files import written
    from verifier.syntax.format import format_text
    from verifier.syntax.parse import read_module

    shown = STDIN_NAME if name == "-" else name
    text = _standard_input() if name == "-" else read_module(Path(name)).text
    formatted = format_text(text, shown)
    changed = formatted != text
    if diff and changed:
        _print_diff(text, formatted, shown, coloured(ctx, sys.stdout))
    if check or diff:
        if changed and check:
            print(f"{shown} is not formatted", file=sys.stderr)
        return Exit.BROKEN if changed and check else Exit.HOLDS
    if name == "-":
        sys.stdout.write(formatted)
    elif changed:
        with written(Path(name)) as stream:
            stream.write(formatted)
        print(f"formatted {name}", file=sys.stderr)
    return Exit.HOLDS


def _standard_input() -> str:
    from verifier.syntax.parse import MAX_BYTES

    if sys.stdin is None:
        raise RequestError(Problem("standard input is closed", code="unreadable", help="name a file"))
    data = sys.stdin.buffer.read(MAX_BYTES + 1)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"byte {data[error.start]:#04x} is not UTF-8"
        raise RuleTextError(Problem(message, STDIN_NAME, line, code="encoding")) from None


def _print_diff(before: str, after: str, name: str, colour: bool) -> None:
    import difflib

    from verifier.errors import escaped

    paints = {"+": "32", "-": "31", "@": "36"}
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), name, f"{name} (formatted)", lineterm=""
    )
    for line in lines:
        paint = paints.get(line[:1]) if colour else None
        print(f"\x1b[{paint}m{escaped(line)}\x1b[0m" if paint else escaped(line))
