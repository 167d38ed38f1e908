"""`gazette diff`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from verifier.cli.command import (
    Command,
    color_option,
    coloured,
    format_option,
    jobs_option,
    output_option,
    page_width,
)
from verifier.errors import Problem, RequestError
from verifier.exits import Exit


@click.command(cls=Command)
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@click.option(
    "--log",
    "logs",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="LOG",
    help="Judge the log under both, and show the rounds whose verdict or money changes. May be repeated.",
)
@click.option(
    "--same",
    multiple=True,
    metavar="OLD=NEW",
    help="Take what the old ruleset calls OLD and the new one NEW for one thing: an event, a decision, an option, an "
    "actor, a state, a part (ENTITY.OLD=ENTITY.NEW), a value (ENUMERATION.OLD=ENUMERATION.NEW). The page says that it "
    "was stated. May be repeated.",
)
@format_option("text", "json", "markdown", "html")
@output_option
@click.option(
    "--check-report",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Compare nothing; exit with 1 if FILE, as --format markdown writes it, is not of these laws, rulesets and "
    "this version.",
)
@click.option("--no-cache", is_flag=True, help="Ask the solvers everything anew, and keep no answers.")
@click.option("--no-progress", is_flag=True, help="Show no progress.")
@jobs_option
@color_option
@click.pass_context
def command(
    ctx: click.Context,
    old: str,
    new: str,
    logs: tuple[Path, ...],
    same: tuple[str, ...],
    format_: str,
    output: Path | None,
    check_report: Path | None,
    no_cache: bool,
    no_progress: bool,
    jobs: int,
) -> Exit:
    """Show what changed between two rulesets and their laws.

    OLD and NEW are rulesets as RULESET is elsewhere. Each decision that both answer is proved the same, or every
    region in which it differs is told in the clauses' own conditions, proved, with an example, the money and how
    often. Then duties, permissions and options; then the clauses, aligned by their words and place.

    Exits with 0 where both mean the same, 1 where they differ, 3 where something stays open, 4 where the solvers
    contradict each other.
    """
    from verifier.cli.files import written
    from verifier.diff.whole import compare
    from verifier.model.load import load
    from verifier.prove.whole import settings
    from verifier.report.diff_json import to_json
    from verifier.report.diff_markdown import page
    from verifier.report.diff_text import text

    if check_report is not None:
        return _check_report(check_report, old, new, same)
    shown = sys.stderr.isatty() and not no_progress

    def progress(what: str) -> None:
        if shown:
            print(f"\r\x1b[Kcomparing {what}", end="", file=sys.stderr, flush=True)

    whole = compare(load(old), load(new), settings("both", None, no_cache), progress, logs, jobs, same)
    if shown:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    code = whole.exit
    with written(output) as stream:
        match format_:
            case "json":
                stream.write(to_json(whole, code))
            case "markdown":
                stream.write(page(whole))
            case "html":
                from verifier.report.html.diff import text as pages

                stream.write(pages(whole, code, logs))
            case _:
                colour = output is None and coloured(ctx, sys.stdout)
                stream.write(text(whole, page_width(output), colour))
    return code


def _check_report(path: Path, old: str, new: str, same: Sequence[str]) -> Exit:
    from verifier.diff.stated import stated
    from verifier.model.load import load
    from verifier.report.diff_markdown import stale

    names = "".join(f" --same {one}" for one in same)
    again = f"gazette diff {old} {new}{names} --format markdown --output {path}"
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else None
        raise RequestError(
            Problem(
                f"cannot read the report: {(why or 'it is not UTF-8').lower()}",
                str(path),
                code="no-report",
                help=f"write it: {again}",
            )
        ) from None
    first, second = load(old), load(new)
    reasons = stale(text, first, second, stated(first, second, same))
    for reason in reasons:
        print(f"{path} is stale: {reason}", file=sys.stderr)
    if reasons:
        print(f"  = help: write it anew: {again}", file=sys.stderr)
    return Exit.BROKEN if reasons else Exit.HOLDS
