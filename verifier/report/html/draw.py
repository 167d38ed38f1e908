"""What a ruleset's views draw, as SVG: shapes that are laid out by their kind, and text that is shown inert.

Sizes are in the SVG's own units, about a pixel each. Colours are classes: the style gives them, light and dark.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from html import escape
from itertools import groupby
from typing import Any

from verifier.errors import escaped
from verifier.run.view import Board, Drawn, Line, Thing, Things

Money = Callable[[Any], str]

GAP = 8.0
LINE = 15.0
CHARACTER = 7.0
SMALL = 6.3
"""Widths of a character of text and of small text, generously."""

LONGEST = 28
"""Characters of a line that is drawn; the whole line stands in the words below the picture."""

TILE = (38.0, 54.0)
CELL = 34.0
PAD = 8.0
KEPT = 64
"""So many parts of scenes are kept as they were painted."""

MOST = 10_000
"""So many things are kept as they were painted."""

NEAR = 480.0
"""A scene no wider than this is made smaller where it would run off a phone, and can still be read; a wider one is
scrolled."""

WIDEST = 640.0
"""A row is broken where it would be wider."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a drawing: its size, and its SVG with the origin at its upper left corner."""

    width: float
    height: float
    svg: str


@dataclass(frozen=True, slots=True)
class Painted:
    """What has been painted before: the same part of a scene, touched alike, is painted once, and put into words once;
    so is a thing that holds no others. `parts` and `things` keep alive those known by their identity."""

    pieces: dict[tuple[int, frozenset[str]], Piece] = field(default_factory=dict)
    parts: dict[int, tuple[Things | Board, frozenset[str]]] = field(default_factory=dict)
    said: dict[int, tuple[str, ...]] = field(default_factory=dict)
    things: dict[int, Thing] = field(default_factory=dict)
    painted: dict[tuple[int, bool], Piece] = field(default_factory=dict)
    called: dict[int, str] = field(default_factory=dict)

    def piece(self, part: Things | Board, touched: frozenset[str], paint: Callable[[], Piece]) -> Piece:
        """What `paint` paints of the part."""
        key = self._part(part), touched & self.parts[id(part)][1]
        if key not in self.pieces:
            self.pieces[key] = paint()
        return self.pieces[key]

    def words(self, part: Things | Board, say: Callable[[], tuple[str, ...]]) -> tuple[str, ...]:
        """What `say` says of the part."""
        key = self._part(part)
        if key not in self.said:
            self.said[key] = say()
        return self.said[key]

    def _part(self, part: Things | Board) -> int:
        if id(part) not in self.parts:
            if len(self.parts) > KEPT:
                self.parts.clear()
                self.pieces.clear()
                self.said.clear()
            self.parts[id(part)] = (part, frozenset(_names(part)))
        return id(part)

    def thing(self, thing: Thing, touched: bool, paint: Callable[[Thing], Piece]) -> Piece:
        """What `paint` paints of a thing that holds no others."""
        key = self._thing(thing), touched
        found = self.painted.get(key)
        if found is None:
            found = self.painted[key] = paint(thing)
        return found

    def call(self, thing: Thing, say: Callable[[Thing], str]) -> str:
        """What `say` says of a thing that holds no others."""
        key = self._thing(thing)
        found = self.called.get(key)
        if found is None:
            found = self.called[key] = say(thing)
        return found

    def _thing(self, thing: Thing) -> int:
        key = id(thing)
        if key not in self.things:
            if len(self.things) >= MOST:
                self.things.clear()
                self.painted.clear()
                self.called.clear()
            self.things[key] = thing
        return key


def drawing(drawn: Drawn, touched: Iterable[str], money: Money, painted: Painted | None = None) -> str:
    """One scene as an SVG element. `touched` are the names of the things that the event speaks of; `painted` holds
    what was painted before with the same `money`."""
    pen = _Pen(frozenset(touched), money, painted or Painted())
    pieces = [_text_line(pen.line(note), "note") for note in drawn.notes]
    pieces += [pen.painted.piece(part, pen.touched, partial(pen.part, part)) for part in drawn.parts]
    whole = _stack(pieces, GAP)
    # Whole pixels: a page takes a fraction more for something behind the edge.
    width, height = math.ceil(max(whole.width, 60.0)) + 2, math.ceil(max(whole.height, 20.0)) + 2
    label = _attribute(f"{drawn.title}: {words(drawn, money, pen.painted)}")
    style = "scene near" if width <= NEAR else "scene"
    return (
        f'<svg class="{style}" role="img" aria-label="{label}" viewBox="-1 -1 {width} {height}" '
        f'width="{width}" height="{height}">{whole.svg}</svg>'
    )


