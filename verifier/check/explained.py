"""What an explanation adds to a finding: the values its rules read, and which rule displaced which."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from verifier.check.result import Named
from verifier.run.account import Displacement, Explanation
from verifier.run.facts import Fact

FACTS = 16
"""So many values a finding shows; the interpreter's own explanation has all."""


def values_read(explanation: Explanation) -> tuple[Named, ...]:
    """The values that the rules at issue read, once each: first the elements that settle a `some` or `every`,
    then what is read directly, then what stands behind it."""
    grounds = [fact for ground in explanation.grounds for fact in ground.facts]
    decisions = [fact for decision in explanation.decisions for fact in decision.facts]
    found: dict[str, Named] = {}
    for conjunct in (c for ground in explanation.grounds for c in ground.condition if c.example):
        found.setdefault(conjunct.text, Named(conjunct.text, f"{conjunct.truth} ({conjunct.example})"))
    for fact in _broad([*grounds, *decisions]):
        found.setdefault(fact.text, Named(fact.text, fact.value))
    return tuple(found.values())[:FACTS]


def displacements(explanation: Explanation) -> tuple[str, ...]:
    """Which rule gave way to which, in words, once each."""
    grounds = [d for ground in explanation.grounds for d in (*ground.displaced_by, *ground.displaces)]
    cases = [
        displacement
        for decision in explanation.decisions
        for case in decision.cases
        if all(conjunct.truth == "yes" for conjunct in case.condition)
        for displacement in case.displaced_by
    ]
    return tuple(dict.fromkeys(_words(d) for d in (*grounds, *cases) if d.applies == "yes"))


def _words(displacement: Displacement) -> str:
    return f"{displacement.loser} gives way to {displacement.winner}: {displacement.because}"


def _broad(facts: Iterable[Fact]) -> Iterator[Fact]:
    level = list(facts)
    while level:
        yield from level
        level = [inner for fact in level for inner in fact.read]
