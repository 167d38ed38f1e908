"""The findings of a log check: one an entry, at its row; one case a clause."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from verifier.check.result import CheckResult, ClauseResult, Entry
from verifier.report.ci.findings import Case, Finding, Level, Report, State, Subject, distinct, fingerprint
from verifier.report.money import money
from verifier.report.text import OUR_FAULT, UNCLEAR, event_line, meaning

_LEVELS: dict[str, Level] = {
    "broken": "error",
    "impossible": "error",
    "disputed": "warning",
    "undecided": "warning",
}

MOST = 20
"""So many entries a case names."""


def of_check(result: CheckResult) -> Report:
    """The report of a check."""
    # A ruleset laid over another may have a clause of the same number: a rule's clause is called as it is cited.
    names = {rule.rule: clause.name for clause in result.clauses for rule in clause.rules}
    ours = [_ours(result, said) for said in result.disagreements]
    findings = distinct((*ours, *(_finding(result, entry, names) for entry in result.entries)))
    # A bare heading, on which nothing stands, is no case.
    cases = tuple(_case(result, clause) for clause in result.clauses if clause.words or clause.rules)
    return Report(
        "check",
        result.ruleset.name,
        result.version,
        findings,
        (*cases, *_of_no_clause(result), *_of_gazette(result)),
        result.entries_total + len(result.disagreements),
    )


def _ours(result: CheckResult, said: str) -> Finding:
    """That the engines differ: no fault of the log, and an error all the same. It stands at the first log: GitHub
    refuses a SARIF file whole in which a result stands nowhere."""
    subject = Subject("gazette", "gazette is at fault", OUR_FAULT)
    return Finding(
        subject,
        "error",
        f"{OUR_FAULT} {said}",
        result.files[0].name if result.files else None,
        None,
        None,
        fingerprint((result.ruleset.name, "gazette", said)),
    )


def _of_gazette(result: CheckResult) -> Iterator[Case]:
    """The check itself, where its engines differ."""
    if result.disagreements:
        yield Case("gazette itself", "failed", (OUR_FAULT, *result.disagreements[:MOST]))


def _finding(result: CheckResult, entry: Entry, names: Mapping[str, str]) -> Finding:
    lead = entry.lead
    if lead.citations:
        first = lead.citations[0]
        subject = Subject(names.get(first.rule, first.clause), first.quote, first.words)
    else:
        words = meaning(lead.verdict, lead.kind)
        subject = Subject(lead.verdict if lead.verdict in UNCLEAR else lead.kind, words, words)
    print_ = fingerprint(
        (result.ruleset.name, entry.file, entry.table, entry.lives, entry.seq, *_rules(entry))
    )
    return Finding(
        subject, _LEVELS[lead.verdict], _words(result, entry), entry.file, entry.line, None, print_
    )


def _rules(entry: Entry) -> tuple[str, ...]:
    return tuple(dict.fromkeys(c.rule for f in entry.findings for c in f.citations))


def _words(result: CheckResult, entry: Entry) -> str:
    """The entry in a sentence or two."""
    lead = entry.lead
    rules = ", ".join(_rules(entry)) or "under no rule"
    place = "" if entry.seq is None else f" (seq {entry.seq})"
    words = f"{lead.verdict}: {rules}: {meaning(lead.verdict, lead.kind)}{place}"
    if lead.causes:
        words += f", because {'; '.join(cause.text for cause in lead.causes)}"
    if entry.event is not None:
        words += f". Logged: {event_line(entry.event, result)}"
    for short in entry.short:
        amount = money(short.amount, result.currency, result.exponent)
        words += f". {short.who} is short by {amount}, {short.basis}"
    if lead.note:
        words += f". {lead.note}"
    return words


def _case(result: CheckResult, clause: ClauseResult) -> Case:
    match clause.status:
        case "broken" | "disputed" | "undecided":
            return Case(clause.name, "failed", tuple(_entries(result, clause)))
        case "kept" | "auxiliary":
            # A clause that could not be checked somewhere has not passed.
            state: State = "skipped" if clause.why_not else "passed"
            return Case(clause.name, state, tuple(why.cause.text for why in clause.why_not))
        case "not checkable":
            return Case(clause.name, "skipped", tuple(why.cause.text for why in clause.why_not))
        case "never exercised" | "no rule":
            return Case(clause.name, "skipped", (clause.status,))
        case "unobservable" | "external" | "structural":
            return Case(clause.name, "skipped", tuple(f"{kind}: {why}" for kind, why in clause.unchecked))


def _entries(result: CheckResult, clause: ClauseResult) -> Iterator[str]:
    rules = {rule.rule for rule in clause.rules}
    mine = [entry for entry in result.entries if rules & set(_rules(entry))]
    if not mine:
        yield "the entries are not among those that are kept here"
    for entry in mine[:MOST]:
        yield f"{entry.file}:{entry.line or 1}: {_words(result, entry)}"
    if len(mine) > MOST:
        yield f"and {len(mine) - MOST} more"


def _of_no_clause(result: CheckResult) -> Iterator[Case]:
    """Entries that cite no rule: what cannot have happened as logged."""
    mine = [entry for entry in result.entries if not _rules(entry)]
    words = [f"{entry.file}:{entry.line or 1}: {_words(result, entry)}" for entry in mine[:MOST]]
    if len(mine) > MOST:
        words.append(f"and {len(mine) - MOST} more")
    yield Case("the log itself", "failed" if mine else "passed", tuple(words))
