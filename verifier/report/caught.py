"""Which obligation catches which mutant, as a list to be kept, and in short."""

from __future__ import annotations

import json
from typing import Any

from verifier.mutate.asking import ASKED, NOT_ASKED
from verifier.mutate.catching import Catching
from verifier.mutate.caught import Caught
from verifier.mutate.mutant import KINDS
from verifier.prove.question import Kind
from verifier.report.lines import Page, count

ABOUT = """\
Which obligation's verdict a change of a rule turns, and what shows it. `after N events of F`: these events, played
under the changed rules, lead to where it fails. `nowhere`: what must be so somewhere is so in no state, by every
solver. Obligations about duties and about single rules (duty against prohibition; dead, subsumed, idle, and what a
rule supposes) are asked only of what nothing else caught. What is not caught turns no verdict that was asked for;
whether transcripts notice it says `gazette mutate` without --by."""

OUTCOMES = ("caught", "not caught", "refused")

STATED = frozenset[Kind]({"theorem", "invariant", "reachable"})

BY = (
    "what is stated beside the rules",
    "obligations that write themselves",
    "its own rule found dead, and nothing else",
)
"""What catches a mutant, the strongest first: that a rule which was made never to apply applies nowhere says little."""


def _by(one: Caught) -> str:
    kinds = {catch.kind for catch in one.catches}
    return BY[0] if kinds & STATED else BY[2] if kinds == {"dead rule"} else BY[1]


def _caught(result: Catching) -> dict[str, int]:
    """How many are caught by what; each counts once."""
    found = [_by(one) for one in result.found if one.outcome == "caught"]
    return {by: found.count(by) for by in BY}


def document(result: Catching) -> dict[str, Any]:
    """The whole result, rule by rule."""
    rules: dict[str, list[dict[str, Any]]] = {}
    for one in result.found:
        rules.setdefault(one.mutant.rule, []).append(_entry(result, one))
    return {
        "ruleset": result.ruleset.name,
        "sha256": result.ruleset.digest,
        "verifier": result.version,
        "solvers": dict(result.solvers),
        "plays": {"number": result.plays, "states": result.states, "sha256": result.digest},
        "asked": list(ASKED),
        "not asked": {str(kind): why for kind, why in NOT_ASKED.items()},
        "only": list(result.only),
        "mutants": {"all": result.total, **{outcome: result.number(outcome) for outcome in OUTCOMES}},
        "caught by": _caught(result),
        "rules": rules,
    }


def _entry(result: Catching, one: Caught) -> dict[str, Any]:
    entry: dict[str, Any] = {"id": one.mutant.id, "change": one.mutant.words}
    match one.outcome:
        case "caught":
            entry["caught"] = {catch.obligation: catch.shown for catch in one.catches}
        case "not caught":
            entry["not caught"] = result.why(one)
        case "refused":
            entry["refused"] = one.why
    return entry


def listed(result: Catching) -> str:
    """The list as YAML, a line for each mutant."""
    whole = document(result)
    rules = whole.pop("rules")
    told = f" {' '.join(f'--only {json.dumps(pattern)}' for pattern in result.only)}" if result.only else ""
    lines = [
        f"# Written by `gazette mutate {result.ruleset.name} --by theorems{told} --report`, not by hand.",
        *(f"# {line}" for line in ABOUT.splitlines()),
    ]
    lines += [f"{key}: {_flow(value)}" for key, value in whole.items()]
    lines.append("rules:")
    for rule, entries in rules.items():
        lines.append(f"  {_flow(rule)}:")
        lines += [f"  - {_flow(entry)}" for entry in entries]
    return "\n".join((*lines, ""))


def _flow(value: object) -> str:
    """A value in one line of YAML."""
    return json.dumps(value, ensure_ascii=False)


def text(result: Catching, width: int) -> str:
    """In short: how many mutants of each kind are caught, and by what."""
    page = Page(width)
    page.line(f"Ruleset {result.ruleset.name} ({result.ruleset.digest[:12]})", style="head")
    limited = f", of which {len(result.found)} were asked for" if result.only else ""
    solvers = " and ".join(f"{name} {version}" for name, version in result.solvers.items())
    page.line(
        f"{count(result.total, 'mutant')}{limited}, held against obligations"
        f" by {count(result.plays, 'play')} and {solvers}."
    )
    page.line(f"Not asked: {'; '.join(f'{kind} ({why})' for kind, why in NOT_ASKED.items())}.")
    page.line()
    for outcome in OUTCOMES:
        page.raw(f"{result.number(outcome):>6}  {outcome}")
    page.line()
    page.line("Caught, by the strongest that catches:")
    for by, number in _caught(result).items():
        page.raw(f"{number:>6}  {by}")
    page.line()
    page.line("Caught, by kind of change:")
    for change in KINDS:
        mine = [one for one in result.found if one.mutant.kind == change and one.outcome != "refused"]
        if mine:
            page.raw(f"{sum(one.outcome == 'caught' for one in mine):>6} of {len(mine):>5}  {change}")
    page.line()
    page.line("Caught, by kind of obligation (some by several):")
    for kind in ASKED:
        number = sum(any(catch.kind == kind for catch in one.catches) for one in result.found)
        if number:
            page.raw(f"{number:>6}  {kind}")
    page.line()
    page.line("Which catches which, and why nothing does: --report FILE, or --format json.")
    return "\n".join(page.lines) + "\n"
