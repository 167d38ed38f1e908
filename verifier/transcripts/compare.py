"""A check held against what a transcript expects of it, and every difference in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from verifier.check.result import Amount, CheckResult, Counts, Entry
from verifier.transcripts.expectation import Answers, Expectation, Fault


def fault_of(entry: Entry) -> Fault:
    """An entry of a check in the terms of an expectation: money summed by who is short of it, for whatever reason."""
    cited: dict[str, set[str]] = {}
    for finding in entry.findings:
        cited.setdefault(finding.verdict, set()).update(citation.rule for citation in finding.citations)
    said = [(verdict, frozenset(rules)) for verdict, rules in cited.items()]
    sums: dict[str, Amount] = {}
    for short in entry.short:
        sums[short.who] = sums.get(short.who, 0) + short.amount
    money = tuple(sorted((who, str(amount)) for who, amount in sums.items()))
    rest = sorted(said[1:], key=lambda c: (c[0], sorted(c[1])))
    return Fault(entry.seq, (said[0], *rest), money, answers_of(entry))


def answers_of(entry: Entry) -> Answers:
    """Who answers for an entry beside whoever did it, and under which rules."""
    found: dict[str, set[str]] = {}
    for finding in entry.findings:
        for citation in finding.citations:
            for role, rule in citation.answers:
                found.setdefault(role, set()).add(rule)
    return tuple((role, frozenset(rules)) for role, rules in sorted(found.items()))


def counts_of(result: CheckResult) -> Mapping[str, Counts]:
    """How often each rule was judged."""
    return {rule.rule: rule.counts for clause in result.clauses for rule in clause.rules}


def differences(expected: Expectation, result: CheckResult) -> list[str]:
    """In words, everything in which the check differs from what is expected; nothing where it does not."""
    found = [(fault_of(entry), entry) for entry in result.entries]
    lines = [
        f"expected, not found: {fault.words()}" for fault in _rest(expected.faults, [f for f, _ in found])
    ]
    missed = _rest([fault for fault, _ in found], expected.faults)
    for fault, entry in found:
        if fault in missed:
            missed.remove(fault)
            lines.append(f"found, not expected: {fault.words()}")
            lines += [f"    the event: {entry.event.line}"] if entry.event is not None else []
            lines += [f"    {line}" for line in _details(entry)]
    if not lines and [fault for fault, _ in found] != list(expected.faults):
        lines.append("the faults come in another order: " + " | ".join(fault.words() for fault, _ in found))
    if not lines:
        lines += _other_answers(expected.faults, [fault for fault, _ in found])
    return lines + _not_kept(expected, result)


def _other_answers(expected: Iterable[Fault], found: Iterable[Fault]) -> list[str]:
    """Where others answer for a fault than is expected; what an expectation does not tell is no difference."""
    return [
        f"{_who(mine.answers)} answers, not expected {_who(wanted.answers)}: {wanted.words()}"
        for wanted, mine in zip(expected, found, strict=True)
        if wanted.answers is not None and wanted.answers != mine.answers
    ]


def _who(answers: Answers | None) -> str:
    return ", ".join(f"{role} under {', '.join(sorted(rules))}" for role, rules in answers or ()) or "nobody"


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


def _not_kept(expected: Expectation, result: CheckResult) -> list[str]:
    counts = counts_of(result)
    read = {rule.rule for clause in result.clauses for rule in clause.rules if rule.read}
    lines: list[str] = []
    for rule in expected.kept:
        count = counts.get(rule)
        if count is None:
            lines.append(f"expected kept: {rule}, which the ruleset does not have")
        elif not count.applied:
            how = "only read by others" if rule in read else "never exercised"
            lines.append(f"expected kept: {rule}, which was {how}")
        elif count.applied > count.kept:
            lines.append(f"expected kept: {rule}, which was not only kept")
    unclear = sorted(rule for rule, count in counts.items() if count.not_checkable)
    if unclear:
        reasons = {cause.cause.text for clause in result.clauses for cause in clause.why_not}
        lines.append(f"could not be checked: {', '.join(unclear)} ({'; '.join(sorted(reasons))})")
    return lines
