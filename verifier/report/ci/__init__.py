"""What a check, a proof or a coverage found, for tools that read findings: SARIF, JUnit, GitHub, GitLab.

`findings` is the one list that all formats print; `of` makes it.
"""

from __future__ import annotations

from typing import assert_never

from verifier.report.ci import github, gitlab, junit, sarif
from verifier.report.ci.findings import CiFormat, Report

FORMATS: tuple[CiFormat, ...] = ("sarif", "junit", "github", "gitlab")


def written(report: Report, format: CiFormat) -> str:
    """The report in a format."""
    match format:
        case "sarif":
            return sarif.text(report)
        case "junit":
            return junit.text(report)
        case "github":
            return github.text(report)
        case "gitlab":
            return gitlab.text(report)
        case _:
            assert_never(format)
