"""One way to write a rule file: the formatter.

Two spaces indent a statement, four the lines that continue one; lines are at most `WIDTH` wide where a break
can make them so, and breaks come before `when`, `or`, `and` and after commas, outside of brackets first.
Comments stay where they are, runs of blank lines become one, nothing is aligned.
"""

from __future__ import annotations

from verifier.errors import InternalError, Problem
from verifier.syntax.layout import WITH_STATEMENTS
from verifier.syntax.parse import parse_module
from verifier.syntax.pieces import Above, BlockText, FileText, Piece, pieces_of
from verifier.syntax.places import unplaced

WIDTH = 118
"""Columns of a line, comments behind it not counted."""

INDENT = 2
FURTHER = 4

LEAST = 24
"""Columns that a line should fill before it is broken anywhere but at the most welcome places."""


def format_text(text: str, path: str) -> str:
    """The canonical text of a rule file: same tree, same comments, formatting it again changes nothing.

    Line ends become line feeds. Raises `RuleTextError` for a text that does not parse; `path` is only what
    the error calls it.
    """
    before = parse_module(text, path)
    formatted = _write(pieces_of(text.replace("\r\n", "\n")))
    after = parse_module(formatted, path)
    if unplaced(before.blocks) != unplaced(after.blocks):
        raise InternalError(
            Problem(
                "formatting would change what the file says; nothing was written",
                path,
                help="this is a fault of the formatter: report it with the file",
                code="formatter-changed-meaning",
            )
        )
    return formatted


def _write(file: FileText) -> str:
    """The text of a file."""
    lines: list[str] = []
    above = file.blocks[0].statements[0].above if file.blocks else file.below
    parted_before = False
    for index, block in enumerate(file.blocks):
        last = index + 1 == len(file.blocks)
        below, next_above = _parted(file.below if last else file.blocks[index + 1].statements[0].above)
        own = [*_block(block), *(_comment(line, INDENT) for line in below)]
        parted = block.statements[0].pieces[0].kind == "RULE" or len(own) > 1
        if (parted or parted_before) and not (above and above[0].comment is None):
            lines.append("")
        lines += [_comment(line, 0) for line in above] + own
        above, parted_before = next_above, parted
    lines += [_comment(line, 0) for line in above]
    text = "\n".join(lines).strip("\n")
    return text + "\n" if text else ""


def _parted(lines: tuple[Above, ...]) -> tuple[tuple[Above, ...], tuple[Above, ...]]:
    """The lines between two blocks: the indented comments, which belong to the upper one, then the rest."""
    inside = 0
    for index, line in enumerate(lines):
        if line.comment is not None:
            if not line.indented:
                break
            inside = index + 1
    return lines[:inside], lines[inside:]


def _comment(line: Above, indent: int) -> str:
    return "" if line.comment is None else " " * indent + line.comment


def _block(block: BlockText) -> list[str]:
    """The lines of a block, without what stands above its first line."""
    first, *rest = block.statements
    indent = FURTHER if first.pieces[0].kind not in WITH_STATEMENTS else None
    head, inline = _split_head(first.pieces, alone=not rest)
    lines = _statement(head, 0, indent)
    if inline:
        lines += _statement(inline, INDENT, FURTHER)
    for statement in rest:
        lines += [_comment(line, INDENT) for line in statement.above]
        lines += _statement(statement.pieces, INDENT, FURTHER)
    return lines


def _split_head(pieces: tuple[Piece, ...], alone: bool) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """The first line of a block, and the statement on it if that has to go to a line of its own.

    A rule's only statement may stand behind the quote, if there is room; the line cannot be continued, since
    the next line would be a statement.
    """
    if pieces[0].kind != "RULE":
        return pieces, ()
    quote = next(index for index, piece in enumerate(pieces) if piece.kind == "STRING")
    if alone and len(_joined(pieces)) <= WIDTH:
        return pieces, ()
    return pieces[: quote + 1], pieces[quote + 1 :]


def _statement(pieces: tuple[Piece, ...], indent: int, further: int | None) -> list[str]:
    """The lines of a statement; `further` indents the lines that continue it, None if it must be one line."""
    lines: list[str] = []
    start = 0
    for index, piece in enumerate(pieces):
        if index + 1 < len(pieces) and piece.comment is None and not piece.comments:
            continue
        lines += _filled(pieces[start : index + 1], indent, further)
        start = index + 1
        indent = indent if further is None else further
        if piece.comment is not None:
            lines[-1] += "  " + piece.comment
        lines += [" " * indent + comment for comment in piece.comments]
    return lines


def _filled(pieces: tuple[Piece, ...], indent: int, further: int | None) -> list[str]:
    """Pieces in lines of at most `WIDTH` columns, as far as breaks allow."""
    lines: list[str] = []
    while True:
        cut = None if further is None else _cut(pieces, WIDTH - indent)
        lines.append(" " * indent + _joined(pieces[:cut]))
        if cut is None or further is None:
            return lines
        pieces, indent = pieces[cut:], further


def _cut(pieces: tuple[Piece, ...], room: int) -> int | None:
    """The index of the piece before which to break a line of `room` columns; None to leave it whole."""
    ends = _ends(pieces)
    if ends[-1] <= room:
        return None
    breaks = [(index, piece.cost) for index, piece in enumerate(pieces) if index and piece.cost is not None]
    fitting = [(index, cost) for index, cost in breaks if ends[index - 1] <= room]
    if not fitting:
        return breaks[0][0] if breaks else None
    best = min(cost for _, cost in fitting)
    if best > 0:
        filled = [(index, cost) for index, cost in fitting if ends[index - 1] >= LEAST]
        fitting = filled or fitting
        best = min(cost for _, cost in fitting)
    return max(index for index, cost in fitting if cost == best)


def _ends(pieces: tuple[Piece, ...]) -> list[int]:
    """The column after each piece when they stand in one line from column 0."""
    ends: list[int] = []
    for index, piece in enumerate(pieces):
        start = ends[-1] + piece.spaced if index else 0
        ends.append(start + len(piece.text))
    return ends


def _joined(pieces: tuple[Piece, ...]) -> str:
    """The pieces as one line."""
    return "".join((" " if index and piece.spaced else "") + piece.text for index, piece in enumerate(pieces))
