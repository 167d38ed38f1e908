"""Plays made short: events that a witness does not need are left out, and the rest is replayed every time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, combinations, islice

from verifier.prove.explore.evaluate import Asker
from verifier.prove.explore.replay import replayed
from verifier.prove.explore.snapshot import Runner, Snapshot
from verifier.prove.question import Play, Question
from verifier.run.bench import Happening

Wanted = Callable[[Snapshot], bool]

TOGETHER = (2, 3)
"""So many events, wherever they stand, are left out together where one alone cannot be:"""

MOST_TRIES = 600
"""so many choices of them are tried."""


def shortened(runner: Runner, asker: Asker, question: Question, play: Play) -> tuple[Play, dict[str, object]]:
    """A play at whose end the question is true still, with as few events as leaving some out comes to.

    It breaks no more rules than `play`, and none that the same events by others, or in another order, would not
    break: what is left is what it takes. The values are those for which the question is true.
    """

    def wanted(snapshot: Snapshot) -> bool:
        return asker.find(question, snapshot.state, play.options) is not None

    events = fewer(runner, play, wanted)
    if not play.lawful:
        events = _better_kept(runner, play, events, wanted)
    short = replayed(runner, play.options, events)
    assert short is not None
    values = asker.find(question, short.state, short.options)
    assert values is not None
    return short, values


def fewer(runner: Runner, play: Play, wanted: Wanted) -> tuple[Happening, ...]:
    """The events of the play without such as are not needed for `wanted` to be true at the end."""
    events = list(play.happenings)
    allowed = sum(bool(rules) for rules in play.breaches)
    size = max(1, len(events) // 2)
    while True:
        events, allowed, dropped = _pass(runner, play, events, allowed, size, wanted)
        if size > 1:
            size = max(1, size // 2)
        elif not dropped:
            less = _without_several(runner, play, events, allowed, wanted)
            if less is None:
                return tuple(events)
            events, allowed = less


def _better_kept(
    runner: Runner, play: Play, events: tuple[Happening, ...], wanted: Wanted
) -> tuple[Happening, ...]:
    """The events with fewer breaches: one that breaks a rule is done by somebody else, or sooner, or later."""
    breaches = _breaches(runner, play, events, wanted)
    assert breaches is not None
    while any(breaches):
        least, best = sum(map(len, breaches)), None
        for other in islice(_otherwise(runner, events, breaches), MOST_TRIES):
            found = _breaches(runner, play, other, wanted)
            if found is not None and sum(map(len, found)) < least:
                least, best = sum(map(len, found)), (other, found)
        if best is None:
            break
        events, breaches = best
    return events


def _otherwise(
    runner: Runner, events: tuple[Happening, ...], breaches: Sequence[Sequence[str]]
) -> Iterator[tuple[Happening, ...]]:
    """The same events, one of those that break a rule done by somebody else, or at another time."""
    declared = runner.program.ruleset.events
    for at in (i for i, rules in enumerate(breaches) if rules):
        happening, rest = events[at], (*events[:at], *events[at + 1 :])
        for actor in declared[happening.event].by:
            if actor != happening.actor:
                yield (*events[:at], replace(happening, actor=actor), *events[at + 1 :])
        for to in range(len(events)):
            if to != at:
                yield (*rest[:to], happening, *rest[to:])


def _breaches(
    runner: Runner, play: Play, events: Sequence[Happening], wanted: Wanted
) -> list[tuple[str, ...]] | None:
    """The rules that each event breaks, where the events can happen and what is wanted comes out; else None."""
    snapshot = runner.empty
    found: list[tuple[str, ...]] = []
    for event in events:
        stepped = runner.step(snapshot, play.options, event)
        if stepped is None:
            return None
        snapshot = stepped.snapshot
        found.append(tuple(stepped.breaches))
    return found if wanted(snapshot) else None


def _without_several(
    runner: Runner, play: Play, events: list[Happening], allowed: int, wanted: Wanted
) -> tuple[list[Happening], int] | None:
    """The events without some that must go together: what is undone later, what matters only beside another."""
    before = _states(runner, play, events)
    choices: Iterator[tuple[int, ...]] = chain(*(combinations(range(len(events)), n) for n in TOGETHER))
    for gone in islice(choices, MOST_TRIES):
        snapshot, broken = before[gone[0]]
        rest = [event for i, event in enumerate(events) if i > gone[0] and i not in gone]
        found = _goes(runner, play, snapshot, broken, rest, allowed, wanted)
        if found is not None:
            return events[: gone[0]] + rest, found
    return None


def _pass(
    runner: Runner, play: Play, events: list[Happening], allowed: int, size: int, wanted: Wanted
) -> tuple[list[Happening], int, bool]:
    """One pass from the end to the beginning, in which every stretch of `size` events is left out if it can be."""
    before = _states(runner, play, events)
    dropped = False
    end = len(events)
    while end > 0:
        start = max(0, end - size)
        snapshot, broken = before[start]
        rest = events[end:]
        found = _goes(runner, play, snapshot, broken, rest, allowed, wanted)
        if found is not None:
            events = events[:start] + rest
            allowed = found
            dropped = True
        end = start
    return events, allowed, dropped


def _states(runner: Runner, play: Play, events: Sequence[Happening]) -> list[tuple[Snapshot, int]]:
    """The table before each event and after the last, with the number of events that broke a rule until then."""
    snapshot, broken = runner.empty, 0
    found = [(snapshot, broken)]
    for event in events:
        stepped = runner.step(snapshot, play.options, event)
        assert stepped is not None
        snapshot, broken = stepped.snapshot, broken + bool(stepped.breaches)
        found.append((snapshot, broken))
    return found


def _goes(
    runner: Runner,
    play: Play,
    snapshot: Snapshot,
    broken: int,
    rest: Sequence[Happening],
    allowed: int,
    wanted: Wanted,
) -> int | None:
    """How many events break a rule where only `rest` follows, and what is wanted still comes out; else None."""
    for event in rest:
        stepped = runner.step(snapshot, play.options, event)
        if stepped is None:
            return None
        snapshot, broken = stepped.snapshot, broken + bool(stepped.breaches)
        if broken > allowed:
            return None
    return broken if wanted(snapshot) else None
