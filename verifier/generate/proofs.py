"""Why no round shows a rule, as far as solvers tell that within what they may spend."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from verifier.core.lawful import lawful
from verifier.core.program import Program
from verifier.generate.asks import Ask, Asks
from verifier.model import terms as m
from verifier.model.terms import Term
from verifier.model.types import BOOL
from verifier.prove.decide import all_visited
from verifier.prove.desk import Desk
from verifier.prove.everywhere import of_any_size, typed
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


def unmet(desk: Desk, rule: str, wanted: Wanted, asks: Asks) -> Unmet:
    """Why no round exercises (`kept`) or breaks (`broken`) a rule, as far as that can be told.

    A proof is one of the rule only where it covers every way in which the rule comes to be so, in states of any size:
    with few people and things, or few of the values by which they are told apart, *never* says nothing of more.
    """
    if not asks.asks and not asks.beyond:
        return Unmet(rule, wanted, True, _nothing(wanted), ever=True)
    hows: dict[str, None] = {}
    bounds: dict[str, None] = {}
    ever = True
    for ask in asks.asks:
        answer, where = _answered(desk, rule, wanted, ask.question)
        if not isinstance(answer, Never) and (strict := _lawfully(desk.program, ask, wanted)) is not None:
            answer, where = _answered(desk, rule, wanted, strict)
            ever = False
        if not isinstance(answer, Never):
            looked = desk.explorer.scope_text
            why = f"none was found in {looked}, and it is not proved that there is none"
            return Unmet(rule, wanted, False, why)
        if not of_any_size(answer) and answer.how != "exhaustion":
            bounds[answer.scope] = None
        ever = ever and where == _ANYWHERE
        hows[f"{where} ({', '.join(answer.by)}; {answer.scope})"] = None
    if bounds:
        why = f"there is none within {'; '.join(bounds)}, and it is not proved that there is none beyond"
        return Unmet(rule, wanted, False, why)
    if asks.beyond:
        return Unmet(rule, wanted, False, f"none was found, and there is no proof: {'; '.join(asks.beyond)}")
    return Unmet(rule, wanted, True, "proved: " + "; ".join(hows), ever)


def _lawfully(program: Program, ask: Ask, wanted: Wanted) -> Question | None:
    """The question of an event that breaks nothing and leaves nothing open, where that is what is wanted."""
    question = ask.question
    if wanted != "kept" or question.event is None or ask.actor is None:
        return None
    items = (question.condition, lawful(program, question.event, ask.actor))
    return replace(question, condition=m.AndT(BOOL, items))


def _answered(desk: Desk, rule: str, wanted: Wanted, question: Question) -> tuple[Answer, str]:
    """Whether the question is true in some state of lawful play, and where it was looked."""
    claim = f"{rule} is {wanted} nowhere"
    obligation = Obligation(f"{wanted} {rule}", "reachable", claim, (rule,), "never", question, ("play",))
    answer = typed(desk, obligation)
    if _settled(answer):
        return answer, _ANYWHERE
    if _unbroken(desk.program) and _settled(told := typed(desk, obligation, _unbroken(desk.program))):
        return told, "in no state in which no rule has been broken"
    explorer = desk.explorer
    if explorer.exhaustion("play").complete and explorer.look(question, "play") is None:
        visited = all_visited(desk, obligation, "play")
        if visited is not None:
            return visited, "in no state that lawful play reaches, all of which were visited"
    return answer, _ANYWHERE


def _settled(answer: Answer) -> bool:
    return isinstance(answer, Never) and of_any_size(answer)


def _unbroken(program: Program) -> tuple[Term, ...]:
    """That no rule has been broken of which it is read whether it has."""
    return tuple(m.NotT(BOOL, m.BrokenT(BOOL, index)) for index in range(len(program.ruleset.breaches)))


def _nothing(wanted: str) -> str:
    if wanted == "kept":
        return "nothing that can happen is judged by it and found right"
    return "no event is at fault by it: it only decides for other rules, or asks what no event claims"
