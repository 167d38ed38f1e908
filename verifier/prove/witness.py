"""Whether something can be, and if so how: a state and options from Z3, as the interpreter has them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import z3

from verifier.errors import Problem, VerifierError
from verifier.model.types import Type
from verifier.prove.shapes import model_leaf
from verifier.prove.symbolic import SymbolicOptions, SymbolicState
from verifier.prove.values import Truth
from verifier.run.state import State

RLIMIT = 200_000_000
"""Z3's own count of its work at which a question is given up; it is the same on every machine."""


class UndecidedError(VerifierError):
    """Z3 gave up; nothing follows."""


@dataclass(frozen=True, slots=True)
class Witness:
    """How the conditions asked for come about."""

    state: State
    options: dict[str, object]
    model: Any
    symbolic: SymbolicState

    def value(self, type_: Type, value: Any) -> Any:
        """What a value of the question is here, as the interpreter has it."""
        return self.symbolic.world.shapes.concrete(type_, value, model_leaf(self.model))


def find(
    state: SymbolicState,
    options: SymbolicOptions,
    conditions: Sequence[Truth],
    rlimit: int = RLIMIT,
) -> Witness | None:
    """A state in which all `conditions` hold, or None where there is none within the scope.

    Raises `UndecidedError` where Z3 gives up at `rlimit`.
    """
    solver = z3.SolverFor("QF_LIA")
    solver.set("rlimit", rlimit)
    solver.set("random_seed", 0)
    solver.add(*state.assumptions(), *options.assumptions(), *conditions)
    result = solver.check()
    if result == z3.unsat:
        return None
    if result != z3.sat:
        raise UndecidedError(
            Problem(
                f"Z3 gave up: {solver.reason_unknown()}",
                code="undecided",
                help="ask about a smaller scope, or allow more work",
            )
        )
    model = solver.model()
    return Witness(state.concretize(model), options.concretize(model), model, state)
