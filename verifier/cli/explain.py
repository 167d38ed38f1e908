"""`gazette explain`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from verifier.cli.command import Command, color_option, coloured, format_option, output_option, page_width
from verifier.exits import Exit


@click.command(cls=Command)
@click.argument("ruleset")
@click.argument("clause")
@format_option("text", "json")
@output_option
@color_option
@click.pass_context
def command(ctx: click.Context, ruleset: str, clause: str, format_: str, output: Path | None) -> Exit:
    """Show a clause of the law and the rules on it.

    CLAUSE is its number as the law writes it, such as 5.1(c), or a definition, such as "1.0 Round". Shown are
    its words, where it stands, the rules on it with their readings and exceptions, and what refers to it.
    """
    from verifier.check.clause import clause_page
    from verifier.cli.files import written
    from verifier.model.load import load
    from verifier.report.explain import clause_text, to_dict

    page = clause_page(load(ruleset), clause)
    with written(output) as stream:
        if format_ == "json":
            import json

            stream.write(json.dumps(to_dict(page), ensure_ascii=False, indent=2) + "\n")
        else:
            stream.write(clause_text(page, page_width(output), output is None and coloured(ctx, sys.stdout)))
    return Exit.HOLDS
