"""Two rulesets side by side, as text: what changed in meaning, then clauses in two columns, then what rules say."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from verifier.diff.align import words_of
from verifier.diff.logs import Judged, log_said
from verifier.diff.rules import OptionChange, RulesDiff, StatementChange
from verifier.diff.text import ClauseChange
from verifier.diff.whole import WholeDiff
from verifier.errors import escaped
from verifier.law import Law
from verifier.report.diff_acts import WORDS_ONLY, acts_open, acts_told
from verifier.report.diff_meaning import (
    SAME_MANY,
    SAME_ONE,
    RegionTold,
    matters_told,
    norm_line,
    norms_same,
    norms_told,
    norms_unknown,
    not_compared,
    one_sided,
    regions_counted,
    same_told,
    statements_said,
)
from verifier.report.lines import Page, count, listed

OPEN, CLOSE = "⟦", "⟧"
"""Round words that the other side does not have there."""

GAP = " │ "

_FATES = {"changed": "differs", "old": "only in the old", "new": "only in the new", "beyond": ""}


def text(whole: WholeDiff, width: int, colour: bool = False) -> str:
    """The whole page, `width` columns wide."""
    page = Page(width, colour)
    diff = whole.rules
    old, new = diff.text.old, diff.text.new
    page.line(
        f"Old: {diff.old.name} ({diff.old.digest[:12]}), {old.title}, {old.header.issue}",
        style="head",
        hang=5,
    )
    page.line(
        f"New: {diff.new.name} ({diff.new.digest[:12]}), {new.title}, {new.header.issue}",
        style="head",
        hang=5,
    )
    page.line(_summary(diff))
    for line in meaning_lines(whole):
        page.line(line, hang=4)
    for which in sorted(diff.text.fragment):
        page.line(
            f"The {which} text is a fragment: what the other has and it has not may stand on what is lost.",
            hang=4,
        )
    if diff.identical:
        _log(page, whole)
        return page.text()
    _meaning(page, whole)
    _norms(page, whole)
    _options(page, [change for change in diff.options if change.fate != "beyond"])
    _log(page, whole)
    page.heading("Clauses")
    page.line(
        f"{OPEN}Words{CLOSE} are those that the other does not have there; "
        "figures count as the same in words and in digits."
    )
    shown = [change for change in diff.text.changes if not change.same and change.kind != "beyond"]
    for change in shown:
        page.line()
        _clause(page, diff, change)
    if not shown:
        page.line("No clause differs.", 4)
    _beyond(page, diff)
    told = [norm.change for norm in norms_told(whole.norms)]
    _statements(page, [c for c in diff.statements if c.fate != "beyond" and c not in told])
    return page.text()


def meaning_lines(whole: WholeDiff) -> list[str]:
    """What the meaning comes to, in a line or two."""
    meaning = whole.meaning
    if meaning is None:
        return []
    told = [c for c in meaning.matters if c.verdict in ("same", "different", "undecided")]
    same = sum(c.verdict == "same" for c in told)
    others = regions_counted([d for c in told for d in c.differences])
    if open_ := sum(c.verdict == "undecided" for c in told):
        others.append(f"{open_} open")
    match len(told):
        case 0:
            lines = ["Decisions: there is none that both answer."]
        case 1 if same:
            lines = ["Decisions: the one that both answer is proved the same."]
        case every if every == same:
            lines = [f"Decisions: all {every} that both answer are proved the same."]
        case every:
            lines = [
                f"Decisions: {same} of {every} that both answer proved the same; "
                f"in the {'other' if every - same == 1 else 'others'} {listed(others)}."
            ]
    if uneven := sum(c.uneven for c in told):
        where = "Not compared where rules of one side alone read what is undefined"
        lines.append(f"{where}: {count(uneven, 'decision')}.")
    if owed := sum(c.owed not in ("same", "open") for c in told):
        lines.append(f"When an answer is owed differs for {count(owed, 'decision')}.")
    shown = norms_told(whole.norms)
    unknown = sum(n.unknown for n in whole.norms)
    if whole.norms:
        same = sum(n.same for n in whole.norms)
        open_ = sum(n.turn == "open" for n in shown)
        counted = [
            count(len(shown) - open_, "difference"),
            *([f"{open_} open"] if open_ else []),
            *([f"{same} {SAME_ONE if same == 1 else SAME_MANY}"] if same else []),
            *([f"{unknown} of acts that one side does not record"] if unknown else []),
        ]
        lines.append(f"Duties, prohibitions and permissions: {', '.join(counted)}.")
    return lines


def _meaning(page: Page, whole: WholeDiff) -> None:
    meaning = whole.meaning
    if meaning is None:
        return
    page.heading("Decisions, by meaning")
    page.line(
        "Compared where both laws owe an answer; each region is told in conditions that the clauses themselves use."
    )
    for note in meaning.notes:
        page.line(f"{note}.", 4, hang=2)
    for told in matters_told(meaning):
        page.line()
        page.line(told.line, 4, style="head", hang=4)
        if told.compared.closed:
            closed = ", ".join(f"{name} = {value}" for name, value in told.compared.closed)
            page.line(f"with {closed}", 8, hang=4)
        if told.owed:
            page.line(told.owed, 8, hang=4)
        for title, those in told.groups:
            if title:
                page.line(f"{title}:", 6, hang=2)
            for region in those:
                _region(page, region)
    if same := same_told(meaning):
        page.line()
        page.line(same[0], 4, style="head")
        for line in same[1:]:
            page.line(line, 8, hang=4)
    if lines := one_sided(meaning):
        page.line()
        page.line("Answered on one side only:", 4, style="head")
        for line in lines:
            page.line(line, 8, hang=4)
    if whole.background:
        page.line()
        page.line(not_compared(whole.background), 4, hang=4)


def _region(page: Page, region: RegionTold) -> None:
    style = "bad" if region.difference.rank == "open" else "doubt"
    page.line(f"{region.number}. {region.headline}", 6, style=style)
    for old, new in region.answers:
        _columns(page, old, new, 10)
    if region.kept_out:
        page.line(region.kept_out, 10, hang=2)
        return
    if region.everywhere:
        page.line("wherever both owe an answer", 10)
    else:
        page.line(
            f"where {region.where}" if region.where else "where the rules above apply and differ", 10, hang=2
        )
    page.line(region.proof, 10, hang=2)
    for label, value in (("money", region.money), ("how often", region.often)):
        if value:
            page.line(f"{label}: {value}", 10, hang=2)
    if region.example:
        page.line(f"example: {'; '.join(region.example)}", 10, hang=2)
        if region.breaks:
            page.line(region.breaks, 12, hang=2)
        for old, new in region.facts:
            _columns(page, old, new, 12)


def _norms(page: Page, whole: WholeDiff) -> None:
    shown, unknown = norms_told(whole.norms), norms_unknown(whole.norms)
    same = norms_same(whole.norms)
    if not shown and not unknown and not same:
        return
    page.heading("What must be done, may be done and must not be done, by meaning")
    for norm in shown:
        old, new = norm.change.old, norm.change.new
        names = f"{old.rule if old else '—'}  →  {new.rule if new else '—'}"
        page.line(f"{names}   {norm_line(norm)}", 4, style="head", hang=4)
        _columns(page, *statements_said(norm.change), 8)
        for told in acts_told(norm):
            page.line(told.headline, 8, style="doubt")
            page.line(told.where, 10, hang=2)
            page.line(told.proof, 10, hang=2)
            page.line(f"example: {'; '.join(told.example)}" if told.example else WORDS_ONLY, 10, hang=2)
            if told.breaks:
                page.line(told.breaks, 12, hang=2)
            for first, second in told.facts:
                _columns(page, first, second, 12)
        if open_ := acts_open(norm):
            page.line(open_, 8, hang=2)
    if same:
        page.line()
        page.line(same[0], 4, style="head")
        for line in same[1:]:
            page.line(line, 8, hang=4)
    for line in unknown:
        page.line(line, 4, hang=4)


def _log(page: Page, whole: WholeDiff) -> None:
    if whole.log is None:
        return
    page.heading("Effect on the log")
    page.line(f"{count(whole.log.events, 'event')} judged under both.")
    for line in log_said(whole.log):
        page.line(line, 4, hang=4)
    for place, events in whole.log.rounds:
        page.line(", ".join(f"{life} {key}" for life, key in place) or "the file", 4, style="head")
        for event in events:
            page.line(f"{'' if event.seq is None else event.seq} {event.named}".strip(), 6, hang=4)
            _columns(page, judged(event.old), judged(event.new), 10)


def judged(side: Judged | None) -> str:
    """What one side says of an event of the log."""
    if side is None:
        return "no fault"
    short = "".join(f"; {who} short {money_}" for who, money_ in side.short)
    return f"{' and '.join((side.verdict, *side.also))} {listed(side.rules)}{short}"


def _summary(diff: RulesDiff) -> str:
    if diff.identical:
        return "Both are the same files of law and rules."
    if diff.unread:
        return "The words and the rules as written are the same; the files differ otherwise."
    changes = diff.text.changes
    kinds = [
        (sum(c.same for c in changes), "the same"),
        (sum(c.renumbered and not c.moved and not c.reworded for c in changes), "renumbered only"),
        (sum(c.moved for c in changes), "moved"),
        (sum(c.kind == "one" and c.reworded for c in changes), "reworded"),
        *((sum(c.kind == kind for c in changes), kind) for kind in ("split", "joined", "removed", "added")),
        (sum(c.kind == "beyond" for c in changes), "beyond the page"),
    ]
    return "Clauses: " + ", ".join(f"{number} {what}" for number, what in kinds if number) + "."


# -------------------------------------------------------------------------------------------------- clauses
def _clause(page: Page, diff: RulesDiff, change: ClauseChange) -> None:
    page.line(f"{listed(change.old) or '—'}  →  {listed(change.new) or '—'}   {what(change)}", style="head")
    if change.kind == "one" and not change.reworded:
        return
    if change.spans:
        old = " ".join(_marked(span.kind, span.old) for span in change.spans if span.old)
        new = " ".join(_marked(span.kind, span.new) for span in change.spans if span.new)
    else:
        old, new = _whole(diff.text.old, change.old), _whole(diff.text.new, change.new)
    _columns(page, old, new)


def what(change: ClauseChange) -> str:
    """What became of the clause: `renumbered, reworded`."""
    if change.kind != "one":
        return f"{change.kind}, moved" if change.moved else change.kind
    kinds = [(change.moved, "moved"), (change.renumbered, "renumbered"), (change.reworded, "reworded")]
    return ", ".join(name for holds, name in kinds if holds) or "the same"


def _marked(kind: str, words: str) -> str:
    return words if kind == "same" else f"{OPEN}{words}{CLOSE}"


def _whole(law: Law, addresses: Sequence[str]) -> str:
    return " ".join(words_of(law.clauses[address]) for address in addresses)


def _columns(page: Page, old: str, new: str, indent: int = 4) -> None:
    room = (page.width - indent - len(GAP)) // 2
    left, right = (
        textwrap.wrap(escaped(side), room, break_long_words=True, break_on_hyphens=False)
        for side in (old, new)
    )
    for at in range(max(len(left), len(right))):
        first = left[at] if at < len(left) else ""
        second = right[at] if at < len(right) else ""
        page.lines.append(f"{' ' * indent}{first.ljust(room)}{GAP}{second}".rstrip())


def _beyond(page: Page, diff: RulesDiff) -> None:
    changes = [change for change in diff.text.changes if change.kind == "beyond"]
    if changes:
        page.heading(f"{count(len(changes), 'clause')} beyond the page")
        page.line(", ".join((change.old or change.new)[0] for change in changes), 4)


# ---------------------------------------------------------------------------------------------------- rules
def _options(page: Page, changes: Sequence[OptionChange]) -> None:
    if changes:
        page.heading("Options")
    for change in changes:
        page.line(f"{change.name}   {_FATES[change.fate]}", 4)
        _columns(page, change.old.said if change.old else "—", change.new.said if change.new else "—", 8)


def _statements(page: Page, changes: Sequence[StatementChange]) -> None:
    for title, forces in (
        ("Duties, prohibitions and permissions", ("must", "must not", "may")),
        ("Decisions and definitions", ("decides", "asks", "defines")),
    ):
        mine = [c for c in changes if any(s is not None and s.force in forces for s in (c.old, c.new))]
        if not mine:
            continue
        page.heading(title)
        page.line(
            "By the rules on clauses that answer to each other, as written; what it comes to stands above."
        )
        for change in mine:
            _statement(page, change)


def _statement(page: Page, change: StatementChange) -> None:
    rules = [statement.rule if statement else "—" for statement in (change.old, change.new)]
    page.line(f"{rules[0]}  →  {rules[1]}   {_FATES[change.fate]}", 4)
    _columns(page, *statements_said(change), 8)
