"""A Parquet file by its groups of rows: some columns of it, and the rows that have some texts in one of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from verifier.log.vectors import texts_of

EVENTS = 1 << 16
"""Events in memory at one time while corrections are looked for."""

GROUP_ROWS = 300_000
GROUP_BYTES = 64 << 20
"""Row groups of no more rows, and no more bytes once decompressed, are read at once."""


def row_groups(file: Any, rows: int, columns: list[str]) -> Iterator[Any]:
    """Some columns of a file, at most so many rows in a batch; a small row group is read at once."""
    for index in range(file.metadata.num_row_groups):
        yield from _row_group(file, index, rows, columns)


def _row_group(file: Any, index: int, rows: int, columns: list[str]) -> Iterator[Any]:
    group = file.metadata.row_group(index)
    if group.num_rows <= GROUP_ROWS and group.total_byte_size <= GROUP_BYTES:
        yield from _plain(file.read_row_group(index, columns=columns)).combine_chunks().to_batches(rows)
    else:
        yield from map(_plain, file.iter_batches(batch_size=rows, row_groups=[index], columns=columns))


def _plain(rows: Any) -> Any:
    """With texts in place of views of them, of which rows cannot be taken."""
    import pyarrow as pa

    views = [pa.types.is_string_view(type_) for type_ in rows.schema.types]
    if not any(views):
        return rows
    fields = zip(rows.schema, views, strict=True)
    return rows.cast(pa.schema([field.with_type(pa.string()) if view else field for field, view in fields]))


def counts(file: Any, column: str) -> dict[str | None, int]:
    """How many rows have each text in a column, in the order in which they first come."""
    import numpy as np

    found: dict[str | None, int] = {}
    for batch in row_groups(file, EVENTS, [column]):
        codes, texts = texts_of(batch.column(0))
        codes, first, often = np.unique(codes, return_index=True, return_counts=True)
        order = np.argsort(first)
        for code, count in zip(codes[order].tolist(), often[order].tolist(), strict=True):
            found[texts[code]] = found.get(texts[code], 0) + count
    return found


def groups_having(
    file: Any, column: str, texts: Collection[str | None], rows: int, columns: list[str]
) -> Iterator[tuple[Any, Any]]:
    """As `verifier.log.assemble.Groups.batches`, under the file's own names."""
    import numpy as np
    import pyarrow as pa

    start = 0
    for index in range(file.metadata.num_row_groups):
        at = start
        start += file.metadata.row_group(index).num_rows
        if not texts or not _some(file, index, column, texts):
            continue
        for batch in _row_group(file, index, rows, columns):
            here = _those(batch.column(columns.index(column)), texts)
            places = at + np.flatnonzero(here)
            at += batch.num_rows
            if len(places) == batch.num_rows:
                yield places, batch
            elif len(places):
                yield places, batch.filter(pa.array(here))


def _some(file: Any, index: int, column: str, texts: Collection[str | None]) -> bool:
    """Whether any row of a group has one of these texts."""
    return any(_those(batch.column(0), texts).any() for batch in _row_group(file, index, EVENTS, [column]))


def _those(array: Any, texts: Collection[str | None]) -> Any:
    """Which rows have one of these texts, as numpy booleans."""
    import numpy as np

    codes, there = texts_of(array)
    return np.array([text in texts for text in there], dtype=bool)[codes]
