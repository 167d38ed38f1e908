"""The body of a .law file to clauses, by grammar/law.lark. It imports Lark: import it only where used."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, NoReturn

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken
from lark.indenter import Indenter

from verifier.errors import InternalError, LawError, Problem
from verifier.law.outline import Body, Clause, ClauseKind
from verifier.resources import root, tables

STEP = 2
MAX_DEPTH = 8
"""Levels of indentation at most; the six instruments need three."""

TERMINAL_NAMES: Mapping[str, str] = {
    "NOTICE_MARK": "a line of the notice (`> …`)",
    "SECTION_MARK": "a section or an appendix (`# 5.0 Heading`)",
    "SIDE_HEADING_MARK": "a side heading (`## Heading`)",
    "HEAD_MARK": "the head of a table (`|| Kind | Rate`)",
    "ROW_MARK": "a row or a further cell (`| …`)",
    "SECTION_NUMBER": "a section's number (`5.0`)",
    "RULE_NUMBER": "a rule (`5.1 …`)",
    "REGULATION_NUMBER": "a regulation (`7.—`)",
    "CAPTION_NUMBER": "a numbered caption (`1. …`)",
    "APPENDIX_NUMBER": "`Appendix` and its number",
    "ITEM_LABEL": "an item (`(a) …`, `(i) …`, `(1) …`)",
    "DEFINED_TERM": "a definition (`“Term” means …`)",
    "RUN_IN_HEADING": "a run-in heading (`*Equipment.*`)",
    "CELL": "the words of a cell",
    "WORDS": "words",
    "PARAGRAPH": "a line of words",
    "_NEWLINE": "the end of the line",
    "_INDENT": "a deeper line",
    "_DEDENT": "a less deep line",
    "SPACES": "spaces",
    "$END": "the end of the file",
}

_UNSEEN = frozenset({"_NEWLINE", "_INDENT", "_DEDENT", "$END"})


class _LawIndenter(Indenter):
    NL_type: ClassVar[str] = "_NEWLINE"
    OPEN_PAREN_types: ClassVar[list[str]] = []
    CLOSE_PAREN_types: ClassVar[list[str]] = []
    INDENT_type: ClassVar[str] = "_INDENT"
    DEDENT_type: ClassVar[str] = "_DEDENT"
    tab_len: ClassVar[int] = 1


def build_parser(grammar: str, strict: bool = False, cache: str | None = None) -> Lark:
    """An LALR parser of `grammar`; `strict` refuses shift/reduce conflicts and colliding terminals. `cache` names the
    file that keeps its tables."""
    return Lark(
        grammar,
        parser="lalr",
        lexer="contextual",
        postlex=_LawIndenter(),
        propagate_positions=True,
        maybe_placeholders=False,
        strict=strict,
        cache=cache or False,
    )


@functools.cache
def _parser() -> Lark:
    grammar = (root("grammar") / "law.lark").read_text(encoding="utf-8")
    return build_parser(grammar, cache=tables(grammar))


@dataclass(frozen=True, slots=True)
class _Place:
    """The file a body was taken from: its name, all its lines, and how many stand before the body."""

    file: str
    lines: tuple[str, ...]
    before: int

    def refuse(
        self, line: int, column: int | None, message: str, advice: str, code: str, width: int = 1
    ) -> NoReturn:
        """Raises `LawError`; `line` counts from 1 in the body."""
        number = min(self.before + line, len(self.lines))
        raise LawError(
            Problem(
                message,
                file=self.file,
                line=number,
                column=column,
                excerpt=self.lines[number - 1] if self.lines else "",
                help=advice,
                code=code,
                width=width,
            )
        )


@dataclass(slots=True)
class _Text:
    """The words of a clause while its parts are being read."""

    own: str
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    tail_line: int | None = None


def parse_body(text: str, file: str, lines: tuple[str, ...], before: int) -> Body:
    """The body `text`, which follows the first `before` of the file's `lines`.

    Raises `LawError` with file, line, caret and what was expected; also for two clauses with one address, a
    rule outside its section, and words that stand between the items of a list.
    """
    place = _Place(file, lines, before)
    _check_indentation(text, place)
    try:
        tree = _parser().parse(text)
    except UnexpectedInput as error:
        _refuse_syntax(error, place)
    reader = _Reader(place)
    notice: list[str] = []
    contents: list[tuple[str, ...]] = []
    for part in _trees(tree):
        match part.data:
            case "front":
                for line in _trees(part):
                    if line.data == "notice":
                        notice.append(_token(line, "WORDS").rstrip())
                    else:
                        contents.append(_cells(line))
            case _:
                reader.clause(part, None)
    return Body(tuple(notice), tuple(contents), reader.tops())


class _Reader:
    """Builds clauses from parse trees and keeps them by address."""

    def __init__(self, place: _Place) -> None:
        self._place = place
        self._tops: list[Clause] = []
        self._lines: dict[str, int] = {}

    def tops(self) -> tuple[Clause, ...]:
        """The topmost clauses, in document order."""
        return tuple(self._tops)

    def clause(self, tree: Tree[Token], parent: str | None) -> Clause:
        """The clause of `tree` and all below it; a clause without parent is kept as a topmost one."""
        built = self._build(tree, parent)
        if parent is None:
            self._tops.append(built)
        return built

    def _build(self, tree: Tree[Token], parent: str | None) -> Clause:
        above = parent or ""
        words = _words(tree)
        match tree.data:
            case "section":
                label = _token(tree, "SECTION_NUMBER")
                return self._finish(tree, "section", label, label.removesuffix(".0"), parent, words, "")
            case "appendix":
                label = _token(tree, "APPENDIX_NUMBER")
                return self._finish(tree, "appendix", label, str(label), parent, words, "")
            case "regulation":
                label = _token(tree, "REGULATION_NUMBER")
                heading = next(
                    (_words(child) for child in _trees(tree) if child.data == "side_heading"), None
                )
                return self._finish(tree, "section", label, label.removesuffix(".—"), parent, heading, words)
            case "rule":
                label = _token(tree, "RULE_NUMBER")
                if parent is not None and label.split(".")[0] != parent:
                    self._place.refuse(
                        label.line or 1,
                        label.column,
                        f"rule {label} stands in section {parent}",
                        f"put it in section {label.split('.')[0]}, or mend its number",
                        "rule-outside-section",
                        len(label),
                    )
                return self._finish(tree, "rule", label, str(label), parent, None, words)
            case "item":
                label = _token(tree, "ITEM_LABEL")
                heading = next(
                    (_token(child, "RUN_IN_HEADING").strip("*") for child in _trees(tree, "run_in_heading")),
                    None,
                )
                return self._finish(tree, "item", label, above + label, parent, heading, words)
            case "caption":
                label = _token(tree, "CAPTION_NUMBER")
                return self._finish(tree, "item", label, f"{above}({label[:-1]})", parent, None, words)
            case "definition":
                label = _token(tree, "DEFINED_TERM")
                term = label.strip("“”")
                return self._finish(tree, "definition", label, f"{above}.0 {term}", parent, term, words)
            case "row":
                label = next(token for token in _tokens(tree) if token.type == "CELL")
                name = label.strip().removesuffix(":")
                cells = _cells(tree)
                text = " ".join(cells)
                return self._finish(tree, "row", label, f"{above} [{name}]", parent, None, text, cells)
            case other:
                raise InternalError(
                    Problem(f"the law grammar's rule {other} has no reading", code="unread-rule")
                )

    def _finish(
        self,
        tree: Tree[Token],
        kind: ClauseKind,
        label: Token,
        address: str,
        parent: str | None,
        heading: str | None,
        own: str,
        cells: tuple[str, ...] = (),
    ) -> Clause:
        line = label.line or 1
        first = self._lines.setdefault(address, line)
        if first != line:
            self._place.refuse(
                line,
                label.column,
                f"{address} is there twice",
                f"it stands on line {self._place.before + first} already",
                "clause-twice",
                len(label),
            )
        text = _Text(own)
        children = tuple(self._children(tree, address, text))
        leading = text.before if children or not own else []
        trailing = text.after if children else ([] if not own else text.before)
        return Clause(
            address=address,
            kind=kind,
            label=str(label).strip(),
            heading=heading,
            intro=" ".join([own, *leading]).strip(),
            tail=" ".join(trailing),
            children=children,
            parent=parent,
            line=self._place.before + line,
            tail_line=None if text.tail_line is None or not trailing else self._place.before + text.tail_line,
            cells=cells,
        )

    def _children(self, tree: Tree[Token], address: str, text: _Text) -> Iterator[Clause]:
        seen = False
        for part in _parts(tree):
            if part.data == "paragraph":
                token = _token(part, "PARAGRAPH")
                (text.after if seen else text.before).append(token.rstrip())
                text.tail_line = text.tail_line or token.line
            elif part.data == "table_head":
                text.before.extend(_cells(part))
            else:
                if text.after:
                    self._place.refuse(
                        text.tail_line or 1,
                        None,
                        f"words between the items of {address}",
                        "indent them under the item they belong to, or put them before or after the list",
                        "words-within-list",
                    )
                if not seen:
                    text.tail_line = None
                seen = True
                yield self.clause(part, address)


def _parts(tree: Tree[Token]) -> Iterator[Tree[Token]]:
    """The clauses and paragraphs directly inside a clause's tree."""
    for child in _trees(tree):
        match child.data:
            case "inside":
                yield from _trees(child)
            case "side_heading" | "run_in_heading":
                pass
            case _:
                yield child


