"""What many rows have in common, told at once: where a column is given, its texts, which rows are one table's."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

_PLAIN_TIME = (
    r"^[1-9][0-9]{3}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?"
    r"(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$"
)
"""Times that are surely times: the days that every month has, no leap seconds."""

_DAY = re.compile(rb"[1-9][0-9]{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])T")
_SECONDS = {
    "names": ["first", "last", "clock", "zone"],
    "formats": ["<u8", "<u8", "<u8", "u1"],
    "offsets": [0, 3, 11, 19],
}
"""A time to the second as numbers: its first 11 bytes by two that overlap."""

DAYS = 8
"""Of a column of times so many days are looked at; rows of others one by one."""


def texts_of(array: Any) -> tuple[Any, list[str | None]]:
    """For each row the place of its text among those that there are, as numpy; the last stands for none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    array = array if pa.types.is_dictionary(array.type) else array.cast(pa.string()).dictionary_encode()
    texts = [*array.dictionary.to_pylist(), None]
    codes = pc.fill_null(array.indices, len(texts) - 1) if array.null_count else array.indices
    return codes.to_numpy(zero_copy_only=False), texts


class Kinds:
    """The rows of a batch by kind of event; `codes` are the kinds' numbers, a row each."""

    def __init__(self, codes: Any, count: int) -> None:
        import numpy as np

        self.codes = codes
        self.times = np.bincount(codes, minlength=count)
        """How often each kind occurs."""
        self._order: Any = None
        self._rows: dict[bytes, Any] = {}

    def rows(self, kinds: Any) -> Any:
        """The places of the rows of these kinds (a mask over the kinds)."""
        import numpy as np

        key = kinds.tobytes()
        if key not in self._rows:
            if self._order is None:
                narrow = self.codes.astype(np.uint8) if len(self.times) <= 256 else self.codes
                self._order = np.argsort(narrow, kind="stable").astype(np.int32)
                self._ends = np.cumsum(self.times)
            parts = [
                self._order[self._ends[kind] - self.times[kind] : self._ends[kind]]
                for kind in np.flatnonzero(kinds & (self.times > 0)).tolist()
            ]
            self._rows[key] = np.concatenate(parts) if parts else np.zeros(0, dtype=np.int32)
        return self._rows[key]

    def fits(self, array: Any, need: Any, may: Any) -> bool:
        """Whether an Arrow column (None: no row has a value) is given in the rows of all kinds that need it, and of no
        kind that may not have it. Whoever needs it may have it."""
        count = len(self.codes)
        given = 0 if array is None else count - array.null_count
        if given in (0, count):
            return int(self.times[need if given == 0 else ~may].sum()) == 0
        there = valid(array)
        needed, allowed = int(self.times[need].sum()), int(self.times[may].sum())
        if given < needed or given > allowed or not there[self.rows(need)].all():
            return False
        # Where as many rows have it as need it, no others do.
        return given == needed or int(there[self.rows(may)].sum()) == given


