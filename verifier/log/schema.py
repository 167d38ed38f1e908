"""What a log of one ruleset looks like: its lives, actors, events, columns and options.

The package knows no game. A ruleset's declarations make a `LogSchema`; readers, writers, JSON Schema and
Arrow schema all follow from it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from verifier.log.limits import INT64_MAX, INT64_MIN

Kind = Literal["text", "identifier", "integer", "money", "boolean", "enumeration", "written", "time"]

NUMERIC: frozenset[Kind] = frozenset({"integer", "money"})

RESERVED = ("seq", "at", "actor", "event", "corrects", "corrected_event", "corrected_actor")
"""Columns of the format itself: no life, parameter or event is named so."""

CORRECTION = "correction"
"""The event of the format itself: it replaces an earlier row of its round."""

RESERVED_EVENTS = frozenset({*RESERVED, CORRECTION, "lives"})

EXTRA_PREFIX = "x_"
"""Columns that begin so are the operator's own: read, kept on the row, never judged."""

DEFAULT_LENGTH: Mapping[Kind, int] = {"text": 1024, "identifier": 64, "written": 64}

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Column:
    """One column: a life's key, a parameter of events, or an option.

    `values` are the words of an enumeration. `minimum` and `maximum` bound an integer or money (whole minor
    units); without them the bound is 64 bits, signed. `choices`, if any, are all that an integer may be.
    `max_length` counts characters of text, identifier or
    written (defaults: 1024, 64, 64). A `written` column is text that `decode` turns into the value which
    rows carry; `decode` is pure, never returns None, and raises ValueError whose message says what was
    expected ("a seat such as A1"). `encode` is its inverse, for writers. Without `decode` the text itself
    is the value.
    """

    name: str
    kind: Kind
    values: tuple[str, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    max_length: int | None = None
    decode: Callable[[str], object] | None = None
    encode: Callable[[object], str] = str
    example: str | None = None
    description: str = ""
    choices: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        _demand(_NAME.fullmatch(self.name) is not None, f"column name {self.name!r}: letters, digits and _")
        _demand(not self.name.startswith(EXTRA_PREFIX), f"column {self.name}: x_ is the operator's own")
        _demand(
            bool(self.values) == (self.kind == "enumeration"),
            f"column {self.name}: values go with enumeration",
        )
        _demand(len(set(self.values)) == len(self.values), f"column {self.name}: two values alike")
        _demand(
            self.decode is None or self.kind == "written", f"column {self.name}: decode goes with written"
        )
        _demand(
            self.kind in NUMERIC or (self.minimum is None and self.maximum is None),
            f"column {self.name}: minimum and maximum go with integer and money",
        )
        _demand(not self.choices or self.kind == "integer", f"column {self.name}: choices go with integer")
        _demand(
            INT64_MIN <= self.low <= self.high <= INT64_MAX, f"column {self.name}: an empty or too wide range"
        )

    @property
    def low(self) -> int:
        """The smallest integer allowed."""
        return INT64_MIN if self.minimum is None else self.minimum

    @property
    def high(self) -> int:
        """The largest integer allowed."""
        return INT64_MAX if self.maximum is None else self.maximum

    @property
    def length(self) -> int:
        """The longest text allowed, in characters."""
        return DEFAULT_LENGTH.get(self.kind, 1024) if self.max_length is None else self.max_length


@dataclass(frozen=True, slots=True)
class Whole:
    """Columns of one thing that an event may name: where one of `columns` has a value, each of `needed` has."""

    columns: tuple[str, ...]
    needed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EventShape:
    """One kind of event: its required and optional parameters (names of `LogSchema.columns`), in order.

    `actors` are the declared performers; a row by any other declared actor is well-formed all the same.
    `outside` names lives whose key the event may lack because it happens between them (a pause between
    rounds). `life` is the one in whose own log it stands, beside those of the tables; None: in a table's.
    `wholes` are among the optional parameters.
    """

    name: str
    columns: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    actors: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    description: str = ""
    life: str | None = None
    wholes: tuple[Whole, ...] = ()

    @property
    def parameters(self) -> tuple[str, ...]:
        """All parameters, in the order of `Row.values`."""
        return self.columns + self.optional


@dataclass(frozen=True, slots=True)
class Beside:
    """Whose row it is where that is no table: a life with logs of its own, and its key."""

    life: str
    key: object

    def __str__(self) -> str:
        return f"{self.life} {self.key}"


@dataclass(frozen=True, slots=True)
class LogSchema:
    """The log of one ruleset.

    `lives` are the key columns, outermost first. The last is the *round*: corrections stay within it. If
    there are two or more, the first is the *table*: `seq` runs without a gap within it (else within the
    file). Those named in `beside` have logs of their own beside the tables', whose rows carry that one key.
    `elsewhere` are options of another ruleset that a log may state besides: they are read, and left out, but for those
    that `called` says to be ours: what they are called there, and here.
    Raises ValueError where the parts do not fit together.
    """

    ruleset: str
    lives: tuple[Column, ...]
    actors: tuple[str, ...]
    events: Mapping[str, EventShape]
    columns: Mapping[str, Column]
    options: Mapping[str, Column] = field(default_factory=dict)
    beside: tuple[str, ...] = ()
    elsewhere: Mapping[str, Column] = field(default_factory=dict)
    called: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        lives = [life.name for life in self.lives]
        _distinct("lives", lives)
        _distinct("actors", self.actors)
        for name in self.actors:
            _demand(_NAME.fullmatch(name) is not None, f"actor {name!r}: letters, digits and _")
        _demand(bool(self.actors), "a log needs an actor")
        for life in self.lives:
            _demand(life.kind in ("identifier", "integer"), f"life {life.name}: identifier or integer")
        for name, column in [*self.columns.items(), *self.options.items()]:
            _demand(name == column.name, f"column {column.name} stands under {name}")
        taken = {*RESERVED, *lives}
        for name in [*lives, *self.columns]:
            _demand(name not in RESERVED, f"column {name}: the name is the format's own")
        for name in self.columns:
            _demand(name not in taken, f"column {name}: a life has that name")
        for name, event in self.events.items():
            _demand(name == event.name, f"event {event.name} stands under {name}")
            _demand(_NAME.fullmatch(name) is not None, f"event {name!r}: letters, digits and _")
            _demand(name not in RESERVED_EVENTS and name not in lives, f"event {name}: the name is taken")
            _demand(not name.startswith(EXTRA_PREFIX), f"event {name}: x_ is the operator's own")
            _distinct(f"parameters of {name}", event.parameters)
            for parameter in event.parameters:
                _demand(parameter in self.columns, f"event {name}: no column {parameter}")
            for actor in event.actors:
                _demand(actor in self.actors, f"event {name}: no actor {actor}")
            for outer in event.outside:
                _demand(outer in lives, f"event {name}: no life {outer}")
            _demand(event.life is None or event.life in self.beside, f"event {name}: no log of {event.life}")
        for name in self.beside:
            _demand(name in lives[1:-1], f"{name}: logs beside a table's are those of a life between others")

    @property
    def table(self) -> Column | None:
        """The life within which `seq` has no gap; None: the file as a whole."""
        return self.lives[0] if len(self.lives) > 1 else None

    @property
    def round(self) -> Column | None:
        """The life within which a correction must come."""
        return self.lives[-1] if self.lives else None

    def carries(self, event: str) -> frozenset[str]:
        """The lives whose keys the rows of an event have, unless it may stand outside of them."""
        own = self.events[event].life
        return frozenset((own,)) if own else frozenset(life.name for life in self.lives) - {*self.beside}

    def stream(self, lives: tuple[object, ...]) -> object:
        """Whose row it is that has these keys: the table's key, or that of a log beside them; None: the file's."""
        if self.beside:
            for life, key in zip(self.lives, lives, strict=True):
                if key is not None and life.name in self.beside:
                    return Beside(life.name, key)
        return lives[0] if len(self.lives) > 1 else None

    def column(self, name: str) -> Column:
        """The life or parameter of that name. Raises KeyError."""
        for life in self.lives:
            if life.name == name:
                return life
        return self.columns[name]


def _distinct(what: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        _demand(name not in seen, f"{what}: {name} twice")
        seen.add(name)


def _demand(holds: bool, message: str) -> None:
    if not holds:
        raise ValueError(message)


SEQ = Column("seq", "integer", minimum=0, example="1", description="order of record, gap-free within a table")
AT = Column("at", "time", example="2024-03-01T20:15:00+13:00", description="when, RFC 3339")
CORRECTS = Column("corrects", "integer", minimum=0, description="seq of the row that this one replaces")


def actor_column(schema: LogSchema, name: str = "actor") -> Column:
    """The column that names who acted (or, as `corrected_actor`, who acted after all)."""
    return Column(name, "enumeration", values=schema.actors, description="who did it")
