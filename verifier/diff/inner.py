"""What the rules of both sides say of all things, where it differs only in the decisions that it reads.

*No wager of the player is void* then and now may read an outcome that differs. If for no single wager the one says yes
where the other says no, the two never contradict each other, and a difference between the sides would be one too if
both were the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from verifier.diff.fold import conjunction
from verifier.diff.groups import half
from verifier.diff.matter import Half, Matter
from verifier.model import terms as m
from verifier.model.rewrite import map_children
from verifier.model.ruleset import Param
from verifier.model.terms import Term, children
from verifier.model.types import BOOL
from verifier.prove.question import Never, Question
from verifier.prove.wide import Wide

NEW, OLD = "new.", "old."


def with_one_inside(wide: Wide, matter: Matter) -> tuple[Matter, Never] | None:
    """The matter with all that is so said of one thing after the other said as the old side says it, and the weakest of
    the proofs that it may be; None where there is nothing of the kind, or no proof.

    Where the new matter has no difference that is true, the matter has none.
    """
    ours = _ranging(matter, "old")
    by: dict[Term, Term] = {}
    found: Never | None = None
    for term in _ranging(matter, "new"):
        other = _as_old(term)
        if other == term:
            continue
        if other not in ours:
            return None
        proof = _never_contradict(wide, matter, term, other)
        if proof is None:
            return None
        by[term] = other
        if found is None or len(proof.scope) > len(found.scope):
            found = proof
    if found is None:
        return None

    def put(term: Term) -> Term:
        return by[term] if term in by else map_children(term, put)

    new = replace(
        matter.new,
        cases=tuple(replace(c, applies=put(c.applies), value=put(c.value)) for c in matter.new.cases),
    )
    return replace(matter, new=new), found


def _ranging(matter: Matter, which: str) -> dict[Term, None]:
    """What a side's cases say of all things of a kind, outermost first."""
    found: dict[Term, None] = {}

    def visit(term: Term) -> None:
        if isinstance(term, m.Quant) and isinstance(term.domain, m.OverEntity):
            found.setdefault(term)
            return
        for child in children(term):
            visit(child)

    for term in _terms(half(matter, which)):
        visit(term)
    return found


def _terms(side: Half) -> Iterator[Term]:
    for case in side.cases:
        yield case.applies
        yield case.value


def _as_old(term: Term) -> Term:
    """A term that reads the old side's decisions in place of the new side's."""
    found = map_children(term, _as_old)
    if isinstance(found, m.Decide) and found.decision.startswith(NEW):
        return replace(found, decision=OLD + found.decision.removeprefix(NEW))
    return found


def _never_contradict(wide: Wide, matter: Matter, one: Term, other: Term) -> Never | None:
    """The proof that for no single thing one says yes and the other no."""
    assert isinstance(one, m.Quant)
    assert isinstance(other, m.Quant)
    if one.where != other.where or one.var in {p.name for p in matter.params}:
        return None
    params = (*matter.params, Param(one.var, one.domain.type))
    found: Never | None = None
    for yes, no in ((one.body, other.body), (other.body, one.body)):
        here = [matter.fixed, *([] if one.where is None else [one.where]), yes]
        condition = conjunction([*here, m.NotT(BOOL, no)])
        names = m.free_variables(condition)
        answer = wide.ask(Question(tuple(p for p in params if p.name in names), condition))
        if not isinstance(answer, Never):
            return None
        if found is None or len(answer.scope) > len(found.scope):
            found = answer
    return found
