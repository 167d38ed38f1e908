"""What all the builders of syntax trees share: places, strings, and the words that no name may take."""

from __future__ import annotations

import re
from typing import Any

from lark import Token
from lark.tree import Meta

from verifier.syntax.places import refuse
from verifier.syntax.tree import At

Children = list[Any]
"""What Lark hands to a builder: tokens, parts already built, and None for what was left out."""

CARRIERS = frozenset(
    {"NAME", "TYPENAME", "INT", "STRING", "ADDRESS", "LABEL", "MODULE", "DATE", "ODDS_LITERAL", "COMPARE"}
)
"""The terminals whose text is part of the tree; the others only say which construct it is."""

RESERVED = frozenset(
    {
        "after",
        "all",
        "any",
        "every",
        "greatest",
        "if",
        "least",
        "no",
        "none",
        "not",
        "rule",
        "some",
        "sum",
        "table",
        "yes",
    }
)
"""Words with a meaning of their own at the start of a value: a name so called could never be read again."""


def place(meta: Meta) -> At:
    """The place of a construct."""
    if meta.empty:
        return At(1, 1, 1, 1)
    return At(meta.line, meta.column, meta.end_line, meta.end_column)


def token_place(token: Token) -> At:
    """The place of a token."""
    return At(token.line or 1, token.column or 1, token.end_line or 1, token.end_column or 1)


def span(first: At, last: At) -> At:
    """From the start of one place to the end of another."""
    return At(first.line, first.column, last.end_line, last.end_column)


def string(token: Token) -> str:
    """The words between the quotes of a STRING, escapes undone."""
    return re.sub(r'\\(["\\])', r"\1", token[1:-1])


def parts(children: Children) -> Children:
    """The children that say something, None where an optional part was left out."""
    return [c for c in children if not isinstance(c, Token) or c.type in CARRIERS]


def present(children: Children) -> Children:
    """The children that say something, without those left out."""
    return [c for c in parts(children) if c is not None]


def names(children: Children) -> tuple[str, ...]:
    """The texts of the tokens among the children that carry one."""
    return tuple(str(child) for child in present(children))


def check_name(name: str, at: At) -> None:
    """Raises `RuleTextError` for a name that could not be read in a value."""
    if name in RESERVED:
        end = At(at.line, at.column, at.line, at.column + len(name))
        raise refuse(
            end,
            f"`{name}` is a word of the language and cannot be a name here",
            "reserved-word",
            f"choose another name, such as `{name}_`",
        )


def declared(name: Token) -> str:
    """A name that is being introduced, checked by `check_name`."""
    check_name(str(name), token_place(name))
    return str(name)


def all_declared(children: Children) -> tuple[str, ...]:
    """The names that are being introduced, in order; see `declared`."""
    return tuple(declared(child) for child in present(children))
