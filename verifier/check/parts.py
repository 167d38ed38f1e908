"""A check in parts: some tables of a log judged here, others elsewhere, and one result of them all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from verifier.check.bulk import FIRST, BulkRun
from verifier.check.clauses import Tallies
from verifier.check.disagree import Disagreement
from verifier.check.engine import Prepared
from verifier.check.owing import AllOwing
from verifier.check.result import Entry, FindingKind, TableResult
from verifier.errors import InternalError, Problem
from verifier.run.verdict import Verdict

if TYPE_CHECKING:
    from verifier.log.sources import LogFile


TOLD = 20
"""So many disagreements of one part are told."""


@dataclass(frozen=True, slots=True)
class Part:
    """What some tables of a log come to, for `Run.take`; the rules that bind the options alone are not in it.

    `rows` are those read, of which `corrections` correct others; `open_rounds` those that the log leaves open.
    """

    rows: int
    corrections: int
    tables: tuple[TableResult, ...]
    open_rounds: tuple[str, ...]
    total: int
    faults: Mapping[tuple[Verdict, FindingKind], int]
    sums: AllOwing
    tallies: Tallies


def judge_part(
    log: LogFile, ready: Prepared, settings: dict[str, object], on_entry: Callable[[Entry], None]
) -> Part:
    """Judge a log that has some of the tables; its entries go to `on_entry`.

    Raises `LogError` at the first malformed row, and `InternalError` where the engines disagree.
    """
    run = BulkRun(ready, settings, False, 0, on_entry, compiled=None, leading=FIRST, options_too=False)
    with run:
        run.file(log, None)
        result = run.result()
    if run.disagreements:
        raise InternalError(*(_told(one, log.name) for one in run.disagreements[:TOLD]))
    return Part(
        log.events,
        log.corrections,
        result.tables,
        tuple(run.open_rounds()),
        run.total,
        dict(run.faults),
        run.sums,
        run.ledger.tallies(),
    )


def _told(one: Disagreement, name: str) -> Problem:
    """A disagreement, with the round's file where it was saved, which lies where the part was judged."""
    return Problem(f"the engines disagree, which is our fault, {one.text}", name, code="engines-disagree")
