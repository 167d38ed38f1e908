"""`gazette compile`."""

from __future__ import annotations

from pathlib import Path

import click

from verifier.cli.command import Command, color_option
from verifier.errors import Problem, RequestError
from verifier.exits import Exit


@click.command(cls=Command)
@click.argument("ruleset")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, allow_dash=True, path_type=Path),
    required=True,
    metavar="FILE",
    help="Write to FILE, which is replaced only when all is written; - is standard output.",
)
@click.option("--text", is_flag=True, help="Write WebAssembly text instead of the binary form.")
@color_option
def command(ruleset: str, output: Path, text: bool) -> Exit:
    """Compile a ruleset to WebAssembly.

    The module judges a log's events as `gazette check --engine bulk` does. Its custom sections gazette.schema and
    gazette.digests say, in JSON, how it is fed and what it was made from. The same ruleset gives the same bytes.
    """
    from verifier.cli.files import write_bytes
    from verifier.compile.encoding import NotCompiledError
    from verifier.compile.module import compile_program
    from verifier.core.lower import lower
    from verifier.model.load import load

    try:
        module = compile_program(lower(load(ruleset)))
    except NotCompiledError as lacking:
        raise RequestError(not_compiled(ruleset, lacking)) from None
    code = module.text.encode() if text else module.wasm()
    write_bytes(None if output == Path("-") else output, code)
    return Exit.HOLDS


def not_compiled(ruleset: str, lacking: Exception) -> Problem:
    """What is said of a ruleset that has no kernel."""
    return Problem(
        f"{ruleset} cannot be compiled: {lacking}",
        code="not-compiled",
        help="check it with --engine explain",
    )
