"""Events as rows of a log have them, and back, where there is no log around them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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


def happening_of(fields: Mapping[str, object], ruleset: Ruleset, binding: Binding) -> Happening | None:
    """The event that `fields_of` wrote so; None where the ruleset has no such event, or takes no such value for it."""
    rest = dict(fields)
    actor, name = rest.pop("actor", None), rest.pop("event", None)
    event = ruleset.events.get(name) if isinstance(name, str) else None
    if event is None or not isinstance(actor, str) or actor not in ruleset.actors:
        return None
    shape = binding.schema.events[event.name]
    if not set(shape.columns) <= set(rest) <= set(shape.parameters):
        return None
    try:
        cells = tuple(
            checker(binding.schema.columns[column])(rest[column]) if column in rest else None
            for column in shape.parameters
        )
    except MismatchError:
        return None
    return Happening(event.name, actor, tuple(pick(cells) for pick in binding.picks[event.name]))


def logged(type_: ty.Type, value: object) -> object:
    """A value of the core as a log's column holds it: text, a whole number, a truth."""
    match type_, value:
        case ty.OptT(of=of), _:
            return logged(of, value)
        case ty.EnumT(values=values), int():
            return values[value]
        case ((ty.RecordT() | ty.EntityT()), _):
            return written(type_, value)
        case _:
            return value


def _cells(param: Param, value: Any) -> Iterator[tuple[str, object]]:
    if value is None:
        return
    type_ = _plain(param.type)
    if isinstance(type_, ty.RecordT | ty.EntityT) and not is_written(type_):
        parts = type_.keys if isinstance(type_, ty.EntityT) else type_.fields
        for (name, part), inner in zip(parts, value, strict=True):
            yield from _cells(Param(name, part), inner)
        return
    yield param.name, logged(type_, value)


def _plain(type_: Type) -> Type:
    return type_.of if isinstance(type_, ty.OptT) else type_
