"""One log judged by both engines, and in what the results differ."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from verifier.check.bulk import BulkRun
from verifier.check.engine import Prepared, check_logs
from verifier.check.options import read_settings
from verifier.check.result import CheckResult
from verifier.compile.kernel import Compiled
from verifier.log.assemble import Opened, Tally
from verifier.log.header import Header
from verifier.log.rows import Row
from verifier.log.sources import LogFile

_COMPILED: dict[int, tuple[Prepared, Compiled]] = {}
"""By ruleset, so that each is compiled once."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What both engines say; `explained` and `sampled` count the rounds that the bulk engine did not only mark."""

    one: CheckResult
    other: CheckResult
    explained: int
    sampled: int
    disagreements: tuple[str, ...]

    @property
    def unlike(self) -> list[str]:
        """The parts of the results that differ."""
        mine, theirs = comparable(self.one), comparable(self.other)
        found = [f for f in CheckResult.__dataclass_fields__ if getattr(mine, f) != getattr(theirs, f)]
        return [*found, *self.disagreements]


def comparable(result: CheckResult) -> CheckResult:
    """A result without how often rules were read, which the kernel does not count."""
    clauses = tuple(
        replace(clause, rules=tuple(replace(rule, read=None) for rule in clause.rules))
        for clause in result.clauses
    )
    return replace(result, clauses=clauses)


def compiled(ready: Prepared) -> Compiled:
    """The kernel of a ruleset."""
    if id(ready) not in _COMPILED:
        _COMPILED[id(ready)] = (ready, Compiled.of(ready.program))
    return _COMPILED[id(ready)][1]


def opened(logs: Sequence[tuple[str, Header, Sequence[Row]]]) -> Iterator[LogFile]:
    for name, header, rows in logs:
        yield LogFile(name, None, "", Opened(header, iter(rows), Tally(events=len(rows))), None, ExitStack())


def judge(
    ready: Prepared,
    logs: Sequence[tuple[str, Header, Sequence[Row]]],
    save: Path,
    options: Mapping[str, object] | Iterable[str] = (),
    sample: int = 1,
    kernel: Compiled | None = None,
) -> Judged:
    """The logs by both; every `sample`th row at least is in a round that both judge. `kernel` is the ruleset's own."""
    one = check_logs(opened(logs), ready, options)
    settings = read_settings(ready.ruleset, options)
    run = BulkRun(
        ready, settings, False, 10_000, None, compiled=kernel or compiled(ready), sample=sample, save=save
    )
    for log in opened(logs):
        run.file(log, None)
    other = run.result()
    said = tuple(f"seq {d.seq}: {d.what}" for d in run.disagreements)
    return Judged(one, other, run.explained, run.sampled, said)


def turns(text: str, ends: str, actor: Callable[[str], str]) -> list[Row]:
    """The rows of a log written short, `crack 3 ann; close`, at one table; whose act each is says its name, and which
    ends a turn."""
    found: list[Row] = []
    turn = 1
    for seq, event in enumerate(text.split("; "), 1):
        name, *words = event.split()
        values = tuple(int(word) if word.isdigit() else word for word in words)
        found.append(Row("rows", seq, (1, turn), seq, None, actor(name), name, values))
        turn += name == ends
    return found
