"""What each kind of change yields on each kind of event: the table in `changes.yaml`, and how it is made.

Run as a program it writes the table anew; read the difference before it is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml
from nz_change import Change, changes
from nz_judging import Bench, Course, Found
from nz_rounds import FAULTS_OF, PLAIN, ROUNDS, placed

HERE = Path(__file__).parent
TABLE = HERE / "changes.yaml"
REASONS = HERE / "reasons.yaml"


@dataclass(frozen=True)
class Outcome:
    """A change and the entries that it makes (those of the round as it stands left out)."""

    round: str
    change: Change
    found: tuple[Found, ...]

    @property
    def text(self) -> str:
        lines = [f"{self.round}: {self.change.text}"]
        for seq, verdict, kind, rules in self.found:
            row = self.change.log[seq - 1].step.text
            lines.append(f"    {row}: {verdict}, {kind} {', '.join(rules)}")
        return "\n".join(lines)


@dataclass(frozen=True)
class Cell:
    """Of one kind of change and of event: the least and most entries, and what entries after the first stand on."""

    least: int
    most: int
    follow: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return str(self.least) if self.least == self.most else f"{self.least} to {self.most}"


Key = tuple[str, str]


def course(name: str, bench: Bench) -> Course:
    """The round of that name and a plain one after it, judged as they stand."""
    return Course.of(placed((*ROUNDS[name], PLAIN)), bench)


def outcomes(names: Iterable[str]) -> Iterator[Outcome]:
    """All changes of one row in the rounds of these names, and what they yield."""
    bench = Bench()
    for name in names:
        legal = course(name, bench)
        known = set(FAULTS_OF.get(name, ()))
        for change in changes(legal.log, len(placed(ROUNDS[name]))):
            found = legal.changed(change.log, change.at, change.longer)
            new = (f for f in found if (change.log[f[0] - 1].step.text, f[3]) not in known)
            yield Outcome(name, change, tuple(new))


def stands_on(found: Found) -> str:
    """The rule that an entry is led by, or, where it cites none, its kind."""
    _, _, kind, rules = found
    return rules[0] if rules else kind


def cells(every: Iterable[Outcome]) -> dict[Key, Cell]:
    counts: dict[Key, list[int]] = {}
    follow: dict[Key, set[str]] = {}
    for outcome in every:
        key = (outcome.change.kind, outcome.change.row.event)
        counts.setdefault(key, []).append(len(outcome.found))
        follow.setdefault(key, set()).update(stands_on(f) for f in outcome.found[1:])
    return {
        key: Cell(min(counts[key]), max(counts[key]), tuple(sorted(follow[key]))) for key in sorted(counts)
    }


def read_table() -> dict[Key, Cell]:
    found: dict[Key, Cell] = {}
    for kind, events in yaml.safe_load(TABLE.read_text("utf-8")).items():
        for event, cell in events.items():
            least, _, most = str(cell["entries"]).partition(" to ")
            found[kind, event] = Cell(int(least), int(most or least), tuple(cell.get("then", ())))
    return found


def read_reasons() -> dict[str, tuple[str, ...]]:
    """Each reason, with the rules (or kinds) that it explains."""
    return {group["reason"]: tuple(group["for"]) for group in yaml.safe_load(REASONS.read_text("utf-8"))}


def write_table(table: dict[Key, Cell]) -> None:
    document: dict[str, dict[str, dict[str, object]]] = {}
    for (kind, event), cell in table.items():
        entries: object = cell.least if cell.least == cell.most else cell.text
        document.setdefault(kind, {})[event] = {"entries": entries} | (
            {"then": list(cell.follow)} if cell.follow else {}
        )
    head = (
        "# Entries that a change of one row makes, by kind of change and of event, over all rounds of nz_rounds.py.\n"
        "# `then`: what entries after the first are led by; why there may be any, says reasons.yaml.\n"
        "# Written by nz_table.py.\n"
    )
    text = yaml.safe_dump(document, sort_keys=False, width=110, default_flow_style=None)
    TABLE.write_text(head + text, "utf-8")


if __name__ == "__main__":
    write_table(cells(outcomes(ROUNDS)))
