"""The state of one table: persistent enough that the state before an event and the one after can both be read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from verifier.model.ruleset import Ruleset

Ref = tuple[object, ...]


EXISTS = "*"
"""The mark of an entity that has come to exist. A field may be written before: it is kept, and that is all."""


@dataclass(slots=True)
class State:
    """`fields` by name (a map's value is a dict), `entities` by name and reference, `counts` by latch and key.

    A dict that a later state shares is never written to: `changed` copies what an event writes.
    """

    fields: dict[str, Any]
    entities: dict[str, dict[Ref, dict[str, object]]]
    counts: list[dict[tuple[object, ...], int]]
    broken: list[bool]
    ids: dict[str, dict[str, int]]

    def changed(self) -> State:
        """A copy whose outer layers may be written to."""
        return State(dict(self.fields), dict(self.entities), list(self.counts), list(self.broken), self.ids)


def first_state(ruleset: Ruleset) -> State:
    """Everything at its first value, nothing happened."""
    from verifier.model.types import IdT, MapT, SetT

    fields: dict[str, Any] = {}
    for name, field in ruleset.state.items():
        fields[name] = {} if isinstance(field.type, MapT | SetT) else field.initial
    return State(
        fields,
        {name: {} for name in ruleset.entities},
        [{} for _ in ruleset.latches],
        [False] * len(ruleset.breaches),
        {t.name: {} for t in ruleset.types.values() if isinstance(t, IdT)},
    )


def reset_life(state: State, ruleset: Ruleset, lives: Mapping[str, object] | set[str]) -> State:
    """The state with everything that belongs to `lives` at its first value."""
    from verifier.model.types import MapT, SetT

    after = state.changed()
    for name, field in ruleset.state.items():
        if field.life in lives:
            after.fields[name] = {} if isinstance(field.type, MapT | SetT) else field.initial
    for name, entity in ruleset.entities.items():
        if entity.life in lives:
            after.entities[name] = {}
    for index, latch in enumerate(ruleset.latches):
        if latch.life in lives:
            after.counts[index] = {}
    for index, breach in enumerate(ruleset.breaches):
        if breach.life in lives:
            after.broken[index] = False
    return after
