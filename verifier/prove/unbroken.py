"""What asks in play for a rule that has been broken: lawful play breaks none, however many play."""

from __future__ import annotations

from dataclasses import replace

from verifier.model import terms as m
from verifier.model.rewrite import map_children
from verifier.model.terms import Term
from verifier.model.types import BOOL
from verifier.prove.desk import Desk
from verifier.prove.everywhere import of_any_size, typed
from verifier.prove.question import Never, Obligation

UNBROKEN = "no rule has been broken"
"""So it is at the start, and what breaks no rule leaves it so."""


def in_unbroken_states(desk: Desk, obligation: Obligation) -> Never | None:
    """`Never`, where the types alone say so of every state in which no rule has been broken, of whatever size; None
    where they do not, or the question itself asks for no breach."""
    question = obligation.question
    assert question is not None
    none = tuple(replace(one, condition=_kept(one.condition)) for one in question.none)
    kept = replace(question, condition=_kept(question.condition), none=none)
    if kept == question:
        return None
    answer = typed(desk, replace(obligation, question=kept))
    if not isinstance(answer, Never) or not of_any_size(answer):
        return None
    return replace(answer, how="induction", using=(UNBROKEN,))


def _kept(term: Term) -> Term:
    """A condition of a state to which only lawful play has led. What an event leaves may have a breach by it."""
    match term:
        case m.BrokenT():
            return m.Lit(BOOL, False)
        case m.AfterT():
            return term
        case _:
            return map_children(term, _kept)
