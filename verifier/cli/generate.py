"""`gazette generate`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from verifier.cli.command import Command, color_option, coloured, format_option, output_option, page_width
from verifier.errors import Problem, RequestError
from verifier.exits import Exit


@click.command(cls=Command)
@click.argument("ruleset")
@click.option(
    "--cover",
    type=click.Choice(["clauses"]),
    default="clauses",
    show_default=True,
    help="What the rounds must show between them: every rule of every clause, kept and broken.",
)
@click.option(
    "-w",
    "--write-transcripts",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write each round into DIR as a transcript that says what a check of it finds.",
)
@click.option(
    "--steps",
    type=click.IntRange(1, 1_000_000),
    default=None,
    metavar="N",
    help="Play N events before anything is looked for on purpose.  [default: 4000]",
)
@click.option(
    "--plays",
    multiple=True,
    metavar="PATH",
    help="Logs or transcripts whose plays are looked at before any is searched for: files, or folders of them. May "
    "be repeated.",
)
@click.option(
    "--write-found",
    is_flag=True,
    help="Keep beside the ruleset (NAME.rounds.jsonl) rounds of what is not come upon without --plays before anything "
    "is looked for on purpose: next time they are there without.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Play otherwise.")
@format_option("text", "json")
@output_option
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors; the exit code tells.")
@click.option("--no-progress", is_flag=True, help="Show no progress bar.")
@click.option("--no-cache", is_flag=True, help="Ask solvers everything anew, and keep nothing.")
@color_option
@click.pass_context
def command(
    ctx: click.Context,
    ruleset: str,
    cover: str,
    folder: Path | None,
    steps: int | None,
    plays: tuple[str, ...],
    write_found: bool,
    seed: int,
    format_: str,
    output: Path | None,
    quiet: bool,
    no_progress: bool,
    no_cache: bool,
) -> Exit:
    """Make rounds that show every rule kept, and every rule broken.

    A few whole lawful rounds exercise between them every rule that can be; for each rule that can be broken there
    is a round in which one event breaks it, after another fault where that must be. Whatever is to be tested against
    the rules can be tested with them. What no round shows is listed: with a proof that none can; as at work beside
    something else only, with the round and an induction that has it in no lawful play; or as open, and the exit code
    is then 3. The same ruleset, plays, steps and seed give the same rounds.
    """
    from verifier.check.engine import prepare
    from verifier.cli.files import written
    from verifier.cli.progress import obligations_shown
    from verifier.generate.files import keep
    from verifier.generate.generate import STEPS, generate, lacking
    from verifier.generate.handed import rounds_text
    from verifier.prove.found import ROUNDS, beside
    from verifier.prove.told import told
    from verifier.prove.whole import settings
    from verifier.report.generate_json import document_text
    from verifier.report.generate_text import text

    if write_found and not plays:
        raise RequestError(
            Problem("what is kept are rounds that plays lead to", code="found-plays", help="add --plays")
        )
    ready = prepare(ruleset)
    people = told(ready, plays) if plays else None
    bar = sys.stderr.isatty() and not (quiet or no_progress)
    with written(output) as stream:
        with obligations_shown(bar, coloured(ctx, sys.stderr)) as (progress, _):
            asked = settings("both", None, no_cache)
            steps = steps or STEPS
            without = (
                lacking(ready, asked, steps=steps, seed=seed, on_progress=progress) if write_found else None
            )
            made = generate(ready, asked, steps=steps, seed=seed, told=people, on_progress=progress)
            while without is not None:
                _keep(beside(ready.ruleset, ROUNDS), rounds_text(ready, without, made))
                # What is kept shortens play by habit, which then no longer comes upon all that it did.
                again = lacking(ready, asked, steps=steps, seed=seed, rounds=True, on_progress=progress)
                without = without | again if again - without else None
        if folder is not None:
            every = (*made.lawful, *made.faulty, *made.beside)
            keep(folder, made.ruleset.name, ((one.name, one.text) for one in every))
        if output is not None or not quiet:
            stream.write(document_text(made) if format_ == "json" else text(made, page_width(output)))
    return made.exit_code


def _keep(place: Path | None, rounds: str | None) -> None:
    """Write the file beside the ruleset, or take it away where no round is to be kept."""
    from verifier.cli.files import written

    if rounds is not None:
        with written(place) as kept:
            kept.write(rounds)
    elif place is not None:
        place.unlink(missing_ok=True)
