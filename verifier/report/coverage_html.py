"""Coverage as a page: the law in place, each phrase in the colour of its status, and what looks after each rule."""

from __future__ import annotations

from collections.abc import Sequence

from verifier.coverage.measure import LEVELS, Coverage
from verifier.coverage.phrases import STATUSES
from verifier.report.coverage_text import detail, level_words, noticed
from verifier.report.html.law import instruments
from verifier.report.html.page import Site, body, whole


def text(coverages: Sequence[Coverage]) -> str:
    """The page."""
    names = ", ".join(coverage.ruleset.name for coverage in coverages)
    site = Site(f"Coverage of {names}", True, ())
    many = len(coverages) > 1
    contents = (_ruleset(one, site, f"{n}-" if many else "") for n, one in enumerate(coverages, 1))
    return whole(site, "coverage", site.title, *contents)


def _ruleset(coverage: Coverage, site: Site, prefix: str) -> str:
    lacks = {rule.rule for level in LEVELS[1:] for rule in coverage.lacking(level)}
    told = {
        rule.rule: "; ".join(
            detail(rule, level)
            for level in LEVELS[1:]
            if rule.is_(level) is not None or (level == "exercised" and rule in coverage.justified)
        )
        for rule in coverage.rules
    }
    laws = instruments(coverage.ruleset, lambda name: None)
    return body(
        "coverage.html.j2",
        site,
        prefix=prefix,
        ruleset=coverage.ruleset,
        law=laws[0] if laws else None,
        levels=[(level, level_words(coverage, level)) for level in LEVELS],
        words=[
            (status, coverage.words[status], sum(c.status == status for c in coverage.clauses))
            for status in STATUSES
        ],
        beside=[
            f"{name}: {noticed(of)} ({of.file}:{of.line})" for name, of in coverage.survived_beside.items()
        ],
        lacks=lacks,
        told=told,
    )
