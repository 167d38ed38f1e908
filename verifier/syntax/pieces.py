"""A rule file as the formatter sees it: tokens with their comments, spaces and costs of a line break."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lark import Token

from verifier.syntax.grammar import tokens

_GLUED_AFTER = frozenset({"LPAR", "LBRACKET", "DOT", "DOTDOT"})
_GLUED_BEFORE = frozenset(
    {"RPAR", "RBRACKET", "COMMA", "COLON", "SEMICOLON", "QUESTION", "DOT", "DOTDOT", "LBRACKET"}
)
_CALLED = frozenset({"NAME", "TYPENAME", "AFTER"})
_VALUES = frozenset(
    {"NAME", "TYPENAME", "INT", "ODDS_LITERAL", "STRING", "YES", "NO", "RPAR", "RBRACKET", "RBRACE"}
)
_OPENING = frozenset({"LPAR", "LBRACKET", "LBRACE"})
_CLOSING = frozenset({"RPAR", "RBRACKET", "RBRACE"})
_VERBATIM = frozenset({"STRING", "LABEL"})

_BREAK_BEFORE = {
    "WHEN": 0, "OTHERWISE": 0, "OR": 1, "THEN": 2, "ELSE": 1, "AT_ONCE": 1, "BEFORE": 1, "BY_END_OF": 1,
    "IMMEDIATELY_AFTER": 1, "UNTIL": 1, "AND": 2, "BAR": 2, "FOR": 2, "FOR_WORDS": 2, "WHERE": 2, "FROM": 2,
    "TO": 2, "DUE": 2, "DISAPPLYING": 2, "AROUND": 2, "BESIDE": 2, "BEGINS": 2, "ENDS": 2,
    "WITHOUT_REPLACEMENT": 2, "AT": 2, "ON": 2, "SINCE": 3,
    "HAS_HAPPENED": 3, "HAS_NOT_HAPPENED": 3, "HAS_BEEN_BROKEN": 3, "THIS": 4, "HAS": 4, "IS_MULTIPLE_OF": 4,
    "COMPARE": 4, "IN": 4, "NOT_IN": 4, "PLUS": 4, "MINUS": 4, "STAR": 5, "SLASH": 5, "MOD": 5, "DIV": 5,
    "EQUALS": 5,
}  # fmt: skip
_BREAK_AFTER = {"SEMICOLON": 1, "COMMA": 2, "EQUALS": 3, "LPAR": 5}
_BINDING = frozenset({"SOME", "EVERY", "NO_SUCH", "FOR_EACH", "FOR_ALL"})
"""What ends in a colon behind which a line may break, as it may not between a name and its type."""

_AFTER_BINDING = 2
_DEEPER = 6
"""What a level of brackets adds to the cost of a break inside it: more than any break costs outside."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A token as it is to be written, with the comments between it and the next token of its statement.

    `spaced`: whether a space stands before it within a line. `cost`: how unwelcome a line break before it is,
    None where there must be none. `comment` stands behind it on its line, `comments` on lines of their own
    below it.
    """

    kind: str
    text: str
    spaced: bool
    cost: int | None
    comment: str | None = None
    comments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Above:
    """What stands on a line of its own above a statement: a comment, or None for a blank line."""

    comment: str | None
    indented: bool


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement, or the first line of a block."""

    above: tuple[Above, ...]
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class BlockText:
    """A block: its first line, then its statements."""

    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class FileText:
    """A file: its blocks, and what stands below the last."""

    blocks: tuple[BlockText, ...]
    below: tuple[Above, ...]


