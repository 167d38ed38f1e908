"""The front page of a check: the answer first, then what was examined, what could not be, and how to do it again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from verifier.check.result import CheckResult, ClauseResult, OptionResult, Shortfall
from verifier.exits import Exit
from verifier.model.ruleset import Ruleset
from verifier.report.html.words import logged, own, plural
from verifier.report.money import money
from verifier.report.text import (
    MEANING,
    UNCLEAR,
    arranged,
    contested,
    never_asked,
    told_of_contested,
    told_of_early,
    told_of_impossible,
    told_of_unasked,
    told_of_unmade,
    too_early,
)
from verifier.version import code_digest

PARTIES = 50
"""So many parties the page names as short; the tables beside it have all."""

TABLES = 50
FILES = 200
EXTRAS = 50
"""So many of the operator's own x_ keys, with another value each."""

ORIGIN = {
    "log": "stated in the log",
    "set": "set with the request",
    "default": "assumed: the rules' own default",
}


def view(result: CheckResult, ruleset: Ruleset, command: str) -> dict[str, Any]:
    """What the template of the front page shows. All texts are inert."""
    bad = sum(f.count for f in result.faults if f.verdict in ("broken", "impossible"))
    return {
        "bad": bad,
        "unsure": result.entries_total - bad,
        **_answer(result, bad),
        "faults": [
            {
                "count": f.count,
                "verdict": f.verdict,
                "what": UNCLEAR.get(f.verdict) or MEANING[f.kind],
                "kind": f.kind,
            }
            for f in result.faults
        ],
        "short": [_short(s, result) for s in result.short[:PARTIES]],
        "short_more": max(0, len(result.short) - PARTIES),
        "sums": _sums(result.short, result),
        "made_good": _sums(result.made_good, result),
        "contested": told_of_contested(clashes) if (clashes := contested(result)) else None,
        "early": told_of_early(early) if (early := too_early(result)) else None,
        "unasked": told_of_unasked(unasked) if (unasked := never_asked(result)) else None,
        "impossible": told_of_impossible(result.unreckoned) if result.unreckoned else None,
        "unmade": told_of_unmade(result.unmade) if result.unmade else None,
        "broken": [c for c in result.clauses if c.status == "broken"],
        "result": result,
        "laws": [
            {
                "title": law.title,
                "citation": f"{law.header.instrument}, {law.header.issue}",
                "id": law.id,
                "digest": law.digest,
            }
            for law in reversed(list(ruleset.laws.values()))
        ],
        "code": code_digest(),
        "operators": [logged(name) for name in dict.fromkeys(f.operator for f in result.files)],
        "files": [
            {
                "name": logged(f.name),
                "sha256": f.sha256,
                "sealed": f.sealed,
                "events": f.events,
                "corrections": f.corrections,
            }
            for f in result.files[:FILES]
        ],
        "extras": _extras(result)[:EXTRAS],
        "extras_more": max(0, len(_extras(result)) - EXTRAS),
        "arranged": [logged(line) for line in arranged(result)],
        "files_more": max(0, len(result.files) - FILES),
        "tables": [
            {"name": "—" if t.name is None else logged(t.name), "table": t} for t in result.tables[:TABLES]
        ],
        "tables_more": max(0, len(result.tables) - TABLES),
        "interval": _interval(result),
        "options": [_option(o, result) for o in result.options],
        "recording": [
            {
                "what": what,
                "names": [logged(name) for name in names],
                "files": [logged(name) for name in item.files],
            }
            for item in result.recording
            for what, names in (
                ("Events not recorded", item.absent),
                ("Order not recorded", item.unordered),
                ("Columns missing", item.missing_columns),
                ("Began before the log", item.begun),
            )
            if names
        ],
        "unchecked": [_unchecked(c) for c in result.clauses if c.counts.not_checkable],
        "never": [c.name for c in result.clauses if c.status == "never exercised"],
        "silent": _silent(result),
        **_readings(result, ruleset),
        "notes": [logged(note) for note in result.notes],
        "command": logged(command),
        "exit_code": int(result.exit_code),
    }


