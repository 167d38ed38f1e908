"""`gazette report`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from verifier.cli.command import Command, color_option, coloured, columns_option, jobs_option, sort_option
from verifier.exits import Exit

if TYPE_CHECKING:
    from verifier.log.sources import Format


@click.command(cls=Command)
@click.argument("logs", nargs=-1, required=True, metavar="LOG…")
@click.option("--rules", "ruleset", required=True, metavar="RULESET", help="What to check against.")
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="The folder to make, or with --single the file. A report that is there is replaced.",
)
@click.option("--single", is_flag=True, help="One file that holds all, for few faults.")
@click.option(
    "--rounds",
    type=click.IntRange(0),
    default=None,
    metavar="N",
    help="Draw at most so many rounds.  [default: the round of every fault]",
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="OPTION=VALUE",
    help="State an option that the log leaves unstated; may be repeated.",
)
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
@columns_option
@sort_option
@click.option("--any-ruleset", is_flag=True, help="Take logs that were kept under another ruleset's name.")
@click.option("--strict", is_flag=True, help="Exit with 3 also for what a log declares not recorded.")
@jobs_option
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors; the exit code tells.")
@click.option("--no-progress", is_flag=True, help="Show no progress bar.")
@color_option
@click.pass_context
def command(
    ctx: click.Context,
    logs: tuple[str, ...],
    ruleset: str,
    output: Path,
    single: bool,
    rounds: int | None,
    settings: tuple[str, ...],
    log_format: str,
    manifest: str | None,
    columns: str | None,
    sort: bool,
    any_ruleset: bool,
    strict: bool,
    jobs: int,
    quiet: bool,
    no_progress: bool,
) -> Exit:
    """Check game logs and write a report to read.

    It is for a browser and for paper. Checks as gazette check does, with the same exit codes, and writes pages: the
    answer, the clauses of the law with their verdicts, and the faults, each with the round drawn as it was played. The
    pages are static and ask nothing of any network. Beside them stand all faults as CSV and Parquet.
    """
    from verifier.check.engine import prepare
    from verifier.cli.files import made_folder, written
    from verifier.cli.progress import shown_progress
    from verifier.report.html import check as pages

    ready = prepare(ruleset)
    format = cast("Format | None", None if log_format == "auto" else log_format)
    request = pages.Request(logs, ruleset, settings, format, manifest, any_ruleset, strict, columns, sort)
    bar = sys.stderr.isatty() and not (quiet or no_progress)
    with shown_progress(bar, logs, format, coloured(ctx, sys.stderr)) as progress:
        if single:
            text, result = pages.single(request, ready, progress, rounds, jobs)
            with written(output) as stream:
                stream.write(text)
        else:
            with made_folder(output, pages.MARKER) as into:
                result = pages.folder(request, ready, into, progress, rounds, jobs)
    if not quiet:
        from verifier.errors import escaped
        from verifier.report.html.front import answer

        print(f"{answer(result)} {escaped(str(output if single else output / 'index.html'))}")
    return Exit(result.exit_code)
