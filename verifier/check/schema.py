"""What a ruleset's declarations make of its log: the schema for readers, and rows turned into events to judge."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from verifier.errors import Problem, RuleTextError
from verifier.log.header import Header
from verifier.log.schema import (
    EXTRA_PREFIX,
    RESERVED,
    RESERVED_EVENTS,
    Column,
    EventShape,
    LogSchema,
    Whole,
)
from verifier.model import types as ty
from verifier.model.order import problem_for
from verifier.model.ruleset import Event, Param, Ruleset
from verifier.model.types import Type
from verifier.model.values import Partial, describe, is_written, reader, written

Pick = Callable[[tuple[Any, ...]], Any]
"""From the columns of a row to one parameter of the event."""


@dataclass(frozen=True, slots=True)
class Binding:
    """The schema of a ruleset's log, and for each event how its parameters are read off a row's columns."""

    schema: LogSchema
    picks: Mapping[str, tuple[Pick, ...]]
    columns_of: Mapping[str, tuple[tuple[str, ...], ...]]

    def values(self, event: str, row_values: tuple[Any, ...], header: Header) -> tuple[Any, ...]:
        """The event's parameters; a parameter whose column the log never records is a `Partial`."""
        picks = self.picks[event]
        values = tuple([pick(row_values) for pick in picks])
        if header.missing_columns:
            return tuple(
                Partial(columns[0]) if any(header.lacks(c, event) for c in columns) else value
                for value, columns in zip(values, self.columns_of[event], strict=True)
            )
        return values


def bind(ruleset: Ruleset) -> Binding:
    """The binding of `ruleset`. Raises `RuleTextError` where two columns of one name differ."""
    columns: dict[str, Column] = {}
    shapes: dict[str, EventShape] = {}
    picks: dict[str, tuple[Pick, ...]] = {}
    columns_of: dict[str, tuple[tuple[str, ...], ...]] = {}
    for event in ruleset.events.values():
        _named(ruleset, event)
        try:
            _bind_event(ruleset, event, outside(ruleset, event.name), columns, shapes, picks, columns_of)
        except ValueError as error:
            raise _unwritable(
                ruleset, event, f"the log of {ruleset.name} cannot be written: {error}"
            ) from None
    if not ruleset.actors:
        message = f"{ruleset.name} declares nobody who acts, so there is no log of it"
        raise _unwritable(
            ruleset, None, message, "declare them, and the events that they do: `actors clerk, guest`"
        )
    lives = tuple(
        Column(life, "identifier", description=f"the {life}")
        if i == 0 or ruleset.lives[life].beside
        else Column(life, "integer", minimum=0, description=f"number of the {life}")
        for i, life in enumerate(ruleset.lives)
    )
    options = {
        option.name: _option(option.name, option.type, option.values) for option in ruleset.options.values()
    }
    try:
        beside = tuple(life.name for life in ruleset.lives.values() if life.beside)
        schema = LogSchema(ruleset.name, lives, ruleset.actors, shapes, columns, options, beside)
    except ValueError as error:
        raise _unwritable(ruleset, None, f"the log of {ruleset.name} cannot be written: {error}") from None
    return Binding(schema, picks, columns_of)


def _option(name: str, type_: Type, values: tuple[object, ...] | None) -> Column:
    numbers = [v for v in values or () if isinstance(v, int)] if isinstance(type_, ty.IntT) else []
    if not numbers:
        return column(name, type_)
    least, most = min(numbers), max(numbers)
    choices = () if set(numbers) == set(range(least, most + 1)) else tuple(numbers)
    return Column(name, "integer", minimum=least, maximum=most, choices=choices)


def column(name: str, type_: Type) -> Column:
    """The log column that holds values of a type."""
    match type_:
        case ty.OptT(of=of):
            return column(name, of)
        case ty.BoolT():
            return Column(name, "boolean")
        case ty.IntT(low=low, high=high):
            return Column(name, "integer", minimum=low, maximum=high)
        case ty.MoneyT():
            return Column(name, "money", minimum=0)
        case ty.EnumT(values=values):
            return Column(name, "enumeration", values=values)
        case ty.IdT():
            return Column(name, "identifier")
        case ty.TextT():
            return Column(name, "text")
        case ty.RecordT() | ty.EntityT():
            return Column(
                name,
                "written",
                decode=reader(type_),
                encode=lambda value, t=type_: written(t, value),  # type: ignore[misc]
                description=describe(type_),
            )
        case ty.OddsT() | ty.ListT() | ty.SetT() | ty.MapT() | ty.PartyT():
            raise RuleTextError(
                Problem(
                    f"`{name}` is {type_}, which no log column holds",
                    code="log-schema",
                    help="give the event a parameter of another type",
                )
            )


def flat(param: Param) -> list[Param]:
    """The columns of a parameter: one, or one for each part of a key that has no written form.

    A column may be empty exactly where its type is optional: the parts of what may be absent may be, and a part that
    may be.
    """
    type_ = _bare(param.type)
    if isinstance(type_, ty.RecordT | ty.EntityT) and not is_written(type_):
        found = [column_ for name, part in _parts(type_) for column_ in flat(Param(name, part))]
        if isinstance(param.type, ty.OptT):
            return [Param(p.name, ty.OptT(_bare(p.type))) for p in found]
        return found
    return [param]


