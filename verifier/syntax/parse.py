"""Text of a rule module to its syntax tree."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from lark import Token, Tree
from lark.exceptions import UnexpectedInput, VisitError

from verifier.errors import Problem, RuleTextError
from verifier.syntax.faults import forbidden, layout_problem, syntax_problem
from verifier.syntax.grammar import parser, ready
from verifier.syntax.kept import keep, kept
from verifier.syntax.layout import LayoutError
from verifier.syntax.nodes import place
from verifier.syntax.places import problem_at
from verifier.syntax.statements import Build
from verifier.syntax.tree import At, Block, Module

__all__ = ["MAX_BYTES", "MAX_DEPTH", "parse_module", "problem_at", "read_module"]

MAX_BYTES = 1024 * 1024
"""A rule module of more bytes of UTF-8 is refused."""

MAX_DEPTH = 150
"""Constructs inside each other, a chain of `and` counting one each; deeper text is refused, so that what
walks the tree by recursion is safe."""

KEPT = 32
"""Modules whose trees are kept for the next time the same text is read under the same name: rulesets share them."""


@lru_cache(maxsize=KEPT)
def parse_module(text: str, path: str) -> Module:
    """Parse a rule module; `path` is only what errors call it.

    Raises `RuleTextError` with place, excerpt, clause, what was expected and what may have been meant.
    """
    if len(text) > MAX_BYTES or len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise RuleTextError(_too_large(path))
    if (before := kept(text)) is not None:
        return Module(path, text, before)
    hidden = forbidden(text, path)
    if hidden is not None:
        raise RuleTextError(hidden)
    try:
        tree = parser().parse(ready(text))
    except LayoutError as error:
        raise RuleTextError(layout_problem(text, path, error)) from None
    except UnexpectedInput as error:
        raise RuleTextError(syntax_problem(text, path, error)) from None
    deep = _too_deep(tree)
    if deep is not None:
        raise RuleTextError(
            problem_at(
                text,
                path,
                deep,
                f"more than {MAX_DEPTH} constructs stand inside each other here",
                "nesting",
                "give parts of the expression names of their own with `define`",
            )
        )
    try:
        blocks: tuple[Block, ...] = Build().transform(tree)
    except VisitError as error:
        if isinstance(error.orig_exc, RuleTextError):
            raise RuleTextError(*(_placed(text, path, p) for p in error.orig_exc.problems)) from None
        raise error.orig_exc from None
    return Module(path, text, blocks)


def read_module(path: Path, shown_as: str | None = None) -> Module:
    """Read and parse a .rules file: UTF-8 without byte order mark, of at most `MAX_BYTES`.

    Raises `RuleTextError` for a file that cannot be read or parsed; it is called `shown_as`, or its path.
    """
    name = shown_as or str(path)
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise RuleTextError(
            Problem(
                f"cannot read the file: {error.strerror}",
                name,
                code="unreadable",
                help="check the path and its permissions",
            )
        ) from None
    if len(data) > MAX_BYTES:
        raise RuleTextError(_too_large(name))
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise RuleTextError(
            Problem(
                f"byte {data[error.start]:#04x} is not UTF-8",
                name,
                line,
                code="encoding",
                help="save the file as UTF-8",
            )
        ) from None
    if text.startswith("\ufeff"):
        raise RuleTextError(
            Problem(
                "the file begins with a byte order mark",
                name,
                1,
                1,
                code="encoding",
                help="save it as UTF-8 without a byte order mark",
            )
        )
    module = parse_module(text, name)
    keep(text, module.blocks)
    return module


def _too_large(path: str) -> Problem:
    return Problem(
        f"the file is larger than {MAX_BYTES} bytes",
        path,
        code="file-too-large",
        help="split it into modules and join them with `use`",
    )


def _placed(text: str, path: str, problem: Problem) -> Problem:
    """A builder's problem with file, excerpt and clause."""
    line, column = problem.line or 1, problem.column or 1
    at = At(line, column, line, column + problem.width)
    found = problem_at(text, path, at, problem.message, problem.code, problem.help)
    room = len(found.excerpt or "") - column + 1
    return replace(found, width=max(1, min(problem.width, room)))


def _too_deep(tree: Tree[Token]) -> At | None:
    """The place of a construct nested deeper than `MAX_DEPTH`, found without recursion."""
    pending = [(tree, 0)]
    while pending:
        node, depth = pending.pop()
        if depth > MAX_DEPTH:
            found = place(node.meta)
            return At(found.line, found.column, found.line, found.column + 1)
        pending.extend((child, depth + 1) for child in node.children if isinstance(child, Tree))
    return None
