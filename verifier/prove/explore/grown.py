"""What all plays of so many people come to, and whether more of them bring about more.

Where each may rise once, and five must have risen before anybody shouts, nobody shouts of two; nor of three or four.
That there are ever more who have risen is seen of two: one alone never gets the number that they get. That two switches
count to three, and a third is thrown by the fourth only, is seen of what all of them are at once, never of each.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from itertools import combinations
from typing import Any

from verifier.model import types as ty
from verifier.model.types import Type
from verifier.prove.explore.exhaust import Reached
from verifier.prove.explore.explorer import Explorer
from verifier.prove.explore.snapshot import Snapshot
from verifier.prove.question import Mode, Question
from verifier.run.state import EXISTS

MOST_STEPS = 3
"""So often one more of everybody is looked at."""

STEADY = 2
"""So often in a row that must come to nothing new: what takes two each time is not seen of one more."""

BESIDE = 2
"""So many people are told apart from all others."""

OTHERS: Hashable = object()

View = Hashable


def settled(explorer: Explorer, mode: Mode, question: Question) -> Explorer | None:
    """Who has gone through all states in which nothing answers a question, of as many people as there may be, or of so
    many that one more of everybody, and another, come to nothing else; None where there is none such."""
    few, steady = explorer, 0
    for _ in range(MOST_STEPS):
        if not few.lacks_people:
            return few
        more = few.one_more
        if more is None or not more.exhausted(mode, question) or more.look(question, mode) is not None:
            return None
        steady = steady + 1 if _come_to(few, mode) == _come_to(more, mode) else 0
        if steady == STEADY:
            return more
        few = more
    return None if few.lacks_people else few


def _come_to(explorer: Explorer, mode: Mode) -> frozenset[View]:
    """What there is of the states that are reached once all but a few people are looked away from, whoever these are:
    everything that is kept of nobody or of them alone, taken together."""
    found = explorer.exhaustion(mode)
    if found.views is None:
        found.views = frozenset(view for one in found.reached for view in _views(explorer, one))
    return found.views


def _views(explorer: Explorer, reached: Reached) -> Iterator[View]:
    anyone = {name for names in explorer.scope.ids.values() for name in names}
    options = tuple(reached.options.items())
    told = tuple(_told(explorer, reached.snapshot))
    named = set(_named(told))
    met = [name for names in reached.snapshot.state.ids.values() for name in names if name in named]
    for number in range(min(BESIDE, len(met)) + 1):
        for few in combinations(met, number):
            known = {name: few.index(name) if name in few else OTHERS for name in anyone}
            yield options, tuple(_seen(value, known) for value in told)


def _told(explorer: Explorer, snapshot: Snapshot) -> Iterator[Any]:
    """All that is known of a table, part by part: in dicts what is kept by key, if it is not as at first."""
    ruleset, state = explorer.program.ruleset, snapshot.state
    for name, field in ruleset.state.items():
        value = _told_of(field.type, state.fields[name])
        yield _changed(value, field.initial) if isinstance(field.type, ty.MapT) else value
    for kind, entity in ruleset.entities.items():
        table = state.entities[kind]
        yield {ref: True for ref, written in table.items() if EXISTS in written}
        for part in entity.fields:
            values = {ref: written[part.name] for ref, written in table.items() if part.name in written}
            yield {ref: _told_of(part.type, one) for ref, one in _changed(values, part.initial).items()}
    for index, counts in enumerate(state.counts):
        cap = explorer.exhauster.caps.get(index, 1)
        yield {key: n if cap is None else min(n, cap) for key, n in counts.items() if n}
    yield tuple(state.broken)
    for duties in (snapshot.charged, snapshot.bits):
        yield {(key, instance): True for key, (_, instance) in duties.items()}
    yield dict(snapshot.doubts)


def _changed(values: Mapping[Any, Any], initial: Any) -> dict[Any, Any]:
    return {key: value for key, value in values.items() if value != initial}


def _told_of(type_: Type, value: Any) -> Any:
    """Of a list what is in it, and at its ends: how long it is, is not asked here."""
    if not isinstance(type_, ty.ListT) or not value:
        return value
    return {("within", one): True for one in value} | {"first": value[0], "last": value[-1]}


def _seen(value: Any, known: Mapping[str, Hashable]) -> Hashable:
    """A value with everybody named as is `known`; what is kept by others is left out."""
    match value:
        case str():
            return known.get(value, value)
        case tuple():
            return tuple(_seen(part, known) for part in value)
        case dict():
            kept = ((_seen(key, known), one) for key, one in value.items())
            return frozenset((key, _seen(one, known)) for key, one in kept if not _of_others(key))
        case _:
            return value  # type: ignore[no-any-return]


def _named(value: Any) -> Iterator[str]:
    """Whoever something is kept of, among whatever else is a text."""
    match value:
        case str():
            yield value
        case tuple():
            for part in value:
                yield from _named(part)
        case dict():
            yield from _named((*value.keys(), *value.values()))
        case _:
            return


def _of_others(key: Hashable) -> bool:
    return any(map(_of_others, key)) if isinstance(key, tuple) else key is OTHERS
