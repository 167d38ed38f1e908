"""Tables of rounds as columns: the rows of a library taken by number, keys and times counted beside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from verifier.log.batches import batch_schema
from verifier.log.schema import LogSchema
from verifier.simulate.walk import Shelf

ROWS = 200_000
"""A chunk ends with the table that brings it to so many rows."""

START = 20 * 3600
"""The first row of a log stands so many seconds after midnight."""

PAUSE = 8
"""Between two rows of a table at most so many seconds pass."""


@dataclass(slots=True)
class Chunk:
    """Rows of whole tables. All arrays are numpy's, one entry a row.

    `source` is the row of the library, `table` the table's number from 0, `keys` for each life of the schema but the
    first its number, `number` that of the round in the library. `edits` are values that replace the library's.
    """

    source: Any
    table: Any
    keys: list[Any]
    number: Any
    edits: list[tuple[int, str, object]]


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a library as columns. `stream` is the life whose log they are, None where they are the tables'."""

    schema: LogSchema
    shelf: Shelf
    stream: str | None
    columns: dict[str, Any]
    starts: Any
    lengths: Any
    ends: Any


def rows_of(schema: LogSchema, shelf: Shelf, stream: str | None) -> Rows:
    """The rows of all rounds of a shelf."""
    import numpy as np
    import pyarrow as pa

    every = [row for one in shelf.rounds for row in one.rows]
    lengths = np.array([len(one.rows) for one in shelf.rounds], dtype=np.int64)
    columns: dict[str, Any] = {}
    own = {life.name for life in schema.lives} | {"seq", "at"}
    for field in batch_schema(schema):
        if field.name not in own:
            coded = pa.types.is_dictionary(field.type)
            array = pa.array([row.get(field.name) for row in every], pa.string() if coded else field.type)
            columns[field.name] = array.dictionary_encode() if coded else array
    width = len(schema.lives)
    return Rows(
        schema,
        shelf,
        stream,
        columns,
        np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int64),
        lengths,
        np.array([ends for one in shelf.rounds for ends in one.ends], dtype=bool).reshape(-1, width),
    )


def chunks(rows: Rows, tables: Iterable[Sequence[int]], size: int = ROWS) -> Iterator[Chunk]:
    """Tables, given by the numbers of their rounds, in chunks of about so many rows."""
    waiting: list[Sequence[int]] = []
    total, first = 0, 0
    for table in tables:
        waiting.append(table)
        total += int(rows.lengths[list(table)].sum())
        if total >= size:
            yield _chunk(rows, waiting, first)
            first += len(waiting)
            waiting, total = [], 0
    if waiting:
        yield _chunk(rows, waiting, first)


def _chunk(rows: Rows, tables: Sequence[Sequence[int]], first: int) -> Chunk:
    import numpy as np

    number = np.concatenate([np.asarray(table, dtype=np.int64) for table in tables])
    table = np.repeat(np.arange(first, first + len(tables)), [len(t) for t in tables])
    lengths = rows.lengths[number]
    total = int(lengths.sum())
    begin = np.cumsum(lengths) - lengths
    source = np.arange(total) - np.repeat(begin - rows.starts[number], lengths)
    tables_of_rows = np.repeat(table, lengths)
    begins = np.concatenate([[True], tables_of_rows[1:] != tables_of_rows[:-1]])
    lives = len(rows.schema.lives)
    keys = [_keys(rows.ends[source, i], begins, i == lives - 1) for i in range(min(1, lives - 1), lives)]
    return Chunk(source, tables_of_rows, keys, np.repeat(number, lengths), [])


def _keys(ends: Any, begins: Any, round_: bool) -> Any:
    """The number of a life at each row, from 1 at each table. `begins` is true at a table's first row.

    An event that ends a life passes it on, unless nothing else has happened in it: then it is the life's first (as
    `verifier.check.lives` has it). A round it always passes on.
    """
    import numpy as np

    passes = ends.copy()
    if not round_:
        passes[0] = False
        passes[1:] &= ~ends[:-1] & ~begins[1:]
    passed = np.cumsum(passes) - passes
    firsts = np.flatnonzero(begins)
    runs = np.diff(np.append(firsts, len(ends)))
    return passed - np.repeat(passed[firsts], runs) + 1


