"""Plays from which one that answers a question may be made: the nearest that were seen, with more events to choose."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

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

RELEVANT = 0.5
"""An event counts as one that may lead there from this weight on."""

MOST_EVENTS = 45
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
    """The nearest plays with events after them that may lead on: those that they have themselves, a few times."""
    weights = explorer.walker.relevant(question)
    for base in bases[:BASES]:
        more: dict[object, Happening] = {}
        for happening in base.happenings:
            if weights.get(happening.event, 0) >= RELEVANT:
                more.setdefault(_steered(explorer, happening), happening)
        events = (*base.happenings, *tuple(more.values()) * ROUNDS)
        if more and len(events) <= MOST_EVENTS:
            yield replace(base, happenings=events, breaches=((),) * len(events))


def _steered(explorer: Explorer, happening: Happening) -> object:
    """What of an event stays as it is when a pattern is filled in."""
    fixed = steering(explorer.program, happening.event)
    params = explorer.program.ruleset.events[happening.event].params
    values = tuple(v for p, v in zip(params, happening.values, strict=True) if p.name in fixed)
    return happening.event, happening.actor, values
