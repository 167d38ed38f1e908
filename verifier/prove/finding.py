"""Findings: obligations that do not hold, put into words that a drafter or an auditor can follow.

Everything here is text: the clauses with the law's own words, the witness event by event as the interpreter replayed
it, what each rule at issue says in the state that it leads to, and what keeps lawful play from getting there.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from verifier.core.program import EVENT_PREFIX, Program
from verifier.model import terms as m
from verifier.model.domains import HIDDEN
from verifier.model.names import name_of
from verifier.model.ruleset import Contribution, Param, Ruleset, Unit
from verifier.model.show import APPLIES, OTHERWISE, cite, show_unit
from verifier.model.terms import Term, free_variables
from verifier.model.types import BOOL
from verifier.model.values import show
from verifier.prove.question import (
    Answer,
    Decided,
    Kind,
    Never,
    Obligation,
    Play,
    Question,
    Sometimes,
    Unknown,
)
from verifier.run.account import DecisionWord
from verifier.run.apply import CannotApply, apply, compile_mechanics
from verifier.run.bench import Happening
from verifier.run.facts import Conjunct, Fact, Scope, Truth, asks_rules, conjuncts_of
from verifier.run.grounds import Grounds, scope_of
from verifier.run.judge import Judge
from verifier.run.state import State
from verifier.run.undefined import Undefined

Where = Literal["in play", "in words only", "in words", "nowhere", "nowhere in play", "in the text"]
"""Where the fault shows: in lawful play; in what the words allow, but never in lawful play; in what the words allow,
and nobody could tell of play; a thing that should be possible is so nowhere, or nowhere in lawful play; in the text
of the law or the ruleset itself."""


@dataclass(frozen=True, slots=True)
class Cited:
    """A rule with the words it formalises (`quote`), and its clause with all its words."""

    rule: str
    clause: str
    quote: str
    words: str


@dataclass(frozen=True, slots=True)
class Move:
    """One event of a witness, numbered from 1; `breaks` are the rules that the judge found not kept by it.

    What is observed is nobody's act: its `actor` is empty.
    """

    number: int
    actor: str
    event: str
    breaks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Applied:
    """A duty, prohibition or permission at issue, what it says, whether it applies, and its condition by conjuncts."""

    rule: str
    says: str
    applies: Truth
    condition: tuple[Conjunct, ...]


@dataclass(frozen=True, slots=True)
class Witness:
    """How it comes about: by `moves` from an empty table; where not `played`, in a state that the types allow.

    `event` is the event at issue, where it is about one; `values` are those of the question's variables; `conditions`
    what is asked, conjunct by conjunct, `norms` the duties, prohibitions and permissions that it asks about;
    `decisions` what all rules say of the decisions at issue; `facts` the values read. Amounts are in minor units.
    """

    options: tuple[tuple[str, str], ...]
    played: bool
    moves: tuple[Move, ...]
    event: str | None
    values: tuple[tuple[str, str], ...]
    conditions: tuple[Conjunct, ...]
    norms: tuple[Applied, ...]
    decisions: tuple[DecisionWord, ...]
    facts: tuple[Fact, ...]

    @property
    def lawful(self) -> bool:
        """Whether there is a play and it breaks no rule."""
        return self.played and not any(move.breaks for move in self.moves)


@dataclass(frozen=True, slots=True)
class Finding:
    """An obligation that does not hold. `id` is what `accepted finding` names it by.

    `says` is one sentence on where it shows; `kept_by` are the rules that the witness breaks on its way, where lawful
    play never gets there; `accepted` is the reason for which the ruleset accepts it.
    """

    id: str
    obligation: str
    kind: Kind
    claim: str
    where: Where
    says: str
    about: tuple[str, ...]
    clauses: tuple[Cited, ...]
    witness: Witness | None
    kept_by: tuple[Cited, ...]
    region: tuple[str, ...] = ()
    looked: tuple[str, ...] = ()
    accepted: str | None = None


# ------------------------------------------------------------------------------------------------------ names
def names_of(obligations: Iterable[Obligation]) -> dict[str, str]:
    """The name of each obligation by its id; where two would be alike both end with part of their id's SHA-256."""
    ids = [obligation.id for obligation in obligations]
    often = Counter(map(name_of, ids))
    return {
        id: name
        if often[name := name_of(id)] == 1
        else f"{name}_{hashlib.sha256(id.encode()).hexdigest()[:6]}"
        for id in ids
    }