def words(drawn: Drawn, money: Money, painted: Painted | None = None) -> str:
    """A scene in words, for whoever does not see it; `painted` as in `drawing`."""
    pen = _Pen(frozenset(), money, painted or Painted())
    said = [pen.line(note) for note in drawn.notes]
    for part in drawn.parts:
        said += pen.painted.words(part, partial(pen.said, part))
    return ". ".join(s for s in said if s)


@dataclass(frozen=True, slots=True)
class _Pen:
    touched: frozenset[str]
    money: Money
    painted: Painted

    # ------------------------------------------------------------------------------------------------ words
    def line(self, line: Line) -> str:
        return " ".join(w.text if w.amount is None else self.money(w.amount) for w in line)

    def said(self, part: Things | Board) -> tuple[str, ...]:
        """A part in words."""
        match part:
            case Things(title=title, things=things, ring=ring):
                if ring:
                    things = tuple(thing for thing in things if thing.marks)
                inner = "; ".join([self.words(thing) for thing in things])
                return (": ".join(p for p in (title, inner or ("" if ring else "nothing")) if p),)
            case Board(cells=cells, laid=laid):
                marked = [self.words(thing) for _, _, thing in cells if thing.marks]
                return (*marked, *(self.words(thing) for thing, _ in laid))

    def words(self, thing: Thing) -> str:
        return self._words(thing) if thing.holds else self.painted.call(thing, self._words)

    def _words(self, thing: Thing) -> str:
        said = " ".join(self.line(line) for line in thing.lines) or thing.title
        marks = f" ({', '.join(thing.marks)})" if thing.marks else ""
        held = ", ".join(self.words(inner) for inner in thing.holds)
        return f"{said}{marks}" + (f": {held}" if held else "")

    def listed(self, thing: Thing) -> str:
        """A thing as it stands in a list: its lines kept apart, then its marks."""
        said = " · ".join(_cut(self.line(line)) for line in thing.lines) or _cut(thing.title)
        return said + "".join(f" [{mark}]" for mark in thing.marks)

    # ------------------------------------------------------------------------------------------------ parts
    def part(self, part: Things | Board) -> Piece:
        match part:
            case Things(ring=True, things=things):
                return self._ring(things)
            case Things(title=title, things=things, more=more):
                pieces = [_text_line(title, "title")] if title else []
                inner = self.flow(things)
                pieces.append(inner if things else _text_line("nothing", "dim"))
                if more:
                    pieces.append(_text_line(f"and {more:,} more", "dim"))
                return _stack(pieces, 4)
            case Board():
                return self._board(part)

    def flow(self, things: Sequence[Thing], widest: float = WIDEST) -> Piece:
        """Things side by side, those of one shape together, in lines no wider than may be."""
        pieces: list[Piece] = []
        for shape, run in groupby(things, key=lambda thing: thing.shape):
            made = [self.thing(thing) for thing in run]
            pieces.append(_rows(made, widest) if shape in ("tile", "cell", "frame") else _stack(made, 3))
        return _stack(pieces, 6)

    def thing(self, thing: Thing) -> Piece:
        if thing.holds:
            return self._thing(thing)
        return self.painted.thing(thing, thing.name in self.touched, self._thing)

    def _thing(self, thing: Thing) -> Piece:
        match thing.shape:
            case "tile":
                return self._tile(thing)
            case "disc":
                return self._disc(thing)
            case "cell":
                return self._cell(thing)
            case "frame":
                return self._frame(thing)
            case _:
                return self._line(thing)

    def _class(self, thing: Thing, *more: str) -> str:
        names = [thing.shape, *more]
        if thing.colour is not None:
            names.append(f"c-{thing.colour}")
        if thing.faded:
            names.append("faded")
        if thing.name in self.touched:
            names.append("touched")
        return " ".join(names)

    def _tile(self, thing: Thing) -> Piece:
        width, height = TILE
        lines = [_cut(self.line(line)) for line in thing.lines] or [_cut(thing.title)]
        width = max(width, max(len(line) for line in lines) * 11.0 + 8)
        step = (height - 10) / max(len(lines), 2)
        texts = "".join(
            _text(width / 2, 8 + step * (i + 0.7), line, "big mid") for i, line in enumerate(lines)
        )
        svg = f'<rect width="{_n(width)}" height="{_n(height)}" rx="5"/>{texts}'
        return self._marked(Piece(width, height, _group(self._class(thing), svg)), thing)

    def _cell(self, thing: Thing) -> Piece:
        text = _cut(" ".join(self.line(line) for line in thing.lines) or thing.title, 6)
        svg = f'<rect width="{_n(CELL)}" height="{_n(CELL)}"/>' + _text(CELL / 2, CELL / 2 + 5, text, "mid")
        return self._marked(Piece(CELL, CELL, _group(self._class(thing), svg)), thing)

    def _disc(self, thing: Thing) -> Piece:
        text = self.listed(thing)
        height = 20.0
        svg = '<circle cx="10" cy="10" r="8"/><circle class="inner" cx="10" cy="10" r="4.5"/>' + _text(
            24, 14, text, "small"
        )
        return Piece(28 + _width(text, "small"), height, _group(self._class(thing), svg))

    def _line(self, thing: Thing) -> Piece:
        text = " ".join(self.line(line) for line in thing.lines) or thing.title
        piece = _text_line(text, "plain")
        return self._marked(Piece(piece.width, piece.height, _group(self._class(thing), piece.svg)), thing)

    def _frame(self, thing: Thing) -> Piece:
        head = [self.line(line) for line in thing.lines] or [thing.title]
        pieces = [_text_line(head[0], "title"), *(_text_line(line, "small") for line in head[1:])]
        if thing.marks:
            pieces.append(_rows([_pill(mark) for mark in thing.marks], WIDEST))
        if thing.holds:
            pieces.append(self.flow(thing.holds, WIDEST - 2 * PAD))
        inner = _stack(pieces, 4)
        width, height = inner.width + 2 * PAD, inner.height + 2 * PAD
        svg = f'<rect width="{_n(width)}" height="{_n(height)}" rx="7"/>{_moved(inner, PAD, PAD)}'
        return Piece(width, height, _group(self._class(thing), svg))

    def _marked(self, piece: Piece, thing: Thing) -> Piece:
        if not thing.marks:
            return piece
        pills = _stack([_pill(mark) for mark in thing.marks], 2)
        return _stack([piece, pills], 2)

    # ------------------------------------------------------------------------------------- rings and boards
    def _ring(self, things: Sequence[Thing]) -> Piece:
        if not things:
            return _text_line("nothing", "dim")
        count = len(things)
        inner = max(58.0, count * 3.2)
        outer = inner + 34
        middle = outer + 2
        made: list[str] = []
        for number, thing in enumerate(things):
            turn = 360.0 * number / count
            half = math.pi / count
            text = _cut(" ".join(self.line(line) for line in thing.lines) or thing.title, 5)
            x1, y1 = outer * math.sin(half), -outer * math.cos(half)
            x2, y2 = inner * math.sin(half), -inner * math.cos(half)
            path = (
                f'<path d="M{_n(-x1)} {_n(y1)}A{_n(outer)} {_n(outer)} 0 0 1 {_n(x1)} {_n(y1)}'
                f'L{_n(x2)} {_n(y2)}A{_n(inner)} {_n(inner)} 0 0 0 {_n(-x2)} {_n(y2)}Z"/>'
            )
            dot = f'<circle class="dot" cx="0" cy="{_n(-inner + 9)}" r="6"/>' if thing.marks else ""
            made.append(
                f'<g class="{self._class(thing)}" transform="translate({_n(middle)} {_n(middle)}) '
                f'rotate({_n(turn)})">{path}{_text(0, -inner - 14, text, "mid small")}{dot}</g>'
            )
        marked = [thing for thing in things if thing.marks]
        centre = "".join(
            _text(
                middle,
                middle + 5 + 16 * i,
                f"{', '.join(thing.marks)}: {self.line(thing.lines[0])}",
                "mid title",
            )
            for i, thing in enumerate(marked)
        )
        return Piece(2 * middle, 2 * middle, "".join(made) + centre)

    def _board(self, board: Board) -> Piece:
        if not board.cells:
            return _text_line("nothing", "dim")
        left, top = min(c[0] for c in board.cells), min(c[1] for c in board.cells)
        across, down = max(c[0] for c in board.cells) - left + 1, max(c[1] for c in board.cells) - top + 1
        svg: list[str] = []
        for x, y, thing in board.cells:
            plain = Thing(thing.name, thing.title, "cell", thing.lines, thing.colour, (), thing.faded)
            svg.append(_moved(self._cell(plain), (x - left) * CELL, (y - top) * CELL))
            if thing.marks:
                ring = f'<rect class="marked" x="3" y="3" width="{_n(CELL - 6)}" height="{_n(CELL - 6)}"/>'
                svg.append(_moved(Piece(CELL, CELL, ring), (x - left) * CELL, (y - top) * CELL))
        places: dict[tuple[float, float], int] = {}
        legend: list[Piece] = []
        for number, (thing, cells) in enumerate(board.laid, 1):
            text = f"{number}: {self.listed(thing)}"
            legend.append(_text_line(text, "small" + (" faded" if thing.faded else "")))
            if not cells:
                continue
            at = (
                sum(c[0] - left + 0.5 for c in cells) / len(cells) * CELL,
                sum(c[1] - top + 0.5 for c in cells) / len(cells) * CELL,
            )
            nth = places[at] = places.get(at, 0) + 1
            svg.append(
                f'<g class="{self._class(thing, "laid")}" transform="translate({_n(at[0] + 5 * (nth - 1))} '
                f'{_n(at[1] - 5 * (nth - 1))})"><circle r="9"/>{_text(0, 4, str(number), "mid small")}</g>'
            )
        marks = [
            _pill(f"{', '.join(thing.marks)}: {self.line(thing.lines[0])}")
            for _, _, thing in board.cells
            if thing.marks
        ]
        field = Piece(across * CELL, down * CELL, "".join(svg))
        rows = [field, *([_rows(marks, WIDEST)] if marks else []), *legend]
        if board.more:
            rows.append(_text_line(f"and {board.more:,} more", "dim"))
        return _stack(rows, 5)