def _runs(table: Any) -> Any:
    """How long each run of equal values is."""
    import numpy as np

    edges = np.flatnonzero(np.concatenate([[True], table[1:] != table[:-1], [True]]))
    return np.diff(edges)


def _firsts(values: Any, table: Any) -> Any:
    """The value at which each run of equal tables begins."""
    import numpy as np

    return values[np.flatnonzero(np.concatenate([[True], table[1:] != table[:-1]]))]


def materialised(rows: Rows, chunk: Chunk, day: str | None, prefix: str, seed: int) -> Any:
    """The chunk as a `pyarrow.RecordBatch` of `batch_schema`.

    `day` is the date of the log (times are then given, in UTC), `prefix` begins the names of tables; `seed`
    is that of the times.
    """
    import numpy as np
    import pyarrow as pa

    schema = rows.schema
    seq = sequence(chunk.table)
    given: dict[str, Any] = {"seq": pa.array(seq)}
    lives = [life.name for life in schema.lives]
    carried = {rows.stream} if rows.stream else set(lives) - {*schema.beside}
    taken = pa.array(chunk.source)
    count = len(chunk.source)
    for index, life in enumerate(schema.lives):
        if life.name not in carried:
            continue
        if life.name == rows.stream or (index == 0 and len(lives) > 1):
            names, codes = np.unique(chunk.table, return_inverse=True)
            words = pa.array([f"{prefix}{n + 1:04d}" for n in names.tolist()])
            given[life.name] = pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), words)
        else:
            given[life.name] = _numbered(chunk.keys[max(index - 1, 0)], batch_schema(schema).field(life.name))
    if day is not None:
        given["at"] = _times(chunk, day, seed)
    edits: dict[str, list[tuple[int, object]]] = {}
    for place, column, value in chunk.edits:
        edits.setdefault(column, []).append((place, value))
    found = []
    for field in batch_schema(schema):
        array = given.get(field.name)
        if array is None and field.name in rows.columns:
            array = rows.columns[field.name].take(taken)
            if field.name in edits:
                array = _edited(array, edits[field.name])
        if array is None:
            array = pa.nulls(count, field.type)
        found.append(array if array.type == field.type else array.cast(field.type))
    return pa.RecordBatch.from_arrays(found, schema=batch_schema(schema))


def _numbered(keys: Any, field: Any) -> Any:
    """Numbers of a life as its column holds them: a life that stands alone is known by words."""
    import pyarrow as pa

    numbers = pa.array(keys)
    return numbers.cast(pa.string()).dictionary_encode() if pa.types.is_dictionary(field.type) else numbers


def _edited(array: Any, edits: Sequence[tuple[int, object]]) -> Any:
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    coded = pa.types.is_dictionary(array.type)
    plain = array.dictionary_decode() if coded else array
    mask = np.zeros(len(plain), dtype=bool)
    mask[[place for place, _ in edits]] = True
    values = [value for _, value in sorted(edits, key=lambda edit: edit[0])]
    plain = pc.replace_with_mask(plain, pa.array(mask), pa.array(values, plain.type))
    return plain.dictionary_encode() if coded else plain


def sequence(table: Any) -> Any:
    """The order of record: from 1 at each table."""
    import numpy as np

    runs = _runs(table)
    return np.arange(len(table)) - np.repeat(np.cumsum(runs) - runs, runs) + 1


def _times(chunk: Chunk, day: str, seed: int) -> Any:
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    pauses = np.random.default_rng((seed, int(chunk.table[0]))).integers(1, PAUSE + 1, len(chunk.table))
    passed = np.cumsum(pauses)
    passed -= np.repeat(_firsts(passed, chunk.table), _runs(chunk.table))
    seconds = passed + START
    days, rest = np.divmod(seconds, 86_400)
    dates = np.datetime_as_string(np.datetime64(day) + np.arange(int(days.max()) + 1))
    clock = _clock()
    return pc.binary_join_element_wise(
        pa.array(dates).take(pa.array(days)), clock.take(pa.array(rest)), "T"
    ).cast(pa.string())


def _clock() -> Any:
    """Every second of a day as `20:15:00Z`."""
    import pyarrow as pa

    global _seconds
    if _seconds is None:
        minutes = [f"{h:02d}:{m:02d}" for h in range(24) for m in range(60)]
        _seconds = pa.array([f"{minute}:{s:02d}Z" for minute in minutes for s in range(60)])
    return _seconds


_seconds: Any = None