def pieces_of(text: str) -> FileText:
    """The pieces of `text`, which parses and whose lines end in line feeds only."""
    stream = tokens(text)
    words = [token for token in stream if token.type not in {"_NL", "_END"}]
    if not words:
        return FileText((), _above(text.split("\n")))
    ends = _ends(stream)
    above = _above(text[: _start(words[0])].split("\n")[:-1])
    blocks: list[BlockText] = []
    statements: list[Statement] = []
    tokens_here: list[Token] = []
    comments: list[tuple[str | None, tuple[str, ...]]] = []
    for index, token in enumerate(words):
        last = index + 1 == len(words)
        gap = text[token.end_pos or 0 : len(text) if last else _start(words[index + 1])].split("\n")
        lines = _above(gap[1:] if last else gap[1:-1])
        inside = ends[index] is None
        tokens_here.append(token)
        own = tuple(line.comment for line in lines if line.comment is not None) if inside else ()
        comments.append((gap[0].strip() or None, own))
        if inside:
            continue
        statements.append(Statement(above, _pieces(tokens_here, comments)))
        tokens_here, comments, above = [], [], lines
        if ends[index] == "_END":
            blocks.append(BlockText(tuple(statements)))
            statements = []
    return FileText(tuple(blocks), above)


def _start(token: Token) -> int:
    return token.start_pos or 0


def _ends(stream: list[Token]) -> list[str | None]:
    """For each word of the stream, what ends behind it: `_NL` a statement, `_END` a block, None neither."""
    ends: list[str | None] = []
    for token in stream:
        if token.type in {"_NL", "_END"}:
            ends[-1] = token.type
        else:
            ends.append(None)
    return ends


def _above(lines: list[str]) -> tuple[Above, ...]:
    """Lines of comments and blanks, each run of blank lines made one."""
    found: list[Above] = []
    for line in lines:
        comment = line.strip() or None
        if comment is not None or not found or found[-1].comment is not None:
            found.append(Above(comment, line[:1] == " "))
    return tuple(found)


def _pieces(words: list[Token], comments: list[tuple[str | None, tuple[str, ...]]]) -> tuple[Piece, ...]:
    pieces: list[Piece] = []
    opened: list[bool] = []  # whether each open bracket is the brace of a table
    glue = True  # the first word of a statement, and what follows a minus sign that is no subtraction
    binds = False
    before: Token | None = None
    for word, (comment, own) in zip(words, comments, strict=True):
        depth = len(opened) - (word.type in _CLOSING)
        in_table = bool(opened) and opened[-1]
        spaced = not glue and _spaced(before, word, in_table)
        cost = None if before is None or glue else _cost(before, word, in_table, binds)
        pieces.append(
            Piece(
                word.type, _text(word), spaced, None if cost is None else cost + depth * _DEEPER, comment, own
            )
        )
        glue = word.type == "MINUS" and (before is None or before.type not in _VALUES)
        if word.type in _OPENING:
            opened.append(word.type == "LBRACE" and before is not None and before.type == "RPAR")
        elif word.type in _CLOSING:
            opened.pop()
        binds = binds or word.type in _BINDING
        before = word
    return tuple(pieces)


def _text(word: Token) -> str:
    return str(word) if word.type in _VERBATIM else re.sub(" +", " ", word)


def _spaced(before: Token | None, word: Token, in_table: bool) -> bool:
    """Whether a space stands between two words of a line; `in_table` says whether a table's brace is open."""
    if before is None:
        return False
    if word.type == "LPAR":
        return before.type not in _CALLED | _GLUED_AFTER and not (before.type == "LBRACE" and not in_table)
    if word.type == "RBRACE" or before.type == "LBRACE":
        return in_table
    return before.type not in _GLUED_AFTER and word.type not in _GLUED_BEFORE


def _cost(before: Token, word: Token, in_table: bool, binds: bool) -> int | None:
    """How unwelcome a line break is between two words, 0 the most welcome; None where there is none."""
    if (before.type, word.type) == ("RPAR", "LBRACE") or (before.type == "LBRACE" and in_table):
        return 1
    if before.type == "COLON" and binds:
        return _AFTER_BINDING
    if before.type in _BREAK_AFTER:
        return _BREAK_AFTER[before.type]
    return _BREAK_BEFORE.get(word.type)
