"""Events as rows of a log have them: the way back from what `verifier.check.schema` reads off a row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from verifier.check.schema import Binding
from verifier.log.values import Check, MismatchError, checker
from verifier.model import types as ty
from verifier.model.ruleset import Param, Ruleset
from verifier.model.types import Type
from verifier.model.values import is_written, written
from verifier.run.bench import Happening


def fields_of(happening: Happening, ruleset: Ruleset, binding: Binding) -> dict[str, object]:
    """`actor`, `event` and the event's parameters as a line of JSON Lines has them; what is absent is left out."""
    fields: dict[str, object] = {"actor": happening.actor, "event": happening.event}
    event = ruleset.events[happening.event]
    for param, value in zip(event.params, happening.values, strict=True):
        fields.update(_cells(param, value))
    shape = binding.schema.events[happening.event]
    assert set(fields) - {"actor", "event"} <= set(shape.parameters)
    return fields


@dataclass(slots=True)
class Writable:
    """Tells whether a log can hold an event: amounts are whole and not negative, numbers within their ranges."""

    ruleset: Ruleset
    binding: Binding
    _checks: dict[str, Check] = field(default_factory=dict)

    def __call__(self, happening: Happening) -> bool:
        """Whether each of the event's columns can have its value."""
        for name, value in fields_of(happening, self.ruleset, self.binding).items():
            column = self.binding.schema.columns.get(name)
            if column is None:
                continue
            if name not in self._checks:
                self._checks[name] = checker(column)
            try:
                self._checks[name](value)
            except MismatchError:
                return False
        return True


def _cells(param: Param, value: Any) -> Iterator[tuple[str, object]]:
    if value is None:
        return
    type_ = _plain(param.type)
    if isinstance(type_, ty.RecordT | ty.EntityT) and not is_written(type_):
        parts = type_.keys if isinstance(type_, ty.EntityT) else type_.fields
        for (name, part), inner in zip(parts, value, strict=True):
            yield from _cells(Param(name, part), inner)
        return
    match type_:
        case ty.EnumT(values=words):
            yield param.name, words[value]
        case ty.RecordT() | ty.EntityT():
            yield param.name, written(type_, value)
        case _:
            yield param.name, value


def _plain(type_: Type) -> Type:
    return type_.of if isinstance(type_, ty.OptT) else type_
