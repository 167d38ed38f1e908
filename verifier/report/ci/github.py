"""Findings as workflow commands: GitHub shows them beside the lines of the files."""

from __future__ import annotations

from verifier.errors import escaped
from verifier.report.ci.findings import Finding, Level, Report

MOST = 10
"""Annotations of one level that GitHub takes from one step."""

_COMMANDS: dict[Level, str] = {"error": "error", "warning": "warning", "note": "notice"}


def text(report: Report) -> str:
    """One line a finding, and one that counts them."""
    lines: list[str] = []
    for level, command in _COMMANDS.items():
        mine = [finding for finding in report.findings if finding.level == level]
        lines += [_line(command, finding) for finding in mine[:MOST]]
    cut = f", of which {len(lines)} are shown" if report.total > len(lines) else ""
    noun = "finding" if report.total == 1 else "findings"
    lines.append(_value(f"gazette {report.command} {report.about}: {report.total} {noun}{cut}"))
    return "\n".join(lines) + "\n"


def _line(command: str, finding: Finding) -> str:
    properties: dict[str, object] = {}
    if finding.file is not None:
        properties["file"] = finding.file
        properties["line"] = finding.line or 1
        if finding.column is not None:
            properties["col"] = finding.column
    properties["title"] = finding.subject.id
    told = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
    return f"::{command} {told}::{_value(finding.message)}"


def _value(words: str) -> str:
    return escaped(words).replace("%", "%25")


def _property(words: str) -> str:
    return _value(words).replace(":", "%3A").replace(",", "%2C")
