"""Transcripts of shipped rulesets, each read and checked once, for all tests of one process that look at them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from verifier.check.engine import Prepared, prepare
from verifier.check.result import CheckResult
from verifier.transcripts.case import Case, read_cases


@cache
def ready(ruleset: str) -> Prepared:
    """The ruleset, ready to judge."""
    return prepare(ruleset)


@cache
def cases(ruleset: str, folder: Path) -> Mapping[Path, Case]:
    """The transcripts of the ruleset in a folder."""
    return {Path(case.path): case for case in read_cases([folder], ready(ruleset))}


@cache
def result(ruleset: str, folder: Path, path: Path) -> CheckResult:
    """The check of one of them."""
    return cases(ruleset, folder)[path].check(ready(ruleset))


def unlike(ruleset: str, path: Path) -> list[str]:
    """In words, in what the check of a transcript in the folder `transcripts` is not what the transcript expects."""
    folder = path.parents[1]
    return cases(ruleset, folder)[path].differences(result(ruleset, folder, path))
