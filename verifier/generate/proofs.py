"""Why no round shows a rule, or none that is lawful, as far as solvers tell that within what they may spend."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from verifier.core.lawful import lawful
from verifier.core.program import Program
from verifier.generate.asks import Ask, Asks
from verifier.model import terms as m
from verifier.model.terms import Term
from verifier.model.types import BOOL
from verifier.prove import company
from verifier.prove.decide import all_visited, beyond
from verifier.prove.desk import Desk
from verifier.prove.everywhere import of_any_size, typed
from verifier.prove.inducing import by_itself, lastingly
from verifier.prove.question import Answer, Never, Obligation, Question, Unknown
from verifier.prove.solve import Settings

Wanted = Literal["kept", "broken"]

Verdict = Literal["proved", "beside", "open"]
"""Of what no lawful round shows: that none can; that it is so beside something that a check finds and, within a scope,
in no lawful play; neither."""

_ANYWHERE = "in no state that the types allow"


@dataclass(frozen=True, slots=True)
class Unmet:
    """A rule that no round exercises, or breaks. `proved`: there can be none that is lawful but for this; else none was
    found. `ever`: nor can there be any other. `why` in words. `beside` is the round, if any, in which the rule is at
    work beside something else; `within` the induction, if any, that has it at work in no lawful play of some scope."""

    rule: str
    wanted: Wanted
    proved: bool
    why: str
    ever: bool = False
    beside: str | None = None
    within: str | None = None

    @property
    def verdict(self) -> Verdict:
        """What is known of it."""
        if self.proved:
            return "proved"
        return "beside" if self.beside is not None and self.within is not None else "open"


@dataclass(slots=True)
class Proofs:
    """What solvers tell of the questions of rules, each asked once.

    Most are asked in vain, and for little. On what would be open in the end as much may be spent as `most` says.
    """

    desk: Desk
    most: Settings | None = None
    _answers: dict[tuple[str, Wanted, Question], tuple[Answer, str]] = field(default_factory=dict)
    _patient: Proofs | None = None

    @property
    def patient(self) -> Proofs:
        """The same, with all that may be spent."""
        if self._patient is None:
            self._patient = self if self.most is None else Proofs(self.desk.spending(self.most))
        return self._patient

    def unmet(self, rule: str, wanted: Wanted, asks: Asks) -> Unmet:
        """Why no round exercises (`kept`) or breaks (`broken`) a rule, as far as that can be told.

        A proof is one of the rule only where it covers every way in which the rule comes to be so, in states of any
        size: with few people and things, or few of the values by which they are told apart, *never* says nothing of
        more.
        """
        if not asks.asks and not asks.beyond:
            return Unmet(rule, wanted, True, _nothing(wanted), ever=True)
        hows: dict[str, None] = {}
        bounds: dict[str, None] = {}
        ever = True
        for ask in asks.asks:
            answer, where = self._settled(rule, wanted, ask.question)
            if not isinstance(answer, Never) and (strict := self._lawfully(ask, wanted)) is not None:
                answer, where = self._settled(rule, wanted, strict)
                ever = False
            if not isinstance(answer, Never):
                looked = self.desk.explorer.scope_text
                why = f"none was found in {looked}, and it is not proved that there is none"
                return Unmet(rule, wanted, False, why)
            if not _of_all(answer):
                bounds[answer.scope] = None
            ever = ever and where == _ANYWHERE
            hows[f"{where} ({', '.join(answer.by)}; {answer.scope})"] = None
        if bounds:
            why = f"there is none within {'; '.join(bounds)}, and it is not proved that there is none beyond"
            return Unmet(rule, wanted, False, why)
        if asks.beyond:
            return Unmet(
                rule, wanted, False, f"none was found, and there is no proof: {'; '.join(asks.beyond)}"
            )
        return Unmet(rule, wanted, True, "proved: " + "; ".join(hows), ever)

    def never(self, rule: str, wanted: Wanted, ask: Ask) -> bool:
        """Whether it is proved of one way in which a rule comes to be kept, lawfully, or broken that it is none."""
        if _of_all(self._answered(rule, wanted, ask.question)[0]):
            return True
        strict = self._lawfully(ask, wanted)
        return strict is not None and _of_all(self._answered(rule, wanted, strict)[0])

    def lawfully_nowhere(self, rule: str, asks: Asks) -> str | None:
        """An induction, in words, by which the rule is exercised in no lawful play of a scope; None for none.

        Each way in which it comes to be so is proved to be none, or asks for a state that lawful play does not reach:
        by conditions that every lawful event keeps, of whatever size, or else as `gazette prove` shows it, within a
        scope and by play where there is more of everything. Of an event it is asked what must be so before it.
        """
        if asks.beyond or not asks.asks:
            return None
        found: dict[str, None] = {}
        for ask in asks.asks:
            if self.never(rule, "kept", ask):
                continue
            answer = self._in_no_play(rule, ask, company.FEW) or self.patient._in_no_play(
                rule, ask, company.MOST
            )
            if answer is None:
                return None
            found[f"{', '.join(answer.by)}; {answer.scope}"] = None
        return "; ".join(found) or None

    def _in_no_play(self, rule: str, ask: Ask, most: int) -> Never | None:
        """That lawful play leads nowhere where the rule is exercised so, by an induction of `most` conditions."""
        claim = f"{rule} is kept in no lawful play"
        obligation = Obligation(
            f"lawfully kept {rule}", "reachable", claim, (rule,), "never", ask.question, ("play",)
        )
        if (lasting := lastingly(self.desk, obligation, "play")) is not None:
            return lasting
        answer = by_itself(self.desk, obligation, "play", most)
        if not isinstance(answer, Never) or beyond(self.desk, obligation, "play") is not None:
            return None
        return answer

    def _lawfully(self, ask: Ask, wanted: Wanted) -> Question | None:
        """The question of an event that breaks nothing and leaves nothing open, where that is what is wanted."""
        question = ask.question
        if wanted != "kept" or question.event is None or ask.actor is None:
            return None
        items = (question.condition, lawful(self.desk.program, question.event, ask.actor))
        return replace(question, condition=m.AndT(BOOL, items))

    def _settled(self, rule: str, wanted: Wanted, question: Question) -> tuple[Answer, str]:
        """The answer, for all that may be spent where solvers else give up."""
        found = self._answered(rule, wanted, question)
        gave_up = isinstance(found[0], Unknown) and not found[0].disagree
        return self.patient._answered(rule, wanted, question) if gave_up else found

    def _answered(self, rule: str, wanted: Wanted, question: Question) -> tuple[Answer, str]:
        """Whether the question is true in some state of lawful play, and where it was looked."""
        key = rule, wanted, question
        if key not in self._answers:
            self._answers[key] = self._asked(rule, wanted, question)
        return self._answers[key]

    def _asked(self, rule: str, wanted: Wanted, question: Question) -> tuple[Answer, str]:
        desk = self.desk
        claim = f"{rule} is {wanted} nowhere"
        obligation = Obligation(f"{wanted} {rule}", "reachable", claim, (rule,), "never", question, ("play",))
        answer = typed(desk, obligation)
        if _of_all(answer):
            return answer, _ANYWHERE
        if _unbroken(desk.program):
            # A part of the question, not a supposition: then its logic alone may tell, whatever the size.
            condition = m.AndT(BOOL, (question.condition, *_unbroken(desk.program)))
            unbroken = replace(obligation, question=replace(question, condition=condition))
            if _of_all(told := typed(desk, unbroken)):
                return told, "in no state in which no rule has been broken"
        explorer = desk.explorer
        if explorer.exhaustion("play").complete and explorer.look(question, "play") is None:
            visited = all_visited(desk, obligation, "play")
            if visited is not None:
                return visited, "in no state that lawful play reaches, all of which were visited"
        return answer, _ANYWHERE


def _of_all(answer: Answer) -> bool:
    """Whether an answer is *never*, and of every state that there is."""
    return isinstance(answer, Never) and (of_any_size(answer) or answer.how == "exhaustion")


def _unbroken(program: Program) -> tuple[Term, ...]:
    """That no rule has been broken of which it is read whether it has."""
    return tuple(m.NotT(BOOL, m.BrokenT(BOOL, index)) for index in range(len(program.ruleset.breaches)))


def _nothing(wanted: str) -> str:
    if wanted == "kept":
        return "nothing that can happen is judged by it and found right"
    return "no event is at fault by it: it only decides for other rules, or asks what no event claims"
