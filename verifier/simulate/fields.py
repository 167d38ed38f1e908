"""Events as rows of a log have them: the way back from what `verifier.check.schema` reads off a row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from verifier.check.schema import Binding
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
