"""Findings as SARIF 2.1.0, within the limits up to which GitHub takes and shows it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

from verifier.errors import escaped
from verifier.report.ci.findings import Finding, Report

MOST = 5_000
"""Results that GitHub shows of one file; of more it drops some. The worst come first."""

MOST_TEXT = 1_024
"""Characters that GitHub takes of a description or a message; a longer one is cut. Of help it takes all."""

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

_ORDER = ("error", "warning", "note")


def text(report: Report) -> str:
    """The SARIF log."""
    kept = sorted(report.findings, key=lambda finding: _ORDER.index(finding.level))[:MOST]
    subjects = {finding.subject.id: finding.subject for finding in kept}
    numbers = {id_: number for number, id_ in enumerate(subjects)}
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "gazette",
                "version": report.version,
                "rules": [
                    {
                        "id": subject.id,
                        "shortDescription": {"text": _cut(subject.title)},
                        "fullDescription": {"text": _cut(subject.words)},
                        "help": {"text": escaped(subject.words)},
                    }
                    for subject in subjects.values()
                ],
            }
        },
        "automationDetails": {"id": f"gazette/{report.command}/{report.about}"},
        "columnKind": "unicodeCodePoints",
        "properties": {"findings": report.total},
        "results": [_result(finding, numbers[finding.subject.id]) for finding in kept],
    }
    if report.total > len(kept):
        told = f"{len(kept):,} of {report.total:,} findings are written here: GitHub shows no more"
        note = {"level": "warning", "message": {"text": told}}
        run["invocations"] = [{"executionSuccessful": True, "toolExecutionNotifications": [note]}]
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2, ensure_ascii=True).replace("\x7f", "\\u007f") + "\n"


def _result(finding: Finding, number: int) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.subject.id,
        "ruleIndex": number,
        "level": finding.level,
        "message": {"text": _cut(finding.message)},
        "partialFingerprints": {"gazette/v1": finding.fingerprint},
    }
    if finding.file is not None:
        # A finding about a whole file stands at its first line: GitHub takes none without a line.
        region = {"startLine": finding.line or 1}
        if finding.column is not None:
            region["startColumn"] = finding.column
        place = {"artifactLocation": {"uri": uri(finding.file)}, "region": region}
        result["locations"] = [{"physicalLocation": place}]
    if finding.accepted is not None:
        result["suppressions"] = [{"kind": "inSource", "justification": _cut(finding.accepted)}]
    return result


def uri(file: str) -> str:
    """A path as a URI: relative where the path is."""
    path = Path(file)
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())


def _cut(words: str) -> str:
    shown = escaped(words)
    return shown if len(shown) <= MOST_TEXT else shown[: MOST_TEXT - 1] + "…"
