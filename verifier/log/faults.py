"""One fault of a log: what field, what was found, what was expected; and its place in the file."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable
from dataclasses import dataclass

from verifier.errors import LogError, Problem, escaped

FOUND_WIDTH = 80
"""Characters of a found value that are shown."""


@dataclass(frozen=True, slots=True)
class Inexact:
    """A number that a file writes in a form no column takes: `10.5`, `1e3`, `NaN`, `-0`, `007`."""

    text: str


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault before its place is known.

    `field` is None where the line as a whole is at fault; `found` is shown as it stands (use `shown`).
    `at` is a character offset in the line, from 0, where it is known.
    """

    code: str
    field: str | None
    found: str
    expected: str
    help: str | None = None
    at: int | None = None
    line: int | None = None

    @property
    def message(self) -> str:
        """`field fare: found 10.5, expected a whole number …`, escaped."""
        head = "" if self.field is None else f"field {cut(self.field)}: "
        return f"{head}found {self.found}, expected {self.expected}"


class RefusedError(Exception):
    """One or more faults of a row, a header or a line, on the way to become a `LogError`."""

    def __init__(self, *faults: Fault) -> None:
        super().__init__(*faults)
        self.faults = faults


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a fault stands: its line's text, the column (from 1), the width; the line if not the row's."""

    excerpt: str | None = None
    column: int | None = None
    width: int = 1
    line: int | None = None


def log_error(file: str, line: int | None, faults: Iterable[Fault], marks: Iterable[Mark] = ()) -> LogError:
    """The `LogError` for `faults` of one place; `marks`, where given, go with them one by one."""
    listed = list(faults)
    marked = list(marks) or [Mark() for _ in listed]
    return LogError(
        *(
            Problem(
                fault.message,
                file,
                next((number for number in (mark.line, fault.line) if number is not None), line),
                mark.column,
                mark.excerpt,
                fault.help,
                None,
                code=fault.code,
                width=mark.width,
            )
            for fault, mark in zip(listed, marked, strict=True)
        )
    )


def cut(text: str) -> str:
    """`text`, escaped, cut at `FOUND_WIDTH` characters."""
    if len(text) <= FOUND_WIDTH:
        return escaped(text)
    return escaped(text[: FOUND_WIDTH - 1]) + "…"


def shown(value: object) -> str:
    """A found value as the file writes it, roughly: text in quotes and escaped, cut at `FOUND_WIDTH`."""
    match value:
        case None:
            return "nothing"
        case True:
            return "true"
        case False:
            return "false"
        case Inexact(text):
            return cut(text)
        case int():
            return cut(str(value)) if abs(value) < 10**100 else "a number of over 100 digits"
        case str():
            return f'"{cut(value).replace(chr(34), chr(92) + chr(34))}"'
        case bytes():
            return "bytes " + cut(value[:FOUND_WIDTH].hex(" "))
        case list():
            return f"a list of {len(value)}"
        case dict():
            return "a mapping with " + (cut(", ".join(map(str, value))) if value else "nothing in it")
        case _:
            return cut(f"a value of type {type(value).__name__}")


def nearest(name: str, names: Iterable[str], few: int = 12) -> str | None:
    """Help that names the nearest known name, or all of them if they are at most `few`."""
    known = list(names)
    close = difflib.get_close_matches(name[:FOUND_WIDTH], known, 1)
    if close:
        return f"did you mean {close[0]}?"
    if 0 < len(known) <= few:
        return f"known: {', '.join(known)}"
    return None


def quoted(text: str) -> str:
    """`text` as a JSON string, plain ASCII."""
    return json.dumps(text)
