"""How a casino's own table becomes a log: its names for the columns, and whether its rows have to be sorted first."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from verifier.errors import Problem, RequestError
from verifier.log.aside import Aside
from verifier.log.faults import Fault, RefusedError, nearest, shown
from verifier.log.limits import LIMITS, Limits
from verifier.log.schema import EXTRA_PREFIX, RESERVED, LogSchema
from verifier.log.streams import decode_utf8, read_all
from verifier.log.values import is_unicode


@dataclass(frozen=True, slots=True)
class Arrange:
    """`names` are the log's columns by the casino's names for them; `ignored` are columns of its own that are not read.

    `sort`: rows may come in any order, and are put in the order of record before that is checked. `aside` has what is
    set down of logs for that, or because they cannot be read twice (None: each log has its own); `reading` is told how
    many rows of which log have been read for it.
    """

    names: Mapping[str, str] = field(default_factory=dict)
    ignored: frozenset[str] = frozenset()
    sort: bool = False
    reading: Callable[[str, int], None] | None = field(default=None, compare=False)
    aside: Aside | None = field(default=None, compare=False)

    def columns(self, theirs: Sequence[str]) -> list[str]:
        """The log's names for a table's columns, those ignored among them under their own."""
        return [self.names.get(name, name) for name in theirs]

    def fields(self, fields: Mapping[str, object]) -> Mapping[str, object]:
        """A row under the log's names. Raises `RefusedError` where one column would come twice."""
        if not self.names and not self.ignored:
            return fields
        found: dict[str, object] = {}
        for name, value in fields.items():
            if name in self.ignored:
                continue
            ours = self.names.get(name, name)
            if ours in found:
                help = "the map of columns gives two of the row's fields one name"
                raise RefusedError(Fault("log-duplicate-key", name, f"{ours} twice", "each field once", help))
            found[ours] = value
        return found

    def faults(self, faults: Iterable[Fault]) -> list[Fault]:
        """Faults under the casino's own names, which are those that the file has."""
        theirs = {ours: name for name, ours in self.names.items()}
        return [
            dataclasses.replace(fault, field=theirs[fault.field]) if fault.field in theirs else fault
            for fault in faults
        ]


PLAIN = Arrange()
"""The log's own names, in the order of record."""


def read_columns(path: Path, schema: LogSchema, sort: bool = False, limits: Limits = LIMITS) -> Arrange:
    """A map of columns: YAML with `columns` (the log's name: the casino's) and perhaps `ignore` (a list of names).

    Raises `RequestError` with what is wrong with it.
    """
    from verifier.log.yamltext import parse_yaml

    try:
        with path.open("rb") as stream:
            text = decode_utf8(
                str(path), read_all(str(path), stream, limits.manifest, "a map"), 1, first=True
            )
        fields = parse_yaml(text, limits)
    except OSError as error:
        raise _wrong(
            path, f"the map of columns cannot be read: {(error.strerror or str(error)).lower()}"
        ) from None
    except RefusedError as refused:
        raise _wrong(path, refused.faults[0].message, refused.faults[0].line) from None
    if not isinstance(fields, dict) or not set(fields) <= {"columns", "ignore"} or not fields:
        raise _wrong(path, "a map of columns has the keys columns and ignore")
    columns, ignore = fields.get("columns", {}), fields.get("ignore", [])
    if not isinstance(columns, dict) or not all(isinstance(name, str) and name for name in columns.values()):
        raise _wrong(path, "columns is a mapping from the log's name of a column to the casino's, both text")
    for name in (*columns.values(), *(ignore if isinstance(ignore, list) else ())):
        if isinstance(name, str) and not is_unicode(name):
            raise _wrong(path, f"{shown(name)} is no name: half a pair of surrogates is no letter")
    if not isinstance(ignore, list) or not all(isinstance(name, str) and name for name in ignore):
        raise _wrong(path, "ignore is a list of the casino's names")
    known = [*(life.name for life in schema.lives), *RESERVED, *schema.columns]
    names: dict[str, str] = {}
    for ours, theirs in columns.items():
        if ours not in known and not (
            ours.startswith(EXTRA_PREFIX) and ours.isascii() and ours.isidentifier()
        ):
            raise _wrong(path, f"columns: {ours} is no column of the log", help=nearest(ours, known))
        if theirs in names:
            raise _wrong(path, f"columns: {theirs} is {names[theirs]} already, and cannot be {ours} too")
        names[theirs] = ours
    for name in ignore:
        if name in names or (name in known and name not in columns):
            raise _wrong(path, f"ignore: {name} is {names.get(name, name)}, a column of the log")
    return Arrange(names, frozenset(ignore), sort)


def _wrong(path: Path, message: str, line: int | None = None, help: str | None = None) -> RequestError:
    return RequestError(
        Problem(
            message,
            str(path),
            line,
            help=help or "see the log format, Names of one's own",
            code="columns",
        )
    )
