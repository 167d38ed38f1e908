"""Checked Arrow batches to the kernel's columns, a column at a time; one row again where the interpreter wants it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from verifier.check.schema import Binding, flat
from verifier.compile.columns import Encoder
from verifier.compile.encoding import ABSENT, BAD, ID_BITS, LARGEST, NotCompiledError, encode
from verifier.compile.inputs import ACTOR, KIND, Inputs
from verifier.errors import InternalError, Problem
from verifier.log.batches import Batch
from verifier.log.rows import Row, RowReader
from verifier.log.schema import LogSchema
from verifier.model import types as ty
from verifier.model.types import Type

HELD = 65_536
"""So many texts of a column are kept with what they stand for."""

Codes = tuple[Any, list[Any]]
"""An id column of a batch: for each row the place of its text in a list, -1 where there is none."""


@dataclass(slots=True)
class BatchReader:
    """From batches of one file to columns. `numbers` has what was decoded before: for each column its texts."""

    inputs: Inputs
    binding: Binding
    numbers: dict[str, dict[str, int]] = field(default_factory=dict)
    needed: dict[str, Any] = field(init=False)
    """For each parameter, by kind of event, whether an event of the kind must have it."""

    def __post_init__(self) -> None:
        import numpy as np

        events = list(self.inputs.layout.ruleset.events.values())
        self.needed = {name: np.zeros(len(events), dtype=bool) for name in self.inputs.types}
        for i, event in enumerate(events):
            for param in event.params:
                if not isinstance(param.type, ty.OptT):
                    for part in flat(param):
                        self.needed[part.name][i] = True

    def shared(self, batch: Batch) -> tuple[dict[str, Any], dict[str, Codes]]:
        """The columns that are the same whatever table a row stands at, as numpy arrays; and those of ids, which each
        table numbers in its own order."""
        ruleset = self.inputs.layout.ruleset
        columns: dict[str, Any] = {}
        ids: dict[str, Codes] = {}
        kinds = {name: i for i, name in enumerate(ruleset.events)}
        actors = {name: i for i, name in enumerate(ruleset.actors)}
        kind = columns[KIND] = _mapped(batch.data.column("event"), kinds.__getitem__)
        columns[ACTOR] = _mapped(batch.data.column("actor"), actors.__getitem__)
        for name, type_ in self.inputs.types.items():
            array = batch.data.column(name)
            if isinstance(type_, ty.IdT):
                ids[name] = _codes(array)
                found = ids[name][0] < 0
            else:
                columns[name] = self._column(name, type_, array)
                found = columns[name] == ABSENT
            lacking = self.needed[name][kind] & found
            if lacking.any():
                if name in ids:
                    ids[name][0][lacking] = -2
                else:
                    columns[name][lacking] = BAD
        return columns, ids

    def _column(self, name: str, type_: Type, array: Any) -> Any:
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
        filled = pc.fill_null(pc.cast(array, pa.int64()), ABSENT).to_numpy(zero_copy_only=False).copy()
        low, high = -LARGEST, LARGEST
        if isinstance(type_, ty.IntT) and type_.low is not None and type_.high is not None:
            low, high = max(low, type_.low), min(high, type_.high)
        filled[((filled < low) | (filled > high)) & (filled != ABSENT)] = BAD
        return np.ascontiguousarray(filled)


def of_table(
    encoder: Encoder,
    shared: Mapping[str, Any],
    ids: Mapping[str, Codes],
    lives: Mapping[str, Any],
    rows: Any,
) -> dict[str, Any]:
    """The columns of those `rows` of a batch (places in it, in order) which stand at the encoder's table."""
    import numpy as np

    found = {name: np.ascontiguousarray(column[rows]) for name, column in shared.items()}
    for index, (name, column) in enumerate(lives.items()):
        found[f"life {name}"] = _keys(encoder, index, column, rows)
    types = encoder.inputs.types
    taken = {name: codes[rows] for name, (codes, _) in ids.items()}
    _number_ids(encoder, found[KIND], {name: (taken[name], texts) for name, (_, texts) in ids.items()})
    for name, (_, texts) in ids.items():
        known = encoder.ids[_id_type(types[name])]
        # places -2 and -1 are the last two: what must be there and is not, and what is not there
        numbers = [known.get(text, 0) for text in texts]
        table = np.array([n if n < 1 << ID_BITS else BAD for n in numbers] + [BAD, ABSENT], dtype=np.int64)
        found[name] = table[taken[name]]
    return {name: found[name] for name in encoder.inputs.names}


