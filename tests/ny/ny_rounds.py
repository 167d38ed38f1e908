"""Rounds under New York's 4620.5 as scripts, changes of them that break a rule, and what a check says of both.

A script is steps parted by semicolons: an event and its columns in the order of the schema, the actor being the first
one that the event provides for (of a player's hand, the player), or the one after `@`. Short forms stand for common
events. `rounds.yaml` holds scripts by name, `faults.yaml` changes of them, `ties.yaml` hands with what becomes of
their wagers under each option.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

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

RULESET = "ny/black-jack"
HERE = Path(__file__).parent

OPTIONS: Mapping[str, object] = {"boxes_on_layout": 7, "decks": 4, "ties": "all_push"}
TIES = ("all_push", "push_on_natural", "house_wins")

SHORT = {
    "d": "deal",
    "down": "deal_down",
    "up": "turn_up",
    "hits": "draw",
    "stands": "stand",
    "natural": "announce_blackjack",
    "busts": "announce_over_21",
    "offers": "announce_insurance",
    "takes": "collect",
    "back": "give_back",
    "rm": "remove_cards",
    "end": "end_round",
}

OF_EITHER = ("turn_up", "announce_blackjack")
"""Events of the dealer's hand by the dealer, and of a player's by the player."""


@dataclass(frozen=True, slots=True)
class Round:
    """A script with the options in force, and the entries that it makes as it stands (as `written` has them)."""

    name: str
    script: str
    options: Mapping[str, object]
    entries: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fault:
    """A change of a round that breaks `rule`, in whose clause `words` stand, and every entry that it makes."""

    rule: str
    words: str
    round: str
    change: tuple[tuple[str, str], ...]
    options: Mapping[str, object]
    entries: tuple[str, ...]

    @property
    def script(self) -> str:
        """The round's script, in which of each pair of texts the first, where it first stands, is the second."""
        script = rounds()[self.round].script
        for old, new in self.change:
            assert old in script, f"{self.round}: there is no {old!r}"
            script = script.replace(old, new, 1)
        return script


@cache
def ready() -> Prepared:
    return prepare(RULESET)


def _loaded(name: str) -> Any:
    return yaml.safe_load((HERE / name).read_text("utf-8"))


@cache
def rounds() -> dict[str, Round]:
    """The rounds by name."""
    return {
        name: Round(
            name, " ".join(item["script"].split()), item.get("options", {}), tuple(item.get("entries", ()))
        )
        for name, item in _loaded("rounds.yaml").items()
    }


@cache
def faults() -> tuple[Fault, ...]:
    """The table of faults."""
    return tuple(
        Fault(
            item["rule"],
            item["words"],
            item["round"],
            tuple((old, new) for old, new in item["change"]),
            {**rounds()[item["round"]].options, **item.get("options", {})},
            tuple(item["entries"]),
        )
        for item in _loaded("faults.yaml")
    )


@cache
def ties() -> list[dict[str, str]]:
    """The table of hands: `player`, `dealer` (cards), `play`, and under each option what becomes of the wager."""
    found: list[dict[str, str]] = _loaded("ties.yaml")
    return found


def fields(script: str) -> Iterator[dict[str, object]]:
    """The script as lines of JSON Lines."""
    schema, ruleset = ready().binding.schema, ready().ruleset
    shoe, number = 1, 1
    for seq, part in enumerate(filter(None, (piece.strip() for piece in script.split(";"))), 1):
        words = part.split()
        actor = words.pop(0)[1:] if words[0].startswith("@") else None
        event = SHORT.get(words[0], words[0])
        names = schema.events[event].parameters
        row: dict[str, object] = {"table": "T1", "shoe": shoe, "round": number, "seq": seq}
        by = ruleset.events[event].by
        own = by[1] if event in OF_EITHER and words[1] != "dealer" else by[0]
        row |= {"actor": actor or own, "event": event}
        for name, text in zip(names, words[1:], strict=True):
            row[name] = int(text) if schema.columns[name].kind in ("integer", "money") else text
        yield row
        shoe += event == "shuffle"
        number += event == "end_round"


