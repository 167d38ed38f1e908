"""What all plays of so many people come to, and whether more of them bring about more.

Where each may rise once, and five must have risen before anybody shouts, nobody shouts of two; nor of three or four.
That there are ever more who have risen is seen of two: one alone never gets the number that they get.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Any

from verifier.model import types as ty
from verifier.model.types import Type
from verifier.prove.explore.explorer import Explorer
from verifier.prove.question import Mode, Question
from verifier.run.state import EXISTS, State

MOST_STEPS = 2
"""So often one more of everybody is looked at."""

Value = tuple[str, Hashable]


def settled(explorer: Explorer, mode: Mode, question: Question) -> Explorer | None:
    """Who has gone through all states in which nothing answers a question, of as many people as there may be, or of so
    many that one fewer of everybody come to the same values of the state; None where there is none such."""
    few = explorer
    for _ in range(MOST_STEPS):
        if not few.lacks_people:
            return few
        more = few.one_more
        if more is None or not more.exhausted(mode, question) or more.look(question, mode) is not None:
            return None
        if _come_to(few, mode) == _come_to(more, mode):
            return more
        few = more
    return None if few.lacks_people else few


def _come_to(explorer: Explorer, mode: Mode) -> frozenset[Value]:
    """The values that anything in the state comes to have, whatever thing or person it is kept of, and how often things
    happen. People are told apart by nothing, and how many things there are, or how long lists, is not asked."""
    reached = explorer.exhaustion(mode).reached
    return frozenset(value for one in reached for value in _values(explorer, one.snapshot.state))


def _values(explorer: Explorer, state: State) -> Iterator[Value]:
    ruleset = explorer.program.ruleset
    for name, field in ruleset.state.items():
        match field.type:
            case ty.MapT(of=of):
                yield from _told(name, of, field.initial, state.fields[name].values())
            case of:
                yield from _told(name, of, field.initial, (state.fields[name],))
    for kind, entity in ruleset.entities.items():
        for part in entity.fields:
            written = (table[part.name] for table in state.entities[kind].values() if part.name in table)
            yield from _told(f"{kind}.{part.name}", part.type, part.initial, written)
        if any(EXISTS in table for table in state.entities[kind].values()):
            yield kind, EXISTS
    for index, counts in enumerate(state.counts):
        cap = explorer.exhauster.caps.get(index)
        yield from ((f"count {index}", n if cap is None else min(n, cap)) for n in counts.values() if n)
    yield from ((f"breach {index}", True) for index, bit in enumerate(state.broken) if bit)


def _told(name: str, type_: Type, initial: Any, values: Iterable[Any]) -> Iterator[Value]:
    if not isinstance(type_, ty.ListT | ty.SetT) and not any(ty.ids_within(type_)):
        yield from ((name, value) for value in values if value != initial)