# ------------------------------------------------------------------------------------------------- the verdict
def refutation(decided: Decided) -> tuple[Where, Answer | None] | None:
    """Where an obligation fails, with the answer that shows it; None where it does not fail."""
    obligation, words, play = decided.obligation, decided.words, decided.play
    if obligation.question is None:
        return None if obligation.told is None else ("in the text", None)
    if obligation.wanted == "sometimes":
        if isinstance(words, Never):
            return "nowhere", words
        if isinstance(play, Never):
            return ("nowhere" if words is None else "nowhere in play"), play
        return None
    if isinstance(play, Sometimes):
        return "in play", play
    if isinstance(words, Sometimes):
        return ("in words only" if isinstance(play, Never) else "in words"), words
    return None


def unknown(decided: Decided) -> Unknown | None:
    """The answer that leaves an obligation open, one that disagrees before others."""
    open_ = [answer for answer in (decided.words, decided.play) if isinstance(answer, Unknown)]
    return next((answer for answer in open_ if answer.disagree), open_[0] if open_ else None)


# ----------------------------------------------------------------------------------------------------- telling
@dataclass(slots=True)
class Teller:
    """Puts refuted obligations of one program into words."""

    program: Program
    names: Mapping[str, str]
    _grounds: dict[tuple[tuple[str, object], ...], Grounds] = field(default_factory=dict)

    @property
    def ruleset(self) -> Ruleset:
        return self.program.ruleset

    def finding(self, decided: Decided, region: tuple[str, ...] = ()) -> Finding:
        """The finding of an obligation that `refutation` says fails. Raises `ValueError` where it does not."""
        refuted = refutation(decided)
        if refuted is None:
            raise ValueError(f"{decided.obligation.id} does not fail")
        where, answer = refuted
        obligation = decided.obligation
        witness = None
        kept_by: tuple[Cited, ...] = ()
        if where == "nowhere in play" and isinstance(decided.words, Sometimes):
            answer = decided.words
        if isinstance(answer, Sometimes) and obligation.question is not None:
            claimed = obligation.kind in ("theorem", "invariant")
            denied = [n.condition for n in obligation.question.none] if claimed else []
            witness = self.witness(obligation.question, answer, denied)
            if where.startswith("in words") and answer.play is not None:
                kept_by = self.cited(answer.play.broken)
        name = self.names.get(obligation.id) or name_of(obligation.id)
        return Finding(
            name,
            obligation.id,
            obligation.kind,
            obligation.claim,
            where,
            _says(where, decided),
            obligation.about,
            self.cited(obligation.rules),
            witness,
            kept_by,
            region,
            _looked(decided),
            self.ruleset.accepted.get(name),
        )

    def cited(self, rules: Iterable[str]) -> tuple[Cited, ...]:
        """The rules with their own words and those of their clauses; what is no rule is left out."""
        found: list[Cited] = []
        for name in dict.fromkeys(rules):
            rule = self.ruleset.rules.get(name)
            if rule is not None:
                words = self.ruleset.laws[rule.module].clause(rule.address).text
                found.append(Cited(rule.id, rule.address, rule.quote, words))
        return tuple(found)

    # ------------------------------------------------------------------------------------------- the witness
    def witness(self, question: Question, answer: Sometimes, denied: Sequence[Term] = ()) -> Witness:
        """How the question comes to be true, evaluated by the interpreter in the state that was found.

        `denied` are conditions that were claimed, and do not hold there.
        """
        grounds = self._enter(answer, question)
        scope = self._scope(question, answer)
        conditions = [c for c in conjuncts_of([question.condition]) if c != m.Lit(BOOL, True)]
        conditions += [term.of if isinstance(term, m.NotT) else m.NotT(BOOL, term) for term in denied]
        asked = list(dict.fromkeys(self._at_issue(grounds, conditions, scope)))
        decisions = tuple(
            grounds.decision(self.program.decisions[name], args)
            for name, args in dict.fromkeys((self._decision_of(name), args) for name, args in asked)
            if name is not None
        )
        norms = [(name, args) for name, args in asked if self._decision_of(name) is None]
        told = {fact.text for decision in decisions for fact in decision.facts}
        facts = {fact.text: fact for fact in grounds.reading.facts(conditions, scope)}
        for name, args in norms:
            facts |= {f.text: f for f in grounds.reading.facts(*self._own(name, args)) if f.text not in facts}
        return Witness(
            tuple(
                (name, show(self.ruleset.options[name].type, value))
                for name, value in answer.options.items()
                if name in self.ruleset.options
            ),
            answer.play is not None,
            self._moves(answer.play),
            self._event_words(question, answer),
            tuple(
                (p.name, show(p.type, answer.values[p.name]))
                for p in question.params
                if p.name in answer.values
            ),
            tuple(
                grounds.reading.conjunct(c, scope)
                for c in conditions
                if not asks_rules(c) and not (isinstance(c, m.Quant) and c.var == HIDDEN)
            ),
            tuple(self._applied(grounds, name, args) for name, args in norms),
            decisions,
            tuple(fact for fact in facts.values() if fact.text not in told),
        )

    def _enter(self, answer: Sometimes, question: Question) -> Grounds:
        """The interpreter in the answer's state, with the state that the event leaves where there is one."""
        key = tuple(sorted(answer.options.items(), key=lambda item: item[0]))
        if key not in self._grounds:
            self._grounds[key] = Grounds(Judge(self.program, dict(answer.options)))
        grounds = self._grounds[key]
        judge = grounds.judge
        judge.bench.state = judge.bench.before = answer.state
        judge.machine.enter(answer.state)
        values = self._event_values(question, answer)
        if question.event is not None and values is not None:
            after: State | None
            try:
                after = apply(judge.machine, compile_mechanics(judge.machine, question.event), values)
            except CannotApply:
                after = None
            judge.machine.enter(answer.state, after)
        return grounds

    def _event_params(self, question: Question) -> tuple[Param, ...]:
        return () if question.event is None else self.ruleset.events[question.event].params

    def _event_values(self, question: Question, answer: Sometimes) -> tuple[Any, ...] | None:
        """The event's arguments, None where the answer lacks one."""
        names = [EVENT_PREFIX + p.name for p in self._event_params(question)]
        return tuple(answer.values[n] for n in names) if all(n in answer.values for n in names) else None

    def _event_words(self, question: Question, answer: Sometimes) -> str | None:
        values = self._event_values(question, answer)
        if question.event is None or values is None:
            return None
        return self.act_words(Happening(question.event, "", values))

    def _scope(self, question: Question, answer: Sometimes) -> Scope:
        """The variables of the condition with their types and values."""
        params = [
            *question.params,
            *(Param(EVENT_PREFIX + p.name, p.type) for p in self._event_params(question)),
        ]
        return {p.name: (p.type, answer.values[p.name]) for p in params if p.name in answer.values}

    def _moves(self, play: Play | None) -> tuple[Move, ...]:
        if play is None:
            return ()
        steps = zip(play.happenings, play.breaches, strict=True)
        return tuple(
            Move(number, self._actor(happening), self.act_words(happening), breaks)
            for number, (happening, breaks) in enumerate(steps, 1)
        )

    def _actor(self, happening: Happening) -> str:
        return "" if self.ruleset.events[happening.event].observed else happening.actor

    def act_words(self, happening: Happening) -> str:
        """An event as a rule writes it: `deal(B1H1, As)`."""
        params = self.ruleset.events[happening.event].params
        if not params:
            return happening.event
        values = (show(p.type, v) for p, v in zip(params, happening.values, strict=True))
        return f"{happening.event}({', '.join(values)})"

    def _at_issue(
        self, grounds: Grounds, conditions: Iterable[Term], scope: Scope
    ) -> Iterator[tuple[str, tuple[Any, ...]]]:
        """The decisions, and the functions that ask whether a rule applies, of which the conditions speak."""
        for term in conditions:
            match term:
                case m.Decide(decision=name, args=args):
                    pass
                case m.CallF(function=name, args=args) if name.startswith(APPLIES):
                    pass
                case _:
                    name, args = "", ()
            if name and free_variables(term) <= set(scope):
                with contextlib.suppress(Undefined):
                    yield name, tuple(grounds.reading.value(arg, scope) for arg in args)
            inner = scope
            if isinstance(term, m.Quant | m.Fold | m.Pick):
                # What it binds may be called as something outside is, and is not that.
                inner = {known: value for known, value in scope.items() if known != term.var}
            yield from self._at_issue(grounds, m.children(term), inner)

    def _unit(self, function: str) -> Unit | None:
        """The unit that a function of the core asks about (`applies 5.1 #1`, `applies 5.2 to deal`)."""
        name = function.removeprefix(APPLIES)
        unit, _, event = name.rpartition(" to ")
        return self.ruleset.units.get(name) or (
            self.ruleset.units.get(unit.removesuffix(OTHERWISE)) if event in self.ruleset.events else None
        )

    def _decision_of(self, name: str) -> str | None:
        """The decision that is asked for, by its name or by a rule that gives it."""
        if not name.startswith(APPLIES):
            return name
        unit = self._unit(name)
        return unit.decision if isinstance(unit, Contribution) else None

    def _own(self, function: str, args: tuple[Any, ...]) -> tuple[list[Term], Scope]:
        """A rule's own condition, without what displaces it, and the values of its variables."""
        found = self.program.functions[function]
        return [c for c in conjuncts_of([found.body]) if not asks_rules(c)], scope_of(found.params, args)

    def _applied(self, grounds: Grounds, function: str, args: tuple[Any, ...]) -> Applied:
        conditions, scope = self._own(function, args)
        unit = self._unit(function)
        return Applied(
            function.removeprefix(APPLIES) if unit is None else cite(unit.id),
            "" if unit is None else show_unit(unit, grounds.names),
            grounds.truth(function, args)[0],
            tuple(grounds.reading.conjunct(c, scope) for c in conditions),
        )


