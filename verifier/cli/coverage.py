"""`gazette coverage`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from verifier.cli.command import (
    Command,
    color_option,
    coloured,
    format_option,
    output_option,
    page_width,
    quiet_option,
    transcripts_option,
)
from verifier.exits import Exit


@click.command(cls=Command)
@click.argument("rulesets", nargs=-1, required=True, metavar="RULESET…")
@transcripts_option
@click.option(
    "--rounds",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="What gazette generate --format json wrote of the ruleset: its rounds count beside the transcripts.",
)
@click.option(
    "--proof",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="What gazette prove --format json wrote of the ruleset.",
)
@click.option(
    "--mutants",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="What gazette mutate --format json wrote of the ruleset.",
)
@click.option(
    "--require",
    type=click.Choice(["formalised", "proved", "exercised", "killed"]),
    multiple=True,
    help="Which level --fail-under is about; may be repeated. Without --fail-under: 100 per cent of it."
    "  [default: formalised]",
)
@click.option(
    "--fail-under",
    type=click.IntRange(0, 100),
    default=None,
    metavar="N",
    help="Exit with 1 where less than N per cent reaches the level; nothing is rounded up.",
)
@format_option("text", "json", "lcov", "html", "sarif", "junit", "github", "gitlab")
@output_option
@quiet_option
@color_option
@click.pass_context
def command(
    ctx: click.Context,
    rulesets: tuple[str, ...],
    transcripts: tuple[Path, ...],
    rounds: Path | None,
    proof: Path | None,
    mutants: Path | None,
    require: tuple[str, ...],
    fail_under: int | None,
    format_: str,
    output: Path | None,
    quiet: bool,
) -> Exit:
    """Show how much of the law its rules say, and what looks after them.

    Every word of the law is formalised, declared to be nothing that can be checked, or missing: missing words are
    shown in their clause. Every rule is proved over, exercised by transcripts or made rounds (kept and broken), and its
    mutants are noticed, as far as there is evidence: the transcripts, the rounds, a proof, the mutants. Why something
    is shown by no transcript NAME.unshown.yaml says, beside the rules.
    """
    from verifier.check.engine import prepare
    from verifier.cli.files import written
    from verifier.coverage.measure import LEVELS, measure
    from verifier.coverage.measure import require as share_of
    from verifier.errors import Problem, RequestError
    from verifier.report import coverage_html, coverage_json, coverage_lcov, coverage_text

    if len(rulesets) > 1 and not (proof is None and mutants is None and rounds is None):
        raise RequestError(
            Problem(
                "a proof, mutants, or made rounds, are of one ruleset",
                code="evidence-of-many",
                help="ask for each ruleset by itself",
            )
        )
    levels = [level for level in LEVELS if level in (require or ("formalised",))]
    least = 100 if require and fail_under is None else fail_under
    prepared = list({(r.ruleset.name, r.ruleset.digest): r for r in map(prepare, rulesets)}.values())
    names = [ready.ruleset.name for ready in prepared]
    coverages = [
        measure(ready, transcripts, proof=proof, mutants=mutants, rounds=rounds, others=names)
        for ready in prepared
    ]
    shares = {level: share_of(coverages, level) for level in levels}
    fails = [level for level in levels if least is not None and not shares[level].reaches(least)]
    with written(output) as stream:
        if output is not None or not quiet:
            match format_:
                case "json":
                    stream.write(coverage_json.document_text(coverages))
                case "lcov":
                    stream.write(coverage_lcov.text(coverages))
                case "html":
                    stream.write(coverage_html.text(coverages))
                case "sarif" | "junit" | "github" | "gitlab" as ci:
                    from verifier.report.ci import written as for_ci
                    from verifier.report.ci.of_coverage import of_coverage

                    stream.write(for_ci(of_coverage(coverages), ci))
                case _:
                    colour = output is None and coloured(ctx, sys.stdout)
                    stream.write(coverage_text.text(coverages, page_width(output), colour))
    for level in fails if not quiet else ():
        told = coverage_text.share_words(shares[level], coverage_text.noun_of(level, coverages))
        print(f"{level}: {told}, where {least} % are required", file=sys.stderr)
    return Exit.BROKEN if fails else Exit.HOLDS
