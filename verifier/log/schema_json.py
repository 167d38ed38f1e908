"""The JSON Schema of a line of a ruleset's JSON Lines log."""

from __future__ import annotations

from typing import Any

from verifier.log.header import HEADER_KEY, TRAILER_KEY, VERSION, Header
from verifier.log.limits import INT64_MAX, INT64_MIN
from verifier.log.schema import (
    AT,
    CORRECTION,
    CORRECTS,
    EXTRA_PREFIX,
    RESERVED,
    SEQ,
    Column,
    LogSchema,
    Whole,
    actor_column,
)
from verifier.log.times import PATTERN
from verifier.log.values import BAD_IN_TEXT, EXTRA_LENGTH

_EXTRA = {
    "type": ["string", "integer", "boolean", "null"],
    "minLength": 1,
    "maxLength": EXTRA_LENGTH,
    "minimum": INT64_MIN,
    "maximum": INT64_MAX,
}
_EXTRAS = {f"^{EXTRA_PREFIX}": _EXTRA}
_DIGEST = {"type": "string", "pattern": "^[0-9a-f]{64}$"}


def to_json_schema(schema: LogSchema, header: Header | None = None) -> dict[str, Any]:
    """A schema (draft 2020-12) that every line of a valid log of `schema` satisfies.

    A line is a header, a row or a trailer; a row is held to the shape of its kind of event. With `header`,
    events that it does not record are left out and columns that it declares missing must be. What no JSON
    Schema can say (order, seq, digests, how written values read, 10.0 for 10) only the reader checks.
    """
    events = {
        name: shape for name, shape in schema.events.items() if header is None or header.has_event(name)
    }
    definitions: dict[str, Any] = {
        "header": _header(schema),
        "trailer": _trailer(),
        "row": {
            "type": "object",
            "required": ["event"],
            "properties": {"event": {"enum": [*events, CORRECTION]}},
            "allOf": [_when("event", name, f"event_{name}") for name in events]
            + [_when("event", CORRECTION, "correction")],
        },
        "correction": {
            "type": "object",
            "required": ["corrected_event"],
            "properties": {"corrected_event": {"enum": list(events)}},
            "allOf": [_when("corrected_event", name, f"correction_{name}") for name in events],
        },
    }
    for name in events:
        definitions[f"event_{name}"] = _event(schema, name, header, correcting=False)
        definitions[f"correction_{name}"] = _event(schema, name, header, correcting=True)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"A line of a log of {schema.ruleset}",
        "$comment": "10.0, 1e1 and -0 are no whole numbers here, which no JSON Schema can say.",
        "type": "object",
        "if": {"required": [HEADER_KEY]},
        "then": {"$ref": "#/$defs/header"},
        "else": {
            "if": {"required": [TRAILER_KEY]},
            "then": {"$ref": "#/$defs/trailer"},
            "else": {"$ref": "#/$defs/row"},
        },
        "$defs": definitions,
    }


def _when(key: str, value: str, definition: str) -> dict[str, Any]:
    return {
        "if": {"properties": {key: {"const": value}}, "required": [key]},
        "then": {"$ref": f"#/$defs/{definition}"},
    }


def _event(schema: LogSchema, name: str, header: Header | None, *, correcting: bool) -> dict[str, Any]:
    shape = schema.events[name]
    properties: dict[str, Any] = {}
    required: list[str] = []

    def add(column: Column, needed: bool) -> None:
        if header is not None and header.lacks(column.name, name):
            properties[column.name] = {"type": "null"}
            return
        properties[column.name] = _value(column, nullable=not needed)
        if needed:
            required.append(column.name)

    carried = schema.carries(name)
    for life in schema.lives:
        if life.name in carried:
            add(life, life.name not in shape.outside)
    add(SEQ, True)
    add(AT, True)
    add(actor_column(schema), True)
    properties["event"] = {"const": CORRECTION if correcting else name}
    required.append("event")
    if correcting:
        add(CORRECTS, True)
        add(actor_column(schema, "corrected_actor"), True)
        properties["corrected_event"] = {"const": name}
        required.append("corrected_event")
    for parameter in shape.parameters:
        add(schema.columns[parameter], parameter in shape.columns)
    for other in (*(life.name for life in schema.lives), *RESERVED, *schema.columns):
        properties.setdefault(other, {"type": "null"})
    described: dict[str, Any] = {"description": shape.description} if shape.description else {}
    if shape.wholes:
        described["allOf"] = [_whole(whole, header, name) for whole in shape.wholes]
    return {
        "type": "object",
        **described,
        "properties": properties,
        "patternProperties": _EXTRAS,
        "required": required,
        "additionalProperties": False,
    }


