"""What the kernel reads of a log: a column of 64-bit numbers for each of the log's, one row an event."""

from __future__ import annotations

from dataclasses import dataclass

from verifier.check.schema import flat
from verifier.compile.emit import i32
from verifier.compile.layout import Layout
from verifier.model import types as ty
from verifier.model.types import Type
from verifier.model.values import is_written

KIND = "event"
ACTOR = "actor"

PAGE = 65536
"""Bytes of a page of a module's memory."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """The columns in the order in which the kernel has pointers to them: event, actor, a key for each life, and what
    the events bring. `types` are those of the last."""

    layout: Layout
    lives: tuple[str, ...]
    types: dict[str, Type]

    @classmethod
    def of(cls, layout: Layout) -> Inputs:
        types: dict[str, Type] = {}
        for event in layout.ruleset.events.values():
            for param in event.params:
                for part in flat(param):
                    types.setdefault(part.name, part.type.of if isinstance(part.type, ty.OptT) else part.type)
        return cls(layout, tuple(layout.ruleset.lives), types)

    @property
    def names(self) -> tuple[str, ...]:
        return (KIND, ACTOR, *(f"life {name}" for name in self.lives), *self.types)

    def at(self, name: str) -> int:
        """Where the pointer to a column stands."""
        return self.layout.pointers + 4 * self.names.index(name)

    def read(self, name: str) -> str:
        """Code for a column's value at row `$i`."""
        return f"(i64.load (i32.add (i32.load {i32(self.at(name))}) (i32.shl (local.get $i) (i32.const 3))))"

    def is_split(self, type_: Type) -> bool:
        """Whether a parameter of this type stands in several columns, one for each part of its key."""
        return isinstance(type_, ty.RecordT | ty.EntityT) and not is_written(type_)


@dataclass(frozen=True, slots=True)
class Host:
    """What the host needs to know of a compiled ruleset. `why`: what may hand over a round, by number."""

    layout: Layout
    inputs: Inputs
    why: tuple[str, ...]
