"""The text of a rule file by offsets: where a construct stands, and what is written between two of them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from verifier.model.ruleset import Place
from verifier.syntax.tree import At

_COMMENT = re.compile(r"#[^\n]*")
_STRING = re.compile(r'"(\\["\\]|[^"\\\n])*"')


@dataclass(slots=True)
class Text:
    """A rule file; `bare` is its text with comments and what stands in quotes blanked out, at the same offsets."""

    path: str
    text: str
    bare: str = field(init=False)
    _lines: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self._lines = [0, *(match.end() for match in re.finditer("\n", self.text))]
        without = _STRING.sub(lambda m: " " * len(m.group()), self.text)
        self.bare = _COMMENT.sub(lambda m: " " * len(m.group()), without)

    def start(self, at: At) -> int:
        """The offset of a construct's first character."""
        return self._lines[at.line - 1] + at.column - 1

    def end(self, at: At) -> int:
        """The offset after its last character."""
        return self._lines[at.end_line - 1] + at.end_column - 1

    def place(self, start: int, end: int) -> Place:
        """A stretch of the text as a place."""
        (line, column), (end_line, end_column) = self._where(start), self._where(end)
        return Place(self.path, line, column, end_line, end_column)

    def _where(self, offset: int) -> tuple[int, int]:
        line = self.text.count("\n", 0, offset)
        return line + 1, offset - self._lines[line] + 1

    def find(self, pattern: str, start: int, end: int) -> tuple[int, int]:
        """Where a token stands between two offsets, outside of comments and quotes."""
        match = re.compile(pattern).search(self.bare, start, end)
        assert match is not None, f"no {pattern} in {self.text[start:end]!r}"
        return match.span()

    def find_last(self, pattern: str, start: int, end: int) -> tuple[int, int]:
        """The last such place."""
        *_, last = re.compile(pattern).finditer(self.bare, start, end)
        return last.span()

    def closed(self, start: int, opened_from: int, end: int) -> int:
        """`end` moved behind the brackets that are opened between `opened_from` and `start` and not closed there."""
        for _ in range(self.bare.count("(", opened_from, start) - self.bare.count(")", opened_from, start)):
            end = self.bare.index(")", end) + 1
        return end

    def opened(self, end: int, closed_to: int, start: int) -> int:
        """`start` moved before the brackets that are closed between `end` and `closed_to` and not opened there."""
        for _ in range(self.bare.count(")", end, closed_to) - self.bare.count("(", end, closed_to)):
            start = self.bare.rindex("(", 0, start)
        return start
