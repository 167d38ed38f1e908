"""Plays from which one that answers a question may be made: the nearest that were seen, with more events to choose."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from verifier.core.program import Program
from verifier.model import types as ty
from verifier.model.types import Type
from verifier.prove.explore.corpus import Node
from verifier.prove.explore.explorer import Explorer
from verifier.prove.question import Mode, Play, Question
from verifier.prove.steering import steering
from verifier.run.bench import Happening

MOST_RANKED = 500
"""So many of the states that were reached are measured."""

NEARBY = 8
"""So many plays are tried as they are."""

BASES = 2
"""So many plays are tried with more events after them, of which, as of their own, any may be left out."""

ROUNDS = 3
"""So many times each of the events that are added."""

BEGUN = 4
"""So many plays are tried after events that bring in what is asked about."""

RELEVANT = 0.5
"""An event counts as one that may lead there from this weight on."""

MOST_EVENTS = 60
"""A pattern has at most so many events."""


def nearest(explorer: Explorer, question: Question, mode: Mode) -> list[Play]:
    """Plays whose end comes nearest to answering the question, the nearest first."""
    nodes = [n for n in explorer.corpus.nodes if n.fresh and n.parent is not None]
    if mode == "play":
        nodes = [n for n in nodes if not n.broken]
    nodes = sorted(nodes, key=lambda n: (-n.fresh, n.number))[:MOST_RANKED]

    def rank(node: Node) -> tuple[float, int, int, int]:
        far = explorer.distances.at(question, node.state, node.options)
        return far, node.broken, node.depth, node.number

    return [node.play() for node in sorted(nodes, key=rank)[:NEARBY]]


def extended(explorer: Explorer, question: Question, bases: list[Play]) -> Iterator[Play]:
    """Plays of events that may lead on, of which any may be left out: one of the nearest, then its own such events a
    few times; and those of all the nearest, a few times, with and without one of them between."""
    weights = explorer.walker.relevant(question)
    own: list[dict[object, Happening]] = []
    for base in bases:
        own.append({})
        for happening in base.happenings:
            if weights.get(happening.event, 0) >= RELEVANT:
                own[-1].setdefault(steered(explorer.program, happening), happening)
    early = {h.event: i for base in bases for i, h in reversed(list(enumerate(base.happenings)))}
    every = {
        steered(explorer.program, kin): kin
        for some in own
        for one in some.values()
        for kin in _kin(explorer, one)
    }
    several = tuple(sorted(every.values(), key=lambda h: early[h.event]))
    for base, more in list(zip(bases, own, strict=True))[:BASES]:
        yield from _pattern(base, (), base.happenings, tuple(more.values()))
        yield from _pattern(base, several, base.happenings, several)
    for base in bases[:1]:
        yield from _pattern(base, several, (), several)


def beginning(
    explorer: Explorer, question: Question, mode: Mode, named: Sequence[Happening]
) -> Iterator[Play]:
    """Events that are named, then a play that was seen, of which any may be left out: such plays as have most of what
    may lead on, and of these the shortest."""
    weights = explorer.walker.relevant(question)
    nodes = [n for n in explorer.corpus.nodes if n.parent is not None and not (mode == "play" and n.broken)]

    def worth(node: Node) -> tuple[float, int, int]:
        kinds = {step.happening.event for step in node.path() if step.happening is not None}
        return -sum(weights.get(kind, 0) for kind in kinds), node.depth, node.number

    for node in sorted(nodes, key=worth)[:BEGUN]:
        play = node.play()
        # What is named last may be what the first needs: a thing that another one lies on.
        for first in (tuple(named), tuple(reversed(named))):
            events = (*first, *play.happenings)
            if len(events) <= MOST_EVENTS:
                yield replace(play, happenings=events, breaches=((),) * len(events))


def _kin(explorer: Explorer, happening: Happening) -> Iterator[Happening]:
    """An event, and those that are the same but for one of a few values by which things are kept apart."""
    yield happening
    fixed = steering(explorer.program, happening.event)
    for at, param in enumerate(explorer.program.ruleset.events[happening.event].params):
        if param.name in fixed:
            for value in _values(explorer, param.type):
                values = (*happening.values[:at], value, *happening.values[at + 1 :])
                if value != happening.values[at]:
                    yield replace(happening, values=values)


def _values(explorer: Explorer, type_: Type) -> Sequence[object]:
    """The few values of a type by which things are kept apart; none of a type that has many."""
    match type_:
        case ty.EnumT():
            return ty.finite_values(type_) or ()
        case ty.IdT(name=name):
            return explorer.scope.ids[name]
        case _:
            return ()


def _pattern(
    base: Play, before: tuple[Happening, ...], between: tuple[Happening, ...], after: tuple[Happening, ...]
) -> Iterator[Play]:
    """Events, then as many rounds of others as there is room for, if there is any."""
    room = MOST_EVENTS - len(before) - len(between)
    rounds = min(ROUNDS, room // len(after)) if after else 0
    if rounds > 0:
        events = (*before, *between, *after * rounds)
        yield replace(base, happenings=events, breaches=((),) * len(events))


def steered(program: Program, happening: Happening) -> object:
    """What of an event stays as it is when a pattern is filled in."""
    fixed = steering(program, happening.event)
    params = program.ruleset.events[happening.event].params
    values = tuple(v for p, v in zip(params, happening.values, strict=True) if p.name in fixed)
    return happening.event, happening.actor, values