def _extras(result: CheckResult) -> list[dict[str, Any]]:
    """What headers state under the operator's own keys: each value once, with the files where not all have it."""
    found: dict[tuple[str, str], list[str]] = {}
    for file in result.files:
        for name, value in file.extras.items():
            found.setdefault((logged(name), own(value)), []).append(logged(file.name))
    return [
        {"name": name, "value": value, "files": files if len(files) < len(result.files) else []}
        for (name, value), files in found.items()
    ]


def answer(result: CheckResult) -> str:
    """Whether the logs are in order, in one sentence."""
    bad = sum(f.count for f in result.faults if f.verdict in ("broken", "impossible"))
    return _answer(result, bad)["answer"]


def _answer(result: CheckResult, bad: int) -> dict[str, str]:
    if bad:
        return {"state": "bad", "answer": f"The log is not in order: {plural(bad, 'fault')}."}
    if result.exit_code == Exit.UNDECIDED:
        return {"state": "doubt", "answer": "Nothing was found broken, but not all could be decided."}
    return {"state": "good", "answer": "The log is in order: every rule that could be checked was kept."}


def _short(short: Shortfall, result: CheckResult) -> dict[str, str]:
    return {
        "who": logged(short.who),
        "amount": money(short.amount, result.currency, result.exponent),
        "basis": short.basis,
    }


def _sums(shorts: Iterable[Shortfall], result: CheckResult) -> list[tuple[str, str]]:
    """The money at stake by its basis, in all."""
    sums: dict[str, Any] = {}
    for short in shorts:
        sums[short.basis] = sums.get(short.basis, 0) + short.amount
    return [(basis, money(amount, result.currency, result.exponent)) for basis, amount in sums.items()]


def _interval(result: CheckResult) -> str:
    first = sorted(t.first_at for t in result.tables if t.first_at is not None)
    last = sorted(t.last_at for t in result.tables if t.last_at is not None)
    return f"{logged(first[0])} to {logged(last[-1])}" if first and last else "no times are recorded"


def _option(option: OptionResult, result: CheckResult) -> dict[str, Any]:
    value = option.value
    if value is None:
        tried = ", ".join(option.tried)
        shown = (
            f"not stated; every value tried ({tried})"
            if tried
            else "not stated; what needs it is not checked"
        )
    elif value.amount is not None:
        shown = money(value.amount, result.currency, result.exponent)
    else:
        shown = "any" if value.text is None else logged(value.text)
    origin = "" if option.source == "unstated" else ORIGIN[option.source]
    return {
        "name": option.name,
        "value": shown,
        "origin": origin,
        "source": option.source,
        "files": [logged(name) for name in option.files],
    }


def _unchecked(clause: ClauseResult) -> dict[str, Any]:
    reasons = [f"{logged(item.cause.text)} ({item.count:,})" for item in clause.why_not]
    return {"name": clause.name, "count": clause.counts.not_checkable, "reasons": reasons}


def _silent(result: CheckResult) -> list[tuple[str, int]]:
    """How many clauses no log can show, or speak of another instrument, or have no rule."""
    kinds: dict[str, int] = {}
    for clause in result.clauses:
        if clause.words and clause.status in ("unobservable", "external", "no rule"):
            kinds[clause.status] = kinds.get(clause.status, 0) + 1
    return list(kinds.items())


def _readings(result: CheckResult, ruleset: Ruleset) -> dict[str, Any]:
    """The readings of rules that were applied or read in this log; and how many there are besides."""
    used = {
        rule.rule for clause in result.clauses for rule in clause.rules if rule.counts.applied or rule.read
    }
    clauses = {rule.rule: clause.name for clause in result.clauses for rule in clause.rules}
    found: list[dict[str, str]] = []
    others = 0
    for rule in ruleset.rules.values():
        for reading in rule.readings:
            if rule.id in used:
                found.append(
                    {"rule": rule.id, "clause": clauses[rule.id], "quote": rule.quote, "reading": reading}
                )
            else:
                others += 1
    return {"readings": found, "readings_others": others}
