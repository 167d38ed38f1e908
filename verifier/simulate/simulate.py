"""A synthetic log of a ruleset, written to a file, with the key of what was planted in it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from verifier.check.engine import Prepared
from verifier.check.options import read_settings
from verifier.errors import Problem, RequestError
from verifier.log.header import Header
from verifier.log.write_arrow import Kind, write_batches
from verifier.model import types as ty
from verifier.prove.explore.settings import Options
from verifier.prove.scope import Scope
from verifier.simulate.chunks import Chunk, Rows, chunks, materialised, rows_of
from verifier.simulate.faults import Planted, Planter
from verifier.simulate.habits import Habits, habits_of
from verifier.simulate.library import Playing, Round, library
from verifier.simulate.setting import options_for, scope_for
from verifier.simulate.walk import one_table, shelved, tables

DISTINCT = 400
"""So many different rounds are played unless asked otherwise; a longer log strings them together anew."""

PLAY = 80
"""A play goes on for at most so many rounds."""

AT_A_TABLE = 1_000
"""So many rounds at most are played at a table."""

TRIED = 8
"""So many settings of the options are tried for one under which a round can be played,"""

ROUNDS_TRIED = 3
"""so many rounds of each where no habits prefer any."""

BESIDE = 200
"""For so many rounds one log of a life beside the tables is written, where one can be played."""

MOST_SEED = 2**63 - 1
"""A seed stands in the header, where whole numbers are of 64 bits."""

MANY = 65_000
"""A log has no more tables than this."""

OPERATOR = "gazette simulate"

Plays = tuple[tuple[Round, ...], ...]

OnProgress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is, and of how much."""


@dataclass(slots=True)
class Simulated:
    """What was made: rounds and rows, how many of the rounds are different ones, and the faults planted, by way."""

    path: str
    rounds: int
    rows: int
    distinct: int
    tables: int
    options: Mapping[str, object]
    seed: int
    planted: dict[str, int] = field(default_factory=dict)
    beside: dict[str, int] = field(default_factory=dict)

    def count(self, rows: int) -> None:
        """Note how many rows have been written."""
        self.rows = rows


