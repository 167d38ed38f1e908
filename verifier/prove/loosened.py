"""Rules that keep lawful play from going on for want of things alone: an induction may leave them out.

A session wants four players, and the scope of an induction has one: no lawful play within it has a session, and to
speak of what a session leaves is there to speak of nothing. Of play that breaks no other rule it is not. All lawful
play is such play, so that what holds of the one holds of the other.

Which rules those are is seen from plays: of somebody who told how one begins alone, or, where nobody did, of what was
tried within the scope and broke the same rules each time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace

from verifier.core.program import Program
from verifier.prove.told import FirstBroken

Attempts = Iterable[tuple[str, Sequence[str]]]
"""Events, by kind, each with the rules that it broke."""

MOST_RULES = 3
"""More rules than this that stand in the way are no want of things."""


def frontier(plays: Iterable[Sequence[str]], had: Set[str]) -> frozenset[str]:
    """Of lawful plays, as kinds of event, the first of each that no play within a scope had."""
    firsts = (next((kind for kind in play if kind not in had), None) for play in plays)
    return frozenset(kind for kind in firsts if kind is not None)


def hindrances(program: Program, kinds: Set[str], attempts: Attempts) -> dict[str, frozenset[str]]:
    """By each of the kinds of event that was tried within the scope, and broke some rule each time, the rules that
    prohibit it which were broken every time."""
    tried: dict[str, frozenset[str]] = {}
    for kind, broken in attempts:
        if kind in kinds:
            tried[kind] = tried.get(kind, frozenset(broken)) & frozenset(broken)
    prohibiting = {kind: {norm.rule for norm in program.prohibitions.get(kind, ())} for kind in tried}
    found = {kind: rules & prohibiting[kind] for kind, rules in tried.items() if rules <= prohibiting[kind]}
    return {kind: rules for kind, rules in sorted(found.items()) if rules}


def opening(program: Program, wanted: Set[str], plays: Iterable[FirstBroken]) -> dict[str, frozenset[str]]:
    """By kind of event the rules that prohibit it, and which plays broke there and nowhere else, no other being broken,
    before they had some kind that is wanted: a play may show that a kind of event leads on in one case only, though
    lawful play has it in another."""
    found: dict[str, frozenset[str]] = {}
    for play in plays:
        prohibiting = {norm.rule for norm in program.prohibitions.get(play.event, ())}
        if prohibiting.issuperset(play.rules) and not wanted.isdisjoint(play.after):
            found[play.event] = found.get(play.event, frozenset()) | frozenset(play.rules)
    return dict(sorted(found.items()))


def less(program: Program, hindering: Mapping[str, frozenset[str]]) -> Program:
    """The program in which those rules do not prohibit those kinds of event: what was lawful still is."""
    prohibitions = {
        kind: tuple(norm for norm in norms if norm.rule not in hindering.get(kind, ()))
        for kind, norms in program.prohibitions.items()
    }
    return replace(program, prohibitions=prohibitions)
