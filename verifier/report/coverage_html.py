"""Coverage as one page of HTML that needs nothing else: the law in place, each phrase in the colour of its status."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from verifier.coverage.measure import LEVELS, Coverage, CoveredRule
from verifier.coverage.phrases import STATUSES, CoveredClause, Phrase
from verifier.errors import escaped
from verifier.report.coverage_text import detail, level_words

_STYLE = """
body { font: 16px/1.5 serif; max-width: 60em; margin: 2em auto; padding: 0 1em; color: #111; background: #fff }
table { border-collapse: collapse; font: 14px sans-serif } td, th { padding: .2em .8em; text-align: left }
td.n { text-align: right } .clause { margin: .6em 0 } .clause b { font-family: sans-serif; font-size: 14px }
.formalised { background: #d9f2d9 } .unobservable { background: #e4e4f4 } .external { background: #f4ead0 }
.structural { background: #eee } .missing { background: #f6c6c6; font-weight: bold; text-decoration: underline }
.short { font: 13px sans-serif; color: #a00 }
"""


def text(coverages: Sequence[Coverage]) -> str:
    """The page."""
    lines = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8"><title>Coverage</title>',
        f"<style>{_STYLE}</style></head><body>",
    ]
    for coverage in coverages:
        lines += _ruleset(coverage)
    return "\n".join([*lines, "</body></html>"]) + "\n"


def _text(words: str) -> str:
    return escape(escaped(words))


def _ruleset(coverage: Coverage) -> Iterator[str]:
    words = coverage.words
    yield f"<h1>{_text(coverage.ruleset.name)}</h1>"
    if coverage.ruleset.law is not None:
        yield f"<p>{_text(coverage.ruleset.law.title)}; ruleset {coverage.ruleset.digest[:12]}</p>"
    yield "<table><tr><th>level</th><th></th></tr>"
    for level in LEVELS:
        yield f"<tr><td>{level}</td><td>{_text(level_words(coverage, level))}</td></tr>"
    yield "</table><table><tr><th>words</th><th>clauses</th><th></th></tr>"
    for status in STATUSES:
        clauses = sum(c.status == status for c in coverage.clauses)
        cells = f'<td class="n">{words[status]}</td><td class="n">{clauses}</td>'
        yield f'<tr>{cells}<td class="{status}">{status}</td></tr>'
    yield "</table>"
    lacking = {rule.rule: rule for level in LEVELS[1:] for rule in coverage.lacking(level)}
    for clause in coverage.clauses:
        yield _clause(clause, [lacking[name] for name in clause.rules if name in lacking])


def _clause(clause: CoveredClause, lacking: Sequence[CoveredRule]) -> str:
    phrases = " ".join(_phrase(phrase) for phrase in clause.phrases)
    short = "".join(f'<div class="short">{_text(_lacks(rule))}</div>' for rule in lacking)
    return f'<div class="clause"><b>{_text(clause.clause.address)}</b> {phrases}{short}</div>'


def _phrase(phrase: Phrase) -> str:
    told = ", ".join(phrase.rules) + (f": {phrase.reason}" if phrase.reason else "")
    title = f' title="{_text(told or phrase.status)}"'
    return f'<span class="{phrase.status}"{title}>{_text(phrase.words)}</span>'


def _lacks(rule: CoveredRule) -> str:
    return f"{rule.rule}: " + "; ".join(
        detail(rule, level) for level in LEVELS[1:] if rule.is_(level) is False
    )
