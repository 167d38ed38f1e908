"""Findings as GitLab's code quality report. What is accepted is no finding there."""

from __future__ import annotations

import json
from typing import Any

from verifier.errors import escaped
from verifier.report.ci.findings import Finding, Level, Report

_SEVERITIES: dict[Level, str] = {"error": "critical", "warning": "minor", "note": "info"}

NOWHERE = "."
"""The path of a finding that stands in no file."""


def text(report: Report) -> str:
    """The JSON list."""
    entries = [_entry(finding) for finding in report.findings if finding.accepted is None]
    return json.dumps(entries, indent=2, ensure_ascii=True).replace("\x7f", "\\u007f") + "\n"


def _entry(finding: Finding) -> dict[str, Any]:
    return {
        "description": escaped(finding.message),
        "check_name": finding.subject.id,
        "fingerprint": finding.fingerprint,
        "severity": _SEVERITIES[finding.level],
        "location": {"path": finding.file or NOWHERE, "lines": {"begin": finding.line or 1}},
    }
