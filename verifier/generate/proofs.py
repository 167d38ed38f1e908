"""Why no round shows a rule, as far as solvers tell that within what they may spend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from verifier.core.program import Program
from verifier.generate.asks import Ask
from verifier.model import terms as m
from verifier.model.terms import Term
from verifier.model.types import BOOL
from verifier.prove.decide import all_visited
from verifier.prove.desk import Desk
from verifier.prove.everywhere import typed
from verifier.prove.question import Answer, Never, Obligation, Question

Wanted = Literal["kept", "broken"]

_ANYWHERE = "in no state that the types allow"


@dataclass(frozen=True, slots=True)
class Unmet:
    """A rule that no round exercises, or breaks. `proved`: there can be none that is lawful but for this; else none was
    found. `ever`: nor can there be any other. `why` in words."""

    rule: str
    wanted: Wanted
    proved: bool
    why: str
    ever: bool = False


def unmet(desk: Desk, rule: str, wanted: Wanted, asks: Sequence[Ask]) -> Unmet:
    """Why no round exercises (`kept`) or breaks (`broken`) a rule, as far as that can be told."""
    if not asks:
        return Unmet(rule, wanted, True, _nothing(wanted), ever=True)
    hows: dict[str, None] = {}
    ever = True
    for question in dict.fromkeys(ask.question for ask in asks):
        answer, where = _answered(desk, rule, wanted, question)
        if not isinstance(answer, Never):
            looked = desk.explorer.scope_text
            why = f"none was found in {looked}, and it is not proved that there is none"
            return Unmet(rule, wanted, False, why)
        ever = ever and where == _ANYWHERE
        hows[f"{where} ({', '.join(answer.by)}; {answer.scope})"] = None
    return Unmet(rule, wanted, True, "proved: " + "; ".join(hows), ever)


def _answered(desk: Desk, rule: str, wanted: Wanted, question: Question) -> tuple[Answer, str]:
    """Whether the question is true in some state of lawful play, and where it was looked."""
    claim = f"{rule} is {wanted} nowhere"
    obligation = Obligation(f"{wanted} {rule}", "reachable", claim, (rule,), "never", question, ("play",))
    answer = typed(desk, obligation)
    if isinstance(answer, Never):
        return answer, _ANYWHERE
    if _unbroken(desk.program) and isinstance(
        told := typed(desk, obligation, _unbroken(desk.program)), Never
    ):
        return told, "in no state in which no rule has been broken"
    explorer = desk.explorer
    if explorer.exhaustion("play").complete and explorer.look(question, "play") is None:
        visited = all_visited(desk, obligation, "play")
        if visited is not None:
            return visited, "in no state that lawful play reaches, all of which were visited"
    return answer, ""


def _unbroken(program: Program) -> tuple[Term, ...]:
    """That no rule has been broken of which it is read whether it has."""
    return tuple(m.NotT(BOOL, m.BrokenT(BOOL, index)) for index in range(len(program.ruleset.breaches)))


def _nothing(wanted: str) -> str:
    if wanted == "kept":
        return "nothing that can happen is judged by it and found right"
    return "no event is at fault by it: it only decides for other rules, or asks what no event claims"
