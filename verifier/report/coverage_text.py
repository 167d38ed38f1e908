"""Coverage as text: a table of levels, the words of the law that nothing is said of, and the rules that fall short."""

from __future__ import annotations

from collections.abc import Sequence

from verifier.coverage.evidence import Killed
from verifier.coverage.measure import LEVELS, Coverage, CoveredRule, Level, Share
from verifier.coverage.phrases import STATUSES, CoveredClause, Status
from verifier.coverage.unshown import SIDES
from verifier.lint.law import law_file
from verifier.report.lines import Page, count
from verifier.transcripts.case import passed_words

OPEN, CLOSE = "⟦", "⟧"
"""Round words of the law that no rule quotes."""

_WORDS: dict[Status, str] = {
    "formalised": "said by a rule",
    "unobservable": "no log can show it",
    "external": "said by another instrument",
    "structural": "nothing of its own to say",
    "missing": "no rule quotes it",
}

_LACKING: dict[Level, str] = {
    "formalised": "not formalised",
    "proved": "with an obligation that is not proved, or with none",
    "exercised": "not shown both kept and broken",
    "killed": "with a mutant that nothing noticed",
}

MOST = 40
"""So many rules that fall short are named for each level."""


def text(coverages: Sequence[Coverage], width: int, colour: bool = False) -> str:
    """All rulesets, one after the other."""
    page = Page(width, colour)
    for number, coverage in enumerate(coverages):
        if number:
            page.line()
        _ruleset(page, coverage)
    return "\n".join(page.lines) + "\n"


def share_words(share: Share, noun: str) -> str:
    """`4,816 of 4,817 words (99 %)`."""
    return f"{share.part:,} of {share.whole:,} {noun} ({share.percent} %)"


def _ruleset(page: Page, coverage: Coverage) -> None:
    ruleset = coverage.ruleset
    page.line(f"Ruleset {ruleset.name} ({ruleset.digest[:12]})", style="head")
    if ruleset.law is not None:
        page.line(
            f"{ruleset.law.title}: {count(len(coverage.clauses), 'clause')} with words, {law_file(ruleset.law)}"
        )
    words = coverage.words
    page.line()
    for status in STATUSES:
        clauses = sum(c.status == status for c in coverage.clauses)
        of_words, of_clauses = count(words[status], "word"), count(clauses, "clause")
        page.raw(f"{of_words:>13} {of_clauses:>13}  {status:<13} {_WORDS[status]}")
    page.line()
    for level in LEVELS:
        page.raw(f"{level:<11} {level_words(coverage, level)}")
    _missing(page, coverage)
    for level in LEVELS[1:]:
        lacking = coverage.lacking(level)
        if lacking:
            page.heading(f"{count(len(lacking), 'rule')} {_LACKING[level]}")
            for rule in lacking[:MOST]:
                page.raw(f"{rule.rule}  {detail(rule, level)}  {rule.file}:{rule.line}", 4)
            if len(lacking) > MOST:
                page.raw(f"and {len(lacking) - MOST} more", 4)
    if coverage.survived_beside:
        heading = f"{count(len(coverage.survived_beside), 'declaration')} {_LACKING['killed']}"
        page.heading(heading)
        for name, of in coverage.survived_beside.items():
            page.raw(f"{name}  {noticed(of)}  {of.file}:{of.line}", 4)
    if coverage.justified:
        page.heading(f"{count(len(coverage.justified), 'rule')} justified: not shown both kept and broken")
        for rule in coverage.justified:
            page.line(f"{rule.rule}  {detail(rule, 'exercised')}  {rule.file}:{rule.line}", 4, hang=4)


def level_words(coverage: Coverage, level: Level) -> str:
    """What a level comes to."""
    if not coverage.known(level):
        return "not looked at"
    told = share_words(coverage.share(level), noun_of(level, [coverage]))
    return told + (_by(coverage) if level == "exercised" else "")


def noun_of(level: Level, coverages: Sequence[Coverage]) -> str:
    """What a level counts."""
    if level == "formalised":
        return "words"
    more = level == "killed" and any(coverage.beside for coverage in coverages)
    return "rules and declarations" if more else "rules"


def _by(coverage: Coverage) -> str:
    """What exercised the rules, and how many a reason accounts for."""
    by = [
        count(number, noun)
        for number, noun in ((coverage.transcripts, "transcript"), (coverage.rounds, "made round"))
        if number is not None
    ]
    more = len(coverage.justified)
    justified = f"; {count(more, 'rule')} justified" if more else ""
    return f", by {' and '.join(by)}{passed_words(coverage.passed_over)}{justified}"


def detail(rule: CoveredRule, level: Level) -> str:
    """The numbers behind a rule's level."""
    match level:
        case "proved" if rule.proof is not None:
            return f"{rule.proof.held} of {rule.proof.total} obligations hold"
        case "exercised" if rule.exercise is not None:
            shown = rule.exercise
            sides = ", ".join(
                f"{side} {count(getattr(shown, side), 'time')}"
                + (f" (justified: {rule.justified[side]})" if side in rule.justified else "")
                for side in SIDES
            )
            read = f", read {count(shown.read, 'time')}" if shown.read else ""
            none = "".join(
                f", {what} by no round that is lawful until then, as is proved"
                for what in sorted(rule.unshowable)
            )
            return f"{sides}{read}{none}"
        case "killed" if rule.mutants is not None:
            return noticed(rule.mutants)
        case _:
            return ""


def noticed(of: Killed) -> str:
    """`2 of 3 mutants noticed`."""
    return f"{of.noticed} of {of.total} mutants noticed"


def _missing(page: Page, coverage: Coverage) -> None:
    """Clauses with words that no rule quotes, those words in brackets."""
    for clause in coverage.clauses:
        if clause.status == "missing" and coverage.ruleset.law is not None:
            page.heading(
                f"{clause.clause.address}: {count(clause.counts['missing'], 'word')} that no rule quotes"
            )
            page.raw(f"{law_file(coverage.ruleset.law)}:{clause.clause.line}", 4)
            page.line(in_place(clause), 4)


def in_place(clause: CoveredClause) -> str:
    """The clause's words, those that no rule quotes in brackets."""
    return " ".join(f"{OPEN}{p.words}{CLOSE}" if p.status == "missing" else p.words for p in clause.phrases)
