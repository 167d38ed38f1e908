"""What stands beside a ruleset, as conditions without variables."""

from __future__ import annotations

from collections.abc import Sequence

from verifier.core.lower import domain_of
from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model.ruleset import Theorem
from verifier.model.terms import Term
from verifier.model.types import BOOL
from verifier.prove.conjectures import Named


def written(program: Program) -> Sequence[Named]:
    """The invariants that stand beside the ruleset, as terms without variables where their types have an end."""
    return [
        Named(theorem.name, term)
        for theorem in program.ruleset.theorems
        if theorem.kind == "invariant" and (term := closed(theorem)) is not None
    ]


def closed(theorem: Theorem) -> Term | None:
    """A theorem of all values of its variables as one term; None where a variable's type has no end."""
    term = theorem.body
    for position, param in enumerate(reversed(theorem.params)):
        domain = domain_of(param.type)
        if domain is None:
            return None
        term = m.Quant(BOOL, "every", param.name, domain, theorem.where if position == 0 else None, term)
    if theorem.where is not None and not theorem.params:
        term = m.OrT(BOOL, (m.NotT(BOOL, theorem.where), term))
    return term
