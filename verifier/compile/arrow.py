"""Checked Arrow batches to the kernel's columns, a column at a time; one row again where the interpreter wants it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from verifier.check.lane import OPEN, Block, Segment
from verifier.check.schema import Binding, flat
from verifier.compile.columns import Encoder
from verifier.compile.encoding import ABSENT, BAD, ID_BITS, LARGEST, NotCompiledError, encode
from verifier.compile.inputs import ACTOR, KIND, Inputs
from verifier.errors import InternalError, Problem
from verifier.log.batches import Batch
from verifier.log.header import Header
from verifier.log.rows import Row, RowReader
from verifier.log.schema import EXTRA_PREFIX, LogSchema
from verifier.log.vectors import Kinds, grouped, valid
from verifier.model import types as ty
from verifier.model.ruleset import Event
from verifier.model.types import Type

HELD = 65_536
"""So many texts of a column are kept with what they stand for."""

TOGETHER = 256
"""So many rows of a batch are made Python's together: one value by itself takes fifty times as long."""

PAIRS = 1 << 20
"""As many pairs of a table and a text as there may be are numbered without sorting them."""

NEAR = 16
"""So many of these groups are kept, for rows of one round may lie apart."""

Codes = tuple[Any, list[Any]]
"""An id column of a batch: for each row the place of its text in a list, -1 where there is none."""


@dataclass(slots=True)
class BatchReader:
    """From batches of one file to columns. `numbers` has what was decoded before: for each column its texts."""

    inputs: Inputs
    binding: Binding
    numbers: dict[str, dict[str, int]] = field(default_factory=dict)
    lives: list[dict[object, int]] = field(default_factory=list)
    """For each life its keys that are texts, numbered; all tables share them."""
    needed: dict[str, Any] = field(init=False)
    """For each parameter, by kind of event, whether an event of the kind must have it."""
    taken: dict[str, Any] = field(init=False)
    """And whether it may."""

    def __post_init__(self) -> None:
        import numpy as np

        events = list(self.inputs.layout.ruleset.events.values())
        self.needed = {name: np.zeros(len(events), dtype=bool) for name in self.inputs.types}
        self.taken = {name: np.zeros(len(events), dtype=bool) for name in self.inputs.types}
        for i, event in enumerate(events):
            for param in event.params:
                for part in flat(param):
                    self.taken[part.name][i] = True
                    self.needed[part.name][i] |= not isinstance(part.type, ty.OptT)

    def shared(self, batch: Batch) -> tuple[dict[str, Any], dict[str, Codes]]:
        """The columns that are the same whatever table a row stands at, as numpy arrays; and those of ids, which each
        table numbers in its own order. A column that no event of the batch has is left out."""
        import numpy as np

        ruleset = self.inputs.layout.ruleset
        columns: dict[str, Any] = {}
        ids: dict[str, Codes] = {}
        kinds = {name: i for i, name in enumerate(ruleset.events)}
        actors = {name: i for i, name in enumerate(ruleset.actors)}
        kind = columns[KIND] = _mapped(batch.data.column("event"), kinds.__getitem__)
        columns[ACTOR] = _mapped(batch.data.column("actor"), actors.__getitem__)
        rows = Kinds(kind, len(kinds))
        for name, type_ in self.inputs.types.items():
            array = batch.data.column(name)
            if not rows.times[self.taken[name]].any():
                continue
            # What stands where an event has no such column is read by nobody.
            loose = bool(rows.times[self.taken[name] & ~self.needed[name]].any())
            if isinstance(type_, ty.IdT):
                ids[name] = _codes(array)
            elif array.null_count == len(array):
                columns[name] = np.full(len(array), ABSENT, dtype=np.int64)
            else:
                columns[name] = self._column(name, type_, array, loose)
            if array.null_count:
                need = rows.rows(self.needed[name])
                lacking = need[~valid(array)[need]]
                if name in ids:
                    ids[name][0][lacking] = -2
                else:
                    columns[name][lacking] = BAD
        return columns, ids

    def keys(self, index: int, column: Any) -> Any:
        """The keys of a life as numbers."""
        import numpy as np

        if not isinstance(column, tuple):
            return np.ascontiguousarray(column)
        codes, texts = column
        numbers = self.lives[index]
        return np.array([*(numbers.setdefault(t, len(numbers)) for t in texts), ABSENT], dtype=np.int64)[
            codes
        ]

    def _column(self, name: str, type_: Type, array: Any, loose: bool) -> Any:
        """A column as numbers. Not `loose`: where there is no value any number may stand."""
        import numpy as np
        import pyarrow as pa
        import pyarrow.compute as pc

        if pa.types.is_dictionary(array.type):
            known = self.numbers.setdefault(name, {})
            decode = self.binding.schema.columns[name].decode

            def number(text: str) -> int:
                if text not in known:
                    if len(known) >= HELD:
                        known.clear()
                    known[text] = _number(type_, text if decode is None else decode(text), self.inputs)
                return known[text]

            return _mapped(array, number)
        numbers = array if array.type == pa.int64() else pc.cast(array, pa.int64())
        ends = pc.min_max(numbers).as_py()
        if loose and numbers.null_count:
            numbers = pc.fill_null(numbers, ABSENT)
        elif numbers.null_count:
            numbers = pa.Array.from_buffers(
                pa.int64(), len(numbers), [None, numbers.buffers()[1]], offset=numbers.offset
            )
        found = numbers.to_numpy().copy()
        low, high = -LARGEST, LARGEST
        if isinstance(type_, ty.IntT) and type_.low is not None and type_.high is not None:
            low, high = max(low, type_.low), min(high, type_.high)
        if ends["min"] < low or ends["max"] > high:
            found[((found < low) | (found > high)) & (found != ABSENT)] = BAD
        return np.ascontiguousarray(found)


