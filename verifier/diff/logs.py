"""The effect on a log: the same events judged under both rulesets, and what comes out otherwise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from verifier.check.engine import Prepared, check, prepare
from verifier.check.result import CheckResult, Entry
from verifier.model.ruleset import Ruleset

MOST = 1_000
"""So many entries of either side are held against each other at most; beyond that the count says so."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What one side says of an event: the verdict, the rules, who is short of how much (minor units)."""

    verdict: str
    rules: tuple[str, ...]
    short: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class EventDiff:
    """An event of the log that the two judge differently. Absent: that side has no fault to find."""

    log: str
    place: tuple[tuple[str, str], ...]
    seq: int | None
    event: str
    old: Judged | None
    new: Judged | None


@dataclass(frozen=True, slots=True)
class LogDiff:
    """The events that come out otherwise, by place. `cut`: there were more entries than are kept."""

    events: int
    rounds: tuple[tuple[tuple[tuple[str, str], ...], tuple[EventDiff, ...]], ...]
    cut: bool

    @property
    def changed(self) -> bool:
        """Whether any event is judged otherwise."""
        return bool(self.rounds)


def compare_logs(
    old: Ruleset, new: Ruleset, logs: Sequence[Path], progress: Callable[[str], None] = lambda _: None
) -> LogDiff:
    """Both rulesets' judgements on the logs, which may name either. Raises as `check` does."""
    results: list[CheckResult] = []
    for which, ruleset in (("old", old), ("new", new)):
        progress(f"the log under the {which}")
        ready: Prepared = prepare(ruleset)
        results.append(check([str(p) for p in logs], ready, any_ruleset=True, keep=MOST))
    first, second = ({_key(e): e for e in result.entries} for result in results)
    found: dict[tuple[tuple[str, str], ...], list[EventDiff]] = {}
    for key in dict.fromkeys([*first, *second]):
        one, other = first.get(key), second.get(key)
        a, b = _judged(one), _judged(other)
        if _alike(a, b):
            continue
        entry = one or other
        assert entry is not None
        found.setdefault(_place(entry), []).append(
            EventDiff(
                entry.file,
                _place(entry),
                entry.seq,
                "" if entry.event is None else entry.event.line,
                a,
                b,
            )
        )
    cut = any(len(result.entries) >= MOST for result in results)
    return LogDiff(results[0].events, tuple((k, tuple(v)) for k, v in found.items()), cut)


def _key(entry: Entry) -> tuple[object, ...]:
    return entry.file, entry.line, _place(entry), entry.seq


def _place(entry: Entry) -> tuple[tuple[str, str], ...]:
    """The keys of the row, as far as they are recorded."""
    told = (("table", entry.table), *entry.lives)
    return tuple((life, key) for life, key in told if key is not None)


def _judged(entry: Entry | None) -> Judged | None:
    if entry is None:
        return None
    return Judged(
        entry.lead.verdict,
        tuple(dict.fromkeys(c.rule for f in entry.findings for c in f.citations)),
        tuple((s.who, str(s.amount)) for s in entry.short),
    )


def _alike(a: Judged | None, b: Judged | None) -> bool:
    """Whether verdict and money are the same; which rules say so is not asked."""
    if a is None or b is None:
        return a is b
    return (a.verdict, a.short) == (b.verdict, b.short)
