"""Solvers in a context of their own: what they find hangs on what they are asked, and not on what was asked before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import z3

from verifier.prove import contexts
from verifier.prove.region import Literal, Search
from verifier.prove.values import Truth


def moved(truths: Sequence[Truth], context: Any) -> list[Truth]:
    """Truths in another context; what they share stays shared."""
    ours = [t for t in truths if not isinstance(t, bool)]
    # Translated as one expression, of two parts at least.
    whole = z3.And(*ours, z3.Bool("one"), z3.Bool("other")).translate(context)
    rest = iter(whole.children())
    return [t if isinstance(t, bool) else next(rest) for t in truths]


class Apart(Search):
    """A search for conjunctions that make up a goal."""

    def __init__(
        self,
        conditions: Sequence[Truth],
        goal: Truth,
        literals: Sequence[Literal],
        most_cubes: int,
        most_literals: int,
    ) -> None:
        context = contexts.fresh()
        truths = moved([goal, *(x.truth for x in literals), *conditions], context)
        those = [
            replace(x, truth=truth, marker=z3.Bool(x.marker.decl().name(), context))
            for x, truth in zip(literals, truths[1:], strict=False)
        ]
        known = [c for c in truths[1 + len(literals) :] if c is not True]
        solver = z3.SolverFor("QF_LIA", ctx=context)
        super().__init__(known, truths[0], those, most_cubes, most_literals, solver)

    def _denied(self, truths: Sequence[Truth]) -> Any:
        return z3.Not(z3.And(*truths, z3.BoolVal(True, self.solver.ctx)))


class States:
    """States of which all `known` truths hold, and whatever else is asked."""

    def __init__(self, known: Sequence[Truth], rlimit: int) -> None:
        self.context = contexts.fresh()
        self.solver = z3.SimpleSolver(ctx=self.context)
        self.solver.set("random_seed", 0)
        self.solver.set("rlimit", rlimit)
        self.solver.add(*(t for t in moved(known, self.context) if t is not True))

    def add(self, truth: Truth) -> None:
        """Have one more hold."""
        self.solver.add(*moved([truth], self.context))

    def model(self, truths: Sequence[Truth] = ()) -> Any | None:
        """A model of Z3's main context in which `truths` hold too; None where there is none, or Z3 does not tell."""
        self.solver.push()
        self.solver.add(*moved(truths, self.context))
        found = self.solver.check() == z3.sat
        model = self.solver.model().translate(z3.main_ctx()) if found else None
        self.solver.pop()
        return model
