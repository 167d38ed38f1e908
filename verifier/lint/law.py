"""What a ruleset leaves out of its law: clauses without a rule, words that no rule quotes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from verifier.errors import Problem
from verifier.law import Clause, Law, find_quote
from verifier.model.ruleset import Rule, Ruleset
from verifier.resources import root

CONNECTIVES = frozenset({"and", "but", "or"})
"""Words between the items of a list: a rule on the item before need not quote them."""

WORDS_SHOWN = 24
"""Words of a passage that a message shows at most; the middle of a longer one is left out."""


def clauses_with_words(law: Law) -> tuple[Clause, ...]:
    """The clauses that say something of their own, in document order; a bare heading says nothing."""
    return tuple(clause for clause in law.clauses.values() if clause.words)


def law_findings(ruleset: Ruleset) -> list[Problem]:
    """One problem for each clause of the law that no rule stands on, and for each passage that none quotes.

    Words that a quote skips by `…` count as unquoted. Only rules of the ruleset's own module count: those it
    uses or extends have a law of their own.
    """
    law = ruleset.law
    if law is None:
        return []
    rules: dict[str, list[Rule]] = {}
    for rule in ruleset.rules.values():
        if rule.module == ruleset.sources[-1].path:
            rules.setdefault(law.canonical(rule.address), []).append(rule)
    problems: list[Problem] = []
    for clause in clauses_with_words(law):
        if clause.address not in rules:
            problems.append(_without_rule(law, clause))
            continue
        quoted = [rule.quote for rule in rules[clause.address]]
        quoted += [u.words for rule in rules[clause.address] for u in rule.unchecked if u.words is not None]
        problems += [_unquoted(law, clause, words) for words in unquoted(clause, quoted)]
    return problems


def unquoted(clause: Clause, quotes: list[str]) -> Iterator[tuple[str, ...]]:
    """The passages of the clause's own words that no quote covers, connectives by themselves left out."""
    spans = [find_quote(clause, quote) for quote in quotes]
    covered = frozenset().union(*(span.indices for span in spans if span is not None))
    for missing, run in groupby(range(len(clause.words)), key=lambda index: index not in covered):
        words = tuple(clause.words[index] for index in run)
        if missing and not joins(words):
            yield words


def joins(words: Sequence[str]) -> bool:
    """Whether the words only join the items of a list."""
    return CONNECTIVES.issuperset(word.strip(".,;:") for word in words)


def _without_rule(law: Law, clause: Clause) -> Problem:
    return Problem(
        f"no rule stands on {clause.address}: “{_passage(clause.words)}”",
        file=law_file(law),
        line=clause.line,
        clause=clause.address,
        help="write a rule that quotes it, or say `unobservable`, `external` or `structural` with the reason",
        code="clause-without-rule",
    )


def _unquoted(law: Law, clause: Clause, words: tuple[str, ...]) -> Problem:
    return Problem(
        f"no rule on {clause.address} quotes “{_passage(words)}”",
        file=law_file(law),
        line=clause.line,
        clause=clause.address,
        help="quote them in the rule that formalises them, or say why there is nothing to check `for` them",
        code="words-unquoted",
    )


def _passage(words: tuple[str, ...]) -> str:
    if len(words) <= WORDS_SHOWN:
        return " ".join(words)
    half = WORDS_SHOWN // 2
    return f"{' '.join(words[:half])} … {' '.join(words[-half:])}"


def law_file(law: Law) -> str:
    """The law's file as messages show it: shipped ones by their place in the package, others as found."""
    base = root("spec")
    return f"spec/{law.path.relative_to(base)}" if law.path.is_relative_to(base) else str(law.path)
