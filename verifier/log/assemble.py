"""What all formats share: raw fields become rows, corrections are applied, faults get their place."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

from verifier.log.arrange import PLAIN, Arrange
from verifier.log.faults import Fault, Mark, RefusedError, log_error
from verifier.log.header import Header
from verifier.log.limits import Limits
from verifier.log.rounds import Rounds
from verifier.log.rows import Row, RowReader
from verifier.log.schema import LogSchema
from verifier.log.sorting import in_order

Raw = tuple[int, Mapping[str, object], object]
"""Line, fields, and whatever the format's `Locate` finds a field's place by."""

Locate = Callable[[object, Fault], Mark]


@dataclass(slots=True)
class Tally:
    """What is known of a file once its rows are exhausted.

    `events` counts rows, `corrections` those of them that correct others. `digest` is the SHA-256 of the uncompressed
    file, None for a relation; `sealed` is the digest that its trailer or manifest states. `corrected_last` has, of each
    table whose last row is a correction, the `seq` of that.
    """

    events: int = 0
    corrections: int = 0
    digest: str | None = None
    sealed: str | None = None
    complete: bool = False
    corrected_last: Mapping[object, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Plan:
    """What a file has in a column of texts: how many rows have each (None: no value), in the order in which they first
    come. `digest` is the file's SHA-256, None where it has none; `made_of` is what its `Groups` finds the rows by;
    `corrected`: whether corrections may be among them."""

    column: str
    digest: str | None
    counts: Mapping[str | None, int]
    made_of: Any = None
    corrected: bool = False


@dataclass(frozen=True, slots=True)
class Groups:
    """A file by groups of its rows.

    `plan`: from a column of texts to what there is; all of the file is looked through, and its trailer or seal holds.
    `batches`: from a plan, which may have been made when the file was opened before, some of its texts and a number of
    rows to batches as `Columnar.batches` has them, but only of the rows that have one of these texts there, each with
    its rows' places in the file, from 0, as numpy int64; groups without such rows are not read. It ends as if all rows
    had been read. Both raise what `Columnar.batches` does, and `Malformed` where the file is not the one that was
    planned.
    """

    plan: Callable[[str], Plan]
    batches: Callable[[Plan, Collection[str | None], int], Iterator[tuple[Any, Any]]]


class Corrections(Enum):
    """What can be told of corrections before the rows of a file are read. UNTOLD: nothing, since rows do not stand on
    a line each, or the file breaks off, and which of its faults comes first only reading row by row tells."""

    NONE = auto()
    PERHAPS = auto()
    UNTOLD = auto()


@dataclass(frozen=True, slots=True)
class Columnar:
    """The columns of a file.

    `batches`: from a number of rows to `pyarrow.RecordBatch`es of at most so many, under the schema's names, whose
    values are unchecked but for their types; it raises `verifier.log.strict.Malformed` where there is no telling.
    `corrected`: whether corrections may be among the rows. Both read the file anew. `first` is where the first row
    stands. `groups`, where the file is made of groups of rows of which some can be read alone. `line`, where rows come
    in another order than they stand in: the column of the batches that says where each stood; no other checks are made
    of it.
    """

    batches: Callable[[int], Iterator[Any]]
    corrected: Callable[[], Corrections]
    first: int = 1
    groups: Groups | None = None
    line: str | None = None


@dataclass(frozen=True, slots=True)
class Opened:
    """A log whose header is read: its rows, once, and the tally that they fill in. `columnar` gives its columns
    instead, where it can be read so.
    """

    header: Header
    rows: Iterator[Row]
    tally: Tally
    columnar: Columnar | None = None


def assemble(
    name: str,
    records: Iterator[Raw],
    schema: LogSchema,
    header: Header,
    tally: Tally,
    limits: Limits,
    locate: Locate,
    *,
    textual: bool = False,
    arrange: Arrange = PLAIN,
) -> Iterator[Row]:
    """The rows of `records`, checked and corrected. Raises `LogError` at the first bad row.

    `records` itself checks trailer or seal after its last record, so that the last round does not come out
    of a file that fails it.
    """
    tally.events = 0  # the columns may have been read before
    if arrange.names or arrange.ignored:
        records = _renamed(name, records, arrange, locate)
    if arrange.sort:
        records = in_order(name, records, schema, header, limits, locate, textual, arrange)
        textual, locate = False, _nowhere

    reader = RowReader(name, schema, header, limits, textual=textual)
    rounds = Rounds(schema, header, limits)
    for line, fields, place in records:
        try:
            ended = rounds.push(reader.read(fields, line))
        except RefusedError as refused:
            faults = arrange.faults(refused.faults)
            raise log_error(name, line, faults, [locate(place, fault) for fault in faults]) from None
        yield from ended
    yield from rounds.finish()
    tally.complete = True
    tally.corrections, tally.corrected_last = rounds.corrections, rounds.corrected_last


def _renamed(name: str, records: Iterator[Raw], arrange: Arrange, locate: Locate) -> Iterator[Raw]:
    for line, fields, place in records:
        try:
            yield line, arrange.fields(fields), place
        except RefusedError as refused:
            marks = [locate(place, fault) for fault in refused.faults]
            raise log_error(name, line, refused.faults, marks) from None


def _nowhere(place: object, fault: Fault) -> Mark:
    return Mark()
