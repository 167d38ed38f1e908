"""Rounds of any ruleset written as scripts, and a table of changes that break its rules.

A script is steps parted by semicolons: an event and its columns in the order of the schema, the actor being the first
one that the event provides for, or the one after `@`. A life's key counts up after an event that ends the life; where
such an event comes first, the life begins with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import yaml

from verifier.check.engine import Prepared, check_logs, prepare
from verifier.check.options import stated_options
from verifier.check.result import CheckResult, Counts, Entry
from verifier.log.assemble import Opened, Tally
from verifier.log.header import Header, parse_header
from verifier.log.rows import Row, RowReader
from verifier.log.sources import LogFile
from verifier.prove.explore.snapshot import Runner
from verifier.run.bench import Happening, effective_options
from verifier.run.state import State


@dataclass(frozen=True, slots=True)
class Fault:
    """A change of a lawful script, the rule that it is about, and every entry that it makes (as `written`)."""

    rule: str
    game: str
    change: tuple[tuple[str, str], ...]
    entries: tuple[str, ...]
    options: Mapping[str, object]

    def made(self, scripts: Mapping[str, str]) -> str:
        """The script as changed: of each pair of texts the first, where it first stands, becomes the second."""
        script = scripts[self.game]
        for old, new in self.change:
            assert old in script, f"{self.game}: there is no {old!r}"
            script = script.replace(old, new, 1)
        return script


def read_games(path: Path) -> dict[str, str]:
    """The scripts of a file, by name."""
    return {str(name): str(script) for name, script in yaml.safe_load(path.read_text("utf-8")).items()}


def read_faults(path: Path) -> list[Fault]:
    """The table of faults of a file."""
    return [
        Fault(
            item["rule"],
            item["game"],
            tuple((pair["from"], pair["to"]) for pair in item["change"]),
            tuple(item["entries"]),
            item.get("options", {}),
        )
        for item in yaml.safe_load(path.read_text("utf-8"))
    ]


@dataclass(frozen=True)
class Game:
    """A ruleset with what a header of its logs states, and short names of its events."""

    ruleset: str
    options: Mapping[str, object]
    short: Mapping[str, str]

    @cached_property
    def ready(self) -> Prepared:
        return prepare(self.ruleset)

    def header_fields(self, options: Mapping[str, object]) -> dict[str, object]:
        return {
            "gazette-log": 1,
            "operator": "a test",
            "ruleset": self.ruleset,
            "currency": "XTS",
            "exponent": 2,
            "records": "all",
            "missing_columns": ["at"],
            "options": {**self.options, **options},
        }

    def header(self, options: Mapping[str, object]) -> Header:
        return parse_header(self.header_fields(options), self.ready.binding.schema)

    def fields(self, script: str) -> list[dict[str, object]]:
        """The script as lines of JSON Lines."""
        schema, ruleset = self.ready.binding.schema, self.ready.ruleset
        keys: dict[str, object] = dict.fromkeys(ruleset.lives, 1)
        keys[next(iter(keys))] = "T1"
        used: set[str] = set()
        found: list[dict[str, object]] = []
        for part in filter(None, (piece.strip() for piece in script.split(";"))):
            words = part.split()
            actor = words.pop(0)[1:] if words[0].startswith("@") else None
            event = self.short.get(words[0], words[0])
            by = ruleset.events[event].by
            names = schema.events[event].parameters
            row = {
                **keys,
                "seq": len(found) + 1,
                "actor": actor or (by[0] if by else next(iter(ruleset.actors))),
            }
            row["event"] = event
            for name, text in zip(names, words[1:], strict=True):
                row[name] = int(text) if schema.columns[name].kind in ("integer", "money") else text
            found.append(row)
            for life in ruleset.lives.values():
                key = keys[life.name]
                if event not in life.ends:
                    used.add(life.name)
                elif life.name in used and isinstance(key, int):
                    keys[life.name] = key + 1
                    used.discard(life.name)
        return found

    def rows(self, script: str, header: Header) -> Iterator[Row]:
        """The script as rows that a reader would give."""
        reader = RowReader("script", self.ready.binding.schema, header)
        for line, fields in enumerate(self.fields(script), 1):
            row = reader.read(fields, line)
            assert isinstance(row, Row)
            yield row

    def in_force(self) -> dict[str, object]:
        """The options as the interpreter has them."""
        _, stated = stated_options(self.ready.ruleset, self.header({}), {}, "script")
        return dict(effective_options(self.ready.program, stated))

    def played(self, script: str) -> Iterator[State]:
        """The states after each event of a script, as the interpreter makes them."""
        header, options = self.header({}), self.in_force()
        runner = Runner(self.ready.program)
        snapshot = runner.empty
        for row in self.rows(script, header):
            values = self.ready.binding.values(row.event, row.values, header)
            stepped = runner.step(snapshot, options, Happening(row.event, row.actor, values))
            assert stepped is not None
            snapshot = stepped.snapshot
            yield snapshot.state

    def check(self, script: str, options: Mapping[str, object] | None = None) -> CheckResult:
        """The check of a script."""
        header = self.header(options or {})
        opened = Opened(header, self.rows(script, header), Tally())
        return check_logs([LogFile("script", None, "", opened, None, ExitStack())], self.ready)

    def binding(self) -> set[str]:
        """The rules that bind or decide."""
        ruleset = self.ready.ruleset
        found = {unit.rule for unit in ruleset.units.values()}
        found |= {question.rule for question in ruleset.questions}
        return found | {requirement.rule for requirement in ruleset.requirements}


def counts(result: CheckResult) -> dict[str, Counts]:
    """How often each rule was judged."""
    return {rule.rule: rule.counts for clause in result.clauses for rule in clause.rules}


def written(entry: Entry) -> str:
    """An entry as the table of faults writes it."""
    cited: dict[str, set[str]] = {}
    for finding in entry.findings:
        cited.setdefault(finding.verdict, set()).update(citation.rule for citation in finding.citations)
    parts = [f"{verdict} {', '.join(sorted(rules))}".strip() for verdict, rules in cited.items()]
    parts += [f"{short.who} short {short.amount}" for short in entry.short]
    values = () if entry.event is None else entry.event.values
    keys = "the options" if entry.seq is None else "the keys"
    row = keys if entry.event is None else f"{entry.event.event} {' '.join(v.text or '' for v in values)}"
    return f"{row.strip()}: {'; '.join(parts)}"


def broken(entry: Entry) -> set[str]:
    """The rules that an entry finds broken."""
    return {
        citation.rule
        for finding in entry.findings
        if finding.verdict == "broken"
        for citation in finding.citations
    }


def kept(result: CheckResult) -> set[str]:
    """The rules that were exercised, and only kept."""
    return {rule for rule, count in counts(result).items() if count.kept and count.kept == count.applied}