def _trees(tree: Tree[Token], name: str | None = None) -> list[Tree[Token]]:
    return [child for child in tree.children if isinstance(child, Tree) and name in (None, child.data)]


def _tokens(tree: Tree[Token]) -> list[Token]:
    return [child for child in tree.children if isinstance(child, Token)]


def _token(tree: Tree[Token], kind: str) -> Token:
    return next(token for token in _tokens(tree) if token.type == kind)


def _words(tree: Tree[Token]) -> str:
    return next((str(token).rstrip() for token in _tokens(tree) if token.type == "WORDS"), "")


def _cells(tree: Tree[Token]) -> tuple[str, ...]:
    return tuple(token.strip() for token in _tokens(tree) if token.type == "CELL")


def _check_indentation(text: str, place: _Place) -> None:
    deepest = 0
    for number, line in enumerate(text.split("\n"), 1):
        if not line:
            continue
        depth, odd = divmod(len(line) - len(line.lstrip(" ")), STEP)
        if odd or depth > deepest or depth > MAX_DEPTH:
            place.refuse(
                number,
                1,
                f"the line is indented by {depth * STEP + odd} spaces",
                f"{STEP} spaces a level, one level more than the line above at most, {MAX_DEPTH} in all",
                "bad-indentation",
                depth * STEP + odd,
            )
        if line.endswith(" "):
            place.refuse(
                number,
                len(line.rstrip()) + 1,
                "spaces at the end of the line",
                "take them out",
                "trailing-spaces",
            )
        deepest = depth + 1


