"""Logs of any ruleset made by dice: events that may happen or may not, most of them against some rule."""

from __future__ import annotations

from random import Random
from typing import Any

from verifier.check.engine import Prepared
from verifier.check.schema import flat
from verifier.log.rows import Row
from verifier.model import types as ty
from verifier.model.types import Type
from verifier.model.values import is_written

AMOUNTS = (0, 1, 49, 50, 100, 150, 777, 888, 5_001, 10**6, 2**51, 2**60)
"""The last two are more than the kernel takes, added up or at once."""

LIKELY = 9
"""Of so many and one amounts the kernel takes all but one."""


def value(type_: Type, dice: Random, inner: bool = False) -> Any:
    """A value as a row holds it; within a written one, as the core does."""
    match type_:
        case ty.OptT(of=of):
            return None if dice.random() < 0.4 else value(of, dice, inner)
        case ty.BoolT():
            return dice.random() < 0.5
        case ty.IntT(low=low, high=high):
            return dice.randint(
                -5 if low is None else low, 60 if high is None else min(high, (low or 0) + 12)
            )
        case ty.EnumT(values=values):
            index = dice.randrange(len(values))
            return index if inner else values[index]
        case ty.IdT():
            return dice.choice(("ann", "bob", "cat"))
        case ty.MoneyT():
            return dice.choice(AMOUNTS[:LIKELY]) if dice.randrange(30) else dice.choice(AMOUNTS)
        case ty.RecordT(fields=parts) | ty.EntityT(keys=parts):
            return tuple(value(part, dice, True) for _, part in parts)
        case _:
            raise AssertionError(type_)


def rows(ready: Prepared, dice: Random, length: int) -> list[Row]:
    """So many rows of one table; lives pass when their ends come, and now and then without."""
    ruleset, schema = ready.ruleset, ready.binding.schema
    lives = list(ruleset.lives)
    keys: dict[str, Any] = {life: None if ruleset.lives[life].beside else 1 for life in lives}
    table = next(life for life in lives if not ruleset.lives[life].beside)
    keys[table] = "T1"
    used: set[str] = set()
    found: list[Row] = []
    names = [e.name for e in ruleset.events.values() if e.life is None]
    while len(found) < length:
        event = ruleset.events[dice.choice(names)]
        if any(event.name in ruleset.lives[life].ends for life in lives) and dice.random() < 0.6:
            continue
        by = event.by if event.by and dice.random() < 0.95 else ruleset.actors
        given = {part.name: value(part.type, dice) for param in event.params for part in flat(param)}
        values = tuple(given[name] for name in schema.events[event.name].parameters)
        found.append(
            Row(
                "dice", len(found) + 1, tuple(keys[life] for life in lives), len(found) + 1, None,
                dice.choice(list(by)), event.name, values,
            )
        )  # fmt: skip
        for life in [life for life in lives if life != table and keys[life] is not None] or [table]:
            if event.name not in ruleset.lives[life].ends:
                used.add(life)
            elif life in used:
                used.discard(life)
                if isinstance(keys[life], int):
                    keys[life] += 1
        if dice.random() < 0.005 and len(lives) > 1:
            keys[lives[-1]] += 1
    return found


__all__ = ["is_written", "rows", "value"]