def valid(array: Any) -> Any:
    """Where an Arrow array has values, as numpy booleans."""
    import numpy as np

    if not array.null_count:
        return np.ones(len(array), dtype=bool)
    buffer = array.buffers()[0]
    if buffer is None:
        return array.is_valid().to_numpy(zero_copy_only=False)
    first, skip = divmod(array.offset, 8)
    bits = np.frombuffer(buffer, dtype=np.uint8)[first : first + (skip + len(array) + 7) // 8]
    return np.unpackbits(bits, bitorder="little")[skip : skip + len(array)].view(bool)


def coded(array: Any) -> Any:
    """Text as `dictionary<int32, string>`, each value there once and none of them null; there may be some that no row
    has. Raises `ArrowInvalid` for what is not so whole."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if array.type == pa.dictionary(pa.int32(), pa.string()):
        texts = array.dictionary
        if len(texts) <= len(array) and not texts.null_count and len(texts.unique()) == len(texts):
            ends = pc.min_max(array.indices).as_py()
            if ends["min"] is not None and (ends["min"] < 0 or ends["max"] >= len(texts)):
                raise pa.ArrowInvalid("an index beyond the dictionary")
            return array
    return encoded(array)


def encoded(array: Any) -> Any:
    """The same, only of values that occur."""
    import pyarrow as pa

    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    return array.cast(pa.string()).dictionary_encode()


def batch_of(rows: Sequence[Mapping[str, object]], schema: Any) -> Any:
    """Rows, by their fields, as a batch of a `pyarrow.Schema`; fields that are no columns of it are left out."""
    import pyarrow as pa

    (batch,) = pa.Table.from_pylist(list(rows), uncoded(schema)).cast(schema).combine_chunks().to_batches()
    return batch


def uncoded(schema: Any) -> Any:
    """The schema with plain texts where dictionaries code them."""
    import pyarrow as pa

    return pa.schema(
        [field.with_type(pa.string()) if pa.types.is_dictionary(field.type) else field for field in schema]
    )


def grouped(stream: Any) -> tuple[Any, list[int]]:
    """The places of rows a table at a time, in the order in which tables first come (None: as they are), and where each
    table's begin in it, with the end of the last. `stream` says whose each row is, by numbers from 0 on."""
    import numpy as np

    count = len(stream)
    changes = np.flatnonzero(stream[1:] != stream[:-1]) + 1
    begins = np.concatenate([np.zeros(min(count, 1), dtype=np.int64), changes])
    runs = stream[begins]
    if len(np.unique(runs)) == len(runs):
        return None, [*begins.tolist(), count]
    _, firsts, which = np.unique(runs, return_index=True, return_inverse=True)
    rank = np.empty(len(firsts), dtype=np.uint16 if len(firsts) < 1 << 16 else np.int64)
    rank[np.argsort(firsts, kind="stable")] = np.arange(len(firsts))
    lengths = np.diff(np.append(begins, count))
    placed = np.repeat(rank[which], lengths)
    order = np.argsort(placed, kind="stable")
    return order, [0, *np.cumsum(np.bincount(placed)).tolist()]


def unsure_times(times: Any) -> list[str]:
    """Of a column of texts those of which it is not sure that they are times; each once."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not times.null_count:
        sure = _whole_seconds(times)
        if sure is not None:
            if sure.all():
                return []
            times = times.filter(pa.array(~sure))
    sure = pc.match_substring_regex(times, _PLAIN_TIME)
    found: list[str] = [
        text for text in times.filter(pc.invert(sure)).unique().to_pylist() if text is not None
    ]
    return found


def _whole_seconds(times: Any) -> Any:
    """Which of the texts are surely times such as 2024-03-01T20:15:00Z; None where not all are as long."""
    import numpy as np

    count = len(times)
    if not count:
        return None
    _, ends, data = times.buffers()
    places = np.frombuffer(ends, dtype=np.int32)[times.offset : times.offset + count + 1]
    width = 20
    if int(places[-1]) - int(places[0]) != width * count or (places[1:] - places[:-1] != width).any():
        return None
    text = np.frombuffer(data, dtype=np.uint8, offset=int(places[0]), count=width * count)
    rows = text.view(np.dtype(_SECONDS))  # type: ignore[call-overload]
    # Each byte of the clock less the 0 or the colon that it might be: then 0 to 9, no more in places of tens, no colon.
    clock = rows["clock"] ^ np.uint64(0x30303A30303A3030)
    hours = clock + (clock & np.uint64(2)) * np.uint64(
        0x300
    )  # six more for the second digit of 20 to 23: 9 at most
    past = (hours + np.uint64(0x767A7F767A7F767D)) | clock
    sure: Any = ((past & np.uint64(0x8080808080808080)) == 0) & (rows["zone"] == ord("Z"))
    # Days are few: each is asked about once.
    first, last, rest = rows["first"], rows["last"], np.ones(count, dtype=bool)
    for _ in range(DAYS):
        at = int(rest.argmax())
        here = (first == first[at]) & (last == last[at])
        if _DAY.fullmatch(text[width * at : width * at + 11].tobytes()) is None:
            sure &= ~here
        rest &= ~here
        if not rest.any():
            return sure
    return sure & ~rest
