"""What is asked beside a ruleset: theorems, invariants, what must be reachable; and that hypotheses can hold.

A claim is about everything there is: entities that exist, people who have been met, all values of other types. It
holds where it is defined and true. Where its body is undefined (a gap, a clash) it fails: nothing holds by having
no answer. Hypotheses are shown, and each is asked whether it can hold at all.
"""

from __future__ import annotations

from collections.abc import Iterator

from verifier.core.program import Program
from verifier.model.ruleset import Param, Theorem
from verifier.model.show import Names, names_of, show_term
from verifier.prove.obligations.units import TRUE, both, known
from verifier.prove.question import Mode, Nothing, Obligation, Question

MODES: dict[str, tuple[Mode, ...]] = {"theorem": ("words",), "invariant": ("play",), "reachable": ("play",)}
"""Where each is asked: a theorem of every state that events can make, the others of what lawful play reaches."""


def obligations(program: Program) -> Iterator[Obligation]:
    """One for each theorem, invariant and `reachable`, and `vacuous` for each hypothesis of the first two."""
    names = names_of(program.ruleset)
    for theorem in program.ruleset.theorems:
        yield _asked(theorem, names)
        if theorem.where is not None and theorem.kind != "reachable":
            yield _hypothesis(theorem, names)


def _asked(theorem: Theorem, names: Names) -> Obligation:
    supposed = TRUE if theorem.where is None else theorem.where
    body = show_term(theorem.body, names)
    about = _about(theorem, names)
    if theorem.title is not None:
        about = (*about, f"claim: {body}")
    if theorem.kind == "reachable":
        return Obligation(
            f"reachable {theorem.name}",
            "reachable",
            theorem.title or f"lawful play can lead to {body}",
            (),
            wanted="sometimes",
            question=Question(theorem.params, both(known(theorem.params), supposed, theorem.body)),
            modes=MODES["reachable"],
            about=about,
        )
    return Obligation(
        f"{theorem.kind} {theorem.name}",
        theorem.kind,
        theorem.title or body,
        (),
        question=Question(
            theorem.params, both(known(theorem.params), supposed), none=(Nothing((), theorem.body),)
        ),
        modes=MODES[theorem.kind],
        about=about,
    )


def _hypothesis(theorem: Theorem, names: Names) -> Obligation:
    assert theorem.where is not None
    return Obligation(
        f"vacuous {theorem.name}",
        "vacuous",
        f"what {theorem.kind} {theorem.name} supposes can be: {show_term(theorem.where, names)}",
        (),
        wanted="sometimes",
        question=Question(theorem.params, both(known(theorem.params), theorem.where)),
    )


def _about(theorem: Theorem, names: Names) -> tuple[str, ...]:
    found: list[str] = []
    if theorem.params:
        found.append(f"for all {', '.join(_declared(p) for p in theorem.params)}")
    if theorem.where is not None:
        found.append(f"supposed: {show_term(theorem.where, names)}")
    return tuple(found)


def _declared(param: Param) -> str:
    return f"{param.name}: {param.type}"
