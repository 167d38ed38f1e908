"""Rulesets of a few lines over the toy law, and what is asked of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from verifier.core.lower import lower
from verifier.core.program import Program
from verifier.law import load_law
from verifier.model.load import load
from verifier.prove.extent import scopes
from verifier.prove.question import Answer, Never, Obligation, Question, Sometimes
from verifier.prove.solve import Settings
from verifier.prove.typed import Typed

EXAMPLES = Path(__file__).parents[2] / "spec" / "examples"
HEAD = "ruleset example\nlaw anyton/cloakroom\nuse anyton/base\n"

_RULE = re.compile(r"^rule (?P<address>\d+(?:\.\d+)*(?:\([a-z]\))*)(?P<label> \[[^\]\n]+\])?$", re.MULTILINE)

Obligations = Callable[[Program], Iterator[Obligation]]


@lru_cache
def words_of(address: str) -> str:
    """The first words of a clause of the toy law."""
    clause = load_law("anyton/cloakroom", [EXAMPLES]).clause(address)
    return " ".join((clause.intro or clause.heading or "").split()[:4]).rstrip(",;:.")


def program_of(text: str, folder: Path) -> Program:
    """The core of a module, or of a fragment that gets a head; rules without a quote get the clause's first words."""
    whole = text if text.lstrip().startswith("ruleset ") else HEAD + text
    path = folder / f"{whole.split()[1].split('/')[-1]}.rules"
    path.write_text(_RULE.sub(lambda m: f'{m.group()} "{words_of(m["address"])}"', whole.lstrip()), "utf-8")
    return lower(load(path, [EXAMPLES, folder]))


def asked(obligations: Obligations, program: Program) -> Mapping[str, Obligation]:
    """The obligations by their ids, which are all different."""
    found = list(obligations(program))
    assert len({o.id for o in found}) == len(found)
    return {o.id: o for o in found}


def in_any_state(program: Program, question: Question | None) -> Answer:
    """The answer over every state that the types allow, within the smallest scope."""
    assert question is not None
    return Typed(program, scopes(program)[0], Settings(solvers=("z3",))).ask(question)


def never(program: Program, obligation: Obligation) -> bool:
    """Whether there is no state in which it is so; anything but a plain answer is a failure."""
    answer = in_any_state(program, obligation.question)
    assert isinstance(answer, Never | Sometimes), answer
    return isinstance(answer, Never)
