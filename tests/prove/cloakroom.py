"""The by-law of the language's examples with every kind of rule in it, and events of it in short."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from verifier.core.lower import lower
from verifier.core.program import Program
from verifier.model.load import load
from verifier.model.types import Type
from verifier.prove.explore.replay import replayed
from verifier.prove.explore.snapshot import Runner
from verifier.prove.question import Play
from verifier.prove.random_states import random_value
from verifier.prove.scope import Scope, scope_of
from verifier.prove.stated import chosen
from verifier.prove.symbolic import World
from verifier.run.bench import Happening
from verifier.run.state import State

RULES = Path(__file__).parent / "rules" / "cloakroom-whole.rules"
EXAMPLES = Path(__file__).parents[2] / "spec" / "examples"

COAT, HAT, UMBRELLA, FUR = range(4)
OPTIONS: dict[str, object] = {"most_on_a_peg": 3}


@cache
def cloakroom() -> Program:
    return lower(load(RULES, [EXAMPLES]))


@cache
def cloakroom_scope() -> Scope:
    """Two guests, two pegs, few articles."""
    return scope_of(
        cloakroom(),
        {"Guest": ("ann", "bob")},
        narrowed={"Peg": (1, 3), "Article": (COAT, FUR)},
        slots={"Hook.articles": 3},
    )


def happening(actor: str, event: str, *values: Any) -> Happening:
    return Happening(event, actor, tuple(values))


def evening(*more: Happening) -> tuple[Happening, ...]:
    """The doors open, and what comes then."""
    return (happening("attendant", "open"), *more)


def hung(guest: str, article: int = COAT, peg: int = 1, worth: int = 10) -> tuple[Happening, ...]:
    """An article deposited, as it should be, when the doors are open."""
    item = (guest, article)
    return (
        happening("guest", "deposit", item, peg, worth),
        happening("attendant", "book", item),
        happening("attendant", "ticket", item),
    )


def played(*happenings: Happening, options: dict[str, object] = OPTIONS) -> Play:
    """The events, judged; fails where one of them cannot happen."""
    play = replayed(Runner(cloakroom()), options, happenings)
    assert play is not None
    return play


def random_plays(program: Program, scope: Scope, options: dict[str, object], seed: int) -> Iterator[Play]:
    """Plays without end, one lawful as far as that goes, the next one not; some dozens of events each."""
    world, runner, rng = World(program, scope), Runner(program), Random(seed)
    lawful = True
    while True:
        snapshot, happenings = runner.empty, []
        for _ in range(rng.randint(10, 40)):
            for _ in range(6):
                event = rng.choice(list(program.ruleset.events.values()))
                actor = rng.choice(event.by or program.ruleset.actors)
                whole = chosen(event)
                values = tuple(
                    _value(world, snapshot.state, p.type, rng, p.name in whole) for p in event.params
                )
                taken = runner.step(snapshot, options, Happening(event.name, actor, values))
                if taken is not None and not (lawful and taken.breaches):
                    snapshot = taken.snapshot
                    happenings.append(Happening(event.name, actor, values))
                    break
        play = replayed(runner, options, happenings)
        assert play is not None
        yield play
        lawful = not lawful


def _value(world: World, state: State, type_: Type, rng: Random, whole: bool) -> Any:
    """A value in which the next id that nobody has met yet may stand; an amount that is `whole` has no parts."""
    ids = {kind: dict(met) for kind, met in state.ids.items()}
    for kind, names in world.scope.ids.items():
        for name in names[: len(ids[kind]) + 1]:
            ids[kind].setdefault(name, len(ids[kind]))
    return random_value(world, replace(state, ids=ids), type_, rng, whole=whole)
