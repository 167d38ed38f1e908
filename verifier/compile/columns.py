"""A log's rows to the kernel's columns: every value a number, ids numbered in the order first seen."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from verifier.check.schema import flat
from verifier.compile.encoding import ABSENT, BAD, ID_BITS, NotCompiledError, encode
from verifier.compile.inputs import ACTOR, KIND, Inputs
from verifier.log.rows import Row
from verifier.model import types as ty
from verifier.model.types import Type


@dataclass(slots=True)
class Encoder:
    """One table's rows to columns. `ids` numbers the ids met so far, `names` lists them by number."""

    inputs: Inputs
    ids: dict[str, dict[str, int]] = field(default_factory=dict)
    names: dict[str, list[str]] = field(default_factory=dict)
    texts: dict[str, dict[Any, int]] = field(default_factory=dict)
    kinds: dict[str, int] = field(default_factory=dict)
    actors: dict[str, int] = field(default_factory=dict)
    plans: dict[str, list[tuple[int, int, Callable[[Any], int]]]] = field(default_factory=dict)
    required: dict[str, int] = field(default_factory=dict)
    """How many of an event's values cannot be absent: those that come first."""
    lives: list[dict[object, int]] = field(default_factory=list)
    """For each life its keys that are texts, numbered; tables may share them."""

    def __post_init__(self) -> None:
        ruleset = self.inputs.layout.ruleset
        self.lives = self.lives or [{} for _ in ruleset.lives]
        for type_ in ruleset.types.values():
            if isinstance(type_, ty.IdT):
                self.ids[type_.name] = {}
                self.names[type_.name] = []

    def _plan(self) -> None:
        """How the rows of each kind of event are read: only where they come one by one."""
        ruleset, names = self.inputs.layout.ruleset, self.inputs.names
        self.kinds = {name: i for i, name in enumerate(ruleset.events)}
        self.actors = {name: i for i, name in enumerate(ruleset.actors)}
        for event in ruleset.events.values():
            parts = [part for param in event.params for part in flat(param)]
            required = [p for p in parts if not isinstance(p.type, ty.OptT)]
            optional = [p for p in parts if isinstance(p.type, ty.OptT)]
            order = [p.name for p in (*required, *optional)]
            self.required[event.name] = len(required)
            self.plans[event.name] = [
                (names.index(part.name), order.index(part.name), self._number_of(part.name, part.type))
                for part in parts
            ]

    def _number_of(self, name: str, type_: Type) -> Callable[[Any], int]:
        """From a row's value to its number."""
        bare = type_.of if isinstance(type_, ty.OptT) else type_
        match bare:
            case ty.IdT(name=kind):
                ids, by_number = self.ids[kind], self.names[kind]

                def number(value: Any) -> int:
                    found = ids.get(value)
                    if found is None:
                        found = ids[value] = len(by_number)
                        by_number.append(value)
                    return found if found < 1 << ID_BITS else BAD

                return number
            case ty.EnumT(values=values):
                return {value: i for i, value in enumerate(values)}.__getitem__
            case _:
                known = self.texts.setdefault(name, {})

                def encoded(value: Any) -> int:
                    found = known.get(value)
                    if found is None:
                        try:
                            found = encode(bare, value, self.ids, self.inputs.layout.unit)
                        except NotCompiledError:
                            found = BAD
                        if found != BAD and not isinstance(bare, ty.IntT | ty.MoneyT):
                            known[value] = found
                    return found

                return encoded

    def key_number(self, life: int, key: object) -> int | None:
        """The number of a life's key, None where there is none."""
        if key is None:
            return None
        if isinstance(key, int):
            return key
        numbers = self.lives[life]
        return numbers.setdefault(key, len(numbers))

    def key(self, life: int, number: int | None) -> object:
        """The key that a number stands for."""
        if number is None:
            return None
        for key, known in self.lives[life].items():
            if known == number:
                return key
        return number

    def columns(self, rows: Sequence[Row]) -> dict[str, array[int]]:
        """The columns of these rows, which follow those given before."""
        if not self.plans:
            self._plan()
        names = self.inputs.names
        empty = array("q", [ABSENT]) * len(rows)
        found = [array("q", empty) for _ in names]
        kinds, actors = found[0], found[1]
        lives = found[2 : 2 + len(self.inputs.lives)]
        for i, row in enumerate(rows):
            kinds[i] = self.kinds[row.event]
            actors[i] = self.actors[row.actor]
            for column, numbers, key in zip(lives, self.lives, row.lives, strict=True):
                if key is not None:
                    column[i] = key if isinstance(key, int) else numbers.setdefault(key, len(numbers))
            for column_at, value_at, number in self.plans[row.event]:
                value = row.values[value_at]
                if value is not None:
                    found[column_at][i] = number(value)
                elif value_at < self.required[row.event]:
                    found[column_at][i] = BAD
        return dict(zip(names, found, strict=True))


__all__ = ["ACTOR", "KIND", "Encoder"]
