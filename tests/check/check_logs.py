"""Shared: the two rulesets, and transcripts written to disk and checked."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from verifier.api import Rules, load
from verifier.check.result import CheckResult, Entry

HERE = Path(__file__).parent
MINI = HERE.parent / "rules" / "mini.rules"
TILL = HERE / "data" / "till.rules"


@cache
def rules(path: Path) -> Rules:
    return load(path)


def transcript(path: Path, ruleset: str, events: Sequence[str], **header: Any) -> Path:
    """A transcript of `events` at `path`; `header` are further keys."""
    import yaml

    document = {"ruleset": ruleset, "currency": "NZD", **header, "events": list(events)}
    path.write_text(yaml.safe_dump(document, sort_keys=False), "utf-8")
    return path


def till(tmp_path: Path, *events: str, check: dict[str, Any] | None = None, **header: Any) -> CheckResult:
    """The check of one round at the till; `header` are keys of the log, `check` arguments of the check."""
    path = transcript(tmp_path / "till.yaml", "check/till", events, **header)
    return rules(TILL).check(path, **(check or {}))


def mini(tmp_path: Path, *events: str, **header: Any) -> CheckResult:
    """The check of blackjack events under the mini ruleset."""
    path = transcript(tmp_path / "mini.yaml", "mini/blackjack", events, **header)
    return rules(MINI).check(path)


def led(entry: Entry) -> tuple[str, str]:
    return entry.lead.verdict, entry.lead.kind


def cited(entry: Entry) -> list[str]:
    """The rules that the leading finding cites."""
    return [citation.rule for citation in entry.lead.citations]


def only(result: CheckResult) -> Entry:
    """The one entry there is."""
    assert result.entries_total == 1, [(led(e), e.seq) for e in result.entries]
    return result.entries[0]


STATED: dict[str, Any] = {"options": {"decks": 6, "cards": 1}}
"""A till log that states what matters: nothing is left unclear."""

WAGER = "player wager player=ann amount=1000"
PAY = "dealer pay player=ann amount=1500"
CLOSE = "dealer close"
END = "dealer end_round"
GOOD = (WAGER, CLOSE, PAY, END)
