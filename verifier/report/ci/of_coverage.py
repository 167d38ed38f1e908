"""The findings of a coverage: words that no rule quotes, rules that fall short of a level; one case a clause."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from verifier.coverage.measure import LEVELS, Coverage, CoveredRule, Level
from verifier.coverage.phrases import CoveredClause, Phrase
from verifier.lint.law import law_file
from verifier.report.ci.findings import Case, Finding, Report, State, Subject, distinct, fingerprint
from verifier.report.coverage_text import detail, noticed
from verifier.version import VERSION

_SHORT: dict[Level, str] = {
    "formalised": "not formalised",
    "proved": "not proved over",
    "exercised": "not shown both kept and broken",
    "killed": "with a mutant that nothing noticed",
}


def of_coverage(coverages: Sequence[Coverage]) -> Report:
    """The report of one or more rulesets."""
    several = len(coverages) > 1
    findings = distinct(finding for coverage in coverages for finding in _findings(coverage, several))
    cases = tuple(case for coverage in coverages for case in _cases(coverage, several))
    about = ", ".join(coverage.ruleset.name for coverage in coverages)
    return Report("coverage", about, VERSION, findings, cases, len(findings))


def _findings(coverage: Coverage, several: bool) -> Iterator[Finding]:
    for clause, phrase in coverage.missing:
        yield _missing(coverage, clause, phrase, several)
    for level in LEVELS[1:]:
        for rule in coverage.lacking(level):
            yield _lacking(coverage, rule, level, several)
    for name, of in coverage.survived_beside.items():
        about = _named(coverage, name, several)
        subject = Subject(f"killed {about}", f"{about}: {_SHORT['killed']}", coverage.ruleset.name)
        message = f"{name} is {_SHORT['killed']}: {noticed(of)}"
        print_ = fingerprint((coverage.ruleset.name, "killed", name))
        yield Finding(subject, "warning", message, of.file, of.line, None, print_)
    for rule in coverage.justified:
        found = _lacking(coverage, rule, "exercised", several)
        yield replace(found, level="note", accepted="; ".join(dict.fromkeys(rule.justified.values())))


def _named(coverage: Coverage, address: str, several: bool) -> str:
    """A clause's address; of several rulesets with its own in front, for their laws may number alike."""
    return f"{coverage.ruleset.name} {address}" if several else address


def _missing(coverage: Coverage, clause: CoveredClause, phrase: Phrase, several: bool) -> Finding:
    law = coverage.ruleset.law
    assert law is not None
    address = clause.clause.address
    name = _named(coverage, address, several)
    subject = Subject(f"missing {name}", f"{name}: words that no rule quotes", clause.clause.text)
    print_ = fingerprint((coverage.ruleset.name, "missing", address, phrase.words))
    message = f"no rule on {address} quotes “{phrase.words}”"
    return Finding(subject, "error", message, law_file(law), clause.clause.line, None, print_)


def _lacking(coverage: Coverage, rule: CoveredRule, level: Level, several: bool) -> Finding:
    law = coverage.ruleset.law
    assert law is not None
    name = _named(coverage, rule.clause, several)
    subject = Subject(f"{level} {name}", f"{name}: {_SHORT[level]}", law.clause(rule.clause).text)
    print_ = fingerprint((coverage.ruleset.name, level, rule.rule))
    message = f"rule {rule.rule} is {_SHORT[level]}: {detail(rule, level)}"
    return Finding(subject, "warning", message, rule.file, rule.line, None, print_)


def _cases(coverage: Coverage, several: bool) -> Iterator[Case]:
    lacking: dict[str, list[str]] = {}
    for level in LEVELS[1:]:
        for rule in coverage.lacking(level):
            told = f"rule {rule.rule} is {_SHORT[level]}: {detail(rule, level)}"
            lacking.setdefault(rule.rule, []).append(told)
    for clause in coverage.clauses:
        name = clause.clause.address
        words = [f"no rule quotes “{p.words}”" for p in clause.phrases if p.status == "missing"]
        words += [line for rule in clause.rules for line in lacking.get(rule, ())]
        state: State = "failed" if words else "passed"
        if not words and clause.status != "formalised":
            state, words = "skipped", [f"{p.status}: {p.reason}" for p in clause.phrases if p.reason]
        yield Case(_named(coverage, name, several), state, tuple(words))
    for name, of in coverage.beside.items():
        lost = coverage.survived_beside.get(name)
        words = [] if lost is None else [f"{name} is {_SHORT['killed']}: {noticed(of)}"]
        yield Case(_named(coverage, name, several), "passed" if lost is None else "failed", tuple(words))
