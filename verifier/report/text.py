"""A check's result as text to read: the answer first, then the clauses, then each fault, then the totals."""

from __future__ import annotations

from collections.abc import Iterable

from verifier.check.result import (
    Act,
    Amount,
    Arranged,
    CheckResult,
    Citation,
    ClauseResult,
    Counts,
    Entry,
    FileResult,
    Finding,
    FindingKind,
    LoggedEvent,
    Named,
    OptionResult,
    RecordingResult,
    Shortfall,
)
from verifier.exits import Exit
from verifier.report.lines import Page, count, listed
from verifier.report.money import money
from verifier.run.verdict import Verdict

MEANING: dict[FindingKind, str] = {
    "settlement": "settled otherwise than the rules give",
    "contested": "settled otherwise than by any answer of rules that clash",
    "early": "settled before it was due",
    "unasked": "settled though no rule asks for it",
    "forbidden": "done though a rule forbids it",
    "not permitted": "done though no rule permits it",
    "skipped": "a duty passed over",
    "late": "a duty not done in time",
    "otherwise": "another amount than a duty demands",
    "actor": "done by somebody whose act it is not",
    "impossible": "cannot have happened as logged",
    "life": "the log's keys pass on without an end, or go on after it",
    "option": "an option that breaks a rule",
}

UNCLEAR: dict[Verdict, str] = {
    "disputed": "the law clashes with itself",
    "undecided": "the law has a gap",
}

OUR_FAULT = "gazette is at fault: the compiled rules and the interpreter say different things of this log."

INDENT = 4

PARTIES = 20
"""So many parties are named as short in the summary; the JSON output has all."""


def text(result: CheckResult, width: int = 100, colour: bool = False) -> str:
    """The whole report, wrapped to `width` columns; the same result always gives the same text."""
    page = Page(width, colour)
    _checked(page, result)
    _answer(page, result)
    _clauses(page, result)
    if result.entries:
        page.heading("Entries")
    for entry in result.entries:
        _entry(page, entry, result)
    _totals(page, result)
    return page.text()


def entry_text(entry: Entry, result: CheckResult, width: int = 100, colour: bool = False) -> str:
    """One entry as the report shows it."""
    page = Page(width, colour)
    _entry(page, entry, result)
    return page.text()


# -------------------------------------------------------------------------------------------------- summary
def _checked(page: Page, result: CheckResult) -> None:
    ruleset = result.ruleset
    tables = sum(not table.beside for table in result.tables)
    rounds = "" if result.rounds is None else f" in {count(result.rounds, 'round')}"
    where = f" at {count(tables, 'table')}" if tables and result.tables[0].name is not None else ""
    page.pair(
        "Checked", [f"{count(len(result.files), 'log')}: {count(result.events, 'event')}{rounds}{where}"]
    )
    for file in result.files:
        digest = "no digest" if file.sha256 is None else f"sha256:{file.sha256}"
        seal = ", sealed" if file.sealed else ""
        page.pair("", [f"{file.name} ({_rows(file)}, {file.operator}{seal})", f"  {digest}"])
    page.pair("Arranged", arranged(result))
    page.pair("Ruleset", [ruleset.name, f"  sha256:{ruleset.digest}"])
    if ruleset.law is not None:
        since = "" if ruleset.in_force is None else f", in force from {ruleset.in_force}"
        page.pair("Law", [f"{ruleset.law}: {ruleset.law_title}{since}", f"  sha256:{ruleset.law_digest}"])
    page.pair("Options", [_option(option, result) for option in result.options])
    page.pair("Not recorded", [line for item in result.recording for line in _recording(item)])
    unit = money(1, result.currency, result.exponent)
    page.pair("Amounts", [f"written out; where a rule's own values are shown, in units of {unit}"])
    page.pair("Checked by", [f"gazette-verifier {result.version}" + (", strict" if result.strict else "")])
    page.pair("Note", result.notes)


def _rows(file: FileResult) -> str:
    events = count(file.events, "event")
    if not file.corrections:
        return events
    return f"{count(file.events + file.corrections, 'row')}: {events} and {count(file.corrections, 'correction')}"


def arranged(result: CheckResult) -> list[str]:
    """How the log was made of what the files have, where it does not stand there as it is read."""
    ways: dict[Arranged, list[str]] = {}
    for file in result.files:
        ways.setdefault(file.arranged, []).append(file.name)
    lines: list[str] = []
    for way, names in ways.items():
        files = f" ({listed(names)})" if len(ways) > 1 else ""
        if way.ordered:
            lines.append(f"rows put in the order of record before they were judged, as was asked{files}")
        if way.columns:
            renamed = ", ".join(f"{theirs} as {ours}" for ours, theirs in way.columns)
            lines.append(f"columns read under the log's names, by the map given: {renamed}{files}")
        if way.ignored:
            lines.append(f"columns not read, by the map given: {', '.join(way.ignored)}{files}")
    return lines


