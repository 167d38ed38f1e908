"""Text of a rule module to its syntax tree."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from verifier.errors import Problem, RuleTextError
from verifier.syntax.kept import RULES
from verifier.syntax.places import problem_at
from verifier.syntax.tree import Module

__all__ = ["MAX_BYTES", "parse_module", "problem_at", "read_module"]

MAX_BYTES = 1024 * 1024
"""A rule module of more bytes of UTF-8 is refused."""

KEPT = 32
"""Modules whose trees are kept for the next time the same text is read under the same name: rulesets share them."""


@lru_cache(maxsize=KEPT)
def parse_module(text: str, path: str) -> Module:
    """Parse a rule module; `path` is only what errors call it.

    Raises `RuleTextError` with place, excerpt, clause, what was expected and what may have been meant.
    """
    if len(text) > MAX_BYTES or len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise RuleTextError(_too_large(path))
    if (before := RULES.get(text.encode("utf-8", "surrogatepass"))) is not None:
        return Module(path, text, before)
    # Lark is imported only where something is parsed.
    from verifier.syntax.reading import blocks_of

    return Module(path, text, blocks_of(text, path))


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
    RULES.put(data, module.blocks)
    return module


def _too_large(path: str) -> Problem:
    return Problem(
        f"the file is larger than {MAX_BYTES} bytes",
        path,
        code="file-too-large",
        help="split it into modules and join them with `use`",
    )