def block_of(
    batch: Batch, reader: BatchReader, schema: LogSchema, numbers: Any
) -> tuple[Block, list[Segment]]:
    """The rows of a batch a table at a time, in the order in which tables first come; `numbers` are theirs in the order
    of arrival.

    Ids are not numbered yet: that is a matter of each table's (`number_ids`).
    """
    import numpy as np

    count = batch.data.num_rows
    columns, ids = reader.shared(batch)
    lives = lives_of(batch, schema)
    for index, (name, column) in enumerate(lives.items()):
        columns[f"life {name}"] = reader.keys(index, column)
    order, bounds = tables_in(batch, schema, lives)
    if order is None:
        order = np.arange(count)
    else:
        columns = {name: column[order] for name, column in columns.items()}
        ids = {name: (codes[order], texts) for name, (codes, texts) in ids.items()}
    source = RowsOf(batch, schema)
    after = _after(schema, lives, order, bounds, numbers)
    numbers = numbers[order]
    block = Block(columns, numbers, after, np.zeros(count, dtype=np.int32), order, [source])
    block.ids = ids
    return block, _segments(batch, lives, order, bounds)


def _segments(batch: Batch, lives: Mapping[str, Any], order: Any, bounds: Sequence[int]) -> list[Segment]:
    """The tables of a batch whose rows, in this order, begin at these places."""
    import numpy as np
    import pyarrow as pa

    ends = np.empty(2 * (len(bounds) - 1), dtype=np.int64)
    ends[0::2], ends[1::2] = order[np.array(bounds[:-1])], order[np.array(bounds[1:]) - 1]
    places = pa.array(ends)
    columns: list[list[object]] = []
    for column in lives.values():
        if isinstance(column, tuple):
            codes, words = column
            columns.append([None if code < 0 else words[code] for code in codes[ends].tolist()])
        else:
            columns.append([None if key == ABSENT else key for key in column[ends].tolist()])
    at = batch.data.column("at")
    data = zip(
        batch.lines.take(places).to_pylist(),
        batch.data.column("seq").take(places).to_pylist(),
        at.take(places).to_pylist(),
        zip(*columns, strict=True) if columns else [()] * len(ends),
        strict=True,
    )
    # With nothing of their events.
    rows = [Row(batch.file, line, keys, seq, when, "", "", ()) for line, seq, when, keys in data]
    return [
        Segment(first, end, begins, last, last.at if last.at is not None else last_time(at, order[first:end]))
        for (first, end), begins, last in zip(pairwise(bounds), rows[0::2], rows[1::2], strict=True)
    ]


def rounds_end(batch: Batch, schema: LogSchema, numbers: Any) -> Any:
    """For each row of a batch the number of the row after its round: the first of its table's that has another key.
    `numbers` are the rows'; `OPEN` where that row has not come."""
    import numpy as np

    lives = lives_of(batch, schema)
    order, bounds = tables_in(batch, schema, lives)
    if order is None:
        order = np.arange(batch.data.num_rows)
    after = np.empty(len(order), dtype=np.int64)
    after[order] = _after(schema, lives, order, bounds, numbers)
    return after


