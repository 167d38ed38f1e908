"""Transcripts that show rules kept and broken: what they expect, what a check finds, and the difference in words.

A transcript's `about` begins with the rule it shows and the clause's own words in curly quotes. Its `expect` is

```yaml
expect:
  faults:                       # every entry of the check, in its order; [] where the log is lawful
  - {seq: 12, verdict: broken, clauses: [9.3(a)], short: {house: 500}}
  kept: [9.1, "9.2 [then]"]     # rules that were exercised, and only kept
```

`kept` may be left out where there are faults. `clauses` are all rules that the entry cites with that verdict, a rule
being its clause and, in square brackets, its label. `also` lists what the entry cites with other verdicts
(`{verdict: …, clauses: […]}`). `short` is the money that counts, in minor units, by who is short of it; it stands
there exactly when the entry has any. `seq` is null where the options as a whole are at fault.

Options are all stated, so that a transcript leaves nothing unchecked and can be checked by itself; they stand at the
end, where they do not keep a reader from the play.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from verifier.check.engine import Prepared, check_logs
from verifier.check.result import CheckResult, Counts, Entry
from verifier.log.faults import Inexact
from verifier.log.sources import LogFile, open_log
from verifier.run.verdict import Verdict

FOLDER = Path(__file__).parent / "transcripts"
ENDING = ".transcript.yaml"

_RULE = r"\d+\.\d+(?:\([a-z]+\))*(?: \[[^\]]+\])?"
_ABOUT = re.compile(rf"(?P<rule>{_RULE}): (?=“)")
_QUOTE = re.compile(r"“([^”]+)”")
_FAULT_KEYS = {"seq", "verdict", "clauses", "short", "also"}


class UnreadableError(Exception):
    """A transcript whose `about` or `expect` is not in the form above."""


Cited = tuple[tuple[str, frozenset[str]], ...]
"""Verdicts, the leading one first and the rest in alphabetical order, each with the rules cited."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One entry: where, what is said under which rules, and the money, as (who, minor units) pairs."""

    seq: int | None
    cited: Cited
    short: tuple[tuple[str, str], ...] = ()

    def words(self) -> str:
        """The fault as a line of text."""
        place = "the options" if self.seq is None else f"seq {self.seq}"
        said = "; ".join(
            f"{verdict} {', '.join(sorted(rules)) or 'under no rule'}" for verdict, rules in self.cited
        )
        money = "".join(f"; {who} is short {amount}" for who, amount in self.short)
        return f"{place}: {said}{money}"


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a transcript says that it shows: `rule`, its words and what else is quoted, the faults, the rules kept."""

    rule: str
    quotes: tuple[str, ...]
    faults: tuple[Fault, ...]
    kept: tuple[str, ...]

    @property
    def broken(self) -> frozenset[str]:
        """The rules expected to be found broken."""
        return frozenset(
            rule
            for fault in self.faults
            for verdict, rules in fault.cited
            if verdict == "broken"
            for rule in rules
        )


@dataclass(frozen=True, slots=True)
class Shown:
    """A transcript read and checked."""

    expected: Expectation
    result: CheckResult


def files() -> list[Path]:
    """All transcripts, by name."""
    return sorted(FOLDER.rglob("*" + ENDING))


def name_of(path: Path) -> str:
    """`09/insurance-too-high` for a transcript in the folder 09."""
    return path.relative_to(FOLDER).as_posix().removesuffix(ENDING)


def expectation(path: Path, ready: Prepared) -> Expectation:
    """What the transcript at `path` says that it shows. Raises `UnreadableError`, `LogError`."""
    with open_log(path, ready.binding.schema) as log:
        return _expectation(log)


def show(path: Path, ready: Prepared) -> Shown:
    """Read and check the transcript at `path`. Raises `UnreadableError`, `LogError`."""
    with open_log(path, ready.binding.schema) as log:
        return Shown(_expectation(log), check_logs([log], ready))


def _expectation(log: LogFile) -> Expectation:
    assert log.transcript is not None
    return read_expectation(log.transcript.about, log.transcript.expect)


# ---------------------------------------------------------------------------------------------- expectations
def read_expectation(about: Any, expect: Any) -> Expectation:
    """What `about` and `expect` say. Raises `UnreadableError`."""
    if not isinstance(about, str) or (found := _ABOUT.match(about)) is None:
        raise UnreadableError(f"about: begin with the rule and its words, `9.3(a): “…”`; found {about!r}")
    if not isinstance(expect, dict) or not {"faults"} <= set(expect) <= {"faults", "kept"}:
        raise UnreadableError(f"expect: faults, and rules kept; found {expect!r}")
    faults = tuple(_fault(entry) for entry in _listed(expect["faults"], "faults"))
    kept = tuple(_rules(expect.get("kept", []), "kept"))
    if not faults and not kept:
        raise UnreadableError("a lawful transcript names the rules that it keeps")
    return Expectation(found["rule"], tuple(_QUOTE.findall(about)), faults, kept)


def _fault(entry: Any) -> Fault:
    if not isinstance(entry, dict) or not {"seq", "verdict", "clauses"} <= set(entry) <= _FAULT_KEYS:
        raise UnreadableError(
            f"a fault has seq, verdict and clauses, perhaps short and also; found {entry!r}"
        )
    seq = entry["seq"]
    if seq is not None and type(seq) is not int:
        raise UnreadableError(f"seq: a whole number, or null for the options; found {seq!r}")
    also = [_cited(other) for other in _listed(entry.get("also", []), "also")]
    short = entry.get("short", {})
    if not isinstance(short, dict):
        raise UnreadableError(f"short: who is short, and by how much; found {short!r}")
    money = tuple(sorted((who, str(amount)) for who, amount in short.items()))
    return Fault(seq, (_cited(entry), *sorted(also)), money)


def _cited(entry: Any) -> tuple[str, frozenset[str]]:
    if not isinstance(entry, dict) or entry.get("verdict") not in get_args(Verdict):
        raise UnreadableError(f"verdict: one of {', '.join(get_args(Verdict))}; found {entry!r}")
    return entry["verdict"], frozenset(_rules(entry.get("clauses"), "clauses"))


def _rules(value: Any, key: str) -> list[str]:
    names = [name.text if isinstance(name, Inexact) else name for name in _listed(value, key)]
    for name in names:
        if not isinstance(name, str) or re.fullmatch(_RULE, name) is None:
            raise UnreadableError(f'{key}: rules such as 9.3(a) or "9.2 [then]"; found {name!r}')
    if len(set(names)) < len(names):
        raise UnreadableError(f"{key}: each rule once; found {names}")
    return names


def _listed(value: Any, key: str) -> list[Any]:
    if not isinstance(value, list):
        raise UnreadableError(f"{key}: a list; found {value!r}")
    return value


# -------------------------------------------------------------------------------------------------- findings
def fault_of(entry: Entry) -> Fault:
    """An entry of a check in the terms of an expectation."""
    cited: dict[str, set[str]] = {}
    for finding in entry.findings:
        cited.setdefault(finding.verdict, set()).update(citation.rule for citation in finding.citations)
    said = [(verdict, frozenset(rules)) for verdict, rules in cited.items()]
    money = tuple(sorted((short.who, str(short.amount)) for short in entry.short))
    return Fault(entry.seq, (said[0], *sorted(said[1:])), money)


def counts_of(result: CheckResult) -> Mapping[str, Counts]:
    """How often each rule was judged."""
    return {rule.rule: rule.counts for clause in result.clauses for rule in clause.rules}


def unlike(shown: Shown) -> list[str]:
    """In words, everything in which the check differs from what the transcript expects."""
    expected = shown.expected.faults
    found = [(fault_of(entry), entry) for entry in shown.result.entries]
    lines = [f"expected, not found: {fault.words()}" for fault in _rest(expected, [f for f, _ in found])]
    missed = _rest([f for f, _ in found], expected)
    for fault, entry in found:
        if fault in missed:
            lines.append(f"found, not expected: {fault.words()}")
            lines += [f"    the event: {entry.event.line}"] if entry.event is not None else []
            lines += [f"    {line}" for line in _details(entry)]
    if not lines and [f for f, _ in found] != list(expected):
        lines.append("the faults come in another order: " + " | ".join(f.words() for f, _ in found))
    return lines + _not_kept(shown)


def _rest(these: Iterable[Fault], those: Iterable[Fault]) -> list[Fault]:
    """Those of `these` that are not among `those`, each of which answers for one."""
    left = list(those)
    rest: list[Fault] = []
    for fault in these:
        if fault in left:
            left.remove(fault)
        else:
            rest.append(fault)
    return rest


def _details(entry: Entry) -> list[str]:
    lines: list[str] = []
    for finding in entry.findings:
        rules = ", ".join(citation.rule for citation in finding.citations)
        owed = [f"{act.event}({', '.join(v.text or 'any' for v in act.values)})" for act in finding.required]
        lines.append(f"{finding.verdict} ({finding.kind}) {rules} {finding.note}".rstrip())
        lines += [f"    owed: {' or '.join(owed)}"] if owed else []
        lines += [f"    decided: {value.name} is {value.text}" for value in finding.decided]
        lines += [f"    rests on: {value.name} = {value.text}" for value in finding.rests_on]
        lines += [f"    because {cause.text}" for cause in finding.causes]
    return lines


def _not_kept(shown: Shown) -> list[str]:
    counts = counts_of(shown.result)
    lines: list[str] = []
    for rule in shown.expected.kept:
        count = counts.get(rule)
        if count is None:
            lines.append(f"expected kept: {rule}, which the ruleset does not have")
        elif not count.applied:
            lines.append(f"expected kept: {rule}, which was never exercised")
        elif count.applied > count.kept:
            lines.append(f"expected kept: {rule}, which was not only kept")
    unclear = sorted(rule for rule, count in counts.items() if count.not_checkable)
    if unclear:
        reasons = {cause.cause.text for clause in shown.result.clauses for cause in clause.why_not}
        lines.append(f"could not be checked: {', '.join(unclear)} ({'; '.join(sorted(reasons))})")
    return lines