def _names(part: Things | Board) -> Iterator[str]:
    """The names of the things in a part, with those that they hold."""
    match part:
        case Things(things=things):
            rest = list(things)
        case Board(cells=cells, laid=laid):
            rest = [*(cell[2] for cell in cells), *(one[0] for one in laid)]
    while rest:
        thing = rest.pop()
        yield thing.name
        rest += thing.holds


# -------------------------------------------------------------------------------------------------- pieces
@lru_cache(maxsize=4096)
def _n(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")


def _cut(text: str, most: int = LONGEST) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _attribute(text: str) -> str:
    return escape(escaped(_cut(text, 1200)), quote=True)


def _text(x: float, y: float, text: str, style: str) -> str:
    return f'<text class="{style}" x="{_n(x)}" y="{_n(y)}">{escape(escaped(text))}</text>'


def _width(text: str, style: str = "") -> float:
    return len(text) * (CHARACTER if "small" not in style else SMALL)


def _text_line(text: str, style: str) -> Piece:
    shown = _cut(text, 90)
    return Piece(_width(shown, style), LINE, _text(0, 12, shown, style))


def _pill(text: str) -> Piece:
    shown = _cut(text)
    width = _width(shown, "small") + 12
    words = _text(width / 2, 12.5, shown, "mid small")
    return Piece(width, 17, f'<g class="pill"><rect width="{_n(width)}" height="17" rx="8.5"/>{words}</g>')


def _group(style: str, svg: str) -> str:
    return f'<g class="{style}">{svg}</g>'


def _moved(piece: Piece, x: float, y: float) -> str:
    return piece.svg if not x and not y else f'<g transform="translate({_n(x)} {_n(y)})">{piece.svg}</g>'


def _stack(pieces: Sequence[Piece], gap: float) -> Piece:
    svg: list[str] = []
    y = 0.0
    for piece in pieces:
        svg.append(f'<g transform="translate(0 {_n(y)})">{piece.svg}</g>' if y else piece.svg)
        y += piece.height + gap
    return Piece(max((b.width for b in pieces), default=0.0), max(0.0, y - gap), "".join(svg))


def _rows(pieces: Sequence[Piece], widest: float) -> Piece:
    rows: list[list[Piece]] = [[]]
    room = widest
    for piece in pieces:
        if rows[-1] and piece.width > room:
            rows.append([])
            room = widest
        rows[-1].append(piece)
        room -= piece.width + 5
    made: list[Piece] = []
    for row in rows:
        svg: list[str] = []
        x = 0.0
        for piece in row:
            svg.append(_moved(piece, x, 0))
            x += piece.width + 5
        made.append(Piece(max(0.0, x - 5), max((b.height for b in row), default=0.0), "".join(svg)))
    return _stack(made, 5)
