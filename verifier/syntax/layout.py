"""Layout: line ends become `_NL` between the statements of a block and `_END` after the block.

A block starts in column 1. Where the block takes statements (a rule, an entity, …) its first indented line
fixes their indentation, and a line indented deeper continues the statement before it. Elsewhere every
indented line continues the block's one statement.

On the way each token is vetted for what the grammar cannot say: words that run into each other (`or` is
found in `orb` where no name may stand), words that never are names (`a = and`), numbers and brackets without
bound.
"""

from __future__ import annotations

from collections.abc import Iterator

from lark import Token
from lark.lark import PostLex

from verifier.syntax.tree import At

WITH_STATEMENTS = frozenset(
    {"RULE", "ENTITY", "STATE", "EVENT", "ON", "SUPPLIED", "THEOREM", "INVARIANT", "REACHABLE", "VIEW"}
)
"""The first terminals of the blocks that take statements."""

MAX_BRACKETS = 50
"""Brackets open at one place."""

MAX_DIGITS = 18
"""Digits in a row in a number or a clause number: what fits into 64 bits."""

NAMES = "names are small letters, digits and `_`, a letter first"

_OPENING = frozenset({"LPAR", "LBRACKET", "LBRACE"})
_CLOSING = frozenset({"RPAR", "RBRACKET", "RBRACE"})
_NEVER_NAMES = frozenset(
    {"and", "else", "fewer", "in", "more", "not", "or", "otherwise", "then", "when", "where"}
)
_NUMBERS = frozenset({"INT", "ODDS_LITERAL", "ADDRESS"})


class LayoutError(Exception):
    """A line is wrongly indented, or a token is out of bounds. `offset` counts characters from 0."""

    def __init__(self, offset: int, at: At, message: str, code: str, help: str) -> None:
        super().__init__(message)
        self.offset = offset
        self.at = at
        self.message = message
        self.code = code
        self.help = help


class Layout(PostLex):
    """Lark's post-lexer hook; see the module's docstring for the rule. Holds no state between texts."""

    always_accept = ("_NEWLINE",)

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        step: int | None = None
        block: str | None = None
        last: Token | None = None
        depth = 0
        for token in stream:
            if token.type != "_NEWLINE":
                if block is None:
                    if token.column != 1:
                        raise _indented(token.start_pos or 0, token.line or 1, (token.column or 1) - 1, 0)
                    block = token.type
                depth += (token.type in _OPENING) - (token.type in _CLOSING)
                _vet(token, last, depth)
                last = token
                yield Token.new_borrow_pos(token.upper(), token, token) if _is_no_name(token) else token
                continue
            indent = len(str(token).rsplit("\n", 1)[1].split("#")[0])
            offset, line = token.end_pos or 0, token.end_line or 1
            if indent == 0:
                if last is not None and block is not None:
                    yield _mark("_END", last)
                block, step, depth = None, None, 0
            elif block is None:
                raise _indented(offset, line, indent, 0)
            elif block not in WITH_STATEMENTS:
                continue
            elif step is None or indent == step:
                step, depth = indent, 0
                if last is not None:
                    yield _mark("_NL", last)
            elif indent < step:
                raise _indented(offset, line, indent, step)


def _is_no_name(token: Token) -> bool:
    """Whether the lexer took for a name, where only a name may stand, a word that never is one.

    `more` and `fewer` are among them so that `or more` cannot turn into `or` and a name at the end of a line.
    """
    return token.type == "NAME" and token in _NEVER_NAMES


def _mark(kind: str, last: Token) -> Token:
    """An empty token at the end of `last`, so that an error there points behind what was written."""
    return Token(
        kind, "", last.end_pos, last.end_line, last.end_column, last.end_line, last.end_column, last.end_pos
    )


def _at(token: Token) -> At:
    return At(token.line or 1, token.column or 1, token.end_line or 1, token.end_column or 1)


def _indented(offset: int, line: int, indent: int, step: int) -> LayoutError:
    at = At(line, indent + 1, line, indent + 2)
    if step == 0:
        return LayoutError(
            offset,
            at,
            "this line is indented, and there is nothing above it that it could belong to",
            "layout",
            "begin it in column 1",
        )
    return LayoutError(
        offset,
        at,
        f"this line begins in column {indent + 1}, the statements above it in column {step + 1}",
        "layout",
        "begin all statements of a block in the same column, and lines that continue one further right",
    )


def _vet(token: Token, last: Token | None, depth: int) -> None:
    offset = token.start_pos or 0
    if depth > MAX_BRACKETS:
        raise LayoutError(
            offset,
            _at(token),
            f"more than {MAX_BRACKETS} brackets are open here",
            "nesting",
            "give parts of the expression names of their own with `define`",
        )
    if token.type in _NUMBERS and _longest_number(token) > MAX_DIGITS:
        raise LayoutError(
            offset,
            _at(token),
            f"this number has more than {MAX_DIGITS} digits",
            "number-too-long",
            f"write a number of at most {MAX_DIGITS} digits",
        )
    if last is None or last.end_pos != token.start_pos:
        return
    if {last.type, token.type} >= {"STRING"} and (_wordy(last[-1:]) or _wordy(token[:1])):
        raise LayoutError(
            offset,
            _at(token),
            f"`{token}` runs into the quoted words",
            "quotation-mark",
            'put a space between; a quotation mark inside quoted words is written `\\"`',
        )
    if _wordy(last[-1:]) and _wordy(token[:1]):
        at = At(last.line or 1, last.column or 1, token.end_line or 1, token.end_column or 1)
        raise LayoutError(
            last.start_pos or 0,
            at,
            f"`{last}{token}` is neither a name nor a word of the language",
            "syntax",
            f"{NAMES}; two words have a space between: `{last} {token}`",
        )


def _wordy(character: str) -> bool:
    return character.isalnum() or character == "_"


def _longest_number(token: Token) -> int:
    return max(len(run) for run in "".join(c if c.isdigit() else " " for c in token).split(" "))
