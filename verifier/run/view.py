"""A state as its ruleset says that it is drawn: things with words, colours and marks, and where they lie.

What nobody can tell (a card not recorded, an option not stated) is shown as `?`; a mark or a colour of which nobody
can tell whether it applies does not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from verifier.model import types as ty
from verifier.model.terms import Term
from verifier.model.types import Type
from verifier.model.values import show
from verifier.model.views import Grid, Lay, Many, Ring, Row, Scene, View, Words, type_name
from verifier.run.bench import Happening
from verifier.run.facts import Reading, Scope, Truth
from verifier.run.judge import Judge
from verifier.run.looks import Looks
from verifier.run.state import State
from verifier.run.undefined import Undefined

MOST = 500
"""So many things one list draws; how many more there are is said."""

UNKNOWN = "?"


@dataclass(frozen=True, slots=True)
class Word:
    """A value shown; `amount` is set where it is money, in minor units, and `text` then its digits."""

    text: str
    amount: Any = None


Line = tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class Thing:
    """A value drawn. `name` is the value as a log writes it, with its type: the same thing has the same name."""

    name: str
    title: str
    shape: str
    lines: tuple[Line, ...] = ()
    colour: str | None = None
    marks: tuple[str, ...] = ()
    faded: bool = False
    holds: tuple[Thing, ...] = ()


@dataclass(frozen=True, slots=True)
class Things:
    """Things side by side, or around a ring; `more` were left out."""

    title: str | None
    things: tuple[Thing, ...]
    more: int = 0
    ring: bool = False


@dataclass(frozen=True, slots=True)
class Board:
    """Cells by place (across, down), and what lies on them: each with the places of its cells."""

    cells: tuple[tuple[int, int, Thing], ...]
    laid: tuple[tuple[Thing, tuple[tuple[int, int], ...]], ...] = ()
    more: int = 0


@dataclass(frozen=True, slots=True)
class Drawn:
    """One scene of a state: its notes, then what lies where."""

    title: str
    notes: tuple[Line, ...]
    parts: tuple[Things | Board, ...]


@dataclass(slots=True)
class Viewer:
    """Draws the states of a judge by the views of its ruleset. `life` is the log's kind where it is not the first."""

    judge: Judge
    reading: Reading
    life: str | None = None
    _more: int = field(default=0)
    _looks: Looks = field(init=False)

    def __post_init__(self) -> None:
        self._looks = Looks.of(self.judge.machine)

    @property
    def scenes(self) -> tuple[Scene, ...]:
        """The scenes of this kind of log."""
        ruleset = self.reading.ruleset
        lives = ruleset.lives
        return tuple(s for s in ruleset.scenes if (s.life if lives[s.life].beside else None) == self.life)

    def draw(self, state: State) -> tuple[Drawn, ...]:
        """A state of the judge; its machine reads the state that the judge is in again afterwards."""
        self.judge.machine.enter(state)
        drawn = tuple(self._scene(scene) for scene in self.scenes)
        self.judge.machine.enter(self.judge.state)
        return drawn

    def touched(self, happening: Happening) -> tuple[str, ...]:
        """The names of the things that an event speaks of."""
        params = self.reading.ruleset.events[happening.event].params
        return tuple(
            f"{kind} {show(param.type, value)}"
            for param, value in zip(params, happening.values, strict=True)
            if (kind := type_name(param.type)) is not None and value is not None
        )

    def _scene(self, scene: Scene) -> Drawn:
        notes: list[Line] = []
        parts: list[Things | Board] = []
        for part in scene.parts:
            match part:
                case Words():
                    notes += self._words((part,), {})
                case Row() | Ring():
                    parts.append(self._looks.part((part,), partial(self._row, part)))
                case Grid():
                    upon = lays_on(scene, part)
                    parts.append(self._looks.part((part, *upon), partial(self._laid, part, upon)))
                case Lay():
                    pass  # drawn with the grid before it
        return Drawn(scene.title, tuple(notes), tuple(parts))

    def _row(self, part: Row | Ring) -> Things:
        things = self._things(part.many, {})
        match part:
            case Row(title=title):
                return Things(title, things, self._more)
            case Ring():
                return Things(None, things, self._more, ring=True)

    # ---------------------------------------------------------------------------------------------- things
    def _elements(self, many: Many, scope: Scope) -> list[Any]:
        self._more = 0
        found: list[Any] = []
        elements = self._looks.fixed(many.domain, scope, lambda: self.reading.elements(many.domain, scope))
        for element in elements:
            if many.where is None or self._truth(many.where, self._inside(many, scope, element)) != "no":
                found.append(element)
        self._more = max(0, len(found) - MOST)
        return found[:MOST]

    def _inside(self, many: Many, scope: Scope, element: Any) -> Scope:
        return {**scope, many.var: (many.element, element)}

    def _things(self, many: Many, scope: Scope) -> tuple[Thing, ...]:
        elements = self._elements(many, scope)
        more = self._more
        things = tuple(self._all(many.element, elements))
        self._more = more
        return things

    def _all(self, type_: Type, values: list[Any]) -> Iterator[Thing]:
        """The things that the values are. Of ids that look alike in what moves only the first is looked at."""
        face = self._looks.face(type_)
        fields = self.judge.machine.state.fields
        apart = None if face.told is None else [fields[name] for name in face.told]
        known, moving = face.known, face.moving
        seen, like = False, None
        for value in values:
            thing: Thing | None = None
            if apart is not None and type(value) is str and value not in apart:
                thing = known.get(value)
                if thing is None or not seen or moving(thing) != like:
                    thing = self._thing(type_, value)
                    seen, like = True, moving(thing)
            yield thing or self._thing(type_, value)

    def _thing(self, type_: Type, value: Any) -> Thing:
        face = self._looks.face(type_)
        view = face.view
        if view is None or value is None:
            title = show(face.bare, value)
            return Thing(f"{face.kind} {title}", title, "line", ((Word(title),),))
        known: Thing | None = face.known.get(value)
        scope: Scope = {view.var: (view.of, value)}
        if known is None:
            title = show(face.bare, value)
            thing = Thing(
                f"{face.kind} {title}",
                title,
                view.shape,
                self._words(view.words, scope),
                self._colour(view, scope),
                self._marks(view, scope),
                self._faded(view, scope),
                self._held(view, scope),
            )
            return face.keep(value, thing)
        if not face.moves:
            return known
        moves = face.moves
        lines = self._words(view.words, scope) if "lines" in moves else known.lines
        colour = self._colour(view, scope) if "colour" in moves else known.colour
        marks = self._marks(view, scope) if "marks" in moves else known.marks
        faded = self._faded(view, scope) if "faded" in moves else known.faded
        holds = self._held(view, scope) if "holds" in moves else known.holds
        if (lines, colour, marks, faded, holds) == (
            known.lines,
            known.colour,
            known.marks,
            known.faded,
            known.holds,
        ):
            return known
        thing = Thing(known.name, known.title, known.shape, lines, colour, marks, faded, holds)
        return face.keep(value, thing)

    def _colour(self, view: View, scope: Scope) -> str | None:
        return next((c.text for c in view.colours if self._applies(c.when, scope)), None)

    def _marks(self, view: View, scope: Scope) -> tuple[str, ...]:
        return tuple([m.text for m in view.marks if self._applies(m.when, scope)])

    def _faded(self, view: View, scope: Scope) -> bool:
        return any(self._applies(term, scope) for term in view.faded)

    def _held(self, view: View, scope: Scope) -> tuple[Thing, ...]:
        found: list[Thing] = []
        for many in view.holds:
            found += self._things(many, scope)
            if self._more:
                found.append(Thing("", "", "line", ((Word(f"and {self._more} more"),),)))
        return tuple(found)

    def _words(self, words: tuple[Words, ...], scope: Scope) -> tuple[Line, ...]:
        return tuple(
            tuple(self._word(value, scope) for value in line.values)
            for line in words
            if self._applies(line.when, scope)
        )

    def _word(self, term: Term, scope: Scope) -> Word:
        return self._looks.fixed(term, scope, lambda: self._read(term, scope))

    def _truth(self, term: Term, scope: Scope) -> Truth:
        return self._looks.fixed(term, scope, lambda: self.reading.truth(term, scope)[0])

    def _read(self, term: Term, scope: Scope) -> Word:
        try:
            value = self.reading.value(term, scope)
        except Undefined:
            return Word(UNKNOWN)
        text = show(term.type, value)
        return Word(text, value if isinstance(term.type, ty.MoneyT) else None)

    def _applies(self, when: Term | None, scope: Scope) -> bool:
        return when is None or self._truth(when, scope) == "yes"

    # ----------------------------------------------------------------------------------------------- boards
    def _board(self, grid: Grid) -> Board:
        cells: list[tuple[int, int, Thing]] = []
        elements = self._elements(grid.many, {})
        more = self._more
        for element in elements:
            scope: Scope = {grid.many.var: (grid.many.element, element)}
            at = self._cell(grid, scope)
            if at is not None:
                cells.append((*at, self._thing(grid.many.element, element)))
        return Board(tuple(cells), (), more)

    def _cell(self, grid: Grid, scope: Scope) -> tuple[int, int] | None:
        try:
            across, down = (
                self._looks.fixed(term, scope, partial(self.reading.value, term, scope))
                for term in (grid.across, grid.down)
            )
        except Undefined:
            return None
        return int(across), int(down)

    def _laid(self, grid: Grid, lays: tuple[Lay, ...]) -> Board:
        board = self._looks.part((grid,), partial(self._board, grid))
        for lay in lays:
            board = self._lay(board, lay)
        return board

    def _lay(self, board: Board, lay: Lay) -> Board:
        places = {thing.name: (across, down) for across, down, thing in board.cells}
        laid: list[tuple[Thing, tuple[tuple[int, int], ...]]] = []
        for element in self._elements(lay.many, {}):
            scope: Scope = {lay.many.var: (lay.many.element, element)}
            names = [
                f"{type_name(lay.on.element)} {show(lay.on.element, cell)}"
                for cell in self._elements(lay.on, scope)
            ]
            laid.append(
                (self._thing(lay.many.element, element), tuple(places[n] for n in names if n in places))
            )
        return Board(board.cells, (*board.laid, *laid), board.more)


def lays_on(scene: Scene, grid: Grid) -> tuple[Lay, ...]:
    """What a scene lays on one of its grids: all between it and the next."""
    after = scene.parts[scene.parts.index(grid) + 1 :]
    until = next((i for i, part in enumerate(after) if isinstance(part, Grid)), len(after))
    return tuple(part for part in after[:until] if isinstance(part, Lay))
