"""A table goes on in another file: under the same terms, and with nothing missing between."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from verifier.check.terms import Terms
from verifier.errors import LogError, Problem, RequestError
from verifier.log.rows import Row
from verifier.log.schema import LogSchema

if TYPE_CHECKING:
    from verifier.check.stream import Stream


@dataclass(frozen=True, slots=True)
class Standing:
    """How far a table has come: the terms, and the file, `seq` and keys of its last row."""

    terms: Terms
    file: str
    seq: int
    keys: tuple[object, ...]

    @classmethod
    def of(cls, stream: Stream) -> Self:
        """Where a table stands."""
        return cls(stream.terms, stream.file, stream.seq, stream.keys)

    def demand(self, row: Row, terms: Terms) -> None:
        """Raise `RequestError` or `LogError` where the row, the first of its file, does not go on from there."""
        if terms != self.terms:
            raise RequestError(
                Problem(
                    f"a table goes on from {self.file} in {row.file}, whose header states other options "
                    "or another recording",
                    row.file,
                    code="log-terms-change",
                    help="what was in force changed between the two: check them apart",
                )
            )
        restarts = row.seq <= 1 and row.lives != self.keys
        if row.seq != self.seq + 1 and not restarts:
            raise LogError(
                Problem(
                    f"field seq: found {row.seq}, expected {self.seq + 1}, the next after {self.file}",
                    row.file,
                    row.line,
                    code="log-seq",
                    help="files are read in the order of their names; one of them is missing, twice there, "
                    "or out of order",
                )
            )


def pass_corrections(streams: Mapping[object, Stream], last: Mapping[object, int]) -> None:
    """A file has ended: tables whose last row there was a correction, judged with the row that it is of, go on behind
    it."""
    for table in last.keys() & streams.keys():
        streams[table].seq = last[table]


@dataclass(slots=True)
class Following:
    """Looks, row by row as a file's reader gives them, whether the tables go on: where several do not, it is the reader
    of rows that says which of them is told."""

    schema: LogSchema
    terms: Terms
    before: dict[object, Standing]
    """Those that there were before the file, and that have not come in it."""

    @classmethod
    def of(cls, schema: LogSchema, terms: Terms, streams: Mapping[object, Stream]) -> Self:
        """With the tables that there are before a file is read."""
        return cls(schema, terms, {table: Standing.of(stream) for table, stream in streams.items()})

    def row(self, row: Row) -> None:
        """One row. Raises as `Standing.demand`."""
        standing = self.before.pop(self.schema.stream(row.lives), None)
        if standing is not None:
            standing.demand(row, self.terms)