def simulate(
    ready: Prepared,
    path: str | os.PathLike[str],
    rounds: int,
    *,
    seed: int = 0,
    faults: float = 0.0,
    kind: Kind | None = None,
    key: str | os.PathLike[str] | None = None,
    options: Mapping[str, object] | Iterable[str] = (),
    habits: Path | None = None,
    distinct: int = DISTINCT,
    per_table: int = AT_A_TABLE,
    times: bool = True,
    currency: str = "XTS",
    jobs: int = 1,
    on_progress: OnProgress | None = None,
) -> Simulated:
    """Plays rounds of the ruleset by its own rules and writes them to `path` as a log; the same for the same seed.

    `kind` is told by the name where it is None. `options` are stated as for a check; those left out are chosen and
    stated in the header. `faults` is how likely a round is to have a fault planted, from 0 to 1; what was planted is
    written to `key`, JSON Lines. `distinct`: so many different rounds are played at most; a longer log strings them
    together anew, wherever the state that one leaves is one that another began in. Raises `RequestError`.
    """
    _within(rounds, seed, faults, distinct, per_table)
    note = on_progress or (lambda what, done, total: None)
    form = kind or _kind_of(Path(path))
    program, schema = ready.program, ready.binding.schema
    own = habits_of(program, habits)
    scope = scope_for(program)
    given = read_settings(program.ruleset, options)
    rng = Random(f"{seed}:options")
    chosen = _playable(ready, options_for(program, scope, own, given, rng), own, scope, seed)
    alone = len(schema.lives) < 2  # a log without tables is one play
    each = min(rounds, distinct) if alone else min(PLAY, per_table, rounds, distinct)
    note("playing", 0, min(rounds, distinct))
    playing = Playing(ready, chosen, own, scope, f"{seed}:tables")
    plays = library(
        playing, min(rounds, distinct), each, jobs, lambda done, total: note("playing", done, total)
    )
    if alone:
        plays = (max(plays, key=len),)
    made = Simulated(os.fspath(path), 0, 0, sum(map(len, plays)), 0, _stated(ready, chosen), seed)
    header = Header(
        OPERATOR,
        program.ruleset.name,
        currency,
        2,
        program.ruleset.digest,
        made.options,
        missing_columns=frozenset() if times else frozenset(("at",)),
        extras={"x_seed": seed},
    )
    day = (program.ruleset.in_force or "2000-01-01")[:10] if times else None
    with _half_written(path, key), _key_file(key) as told:
        streams: list[tuple[Plays, str | None, int, str]] = [(plays, None, rounds, "T")]
        streams += [
            (found, life, -(-rounds // BESIDE), life[:1].upper())
            for life in schema.beside
            if (found := _beside(ready, chosen, life, seed, jobs))
        ]

        def batches() -> Iterator[Any]:
            for played, stream, wanted, prefix in streams:
                yield from _batches(
                    ready, made, played, stream, wanted, prefix, per_table, faults, day, told, note
                )

        write_batches(path, form, schema, header, batches(), made.count)
    return made


def _batches(
    ready: Prepared,
    made: Simulated,
    plays: Plays,
    stream: str | None,
    wanted: int,
    prefix: str,
    per_table: int,
    faults: float,
    day: str | None,
    told: Callable[[Planted], None],
    note: OnProgress,
) -> Iterator[Any]:
    shelf = shelved(plays)
    rows = rows_of(ready.binding.schema, shelf, stream)
    seed = made.seed
    planter = Planter(rows, faults, Random(f"{seed}:{prefix}:faults"), prefix)
    rng = Random(f"{seed}:{prefix}:walk")
    walks: Iterable[tuple[int, ...]]
    if len(rows.schema.lives) < 2:
        walks = (_whole(one_table(shelf, wanted, rng), wanted),)
    else:
        walks = tables(shelf, wanted, 1 if stream else per_table, rng)
    done = 0
    for chunk in chunks(rows, walks):
        done += _rounds(rows, chunk)
        count = int(chunk.table[-1]) + 1
        if count > MANY:
            raise RequestError(
                Problem(
                    f"the log would have more than {MANY} tables, for play comes to its ends too soon",
                    code="too-many-tables",
                    help="ask for fewer rounds, or for more that are different (--distinct)",
                )
            )
        if faults:
            chunk, planted = planter.plant(chunk)
            for one in planted:
                told(one)
                made.planted[one.way] = made.planted.get(one.way, 0) + 1
        if stream is None:
            made.rounds, made.tables = done, count
            note("writing", done, wanted)
        else:
            made.beside[stream] = done
        yield materialised(rows, chunk, day, prefix, seed)


def _whole(found: tuple[int, ...], wanted: int) -> tuple[int, ...]:
    if len(found) < wanted:
        raise RequestError(
            Problem(
                f"play came to an end after {len(found)} of {wanted} rounds: none was found that goes on",
                code="too-few-rounds",
                help=f"ask for {len(found)} or fewer, for more that are different (--distinct), or another --seed",
            )
        )
    return found


def _rounds(rows: Rows, chunk: Chunk) -> int:
    first = rows.starts[chunk.number]
    return int((chunk.source == first).sum())


def _playable(ready: Prepared, every: Iterator[Options], habits: Habits, scope: Scope, seed: int) -> Options:
    """Options under which a round can be played to its end; the first of all where none were found.

    Where habits prefer options they are the first such; else, of a few, those under which play comes to the most kinds
    of event: where the least and the most that may be laid are 0, nothing ever is.
    """
    found: list[Options] = []
    best: tuple[int, Options] | None = None
    for options in islice(every, TRIED):
        found.append(options)
        played = Playing(ready, options, habits, scope, f"{seed}:try").play(
            0, 1 if habits.options else ROUNDS_TRIED
        )
        kinds = len({row["event"] for one in played for row in one.rows})
        if played and habits.options:
            return options
        if best is None or kinds > best[0]:
            best = kinds, options
    return found[0] if best is None else best[1]


def _beside(ready: Prepared, options: Options, life: str, seed: int, jobs: int) -> Plays:
    """Plays of a life with a log of its own; none where none was found that could be played to its end."""
    habits = habits_of(ready.program)
    playing = Playing(ready, options, habits, scope_for(ready.program), f"{seed}:{life}", life)
    try:
        return library(playing, 4, 1, jobs)
    except RequestError:
        return ()


def _stated(ready: Prepared, options: Options) -> dict[str, object]:
    """Options as a header states them."""
    stated: dict[str, object] = {}
    for name, value in options.items():
        match ready.ruleset.options[name].type:
            case ty.EnumT(values=words) if isinstance(value, int):
                stated[name] = words[value]
            case _:
                stated[name] = value
    return stated


def _kind_of(path: Path) -> Kind:
    from verifier.log.sources import format_of

    match format_of(path.name):
        case "jsonl" | "csv" as kind:
            return kind
        case "parquet" if path.suffix == ".parquet":
            return "parquet"
        case _:
            raise RequestError(
                Problem(
                    "the format cannot be told by the name",
                    str(path),
                    code="log-format",
                    help="name the log .jsonl, .csv (both also .gz or .zst) or .parquet",
                )
            )


def _within(rounds: int, seed: int, faults: float, distinct: int, per_table: int) -> None:
    for what, number, least, most in (
        ("rounds", rounds, 1, 10**9),
        ("seed", seed, 0, MOST_SEED),
        ("distinct", distinct, 1, 10**6),
        ("rounds at a table", per_table, 1, 10**6),
        ("rate of faults", faults, 0, 1),
    ):
        if not least <= number <= most:
            raise RequestError(
                Problem(f"{what}: {number}, expected a number from {least} to {most}", code="out-of-range")
            )


@contextmanager
def _half_written(*paths: str | os.PathLike[str] | None) -> Iterator[None]:
    """Takes away what is left half-written. Raises `RequestError` where it cannot be written at all."""
    try:
        yield
    except BaseException as error:
        for path in paths:
            if path is not None:
                with suppress(OSError):
                    os.unlink(path)
        if not isinstance(error, OSError):
            raise
        help = "check that its folder exists, that it may be written, and that there is room"
        words = (error.strerror or str(error)).lower()
        raise RequestError(
            Problem(
                f"cannot write the file: {words}", os.fspath(paths[0] or ""), help=help, code="unwritable"
            )
        ) from None


@contextmanager
def _key_file(path: str | os.PathLike[str] | None) -> Iterator[Callable[[Planted], None]]:
    """Where planted faults are told; nowhere without a path."""
    if path is None:
        yield lambda planted: None
        return
    with open(path, "w", encoding="utf-8", newline="") as stream:

        def tell(planted: Planted) -> None:
            stream.write(json.dumps(planted.row(), ensure_ascii=False) + "\n")

        yield tell