def _says(where: Where, decided: Decided) -> str:
    match where:
        case "in play":
            return "This does not hold: play that breaks no rule leads to it."
        case "in words only":
            return "This does not hold in words: the clauses allow it. In play it holds: lawful play never leads there."
        case "in words":
            open_ = isinstance(decided.play, Unknown)
            return "This does not hold in words: the clauses allow it." + (
                " Whether lawful play can lead there is undecided." if open_ else ""
            )
        case "nowhere" if decided.words is None:
            return "This does not hold: no lawful play leads there."
        case "nowhere":
            return "This does not hold: it is so in no state there is."
        case "nowhere in play" if "play" not in decided.obligation.modes:
            return "This does not hold in play: the words allow it, but no play leads there, lawful or not."
        case "nowhere in play":
            return "This does not hold in play: the words allow it, but no lawful play leads there."
        case "in the text":
            return decided.obligation.told or ""


def _looked(decided: Decided) -> tuple[str, ...]:
    """How a `never` that a finding rests on was found."""
    return tuple(
        f"in {mode}: {answer_words(answer)}"
        for mode, answer in (("words", decided.words), ("play", decided.play))
        if isinstance(answer, Never)
    )


HOW = {
    "typed": "in every state that the types allow",
    "induction": "by induction over events",
    "exhaustion": "every state visited",
}


def answer_words(answer: Answer) -> str:
    """An answer in a few words, with its scope."""
    match answer:
        case Never(how=how, scope=scope, by=by, using=using):
            needs = f", using {', '.join(using)}" if using else ""
            return f"never, {HOW[how]} ({scope}; {', '.join(by)}{needs})"
        case Sometimes(scope=scope, by=by, play=play):
            found = "in a state that the types allow" if play is None else "by a play"
            return f"sometimes, {found} ({'; '.join(x for x in (scope, ', '.join(by)) if x)})"
        case Unknown(why=why):
            return f"unknown: {why}"
