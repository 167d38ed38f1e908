"""Corrections applied: rows are held until their round ends, so that they come out as corrected.

Rows of one table come out in the order of record; tables come out round by round, in the order in which
their rounds end.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from verifier.log.faults import Fault, RefusedError
from verifier.log.header import Header
from verifier.log.limits import LIMITS, Limits
from verifier.log.rows import Correction, Row
from verifier.log.schema import LogSchema


class _Open:
    """The round that is going on at one table."""

    __slots__ = ("corrections", "key", "rows", "text")

    def __init__(self, key: object) -> None:
        self.key = key
        self.rows: list[Row] = []
        self.text = 0
        self.corrections: set[int] = set()


class Rounds:
    """Holds the open round of every table of one file. `corrections` counts them; `corrected_last` has, of each table
    whose last row so far is a correction, the `seq` of that."""

    def __init__(self, schema: LogSchema, header: Header, limits: Limits = LIMITS) -> None:
        self._limits = limits
        self._round = None if schema.round is None or header.lacks(schema.round.name) else schema.round.name
        self._schema = schema
        self._open: dict[object, _Open] = {}
        self.corrections = 0
        self.corrected_last: dict[object, int] = {}
        self._held = self._text = 0

    def push(self, row: Row | Correction) -> list[Row]:
        """Takes the next row in; gives out the rows of a round that it ended.

        Raises `RefusedError` for a correction that no row of the open round answers to.
        """
        if self._round is None:
            if isinstance(row, Correction):
                help = "the log records no rounds, so that a correction cannot be placed"
                raise RefusedError(
                    _refusal("a correction", "no corrections in a log without rounds", help, "event")
                )
            return [row]
        table = self._schema.stream(row.lives)
        key = row.lives[-1]
        current = self._open.get(table)
        ended: list[Row] = []
        if current is None or current.key != key:
            if isinstance(row, Correction):
                raise RefusedError(_outside(row))
            if current is not None:
                ended = current.rows
                self._held -= len(ended)
                self._text -= current.text
            current = self._open[table] = _Open(key)
        if isinstance(row, Correction):
            _apply(row, current)
            self.corrections += 1
            self.corrected_last[table] = row.seq
        else:
            self.corrected_last.pop(table, None)
            self._held += 1
            if self._held > self._limits.held:
                found = f"over {self._limits.held} rows in rounds that have not ended"
                raise RefusedError(
                    Fault("log-limit", self._round, found, "rounds that end", "is the round's key constant?")
                )
            current.rows.append(row)
        if row.extras:
            self._hold(
                sum(len(n) + (len(v) if type(v) is str else 0) for n, v in row.extras.items()), current
            )
        return ended

    def _hold(self, text: int, current: _Open) -> None:
        current.text += text
        self._text += text
        if self._text > self._limits.held_text:
            found = f"over {self._limits.held_text} characters of text in rounds that have not ended"
            raise RefusedError(Fault("log-limit", None, found, "less text in x_ columns"))

    def finish(self) -> Iterator[Row]:
        """The rows of the rounds that the end of the file ends."""
        for current in self._open.values():
            yield from current.rows
        self._open.clear()


def _outside(row: Correction) -> Fault:
    found = f"{row.corrects} of a round that is not the one going on"
    return _refusal(
        found, "the seq of an earlier row of the same round", "a round is corrected before it ends"
    )


def _apply(correction: Correction, current: _Open) -> None:
    """Replaces the row that the correction names. Rows of a round are sorted by seq, with gaps."""
    if correction.corrects in current.corrections:
        found = f"{correction.corrects}, which is itself a correction"
        help = "correct the first row once more; the last correction holds"
        raise RefusedError(_refusal(found, "the seq of an earlier row of the same round", help))
    low, high = 0, len(current.rows)
    while low < high:
        middle = (low + high) // 2
        if current.rows[middle].seq < correction.corrects:
            low = middle + 1
        else:
            high = middle
    if low == len(current.rows) or current.rows[low].seq != correction.corrects:
        found = f"{correction.corrects}, which is no earlier row of this round"
        help = "a round is corrected before it ends"
        raise RefusedError(_refusal(found, "the seq of an earlier row of the same round", help))
    row = current.rows[low]
    if row.lives != correction.lives:
        found = f"{correction.corrects}, whose lives are others"
        help = "a correction carries the life keys of the row it corrects"
        raise RefusedError(_refusal(found, "the same life keys on both rows", help))
    extras = {**row.extras, **correction.extras}
    current.rows[low] = dataclasses.replace(
        row,
        actor=correction.corrected_actor,
        event=correction.event,
        values=correction.values,
        extras=extras,
        original=row,
        correction=correction,
    )
    current.corrections.add(correction.seq)


def _refusal(found: str, wanted: str, help: str, field: str = "corrects") -> Fault:
    return Fault("log-correction", field, found, wanted, help)
