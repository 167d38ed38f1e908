"""`gazette diff`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from verifier.cli.command import Command, color_option, coloured, format_option, output_option, page_width
from verifier.exits import Exit


@click.command(cls=Command)
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@format_option("text", "json", "html")
@output_option
@color_option
@click.pass_context
def command(ctx: click.Context, old: str, new: str, format_: str, output: Path | None) -> Exit:
    """Show what changed between two rulesets and their laws.

    OLD and NEW are rulesets as RULESET is elsewhere. Clauses are aligned by their words and place, figures in
    words and digits being the same; then come options, duties, permissions and decisions of rules on clauses that
    answer to each other, as they are written: nothing is proved.

    Exits with 0 where both are the same, 1 where they differ, 3 where the files differ in nothing that is compared.
    """
    from verifier.cli.files import written
    from verifier.diff.rules import compare_rulesets
    from verifier.model.load import load
    from verifier.report.diff_json import to_json
    from verifier.report.diff_text import text

    diff = compare_rulesets(load(old), load(new))
    code = Exit.BROKEN if diff.different else Exit.UNDECIDED if diff.unread else Exit.HOLDS
    with written(output) as stream:
        if format_ == "json":
            stream.write(to_json(diff, code))
        elif format_ == "html":
            from verifier.report.html.diff import text as page

            stream.write(page(diff, code))
        else:
            colour = output is None and coloured(ctx, sys.stdout)
            stream.write(text(diff, page_width(output), colour))
    return code
