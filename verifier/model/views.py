"""How a ruleset's state is drawn: what its values look like, and where they lie. Nothing is judged by it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from verifier.model.terms import Domain, Term, domain_terms
from verifier.model.types import EntityT, EnumT, IdT, IntT, OptT, RecordT, Type

SHAPES = ("line", "tile", "disc", "cell", "frame")
"""A line of text; an upright piece with a border; a round one; a field of a board; a frame round what it holds."""

COLOURS = ("black", "red", "green", "blue", "gold", "grey")


@dataclass(frozen=True, slots=True)
class Many:
    """The things drawn one after another: those of the domain that meet `where`, each as the variable `var`."""

    var: str
    element: Type
    domain: Domain
    where: Term | None

    def terms(self) -> Iterator[Term]:
        yield from domain_terms(self.domain)
        if self.where is not None:
            yield self.where


@dataclass(frozen=True, slots=True)
class Words:
    """Values shown on one line where `when` holds."""

    values: tuple[Term, ...]
    when: Term | None


@dataclass(frozen=True, slots=True)
class Said:
    """A fixed word (a colour's name, a mark) that applies where `when` holds."""

    text: str
    when: Term | None


@dataclass(frozen=True, slots=True)
class View:
    """How a value of the type named `type` looks; its terms see it as the variable `var`.

    Of `colours` the first that applies counts. `faded` are conditions of which any fades it.
    """

    type: str
    var: str
    of: Type
    shape: str
    words: tuple[Words, ...]
    colours: tuple[Said, ...]
    marks: tuple[Said, ...]
    faded: tuple[Term, ...]
    holds: tuple[Many, ...]

    def terms(self) -> Iterator[Term]:
        for words in self.words:
            yield from _terms(words)
        for said in (*self.colours, *self.marks):
            if said.when is not None:
                yield said.when
        yield from self.faded
        for many in self.holds:
            yield from many.terms()


@dataclass(frozen=True, slots=True)
class Row:
    """Things side by side, under a title or none."""

    title: str | None
    many: Many


@dataclass(frozen=True, slots=True)
class Ring:
    """Things around a circle, clockwise from the top."""

    many: Many


@dataclass(frozen=True, slots=True)
class Grid:
    """Things in cells, `across` from the left and `down` from the top, both numbers of the thing."""

    many: Many
    across: Term
    down: Term


@dataclass(frozen=True, slots=True)
class Lay:
    """Things that lie on cells of the grid before: in the middle of all those that `on` gives for the thing."""

    many: Many
    on: Many


Part = Row | Ring | Grid | Lay | Words


@dataclass(frozen=True, slots=True)
class Scene:
    """What is drawn of a state. `life` says of which kind of log."""

    title: str
    life: str
    parts: tuple[Part, ...]

    def terms(self) -> Iterator[Term]:
        for part in self.parts:
            match part:
                case Words():
                    yield from _terms(part)
                case Row(many=many) | Ring(many=many):
                    yield from many.terms()
                case Grid(many=many, across=across, down=down):
                    yield from (*many.terms(), across, down)
                case Lay(many=many, on=on):
                    yield from (*many.terms(), *on.terms())


def _terms(words: Words) -> Iterator[Term]:
    yield from words.values
    if words.when is not None:
        yield words.when


def type_name(type_: Type) -> str | None:
    """The name by which a view of the type is found; None for a type that has none."""
    match type_:
        case RecordT(name=name) | EntityT(name=name) | EnumT(name=name) | IdT(name=name) | IntT(name=name):
            return name
        case OptT(of=of):
            return type_name(of)
        case _:
            return None
