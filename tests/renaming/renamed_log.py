"""A log with many faults, made of lawful rounds by changes of one row; and the same log renamed."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator

from nz_change import changes
from nz_rounds import HEADER, OPTIONS, ROUNDS, fields, placed, ready
from rename import Renaming

from verifier.check.engine import Prepared

EACH = {"actor": 12, "card": 1, "amount": 1, "number": 2, "dropped": 2, "doubled": 3, "order": 3}
"""Of the kinds of event that a kind of change can be made on, every so many-th gets a table with such a change."""

UNSTATED = ("boxes_on_layout", "minimum_increment", "burn_first_card")
"""Options that the log does not state, so that some rules are not checkable."""

NOT_RECORDED = {"announce_total", "remove_cards", "close_bets", "ask_payment", "withdraw"}

HEADERS: dict[str, dict[str, object]] = {
    "everything recorded": {**HEADER, "options": OPTIONS},
    "options and events not recorded": {
        **HEADER,
        "options": {name: value for name, value in OPTIONS.items() if name not in UNSTATED},
        "records": sorted(ready().binding.schema.events.keys() - NOT_RECORDED),
        "unordered": ["collect"],
        "missing_columns": ["at", "double.amount"],
    },
}
"""The log's headers: as it is, and as an operator would send it who records less."""

_CARD = re.compile(r"(.)(.)")
_HAND = re.compile(r"B(\d)H(\d)")

AT_ONCE = "w ann 1 initial 1000; calls; d B1H1 8s; d dealer 6d; d B1H1 6s; find_face_up 9c; says B1H1 14"
"""A round that breaks off after a duty due at once (16.1) was passed over, which no change of one row brings about."""

Row = dict[str, object]


def faulty_rows() -> Iterator[Row]:
    """The rows of all tables, one round with one change at each."""
    made: dict[str, set[str]] = {kind: set() for kind in EACH}
    tables = 0
    for script in reversed(ROUNDS.values()):
        for change in changes(placed(script), len(placed(script))):
            if change.row.event in made[change.kind]:
                continue
            made[change.kind].add(change.row.event)
            if len(made[change.kind]) % EACH[change.kind]:
                continue
            tables += 1
            for seq, step in enumerate(change.log, 1):
                yield {**fields(step, seq), "table": f"T{tables}"}
    for seq, step in enumerate(placed((AT_ONCE,)), 1):
        yield {**fields(step, seq), "table": "T0"}


def recorded(row: Row, header: dict[str, object]) -> Row | None:
    """The row as a log with that header has it, None if it does not."""
    records, missing = header["records"], header["missing_columns"]
    assert isinstance(missing, list)
    if isinstance(records, list) and row["event"] not in records:
        return None
    lacking = {name.rpartition(".")[2] for name in missing if name.partition(".")[0] == row["event"]}
    return {name: value for name, value in row.items() if name not in lacking}


def log(header: dict[str, object]) -> tuple[dict[str, object], list[Row]]:
    """Header and rows of the log; where rows are left out, `seq` is counted anew."""
    kept: list[Row] = []
    last: dict[object, int] = {}
    for row in faulty_rows():
        found = recorded(row, header)
        if found is not None:
            seq = last[row["table"]] = last.get(row["table"], 0) + 1
            kept.append({**found, "seq": seq})
    return header, kept


def of_cards(renaming: Renaming, old: str) -> str:
    """A card or a hand as it is written, renamed."""

    def form(text: str) -> str:
        return renaming.new("written", text)

    if hand := _HAND.fullmatch(old):
        return f"{form('B')}{hand[1]}{form('H')}{hand[2]}"
    if card := _CARD.fullmatch(old):
        return form(card[1]) + form(card[2])
    return form(old)


def renamed_log(
    renaming: Renaming,
    header: dict[str, object],
    rows: list[Row],
    prepared: Prepared | None = None,
    written: Callable[[Renaming, str], str] = of_cards,
) -> tuple[dict[str, object], list[Row]]:
    """The same log, with every column, event, actor, value and person renamed.

    It is of `prepared`, else of New Zealand's blackjack; `written` renames what is written in a form.
    """
    schema = (prepared or ready()).binding.schema

    def column(name: str) -> str:
        event, _, own = name.rpartition(".")
        renamed = own if own in ("seq", "at", "actor", "event") else renaming.name(own)
        return f"{renaming.name(event)}.{renamed}" if event else renamed

    def value(name: str, old: object) -> object:
        if name in ("actor", "event"):
            return renaming.name(str(old))
        if name == "seq":
            return old
        kind = schema.column(name).kind
        match kind:
            case "enumeration":
                return renaming.name(str(old))
            case "identifier":
                return renaming.new("person", str(old))
            case "written":
                return written(renaming, str(old))
            case _:
                return old

    options, records = header["options"], header["records"]
    missing, unordered = header["missing_columns"], header.get("unordered", [])
    assert isinstance(options, dict)
    assert isinstance(missing, list)
    assert isinstance(unordered, list)
    made = {
        **header,
        "ruleset": renaming.module(str(header["ruleset"])),
        "options": {
            renaming.name(name): renaming.name(old) if isinstance(old, str) else old
            for name, old in options.items()
        },
        "records": [renaming.name(event) for event in records] if isinstance(records, list) else records,
        "missing_columns": [column(name) for name in missing],
    }
    if unordered:
        made["unordered"] = [renaming.name(event) for event in unordered]
    return made, [{column(name): value(name, old) for name, old in row.items()} for row in rows]


def as_jsonl(header: dict[str, object], rows: list[Row]) -> bytes:
    """The log as JSON Lines, with its trailer."""
    lines = [json.dumps(fields_, ensure_ascii=False).encode() + b"\n" for fields_ in (header, *rows)]
    digest = hashlib.sha256(b"".join(lines)).hexdigest()
    trailer = {"gazette-log-end": {"events": len(rows), "sha256": digest}}
    return b"".join(lines) + json.dumps(trailer).encode() + b"\n"
