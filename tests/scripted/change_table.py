"""What each kind of change of one row yields on each kind of event: a table kept as YAML, and the reasons beside it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import yaml

Key = tuple[str, str]
"""A kind of change, and the kind of event changed."""


@dataclass(frozen=True)
class Cell:
    """Of one kind of change and of event: the least and most entries, and what entries after the first stand on."""

    least: int
    most: int
    follow: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return str(self.least) if self.least == self.most else f"{self.least} to {self.most}"

    def fits(self, leads: tuple[str, ...]) -> bool:
        """Whether entries that stand on these are within the cell."""
        return self.least <= len(leads) <= self.most and set(leads[1:]) <= set(self.follow)


def cells(found: Iterable[tuple[Key, tuple[str, ...]]]) -> dict[Key, Cell]:
    """The table of changes, each with what its entries stand on."""
    counts: dict[Key, list[int]] = {}
    follow: dict[Key, set[str]] = {}
    for key, leads in found:
        counts.setdefault(key, []).append(len(leads))
        follow.setdefault(key, set()).update(leads[1:])
    return {
        key: Cell(min(counts[key]), max(counts[key]), tuple(sorted(follow[key]))) for key in sorted(counts)
    }


def read_table(path: Path) -> dict[Key, Cell]:
    found: dict[Key, Cell] = {}
    for kind, events in yaml.safe_load(path.read_text("utf-8")).items():
        for event, cell in events.items():
            least, _, most = str(cell["entries"]).partition(" to ")
            found[kind, event] = Cell(int(least), int(most or least), tuple(cell.get("then", ())))
    return found


def read_reasons(path: Path) -> dict[str, tuple[str, ...]]:
    """Each reason, with the rules (or kinds) that it explains."""
    return {group["reason"]: tuple(group["for"]) for group in yaml.safe_load(path.read_text("utf-8"))}


def write_table(path: Path, table: dict[Key, Cell], head: str) -> None:
    """Write the table below the comment `head`; `read_table` reads it."""
    document: dict[str, dict[str, dict[str, object]]] = {}
    for (kind, event), cell in table.items():
        entries: object = cell.least if cell.least == cell.most else cell.text
        then = {"then": list(cell.follow)} if cell.follow else {}
        document.setdefault(kind, {})[event] = {"entries": entries} | then
    text = yaml.safe_dump(document, sort_keys=False, width=110, default_flow_style=None)
    path.write_text(head + text, "utf-8")
