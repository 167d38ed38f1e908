"""Duties compared as they are written: which makes which needless."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from verifier.core.lower import domain_of
from verifier.core.program import Duty, Program
from verifier.model import terms as m
from verifier.model.rewrite import substitute
from verifier.model.ruleset import Act, Norm, Slot
from verifier.model.terms import Term
from verifier.model.types import BOOL, Type
from verifier.prove.obligations.units import call

Links = dict[str, Term]
"""What the variables of one duty stand for in terms of another's."""


def duty_of(program: Program, unit: Norm) -> Duty:
    """The core's duty of a unit that is one."""
    return next(duty for duty in program.duties if duty.unit == unit.id)


def covered(program: Program, unit: Norm, other: Norm) -> Term | None:
    """Where the duty `other` makes the duty `unit` needless: what performs the one performs both, and in time.

    The term reads the variables of `unit`. None where that is never so, as far as their texts tell: each act of
    `other` must be written as one of `unit`, which fixes no more, and each act by which `unit` is due must be one
    by which `other` is.
    """
    if other.force != "must" or set(other.roles) != set(unit.roles):
        return None
    ours, theirs = unit.deadline, other.deadline
    assert ours is not None
    assert theirs is not None
    if ours.kind != theirs.kind or ours.life != theirs.life:
        return None
    links: Links | None = {}
    for act in other.acts:
        links = _linked(program, links, ((act, mine) for mine in unit.acts), _fixes)
    for act in ours.acts:
        links = _linked(program, links, ((their, act) for their in theirs.acts), _reaches)
    if links is None:
        return None
    pending: Term = call(duty_of(program, other).pending, other.variables)
    for variable in other.variables:
        domain = domain_of(variable.type)
        if variable.name not in links and domain is not None:
            pending = m.Quant(BOOL, "some", variable.name, domain, None, pending)
    return substitute(pending, links)


Test = Callable[[Links, Slot, Slot, Type], bool]


def _linked(
    program: Program, links: Links | None, pairs: Iterable[tuple[Act, Act]], test: Test
) -> Links | None:
    """`links`, and those made where the first pair of acts passes the test slot by slot; None where none does."""
    if links is None:
        return None
    for theirs, mine in pairs:
        found = dict(links)
        if theirs.event == mine.event and all(
            test(found, a, b, param.type)
            for a, b, param in zip(
                theirs.slots, mine.slots, program.ruleset.events[mine.event].params, strict=True
            )
        ):
            return found
    return None


def _fixes(links: Links, theirs: Slot, mine: Slot, type_: Type) -> bool:
    """Whether what fills their slot fills mine."""
    if mine.where is not None and mine.where != theirs.where:
        return False
    wanted = _wanted(mine, type_)
    return wanted is None or _equal(links, theirs, wanted)


def _reaches(links: Links, theirs: Slot, mine: Slot, type_: Type) -> bool:
    """Whether what fills my slot fills theirs."""
    if theirs.where is not None and mine.where != theirs.where:
        return False
    if theirs.variable is None and theirs.equals is None:
        return True
    wanted = _wanted(mine, type_)
    return wanted is not None and _equal(links, theirs, wanted)


def _wanted(slot: Slot, type_: Type) -> Term | None:
    return m.Var(type_, slot.variable) if slot.variable is not None else slot.equals


def _equal(links: Links, theirs: Slot, wanted: Term) -> bool:
    """Whether their slot holds what is wanted of it; a variable that is still free is made to."""
    if theirs.variable is not None:
        return links.setdefault(theirs.variable, wanted) == wanted
    return theirs.equals == wanted
