"""Corrections applied to whole columns: which rows they are of is looked for first, and those rounds are read row by
row, by the same reader (`verifier.log.rounds`) as where all rows are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from verifier.log.assemble import Columnar
from verifier.log.faults import RefusedError
from verifier.log.header import Header
from verifier.log.limits import Limits
from verifier.log.rounds import Rounds
from verifier.log.rows import Correction, Row, RowReader
from verifier.log.schema import CORRECTION, LogSchema
from verifier.log.strict import Malformed
from verifier.log.vectors import batch_of, texts_of

MOST = 200_000
"""Rows of rounds that are corrected; where there are more all are read row by row."""

ROWS = 65_536
"""So many are looked at at one time."""


@dataclass(frozen=True, slots=True)
class Corrected:
    """What corrections make of a log: by their places among all rows, from 0, the rows as corrected; and, in rising
    order, as numpy, the places of the corrections themselves. `last` has, of each table whose last row is a correction,
    the `seq` of that."""

    rows: Mapping[int, Row] = field(default_factory=dict)
    left_out: Any = ()
    last: Mapping[object, int] = field(default_factory=dict)

    def kept(self, places: Any) -> Any:
        """Which rows, by their places in rising order, are no corrections: numpy booleans; None where all are kept."""
        import numpy as np

        start, end = (
            np.searchsorted(self.left_out, [places[0], places[-1] + 1]).tolist() if len(places) else (0, 0)
        )
        return None if start == end else ~np.isin(places, self.left_out[start:end])

    def among(self, places: Any) -> list[tuple[int, Row]]:
        """Which of the rows at these places were corrected, by where they come among them."""
        import numpy as np

        if not self.rows:
            return []
        here = np.flatnonzero(np.isin(places, np.fromiter(self.rows, dtype=np.int64)))
        return [(at, self.rows[int(places[at])]) for at in here.tolist()]


NOTHING = Corrected()
"""A log in which nothing was corrected."""


def corrections_in(
    name: str, columnar: Columnar, schema: LogSchema, header: Header, limits: Limits
) -> Corrected:
    """What is corrected in a log, of which the columns are read twice. Raises `Malformed` where only reading row by row
    tells, and what `Columnar.batches` does."""
    import pyarrow as pa

    try:
        return _corrections_in(name, columnar, schema, header, limits)
    except (pa.ArrowException, UnicodeError, OverflowError, KeyError):
        raise Malformed from None


def _corrections_in(
    name: str, columnar: Columnar, schema: LogSchema, header: Header, limits: Limits
) -> Corrected:
    if schema.round is None or schema.beside or header.lacks(schema.round.name):
        raise Malformed
    reader = RowReader(name, schema, header, limits, counted=False)
    found = _Found(schema)
    for places, batch in _numbered(columnar):
        there = is_correction(batch)
        for place, line, fields in _rows(columnar, places, batch, there):
            row = well_formed(reader, fields, line)
            if not isinstance(row, Correction):
                raise Malformed
            found.correction(place, row)
    if not found.left_out:
        return NOTHING
    return _applied(name, columnar, schema, header, limits, found)


def is_correction(batch: Any) -> Any:
    """Which rows of a batch are corrections, as numpy booleans."""
    import numpy as np

    if "event" not in batch.schema.names:
        raise Malformed
    codes, texts = texts_of(batch.column("event"))
    return np.array([text == CORRECTION for text in texts], dtype=bool)[codes]


def fields_of(batch: Any) -> list[dict[str, object]]:
    """The rows of a batch, each with the fields that have a value."""
    return [{k: v for k, v in row.items() if v is not None} for row in batch.to_pylist()]


@dataclass(slots=True)
class _Found:
    """The corrections, and of which rounds they are: by table the numbers of its rounds."""

    schema: LogSchema
    left_out: list[int] = field(default_factory=list)
    rounds: dict[object, set[int]] = field(default_factory=dict)

    def correction(self, place: int, row: Correction) -> None:
        """One more."""
        key = row.lives[-1]
        if type(key) is not int:
            raise Malformed
        self.left_out.append(place)
        if len(self.left_out) > MOST:
            raise Malformed
        self.rounds.setdefault(self.schema.stream(row.lives), set()).add(key)

    def of_them(self, batch: Any) -> Any:
        """Which rows of a batch are of these rounds, as numpy booleans."""
        import numpy as np
        import pyarrow as pa
        import pyarrow.compute as pc

        assert self.schema.round is not None
        keys = batch.column(self.schema.round.name)
        numbers = pc.fill_null(pc.cast(keys, pa.int64()), -1).to_numpy(zero_copy_only=False)
        if self.schema.table is None:
            return np.isin(numbers, list(self.rounds[None]))
        codes, texts = texts_of(batch.column(self.schema.table.name))
        found = np.zeros(batch.num_rows, dtype=bool)
        for code, text in enumerate(texts):
            if text in self.rounds:
                here = codes == code
                found[here] = np.isin(numbers[here], list(self.rounds[text]))
        return found


def _applied(
    name: str, columnar: Columnar, schema: LogSchema, header: Header, limits: Limits, found: _Found
) -> Corrected:
    import numpy as np

    reader = RowReader(name, schema, header, limits, counted=False)
    rounds = Rounds(schema, header, limits)
    place_of: dict[int, int] = {}
    seqs: dict[tuple[object, object], list[int]] = {}
    last: dict[object, int] = {}
    given: list[Row] = []
    try:
        for places, batch in _numbered(columnar):
            _note_last(schema, found, batch, last)
            for place, line, fields in _rows(columnar, places, batch, found.of_them(batch)):
                row = well_formed(reader, fields, line)
                place_of[line] = place
                if len(place_of) > MOST:
                    raise Malformed
                seqs.setdefault((schema.stream(row.lives), row.lives[-1]), []).append(row.seq)
                given += rounds.push(row)
        given += rounds.finish()
    except RefusedError:
        raise Malformed from None
    # Between rows of a round stand no others of its table: what was left out here ends no round.
    if any(after != before + 1 for numbers in seqs.values() for before, after in pairwise(numbers)):
        raise Malformed
    rows = {place_of[row.line]: row for row in given if row.correction is not None}
    ends = {table: seq for table, seq in rounds.corrected_last.items() if last[table] == seq}
    return Corrected(rows, np.array(found.left_out, dtype=np.int64), ends)


def _note_last(schema: LogSchema, found: _Found, batch: Any, last: dict[object, int]) -> None:
    """Note the last `seq` of the tables that have corrections."""
    import numpy as np

    seq = batch.column("seq")
    if schema.table is None:
        last[None] = seq[len(seq) - 1].as_py()
        return
    codes, texts = texts_of(batch.column(schema.table.name))
    ends = np.full(len(texts), -1, dtype=np.int64)
    ends[codes] = np.arange(len(codes))
    for text, at in zip(texts, ends.tolist(), strict=True):
        if at >= 0 and text in found.rounds:
            last[text] = seq[at].as_py()


def _numbered(columnar: Columnar) -> Iterator[tuple[int, Any]]:
    """The batches of a log that are not empty, each with how many rows come before it."""
    at = 0
    for batch in columnar.batches(ROWS):
        if batch.num_rows:
            yield at, batch
        at += batch.num_rows


def _rows(
    columnar: Columnar, before: int, batch: Any, there: Any
) -> Iterator[tuple[int, int, dict[str, object]]]:
    """Some rows of a batch: the place of each, its line, and its fields."""
    import numpy as np
    import pyarrow as pa

    places = np.flatnonzero(there)
    if not len(places):
        return
    taken = batch.take(pa.array(places))
    lines = places + before + columnar.first
    if columnar.line is not None:
        lines, taken = taken.column(columnar.line).to_numpy(), taken.drop_columns([columnar.line])
    yield from zip((places + before).tolist(), lines.tolist(), fields_of(taken), strict=True)


def well_formed(reader: RowReader, fields: Mapping[str, object], line: int) -> Row | Correction:
    """The row in `fields`. Raises `Malformed`."""
    try:
        return reader.read(fields, line)
    except RefusedError:
        raise Malformed from None


def put_in(batch: Any, rows: Sequence[tuple[int, Mapping[str, object]]]) -> Any:
    """A batch with other rows in place of some; these come by where they stand, as their fields."""
    import numpy as np
    import pyarrow as pa

    if not rows:
        return batch
    others = batch_of([fields for _, fields in rows], batch.schema)
    whole = pa.Table.from_batches([batch, others]).unify_dictionaries().combine_chunks()
    order = np.arange(batch.num_rows)
    order[[at for at, _ in rows]] = batch.num_rows + np.arange(len(rows))
    (found,) = whole.take(pa.array(order)).combine_chunks().to_batches()
    return found
