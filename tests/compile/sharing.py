"""Checks that several processes share, however small the logs are, and what may happen to a log meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from logs import ready

import verifier.check.shares as shares
from verifier.check.opening import opened
from verifier.check.result import CheckResult
from verifier.log.limits import LIMITS

NAME = "nz/roulette-1998"


def logs_at(*paths: Path, name: str = NAME, columns: Path | None = None) -> Any:
    return partial(
        opened, paths, schema=ready(name).binding.schema, format=None, manifest=None, any_ruleset=False, limits=LIMITS,
        columns=columns, sort=False, query=None, database=None,
    )  # fmt: skip


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