def _option(option: OptionResult, result: CheckResult) -> str:
    files = f" ({listed(option.files)})" if option.files else ""
    if option.value is None:
        tried = (
            f"every value tried ({', '.join(option.tried)})"
            if option.tried
            else "what needs it is not checked"
        )
        return f"{option.name}: not stated, {tried}{files}"
    origin = {"log": "stated in the log", "set": "set with the request", "default": "assumed by default"}
    return f"{option.name} = {_value(option.value, result)}, {origin[option.source]}{files}"


def _recording(item: RecordingResult) -> Iterable[str]:
    files = f" ({listed(item.files)})" if item.files else ""
    if item.absent:
        yield f"events: {', '.join(item.absent)}{files}"
    if item.unordered:
        yield f"the order of: {', '.join(item.unordered)}{files}"
    if item.missing_columns:
        yield f"columns: {', '.join(item.missing_columns)}{files}"
    if item.begun:
        yield f"what came before the log began, of each {', '.join(item.begun)}{files}"


def _answer(page: Page, result: CheckResult) -> None:
    page.line()
    _disagreements(page, result)
    bad = sum(f.count for f in result.faults if f.verdict in ("broken", "impossible"))
    unsure = result.entries_total - bad
    unchecked = [c for c in result.clauses if c.counts.not_checkable]
    if bad:
        page.line(f"The log is NOT in order: {count(bad, 'fault')}.", style="bad")
    elif result.disagreements:
        page.line("No other fault was found.", style="doubt")
    elif result.exit_code == Exit.UNDECIDED:
        page.line("Nothing was found broken, but not all could be decided.", style="doubt")
    else:
        page.line("The log is in order: every rule that could be checked was kept.", style="good")
    for fault in result.faults:
        page.line(f"{fault.count:,} × {_titled(fault.verdict, fault.kind)}", 3, hang=6)
    if result.short:
        _short_summary(page, result)
    elif bad and not (
        contested(result) or too_early(result) or never_asked(result) or result.unreckoned or result.unmade
    ):
        page.line("No party is short of money, as far as the rules at issue say.", 3, hang=6)
    _made_good(page, result)
    if clashes := contested(result):
        page.line(told_of_contested(clashes), 3, hang=6)
    if early := too_early(result):
        page.line(told_of_early(early), 3, hang=6)
    if unasked := never_asked(result):
        page.line(told_of_unasked(unasked), 3, hang=6)
    if result.unreckoned:
        page.line(told_of_impossible(result.unreckoned), 3, hang=6)
    if result.unmade:
        page.line(told_of_unmade(result.unmade), 3, hang=6)
    if unsure:
        page.line(f"{count(unsure, 'event')} on which the law itself gives no single answer.", 3, hang=6)
    if unchecked:
        page.line(f"{count(len(unchecked), 'clause')} not checkable, at least in part: see below.", 3, hang=6)


def _disagreements(page: Page, result: CheckResult) -> None:
    if not result.disagreements:
        return
    page.line(f"{OUR_FAULT} Do not rely on what follows.", style="bad")
    for said in result.disagreements[:PARTIES]:
        page.line(said, 3, hang=6)
    if (more := len(result.disagreements) - PARTIES) > 0:
        page.line(f"and {count(more, 'such place')} more", 3, hang=6)
    page.line()


def contested(result: CheckResult) -> int:
    """How many settlements are wrong by each answer of rules that clash: of these no sums are told."""
    return sum(f.count for f in result.faults if f.kind == "contested")


def told_of_contested(number: int) -> str:
    """What is said of settlements that are wrong by each answer of rules that clash."""
    them = "a settlement" if number == 1 else f"{number:,} settlements"
    return f"Of {them} over which rules clash it is not told who is short: no one sum is owed."


def too_early(result: CheckResult) -> int:
    """How many settlements came before what is due was known: of these no sums are told."""
    return sum(f.count for f in result.faults if f.kind == "early" and f.verdict == "broken")


def told_of_early(number: int) -> str:
    """What is said of settlements that came too early."""
    them = "a settlement" if number == 1 else f"{number:,} settlements"
    return f"Of {them} made too early it is not told who is short: what was owed was not known yet."


def never_asked(result: CheckResult) -> int:
    """How many settlements no rule asks for: of these no sums are told either."""
    return sum(f.count for f in result.faults if f.kind == "unasked")


def told_of_unasked(number: int) -> str:
    """What is said of settlements that no rule asks for."""
    them = "a settlement" if number == 1 else f"{number:,} settlements"
    return f"Of {them} that no rule asks for it is not told who is short: no rule says what is owed."


