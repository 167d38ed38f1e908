"""`gazette check`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from verifier.cli.command import (
    MOST_JOBS,
    Command,
    color_option,
    coloured,
    columns_option,
    format_option,
    output_option,
    page_width,
    processors,
    progress_option,
    quiet_option,
    show_error,
    sort_option,
)
from verifier.exits import Exit

if TYPE_CHECKING:
    from collections.abc import Callable

    from verifier.check.engine import Engine
    from verifier.check.result import Entry
    from verifier.log.sources import Format


@click.command(cls=Command)
@click.argument("logs", nargs=-1, metavar="LOG…")
@click.option("--rules", "ruleset", metavar="RULESET", help="What to check against.  [required]")
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="OPTION=VALUE",
    help="State an option that the log leaves unstated; may be repeated.",
)
@format_option("text", "json", "jsonl", "html", "sarif", "junit", "github", "gitlab")
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
@columns_option
@sort_option
@click.option("--query", metavar="SQL", help="Check what a DuckDB query gives; its header is in --manifest.")
@click.option(
    "--database",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="The DuckDB database that the query asks.  [default: none; the query names files]",
)
@click.option(
    "--verdicts",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Also write the faults as a Parquet table, a row for each rule that one cites.",
)
@click.option("--any-ruleset", is_flag=True, help="Take logs that were kept under another ruleset's name.")
@click.option("--strict", is_flag=True, help="Exit with 3 also for what a log declares not recorded.")
@click.option(
    "--engine",
    type=click.Choice(["auto", "explain", "bulk"]),
    default="auto",
    show_default=True,
    help="Who judges: the interpreter everything (explain), or the compiled rules, and the interpreter the rounds "
    "that they mark (bulk); auto compiles the rules where the logs are large, or turn out to be. A log whose header "
    "leaves out some order, or the key of a life, is the interpreter's either way.",
)
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(1, MOST_JOBS),
    metavar="N",
    help="How many processes: of a large log (a file, a table of a database, what a query gives) each judges some of "
    "the tables; with --format html they draw rounds.  [default: one for each processor]",
)
@quiet_option
@progress_option
@color_option
@click.pass_context
def command(
    ctx: click.Context,
    logs: tuple[str, ...],
    ruleset: str | None,
    settings: tuple[str, ...],
    format_: str,
    output: Path | None,
    log_format: str,
    manifest: str | None,
    columns: str | None,
    sort: bool,
    query: str | None,
    database: str | None,
    verdicts: Path | None,
    any_ruleset: bool,
    strict: bool,
    engine: str,
    jobs: int | None,
    quiet: bool,
    no_progress: bool,
) -> Exit:
    """Check game logs against a ruleset.

    LOG is a file (JSON Lines, CSV or Parquet, also as .gz or .zst, or a YAML transcript), a folder of such
    files, a pattern (quoted), a table as duckdb:FILE:TABLE, or - for standard input. Every event is judged; each
    fault is shown with the clause it breaks, what was required, what was logged, and the money. A malformed log is
    refused whole.
    """
    from contextlib import ExitStack

    from verifier.check.engine import check, prepare
    from verifier.cli.files import written
    from verifier.cli.progress import shown_progress
    from verifier.report.json import document_text, entry_line, summary_line
    from verifier.report.text import text

    if not logs and query is None:
        raise click.UsageError("name a log, a folder, or a --query")
    if ruleset is None:
        raise click.UsageError(
            "name the law to check against, as --rules RULESET: `gazette rules` lists what is shipped, "
            "and a log's first line names what it was kept under"
        )
    if database is not None and query is None:
        raise click.UsageError("--database goes with --query; a table of one is named duckdb:FILE:TABLE")
    if format_ == "html" and (query is not None or verdicts is not None):
        raise click.UsageError(
            "--format html goes without --query and --verdicts: it reads its logs twice, and gazette report "
            "writes all faults as a table"
        )
    if format_ == "html" and engine == "bulk":
        raise click.UsageError(
            "--format html goes without --engine bulk: its pages explain, which the interpreter does"
        )
    ready = prepare(ruleset)
    format = cast("Format | None", None if log_format == "auto" else log_format)
    lines = format_ == "jsonl"
    bar = sys.stderr.isatty() and not (
        quiet or no_progress or (lines and output is None and sys.stdout.isatty())
    )

    with written(output) as stream:

        def put(words: str) -> None:
            if output is not None or not quiet:
                stream.write(words)

        with shown_progress(bar, logs, format, coloured(ctx, sys.stderr)) as progress, ExitStack() as closing:
            if format_ == "html":
                from verifier.report.html import check as pages

                request = pages.Request(
                    logs, ruleset, settings, format, manifest, any_ruleset, strict, columns, sort
                )
                document, result = pages.single(request, ready, progress, jobs=jobs or processors())
                put(document)
                return Exit(result.exit_code)
            takers: list[Callable[[Entry], None]] = []
            if lines:
                takers.append(lambda entry: put(entry_line(entry)))
            if verdicts is not None:
                from verifier.report.verdicts import Verdicts

                takers.append(closing.enter_context(Verdicts(verdicts, ready.binding.schema)).put)

            def take(entry: Entry) -> None:
                for taker in takers:
                    taker(entry)

            result = check(
                logs,
                ready,
                settings,
                format,
                progress,
                manifest=manifest,
                any_ruleset=any_ruleset,
                strict=strict,
                on_entry=take if takers else None,
                columns=columns,
                sort=sort,
                query=query,
                database=database,
                engine=cast("Engine", engine),
                jobs=jobs or processors(),
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
    if result.disagreements:
        from verifier.errors import InternalError, Problem
        from verifier.report.lines import count
        from verifier.report.text import OUR_FAULT

        first, *rest = result.disagreements
        more = f"; and at {count(len(rest), 'other place')}" if rest else ""
        problem = Problem(f"{OUR_FAULT} {first}{more}", code="engines-disagree")
        show_error(InternalError(problem), coloured(ctx, sys.stderr))
    return Exit(result.exit_code)
