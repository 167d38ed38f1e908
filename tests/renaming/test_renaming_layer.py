"""So it is with a ruleset laid over another, and with logs of two kinds: renamed, they are judged alike."""

from __future__ import annotations

import io
from functools import cache

import pytest
from alike import compared
from rename import NZ_1998, Renaming, write_renamed
from renamed_log import as_jsonl, renamed_log
from tournament_cases import HEADER, OPTIONS, cases, ready, rows, steps

from verifier.check.engine import Prepared, check_logs, prepare
from verifier.check.result import CheckResult
from verifier.log.sources import open_stream

MODULES = (*NZ_1998.rules, "std/tournament-record", "std/tournament-table", "nz/tournament-blackjack-1998")
LAWS = (NZ_1998.law, "nz/gazette-1998-15-division-7")

Lines = list[dict[str, object]]


@cache
def log() -> tuple[dict[str, object], Lines]:
    """The cases whose options are the usual ones, every third of them, at a table for each."""
    some = [(number, case) for number, case in enumerate(cases(), 1) if not case.options][::3]
    lines = [
        line for number, case in some for _, line in rows(list(steps(f"{case.before}; {case.log}")), number)
    ]
    return {**HEADER, "options": OPTIONS}, lines


def checked(prepared: Prepared, content: bytes) -> CheckResult:
    return check_logs([open_stream("log.jsonl", io.BytesIO(content), prepared.binding.schema)], prepared)


@pytest.fixture(scope="module")
def renaming() -> Renaming:
    return Renaming(seed=2)


@pytest.fixture(scope="module")
def both(renaming: Renaming, tmp_path_factory: pytest.TempPathFactory) -> tuple[CheckResult, CheckResult]:
    renamed = prepare(write_renamed(renaming, tmp_path_factory.mktemp("layer"), MODULES, *LAWS))
    header, lines = log()
    first = checked(ready(), as_jsonl(header, lines))
    return first, checked(renamed, as_jsonl(*renamed_log(renaming, header, lines, ready())))


def test_the_verdicts_are_the_same_up_to_the_renaming(
    both: tuple[CheckResult, CheckResult], renaming: Renaming
) -> None:
    assert compared(both, renaming) == []


def test_the_log_has_faults_of_both_kinds_of_log(both: tuple[CheckResult, CheckResult]) -> None:
    first, _ = both
    assert first.entries_total >= 20
    assert {table.beside for table in first.tables} == {True, False}
    assert {entry.table is None for entry in first.entries} == {True, False}


def test_the_law_is_cited_by_other_names(both: tuple[CheckResult, CheckResult]) -> None:
    names = [{c.rule for e in result.entries for f in e.findings for c in f.citations} for result in both]
    assert len(names[0]) >= 15
    assert not names[0] & names[1]
