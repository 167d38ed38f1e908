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
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    metavar="FILE",
    help="Where the module goes.",
)
@click.option("--text", is_flag=True, help="Write WebAssembly text instead of the binary form.")
@color_option
def command(ruleset: str, output: Path, text: bool) -> Exit:
    """Compile a ruleset to WebAssembly.

    The module judges a log's events as `gazette check --engine bulk` does. Its custom sections gazette.schema and
    gazette.digests say, in JSON, how it is fed and what it was made from. The same ruleset gives the same bytes.
    """
    from verifier.compile.encoding import NotCompiledError
    from verifier.compile.module import compile_program
    from verifier.core.lower import lower
    from verifier.model.load import load

    try:
        module = compile_program(lower(load(ruleset)))
    except NotCompiledError as lacking:
        raise RequestError(not_compiled(ruleset, lacking)) from None
    code = module.text.encode() if text else module.wasm()
    try:
        output.write_bytes(code)
    except OSError as error:
        raise RequestError(
            Problem(
                f"cannot write the file: {(error.strerror or str(error)).lower()}",
                file=str(output),
                help="check that its folder exists, that it may be written, and that there is room",
                code="unwritable",
            )
        ) from None
    return Exit.HOLDS


def not_compiled(ruleset: str, lacking: Exception) -> Problem:
    """What is said of a ruleset that has no kernel."""
    return Problem(
        f"{ruleset} cannot be compiled: {lacking}",
        code="not-compiled",
        help="check it with --engine explain",
    )