def told_of_impossible(number: int) -> str:
    """What is said of settlements that cannot have happened as logged."""
    them = "A settlement" if number == 1 else f"{number:,} settlements"
    return f"{them} that cannot have happened as logged {'is' if number == 1 else 'are'} in no sum."


def told_of_unmade(number: int) -> str:
    """What is said of settlements that were due and not made, and would have moved nothing."""
    them = "A settlement that was" if number == 1 else f"{number:,} settlements that were"
    are = "is" if number == 1 else "are"
    return f"{them} due and not made {are} in no sum: what became of the money the log does not show."


def meaning(verdict: Verdict, kind: FindingKind) -> str:
    """What a finding is, in words. Where the law says nothing, or two things, an act is not said to be wrong."""
    unclear = UNCLEAR.get(verdict)
    return MEANING[kind] if unclear is None else f"{unclear} ({kind})"


def _titled(verdict: Verdict, kind: FindingKind) -> str:
    return f"{verdict if verdict in UNCLEAR else kind}: {meaning(verdict, kind)}"


def _short_summary(page: Page, result: CheckResult) -> None:
    for short in result.short[:PARTIES]:
        page.line(_short(short, result), 3, hang=6)
    if len(result.short) > PARTIES:
        page.line(f"and {len(result.short) - PARTIES} more", 3)


def _made_good(page: Page, result: CheckResult) -> None:
    if result.made_good:
        parties = [_sum(short, result) for short in result.made_good[:PARTIES]]
        if len(result.made_good) > PARTIES:
            parties.append(f"and {len(result.made_good) - PARTIES} more")
        page.line(f"Made good later in its round: {'; '.join(parties)}.", 3, hang=6)


def _short(short: Shortfall, result: CheckResult) -> str:
    return f"{short.who} is short by {_amount(short, result)}, {short.basis}"


def _sum(short: Shortfall, result: CheckResult) -> str:
    return f"{short.who} {_amount(short, result)}, {short.basis}"


def _amount(short: Shortfall, result: CheckResult) -> str:
    return money(short.amount, result.currency, result.exponent)


# -------------------------------------------------------------------------------------------------- clauses
def _clauses(page: Page, result: CheckResult) -> None:
    page.heading("Clauses")
    for status in ("broken", "disputed", "undecided"):
        _tallied(page, status, [c for c in result.clauses if c.status == status])
    kept = [f"{c.name} ({c.counts.kept:,})" for c in result.clauses if c.status == "kept"]
    page.pair("kept", [", ".join(kept)] if kept else [], 16, 1)
    unchecked = [c for c in result.clauses if c.counts.not_checkable]
    page.pair("not checkable", [_why_not(clause) for clause in unchecked], 16, 1)
    never = [c.name for c in result.clauses if c.status == "never exercised"]
    page.pair("never exercised", [", ".join(never)] if never else [], 16, 1)
    for kind in ("unobservable", "external", "structural"):
        page.pair(
            kind,
            list(
                dict.fromkeys(
                    f"{c.name}: {reason}" for c in result.clauses for k, reason in c.unchecked if k == kind
                )
            ),
            16,
            1,
        )
    rest = [c.name for c in result.clauses if c.status == "auxiliary"]
    page.pair("read by others", [", ".join(rest)] if rest else [], 16, 1)
    bare: dict[str, int] = {}
    for clause in result.clauses:
        if clause.status == "no rule" and clause.words:
            bare[clause.base] = bare.get(clause.base, 0) + 1
    page.pair(
        "no rule",
        [f"{count(n, 'clause')} of {of or 'the law'} with no rule of their own" for of, n in bare.items()],
        16,
        1,
    )


def _tallied(page: Page, name: str, clauses: list[ClauseResult]) -> None:
    page.pair(name, [f"{c.name} ({_counts(c.counts)})" for c in clauses], 16, 1)


def _counts(counts: Counts) -> str:
    named = {
        "kept": counts.kept,
        "broken": counts.broken,
        "disputed": counts.disputed,
        "undecided": counts.undecided,
        "not checkable": counts.not_checkable,
    }
    return ", ".join(f"{name} {number:,}" for name, number in named.items() if number)


def _why_not(clause: ClauseResult) -> str:
    reasons = "; ".join(f"{item.cause.text} ({item.count:,})" for item in clause.why_not)
    return f"{clause.name}: {reasons}" if reasons else f"{clause.name} ({clause.counts.not_checkable:,})"


