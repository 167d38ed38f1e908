"""`gazette version`."""

from __future__ import annotations

import click

from verifier.cli.command import Command
from verifier.exits import Exit


@click.command(cls=Command)
def command() -> Exit:
    """Print the version."""
    from verifier.version import VERSION

    click.echo(f"gazette {VERSION}")
    return Exit.HOLDS
