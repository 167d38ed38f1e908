"""What is to be said of a log as a whole, beside what was found in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from verifier.check.result import TableResult

FEW = 5
"""So many rounds that a log leaves open are named."""


def left_open(rounds: Sequence[str]) -> list[str]:
    """That the log stops inside these rounds; nothing where there are none."""
    if not rounds:
        return []
    named = ", ".join(rounds[:FEW]) + (f" and {len(rounds) - FEW} more" if len(rounds) > FEW else "")
    return [f"the log stops inside {named}: what was due by its end is not judged"]


def before_the_law(since: str | None, tables: Iterable[TableResult]) -> list[str]:
    """That the log begins before the day `since` which the rules are in force (YYYY-MM-DD); else nothing."""
    early = min((table.first_at for table in tables if table.first_at is not None), default=None)
    if since is None or early is None or early[:10] >= since:
        return []
    return [f"the log begins on {early[:10]}, before the rules were in force ({since})"]


def kept_here(kept: int, total: int) -> list[str]:
    """That not all entries are kept, if so."""
    if total <= kept:
        return []
    return [f"only the first {kept} of {total} entries are kept here; the JSON Lines output has all of them"]
