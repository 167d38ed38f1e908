"""Rows: one event each, checked field by field against the schema and the header."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn

from verifier.log.faults import Fault, RefusedError, nearest, shown
from verifier.log.header import HEADER_KEY, Header
from verifier.log.limits import LIMITS, Limits
from verifier.log.schema import (
    AT,
    CORRECTION,
    CORRECTS,
    EXTRA_PREFIX,
    RESERVED,
    SEQ,
    Beside,
    Column,
    LogSchema,
    actor_column,
)
from verifier.log.values import Check, MismatchError, check_extra, checker, expected, from_text

NO_EXTRAS: Mapping[str, object] = {}
"""Shared by all rows without extras (a plain dict, so that rows can be pickled); never written to."""


@dataclass(frozen=True, slots=True)
class Correction:
    """A `correction` row: what replaces the row `corrects` of the same table and round."""

    file: str
    line: int
    lives: tuple[object, ...]
    seq: int
    at: str | None
    actor: str
    corrects: int
    event: str
    corrected_actor: str
    values: tuple[object, ...]
    extras: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Row:
    """One event, as corrected.

    `line` counts from 1 (in Parquet and relations: the row's number). `lives` are the keys in the order of
    `LogSchema.lives`, None where not recorded. `values` follow `EventShape.parameters`, decoded, None where
    absent. `extras` are the operator's own x_ columns. A corrected row keeps the row as it stood in `original`
    and what replaced it in `correction`.
    """

    file: str
    line: int
    lives: tuple[object, ...]
    seq: int
    at: str | None
    actor: str
    event: str
    values: tuple[object, ...]
    extras: Mapping[str, object] = field(default_factory=dict)
    original: Row | None = None
    correction: Correction | None = None

    @property
    def corrected_by(self) -> int | None:
        """The seq of the correction that this row's content comes from, if any."""
        return None if self.correction is None else self.correction.seq


@dataclass(frozen=True, slots=True)
class _Plan:
    """How to read rows of one kind of event: for each field its place and check."""

    event: str
    slots: Mapping[str, tuple[int, Check]]
    size: int
    required: tuple[tuple[int, str], ...]
    wholes: tuple[tuple[tuple[int, ...], tuple[tuple[int, str], ...]], ...]
    """Where one of these places has a value, each of those after it has."""


_AT, _ACTOR, _SEQ, _CORRECTS, _CORRECTED_ACTOR = range(5)
_LIVES = 5


class RowReader:
    """Reads the rows of one file, in order; knows the next `seq` of every table.

    `textual`: the format has only text, so that the columns' kinds say what is a number. Not `counted`: rows are not
    in the order of record yet.
    """

    def __init__(
        self,
        file: str,
        schema: LogSchema,
        header: Header,
        limits: Limits = LIMITS,
        *,
        textual: bool = False,
        counted: bool = True,
    ) -> None:
        self._counted = counted
        self._checker = from_text if textual else checker
        self._file = file
        self._schema = schema
        self._header = header
        self._limits = limits
        self._first = _LIVES + len(schema.lives)
        self._known = frozenset((*RESERVED, *(life.name for life in schema.lives), *schema.columns))
        self._checks: dict[str, Check] = {}
        self._plans: dict[tuple[object, bool], _Plan] = {}
        self._next: dict[object, int] = {}

    def read(self, fields: Mapping[str, object], line: int) -> Row | Correction:
        """The row in `fields`. Raises `RefusedError` with up to 20 faults."""
        event = fields.get("event")
        plan = self._plan_of(event, False)
        if plan is None:
            if event != CORRECTION:
                self._refuse_event(fields, "event")
            corrected = fields.get("corrected_event")
            plan = self._plan_of(corrected, True)
            if plan is None:
                self._refuse_event(fields, "corrected_event")
        out: list[object] = [None] * plan.size
        extras: dict[str, object] | None = None
        faults: list[Fault] = []
        slots = plan.slots
        for name, value in fields.items():
            slot = slots.get(name)
            if slot is not None:
                if value is not None:
                    try:
                        out[slot[0]] = slot[1](value)
                    except MismatchError as wrong:
                        faults.append(Fault(wrong.code, name, shown(value), wrong.expected, wrong.help))
            elif name == "event" or (value is None and name in self._known):
                pass
            elif name.startswith(EXTRA_PREFIX):
                try:
                    extras = {} if extras is None else extras
                    if value is not None:
                        extras[name] = check_extra(value)
                except MismatchError as wrong:
                    faults.append(Fault(wrong.code, name, shown(value), wrong.expected, wrong.help))
            elif not (name == "corrected_event" and event == CORRECTION):
                faults.append(self._unknown(name, value, plan))
        for index, name in plan.required:
            if out[index] is None and (fields.get(name) is None):
                faults.append(self._missing(name))
        for places, needed in plan.wholes:
            lacking = [name for at, name in needed if out[at] is None and fields.get(name) is None]
            if lacking and any(out[at] is not None for at in places):
                faults.extend(self._missing(name, needed=[n for _, n in needed]) for name in lacking)
        if faults:
            raise RefusedError(*faults[: self._limits.faults])
        return self._build(event == CORRECTION, plan, out, extras, line)

    def _build(
        self, corrects: bool, plan: _Plan, out: list[object], extras: dict[str, object] | None, line: int
    ) -> Row | Correction:
        lives = tuple(out[_LIVES : self._first])
        seq, at, actor = out[_SEQ], out[_AT], out[_ACTOR]
        assert type(seq) is int
        assert type(actor) is str
        assert at is None or type(at) is str
        if self._counted:
            self._count(self._schema.stream(lives), seq)
        values = tuple(out[self._first :])
        kept = extras or NO_EXTRAS
        if not corrects:
            return Row(self._file, line, lives, seq, at, actor, plan.event, values, kept)
        target, corrected_actor = out[_CORRECTS], out[_CORRECTED_ACTOR]
        assert type(target) is int
        assert type(corrected_actor) is str
        return Correction(
            self._file, line, lives, seq, at, actor, target, plan.event, corrected_actor, values, kept
        )

    def _count(self, table: object, seq: int) -> None:
        due = self._next.get(table)
        if due is None:
            if len(self._next) >= self._limits.tables:
                raise RefusedError(
                    Fault("log-limit", None, "yet another table", f"at most {self._limits.tables} in a file")
                )
        elif seq != due:
            name = "" if self._schema.table is None else f" at {self._schema.table.name} {shown(table)}"
            if isinstance(table, Beside):
                name = f" at {table.life} {shown(table.key)}"
            if seq == due - 1:
                help = "a row stands twice, or two rows share one number"
            elif seq < due:
                help = (
                    "rows stand in the order of record; sort them, or split the log where numbering restarts"
                )
            else:
                help = f"{seq - due} {'row is' if seq - due == 1 else 'rows are'} missing before this one"
            raise RefusedError(Fault("log-seq", "seq", str(seq), f"{due}, the next{name}", help))
        self._next[table] = seq + 1

    def _plan_of(self, event: object, correcting: bool) -> _Plan | None:
        """How to read rows of an event, or corrections of one; None where the log has none of that name."""
        if type(event) is not str:
            return None
        plan = self._plans.get((event, correcting))
        if plan is None and event in self._schema.events and self._header.has_event(event):
            plan = self._plans[event, correcting] = self._plan(event, correcting)
        return plan

    def _plan(self, event: str, correcting: bool) -> _Plan:
        schema, header = self._schema, self._header
        shape = schema.events[event]
        slots: dict[str, tuple[int, Check]] = {}
        required: list[tuple[int, str]] = []

        def place(index: int, column: Column, needed: bool, lacking: bool = False) -> None:
            slots[column.name] = (index, _never if lacking else self._check(column))
            if needed and not lacking:
                required.append((index, column.name))

        carried = schema.carries(event)
        for index, life in enumerate(schema.lives):
            if life.name in carried:
                place(_LIVES + index, life, life.name not in shape.outside, header.lacks(life.name))
        place(_SEQ, SEQ, True)
        place(_AT, AT, True, header.lacks("at"))
        place(_ACTOR, actor_column(schema), True)
        if correcting:
            place(_CORRECTS, CORRECTS, True)
            place(_CORRECTED_ACTOR, actor_column(schema, "corrected_actor"), True)
        for index, name in enumerate(shape.parameters):
            place(self._first + index, schema.columns[name], name in shape.columns, header.lacks(name, event))
        at = {name: self._first + index for index, name in enumerate(shape.parameters)}
        wholes = tuple(
            (
                tuple(at[name] for name in whole.columns),
                tuple((at[name], name) for name in whole.needed if not header.lacks(name, event)),
            )
            for whole in shape.wholes
        )
        return _Plan(event, slots, self._first + len(shape.parameters), tuple(required), wholes)

    def _check(self, column: Column) -> Check:
        if column.name not in self._checks:
            self._checks[column.name] = self._checker(column)
        return self._checks[column.name]

    def _refuse_event(self, fields: Mapping[str, object], field: str) -> NoReturn:
        value = fields.get(field)
        help: str | None = None
        if HEADER_KEY in fields:
            help = "one log to a file: split logs that were joined"
            raise RefusedError(Fault("log-syntax", HEADER_KEY, "a second header", "a row", help))
        if value is None:
            raise RefusedError(Fault("log-missing-field", field, "nothing", "a kind of event"))
        if isinstance(value, str) and value in self._schema.events:
            expected = "a kind of event that the header's records name"
            help = f"the header says that {value} is not recorded"
            raise RefusedError(Fault("log-contradiction", field, shown(value), expected, help))
        help = nearest(value, self._schema.events) if isinstance(value, str) else None
        code = "log-unknown-event" if isinstance(value, str) else "log-kind"
        raise RefusedError(
            Fault(code, field, shown(value), "a kind of event that the ruleset declares", help)
        )

    def _unknown(self, name: str, value: object, plan: _Plan) -> Fault:
        help: str | None = None
        if name in ("corrects", "corrected_event", "corrected_actor"):
            wanted = "no such field but in a correction"
        elif name in self._known:
            wanted = f"no such field in {plan.event}"
            help = f"{plan.event} takes {_list(self._takes(plan.event))}"
        else:
            wanted = f"no such field in {plan.event}"
            help = nearest(name, [*plan.slots, "event"]) or "the operator's own columns begin with x_"
        return Fault("log-unknown-field", name, shown(value), wanted, help)

    def _missing(self, name: str, needed: Sequence[str] = ()) -> Fault:
        """`needed`: the columns of which a row that has one has all."""
        column = {"seq": SEQ, "at": AT, "corrects": CORRECTS}.get(name)
        if column is None and name not in ("actor", "corrected_actor"):
            column = self._schema.column(name)
        words = expected(actor_column(self._schema) if column is None else column)
        help = None
        if len(needed) > 1:
            help = f"{_list(tuple(needed))} together say which it is: give all of them, or none"
        elif name not in RESERVED or name == "at":
            help = f"if {name} is never recorded, say so in the header's missing_columns"
        return Fault("log-missing-field", name, "nothing", words, help)

    def _takes(self, event: str) -> tuple[str, ...]:
        return self._schema.events[event].parameters


def _never(value: object) -> object:
    raise MismatchError("log-contradiction", "nothing: the header's missing_columns say it is never recorded")


def _list(names: tuple[str, ...]) -> str:
    return ", ".join(names) if names else "no parameters"
