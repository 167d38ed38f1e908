"""`gazette rules`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from verifier.cli.command import Command, color_option, format_option, output_option
from verifier.exits import Exit

if TYPE_CHECKING:
    from verifier.model.ruleset import Ruleset


@click.command(cls=Command)
@format_option("text", "json")
@output_option
@color_option
def command(format_: str, output: Path | None) -> Exit:
    """List the rulesets that come with this package.

    With the law that each transcribes, since when that is in force, and the digest that logs and reports
    name it by.
    """
    import json

    from verifier.cli.files import written
    from verifier.model.load import load, shipped

    listed = [_facts(load(name)) for name in shipped()]
    with written(output) as stream:
        if format_ == "json":
            stream.write(json.dumps({"rulesets": listed}, ensure_ascii=False, indent=2) + "\n")
        else:
            stream.write("\n\n".join(_text(facts) for facts in listed) + "\n")
    return Exit.HOLDS


def _facts(ruleset: Ruleset) -> dict[str, str | int | None]:
    law = ruleset.law
    return {
        "name": ruleset.name,
        "law": None if law is None else law.id,
        "title": None if law is None else law.title,
        "instrument": None if law is None else law.header.instrument,
        "issue": None if law is None else law.header.issue,
        "in_force": ruleset.in_force,
        "rules": len(ruleset.rules),
        "digest": ruleset.digest,
    }


def _text(facts: dict[str, str | int | None]) -> str:
    lines = [str(facts["name"])]
    if facts["law"] is not None:
        lines += [
            f"  {facts['title']}: {facts['instrument']}",
            f"  {facts['issue']}",
            f"  law       {facts['law']}",
        ]
    lines += [
        f"  in force  {'from ' + str(facts['in_force']) if facts['in_force'] else 'not stated'}",
        f"  rules     {facts['rules']}",
        f"  digest    {facts['digest']}",
    ]
    return "\n".join(lines)
