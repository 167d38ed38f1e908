"""Faults as a table, one row for each rule that an entry cites, to be queried with DuckDB or whatever reads Parquet."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Any

from verifier.check.result import Amount, Entry, Shortfall
from verifier.errors import Problem, RequestError
from verifier.log.limits import INT64_MAX
from verifier.log.schema import LogSchema
from verifier.replacing import replacing

ROWS = 10_000
"""So many rows are held before they are written."""

DIGITS = 38
"""Of an amount."""


def verdict_schema(schema: LogSchema) -> Any:
    """The `pyarrow.Schema` of verdict rows.

    `entry` counts faults from 1. `file`, `row` (its line, or its number in Parquet), the lives as text, `seq`,
    `at`, `actor` and `event` say where; `rule`, `clause` and its `quote` which rule; `verdict` and `kind` what of it.
    `amount` is what the party `short` is short of, in minor units over `parts` (a half cent is 1 over 2), on one row
    of the entry alone, so that no sum has an entry's money twice. `spec/bulk.md` is for those who query them.
    """
    import pyarrow as pa

    text = pa.string()
    lives = [pa.field(life.name, text) for life in schema.lives]
    return pa.schema(
        [
            pa.field("entry", pa.int64(), nullable=False),
            pa.field("file", text, nullable=False),
            pa.field("row", pa.int64()),
            *lives,
            pa.field("seq", pa.int64()),
            pa.field("at", text),
            pa.field("actor", text),
            pa.field("event", text),
            pa.field("rule", text),
            pa.field("clause", text),
            pa.field("quote", text),
            pa.field("verdict", text, nullable=False),
            pa.field("kind", text, nullable=False),
            pa.field("note", text),
            pa.field("short", text),
            pa.field("amount", pa.decimal128(DIGITS, 0)),
            pa.field("parts", pa.int64()),
        ],
        metadata={"ruleset": schema.ruleset},
    )


def verdict_rows(entry: Entry, schema: LogSchema) -> Iterator[dict[str, object]]:
    """The rows of one entry: one for each rule that it cites, or for a finding that cites none."""
    where: dict[str, object] = {"entry": entry.number, "file": entry.file, "row": entry.line}
    if entry.table is not None and schema.lives:
        where[schema.lives[0].name] = entry.table
    where |= dict(entry.lives)
    where |= {"seq": entry.seq, "at": entry.at}
    if entry.event is not None:
        where |= {"actor": entry.event.actor, "event": entry.event.event}
    short = list(entry.short)
    for one in short:
        _demand_room(entry, one)
    for finding in entry.findings:
        what = {"verdict": finding.verdict, "kind": finding.kind, "note": finding.note or None}
        cited: list[dict[str, object]] = [
            {"rule": c.rule, "clause": c.clause, "quote": c.quote} for c in finding.citations
        ]
        for rule in cited or [{}]:
            yield where | what | rule | _short(short.pop(0) if short else None)
    for left in short:
        yield where | {"verdict": entry.lead.verdict, "kind": entry.lead.kind} | _short(left)


def _short(short: Shortfall | None) -> dict[str, object]:
    if short is None:
        return {}
    amount = _exact(short.amount)
    return {"short": short.who, "amount": amount.numerator, "parts": amount.denominator}


def _demand_room(entry: Entry, short: Shortfall) -> None:
    """That the table has room for an amount. Raises `RequestError`: nothing is rounded."""
    amount = _exact(short.amount)
    if abs(amount.numerator) >= 10**DIGITS or amount.denominator > INT64_MAX:
        raise RequestError(
            Problem(
                f"cannot write the verdicts: the table has no room for how much {short.who} is short",
                entry.file,
                entry.line,
                code="verdicts-amount",
                help="--format json and --format jsonl have it exactly",
            )
        )


def _exact(amount: Amount) -> Fraction:
    return Fraction(amount)


class Verdicts:
    """Writes verdict rows to a Parquet file, which stands there once all is written. A context manager."""

    def __init__(self, path: str | os.PathLike[str], schema: LogSchema) -> None:
        self._path, self._schema = Path(path), schema
        self._waiting: list[dict[str, object]] = []
        self._writer: Any = None
        self._whole = ExitStack()

    def put(self, entry: Entry) -> None:
        """Write the rows of one entry."""
        self._waiting += verdict_rows(entry, self._schema)
        if len(self._waiting) >= ROWS:
            self._write()

    def _write(self) -> None:
        try:
            self._writer.write_batch(made(self._waiting, self._schema))
        except OSError as wrong:
            raise _unwritable(self._path, wrong) from None
        self._waiting.clear()

    def __enter__(self) -> Verdicts:
        import pyarrow.parquet as pq

        try:
            made = self._whole.enter_context(replacing(self._path))
            self._writer = pq.ParquetWriter(os.fspath(made), verdict_schema(self._schema), compression="zstd")
        except OSError as error:
            raise _unwritable(self._path, error) from None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None and self._waiting:
                self._write()
            self._writer.close()
        except OSError as wrong:
            self._whole.__exit__(type(wrong), wrong, None)
            raise _unwritable(self._path, wrong) from None
        try:
            self._whole.__exit__(kind, error, trace)
        except OSError as wrong:
            if wrong is error:
                raise
            raise _unwritable(self._path, wrong) from None


def made(rows: list[dict[str, object]], schema: LogSchema) -> Any:
    """Verdict rows as a `pyarrow.RecordBatch`."""
    from decimal import Decimal

    import pyarrow as pa

    whole = [
        row if row.get("amount") is None else {**row, "amount": Decimal(str(row["amount"]))} for row in rows
    ]
    return pa.RecordBatch.from_pylist(whole, verdict_schema(schema))


def _unwritable(path: Path, error: OSError) -> RequestError:
    words = (error.strerror or str(error)).lower()
    help = "check that its folder exists, that it may be written, and that there is room"
    return RequestError(
        Problem(f"cannot write the verdicts: {words}", str(path), help=help, code="unwritable")
    )
