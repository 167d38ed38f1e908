"""An event taken apart by the things that it may be about, where a question about any of them is too much.

A card for one hand leaves every other hand as it was. Where the hand is a variable a solver finds that out by search;
where it is put in its place, what is left as it was is the same expression before and after.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import z3

from verifier.model import types as ty
from verifier.model.types import Type
from verifier.prove.transitions import System, Transition
from verifier.prove.values import Truth, equal, not_

MOST_CASES = 64
"""An event that may be about more things than this is not taken apart."""


@dataclass(frozen=True, slots=True)
class Case:
    """What an event is about: `conditions` say so, and each variable of `pairs` is the constant beside it."""

    conditions: tuple[Truth, ...]
    pairs: tuple[tuple[Any, Any], ...] = ()

    def put(self, truth: Truth) -> Truth:
        """The same condition with the constants in place of the variables."""
        if isinstance(truth, bool) or not self.pairs:
            return truth
        return z3.simplify(z3.substitute(truth, *self.pairs))


def cases(made: System, transition: Transition) -> tuple[Case, ...]:
    """One case for each thing in the scope that an event may be about, and one for all others, so that some case is
    so whatever happens. None where it is about nothing, or about too many things."""
    for type_, argument in _arguments(made, transition):
        values = made.world.scope.keys(type_)
        if len(values) <= MOST_CASES:
            constants = [made.world.shapes.constant(type_, value) for value in values]
            same = [equal(argument, constant) for constant in constants]
            pairs = [tuple(made.world.shapes.pairs(argument, constant)) for constant in constants]
            others = Case(tuple(not_(one) for one in same))
            return (*(Case((one,), put) for one, put in zip(same, pairs, strict=True)), others)
    return ()


def _arguments(made: System, transition: Transition) -> Iterator[tuple[Type, Any]]:
    """The arguments that name things: entities first, then keys of a named range."""
    if transition.event is None:
        return
    params = made.program.ruleset.events[transition.event].params
    told = [(param.type, argument) for param, argument in zip(params, transition.args, strict=True)]
    yield from ((type_, argument) for type_, argument in told if isinstance(type_, ty.EntityT))
    narrowed = made.world.scope.narrowed
    yield from ((type_, argument) for type_, argument in told if str(type_) in narrowed)