def _wholes(param: Param) -> tuple[Whole, ...]:
    """What of a parameter in several columns is there with all that it needs or not at all."""
    type_ = _bare(param.type)
    if not isinstance(type_, ty.RecordT | ty.EntityT) or is_written(type_):
        return ()
    inner = tuple(whole for name, part in _parts(type_) for whole in _wholes(Param(name, part)))
    if not isinstance(param.type, ty.OptT):
        return inner
    needed = tuple(p.name for p in flat(Param(param.name, type_)) if not isinstance(p.type, ty.OptT))
    return (*inner, Whole(tuple(p.name for p in flat(param)), needed))


def _bare(type_: Type) -> Type:
    return type_.of if isinstance(type_, ty.OptT) else type_


def _parts(type_: ty.RecordT | ty.EntityT) -> tuple[tuple[str, Type], ...]:
    return type_.keys if isinstance(type_, ty.EntityT) else type_.fields


def outside(ruleset: Ruleset, event: str) -> tuple[str, ...]:
    """The lives that the event may stand between: those declared after a life that it begins or ends.

    A shuffle that ends a shoe may come between two rounds, and then has no round's key; or within one.
    """
    lives = list(ruleset.lives.values())
    for index, life in enumerate(lives):
        if event in life.begins or event in life.ends:
            return tuple(later.name for later in lives[index + 1 :])
    return ()


def _named(ruleset: Ruleset, event: Event) -> None:
    """Refuse an event, or a parameter, that has a name which the log's own columns have."""
    if event.name in RESERVED_EVENTS or event.name.startswith(EXTRA_PREFIX):
        message = f"`{event.name}` is a name of the log format's own"
        raise _unwritable(ruleset, event, message, "give the event another name")
    if event.name in ruleset.lives:
        message = f"`{event.name}` is the name of a life, and of the column that has its number in every row"
        raise _unwritable(ruleset, event, message, "give the event, or the life, another name")
    for param in event.params:
        for part in flat(param):
            if part.name not in RESERVED and part.name not in ruleset.lives:
                continue
            whose = "a life" if part.name in ruleset.lives else "the log format's own"
            raise _unwritable(
                ruleset,
                event,
                f"event `{event.name}` would have the column `{part.name}`, which is {whose}",
                "give the parameter another name",
            )


def _bind_event(
    ruleset: Ruleset,
    event: Event,
    between: tuple[str, ...],
    columns: dict[str, Column],
    shapes: dict[str, EventShape],
    picks: dict[str, tuple[Pick, ...]],
    columns_of: dict[str, tuple[tuple[str, ...], ...]],
) -> None:
    required: list[str] = []
    optional: list[str] = []
    for param in event.params:
        for part in flat(param):
            found = column(part.name, part.type)
            known = columns.setdefault(part.name, found)
            if (known.kind, known.values, known.minimum, known.maximum, known.description) != (
                found.kind,
                found.values,
                found.minimum,
                found.maximum,
                found.description,
            ):
                raise _unwritable(
                    ruleset,
                    event,
                    f"the column `{part.name}` of event {event.name} is {part.type}, elsewhere something else",
                    "a column means the same in every event: give one of them another name",
                )
            if part.name in required + optional:
                raise _unwritable(
                    ruleset,
                    event,
                    f"event {event.name} would have the column `{part.name}` twice",
                    "a reference is logged as the parts of its key: rename the parameter beside it, or, of two "
                    'references, give their type a written form (`written "seat {guest}"`)',
                )
            (optional if isinstance(part.type, ty.OptT) else required).append(part.name)
    wholes = tuple(whole for param in event.params for whole in _wholes(param))
    if any(not whole.needed for whole in wholes):
        message = (
            f"nothing would tell whether event {event.name} names something whose key is empty, or nothing"
        )
        help = "give the key a part that cannot be absent, or the type a written form"
        raise _unwritable(ruleset, event, message, help)
    shapes[event.name] = EventShape(
        event.name, tuple(required), tuple(optional), event.by, between, life=event.life, wholes=wholes
    )
    order = [*required, *optional]
    picks[event.name] = tuple(_pick(param, order) for param in event.params)
    columns_of[event.name] = tuple(tuple(p.name for p in flat(param)) for param in event.params)


def _pick(param: Param, order: list[str]) -> Pick:
    type_ = _bare(param.type)
    if isinstance(type_, ty.RecordT | ty.EntityT) and not is_written(type_):
        parts = _parts(type_)
        inner = [_pick(Param(name, part), order) for name, part in parts]
        needed = [i for i, (_, part) in enumerate(parts) if not isinstance(part, ty.OptT)]

        def whole(values: tuple[Any, ...]) -> Any:
            found = tuple([pick(values) for pick in inner])
            return None if any(found[i] is None for i in needed) else found

        return whole
    position = order.index(param.name)
    if isinstance(type_, ty.EnumT):
        index = {value: i for i, value in enumerate(type_.values)}
        return lambda values: None if values[position] is None else index[values[position]]
    return lambda values: values[position]


def option_value(type_: Type, value: object) -> object:
    """An option as a header states it, as the core holds it."""
    match type_:
        case ty.EnumT(values=values):
            return values.index(str(value))
        case _:
            return value


def _unwritable(
    ruleset: Ruleset, event: Event | None, message: str, help: str = "rename the declaration at issue"
) -> RuleTextError:
    """A declaration that no log can have, at the event that has it where that is known."""
    if event is None:
        return RuleTextError(Problem(message, code="log-schema", help=help))
    texts = {source.path: source.text for source in ruleset.sources}
    return RuleTextError(problem_for(event.place, texts, message, "log-schema", help))
