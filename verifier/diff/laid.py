"""Which amounts are laid: the rules do not say so in a word, but the events that write them tell."""

from __future__ import annotations

from collections.abc import Iterator

from verifier.model import types as ty
from verifier.model.ruleset import Each, FieldTarget, Ruleset, Update, Write


def laid_amounts(ruleset: Ruleset, kind: str) -> frozenset[str]:
    """The amounts of an entity that are laid: those that some event writes which settles nothing.

    What only settlements write says what has been settled, and is nothing where one unit has been staked and no more.
    """
    money = {f.name for f in ruleset.entities[kind].fields if isinstance(f.type, ty.MoneyT)}
    settled = {name for e in ruleset.events.values() if e.moves for name in _written(ruleset, e.name, kind)}
    laid = {name for e in ruleset.events.values() if not e.moves for name in _written(ruleset, e.name, kind)}
    return frozenset(money - (settled - laid))


def _written(ruleset: Ruleset, event: str, kind: str) -> Iterator[str]:
    rest: list[Update] = list(ruleset.mechanics.get(event, ()))
    while rest:
        match rest.pop():
            case Each(update=inner):
                rest.append(inner)
            case Write(target=FieldTarget(entity=entity, name=name)) if entity == kind:
                yield name
            case _:
                continue