def _refuse_syntax(error: UnexpectedInput, place: _Place) -> NoReturn:
    line = error.line if error.line and error.line > 0 else len(place.lines) - place.before
    column = error.column if error.column and error.column > 0 else 1
    expected: set[str] = set()
    got, width = "this", 1
    match error:
        case UnexpectedToken(token=token) if token.type == "_INDENT":
            following = range(line + 1, len(place.lines) - place.before + 1)
            line = next(number for number in following if place.lines[place.before + number - 1])
            advice = "nothing stands under the line above it: indent it less"
            place.refuse(line, 1, "the line is indented too deep", advice, "bad-indentation")
        case UnexpectedToken(token=token):
            expected = set(error.expected)
            got = _found(token)
            width = 1 if token.type in _UNSEEN else len(token)
        case UnexpectedCharacters():
            expected = set(error.allowed or ())
    names = sorted(TERMINAL_NAMES[name] for name in expected - {"SPACES"} - _UNSEEN or expected)
    place.refuse(line, column, f"{got} cannot stand here", f"expected {_or(names)}", "law-syntax", width)


def _found(token: Token) -> str:
    # out of place, every line of words fits several terminals, and which one Lark names is chance
    return "this" if token.type in {"CELL", "WORDS", "PARAGRAPH"} else TERMINAL_NAMES[token.type]


def _or(names: list[str]) -> str:
    names = names or ["nothing more"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
