"""Small rulesets on the by-law of the language's examples, and what the prover finds of their obligations."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from verifier.core.lower import lower
from verifier.core.program import Program
from verifier.model.load import load
from verifier.prove.obligations import decisions, rules
from verifier.prove.question import Never, Obligation, Sometimes
from verifier.prove.scope import scope_of
from verifier.prove.solve import Settings
from verifier.prove.typed import Typed

EXAMPLES = Path(__file__).parents[2] / "spec" / "examples"
HEAD = "ruleset bylaw\nlaw anyton/cloakroom\nuse anyton/base\n"


@cache
def bylaw(text: str) -> Program:
    """The core of a ruleset of a few clauses of the by-law."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "bylaw.rules"
        path.write_text(HEAD + text)
        return lower(load(path, [EXAMPLES]))


@cache
def typed(text: str) -> Typed:
    """Questions about a ruleset, of two guests."""
    program = bylaw(text)
    scope = scope_of(program, {"Guest": ("ann", "bob")})
    return Typed(program, scope, Settings(solvers=("z3",)))


def every(program: Program) -> tuple[Obligation, ...]:
    """What decisions and rules owe; of a decision's conflict the pairs as well."""
    return (
        *decisions.obligations(program),
        *(pair for name in program.decisions for pair in decisions.pairs(program, name)),
        *rules.obligations(program),
    )


def holds(text: str, obligation: Obligation) -> bool:
    """Whether an obligation holds of all that the types allow."""
    assert obligation.question is not None
    answer = typed(text).ask(obligation.question)
    assert isinstance(answer, Sometimes | Never), f"{obligation.id}: {answer}"
    return isinstance(answer, Never) == (obligation.wanted == "never")


def refuted(text: str, *kinds: str) -> list[str]:
    """The ids of the obligations of `kinds` that the ruleset does not meet."""
    return [o.id for o in _of(bylaw(text), kinds) if not holds(text, o)]


def ids(text: str, *kinds: str) -> list[str]:
    """The ids of all obligations of `kinds`."""
    return [o.id for o in _of(bylaw(text), kinds)]


def named(text: str, id: str) -> Obligation:
    """One obligation, by its id."""
    return next(o for o in every(bylaw(text)) if o.id == id)


def _of(program: Program, kinds: tuple[str, ...]) -> Iterable[Obligation]:
    return (o for o in every(program) if o.kind in kinds)
