"""The numbers in the keys of things that events make: an example is of something that play can bring about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from verifier.diff.merge import Merger
from verifier.diff.unify import SIDES
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.ruleset import Each, New, Ruleset, Update
from verifier.model.terms import Term

Path: TypeAlias = tuple[str, ...]
"""A type of thing by its common name, and the parts of its key down to a number."""


def first_numbers(merger: Merger) -> Mapping[Path, int]:
    """By path the lowest number that some event gives what it makes, where what it makes is written out."""
    found: dict[Path, int] = {}
    for which in SIDES:
        side = merger.common.side(which)
        for new in _made(side.ruleset):
            for path, number in _numbers((side.entities[new.entity],), new.of):
                found[path] = min(number, found.get(path, number))
    return found


def _made(ruleset: Ruleset) -> Iterator[New]:
    rest: list[Update] = [update for updates in ruleset.mechanics.values() for update in updates]
    while rest:
        match rest.pop():
            case Each(update=inner):
                rest.append(inner)
            case New() as new:
                yield new
            case _:
                continue


def _numbers(path: Path, term: Term) -> Iterator[tuple[Path, int]]:
    match term:
        case m.Make(type=ty.EntityT(keys=keys), parts=parts):
            for (name, _), part in zip(keys, parts, strict=True):
                yield from _numbers((*path, name), part)
        case m.Lit(value=int() as number) if isinstance(term.type, ty.IntT):
            yield path, number
        case m.Var(type=ty.IntT(low=int() as low)):
            yield path, low
        case _:
            return  # what is worked out, or is named as a whole, tells no number