def _whole(whole: Whole, header: Header | None, event: str) -> dict[str, Any]:
    """Where one of the columns has a value, all that are needed have."""
    there = {"not": {"type": "null"}}
    needed = [name for name in whole.needed if header is None or not header.lacks(name, event)]
    return {
        "if": {"anyOf": [{"properties": {n: there}, "required": [n]} for n in whole.columns]},
        "then": {"properties": dict.fromkeys(needed, there), "required": needed},
    }


def _value(column: Column, *, nullable: bool = False) -> dict[str, Any]:
    described: dict[str, Any] = {}
    if column.description:
        described["description"] = column.description
    if column.example is not None:
        described["examples"] = [_example(column)]
    match column.kind:
        case "integer" if column.choices:
            return {**described, "enum": [*column.choices, *([None] if nullable else [])]}
        case "integer" | "money":
            value: dict[str, Any] = {"type": "integer", "minimum": column.low, "maximum": column.high}
        case "boolean":
            value = {"type": "boolean"}
        case "enumeration":
            return {**described, "enum": [*column.values, *([None] if nullable else [])]}
        case "time":
            value = {"type": "string", "format": "date-time", "pattern": PATTERN}
        case "text" | "identifier" | "written":
            visible = f"^[^{BAD_IN_TEXT}]*$"
            value = {"type": "string", "minLength": 1, "maxLength": column.length, "pattern": visible}
    if nullable:
        value["type"] = [value["type"], "null"]
    return {**described, **value}


def _example(column: Column) -> object:
    assert column.example is not None
    match column.kind:
        case "integer" | "money":
            return int(column.example)
        case "boolean":
            return column.example == "true"
        case "enumeration" | "time" | "text" | "identifier" | "written":
            return column.example


def _header(schema: LogSchema) -> dict[str, Any]:
    kinds = {"type": "array", "items": {"enum": list(schema.events)}, "uniqueItems": True}
    lives = [life.name for life in schema.lives]
    dotted = [f"{event.name}.{column}" for event in schema.events.values() for column in event.parameters]
    options = {name: _value(column) for name, column in schema.options.items()}
    return {
        "type": "object",
        "properties": {
            HEADER_KEY: {"const": VERSION},
            "operator": {"type": "string", "minLength": 1, "maxLength": 200},
            "ruleset": {"const": schema.ruleset},
            "ruleset_digest": _DIGEST,
            "currency": {"type": "string", "pattern": "^[A-Z]{3}$"},
            "exponent": {"type": "integer", "minimum": 0, "maximum": 9},
            "options": {"type": "object", "properties": options, "additionalProperties": False},
            "records": {"oneOf": [{"const": "all"}, kinds]},
            "unordered": kinds,
            "begun": {"type": "array", "items": {"enum": lives}, "uniqueItems": True},
            "missing_columns": {
                "type": "array",
                "items": {"enum": ["at", *lives, *schema.columns, *dotted]},
                "uniqueItems": True,
            },
        },
        "patternProperties": _EXTRAS,
        "required": [HEADER_KEY, "operator", "ruleset", "currency", "exponent", "records"],
        "additionalProperties": False,
    }


def _trailer() -> dict[str, Any]:
    seal = {
        "type": "object",
        "properties": {"events": {"type": "integer", "minimum": 0, "maximum": INT64_MAX}, "sha256": _DIGEST},
        "required": ["events", "sha256"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {TRAILER_KEY: seal},
        "required": [TRAILER_KEY],
        "additionalProperties": False,
    }
