"""The grammar of the rule language, loaded once, and how far a text can be read by it."""

from __future__ import annotations

import re
from functools import lru_cache

from lark import Lark, Token
from lark.exceptions import UnexpectedCharacters, UnexpectedToken

from verifier.resources import root, tables
from verifier.syntax.layout import Layout, LayoutError


@lru_cache(maxsize=1)
def grammar() -> str:
    """The text of grammar/rules.lark."""
    return (root("grammar") / "rules.lark").read_text(encoding="utf-8")


def load(strict: bool = False, cache: str | None = None) -> Lark:
    """An LALR parser of the grammar; `strict` refuses shift/reduce conflicts and colliding terminals.

    Where a file `cache` is named its tables are kept there, with a digest of what they were made of.
    """
    return Lark(
        grammar(),
        parser="lalr",
        postlex=Layout(),
        propagate_positions=True,
        maybe_placeholders=True,
        strict=strict,
        cache=cache or False,
    )


@lru_cache(maxsize=1)
def parser() -> Lark:
    """The parser every reader of rule text shares."""
    return load(cache=tables(grammar()))


def ready(text: str) -> str:
    """`text` as the parser wants it: blank lines at the end dropped, the last line ended."""
    return text.rstrip(" \r\n") + "\n"


def tokens(text: str) -> list[Token]:
    """The tokens of a text that parses, with `_NL` between the statements and `_END` after each block.

    Comments and blanks are not among them: they are what stands between one token's `end_pos` and the next
    one's `start_pos` (`_NL` and `_END` are empty and stand at the end of the token before them).
    """
    return list(parser().parse_interactive(ready(text)).iter_parse())


def fault_at(text: str) -> int | None:
    """The offset of the first syntax error in `text`, or None where there is none."""
    try:
        parser().parse(ready(text))
    except UnexpectedToken as error:
        return error.token.start_pos or 0
    except UnexpectedCharacters as error:
        return error.pos_in_stream or 0
    except LayoutError as error:
        return error.offset
    return None


@lru_cache(maxsize=1)
def keywords() -> dict[str, str]:
    """Terminal to its words, for the terminals that are words of the language: `AT_ONCE` to `at once`."""
    found: dict[str, str] = {}
    for terminal in parser().terminals:
        words = terminal.pattern.value.replace("[ ]+", " ").removesuffix(r"\b")
        if re.fullmatch(r"[a-z]+( [a-z]+)*", words):
            found[terminal.name] = words
    return found
