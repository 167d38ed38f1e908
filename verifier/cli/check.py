"""`gazette check`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from verifier.cli.command import Command, color_option, coloured, format_option, output_option, page_width
from verifier.exits import Exit

if TYPE_CHECKING:
    from verifier.check.engine import Engine
    from verifier.log.sources import Format


@click.command(cls=Command)
@click.argument("logs", nargs=-1, required=True, metavar="LOG…")
@click.option("--rules", "ruleset", required=True, metavar="RULESET", help="What to check against.")
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="OPTION=VALUE",
    help="State an option that the log leaves unstated; may be repeated.",
)
@format_option("text", "json", "jsonl", "sarif", "junit", "github", "gitlab")
@output_option
@click.option(
    "--log-format",
    type=click.Choice(["auto", "jsonl", "csv", "parquet", "yaml"]),
    default="auto",
    show_default=True,
    help="How the logs are written; auto goes by their names, then by their first bytes.",
)
@click.option(
    "--manifest",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="The header of a single CSV or Parquet log.  [default: LOG.manifest.json beside it]",
)
@click.option("--any-ruleset", is_flag=True, help="Take logs that were kept under another ruleset's name.")
@click.option("--strict", is_flag=True, help="Exit with 3 also for what a log declares not recorded.")
@click.option(
    "--engine",
    type=click.Choice(["auto", "explain", "bulk"]),
    default="auto",
    show_default=True,
    help="Who judges: the interpreter everything (explain), or the compiled rules, and the interpreter the rounds "
    "that they mark (bulk); auto goes by the size of the logs.",
)
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors; the exit code tells.")
@click.option("--no-progress", is_flag=True, help="Show no progress bar.")
@color_option
@click.pass_context
def command(
    ctx: click.Context,
    logs: tuple[str, ...],
    ruleset: str,
    settings: tuple[str, ...],
    format_: str,
    output: Path | None,
    log_format: str,
    manifest: str | None,
    any_ruleset: bool,
    strict: bool,
    engine: str,
    quiet: bool,
    no_progress: bool,
) -> Exit:
    """Check game logs against a ruleset.

    LOG is a file (JSON Lines, CSV or Parquet, also as .gz or .zst, or a YAML transcript), a folder of such
    files, or - for standard input. Every event is judged; each fault is shown with the clause it breaks, what
    was required, what was logged, and the money. A malformed log is refused whole.
    """
    from verifier.check.engine import check, prepare
    from verifier.cli.files import keep_apart, written
    from verifier.cli.progress import shown_progress
    from verifier.report.json import document_text, entry_line, summary_line
    from verifier.report.text import text

    ready = prepare(ruleset)
    format = cast("Format | None", None if log_format == "auto" else log_format)
    lines = format_ == "jsonl"
    bar = sys.stderr.isatty() and not (
        quiet or no_progress or (lines and output is None and sys.stdout.isatty())
    )

    if output is not None:
        keep_apart(output, logs)
    with written(output) as stream:

        def put(words: str) -> None:
            if output is not None or not quiet:
                stream.write(words)

        with shown_progress(bar, logs, format, coloured(ctx, sys.stderr)) as progress:
            result = check(
                logs,
                ready,
                settings,
                format,
                progress,
                manifest=manifest,
                any_ruleset=any_ruleset,
                strict=strict,
                on_entry=(lambda entry: put(entry_line(entry))) if lines else None,
                engine=cast("Engine", engine),
            )
        match format_:
            case "jsonl":
                put(summary_line(result))
            case "json":
                put(document_text(result))
            case "sarif" | "junit" | "github" | "gitlab" as ci:
                from verifier.report.ci import written as for_ci
                from verifier.report.ci.of_check import of_check

                put(for_ci(of_check(result), ci))
            case _:
                colour = output is None and coloured(ctx, sys.stdout)
                put(text(result, page_width(output), colour))
    return Exit(result.exit_code)