def _number_ids(encoder: Encoder, kinds: Any, ids: Mapping[str, Codes]) -> None:
    """Number the ids that the table has not had, in the order of its rows, and within a row of the event's columns."""
    import numpy as np

    events = list(encoder.inputs.layout.ruleset.events.values())
    new: list[tuple[int, int, str, str]] = []
    for name, (codes, texts) in ids.items():
        kind = _id_type(encoder.inputs.types[name])
        places, firsts = np.unique(codes, return_index=True)
        for place, first in zip(places.tolist(), firsts.tolist(), strict=True):
            if place >= 0 and texts[place] not in encoder.ids[kind]:
                event = events[kinds[first]]
                order = [part.name for param in event.params for part in flat(param)].index(name)
                new.append((first, order, kind, texts[place]))
    for _, _, kind, text in sorted(new):
        if text not in encoder.ids[kind]:
            encoder.ids[kind][text] = len(encoder.names[kind])
            encoder.names[kind].append(text)


def _keys(encoder: Encoder, index: int, column: Any, rows: Any) -> Any:
    """The keys of a life as numbers."""
    import numpy as np

    if isinstance(column, tuple):
        codes, texts = column
        taken = codes[rows]
        table = np.full(len(texts) + 1, ABSENT, dtype=np.int64)
        for place in np.unique(taken).tolist():
            if place >= 0:
                numbers = encoder.lives[index]
                table[place] = numbers.setdefault(texts[place], len(numbers))
        return table[taken]
    return np.ascontiguousarray(column[rows])


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


def tables_in(batch: Batch, schema: LogSchema) -> Iterator[Any]:
    """For each table of a batch the places of its rows, in the order in which tables first come."""
    import numpy as np

    count = batch.data.num_rows
    lives = lives_of(batch, schema)
    keys = [schema.lives[0].name] if len(schema.lives) > 1 else []
    keys += [name for name in schema.beside if name not in keys]
    if not keys:
        yield np.arange(count)
        return
    stream = np.zeros(count, dtype=np.int64)
    for name in keys:
        column = lives[name]
        codes = column[0] if isinstance(column, tuple) else np.unique(column, return_inverse=True)[1]
        stream = stream * (int(codes.max(initial=0)) + 2) + codes + 1
    _, firsts, which = np.unique(stream, return_index=True, return_inverse=True)
    if len(firsts) == 1:
        yield np.arange(count)
        return
    order = np.argsort(which, kind="stable")
    bounds = np.searchsorted(which[order], np.arange(len(firsts) + 1))
    for group in np.argsort(firsts, kind="stable"):
        yield order[bounds[group] : bounds[group + 1]]


def ends_in(kinds: Any, ends: list[int]) -> list[int]:
    """The places of events of these kinds."""
    import numpy as np

    found: list[int] = np.flatnonzero(np.isin(kinds, ends)).tolist()
    return found


def last_time(at: Any, places: Any) -> str | None:
    """The last time stated at these places of a column."""
    import numpy as np

    if at.null_count:
        places = places[at.is_valid().to_numpy(zero_copy_only=False)[np.asarray(places)]]
    found: str | None = at[int(places[-1])].as_py() if len(places) else None
    return found


class RowsOf:
    """Rows of a batch, made again one by one."""

    def __init__(self, batch: Batch, schema: LogSchema) -> None:
        self._batch = batch
        self._reader = RowReader(batch.file, schema, batch.header, counted=False)
        self._names = batch.data.schema.names

    def row(self, at: int) -> Row:
        """The row at a place of the batch."""
        one = self._batch.data.slice(at, 1)
        cells = ((name, one.column(i)[0].as_py()) for i, name in enumerate(self._names))
        line = self._batch.lines[at].as_py()
        found = self._reader.read({name: value for name, value in cells if value is not None}, line)
        if not isinstance(found, Row):
            raise InternalError(
                Problem(
                    "a correction among rows as corrected", self._batch.file, line, code="strict-disagree"
                )
            )
        return found


def _codes(array: Any) -> Codes:
    import pyarrow.compute as pc

    return pc.fill_null(array.indices, -1).to_numpy(zero_copy_only=False).copy(), array.dictionary.to_pylist()


def _mapped(array: Any, number: Any) -> Any:
    """A column of coded text as numbers."""
    import numpy as np

    codes, texts = _codes(array)
    return np.array([*map(number, texts), ABSENT], dtype=np.int64)[codes]


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
