"""Places in a rule file: lines, the clause a line belongs to, problems with excerpt, trees without places."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

from verifier.errors import Problem, RuleTextError
from verifier.syntax.tree import At

NOWHERE = At(0, 0, 0, 0)

_CLAUSE = re.compile(r"rule +((?:\d+(?:\.\d+)*)?(?:\([a-z0-9]+\))*)")


def lines_of(text: str) -> list[str]:
    """The lines of `text` as the parser counts them: only line feeds end a line."""
    return [line.removesuffix("\r") for line in text.split("\n")]


def begins_block(line: str) -> bool:
    """Whether a block starts on this line: its first column holds neither a blank nor a comment."""
    return line[:1] not in {"", " ", "\t", "\r", "#"}


def clause_at(lines: list[str], line: int) -> str | None:
    """The address of the rule in whose block line number `line` (from 1) stands; None outside of rules."""
    for above in reversed(lines[: max(line, 0)]):
        if begins_block(above):
            found = _CLAUSE.match(above)
            return found.group(1) or None if found else None
    return None


def problem_at(
    module_text: str,
    path: str,
    at: At,
    message: str,
    code: str,
    help: str | None = None,
    clause: str | None = None,
) -> Problem:
    """A problem placed at `at` of a module, with the line it stands on as excerpt.

    Where no `clause` is given it is that of the rule round the place, if there is one.
    """
    lines = lines_of(module_text)
    excerpt = lines[at.line - 1] if 0 < at.line <= len(lines) else ""
    width = at.end_column - at.column if at.end_line == at.line else len(excerpt) - at.column + 1
    return Problem(
        message,
        path,
        at.line,
        at.column,
        excerpt,
        help,
        clause or clause_at(lines, at.line),
        code=code,
        width=max(1, width),
    )


def refuse(at: At, message: str, code: str, help: str) -> RuleTextError:
    """An error at a place whose file, excerpt and clause `parse_module` fills in."""
    return RuleTextError(
        Problem(
            message,
            None,
            at.line,
            at.column,
            None,
            help,
            code=code,
            width=max(1, at.end_column - at.column) if at.line == at.end_line else 10**6,
        )
    )


T = TypeVar("T")


def unplaced(node: T) -> T:
    """`node`, a part of a syntax tree, with every place in it replaced by `NOWHERE`.

    Two texts mean the same to every later stage when their trees are equal so.
    """
    bare: T = _unplaced(node)
    return bare


def _unplaced(node: Any) -> Any:
    if isinstance(node, At):
        return NOWHERE
    if isinstance(node, tuple):
        return tuple(_unplaced(part) for part in node)
    if is_dataclass(node) and not isinstance(node, type):
        return type(node)(*(_unplaced(getattr(node, f.name)) for f in fields(node)))
    return node
