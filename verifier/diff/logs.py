"""The effect on a log: the same events judged under both rulesets, and what comes out otherwise."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
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
    """The events that come out otherwise, by place. `cut`: there were more entries than are kept.

    `unasked` are the options stated in the logs that the old ruleset has not, and those that the new one has not.
    """

    events: int
    rounds: tuple[tuple[tuple[tuple[str, str], ...], tuple[EventDiff, ...]], ...]
    cut: bool
    unasked: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())

    @property
    def changed(self) -> bool:
        """Whether any event is judged otherwise."""
        return bool(self.rounds)


def prepared(old: Ruleset, new: Ruleset) -> tuple[Prepared, Prepared]:
    """Both made ready for the same logs: each reads, and leaves out, what options the other alone has."""
    one, other = prepare(old), prepare(new)
    return _reading(one, other), _reading(other, one)


def _reading(ready: Prepared, other: Prepared) -> Prepared:
    elsewhere = other.binding.schema.options
    return replace(
        ready, binding=replace(ready.binding, schema=replace(ready.binding.schema, elsewhere=elsewhere))
    )


def compare_logs(
    old: Ruleset, new: Ruleset, logs: Sequence[Path], progress: Callable[[str], None] = lambda _: None
) -> LogDiff:
    """Both rulesets' judgements on the logs, which may name either. Raises as `check` does."""
    results: list[CheckResult] = []
    for which, ready in zip(("old", "new"), prepared(old, new), strict=True):
        progress(f"the log under the {which}")
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
    stated = [{o.name: None for o in result.options if o.source == "log"} for result in results]
    unasked = (
        tuple(name for name in stated[1] if name not in old.options),
        tuple(name for name in stated[0] if name not in new.options),
    )
    return LogDiff(results[0].events, tuple((k, tuple(v)) for k, v in found.items()), cut, unasked)


def unasked_said(log: LogDiff) -> Iterator[str]:
    """In words, what the logs state that one of the two rulesets has no option for."""
    for which, names in zip(("old", "new"), log.unasked, strict=True):
        if names:
            yield f"Stated in the log, and no option of the {which} ruleset: {', '.join(names)}."


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
