"""Coverage as an LCOV tracefile: the law file and, where transcripts or made rounds were run, the .rules file.

Of the law: each line is one clause's words; it is hit where all of them are accounted for, and its phrases are its
branches. Of the rules: each rule that binds is a function and a line, hit as often as they exercised it; kept
and broken are its two branches, but for what nothing shows and is proved to be shown by no round, or is said to be
shown by none, with a reason. Of a rule that is neither for such reasons there is nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from verifier.coverage.measure import Coverage
from verifier.coverage.phrases import CoveredClause, Phrase
from verifier.law.words import split_words
from verifier.lint.law import law_file

Branch = tuple[int, int, int, int]
"""Line, block, branch, how often taken."""


def text(coverages: Sequence[Coverage]) -> str:
    """The tracefile of all rulesets."""
    lines: list[str] = []
    for coverage in coverages:
        if coverage.ruleset.law is not None:
            lines += _law(coverage)
        if coverage.known("exercised"):
            lines += _rules(coverage)
    return "".join(line + "\n" for line in lines)


def _law(coverage: Coverage) -> Iterator[str]:
    law = coverage.ruleset.law
    assert law is not None
    hits: dict[int, int] = {}
    branches: list[Branch] = []
    for clause in coverage.clauses:
        for line, phrases in _by_line(clause):
            counted = [phrase for phrase in phrases if phrase.status != "joining"]
            hits[line] = min(hits.get(line, 1), int(all(p.status != "missing" for p in counted)))
            branches += [
                (line, 0, number, int(phrase.status != "missing")) for number, phrase in enumerate(counted)
            ]
    yield from _record(law_file(law), {}, hits, branches)


def _by_line(clause: CoveredClause) -> Iterator[tuple[int, list[Phrase]]]:
    """The lines of a clause, each with the phrases that stand in it, at least in part."""
    border = len(split_words(clause.clause.intro))
    head = [phrase for phrase in clause.phrases if phrase.start < border]
    tail = [phrase for phrase in clause.phrases if phrase.end > border]
    if head:
        yield clause.clause.line, head
    if tail:
        yield clause.clause.tail_line or clause.clause.line, tail


def _rules(coverage: Coverage) -> Iterator[str]:
    files = dict.fromkeys(rule.file for rule in coverage.rules)
    for file in files:
        functions: dict[str, tuple[int, int]] = {}
        hits: dict[int, int] = {}
        branches: list[Branch] = []
        for rule in coverage.rules:
            if rule.file != file or not rule.binds or rule.exercise is None:
                continue
            done = rule.exercise
            accounted = {*rule.unshowable, *rule.justified}
            if len(accounted) == 2 and rule.is_("exercised") is None:
                continue
            total = done.kept + done.broken + done.read
            functions[rule.rule] = (rule.line, total)
            hits[rule.line] = total
            if rule.claimed:
                taken = {"kept": done.kept, "broken": done.broken}
                branches += [
                    (rule.line, 0, number, times)
                    for number, (what, times) in enumerate(taken.items())
                    if what not in accounted
                ]
        yield from _record(file, functions, hits, branches)


def _record(
    file: str, functions: dict[str, tuple[int, int]], hits: dict[int, int], branches: list[Branch]
) -> Iterator[str]:
    yield "TN:"
    yield f"SF:{file}"
    for name, (line, _) in functions.items():
        yield f"FN:{line},{name}"
    for name, (_, times) in functions.items():
        yield f"FNDA:{times},{name}"
    yield f"FNF:{len(functions)}"
    yield f"FNH:{sum(times > 0 for _, times in functions.values())}"
    for line, block, branch, taken in branches:
        yield f"BRDA:{line},{block},{branch},{taken}"
    yield f"BRF:{len(branches)}"
    yield f"BRH:{sum(taken > 0 for *_, taken in branches)}"
    for line in sorted(hits):
        yield f"DA:{line},{hits[line]}"
    yield f"LF:{len(hits)}"
    yield f"LH:{sum(times > 0 for times in hits.values())}"
    yield "end_of_record"
