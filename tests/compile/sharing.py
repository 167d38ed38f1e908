"""Checks that several processes share, however small the logs are, and what may happen to a log meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from logs import ready

import verifier.check.shares as shares
from verifier.check.opening import Logs
from verifier.check.result import CheckResult
from verifier.cli.app import run as gazette
from verifier.exits import Exit
from verifier.log.limits import LIMITS

NAME = "nz/roulette-1998"


def logs_at(*paths: Path | str, name: str = NAME, **more: Any) -> Any:
    aside = more.pop("aside", None)
    return partial(Logs(paths, **more).open, ready(name).binding.schema, LIMITS, aside)


def shared(
    *paths: Path,
    name: str = NAME,
    options: Mapping[str, object] | Sequence[str] = (),
    jobs: int = 3,
    columns: Path | None = None,
    **more: Any,
) -> CheckResult | None:
    given = {"progress": None, "strict": False, "keep": 10_000, "on_entry": None, "least": 0, **more}
    progress = given.pop("progress")
    logs = logs_at(*paths, name=name, columns=columns)
    return shares.check_shared(logs, ready(name), options, progress, jobs=jobs, **given)


def after_planning(monkeypatch: pytest.MonkeyPatch, change: Callable[[], object]) -> None:
    """Something changes between the planning and the processes' beginning."""
    plan = shares.shares_of

    def planned(*given: Any) -> Any:
        found = plan(*given)
        assert len(found) > 1
        change()
        return found

    monkeypatch.setattr(shares, "shares_of", planned)


def says_the_same(
    log: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """That the command, of a log with faults, says in every format the same with two processes as with one."""
    begun: list[int] = []
    judged = shares._judged

    def counting(asked: Any, parts: Sequence[Any], *more: Any) -> Any:
        begun.append(len(parts))
        return judged(asked, parts, *more)

    monkeypatch.setattr(shares, "_judged", counting)
    said: list[str] = []
    faults: list[bytes] = []
    for form in ("json", "jsonl", "text"):
        for jobs in ("1", "2"):
            table = folder / f"{form}-{jobs}.parquet"
            given = ["check", str(log), "--rules", NAME, "--format", form, "-j", jobs]
            assert gazette([*given, "--verdicts", str(table)]) == Exit.BROKEN
            said.append(capsys.readouterr().out)
            faults.append(table.read_bytes())
    assert begun == [2, 2, 2]
    assert said[0::2] == said[1::2]
    assert len(set(faults)) == 1
