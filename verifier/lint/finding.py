"""One thing that lint found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from verifier.errors import Problem

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem of a ruleset: an error keeps it from being used, a warning does not."""

    severity: Severity
    problem: Problem


@dataclass(frozen=True, slots=True)
class Inspected:
    """What lint says of the ruleset asked for as `asked`, in the order of the files.

    `rules` and `clauses` count what was looked at (numbered rules of the ruleset's own module, clauses of
    its law that have words); both are 0 where an error kept the ruleset from loading.
    """

    asked: str
    findings: tuple[Finding, ...]
    rules: int = 0
    clauses: int = 0

    @property
    def errors(self) -> int:
        """How many findings are errors."""
        return sum(finding.severity == "error" for finding in self.findings)

    @property
    def warnings(self) -> int:
        """How many findings are warnings."""
        return sum(finding.severity == "warning" for finding in self.findings)
