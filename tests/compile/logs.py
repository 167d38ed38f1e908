"""The logs that stand for each ruleset: its transcripts, scripted rounds and what breaks them, and simulated ones.

A log is a name, its header and its rows, as `both_engines.judge` takes them.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import ny_rounds
import nz_1994_rounds
import tournament_cases
import uk_games
from random_logs import rows as rows_by_dice
from scripted import Fault, Game

from verifier.check.engine import Prepared, prepare
from verifier.log.batches import batch_schema, typed_batches
from verifier.log.header import Header
from verifier.log.rows import Row, RowReader
from verifier.log.sources import open_log, open_stream
from verifier.log.write_arrow import write_batches
from verifier.simulate.simulate import simulate

TESTS = Path(__file__).parents[1]

Log = tuple[str, Header, Sequence[Row]]

SHIPPED = (
    "nz/blackjack-1998",
    "nz/blackjack-1994",
    "nz/roulette-1998",
    "nz/tournament-blackjack-1998",
    "uk/blackjack-1994",
    "ny/black-jack",
)

TOYS = (
    "rules/milestone-constructs",
    "rules/milestone-blackjack",
    "rules/milestone-placings",
    "rules/milestone-deposits",
    "rules/mini",
    "new_game/pebbles",
    "check/data/till",
)


@cache
def ready(name: str) -> Prepared:
    """A ruleset by name; one of the tests' own by its path among them."""
    return prepare(TESTS / f"{name}.rules" if name in TOYS else name)


def mixed(found: Iterable[Any], key: Callable[[Any], str]) -> list[Any]:
    """In an order that mixes them, and is always the same."""
    return sorted(found, key=lambda one: sha256(key(one).encode()).digest())


# ------------------------------------------------------------------------------------------------ logs as columns
def columns_of(name: str, path: Path) -> tuple[Header, Any]:
    """A log's header, and its rows as one batch (`verifier.log.batches`)."""
    import pyarrow as pa

    schema = ready(name).binding.schema
    with open_log(path, schema) as log:
        header = log.header
        rows = pa.Table.from_batches([batch.data for batch in typed_batches([log], schema)])
    (batch,) = rows.unify_dictionaries().combine_chunks().to_batches()
    return header, batch


def in_turn(name: str, apart: Path, path: Path, each: int | None = None) -> Path:
    """The same rows as they would come in time: of all tables in turn; at most `each` in a group."""
    import pyarrow as pa

    schema = ready(name).binding.schema
    header, batch = columns_of(name, apart)
    rows = pa.Table.from_batches([batch])
    text = pa.schema([f.with_type(pa.string()) if pa.types.is_dictionary(f.type) else f for f in rows.schema])
    taken = rows.cast(text).sort_by([("seq", "ascending"), ("table", "ascending")]).combine_chunks()
    columns = [
        taken.column(f.name).combine_chunks().dictionary_encode() if pa.types.is_dictionary(f.type)
        else taken.column(f.name).combine_chunks()
        for f in batch_schema(schema)
    ]  # fmt: skip
    whole = pa.RecordBatch.from_arrays(columns, schema=batch_schema(schema))
    write_batches(path, path.suffix[1:], schema, header, pieces(whole, each), lambda rows: None)  # type: ignore[arg-type]
    return path


def pieces(batch: Any, each: int | None) -> list[Any]:
    """A batch in pieces of at most so many rows."""
    size = each or batch.num_rows
    return [batch.slice(at, size) for at in range(0, batch.num_rows, size)]


# ------------------------------------------------------------------------------------------- rounds written by hand
def written(name: str) -> Iterator[Log]:
    """The rounds that the ruleset's own tests have, lawful and not, mixed."""
    match name:
        case "nz/blackjack-1998":
            return _transcripts(name, TESTS / "nz" / "transcripts")
        case "nz/roulette-1998":
            return _transcripts(name, TESTS / "nz_roulette" / "transcripts")
        case "nz/blackjack-1994":
            return _scripts(nz_1994_rounds.GAME, nz_1994_rounds.ROUNDS, nz_1994_rounds.FAULTS)
        case "uk/blackjack-1994":
            return _scripts(uk_games.GAME, uk_games.GAMES, uk_games.FAULTS)
        case "ny/black-jack":
            return _new_york()
        case "nz/tournament-blackjack-1998":
            return _tournaments()
        case _:
            raise AssertionError(name)


def _transcripts(name: str, folder: Path) -> Iterator[Log]:
    schema = ready(name).binding.schema
    for path in mixed(folder.rglob("*.transcript.yaml"), lambda path: str(path.name)):
        with open_log(path, schema) as log:
            yield path.name, log.header, list(log.rows())


def _scripts(game: Game, scripts: Mapping[str, str], faults: Sequence[Fault]) -> Iterator[Log]:
    made = [(name, script, dict[str, object]()) for name, script in scripts.items()]
    made += [(f"{f.rule} {f.change}", f.made(scripts), dict(f.options)) for f in faults]
    for name, script, options in mixed(made, lambda one: str(one[0])):
        header = game.header(options)
        yield name, header, _read(game.ready, header, game.fields(script))


def _read(ready_: Prepared, header: Header, fields: Iterable[Mapping[str, object]]) -> list[Row]:
    reader = RowReader("script", ready_.binding.schema, header)
    found = [reader.read(dict(field), line) for line, field in enumerate(fields, 1)]
    return [row for row in found if isinstance(row, Row)]


def _new_york() -> Iterator[Log]:
    made = [(r.name, r.script, r.options) for r in ny_rounds.rounds().values()]
    made += [(f"{f.rule} {f.change}", f.script, f.options) for f in ny_rounds.faults()]
    for name, script, options in mixed(made, lambda one: str(one[0])):
        header = ny_rounds.header(options)
        yield name, header, list(ny_rounds.rows(script, header))


def _tournaments() -> Iterator[Log]:
    """A tournament has two streams: that of the table, and that beside it."""
    schema = tournament_cases.ready().binding.schema
    for number, case in enumerate(mixed(tournament_cases.cases(), lambda case: str(case.name)), 1):
        steps = list(tournament_cases.steps(f"{case.before}; {case.log}"))
        lines = [line for _, line in tournament_cases.rows(steps, number)]
        stated = {**tournament_cases.HEADER, "options": {**tournament_cases.OPTIONS, **case.options}}
        data = tournament_cases.as_jsonl(stated, lines)
        with open_stream(f"case-{number}.jsonl", io.BytesIO(data), schema) as log:
            yield case.name, log.header, list(log.rows())


# ------------------------------------------------------------------------------------------- rounds by machine
def simulated(name: str, seed: int, rounds: int, folder: Path, faults: float = 0.3) -> Log:
    """Simulated play, with faults planted in so many of its rounds."""
    path = folder / f"{name.replace('/', '-')}-{seed}.jsonl"
    distinct = max(1, min(rounds, 60))
    simulate(
        ready(name), path, rounds, seed=seed, faults=faults, key=path.with_suffix(".key"), distinct=distinct, jobs=1
    )  # fmt: skip
    with open_log(path, ready(name).binding.schema) as log:
        return path.name, log.header, list(log.rows())


def by_dice(name: str, seed: int, length: int, header: Header) -> Log:
    """Events that follow no rule."""
    return f"dice {seed}", header, rows_by_dice(ready(name), Random(seed), length)


def header_of(name: str) -> Header:
    """The header of the first of the rounds written by hand."""
    return next(iter(written(name)))[1]
