"""The faults of a check, as they come: pages of data, an index to sort and filter by, groups with their sums, tables.

All that a log says is made inert here, so that whatever shows it only has to show text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from verifier.check.result import Amount, Entry, Finding, Named
from verifier.report.html.words import logged
from verifier.report.money import money
from verifier.report.text import MEANING, UNCLEAR

PAGE = 200
"""Faults in one file of data."""

FIRST = 3
"""So many faults of each group have their rounds drawn before any group has more."""

NOBODY = "nobody"
"""The actor of what no event did."""

NO_DAY = "not recorded"
"""The day of what has no date."""

NO_TABLE = "none"
"""The table of what happens at none."""

UNCITED = "no clause"
"""What stands for the clause of what cannot have happened, whatever the clauses say."""


@dataclass(frozen=True, slots=True)
class Where:
    """Where an entry stands in the logs."""

    number: int
    file: str
    line: int | None
    table: str | None
    passing: bool
    lives: tuple[tuple[str, str | None], ...]

    @property
    def round(self) -> object:
        """What entries of one round have in common."""
        return self.table, self.lives, self.passing


@dataclass(slots=True)
class Group:
    """Faults that have something in common: how many, and the money at stake in them."""

    name: str
    count: int = 0
    short: Amount = 0


@dataclass(slots=True)
class Names:
    """Names by number, in the order first met."""

    known: dict[str, int] = field(default_factory=dict)

    def number(self, name: str) -> int:
        return self.known.setdefault(name, len(self.known))

    def list(self) -> list[str]:
        return list(self.known)


BY = ("clause", "table", "actor", "day")
"""What faults are grouped by."""


@dataclass(slots=True)
class FaultBook:
    """All faults of one check, counted and grouped as they come. `clause_of` gives the clause of each rule."""

    currency: str
    exponent: int
    clause_of: Mapping[str, str]
    pages: int = 0
    total: int = 0
    unclear: int = 0
    groups: dict[str, dict[str, Group]] = field(default_factory=lambda: {by: {} for by in BY})
    kinds: Names = field(default_factory=Names)
    names: dict[str, Names] = field(default_factory=lambda: {by: Names() for by in BY})
    columns: dict[str, list[Any]] = field(default_factory=lambda: {by: [] for by in ("kind", *BY)})
    money: list[Amount] = field(default_factory=list)
    where: list[Where] = field(default_factory=list)
    few: list[int] = field(default_factory=list)
    _seen: dict[object, int] = field(default_factory=dict)

    def add(self, entry: Entry) -> dict[str, Any]:
        """Take an entry in; the row that shows it."""
        lead = entry.lead
        clauses = list(
            dict.fromkeys(self.clause_of[c.rule] for finding in entry.findings for c in finding.citations)
        )
        actor = NOBODY if entry.event is None else entry.event.actor
        day = NO_DAY if entry.at is None else entry.at[:10]
        table = NO_TABLE if entry.table is None else entry.table
        short: Amount = sum((s.amount for s in entry.short), 0)
        for by, keys in (
            ("clause", clauses or [UNCITED]),
            ("table", [table]),
            ("actor", [actor]),
            ("day", [day]),
        ):
            for key in keys:
                group = self.groups[by].setdefault(key, Group(key))
                group.count += 1
                group.short += short
        self.columns["kind"].append(self.kinds.number(f"{lead.verdict} {lead.kind}"))
        self.columns["clause"].append([self.names["clause"].number(c) for c in clauses or [UNCITED]])
        for by, key in (("table", table), ("actor", actor), ("day", day)):
            self.columns[by].append(self.names[by].number(key))
        self.money.append(short)
        self.where.append(
            Where(entry.number, entry.file, entry.line, entry.table, entry.event is None, entry.lives)
        )
        alike = (lead.verdict, lead.kind, tuple(clauses))
        self._seen[alike] = self._seen.get(alike, 0) + 1
        if self._seen[alike] <= FIRST and entry.line is not None:
            self.few.append(entry.number)
        self.total += 1
        self.unclear += lead.verdict in UNCLEAR
        return self.row(entry)

    # -------------------------------------------------------------------------------------------------- rows
    def row(self, entry: Entry) -> dict[str, Any]:
        """An entry as the script shows it: texts only, all inert."""
        lead = entry.lead
        return {
            "n": entry.number,
            "verdict": lead.verdict,
            "what": logged(lead.note) if lead.kind == "life" else meaning(lead),
            "clauses": list(dict.fromkeys(c.rule for c in lead.citations)),
            "where": where(entry),
            "file": logged(entry.file if entry.line is None else f"{entry.file}:{entry.line}"),
            "at": "" if entry.at is None else logged(entry.at),
            "event": "" if entry.event is None else self._event(entry),
            "short": [self._short(s.who, s.amount, s.basis) for s in entry.short],
            "findings": [self._finding(finding) for finding in entry.findings],
        }

    def _event(self, entry: Entry) -> str:
        event = entry.event
        assert event is not None
        said = [event.actor, event.event, *(f"{v.name}={self._value(v)}" for v in event.values)]
        corrected = "" if event.corrected_by is None else f" (as corrected by seq {event.corrected_by})"
        return " ".join(logged(word) for word in said) + corrected

    def _value(self, value: Named) -> str:
        if value.amount is not None:
            return money(value.amount, self.currency, self.exponent)
        return "any" if value.text is None else logged(value.text)

    def _named(self, values: Iterable[Named]) -> list[list[str]]:
        return [[logged(value.name), self._value(value)] for value in values]

    def _short(self, who: str, amount: Amount, basis: str) -> str:
        later = "" if basis == "settled wrongly" else " (it may have been paid later)"
        return f"{logged(who)} is short by {money(amount, self.currency, self.exponent)}, {basis}{later}"

    def _finding(self, finding: Finding) -> dict[str, Any]:
        found: dict[str, Any] = {
            "what": "" if finding.kind == "life" else meaning(finding),
            "rules": [
                {
                    "rule": c.rule,
                    "clause": self.clause_of[c.rule],
                    "quote": c.quote,
                    "answers": [f"{who} answers for it under {rule}" for who, rule in c.answers],
                }
                for c in finding.citations
            ],
            "required": [
                " ".join([act.event, *(f"{n}={v}" for n, v in self._named(act.values))])
                for act in finding.required
            ],
            "decided": self._named(finding.decided),
            "rests": self._named(finding.rests_on),
            "causes": [logged(cause.text) for cause in finding.causes],
            "gives": [logged(line) for line in finding.explanation],
            "note": logged(finding.note),
        }
        return {name: value for name, value in found.items() if value}

    # ------------------------------------------------------------------------------------------------- index
    def index(self) -> dict[str, Any]:
        """What the script sorts and filters by: for each fault numbers of names, and the rank of its money."""
        ranks = {amount: rank for rank, amount in enumerate(sorted(set(self.money)))}
        return {
            "kinds": self.kinds.list(),
            "names": {by: [logged(name) for name in self.names[by].list()] for by in BY},
            "columns": self.columns,
            "money": [ranks[amount] for amount in self.money],
        }

    def grouped(self, by: str) -> list[Group]:
        """The groups, the one with most faults first."""
        return sorted(self.groups[by].values(), key=lambda group: (-group.count, group.name))

    def drawn(self, most: int | None, among: int) -> set[int]:
        """Faults among the first `among` whose rounds to draw: all, or at most so many rounds, of the first few faults
        of each kind, then in the order of the logs."""
        if most is None:
            return {place.number for place in self.where[:among] if place.line is not None}
        chosen: set[int] = set()
        rounds: set[object] = set()
        for number in (*self.few, *range(1, min(among, self.total) + 1)):
            place = self.where[number - 1]
            if len(rounds) >= most or number > among:
                continue
            if place.line is not None:
                rounds.add(place.round)
                chosen.add(number)
        return chosen


def meaning(finding: Finding) -> str:
    """What a finding is, in words."""
    unclear = UNCLEAR.get(finding.verdict)
    if unclear is not None:
        return f"{finding.verdict}: {unclear} ({finding.kind})"
    return MEANING[finding.kind]


def where(entry: Entry) -> str:
    """Table, lives and number of an entry."""
    keys = [f"{life} {key}" for life, key in entry.lives if key is not None]
    table = [] if entry.table is None else [f"table {entry.table}"]
    seq = [] if entry.seq is None else [f"seq {entry.seq}"]
    return logged(", ".join([*table, *keys, *seq]))


# -------------------------------------------------------------------------------------------------- tables
COLUMNS = (
    "number", "verdict", "kind", "rules", "file", "line", "table", "lives", "seq", "at", "actor", "event", "values",
    "short_who", "short_amount", "short_basis", "note",
)  # fmt: skip
"""The columns of the tables beside the page. Amounts are minor units, exact; several values are joined by `; `."""

HARMFUL = re.compile(
    r"(?:^|(?<=[;\t\r\n]))(?=[\s\0\u200b-\u200f\u2060\ufeff]*[=+\-@＝＋－＠])|^(?=[\t\r\n\0])"
)
"""Where a formula would begin: at the start, and after what some spreadsheets part cells by. Some drop the white space
before it, and what cannot be seen."""


def harmless(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula, nor a part of it: before what would begin one an apostrophe."""
    return HARMFUL.sub("'", cell)


def table_row(entry: Entry) -> dict[str, Any]:
    """An entry as a row of the tables, as the log has it."""
    event = entry.event
    shorts: Sequence[Any] = entry.short
    return {
        "number": entry.number,
        "verdict": entry.lead.verdict,
        "kind": entry.lead.kind,
        "rules": "; ".join(dict.fromkeys(c.rule for f in entry.findings for c in f.citations)),
        "file": entry.file,
        "line": entry.line,
        "table": entry.table,
        "lives": "; ".join(f"{life} {key}" for life, key in entry.lives if key is not None),
        "seq": entry.seq,
        "at": entry.at,
        "actor": None if event is None else event.actor,
        "event": None if event is None else event.event,
        "values": None
        if event is None
        else "; ".join(f"{v.name}={'' if v.text is None else v.text}" for v in event.values),
        "short_who": "; ".join(s.who for s in shorts),
        "short_amount": "; ".join(str(s.amount) for s in shorts),
        "short_basis": "; ".join(s.basis for s in shorts),
        "note": "; ".join(f.note for f in entry.findings if f.note),
    }
