"""`gazette simulate`."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from verifier.cli.command import Command, color_option, coloured, format_option
from verifier.errors import Problem, RequestError
from verifier.exits import Exit

if TYPE_CHECKING:
    from verifier.log.write_arrow import Kind
    from verifier.simulate.simulate import Simulated


class Simulate(Command):
    """A command that also writes what goes beside its log: the manifest, and the key that is not named."""

    def implied(self, ctx: click.Context) -> Sequence[Path]:
        """The manifest of CSV and Parquet, and the key where faults are planted."""
        from verifier.log.manifest import manifests
        from verifier.log.sources import format_of

        output: Path = ctx.params["output"]
        places: list[Path] = []
        if format_of(output.name) in ("csv", "parquet"):
            places.append(manifests(output)[0])
        if ctx.params["faults"] and ctx.params["key"] is None:
            places.append(_key_beside(output))
        return places


@click.command(cls=Simulate)
@click.argument("ruleset", metavar="RULESET")
@click.option("--rounds", type=click.IntRange(1, 10**9), required=True, metavar="N", help="How many rounds.")
@click.option(
    "--seed",
    type=click.IntRange(0, 2**63 - 1),
    default=0,
    show_default=True,
    metavar="S",
    help="Another seed, another log.",
)
@click.option(
    "--faults",
    type=click.FloatRange(0, 1),
    default=0.0,
    show_default=True,
    metavar="RATE",
    help="How likely a round is to have a fault planted, from 0 to 1.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    metavar="FILE",
    help="The log: .jsonl, .csv (both also .gz or .zst) or .parquet. CSV and Parquet get a manifest beside it.",
)
@click.option(
    "--key",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="What was planted where, JSON Lines.  [default: FILE.key where there are faults; a FILE.key of a log that was "
    "there before goes with it]",
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="OPTION=VALUE",
    help="State an option; those left out are chosen. May be repeated.",
)
@click.option(
    "--habits",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="How people behave (YAML).  [default: what comes with the ruleset]",
)
@click.option(
    "--distinct",
    type=click.IntRange(1, 10**6),
    default=400,
    show_default=True,
    metavar="N",
    help="How many different rounds are played; a longer log strings them together anew.",
)
@click.option(
    "--per-table",
    type=click.IntRange(1, 10**6),
    default=1000,
    show_default=True,
    metavar="N",
    help="How many rounds are played at a table at most.",
)
@click.option("--no-times", is_flag=True, help="Write no times; the header says that they are missing.")
@click.option(
    "--jobs", type=click.IntRange(1, 64), metavar="N", help="Processes that play.  [default: one a core]"
)
@format_option("text", "json")
@click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
@click.option("--no-progress", is_flag=True, help="Show no progress bar.")
@color_option
@click.pass_context
def command(
    ctx: click.Context,
    ruleset: str,
    rounds: int,
    seed: int,
    faults: float,
    output: Path,
    key: Path | None,
    settings: tuple[str, ...],
    habits: Path | None,
    distinct: int,
    per_table: int,
    no_times: bool,
    jobs: int | None,
    format_: str,
    quiet: bool,
    no_progress: bool,
) -> Exit:
    """Make a log of lawful play, with faults planted in it.

    Events are chosen among those that the rules permit or demand; options that are not stated are chosen, and stand in
    the header. Faults are rows edited afterwards without asking whether they break a rule: another value, amount or
    actor, two rows in the other order, a row left out or doubled. The same request writes the same file.
    """
    from verifier.check.engine import prepare
    from verifier.cli.progress import obligations_shown
    from verifier.simulate.simulate import simulate

    ready = prepare(ruleset)
    beside = _key_beside(output)
    old = beside.is_file() and _is_key(beside)
    if key is None and faults:
        if beside.exists() and not old:
            raise RequestError(
                Problem(
                    "there is something else where the key would be written",
                    str(beside),
                    code="output-in-the-way",
                    help="name another file for it (--key FILE)",
                )
            )
        key = beside
    start = time.perf_counter()
    bar = sys.stderr.isatty() and not (quiet or no_progress)
    with obligations_shown(bar, coloured(ctx, sys.stderr)) as (report, _):
        made = simulate(
            ready,
            output,
            rounds,
            seed=seed,
            faults=faults,
            kind=cast("Kind | None", None),
            key=key,
            options=settings,
            habits=habits,
            distinct=distinct,
            per_table=per_table,
            times=not no_times,
            jobs=jobs or os.cpu_count() or 1,
            on_progress=report,
        )
    stale = old and (key is None or not (key.exists() and os.path.samefile(key, beside)))
    if stale:
        beside.unlink(missing_ok=True)
    if not quiet:
        text = _text(made, time.perf_counter() - start, beside if stale else None)
        click.echo(_json(made) if format_ == "json" else text, nl=False)
    return Exit.HOLDS


def _key_beside(log: Path) -> Path:
    from verifier.log.sources import KEY

    return log.with_name(log.name + KEY)


def _is_key(path: Path) -> bool:
    from verifier.simulate.faults import is_key

    try:
        return is_key(path)
    except OSError:
        return False


def _text(made: Simulated, seconds: float, gone: Path | None) -> str:
    lines = [
        f"{made.path}: {made.rounds:,} rounds ({made.distinct:,} different ones) at "
        f"{made.tables:,} table{'' if made.tables == 1 else 's'}, {made.rows:,} rows",
        "options: "
        + (", ".join(f"{name}={_shown(value)}" for name, value in made.options.items()) or "none"),
    ]
    lines += [f"{life}: {count:,} logs beside the tables" for life, count in made.beside.items()]
    if made.planted:
        ways = ", ".join(f"{way} {count:,}" for way, count in sorted(made.planted.items()))
        lines.append(f"planted {sum(made.planted.values()):,} faults: {ways}")
    if gone is not None:
        lines.append(f"{gone}, the key of the log that was there before, was removed with it")
    lines.append(f"{seconds:.1f} s, {made.rounds / max(seconds, 1e-9):,.0f} rounds a second")
    return "\n".join(lines) + "\n"


def _shown(value: object) -> str:
    return {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)


def _json(made: Simulated) -> str:
    import json
    from dataclasses import asdict

    return json.dumps(asdict(made), ensure_ascii=False, indent=2) + "\n"
