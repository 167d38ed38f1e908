"""`gazette schema`."""

from __future__ import annotations

from pathlib import Path

import click

from verifier.cli.command import Command, color_option, output_option
from verifier.exits import Exit


@click.command(cls=Command)
@click.argument("ruleset")
@click.option("--arrow", is_flag=True, help="Print the Arrow schema instead of the JSON Schema.")
@output_option
@color_option
def command(ruleset: str, arrow: bool, output: Path | None) -> Exit:
    """Print what a ruleset's log looks like.

    JSON Schema describes one line of a JSON Lines log: the header, a row, or the trailer.
    """
    from verifier.check.schema import bind
    from verifier.cli.files import written
    from verifier.model.load import load

    schema = bind(load(ruleset)).schema
    if arrow:
        from verifier.log.schema_arrow import to_arrow

        text = to_arrow(schema).to_string(truncate_metadata=False)
    else:
        import json

        from verifier.log.schema_json import to_json_schema

        text = json.dumps(to_json_schema(schema), ensure_ascii=False, indent=2)
    with written(output) as stream:
        stream.write(text + "\n")
    return Exit.HOLDS
