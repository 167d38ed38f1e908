"""Rounds strung into tables: first every play as it was played, then walks from state to state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from verifier.simulate.library import Round


@dataclass(frozen=True, slots=True)
class Shelf:
    """The rounds of a library, numbered: of each those that go `onward` from it, and the `first` at an empty table."""

    rounds: tuple[Round, ...]
    plays: tuple[tuple[int, ...], ...]
    first: tuple[int, ...]
    onward: tuple[tuple[int, ...], ...]


def shelved(plays: Sequence[Sequence[Round]]) -> Shelf:
    """The rounds of plays, each of which begins at an empty table."""
    rounds = tuple(r for play in plays for r in play)
    numbers: list[tuple[int, ...]] = []
    count = 0
    for play in plays:
        numbers.append(tuple(range(count, count + len(play))))
        count += len(play)
    beginning: dict[str, list[int]] = {}
    for number, one in enumerate(rounds):
        beginning.setdefault(one.before, []).append(number)
    onward = tuple(tuple(beginning.get(one.after, ())) for one in rounds)
    first = tuple(beginning[rounds[0].before]) if rounds else ()
    return Shelf(rounds, tuple(numbers), first, onward)


def tables(shelf: Shelf, rounds: int, most: int, rng: Random) -> Iterator[tuple[int, ...]]:
    """The rounds of one table after the other, `rounds` in all, at most `most` at a table."""
    left = rounds
    for play in shelf.plays:
        if left <= 0:
            return
        table = play[: min(left, most)]
        left -= len(table)
        yield table
    while left > 0:
        table = tuple(_walk(shelf, min(left, most), rng, shelf.first))
        left -= len(table)
        yield table


def one_table(shelf: Shelf, rounds: int, rng: Random) -> tuple[int, ...]:
    """So many rounds of one table: the first play as it was played, and on from there; fewer where no round goes on."""
    played = shelf.plays[0][:rounds]
    return (*played, *_walk(shelf, rounds - len(played), rng, shelf.onward[played[-1]]))


def _walk(shelf: Shelf, most: int, rng: Random, choices: Sequence[int]) -> Iterator[int]:
    """One of `choices`, then any round that begins where the last one ended; to where none does."""
    for _ in range(most):
        if not choices:
            return
        number = rng.choice(choices)
        yield number
        choices = shelf.onward[number]