def _after(
    schema: LogSchema, lives: Mapping[str, Any], order: Any, bounds: Sequence[int], numbers: Any
) -> Any:
    """As `rounds_end`, of rows in the order of `order`."""
    import numpy as np

    if schema.round is None:
        return numbers[order]
    column = lives[schema.round.name]
    keys = (column[0] if isinstance(column, tuple) else column)[order]
    count = len(keys)
    begins = np.unique(np.concatenate([np.flatnonzero(keys[1:] != keys[:-1]) + 1, bounds])).astype(np.int64)
    begins = begins[begins < count]
    following = np.append(numbers[order[begins[1:]]], OPEN)
    following[np.isin(np.append(begins[1:], count), bounds)] = OPEN
    return np.repeat(following, np.diff(np.append(begins, count)))


def number_ids(block: Block, encoders: Sequence[Encoder], bounds: Sequence[int]) -> None:
    """Number the ids of each table's rows: those it has not had in the order of its rows, and within a row of the
    event's columns. `bounds`: where the rows of each of the encoders begin, and where the last end."""
    import numpy as np

    if not block.ids or not encoders:
        return
    inputs = encoders[0].inputs
    events = list(inputs.layout.ruleset.events.values())
    kinds = block.columns[KIND]
    table = np.repeat(np.arange(len(encoders)), np.diff(bounds))
    new: list[tuple[int, int, str, str]] = []
    met: dict[str, tuple[Any, Any, Any, list[tuple[int, str]]]] = {}
    for name, (codes, texts) in block.ids.items():
        kind = _id_type(inputs.types[name])
        there = np.flatnonzero(codes >= 0)
        distinct, firsts, which = _distinct(table[there], codes[there], len(encoders), len(texts))
        rows = there[firsts].tolist()
        who = [(pair // len(texts), texts[pair % len(texts)]) for pair in distinct.tolist()]
        met[name] = (there, distinct, which, who)
        order = [_place_of(event, name) for event in events]
        for (number, text), row in zip(who, rows, strict=True):
            if text not in encoders[number].ids[kind]:
                new.append((row, order[kinds[row]], kind, text))
    for row, _, kind, text in sorted(new):
        encoder = encoders[table[row]]
        if text not in encoder.ids[kind]:
            encoder.ids[kind][text] = len(encoder.names[kind])
            encoder.names[kind].append(text)
    for name, (codes, _) in block.ids.items():
        kind = _id_type(inputs.types[name])
        there, distinct, which, who = met[name]
        known = [encoders[number].ids[kind][text] for number, text in who]
        numbers = np.array([n if n < 1 << ID_BITS else BAD for n in known], dtype=np.int64)
        column = np.full(len(codes), ABSENT, dtype=np.int64)
        if len(there) < len(codes):
            column[codes == -2] = BAD
        column[there] = numbers[which]
        block.columns[name] = column
    block.ids = {}


def _distinct(tables: Any, codes: Any, many: int, texts: int) -> tuple[Any, Any, Any]:
    """As `numpy.unique` of the pairs of both: those that occur, in order, by numbers; where each is first; and which of
    them each is. There are so many tables and texts."""
    import numpy as np

    pairs = tables * texts + codes
    if many * texts > PAIRS:
        return np.unique(pairs, return_index=True, return_inverse=True)
    first = np.full(many * texts, -1, dtype=np.int64)
    first[pairs[::-1]] = np.arange(len(pairs) - 1, -1, -1)
    distinct = np.flatnonzero(first >= 0)
    place = np.empty(many * texts, dtype=np.int64)
    place[distinct] = np.arange(len(distinct))
    return distinct, first[distinct], place[pairs]


def _place_of(event: Event, name: str) -> int:
    """Which of an event's columns it is."""
    order = [part.name for param in event.params for part in flat(param)]
    return order.index(name) if name in order else len(order)


def lives_of(batch: Batch, schema: LogSchema) -> dict[str, Any]:
    """The keys of a batch: numbers as they are, texts by their places."""
    import pyarrow as pa
    import pyarrow.compute as pc

    found: dict[str, Any] = {}
    for life in schema.lives:
        array = batch.data.column(life.name)
        if pa.types.is_dictionary(array.type):
            found[life.name] = _codes(array)
        else:
            found[life.name] = pc.fill_null(array, ABSENT).to_numpy(zero_copy_only=False)
    return found


def tables_in(batch: Batch, schema: LogSchema, lives: Mapping[str, Any]) -> tuple[Any, list[int]]:
    """The places of a batch's rows a table at a time, in the order in which tables first come (None: as they are);
    and where each table's begin in it, with the end of the last."""
    import numpy as np

    count = batch.data.num_rows
    keys = [schema.lives[0].name] if len(schema.lives) > 1 else []
    keys += [name for name in schema.beside if name not in keys]
    if not keys:
        return None, [0, count]
    stream = np.zeros(count, dtype=np.int64)
    for i, name in enumerate(keys):
        column = lives[name]
        codes = column[0] if isinstance(column, tuple) else np.unique(column, return_inverse=True)[1]
        stream = codes if i == 0 else stream * (int(codes.max(initial=0)) + 2) + codes + 1
    return grouped(stream)


def last_time(at: Any, places: Any) -> str | None:
    """The last time stated at these places of a column."""
    found: str | None = None
    for place in () if at.null_count == len(at) else reversed(places.tolist()):
        if at[place].is_valid:
            found = at[place].as_py()
            break
    return found


class RowsOf:
    """Rows of a batch, made again one by one."""

    def __init__(self, batch: Batch, schema: LogSchema) -> None:
        self._batch, self._schema = batch, schema
        self._reader = RowReader(batch.file, schema, batch.header, counted=False)
        # A text of the operator's own may be long: it is taken for the row that is wanted, and no other.
        own = [i for i, name in enumerate(batch.data.schema.names) if name.startswith(EXTRA_PREFIX)]
        self._own = [(batch.data.schema.names[i], batch.data.column(i)) for i in own]
        self._columns = [
            (n, batch.data.column(i)) for i, n in enumerate(batch.data.schema.names) if i not in own
        ]
        self._texts: dict[str, list[Any]] = {}
        self._groups: dict[int, list[list[Any]]] = {}

    def __len__(self) -> int:
        count: int = self._batch.data.num_rows
        return count

    @property
    def header(self) -> Header:
        return self._batch.header

    def taken(self, places: Any) -> RowsOf:
        """Only the rows at these places."""
        import pyarrow as pa

        batch = self._batch
        data, lines = batch.data.take(pa.array(places)), batch.lines.take(pa.array(places))
        return RowsOf(
            Batch(data, lines, batch.places[places], batch.file, batch.header, batch.corrected), self._schema
        )

    def arrived(self, at: int) -> tuple[Row, Header]:
        """A row with the header of its file."""
        return self.row(at), self._batch.header

    def row(self, at: int) -> Row:
        """The row at a place of the batch."""
        if self._batch.corrected and (corrected := self._batch.corrected.get(int(self._batch.places[at]))):
            return corrected
        group, here = divmod(at, TOGETHER)
        if group not in self._groups:
            if len(self._groups) == NEAR:
                del self._groups[next(iter(self._groups))]
            self._groups[group] = self._group(group * TOGETHER)
        line, *values = (column[here] for column in self._groups[group])
        cells = {
            name: value for (name, _), value in zip(self._columns, values, strict=True) if value is not None
        }
        for name, column in self._own:
            value = column[at].as_py()
            if value is not None:
                cells[name] = value
        found = self._reader.read(cells, line)
        if not isinstance(found, Row):
            raise InternalError(
                Problem(
                    "a correction among rows as corrected", self._batch.file, line, code="strict-disagree"
                )
            )
        return found

    def _group(self, start: int) -> list[list[Any]]:
        """The lines of the rows from a place on, then each column of theirs that is not the operator's own."""
        import pyarrow as pa

        columns = [self._batch.lines.slice(start, TOGETHER).to_pylist()]
        for name, column in self._columns:
            part = column.slice(start, TOGETHER)
            if isinstance(part, pa.DictionaryArray):
                if name not in self._texts:
                    self._texts[name] = column.dictionary.to_pylist()
                texts = self._texts[name]
                columns.append([None if code is None else texts[code] for code in part.indices.to_pylist()])
            else:
                columns.append(part.to_pylist())
        return columns


def _codes(array: Any) -> Codes:
    import pyarrow.compute as pc

    return pc.fill_null(array.indices, -1).to_numpy(zero_copy_only=False).copy(), array.dictionary.to_pylist()


def _mapped(array: Any, number: Any) -> Any:
    """A column of coded text as numbers."""
    import numpy as np
    import pyarrow.compute as pc

    texts = array.dictionary.to_pylist()
    numbers = np.array([*map(number, texts), ABSENT], dtype=np.int64)
    return numbers[pc.fill_null(array.indices, len(texts)).to_numpy()]


def _id_type(type_: Type) -> str:
    assert isinstance(type_, ty.IdT)
    return type_.name


def _number(type_: Type, value: Any, inputs: Inputs) -> int:
    if isinstance(type_, ty.EnumT):
        return type_.values.index(value)
    try:
        return encode(type_, value, {}, inputs.layout.unit)
    except NotCompiledError:
        return BAD
