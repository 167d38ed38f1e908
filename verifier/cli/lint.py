"""`gazette lint`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from verifier.cli.command import Command, color_option, coloured, format_option, output_option
from verifier.exits import Exit


@click.command(cls=Command)
@click.argument("rulesets", nargs=-1, required=True, metavar="RULESET…")
@click.option("--strict", is_flag=True, help="Exit with 1 where there are warnings.")
@format_option("text", "json")
@output_option
@color_option
@click.pass_context
def command(
    ctx: click.Context, rulesets: tuple[str, ...], strict: bool, format_: str, output: Path | None
) -> Exit:
    """Check rulesets without running anything.

    Errors keep a ruleset from being used. Warnings: a clause of the law without a rule, words that no rule
    quotes, a rule that binds nothing, a define, decision, option or event that nothing uses.
    """
    from verifier.cli.files import written
    from verifier.lint.inspect import lint
    from verifier.lint.print import to_json, to_text

    found = [lint(name) for name in rulesets]
    with written(output) as stream:
        colour = output is None and coloured(ctx, sys.stdout)
        stream.write(to_json(found) if format_ == "json" else to_text(found, colour))
    if any(one.errors for one in found):
        return Exit.REQUEST
    return Exit.BROKEN if strict and any(one.warnings for one in found) else Exit.HOLDS
