"""Lines of text: wrapped to a width, indented, coloured only where asked, everything foreign escaped."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from dataclasses import dataclass, field

from verifier.errors import escaped

STYLES = {"bad": "1;31", "doubt": "33", "good": "32", "head": "1", "quote": "36", "dim": "2"}

LEAST_WIDTH = 40


@dataclass(slots=True)
class Page:
    """Lines being written. `width` is the terminal's; words longer than a line stand as they are.

    `told` are the clauses whose words the page has given in full.
    """

    width: int = 100
    colour: bool = False
    lines: list[str] = field(default_factory=list)
    told: set[str] = field(default_factory=set)

    def line(self, text: str = "", indent: int = 0, style: str | None = None, hang: int = 0) -> None:
        """A paragraph, wrapped; lines after the first stand `hang` further in. Controls are escaped."""
        wrapped = textwrap.wrap(
            escaped(text),
            max(self.width, LEAST_WIDTH),
            initial_indent=" " * indent,
            subsequent_indent=" " * (indent + hang),
            break_long_words=False,
            break_on_hyphens=False,
        )
        self.lines += [self._painted(line, style) for line in wrapped] or [""]

    def pair(self, name: str, values: Iterable[str], column: int = 14, indent: int = 0) -> None:
        """A name and what belongs to it, in two columns; nothing where there are no values."""
        for index, value in enumerate(values):
            if index == 0 and len(name) > column:
                self.lines.append(f"{' ' * indent}{name}")
            head = (name if index == 0 and len(name) <= column else "").ljust(column)
            wrapped = textwrap.wrap(
                escaped(value),
                max(self.width - column - indent, LEAST_WIDTH),
                break_long_words=False,
                break_on_hyphens=False,
                subsequent_indent="  ",
            ) or [""]
            self.lines.append(f"{' ' * indent}{head}{wrapped[0]}".rstrip())
            self.lines += [" " * (indent + column) + line for line in wrapped[1:]]

    def raw(self, text: str, indent: int = 0) -> None:
        """One line as it stands, never wrapped; controls are escaped."""
        self.lines.append((" " * indent + escaped(text.expandtabs(4))).rstrip())

    def heading(self, text: str) -> None:
        """A blank line and a title."""
        self.lines += ["", self._painted(escaped(text), "head")]

    def text(self) -> str:
        """All lines, with a newline at the end."""
        return "\n".join(self.lines) + "\n"

    def _painted(self, line: str, style: str | None) -> str:
        if not self.colour or style is None or not line.strip():
            return line
        body = line.lstrip(" ")
        return f"{line[: len(line) - len(body)]}\x1b[{STYLES[style]}m{body}\x1b[0m"


def count(number: int, one: str, many: str | None = None) -> str:
    """`1 file`, `2 files`, `12,000 events`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def listed(words: Iterable[str]) -> str:
    """`a, b and c`."""
    items = list(words)
    return items[0] if len(items) == 1 else ", ".join(items[:-1]) + f" and {items[-1]}" if items else ""
