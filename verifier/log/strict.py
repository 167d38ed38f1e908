"""What `verifier.log.rows` asks of each row, asked of whole columns: that a batch is well-formed, not what is wrong.

Texts are checked once for each different one, numbers by their least and greatest, what an event must have and must
not have by tables over the kinds of event. Where anything is amiss the rows are read one by one, and the first that is
malformed is refused in the reader's own words.
"""

from __future__ import annotations

from typing import Any

from verifier.log.header import Header
from verifier.log.limits import INT64_MAX, INT64_MIN, LIMITS, Limits
from verifier.log.schema import AT, EXTRA_PREFIX, NUMERIC, SEQ, Column, LogSchema, actor_column
from verifier.log.times import is_rfc3339
from verifier.log.values import Check, MismatchError, check_extra, checker
from verifier.log.vectors import Kinds, coded, encoded, grouped, unsure_times, valid


class Malformed(Exception):  # noqa: N818 - it says what the batch is, and never reaches a user
    """Some row of the batch is malformed."""


class ColumnCheck:
    """Checks the batches of one file, in order; knows the next `seq` of every table."""

    def __init__(self, schema: LogSchema, header: Header, limits: Limits = LIMITS) -> None:
        import numpy as np

        self._schema, self._header, self._limits = schema, header, limits
        self._events = list(schema.events)
        self._number = {name: i if header.has_event(name) else -1 for i, name in enumerate(self._events)}
        self._columns: dict[str, Column] = {life.name: life for life in schema.lives}
        self._columns |= {"seq": SEQ, "at": AT, "actor": actor_column(schema)}
        order = [*self._columns, "event", *schema.columns]
        self._columns |= schema.columns
        self._order = order
        self._checks: dict[str, Check] = {}
        self._good: dict[str, set[str]] = {}
        self._may = {name: np.zeros(len(self._events), dtype=bool) for name in self._columns}
        self._need = {name: np.zeros(len(self._events), dtype=bool) for name in self._columns}
        for index, event in enumerate(self._events):
            self._plan(index, event)
        self._streams: dict[object, int] = {}
        self._last = np.zeros(0, dtype=np.int64)

    def _plan(self, index: int, event: str) -> None:
        """What a row of the event must have and may have: as `RowReader` plans it."""
        schema, header = self._schema, self._header
        shape, carried = schema.events[event], schema.carries(event)

        def place(name: str, needed: bool, lacking: bool = False) -> None:
            self._may[name][index] = not lacking
            self._need[name][index] = needed and not lacking

        for life in schema.lives:
            if life.name in carried:
                place(life.name, life.name not in shape.outside, header.lacks(life.name))
        place("seq", True)
        place("at", True, header.lacks("at"))
        place("actor", True)
        for name in shape.parameters:
            place(name, name in shape.columns, header.lacks(name, event))

    def checked(self, batch: Any, *, counted: bool = True) -> list[Any]:
        """The columns of `batch_schema`, in its order. Not `counted`: rows are not in the order of record, or were
        `passed`. Raises `Malformed`."""
        import pyarrow as pa

        try:
            return self._checked(batch, counted)
        except (pa.ArrowException, UnicodeDecodeError, MismatchError) as error:
            raise Malformed from error

    def passed(self, batch: Any) -> None:
        """Check that the rows stand in the order of record, and nothing else of them. Raises `Malformed`."""
        import pyarrow as pa

        names = {"seq", *(life.name for life in self._schema.lives[:1]), *self._schema.beside}
        try:
            read = {name: self._typed(self._columns[name], batch.column(name)) for name in names}
            if read["seq"].null_count:
                raise Malformed
            self._count(read)
        except (pa.ArrowException, UnicodeDecodeError, MismatchError, KeyError) as error:
            raise Malformed from error

    def _checked(self, batch: Any, counted: bool) -> list[Any]:
        import numpy as np
        import pyarrow as pa

        given = {name: batch.column(i) for i, name in enumerate(batch.schema.names)}
        if "event" not in given:
            raise Malformed
        event = coded(given["event"])
        if event.null_count:
            raise Malformed
        if not self._number.keys() >= set(event.dictionary.to_pylist()):
            # it may be a word that no row has
            event = encoded(event)
        table = np.array(
            [self._number.get(name, -1) for name in event.dictionary.to_pylist()], dtype=np.int16
        )
        codes = table[event.indices.to_numpy()] if len(event) else np.zeros(0, dtype=np.int16)
        if (codes < 0).any():
            raise Malformed
        kinds = Kinds(codes, len(self._events))
        found: list[Any] = []
        read: dict[str, Any] = {"event": event}
        for name in self._order:
            if name == "event":
                found.append(event)
                continue
            column = self._columns[name]
            array = given.get(name)
            array = None if array is None or pa.types.is_null(array.type) else self._typed(column, array)
            if not kinds.fits(array, self._need[name], self._may[name]):
                raise Malformed
            if array is None:
                array = pa.nulls(len(event), _type(column))
            read[name] = array
            found.append(array)
        self._whole(kinds, read)
        for name, array in given.items():
            if name.startswith(EXTRA_PREFIX):
                for value in array.unique().to_pylist():
                    if value is not None:
                        check_extra(value)
            elif name not in read and array.null_count < len(array):
                raise Malformed  # what only a correction has
        if counted:
            self._count(read)
        return found

    def _whole(self, kinds: Kinds, read: dict[str, Any]) -> None:
        """That what an event may name is there with all that tells which it is, or not at all."""
        import numpy as np

        for index, event in enumerate(self._events):
            for whole in self._schema.events[event].wholes if kinds.times[index] else ():
                here = kinds.codes == index
                some = np.zeros(len(here), dtype=bool)
                for name in whole.columns:
                    some |= here & valid(read[name])
                for name in whole.needed:
                    if not self._header.lacks(name, event) and (some & ~valid(read[name])).any():
                        raise Malformed

    def _typed(self, column: Column, array: Any) -> Any:
        import pyarrow as pa
        import pyarrow.compute as pc

        if column.kind in NUMERIC:
            array = array if array.type == pa.int64() else pc.cast(array, pa.int64())
            if column.low > INT64_MIN or column.high < INT64_MAX:
                ends = pc.min_max(array).as_py()
                if ends["min"] is not None and (ends["min"] < column.low or ends["max"] > column.high):
                    raise Malformed
            if column.choices and not set(array.unique().to_pylist()) <= {None, *column.choices}:
                raise Malformed
            return array
        if column.kind == "boolean":
            return array
        if column.kind == "time":
            plain = array.dictionary_decode() if pa.types.is_dictionary(array.type) else array
            plain = plain.cast(pa.string())
            for value in unsure_times(plain):
                if not is_rfc3339(value):
                    raise Malformed
            return plain
        found = coded(array)
        try:
            self._good_texts(column, found.dictionary)
        except (MismatchError, UnicodeDecodeError):
            # it may be a text that no row has
            found = encoded(array)
            self._good_texts(column, found.dictionary)
        return found

    def _good_texts(self, column: Column, texts: Any) -> None:
        """Check each text. Raises `MismatchError` or `UnicodeDecodeError`."""
        good = self._good.setdefault(column.name, set())
        check = self._checks.setdefault(column.name, checker(column))
        for value in texts.to_pylist():
            if value not in good:
                check(value)
                if len(good) < self._limits.held:
                    good.add(value)

    def _count(self, read: dict[str, Any]) -> None:
        """That the rows of each table stand in the order of record, without gap or repeat."""
        import numpy as np

        seq = read["seq"].to_numpy()
        if not len(seq):
            return
        stream = self._stream(read)
        if len(self._streams) > self._limits.tables:
            raise Malformed
        if len(self._streams) > len(self._last):
            more = np.full(len(self._streams) - len(self._last), -1, dtype=np.int64)
            self._last = np.concatenate([self._last, more])
        order, bounds = grouped(stream)
        if order is not None:
            stream, seq = stream[order], seq[order]
        firsts, lasts = np.array(bounds[:-1]), np.array(bounds[1:]) - 1
        steps = seq[1:] - seq[:-1]
        steps[lasts[:-1]] = 1
        if (steps != 1).any():
            raise Malformed
        before = self._last[stream[firsts]]
        if ((before >= 0) & (seq[firsts] != before + 1)).any():
            raise Malformed
        self._last[stream[lasts]] = seq[lasts]

    def _stream(self, read: dict[str, Any]) -> Any:
        """For each row the number of the table, or of the log beside the tables, that it stands in."""
        import numpy as np

        lives = self._schema.lives
        count = len(read["seq"])
        if len(lives) < 2:
            self._streams.setdefault(None, 0)
            return np.zeros(count, dtype=np.int32)
        found = self._numbers(lives[0].name, read[lives[0].name])
        for name in self._schema.beside:
            array = read[name]
            if array.null_count < count:
                found = np.where(valid(array), self._numbers(name, array), found)
        return found

    def _numbers(self, life: str, array: Any) -> Any:
        import numpy as np
        import pyarrow as pa
        import pyarrow.compute as pc

        keys = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
        indices = keys.indices
        if keys.null_count:
            indices = pc.fill_null(indices, len(keys.dictionary))
        indices = indices.to_numpy()
        texts = [*keys.dictionary.to_pylist(), None]
        there = np.zeros(len(texts), dtype=bool)
        there[indices] = True
        numbers = [
            self._streams.setdefault((life, text), len(self._streams)) if here else -1
            for text, here in zip(texts, there.tolist(), strict=True)
        ]
        return np.array(numbers, dtype=np.int32)[indices]


def _type(column: Column) -> Any:
    import pyarrow as pa

    if column.kind in NUMERIC:
        return pa.int64()
    if column.kind == "boolean":
        return pa.bool_()
    return pa.string() if column.kind == "time" else pa.dictionary(pa.int32(), pa.string())
