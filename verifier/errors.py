"""What can go wrong, and how it is shown: one `Problem` per fault, an error family per cause.

Four families are kept apart. The rule text or the law text is wrong (`RuleTextError`, `LawError`), the log
is malformed (`LogError`), the request makes no sense (`RequestError`), our own code is wrong
(`InternalError`). A rule that was broken is a result and never an exception.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field

EXCERPT_WIDTH = 160
"""Columns of an excerpt that `render` shows at most; a longer line is cut round the caret."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault, with its place and the next step.

    `line` and `column` count from 1. `column` is a position in `excerpt`, which is the faulty line as it
    stands in the file (unescaped); `width` is how many characters the caret underlines. `clause` is the
    address of the law's clause at issue. `code` is a short stable kebab-case id of the kind of fault.
    """

    message: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    excerpt: str | None = None
    help: str | None = None
    clause: str | None = None
    code: str = field(kw_only=True)
    width: int = field(default=1, kw_only=True)


class VerifierError(Exception):
    """Base of every error this package raises on purpose; carries one or more problems.

    `str()` is the plain rendering of all of them, so that a bare traceback is readable as well.
    """

    def __init__(self, *problems: Problem) -> None:
        if not problems:
            raise ValueError("a VerifierError needs at least one Problem")
        super().__init__(*problems)
        self.problems: tuple[Problem, ...] = problems

    @property
    def problem(self) -> Problem:
        """The first problem."""
        return self.problems[0]

    def __str__(self) -> str:
        return "\n\n".join(render(problem) for problem in self.problems)


class RuleTextError(VerifierError):
    """A rule file is wrong: syntax, names, types, quotes, exceptions."""


class LawError(VerifierError):
    """A law file is wrong, is not to be found, or has no such clause."""


class LogError(VerifierError):
    """A log, manifest or transcript is malformed."""


class RequestError(VerifierError):
    """The request is at fault: an unknown ruleset, a file that is not there, an option out of range."""


class InternalError(VerifierError):
    """Our own code is wrong, or its parts disagree; never the user's fault."""


def escaped(text: str) -> str:
    """`text` with every character that is no plain visible one written as an escape.

    Control, format (bidirectional overrides among them), surrogate, private and unassigned characters and
    line separators become `\\n`, `\\t`, `\\x1b`, `\\u202e` and so on: what a file says can neither move the
    cursor nor pose as our own output.
    """
    if text.isprintable():  # none of those is
        return text
    return "".join(_escaped_character(character) for character in text)


def _escaped_character(character: str) -> str:
    if " " <= character <= "~":
        return character
    if unicodedata.category(character)[0] == "C" or unicodedata.category(character) in {"Zl", "Zp"}:
        return character.encode("unicode_escape", "surrogatepass").decode("ascii")
    return character


def render(problem: Problem, colour: bool = False) -> str:
    """`problem` as text: message, place, excerpt with caret, clause, help. No newline at the end.

    ```
    error: rule 5.1 has no subparagraph (h) [unknown-clause]
      --> nz/blackjack-1998.rules:41:6
       |
    41 | rule 5.1(h) "win if"
       |      ^^^^^^
       = clause: 5.1
       = help: 5.1 has (a) to (g)
    ```
    """
    paint = _paint if colour else _plain
    lines = [f"{paint('error', '1;31')}: {paint(escaped(problem.message), '1')} [{problem.code}]"]
    number = "" if problem.line is None else str(problem.line)
    margin = " " * len(number)
    if problem.file is not None:
        place = ":".join([escaped(problem.file)] + [str(n) for n in _place(problem.line, problem.column)])
        lines.append(f"{margin}{paint('-->', '1;34')} {place}")
    bar = paint("|", "1;34")
    if problem.excerpt is not None:
        shown, before = _window(problem.excerpt, problem.column)
        lines.append(f"{margin} {bar}")
        lines.append(f"{paint(number, '1;34')} {bar} {shown}".rstrip())
        if problem.column is not None:
            lines.append(f"{margin} {bar} {' ' * before}{paint(_caret(problem, shown, before), '1;31')}")
    for name, value in (("clause", problem.clause), ("help", problem.help)):
        if value is not None:
            first, *rest = value.splitlines() or [""]
            lines.append(f"{margin} {paint('=', '1;34')} {paint(name, '1')}: {escaped(first)}")
            lines.extend(f"{margin}   {escaped(line)}" for line in rest)
    return "\n".join(lines)


def _plain(text: str, style: str) -> str:
    return text


def _paint(text: str, style: str) -> str:
    return f"\x1b[{style}m{text}\x1b[0m" if text else text


def _place(line: int | None, column: int | None) -> list[int]:
    if line is None:
        return []
    return [line] if column is None else [line, column]


def _window(excerpt: str, column: int | None) -> tuple[str, int]:
    """The part of the excerpt to show, escaped, and how many columns of it stand before the caret."""
    at = 0 if column is None else min(max(column - 1, 0), len(excerpt))
    start = 0 if at < EXCERPT_WIDTH * 3 // 4 else at - EXCERPT_WIDTH // 2
    end = start + EXCERPT_WIDTH
    head = ("…" if start else "") + escaped(excerpt[start:at])
    tail = escaped(excerpt[at:end]) + ("…" if end < len(excerpt) else "")
    return head + tail, _columns(head)


def _caret(problem: Problem, shown: str, before: int) -> str:
    column = 1 if problem.column is None else problem.column
    excerpt = problem.excerpt or ""
    marked = escaped(excerpt[max(column - 1, 0) : max(column - 1, 0) + max(problem.width, 1)])
    room = max(_columns(shown) - before, 1)
    return "^" * min(max(_columns(marked), 1), room)


def _columns(text: str) -> int:
    """Terminal columns of `text`: East Asian wide characters take two, combining marks none."""
    wide = sum(unicodedata.east_asian_width(character) in {"W", "F"} for character in text)
    return len(text) + wide - sum(unicodedata.combining(character) != 0 for character in text)
