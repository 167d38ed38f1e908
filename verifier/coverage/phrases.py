"""What a ruleset makes of the words of its law, phrase by phrase."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from verifier.law import Clause, find_quote
from verifier.lint.law import clauses_with_words, joins
from verifier.model.ruleset import Rule, Ruleset

Status = Literal["formalised", "unobservable", "external", "structural", "missing", "joining"]
"""What becomes of words: a rule says it; a rule says why there is nothing to say; nothing quotes them; or they only
join the items of a list."""

STATUSES: tuple[Status, ...] = ("formalised", "unobservable", "external", "structural", "missing")
"""Those that count; words that only join do not."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words of a clause that stand together and fare alike: `start` and `end` are indices into `Clause.words`."""

    start: int
    end: int
    words: str
    status: Status
    rules: tuple[str, ...]
    reason: str | None = None

    @property
    def count(self) -> int:
        """How many words it has."""
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class CoveredClause:
    """A clause of the law with words of its own, in phrases, and the rules that stand on it."""

    clause: Clause
    phrases: tuple[Phrase, ...]
    rules: tuple[str, ...]

    @property
    def counts(self) -> dict[Status, int]:
        """How many words fare how."""
        return {status: sum(p.count for p in self.phrases if p.status == status) for status in STATUSES}

    @property
    def status(self) -> Status:
        """Missing where any words are; else formalised where any are; else as most of the words."""
        counts = self.counts
        if counts["missing"]:
            return "missing"
        if counts["formalised"]:
            return "formalised"
        return max(STATUSES, key=lambda status: counts[status])


@dataclass(frozen=True, slots=True)
class _Said:
    """What one rule says of the words that it quotes."""

    status: Status
    rule: str
    reason: str | None


def formalises(ruleset: Ruleset) -> frozenset[str]:
    """The rules that say something: they bind, decide, ask, define, open an option or make an exception."""
    found = {unit.rule for unit in ruleset.units.values()}
    found |= {question.rule for question in ruleset.questions}
    found |= {requirement.rule for requirement in ruleset.requirements}
    for rule in ruleset.rules.values():
        if rule.defines or rule.decisions or rule.options or rule.edges or rule.has_given or rule.answers_for:
            found.add(rule.id)
    return frozenset(found)


def covered(ruleset: Ruleset, module: str | None = None) -> tuple[CoveredClause, ...]:
    """Every clause with words, in the order of the document, of the ruleset's own law or of that of a `module` (by its
    path) that it is laid over."""
    module = ruleset.sources[-1].path if module is None else module
    law = ruleset.laws.get(module)
    if law is None:
        return ()
    saying = formalises(ruleset)
    standing: dict[str, list[Rule]] = {}
    for rule in ruleset.rules.values():
        if rule.module == module:
            standing.setdefault(law.canonical(rule.address), []).append(rule)
    return tuple(
        CoveredClause(
            clause,
            _phrases(clause, standing.get(clause.address, []), saying),
            tuple(rule.id for rule in standing.get(clause.address, [])),
        )
        for clause in clauses_with_words(law)
    )


def _phrases(clause: Clause, rules: Sequence[Rule], saying: frozenset[str]) -> tuple[Phrase, ...]:
    """The clause's words, in runs that fare alike."""
    words = clause.words
    said: list[list[_Said]] = [[] for _ in words]
    for rule in rules:
        whole = _whole(rule, saying)
        parts = [(u.words, _Said(u.kind, rule.id, u.reason)) for u in rule.unchecked if u.words is not None]
        for quote, saying_ in [(rule.quote, whole), *parts]:
            span = find_quote(clause, quote)
            if saying_ is None or span is None:
                continue
            for index in span.indices:
                # What is said of some words goes before what is said of the clause, of the same rule.
                said[index] = [s for s in said[index] if s.rule != rule.id] + [saying_]
    fate = [_fate(at) for at in said]
    phrases: list[Phrase] = []
    for (status, names, reason), run in groupby(range(len(words)), key=lambda index: fate[index]):
        indices = list(run)
        own = words[indices[0] : indices[-1] + 1]
        joining = status == "missing" and joins(own)
        phrases.append(
            Phrase(
                indices[0],
                indices[-1] + 1,
                " ".join(own),
                "joining" if joining else status,
                names,
                reason,
            )
        )
    return tuple(phrases)


def _whole(rule: Rule, saying: frozenset[str]) -> _Said | None:
    """What a rule says of its words as a whole; None where it says nothing."""
    if rule.id in saying and rule.disapplied is None:
        return _Said("formalised", rule.id, None)
    for unchecked in rule.unchecked:
        if unchecked.words is None:
            return _Said(unchecked.kind, rule.id, unchecked.reason)
    if rule.points_to or rule.agrees_with:
        return _Said("structural", rule.id, "points to what says it")
    return None


def _fate(said: Sequence[_Said]) -> tuple[Status, tuple[str, ...], str | None]:
    """How words fare of which several rules say something: what is formalised goes first."""
    for status in STATUSES:
        mine = [one for one in said if one.status == status]
        if mine:
            return status, tuple(one.rule for one in mine), mine[0].reason
    return "missing", (), None
