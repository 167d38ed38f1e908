"""Events tried where play stands, and judged to see which rules they break or exercise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from random import Random

from verifier.generate.pool import Pool, Stand
from verifier.prove.explore.candidates import Candidates, Prospect
from verifier.run.bench import Happening

EACH = 2
"""So many arguments are tried for a kind of event by an actor in one state."""

MOST_PROBES = 150_000
"""So many events are tried for faults in all."""

MOST_IDLE = 400
"""In so many states a better way to break a rule is looked for in vain."""

MOST_LOOKS = 20_000
"""So often, in all, it is looked which lawful events of a kind there are in some state."""

MOST_STRAY = 20_000
"""So many are tried by others than those whose acts they are."""

MOST_SHOWN = 4
"""Of so many events that exercise a rule it is told."""

Kinds = Callable[[str], Sequence[tuple[str, str]]]
"""The kinds of event, each with an actor, that may be at fault by a rule."""


def probe(
    pool: Pool,
    candidates: Candidates,
    kinds: Kinds,
    rng: Random,
    most: int = MOST_PROBES,
    nowhere: Callable[[str], bool] = lambda rule: False,
) -> Iterator[int]:
    """Try events that may break a rule which nothing yet breaks alone, in every state of the pool, the nearest to an
    empty table first. Yields, after each state, how many rules are left.

    Where there was none in many states, a rule is given up that something breaks with others beside it, and one of
    which it is proved that it is broken `nowhere`.
    """
    runner = pool.bench.runner
    until = runner.taken + most
    idle, given_up = Counter[str](), set[str]()
    for stand in pool.nearest_first():
        left = [rule for rule in pool.unbroken() if rule not in given_up]
        wanted: dict[tuple[str, str], list[str]] = {}
        for rule in left:
            for kind in kinds(rule):
                wanted.setdefault(kind, []).append(rule)
        if not wanted or runner.taken >= until:
            return
        before = {rule: pool.faults.get(rule) for rule in left}
        tried: set[str] = set()
        prospect = candidates.at(stand.snapshot, stand.options, rng)
        for (event, actor), rules in wanted.items():
            for happening in some_of(prospect, event, actor):
                tried.update(rules)
                _try(pool, stand, happening)
        for rule in left:
            idle[rule] = idle[rule] + (rule in tried) if pool.faults.get(rule) is before[rule] else 0
            if idle[rule] == MOST_IDLE and rule in tried and (rule in pool.faults or nowhere(rule)):
                given_up.add(rule)
        yield len(left)


def look(
    pool: Pool, candidates: Candidates, kinds: Kinds, rng: Random, most: int = MOST_LOOKS
) -> Iterator[tuple[Stand, Happening]]:
    """Lawful events that exercise a rule which no whole round exercises, each with the state in which it does."""
    runner, looks, times = pool.bench.runner, 0, Counter[str]()
    for stand in pool.nearest_first():
        missing = pool.missing()
        wanted = dict.fromkeys(kind for rule in missing for kind in kinds(rule))
        if not wanted or looks >= most:
            return
        prospect = candidates.at(stand.snapshot, stand.options, rng)
        for event in dict.fromkeys(event for event, _ in wanted):
            prospect.resume()
            looks += 1
            for happening in list(islice(prospect.of_kind(candidates.kinds[event], lawful=True), EACH)):
                if not pool.bench.writable(happening):
                    continue
                stepped = runner.step(stand.snapshot, stand.options, happening)
                if stepped is None or stepped.breaches:
                    continue
                shown = pool.bench.beat(happening, stepped).shown & set(pool.missing())
                if any(times[rule] < MOST_SHOWN for rule in shown):
                    times.update(shown)
                    yield stand, happening


def some_of(prospect: Prospect, event: str, actor: str) -> list[Happening]:
    """Events of a kind that can happen, by an actor."""
    prospect.resume()
    way = next((way for way in prospect.all.kinds[event].ways if way.actor == actor), None)
    if way is None:
        return []
    return [Happening(event, actor, values) for values in islice(prospect.filled(way, {}, False), EACH)]


def stray(pool: Pool, candidates: Candidates, kinds: Kinds, rng: Random, most: int = MOST_STRAY) -> None:
    """Try, for rules that nothing breaks, what others than those may do whose acts they are."""
    runner = pool.bench.runner
    until = runner.taken + most
    for stand in pool.nearest_first():
        wanted = dict.fromkeys(kind for rule in pool.faultless() for kind in kinds(rule))
        if not wanted or runner.taken >= until:
            return
        prospect = candidates.at(stand.snapshot, stand.options, rng)
        for event, actor in wanted:
            prospect.resume()
            for happening in islice(prospect.of_kind(candidates.kinds[event], lawful=True), EACH):
                _try(pool, stand, replace(happening, actor=actor))


def follow(pool: Pool, candidates: Candidates, stand: Stand, rng: Random) -> None:
    """Try what anybody may do next: after what makes something due at once it may be passed by."""
    prospect = candidates.at(stand.snapshot, stand.options, rng)
    for kind in candidates.kinds.values():
        for way in kind.ways:
            if not kind.event.observed:
                for happening in some_of(prospect, kind.event.name, way.actor):
                    _try(pool, stand, happening)


def _try(pool: Pool, stand: Stand, happening: Happening) -> None:
    bench = pool.bench
    if bench.writable(happening):
        stepped = bench.runner.step(stand.snapshot, stand.options, happening)
        if stepped is not None and stepped.breaches:
            pool.note(stand, bench.beat(happening, stepped))
