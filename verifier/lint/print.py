"""Printers of what lint found."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields

from verifier.errors import Problem, escaped, render
from verifier.lint.finding import Finding, Inspected

_ERROR = ("error", "\x1b[1;31merror\x1b[0m")
_WARNING = ("warning", "\x1b[1;33mwarning\x1b[0m")


def to_text(inspected: Sequence[Inspected], colour: bool = False) -> str:
    """Every finding as errors are rendered, then one line for each ruleset."""
    parts = [_finding(finding, colour) for one in inspected for finding in one.findings]
    parts.append("\n".join(_summary(one) for one in inspected))
    return "\n\n".join(parts) + "\n"


def to_json(inspected: Sequence[Inspected]) -> str:
    """One JSON object: `rulesets`, each with its `ruleset`, counts and `findings`, their unknown parts null."""
    rulesets = [
        {
            "ruleset": one.asked,
            "rules": one.rules,
            "clauses": one.clauses,
            "errors": one.errors,
            "warnings": one.warnings,
            "findings": [{"severity": f.severity, **_fields(f.problem)} for f in one.findings],
        }
        for one in inspected
    ]
    return json.dumps({"rulesets": rulesets}, ensure_ascii=False, indent=2) + "\n"


def _fields(problem: Problem) -> dict[str, object]:
    return {field.name: getattr(problem, field.name) for field in fields(problem)}


def _finding(finding: Finding, colour: bool) -> str:
    text = render(finding.problem, colour)
    if finding.severity == "error":
        return text
    return _WARNING[colour] + text.removeprefix(_ERROR[colour])


def _summary(one: Inspected) -> str:
    looked = "" if one.errors else f"{_count(one.rules, 'rule')} on {_count(one.clauses, 'clause')}: "
    return f"{escaped(one.asked)}: {looked}{_count(one.errors, 'error')}, {_count(one.warnings, 'warning')}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
