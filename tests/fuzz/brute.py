"""States found by playing every event that there is, from an empty table on: what proofs are held against."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from itertools import product
from typing import Any

from verifier.core.program import Program
from verifier.model import types as ty
from verifier.model.types import Type
from verifier.prove.explore.snapshot import Runner, Snapshot, snapshot_key
from verifier.run.bench import Happening
from verifier.run.machine import Machine
from verifier.run.state import State


def values(type_: Type, guests: int) -> list[Any]:
    """Every value of a type with so many guests."""
    match type_:
        case ty.IdT():
            return [f"guest{i}" for i in range(1, guests + 1)]
        case ty.EntityT(keys=keys):
            return list(product(*(values(part, guests) for _, part in keys)))
        case ty.OptT(of=of):
            return [None, *values(of, guests)]
        case ty.MoneyT():
            return [0, 1, 3]
        case _:
            return ty.finite_values(type_) or []


def happenings(program: Program, guests: int) -> Iterator[Happening]:
    for event in program.ruleset.events.values():
        for chosen in product(*(values(p.type, guests) for p in event.params)):
            for actor in event.by or program.ruleset.actors:
                yield Happening(event.name, actor, tuple(chosen))


def stated(program: Program) -> list[dict[str, object]]:
    """Every way to state the options that meets what is required of them; of an amount a few."""
    named = {name: list(option.values or (0, 2)) for name, option in program.ruleset.options.items()}
    found = [dict(zip(named, chosen, strict=True)) for chosen in product(*named.values())]
    required = [r.condition for r in program.ruleset.requirements]
    return [one for one in found if all(Machine(program, one).closure(c, [])([]) for c in required)]


def reached(
    program: Program, guests: int, most: int, lawful: bool, options: Mapping[str, object]
) -> Iterator[tuple[State, tuple[Happening, ...]]]:
    """States, the nearest first, each with how it is reached; by play that breaks no rule if `lawful`."""
    runner, every = Runner(program), list(happenings(program, guests))
    seen: set[Hashable] = {snapshot_key(runner.empty, program.ruleset)}
    rest: list[tuple[Snapshot, tuple[Happening, ...]]] = [(runner.empty, ())]
    yield runner.empty.state, ()
    for snapshot, path in rest:
        for happening in every:
            stepped = runner.step(snapshot, options, happening)
            if stepped is None or (lawful and stepped.breaches):
                continue
            key = snapshot_key(stepped.snapshot, program.ruleset)
            if key in seen:
                continue
            if len(seen) >= most:
                return
            seen.add(key)
            rest.append((stepped.snapshot, (*path, happening)))
            yield stepped.snapshot.state, rest[-1][1]


def dead_ends(
    program: Program, guests: int, most: int, options: Mapping[str, object]
) -> Iterator[tuple[State, tuple[Happening, ...]]]:
    """Of the nearest states that lawful play reaches, those in which nobody may do anything."""
    runner, every = Runner(program), list(happenings(program, guests))
    seen: set[Hashable] = {snapshot_key(runner.empty, program.ruleset)}
    rest: list[tuple[Snapshot, tuple[Happening, ...]]] = [(runner.empty, ())]
    for snapshot, path in rest:
        dead = True
        for happening in every:
            stepped = runner.step(snapshot, options, happening)
            if stepped is None or stepped.breaches:
                continue
            dead = False
            key = snapshot_key(stepped.snapshot, program.ruleset)
            if key not in seen and len(seen) < most:
                seen.add(key)
                rest.append((stepped.snapshot, (*path, happening)))
        if dead:
            yield snapshot.state, path
