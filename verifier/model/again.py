"""What was read of a ruleset's blocks, kept for rulesets that differ from it in one block: the rest is not read anew.

A body hangs on what is declared, on the givens above it, and on the numbers that histories have by then. Where all of
these are as they were, it reads as it did.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from verifier.model.rules import Book, Handed
from verifier.model.ruleset import BreachLatch, Latch, Place, Theorem
from verifier.model.scope import World

Given = tuple[tuple[str, str], int]
"""One of a book's givens: under which module and clause, and its place there."""


Counts = tuple[int, int, int, int, int, int, int]
"""How many functions, units, questions, requirements, theorems, latches and breaches had been read."""


@dataclass(frozen=True, slots=True)
class _Added:
    """What reading one block added. `block` is the block itself, kept so that nothing else gets its id; `places` and
    `givens` are all that it reads, also what another had read before it."""

    block: object
    before: Counts
    tables: tuple[tuple[Any, ...], ...]
    latches: tuple[Latch, ...]
    breaches: tuple[BreachLatch, ...]
    places: Mapping[BreachLatch, list[Place]]
    givens: frozenset[Given]

    def put(self, world: World, book: Book, theorems: list[Theorem]) -> None:
        """Add the same again."""
        functions, units, questions, requirements, claims = self.tables
        world.functions.update(functions)
        book.units.update(units)
        book.questions.extend(questions)
        book.requirements.extend(requirements)
        theorems.extend(claims)
        for latch in self.latches:
            world.latches[latch] = len(world.latches)
        for breach in self.breaches:
            world.breaches[breach] = len(world.breaches)
        _join(world.breach_places, self.places)
        for key, index in self.givens:
            book.givens[key][index].used = True


def _join(places: dict[BreachLatch, list[Place]], more: Mapping[BreachLatch, list[Place]]) -> None:
    for breach, those in more.items():
        known = places.setdefault(breach, [])
        known += [place for place in those if place not in known]


@dataclass(slots=True)
class Kept:
    """What the first ruleset that is read with it adds block by block, for those read with it later."""

    ground: tuple[object, ...] | None = None
    blocks: dict[int, _Added] = field(default_factory=dict)
    latches: tuple[Latch, ...] = ()
    breaches: tuple[BreachLatch, ...] = ()


@dataclass(slots=True)
class Reading:
    """One ruleset's blocks, read in their order; those that `kept` has are not read anew where nothing forbids it."""

    kept: Kept | None
    world: World
    book: Book
    theorems: list[Theorem]
    first: bool = field(init=False, default=False)
    alike: bool = field(init=False, default=False)
    sure: bool = field(init=False, default=True)

    def __post_init__(self) -> None:
        if self.kept is not None:
            ground = _ground(self.world, self.book)
            self.first = self.kept.ground is None
            self.alike = not self.first and self.kept.ground == ground
            if self.first:
                self.kept.ground = ground

    def read(self, block: object, act: Callable[[], object]) -> None:
        """Read one block by `act`, or add what it added before."""
        world, book, theorems = self.world, self.book, self.theorems
        if self.kept is None or not (self.first or self.alike):
            act()
            return
        added = self.kept.blocks.get(id(block))
        if added is not None and self._same_numbers(added):
            added.put(world, book, theorems)
            return
        if self.first:
            self.kept.blocks[id(block)] = self._added(block, act)
            self.kept.latches, self.kept.breaches = tuple(world.latches), tuple(world.breaches)
        else:
            act()
            self.sure = False

    def _added(self, block: object, act: Callable[[], object]) -> _Added:
        """What reading a block by `act` adds."""
        world, book, theorems = self.world, self.book, self.theorems
        earlier, world.breach_places = world.breach_places, {}
        used = {given: handed for given, handed in _handed(book) if handed.used}
        for handed in used.values():
            handed.used = False
        before = (
            len(world.functions),
            len(book.units),
            len(book.questions),
            len(book.requirements),
            len(theorems),
            len(world.latches),
            len(world.breaches),
        )
        act()
        functions, units, questions, requirements, claims, latches, breaches = before
        tables = (
            tuple(islice(world.functions.items(), functions, None)),
            tuple(islice(book.units.items(), units, None)),
            tuple(book.questions[questions:]),
            tuple(book.requirements[requirements:]),
            tuple(theorems[claims:]),
        )
        added = _Added(
            block,
            before,
            tables,
            tuple(islice(world.latches, latches, None)),
            tuple(islice(world.breaches, breaches, None)),
            world.breach_places,
            frozenset(given for given, handed in _handed(book) if handed.used),
        )
        _join(earlier, added.places)
        world.breach_places = earlier
        for handed in used.values():
            handed.used = True
        return added

    def _same_numbers(self, added: _Added) -> bool:
        """Whether histories are numbered as they were when the block was read first."""
        assert self.kept is not None
        if not self.sure:
            latches, breaches = added.before[-2:]
            self.sure = True
            self.alike = (
                tuple(self.world.latches) == self.kept.latches[:latches]
                and tuple(self.world.breaches) == self.kept.breaches[:breaches]
            )
        return self.alike


def _handed(book: Book) -> Iterator[tuple[Given, Handed]]:
    """All givens of a book."""
    return (((key, i), handed) for key, those in book.givens.items() for i, handed in enumerate(those))


def _ground(world: World, book: Book) -> tuple[object, ...]:
    """What bodies hang on besides histories."""
    return (
        tuple(world.actors),
        dict(world.types),
        dict(world.lives),
        dict(world.state),
        dict(world.entities),
        dict(world.events),
        dict(world.signatures),
        dict(world.decisions),
        dict(world.options),
        {name: rule.disapplied for name, rule in book.rules.items()},
        {key: [(one.given, one.rule) for one in handed] for key, handed in book.givens.items()},
    )