# -------------------------------------------------------------------------------------------------- entries
def _entry(page: Page, entry: Entry, result: CheckResult) -> None:
    page.line()
    lead = entry.lead
    style = "bad" if lead.verdict in ("broken", "impossible") else "doubt"
    title = f"life: {lead.note}" if lead.kind == "life" else _titled(lead.verdict, lead.kind)
    page.line(f"{entry.number}. {title}", style=style, hang=4)
    page.line(_place(entry), 4, "dim", 4)
    if entry.event is not None:
        page.pair("logged", [event_line(entry.event, result)], INDENT + 10, INDENT)
    for finding in entry.findings:
        if finding is not lead and finding.kind == "life":
            page.line(f"also life: {finding.note}", 4, hang=4)
        elif finding is not lead:
            page.line(f"also {_titled(finding.verdict, finding.kind)}", 4, hang=4)
        _finding(page, finding, result)
    for short in entry.short:
        later = "" if short.basis == "settled wrongly" else " (it may have been paid later)"
        page.pair("money", [_short(short, result) + later], INDENT + 10, INDENT)


def _place(entry: Entry) -> str:
    keys = [f"{life} {key}" for life, key in entry.lives if key is not None]
    table = [] if entry.table is None else [f"table {entry.table}"]
    seq = [] if entry.seq is None else [f"seq {entry.seq}"]
    at = [] if entry.at is None else [entry.at]
    file = entry.file if entry.line is None else f"{entry.file}:{entry.line}"
    return ", ".join([*table, *keys, *seq, *at, file])


def event_line(event: LoggedEvent, result: CheckResult) -> str:
    """An event with its amounts in the log's currency."""
    words = [event.actor, event.event, *(f"{v.name}={_value(v, result)}" for v in event.values)]
    corrected = "" if event.corrected_by is None else f" (as corrected by seq {event.corrected_by})"
    return " ".join(words) + corrected


def _finding(page: Page, finding: Finding, result: CheckResult) -> None:
    for citation in finding.citations:
        _citation(page, citation)
    page.pair("required", [_act(act, result) for act in finding.required], INDENT + 10, INDENT)
    name = "required" if finding.verdict == "broken" and finding.kind == "settlement" else "by the rules"
    page.pair(name, [f"{v.name} = {_value(v, result)}" for v in finding.decided], INDENT + 10, INDENT)
    if finding.rests_on:
        page.pair(
            "rests on",
            [", ".join(f"{v.name} = {_value(v, result)}" for v in finding.rests_on)],
            INDENT + 10,
            INDENT,
        )
    page.pair("because", [cause.text for cause in finding.causes], INDENT + 10, INDENT)
    page.pair("note", [finding.note] if finding.note and finding.kind != "life" else [], INDENT + 10, INDENT)
    for line in finding.explanation:
        page.line(line, 6, hang=2)


def _citation(page: Page, citation: Citation) -> None:
    page.line(f"{citation.rule} “{citation.quote}”", 4, "quote", 4)
    if _plain(citation.words) != _plain(citation.quote) and citation.clause not in page.told:
        page.told.add(citation.clause)
        page.line(f"{citation.clause} in full: {citation.words}", 8, "dim", 4)
    for who, rule in citation.answers:
        page.line(f"{who} answers for it under {rule}", 8, hang=4)


def _plain(words: str) -> str:
    return " ".join(words.split()).strip(" .,;:")


def _act(act: Act, result: CheckResult) -> str:
    if [value.name for value in act.values] == ["actor"]:
        return f"{act.event} by {act.values[0].text}"
    return " ".join([act.event, *(f"{v.name}={_value(v, result)}" for v in act.values)])


def _value(value: Named, result: CheckResult) -> str:
    amount: Amount | None = value.amount
    if amount is not None:
        return money(amount, result.currency, result.exponent)
    return "any" if value.text is None else value.text


# --------------------------------------------------------------------------------------------------- totals
def _totals(page: Page, result: CheckResult) -> None:
    counted = [c for c in result.clauses if c.counts.applied or c.counts.not_checkable]
    if not counted:
        return
    page.heading("Totals by clause")
    heads = ("applied", "kept", "broken", "disputed", "undecided", "not checkable")
    rows = [("clause", heads), *((clause.name, _numbers(clause.counts)) for clause in counted)]
    first = max(len(name) for name, _ in rows)
    widths = [2 + max(map(len, column)) for column in zip(*(cells for _, cells in rows), strict=True)]
    for name, cells in rows:
        row = "".join(cell.rjust(width) for cell, width in zip(cells, widths, strict=True))
        page.lines.append(f" {name.ljust(first)}{row}")


def _numbers(counts: Counts) -> tuple[str, ...]:
    numbers = (
        counts.applied,
        counts.kept,
        counts.broken,
        counts.disputed,
        counts.undecided,
        counts.not_checkable,
    )
    return tuple(f"{number:,}" for number in numbers)
