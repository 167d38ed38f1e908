"""`gazette prove`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

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
    show_error,
)
from verifier.errors import Problem, RequestError, RuleTextError
from verifier.exits import Exit

if TYPE_CHECKING:
    from verifier.core.program import Program
    from verifier.prove.found import Found
    from verifier.prove.prove import OnProgress, OnResult, Proof, Result
    from verifier.prove.told import Told
    from verifier.report.prove_text import Lines

STDOUT = "-"
HEAD = b"<!-- gazette-report "
"""How a report begins."""


@click.command(cls=Command)
@click.argument("ruleset")
@click.option(
    "--only",
    multiple=True,
    metavar="PATTERN",
    help="Prove only what PATTERN names: an obligation, a kind such as conflict, or a rule; * is any text. "
    "May be repeated.",
)
@format_option("text", "json", "html", "sarif", "junit", "github", "gitlab")
@output_option
@click.option(
    "--report",
    is_flag=False,
    flag_value=STDOUT,
    default=None,
    metavar="[FILE]",
    help="Write the report to publish, as Markdown: to FILE, else in place of the text.",
)
@click.option(
    "--check-report",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Prove nothing; exit with 1 if the report FILE is not of this law, ruleset and version.",
)
@click.option(
    "--scope",
    multiple=True,
    metavar="NAME=…",
    help="Look at so many ids of a type (Guest=2) or elements of a list (Hook.articles=3), or at these values "
    "of a range or an enumeration (Peg=1,2). May be repeated.  [default: chosen from the rules]",
)
@click.option(
    "--solver",
    type=click.Choice(["both", "z3", "cvc5"]),
    default="both",
    show_default=True,
    help="Which solver answers; both must agree.",
)
@click.option(
    "--smt2",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write every obligation, and each question asked for it, into DIR as a file of SMT-LIB that any solver reads.",
)
@jobs_option
@click.option("--no-cache", is_flag=True, help="Ask the solvers everything anew, and keep no answers.")
@click.option(
    "--afresh",
    is_flag=True,
    help="Look for everything anew, not first at what is kept beside the ruleset (NAME.found.jsonl, and "
    "NAME.rounds.jsonl).",
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
    help="Keep beside the ruleset what was found (plays, invariants) or looked for in vain: the next proof, on any "
    "machine, looks there first.",
)
@click.option("--timings", is_flag=True, help="Name the ten obligations that took longest.")
@quiet_option
@progress_option
@color_option
@click.pass_context
def command(
    ctx: click.Context,
    ruleset: str,
    only: tuple[str, ...],
    format_: str,
    output: Path | None,
    report: str | None,
    check_report: Path | None,
    scope: tuple[str, ...],
    solver: str,
    smt2: Path | None,
    jobs: int,
    no_cache: bool,
    afresh: bool,
    plays: tuple[str, ...],
    write_found: bool,
    timings: bool,
    quiet: bool,
    no_progress: bool,
) -> Exit:
    """Prove what must hold of a ruleset in every course of play.

    Every decision has one answer and only one; every rule can apply and matters; no duty is forbidden; the law's
    references lead somewhere; and the theorems that stand beside the ruleset. What fails is a finding, shown with
    its clauses and a course of play that leads there. The ruleset accepts it with a line
    accepted finding NAME "reason".
    """
    from verifier.check.engine import prepare
    from verifier.cli.files import written
    from verifier.cli.progress import obligations_shown
    from verifier.prove import found
    from verifier.prove.prove import about
    from verifier.prove.told import MOST_ASKED, told
    from verifier.report.prove_text import Lines, opening

    if check_report is not None:
        return _check_report(check_report, ruleset)
    page = report == STDOUT
    _agree(report, only, scope, solver, format_)
    _whole(write_found, only, scope)
    ready = prepare(ruleset)
    program = ready.program
    begun = told(ready, plays, MOST_ASKED) if plays else None
    kept = None if afresh else found.kept(program.ruleset)
    rounds = None if afresh else found.kept(program.ruleset, found.ROUNDS)
    texts: list[str] = []
    width = page_width(output)
    lines = format_ == "text" and not page and (output is not None or not quiet)
    bar = sys.stderr.isatty() and not (quiet or no_progress)
    shown = Lines(output is None and coloured(ctx, sys.stdout))
    with written(output) as stream:

        def put(words: str) -> None:
            if output is not None or not quiet:
                stream.write(words)

        head = [opening(about(program.ruleset), width)] if lines else []
        with obligations_shown(bar, coloured(ctx, sys.stderr)) as (progress, aside):

            def line(result: Result) -> None:
                with aside():
                    put("".join(head) + shown.line(result))
                    stream.flush()
                head.clear()

            proof = _proved(
                program,
                only,
                scope,
                solver,
                smt2,
                jobs,
                no_cache,
                kept,
                begun,
                rounds,
                texts.append if write_found else None,
                line if lines else None,
                progress,
            )
        if format_ == "html":
            from verifier.report.html.prove import text as html_page

            put(html_page(proof, smt2, output))
        else:
            put("".join(head) + _written(proof, format_, page, shown, width, timings))
    if report is not None and not page:
        from verifier.report.prove_page import page as report_page

        with written(Path(report)) as stream:
            stream.write(report_page(proof))
    for text in texts:
        with written(found.beside(program.ruleset)) as stream:
            stream.write(text)
    if proof.errors:
        show_error(RuleTextError(*proof.errors), coloured(ctx, sys.stderr))
    return Exit(proof.exit_code)


def _proved(
    program: Program,
    only: tuple[str, ...],
    scope: tuple[str, ...],
    solver: str,
    smt2: Path | None,
    jobs: int,
    no_cache: bool,
    found: Found | None,
    told: Told | None,
    rounds: Found | None,
    on_found: Callable[[str], None] | None,
    on_result: OnResult | None,
    on_progress: OnProgress,
) -> Proof:
    from verifier.prove.whole import prove_whole, settings

    return prove_whole(
        program,
        settings(solver, smt2, no_cache),
        only=only,
        scope=scope,
        jobs=jobs,
        found=found,
        told=told,
        rounds=rounds,
        on_found=on_found,
        on_result=on_result,
        on_progress=on_progress,
    )


def _written(proof: Proof, format_: str, page: bool, shown: Lines, width: int, timings: bool) -> str:
    """What is printed once all is decided."""
    if page:
        from verifier.report.prove_page import page as report_page

        return report_page(proof)
    if format_ == "json":
        from verifier.report.prove_json import document_text

        return document_text(proof)
    match format_:
        case "sarif" | "junit" | "github" | "gitlab" as ci:
            from verifier.report.ci import written as for_ci
            from verifier.report.ci.of_proof import of_proof

            return for_ci(of_proof(proof), ci)
        case _:
            pass
    from verifier.report.prove_text import closing

    return closing(proof, shown, width, timings)


def _agree(
    report: str | None, only: tuple[str, ...], scope: tuple[str, ...], solver: str, format_: str
) -> None:
    """Refuses options that do not go together, and a FILE for the report that holds something else."""
    if report is None:
        return
    if only:
        raise _wrong("a report is of the whole ruleset", "report-only", "leave out --only, or --report")
    if scope:
        raise _wrong(
            "a report is of the scopes that the rules call for",
            "report-scope",
            "leave out --scope, or --report",
        )
    if solver != "both":
        raise _wrong("a report is what every solver says", "report-solver", "leave out --solver, or --report")
    if report == STDOUT and format_ != "text":
        raise _wrong(
            f"the report would take the place of the {format_}", "report-format", "name a file: --report FILE"
        )
    path = Path(report)
    if report != STDOUT and path.is_file():
        with path.open("rb") as file:
            start = file.read(len(HEAD))
        if start and start != HEAD:
            raise _wrong(
                f"{report} is there and is no report",
                "report-over-file",
                "name another file, or remove this one; the ruleset comes before --report",
            )


def _whole(write_found: bool, only: tuple[str, ...], scope: tuple[str, ...]) -> None:
    """Refuses to keep what is found of a part for what is found of the whole."""
    if write_found and (only or scope):
        raise _wrong(
            "what is kept is what was found of the whole ruleset",
            "found-only",
            "leave out --write-found, or --only and --scope",
        )


def _wrong(message: str, code: str, help: str) -> RequestError:
    return RequestError(Problem(message, code=code, help=help))


def _check_report(path: Path, name: str) -> Exit:
    from verifier.model.load import load
    from verifier.report.prove_page import stale

    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else None
        raise RequestError(
            Problem(
                f"cannot read the report: {(why or 'it is not UTF-8').lower()}",
                str(path),
                code="no-report",
                help=f"write it: gazette prove {name} --report {path}",
            )
        ) from None
    reasons = stale(text, load(name))
    for reason in reasons:
        print(f"{path} is stale: {reason}", file=sys.stderr)
    if reasons:
        print(f"  = help: write it anew: gazette prove {name} --report {path}", file=sys.stderr)
    return Exit.BROKEN if reasons else Exit.HOLDS
