"""`gazette mutate`."""

from __future__ import annotations

import json
import sys
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
    progress_option,
    quiet_option,
    transcripts_option,
)
from verifier.exits import Exit


@click.command(cls=Command)
@click.argument("ruleset")
@transcripts_option
@click.option(
    "--only",
    multiple=True,
    metavar="PATTERN",
    help="Try only what PATTERN names: a mutant, a kind such as limb, or a rule; * is any text. May be repeated.",
)
@click.option(
    "--reasons",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Why mutants may survive: YAML, from their ids to the reasons.  [default: NAME.mutants.yaml beside the rules]",
)
@click.option(
    "--prove",
    is_flag=True,
    help="Ask Z3 and cvc5 of what no transcript kills: is it proved to change nothing, or refuted by an obligation?",
)
@click.option(
    "-w",
    "--write-transcripts",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Look for a round that would kill each survivor, and write them into DIR. Implies --prove.",
)
@click.option(
    "--by",
    type=click.Choice(["transcripts", "theorems"]),
    default="transcripts",
    show_default=True,
    help="What mutants are held against. theorems: which obligation of gazette prove catches which of them.",
)
@click.option(
    "--report",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="With --by theorems: write the whole list, a line for each mutant, as YAML.",
)
@jobs_option
@format_option("text", "json")
@output_option
@click.option("--no-cache", is_flag=True, help="Try everything anew, and keep nothing.")
@quiet_option
@progress_option
@color_option
@click.pass_context
def command(
    ctx: click.Context,
    ruleset: str,
    transcripts: tuple[Path, ...],
    only: tuple[str, ...],
    reasons: Path | None,
    prove: bool,
    folder: Path | None,
    by: str,
    report: Path | None,
    jobs: int,
    format_: str,
    output: Path | None,
    no_cache: bool,
    quiet: bool,
    no_progress: bool,
) -> Exit:
    """Change rules in small ways, and list what no test notices.

    A comparison, a bound, a constant, odds, a range, a part of a condition, an exception, a rule, a label: each is
    changed by itself. A mutant is killed where a transcript finds something else than it expects or, where no rule
    reads what is changed, where a theorem fails in a state that a transcript leads to. What survives is shown with its
    place and the change, with --write-transcripts also with a round that would kill it; the exit code is then 1. What
    was found is kept, so that a run that was broken off goes on where it stopped.

    With --by theorems it is told instead how many mutants theorems and other obligations catch, by plays in the
    transcripts and by proof. Which catches which, and why nothing does, stands in the list that --report writes, and
    in --format json. The exit code is 0.
    """
    from verifier.cache import Cache, directory
    from verifier.check.engine import Prepared
    from verifier.cli.files import written
    from verifier.cli.progress import obligations_shown
    from verifier.mutate.files import keep_witnesses
    from verifier.mutate.run import mutate
    from verifier.mutate.trial import Prover
    from verifier.report.mutate_json import document_text
    from verifier.report.mutate_text import text

    place = None if no_cache else directory()
    bar = sys.stderr.isatty() and not (quiet or no_progress)
    if by == "theorems":
        _told_apart(
            prove or folder is not None or reasons is not None, "--prove, -w and --reasons", "transcripts"
        )
        from verifier.mutate.catching import catching
        from verifier.report.caught import document, listed
        from verifier.report.caught import text as short

        with written(output) as stream, written(report) as kept:
            with obligations_shown(bar, coloured(ctx, sys.stderr)) as (progress, _):
                result = catching(
                    ruleset,
                    transcripts,
                    only=only,
                    jobs=jobs,
                    cache=None if place is None else Cache(place),
                    on_progress=progress,
                )
            if report is not None:
                kept.write(listed(result))
            if output is not None or not quiet:
                shown = json.dumps(document(result), ensure_ascii=False, indent=1) + "\n"
                stream.write(shown if format_ == "json" else short(result, page_width(output)))
        return Exit.HOLDS
    _told_apart(report is not None, "--report", "theorems")

    def prover(ready: Prepared) -> Prover:
        from verifier.mutate.prover import prover as made
        from verifier.prove.whole import settings

        return made(ready, settings("both", None, no_cache), folder is not None)

    with written(output) as stream:
        with obligations_shown(bar, coloured(ctx, sys.stderr)) as (progress, _):
            mutation = mutate(
                ruleset,
                transcripts,
                only=only,
                jobs=jobs,
                prover=prover if prove or folder is not None else None,
                cache=None if place is None else Cache(place),
                reasons=reasons,
                on_progress=progress,
            )
        if folder is not None:
            keep_witnesses(folder, mutation)
        if output is not None or not quiet:
            if format_ == "json":
                stream.write(document_text(mutation))
            else:
                stream.write(text(mutation, page_width(output), sought=folder is not None))
    return mutation.exit_code


def _told_apart(given: bool, options: str, by: str) -> None:
    if given:
        raise click.UsageError(f"{options} go with --by {by} only.")