def header(options: Mapping[str, object], missing: tuple[str, ...] = ()) -> Header:
    """The header of a log. An option that is None is left unstated; a column `missing` is never recorded."""
    stated = {
        "gazette-log": 1,
        "operator": "a test",
        "ruleset": RULESET,
        "currency": "USD",
        "exponent": 2,
        "records": "all",
        "missing_columns": ["at", *missing],
        "options": {name: value for name, value in {**OPTIONS, **options}.items() if value is not None},
    }
    return parse_header(stated, ready().binding.schema)


def rows(script: str, header_: Header, missing: tuple[str, ...] = ()) -> Iterator[Row]:
    """The script as rows that a reader would give."""
    reader = RowReader("script", ready().binding.schema, header_)
    for line, found in enumerate(fields(script), 1):
        lacking = {name.rpartition(".")[2] for name in missing if name.startswith(f"{found['event']}.")}
        row = reader.read({name: value for name, value in found.items() if name not in lacking}, line)
        assert isinstance(row, Row)
        yield row


def check(script: str, options: Mapping[str, object], missing: tuple[str, ...] = ()) -> CheckResult:
    """The check of a script, under a header as `header` makes it."""
    head = header(options, missing)
    opened = Opened(head, rows(script, head, missing), Tally())
    return check_logs([LogFile("script", None, "", opened, None, ExitStack())], ready())


def in_force(name: str) -> dict[str, object]:
    """The options of a round as the interpreter has them."""
    _, stated = stated_options(ready().ruleset, header(rounds()[name].options), {}, "script")
    return dict(effective_options(ready().program, stated))


def played(name: str) -> Iterator[State]:
    """The states after each event of a round, as the interpreter makes them."""
    head, options = header(rounds()[name].options), in_force(name)
    runner = Runner(ready().program)
    snapshot = runner.empty
    for row in rows(rounds()[name].script, head):
        values = ready().binding.values(row.event, row.values, head)
        stepped = runner.step(snapshot, options, Happening(row.event, row.actor, values))
        assert stepped is not None
        snapshot = stepped.snapshot
        yield snapshot.state


def counts(result: CheckResult) -> dict[str, Counts]:
    """How often each rule was judged."""
    return {rule.rule: rule.counts for clause in result.clauses for rule in clause.rules}


def kept(result: CheckResult) -> set[str]:
    """The rules that were exercised, and only kept."""
    return {rule for rule, count in counts(result).items() if count.applied and count.kept == count.applied}


def broken(result: CheckResult) -> set[str]:
    """The rules that were broken."""
    return {rule for rule, count in counts(result).items() if count.broken}


def unclear(result: CheckResult) -> set[str]:
    """The rules that could not be checked."""
    return {rule for rule, count in counts(result).items() if count.not_checkable}


def written(entry: Entry) -> str:
    """An entry as a line: the event, the rules by verdict, who is short."""
    cited: dict[str, set[str]] = {}
    for finding in entry.findings:
        cited.setdefault(finding.verdict, set()).update(citation.rule for citation in finding.citations)
    parts = [f"{verdict} {', '.join(sorted(rules))}".strip() for verdict, rules in cited.items()]
    parts += [f"{short.who} short {short.amount}" for short in entry.short]
    values = () if entry.event is None else entry.event.values
    row = (
        "" if entry.event is None else f"{entry.event.event} {' '.join(v.text or '' for v in values)}".strip()
    )
    return f"{row}: {'; '.join(parts)}"


def binding() -> set[str]:
    """The rules that bind or decide."""
    ruleset = ready().ruleset
    found = {unit.rule for unit in ruleset.units.values()}
    found |= {question.rule for question in ruleset.questions}
    return found | {requirement.rule for requirement in ruleset.requirements}
