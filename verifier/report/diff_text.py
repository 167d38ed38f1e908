"""Two rulesets side by side, as text: clauses in two columns, then options, then what the rules say."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from verifier.diff.align import words_of
from verifier.diff.rules import OptionChange, OptionSide, RulesDiff, Statement, StatementChange
from verifier.diff.text import ClauseChange
from verifier.errors import escaped
from verifier.law import Law
from verifier.report.lines import Page, count, listed

OPEN, CLOSE = "⟦", "⟧"
"""Round words that the other side does not have there."""

GAP = " │ "

_FATES = {"changed": "differs", "old": "only in the old", "new": "only in the new", "beyond": ""}


def text(diff: RulesDiff, width: int, colour: bool = False) -> str:
    """The whole page, `width` columns wide."""
    page = Page(width, colour)
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
    for which in sorted(diff.text.fragment):
        page.line(
            f"The {which} text is a fragment: what the other has and it has not may stand on what is lost.",
            hang=4,
        )
    if diff.identical:
        return page.text()
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
    _options(page, [change for change in diff.options if change.fate != "beyond"])
    _statements(page, [change for change in diff.statements if change.fate != "beyond"])
    return page.text()


def _summary(diff: RulesDiff) -> str:
    if diff.identical:
        return "Both are the same files of law and rules."
    if diff.unread:
        return "The files differ, and in nothing that is compared here: whether the law changed is open."
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
        _columns(page, _range(change.old), _range(change.new), 8)


def _range(side: OptionSide | None) -> str:
    if side is None:
        return "—"
    provisos = "".join(f"; {proviso}" for proviso in side.provisos)
    return f"{side.clause or 'no clause'}: {side.range}{provisos}"


def _statements(page: Page, changes: Sequence[StatementChange]) -> None:
    for title, forces in (
        ("Duties, prohibitions and permissions", ("must", "must not", "may")),
        ("Decisions and definitions", ("decides", "defines")),
    ):
        mine = [c for c in changes if any(s is not None and s.force in forces for s in (c.old, c.new))]
        if not mine:
            continue
        page.heading(title)
        page.line(
            "By the rules on clauses that answer to each other, as written; whether they mean the same is not proved."
        )
        for change in mine:
            _statement(page, change)


def _statement(page: Page, change: StatementChange) -> None:
    rules = [statement.rule if statement else "—" for statement in (change.old, change.new)]
    page.line(f"{rules[0]}  →  {rules[1]}   {_FATES[change.fate]}", 4)
    shared = set(change.old.when) & set(change.new.when) if change.old and change.new else set()
    _columns(page, _said(change.old, shared), _said(change.new, shared), 8)


def _said(statement: Statement | None, shared: set[str]) -> str:
    """What it says, with those of its conditions that the other does not share."""
    if statement is None:
        return "—"
    own = [condition for condition in statement.when if condition not in shared]
    link = " = " if statement.force == "defines" else " when "
    return statement.says + (link + " and ".join(f"({c})" if len(own) > 1 else c for c in own) if own else "")
