"""A comparison as a page to publish: Markdown, headed by what it was made from.

The same comparison gives the same bytes. The first line is a comment with the digests of both rulesets and laws and of
the page, and the version of the tool, so that whether the page is stale can be told without comparing anything.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

from verifier.diff.logs import log_said
from verifier.diff.norm_words import NormChange
from verifier.diff.rules import RulesDiff
from verifier.diff.stated import Stated
from verifier.diff.whole import WholeDiff
from verifier.errors import Problem, RequestError
from verifier.law import Law
from verifier.model.ruleset import Ruleset
from verifier.report.diff_acts import WORDS_ONLY, acts_open, acts_told
from verifier.report.diff_meaning import (
    MatterTold,
    RegionTold,
    matters_told,
    norm_line,
    norms_same,
    norms_told,
    norms_unknown,
    not_compared,
    one_sided,
    same_told,
    statements_said,
)
from verifier.report.diff_text import judged, meaning_lines, what
from verifier.report.lines import listed
from verifier.report.prove_page import cell, code, markdown
from verifier.version import VERSION

_HEAD = re.compile(r"<!-- gazette-diff 1((?: [a-z-]+=[^\s>]+)*) -->")


def page(whole: WholeDiff) -> str:
    """The page."""
    body = "\n".join(_lines(whole)).strip("\n") + "\n"
    body = re.sub(r"\n{3,}", "\n\n", body)
    told = {**made_from(whole.rules.old, whole.rules.new, whole.rules.same), "page": _sha256(body)}
    return f"<!-- gazette-diff 1{''.join(f' {k}={v}' for k, v in told.items())} -->\n{body}"


def made_from(old: Ruleset, new: Ruleset, same: Sequence[Stated] = ()) -> dict[str, str]:
    """What a page is made from, by name: a change of any makes it stale."""
    return {
        "tool": VERSION,
        "old": old.digest,
        "new": new.digest,
        "old-law": _law(old).digest,
        "new-law": _law(new).digest,
        **({"same": ",".join(map(str, same))} if same else {}),
    }


def _law(ruleset: Ruleset) -> Law:
    if ruleset.law is None:
        raise RequestError(Problem(f"the ruleset {ruleset.name} transcribes no law", code="no-law"))
    return ruleset.law


def stale(text: str, old: Ruleset, new: Ruleset, same: Sequence[Stated] = ()) -> list[str]:
    """Why a page is not of these rulesets, laws, names stated to be the `same`, and this tool; nothing where it is."""
    head, _, body = text.partition("\n")
    found = _HEAD.fullmatch(head)
    if found is None:
        return ["its first line is not that of a comparison"]
    told = dict(part.split("=", 1) for part in found[1].split())
    now = made_from(old, new, same)
    reasons = [
        f"{name} is {now.get(name, 'nothing')[:16]}, the page was made from {told.get(name, 'nothing')[:16]}"
        for name in dict.fromkeys([*now, *(["same"] if "same" in told else [])])
        if told.get(name) != now.get(name)
    ]
    if told.get("page") != _sha256(body):
        reasons.append("the page was changed by hand")
    return reasons


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


# -------------------------------------------------------------------------------------------------------- parts
def _lines(whole: WholeDiff) -> list[str]:
    diff = whole.rules
    old, new = diff.text.old, diff.text.new
    lines = [
        f"# {markdown(diff.old.name)} and {markdown(diff.new.name)}",
        "",
        f"- Then: {markdown(old.title)}, {markdown(old.header.issue)} ({code(diff.old.digest[:12])})",
        f"- Now: {markdown(new.title)}, {markdown(new.header.issue)} ({code(diff.new.digest[:12])})",
        *(
            f"- The {which} text is a fragment: what the other has and it has not may stand on what is lost."
            for which in sorted(diff.text.fragment)
        ),
        "",
        *(f"{markdown(line)}\n" for line in meaning_lines(whole)),
    ]
    if diff.identical:
        lines.append("Both are the same files of law and rules.")
    lines += _meaning(whole)
    lines += _norms(whole)
    lines += _options(diff)
    lines += _log(whole)
    lines += _clauses(diff)
    return lines


def _meaning(whole: WholeDiff) -> list[str]:
    meaning = whole.meaning
    if meaning is None:
        return []
    lines = [
        "## Decisions",
        "",
        "Compared where both laws owe an answer. Each region is told in conditions that the clauses themselves use.",
        "",
        *(f"- {markdown(note)}" for note in meaning.notes),
    ]
    for matter in matters_told(meaning, code):
        lines += _matter(matter)
    if same := same_told(meaning):
        lines += ["", "### Proved the same", "", markdown(same[0]), ""]
        lines += [f"- {markdown(line)}" for line in same[1:]]
    if told := one_sided(meaning):
        lines += ["", "### Answered on one side only", "", *(f"- {markdown(line)}" for line in told)]
    if whole.background:
        lines += ["", markdown(not_compared(whole.background))]
    return lines


def _matter(matter: MatterTold) -> list[str]:
    compared = matter.compared
    lines = ["", f"### {markdown(compared.title)}", "", markdown(matter.line) + "."]
    if compared.closed:
        told = ", ".join(code(f"{name} = {value}") for name, value in compared.closed)
        lines.append(f"With {told}.")
    if matter.owed:
        lines += ["", f"{matter.owed}."]
    for title, those in matter.groups:
        if title:
            lines += ["", f"**{markdown(title)}**"]
        for region in those:
            lines += _region(region)
    return lines


def _region(region: RegionTold) -> list[str]:
    lines = ["", f"#### {region.number}. {markdown(region.headline)}", ""]
    if region.kept_out:
        rows = [f"{code(old)} → {code(new)}" for old, new in region.answers]
        return [*lines, f"{'; '.join(rows)}. {markdown(region.kept_out)}."]
    if region.everywhere:
        lines += ["Wherever both owe an answer.", ""]
    elif region.where:
        lines += [f"Where {code(region.where)}.", ""]
    lines += ["| then | now |", "| --- | --- |"]
    lines += [f"| {cell(old)} | {cell(new)} |" for old, new in region.answers]
    lines.append("")
    for label, value in (("Money", region.money), ("How often", region.often), ("Proof", region.proof)):
        if value:
            lines.append(f"- {label}: {markdown(value)}")
    if region.example:
        lines += [
            f"- Example: {', '.join(code(item) for item in region.example)}",
            *([f"- {_begun(region.breaks)}"] if region.breaks else []),
            "",
            "| then | now |",
            "| --- | --- |",
            *(f"| {cell(old) if old else ''} | {cell(new) if new else ''} |" for old, new in region.facts),
        ]
    return lines


def _norms(whole: WholeDiff) -> list[str]:
    shown, unknown = norms_told(whole.norms), norms_unknown(whole.norms)
    same = norms_same(whole.norms)
    if not shown and not unknown and not same:
        return []
    lines = ["", "## Duties, prohibitions and permissions", ""]
    if shown:
        lines += ["| then | now | what changed |", "| --- | --- | --- |"]
    for norm in shown:
        sides = [
            "—" if side is None else cell(f"{side.rule}: {said}")
            for side, said in zip(
                (norm.change.old, norm.change.new), statements_said(norm.change), strict=True
            )
        ]
        lines.append(f"| {sides[0]} | {sides[1]} | {cell(norm_line(norm))} |")
    for norm in shown:
        lines += _acts(norm)
    if same:
        lines += ["", "### Proved the same", "", markdown(same[0]), ""]
        lines += [f"- {markdown(line)}" for line in same[1:]]
    for line in unknown:
        lines += ["", markdown(line)]
    return lines


def _acts(norm: NormChange) -> list[str]:
    names = [side.rule if side else "—" for side in (norm.change.old, norm.change.new)]
    lines: list[str] = []
    for told in acts_told(norm):
        lines += ["", f"**{markdown(names[0])} → {markdown(names[1])}**: {markdown(told.headline)}", ""]
        where = told.where.removeprefix("where ")
        lines.append(f"- Where {code(where)}" if where != told.where else f"- {_begun(where)}")
        lines.append(f"- {_begun(told.proof)}")
        if told.example:
            lines += [
                f"- Example: {', '.join(code(item) for item in told.example)}",
                *([f"- {_begun(told.breaks)}"] if told.breaks else []),
                "",
                "| then | now |",
                "| --- | --- |",
            ]
        else:
            lines.append(f"- {_begun(WORDS_ONLY)}")
        lines += [f"| {cell(old) if old else ''} | {cell(new) if new else ''} |" for old, new in told.facts]
    if open_ := acts_open(norm):
        lines += ["", _begun(open_)]
    return lines


def _begun(words: str) -> str:
    """The beginning of a line, with a capital."""
    return markdown(words[:1].upper() + words[1:])


def _options(diff: RulesDiff) -> list[str]:
    shown = [change for change in diff.options if change.fate != "beyond"]
    if not shown:
        return []
    lines = ["", "## Options", "", "| option | then | now |", "| --- | --- | --- |"]
    lines += [
        f"| {cell(c.name)} | {cell(c.old.said if c.old else '—')} | {cell(c.new.said if c.new else '—')} |"
        for c in shown
    ]
    return lines


def _log(whole: WholeDiff) -> list[str]:
    if whole.log is None:
        return []
    lines = ["", "## Effect on the log", "", f"{whole.log.events:,} events judged under both."]
    for line in log_said(whole.log):
        lines += ["", markdown(line)]
    if whole.log.rounds:
        lines += ["", "| where | event | then | now |", "| --- | --- | --- | --- |"]
    for place, events in whole.log.rounds:
        told = ", ".join(f"{life} {key}" for life, key in place)
        lines += [
            f"| {cell(told)} | {cell(e.named)} | {cell(judged(e.old))} | {cell(judged(e.new))} |"
            for e in events
        ]
    return lines


def _clauses(diff: RulesDiff) -> list[str]:
    shown = [c for c in diff.text.changes if not c.same and c.kind != "beyond"]
    lines = ["", "## Clauses", "", "| then | now | what changed | then it said | now it says |"]
    lines.append("| --- | --- | --- | --- | --- |")
    for change in shown:
        sides = []
        for law, addresses, key in (
            (diff.text.old, change.old, "old"),
            (diff.text.new, change.new, "new"),
        ):
            if change.spans:
                told = " ".join(
                    getattr(span, key) if span.kind == "same" else f"⟦{getattr(span, key)}⟧"
                    for span in change.spans
                    if getattr(span, key)
                )
            else:
                told = " ".join(law.clauses[a].text for a in addresses)
            sides.append(told)
        lines.append(
            f"| {cell(listed(change.old) or '—')} | {cell(listed(change.new) or '—')} | {cell(what(change))} "
            f"| {cell(sides[0])} | {cell(sides[1])} |"
        )
    lost = [(c.old or c.new)[0] for c in diff.text.changes if c.kind == "beyond"]
    if lost:
        lines += ["", f"Beyond the page: {markdown(', '.join(lost))}."]
    return lines
