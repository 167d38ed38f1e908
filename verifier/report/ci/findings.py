"""Findings as every format for other tools has them, and the clauses that they are about."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

CiFormat = Literal["sarif", "junit", "github", "gitlab"]

Level = Literal["error", "warning", "note"]
"""What is broken or refuted; what nobody can tell, or falls short; what is accepted with a reason."""

State = Literal["passed", "failed", "skipped"]


@dataclass(frozen=True, slots=True)
class Subject:
    """What a finding is about, as formats list it once: a clause with its words, or a kind of finding."""

    id: str
    title: str
    words: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding. `file` None: it stands in no file. `fingerprint` is the same as long as the finding is; `accepted`
    is the reason for which it is accepted."""

    subject: Subject
    level: Level
    message: str
    file: str | None
    line: int | None
    column: int | None
    fingerprint: str
    accepted: str | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """One clause (or, without one, the ruleset as a whole) and what became of it, in words where it did not pass."""

    name: str
    state: State
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """What one command found. `total` counts the findings, also those that are not kept here."""

    command: str
    about: str
    version: str
    findings: tuple[Finding, ...]
    cases: tuple[Case, ...]
    total: int

    @property
    def subjects(self) -> tuple[Subject, ...]:
        """All subjects, in the order met."""
        return tuple({finding.subject.id: finding.subject for finding in self.findings}.values())


def fingerprint(parts: Iterable[object]) -> str:
    """A digest of what makes a finding itself."""
    return hashlib.sha256("\0".join(str(part) for part in parts).encode()).hexdigest()


def distinct(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings, those with one fingerprint numbered."""
    seen: dict[str, int] = {}
    found: list[Finding] = []
    for finding in findings:
        number = seen.get(finding.fingerprint, 0)
        seen[finding.fingerprint] = number + 1
        if number:
            finding = replace(finding, fingerprint=fingerprint((finding.fingerprint, number)))
        found.append(finding)
    return tuple(found)
