"""Every change of one row of a legal round, judged, each at a table of its own; and the table of what they yield.

Run as a program, with `tests/scripted` on the path, it writes `changes.yaml` anew; read the difference before it is
kept.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from change_table import Cell, Key, cells, write_table
from roulette_rounds import HEADER, PLAIN, ROUNDS, Placed, Step, as_jsonl, fields, placed, ready

from verifier.check.engine import check_logs
from verifier.check.result import CheckResult
from verifier.log.sources import open_stream

HERE = Path(__file__).parent
TABLE = HERE / "changes.yaml"
REASONS = HERE / "reasons.yaml"

KINDS = ("amount", "number", "spot", "word", "actor", "order", "dropped", "doubled")

EACH = 1
"""Changes of one kind that are made on one kind of event in one round, at most: further ones tell nothing more. Of
actors there are so many in all rounds together."""

LEGAL = "legal"
"""The kind of a log that is as it was."""


@dataclass(frozen=True)
class Change:
    """A log with one row changed; `what` says how."""

    round: str
    kind: str
    event: str
    what: str
    log: tuple[Placed, ...]


def changes() -> Iterator[Change]:
    """The rounds as they stand, and changes of one row in them; the plain round after each stays as it is."""
    made: Counter[tuple[str, str, str]] = Counter()
    for change in every_change():
        key = ("" if change.kind == "actor" else change.round, change.kind, change.event)
        made[key] += 1
        if made[key] <= EACH:
            yield change


def every_change() -> Iterator[Change]:
    for name, scripts in ROUNDS.items():
        own = len(placed(scripts))
        log = tuple(placed((*scripts, PLAIN)))
        yield Change(name, LEGAL, "", "as it stands", log)
        for at in range(len(placed(scripts[:-1])), own):
            before, place, after = log[:at], log[at], log[at + 1 :]
            event = place.step.event

            def change(kind: str, what: str, new: tuple[Placed, ...]) -> Change:
                said = f"{kind} of row {at + 1}, {place.step.text}: {what}"  # noqa: B023
                return Change(name, kind, event, said, new)  # noqa: B023

            for kind, step in others(place.step):
                yield change(kind, step.text, (*before, replace(place, step=step), *after))
            if at + 1 < own and after[0].step != place.step:
                pair = (replace(place, step=after[0].step), replace(after[0], step=place.step))
                yield change("order", after[0].step.text, (*before, *pair, *after[1:]))
            yield change("dropped", "", (*before, *after))
            yield change("doubled", "", (*before, place, place, *after))


def others(step: Step) -> Iterator[tuple[str, Step]]:
    """The row with one value changed, and what kind of value it is."""
    ruleset, schema = ready().ruleset, ready().binding.schema
    for actor in ruleset.actors:
        if actor != step.actor and ruleset.events[step.event].by:
            yield "actor", replace(step, actor=actor)
    for index, name in enumerate(schema.events[step.event].parameters):
        for kind, other in values(name, step.columns[index]):
            columns = (*step.columns[:index], other, *step.columns[index + 1 :])
            yield kind, replace(step, columns=columns)


def values(name: str, text: str) -> Iterator[tuple[str, str]]:
    """Other values of a column."""
    match name:
        case "amount" | "stake":
            yield "amount", str(int(text) + 100)
            yield "amount", str(int(text) - 100)
        case "number":
            yield "number", str((int(text) + 1) % 37)
            yield "number", str((int(text) + 19) % 37)
        case "spot":
            first, last = map(int, text.split("-"))
            yield "spot", f"{first}-{(last + 1) % 37}"
            yield "spot", f"{(first + 3) % 37}-{(last + 3) % 37}"
        case "colour":
            yield "word", "green" if text != "green" else "red"
        case "wheel" | "ball":
            yield "word", "clockwise" if text != "clockwise" else "anticlockwise"
        case "bell" | "anticipated" | "gone":
            yield "word", "no" if text == "yes" else "yes"
        case "outcome":
            yield "word", "lose"
        case _:
            return


@dataclass(frozen=True)
class Outcome:
    """A change and what leads each entry that it makes: the first rule cited, or the kind where none is."""

    change: Change
    entries: tuple[tuple[int, str, str], ...]

    @property
    def leads(self) -> tuple[str, ...]:
        return tuple(rule for _, _, rule in self.entries)

    @property
    def text(self) -> str:
        lines = [f"{self.change.round}: {self.change.what}"]
        for seq, verdict, rule in self.entries:
            lines.append(f"    {self.change.log[seq - 1].step.text}: {verdict} {rule}")
        return "\n".join(lines)


@cache
def outcomes() -> tuple[Outcome, ...]:
    """All changes and what they yield, judged in one log."""
    every = tuple(changes())
    rows = [
        fields(place, f"T{number}", seq)
        for number, change in enumerate(every)
        for seq, place in enumerate(change.log, 1)
    ]
    found: dict[str, list[tuple[int, str, str]]] = {}
    for entry in checked(rows).entries:
        assert entry.seq is not None
        lead = entry.lead
        rule = next((citation.rule for citation in lead.citations), lead.kind)
        found.setdefault(str(entry.table), []).append((entry.seq, lead.verdict, rule))
    return tuple(Outcome(change, tuple(found.get(f"T{number}", ()))) for number, change in enumerate(every))


def checked(rows: list[dict[str, object]]) -> CheckResult:
    """The full check of a log."""
    stream = open_stream("log.jsonl", io.BytesIO(as_jsonl(HEADER, rows)), ready().binding.schema)
    return check_logs([stream], ready())


def table() -> dict[Key, Cell]:
    """What the changes of each kind yield, by event."""
    return cells(
        ((outcome.change.kind, outcome.change.event), outcome.leads)
        for outcome in outcomes()
        if outcome.change.kind != LEGAL
    )


HEAD = """\
# Entries that a change of one row makes, by kind of change and of event, over all rounds of
# roulette_rounds.py. `then`: what entries after the first are led by; why, says reasons.yaml.
# Written by roulette_changes.py.
"""

if __name__ == "__main__":
    write_table(TABLE, table(), HEAD)
