"""What a log does not record may make a rule not checkable; it never makes one broken.

A lawful round is checked again with each column, each column of each event, and each kind of event left out in
turn, with each kind unordered, and begun at each of its rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from verifier.check.engine import Prepared, check, prepare
from verifier.check.result import Entry

ROUND = Path(__file__).parents[2] / "examples" / "one-round.yaml"
Document = dict[str, Any]
Step = dict[str, str]


@cache
def ready() -> Prepared:
    return prepare("nz/blackjack-1998")


def round_in_order() -> tuple[Document, list[Step]]:
    """The example's head, and its rows with the wrong payment put right."""
    text = ROUND.read_text("utf-8").replace(
        "hand=B1H1 kind=initial amount=2000", "hand=B1H1 kind=initial amount=3000"
    )
    head = yaml.safe_load(text)
    rows = []
    for line in head.pop("events"):
        actor, event, *columns = line.split()
        rows.append({"actor": actor, "event": event, **dict(column.split("=") for column in columns)})
    return head, rows


def line(row: Step) -> str:
    columns = (f"{name}={value}" for name, value in row.items() if name not in ("actor", "event"))
    return " ".join([row["actor"], row["event"], *columns])


def entries(path: Path, head: Document, rows: list[Step]) -> tuple[Entry, ...]:
    path.write_text(yaml.safe_dump({**head, "events": [line(row) for row in rows]}), "utf-8")
    return check([path], ready()).entries


def poorer(head: Document, rows: list[Step]) -> Iterator[tuple[str, Document, list[Step]]]:
    """The log with less in it: what is lacking, its head, its rows."""
    events = {row["event"] for row in rows}
    columns = {name for row in rows for name in row} - {"actor", "event"}
    for column in sorted(columns):
        bare = [{name: value for name, value in row.items() if name != column} for row in rows]
        yield f"no {column}", {**head, "missing_columns": ["at", column]}, bare
    for event in sorted(events):
        for column in ready().binding.schema.events[event].parameters:
            bare = [
                {n: value for n, value in row.items() if n != column or row["event"] != event} for row in rows
            ]
            yield f"no {event}.{column}", {**head, "missing_columns": ["at", f"{event}.{column}"]}, bare
        records = [kind for kind in head["records"] if kind != event]
        yield f"no {event}", {**head, "records": records}, [row for row in rows if row["event"] != event]
        yield f"{event} unordered", {**head, "unordered": [event]}, rows
    for start in range(1, len(rows) - 1):
        yield f"begun before row {start + 1}", {**head, "begun": ["table", "shoe", "round"]}, rows[start:]


def test_the_round_is_in_order(tmp_path: Path) -> None:
    assert entries(tmp_path / "round.yaml", *round_in_order()) == ()


def test_what_is_not_recorded_breaks_nothing(tmp_path: Path) -> None:
    wrong = {
        what: [(entry.seq, entry.lead.kind, [c.rule for c in entry.lead.citations]) for entry in found]
        for what, head, rows in poorer(*round_in_order())
        if (found := entries(tmp_path / "round.yaml", head, rows))
    }
    assert wrong == {}


@pytest.mark.parametrize("row", [8, 17])
def test_a_fault_that_needs_nothing_more_is_still_found(row: int, tmp_path: Path) -> None:
    """Leaving out everything else must not silence what the rows that stand there show by themselves."""
    head, rows = round_in_order()
    rows[row]["actor"] = "spectator"
    assert entries(tmp_path / "round.yaml", head, rows)
    assert entries(tmp_path / "round.yaml", {**head, "records": [rows[row]["event"]]}, [rows[row]])
