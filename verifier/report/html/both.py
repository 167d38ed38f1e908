"""The rounds of a log that two rulesets judge differently, each played under both: step by step, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from verifier.check.engine import Prepared
from verifier.check.opening import Logs
from verifier.check.played import Played, Wanted, play
from verifier.diff.logs import EventDiff, LogDiff, prepared
from verifier.diff.stated import Stated
from verifier.log.sources import open_logs
from verifier.model.ruleset import Ruleset
from verifier.report.html.packed import packed
from verifier.report.html.page import Site, body, data_text
from verifier.report.html.rounds import Painter, round_view
from verifier.report.html.words import logged

MOST = 200
"""So many rounds that come out otherwise are drawn; the list has all."""

Found = tuple[str, str | None, int]
"""Where a row is: file, table and number."""


def pieces(
    log: LogDiff, old: Ruleset, new: Ruleset, paths: Sequence[Path], site: Site, same: Sequence[Stated]
) -> dict[int, str]:
    """For each of the rounds that come out otherwise, by its number among them from 1: the piece of a page that draws
    it. Rounds that the two divide differently are left out, and those in which no row itself is at issue."""
    names = [str(path) for path in paths]
    ready, after = prepared(old, new, same)
    rounds = list(log.rounds[:MOST])
    at = _lines((event for _, events in rounds for event in events), ready, names)
    wanted: list[Wanted] = []
    which: dict[int, int] = {}
    for number, (_, events) in enumerate(rounds, 1):
        for event in events:
            key = _key(event)
            if key in at:
                wanted.append(Wanted(len(wanted) + 1, event.log, at[key], key[1]))
                which[len(wanted)] = number
    if not wanted:
        return {}
    played = [
        {_begin(one): one for one in play(Logs(names, any_ruleset=True), side, wanted)}
        for side in (ready, after)
    ]
    painter = _painter(names, ready)
    found: dict[int, str] = {}
    for begin, one in played[0].items():
        other = played[1].get(begin)
        if other is None or len(other.steps) != len(one.steps) or not one.entries:
            continue
        number = which[one.entries[0]]
        views = [round_view(p, f"b{number}", painter) for p in (one, other)]
        found[number] = data_text(packed(body("both.html.j2", site, then=views[0], now=views[1])))
    return found


def _key(event: EventDiff) -> Found:
    return event.log, dict(event.place).get("table"), -1 if event.seq is None else event.seq


def _lines(events: Iterable[EventDiff], ready: Prepared, names: Sequence[str]) -> dict[Found, int]:
    """The lines of events that are rows of the logs."""
    wanted = {_key(event) for event in events if event.seq is not None}
    schema = ready.binding.schema
    found: dict[Found, int] = {}
    for log in open_logs(names, schema, None, any_ruleset=True):
        for row in log.rows():
            table = None if schema.table is None or row.lives[0] is None else str(row.lives[0])
            key = row.file, table, row.seq
            if key in wanted:
                found[key] = row.line
    return found


def _begin(played: Played) -> tuple[str, int | None]:
    return played.steps[0].file, played.steps[0].line


def _painter(names: Sequence[str], ready: Prepared) -> Painter:
    with next(iter(open_logs(names, ready.binding.schema, None, any_ruleset=True))) as log:
        return Painter.of(log.header.currency, log.header.exponent)


def rounds_view(
    log: LogDiff, drawn: dict[int, str], old: Ruleset, new: Ruleset, paths: Sequence[Path]
) -> list[dict[str, Any]]:
    """The rounds that come out otherwise, as the template lists them."""
    painter = _painter([str(path) for path in paths], prepared(old, new)[0]) if paths else Painter(str)
    return [
        {
            "place": logged(", ".join(f"{life} {key}" for life, key in place)) or "the log",
            "events": [
                {
                    "seq": event.seq,
                    "event": logged(event.named),
                    "sides": [
                        None
                        if side is None
                        else {
                            "verdict": " and ".join((side.verdict, *side.also)),
                            "rules": side.rules,
                            "short": [
                                f"{logged(who)} is short by {painter.shown(Fraction(amount))}"
                                for who, amount in side.short
                            ],
                        }
                        for side in (event.old, event.new)
                    ],
                }
                for event in events
            ],
            "piece": drawn.get(number),
        }
        for number, (place, events) in enumerate(log.rounds, 1)
    ]
