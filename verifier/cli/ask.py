"""`gazette ask`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from verifier.cli.command import Command, color_option, coloured, format_option, output_option, page_width
from verifier.exits import Exit

if TYPE_CHECKING:
    from verifier.check.replay import Asked


@click.command(cls=Command)
@click.argument("ruleset")
@click.option(
    "--transcript",
    required=True,
    metavar="FILE",
    help="The transcript, or a log in any format; - is standard input.",
)
@click.option(
    "--at",
    type=click.IntRange(min=0),
    metavar="SEQ",
    help="Ask after the event with this seq; 0 asks before the first.",
)
@click.option("--table", metavar="NAME", help="Whose events are meant, in a log of several tables.")
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="OPTION=VALUE",
    help="State an option that the log leaves unstated; may be repeated.",
)
@format_option("text", "json")
@output_option
@color_option
@click.pass_context
def command(
    ctx: click.Context,
    ruleset: str,
    transcript: str,
    at: int | None,
    table: str | None,
    settings: tuple[str, ...],
    format_: str,
    output: Path | None,
) -> Exit:
    """Show all that the law says at one point of a transcript.

    Decisions with the clauses that make them, duties pending with their deadlines, and what each actor may and
    must not do: after the event with the given seq, else after the last.
    """
    from verifier.check.engine import prepare
    from verifier.check.replay import ask_at
    from verifier.cli.files import written
    from verifier.report.explain import answers_text, to_dict

    asked = ask_at(transcript, prepare(ruleset), at, table=table, options=settings)
    with written(output) as stream:
        if format_ == "json":
            import json

            stream.write(json.dumps(to_dict(asked), ensure_ascii=False, indent=2) + "\n")
        else:
            colour = output is None and coloured(ctx, sys.stdout)
            stream.write(f"{_point(asked)}\n\n{answers_text(asked.answers, page_width(output), colour)}")
    return Exit.HOLDS


def _point(asked: Asked) -> str:
    """Which point it is, in one line."""
    from verifier.errors import escaped

    if asked.event is None:
        return escaped(f"{asked.ruleset}, before the first event of {asked.file}")
    keys = ", ".join(f"{life} {key}" for life, key in asked.lives if key is not None)
    return escaped(f"{asked.ruleset}, after seq {asked.seq} ({keys}): ") + asked.event.line
