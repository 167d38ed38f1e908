"""The header of a log: what was recorded, by whom, under which ruleset and in which money."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from verifier.log.faults import Fault, RefusedError, nearest, shown
from verifier.log.limits import LIMITS
from verifier.log.schema import EXTRA_PREFIX, LogSchema
from verifier.log.values import MismatchError, check_extra, checker

VERSION = 1
HEADER_KEY = "gazette-log"
TRAILER_KEY = "gazette-log-end"


@dataclass(frozen=True, slots=True)
class Header:
    """What the header states.

    `exponent`: decimals of the currency's major unit (2: amounts are cents). `records`: kinds of event that
    the operator records, None for all. `unordered`: kinds whose order was not recorded. `missing_columns`:
    columns never recorded, as `column` or, for one kind of event only, as `event.column`. `options`: those
    in force, decoded; the rest are unstated. `ruleset_digest`: SHA-256 in hexadecimal, not compared here.
    `begun`: lives under way when the log began, of whose earlier part it tells nothing.
    """

    operator: str
    ruleset: str
    currency: str
    exponent: int
    ruleset_digest: str | None = None
    options: Mapping[str, object] = field(default_factory=dict)
    records: frozenset[str] | None = None
    unordered: frozenset[str] = frozenset()
    missing_columns: frozenset[str] = frozenset()
    extras: Mapping[str, object] = field(default_factory=dict)
    version: int = VERSION
    begun: frozenset[str] = frozenset()

    def has_event(self, event: str) -> bool:
        """Whether that kind of event is recorded."""
        return self.records is None or event in self.records

    def lacks(self, column: str, event: str | None = None) -> bool:
        """Whether that column is never recorded: at all, or in that kind of event."""
        return column in self.missing_columns or (
            event is not None and f"{event}.{column}" in self.missing_columns
        )


_REQUIRED = (HEADER_KEY, "operator", "ruleset", "currency", "exponent", "records")
_OPTIONAL = ("ruleset_digest", "options", "unordered", "missing_columns", "begun")
HEADER_KEYS = _REQUIRED + _OPTIONAL


def parse_header(
    fields: Mapping[str, object], schema: LogSchema, *, any_ruleset: bool = False, others: Iterable[str] = ()
) -> Header:
    """The header in `fields`, checked against `schema`. Raises `RefusedError` with up to 20 faults.

    `others` are keys that the caller reads itself (a manifest's seal, a transcript's events).
    `any_ruleset` accepts a log that was kept under another ruleset than the schema's.
    """
    return _Parser(fields, schema, any_ruleset, frozenset(others)).parse()


class _Parser:
    def __init__(
        self, fields: Mapping[str, object], schema: LogSchema, any_ruleset: bool, others: frozenset[str]
    ) -> None:
        self.fields = fields
        self.schema = schema
        self.any_ruleset = any_ruleset
        self.others = others
        self.faults: list[Fault] = []

    def parse(self) -> Header:
        extras = self.unknown_keys()
        version = self.take(HEADER_KEY, _is_version, "1, the version of the format")
        operator = self.take(
            "operator", _is_line, "the operator's name, text of 1 to 200 characters on one line"
        )
        ruleset = self.take(
            "ruleset", self.is_ruleset, f'"{self.schema.ruleset}", the ruleset to check against'
        )
        currency = self.take("currency", _is_currency, "a currency's three capital letters, as in NZD")
        exponent = self.take(
            "exponent", _is_exponent, "the decimals of the currency, a whole number from 0 to 9"
        )
        digest = self.take(
            "ruleset_digest", _is_digest, "a SHA-256 of 64 lower-case hexadecimal digits", required=False
        )
        records = self.records()
        unordered = self.kinds("unordered")
        missing = self.missing_columns()
        lives = tuple(life.name for life in self.schema.lives)
        begun = self.names("begun", lives, "a life that the ruleset declares")
        options = self.options()
        if records is not None:
            for kind in sorted(unordered - records):
                self.fault(
                    "unordered",
                    shown(kind),
                    "kinds of event that are recorded",
                    "records leaves it out",
                    "log-header",
                )
        if self.faults:
            raise RefusedError(*self.faults[: LIMITS.faults])
        return Header(
            operator,
            ruleset,
            currency,
            exponent,
            digest,
            options,
            records,
            unordered,
            missing,
            extras,
            version,
            begun,
        )

    def unknown_keys(self) -> dict[str, object]:
        extras: dict[str, object] = {}
        for key, value in self.fields.items():
            if key in HEADER_KEYS or key in self.others:
                continue
            if not key.startswith(EXTRA_PREFIX):
                known = [*HEADER_KEYS, *self.others]
                help = nearest(key, known) or "the operator's own keys begin with x_"
                self.fault(key, shown(value), "no such key in a header", help, "log-unknown-field")
                continue
            try:
                extras[key] = check_extra(value)
            except MismatchError as mismatch:
                self.fault(key, shown(value), mismatch.expected, mismatch.help, mismatch.code)
        return extras

    def take(self, key: str, holds: Callable[[Any], bool], wanted: str, required: bool = True) -> Any:
        value = self.fields.get(key)
        if value is None:
            if required:
                self.fault(key, "nothing", wanted, "every header states it", "log-missing-field")
        elif not holds(value):
            code = "log-ruleset" if key == "ruleset" and isinstance(value, str) else "log-header"
            help = (
                "a log is checked against the rules that it was kept under" if code == "log-ruleset" else None
            )
            self.fault(key, shown(value), wanted, help, code)
        else:
            return value
        return None

    def is_ruleset(self, value: object) -> bool:
        return _is_line(value) and (self.any_ruleset or value == self.schema.ruleset)

    def records(self) -> frozenset[str] | None:
        value = self.fields.get("records")
        if value == "all":
            return None
        if value is None or isinstance(value, str):
            help = "the kinds of event that are recorded: the rest was not, and is not missed"
            self.fault("records", shown(value), '"all" or a list of kinds of event', help, "log-header")
            return None
        return self.kinds("records")

    def kinds(self, key: str) -> frozenset[str]:
        return self.names(key, tuple(self.schema.events), "a kind of event that the ruleset declares")

    def missing_columns(self) -> frozenset[str]:
        schema = self.schema
        plain = ["at", *(life.name for life in schema.lives), *schema.columns]
        dotted = [f"{event.name}.{column}" for event in schema.events.values() for column in event.parameters]
        return self.names("missing_columns", (*plain, *dotted), "a life, a parameter, event.parameter, or at")

    def names(self, key: str, known: tuple[str, ...], wanted: str) -> frozenset[str]:
        value = self.fields.get(key)
        if value is None:
            return frozenset()
        if not isinstance(value, list):
            self.fault(key, shown(value), "a list", None, "log-header")
            return frozenset()
        names: set[str] = set()
        for entry in value:
            if not isinstance(entry, str) or entry not in known:
                help = nearest(entry, known) if isinstance(entry, str) else None
                self.fault(key, shown(entry), wanted, help, "log-header")
            elif entry in names:
                self.fault(key, f"{shown(entry)} twice", "each name once", None, "log-header")
            else:
                names.add(entry)
        return frozenset(names)

    def options(self) -> dict[str, object]:
        value = self.fields.get("options")
        if value is None:
            return {}
        if not isinstance(value, dict):
            self.fault("options", shown(value), "a mapping from option to value", None, "log-header")
            return {}
        options: dict[str, object] = {}
        for name, stated in value.items():
            mine = self.schema.called.get(name, name)
            own = self.schema.options.get(mine)
            column = own if own is not None else self.schema.elsewhere.get(name)
            if column is None:
                help = nearest(name, self.schema.options) or "the ruleset declares no options"
                self.fault(
                    f"options.{name}", shown(stated), "an option of the ruleset", help, "log-unknown-field"
                )
                continue
            try:
                decoded = checker(column)(stated)
            except MismatchError as mismatch:
                self.fault(f"options.{name}", shown(stated), mismatch.expected, mismatch.help, mismatch.code)
                continue
            if mine != name and mine in value and value[mine] != stated:
                wanted = f"{shown(value[mine])}, which is stated of {mine}: the two are one option"
                self.fault(f"options.{name}", shown(stated), wanted, None, "log-contradiction")
            elif own is not None:
                options[mine] = decoded
        return options

    def fault(self, key: str, found: str, wanted: str, help: str | None, code: str) -> None:
        self.faults.append(Fault(code, key, found, wanted, help))


def header_fields(header: Header, schema: LogSchema) -> dict[str, object]:
    """The header as its JSON object, for writers; `parse_header` reads it back to the same."""
    fields: dict[str, object] = {
        HEADER_KEY: header.version,
        "operator": header.operator,
        "ruleset": header.ruleset,
        "currency": header.currency,
        "exponent": header.exponent,
        "records": "all" if header.records is None else sorted(header.records),
    }
    if header.ruleset_digest is not None:
        fields["ruleset_digest"] = header.ruleset_digest
    if header.options:
        fields["options"] = {
            name: schema.options[name].encode(value) if schema.options[name].kind == "written" else value
            for name, value in header.options.items()
        }
    listed = {
        "unordered": header.unordered,
        "missing_columns": header.missing_columns,
        "begun": header.begun,
    }
    for key, names in listed.items():
        if names:
            fields[key] = sorted(names)
    return {**fields, **header.extras}


def _is_version(value: object) -> bool:
    return type(value) is int and value == VERSION


def _is_line(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= 200 and value.isprintable() and value == value.strip()


def _is_currency(value: object) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[A-Z]{3}", value) is not None


def _is_exponent(value: object) -> bool:
    return type(value) is int and 0 <= value <= 9


def _is_digest(value: object) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[0-9a-f]{64}", value) is not None
