"""Events that a mutant judges otherwise than the original, as questions to plays and solvers: what a search may aim at.

They are asked of the original, so what the mutant says is written out wherever it calls something that differs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from verifier.core.absent import NO, YES
from verifier.core.lawful import parts
from verifier.core.lower import event_variable
from verifier.core.program import EVENT_PREFIX, DecisionProgram, Program
from verifier.generate.due import consulted, variables_of
from verifier.model import terms as m
from verifier.model.rewrite import map_children, substitute
from verifier.model.ruleset import Event
from verifier.model.terms import Term, children, free_variables
from verifier.model.types import BOOL
from verifier.prove.question import Question

MOST_NODES = 5_000
"""A question that is larger than this is not asked."""


@dataclass(frozen=True, slots=True)
class Aim:
    """A question whose being true makes a difference likely. Where it names an event, by `actor`; None: by any.
    `alone`: nothing else is wrong with the event then."""

    question: Question
    actor: str | None = None
    alone: bool = False


class _BeyondError(Exception):
    """The mutant counts what the original does not."""


def telling(original: Program, mutant: Program) -> Iterator[Aim]:
    """Events that are at fault in the one program and not in the other, and those that consult an answer, or whose
    amount is right, in the one otherwise than in the other. Each once."""
    opened = _Opened(original, mutant)
    asked: set[Question] = set()
    for event in original.ruleset.events.values():
        for aim in (
            *_faults(original, mutant, event, opened),
            *_answers(original, mutant, event, opened),
            *_doing(original, mutant, event, opened),
        ):
            if aim.question not in asked and not _is_large(aim.question.condition):
                asked.add(aim.question)
                yield aim


def _faults(original: Program, mutant: Program, event: Event, opened: _Opened) -> Iterator[Aim]:
    for actor in event.by or original.ruleset.actors:
        mine, its = (_by_rule(program, event.name, actor) for program in (original, mutant))
        for key in dict.fromkeys((*mine, *its)):
            for left, right in zip_longest(mine.get(key, ()), its.get(key, ()), fillvalue=YES):
                condition = opened.differing(left, right)
                if condition is not None:
                    others = [term for other, terms in mine.items() if other != key for term in terms]
                    yield Aim(Question((), m.AndT(BOOL, (condition, *others)), event.name), actor, True)
                    yield Aim(Question((), condition, event.name), actor)


def _by_rule(program: Program, event: str, actor: str) -> dict[tuple[str, str], list[Term]]:
    """What the judge asks of an event, by rule and by what is wrong."""
    found: dict[tuple[str, str], list[Term]] = {}
    for rule, why, term in parts(program, event, actor):
        found.setdefault((rule, why), []).append(term)
    return found


def _answers(original: Program, mutant: Program, event: Event, opened: _Opened) -> Iterator[Aim]:
    """What a claim consults may have no value, or two: that makes no claim wrong, and yet a fault."""
    actor = (event.by or original.ruleset.actors)[0]
    others = [term for rule, _, term in parts(original, event.name, actor) if rule]
    for one in consulted(original, event):
        name = one.answer.decision
        for mine, its in zip(original.decisions[name].cases, mutant.decisions[name].cases, strict=False):
            if mine.unit != its.unit:
                continue
            by = _by(original.decisions[name], one.answer.args)
            left, right = (m.CallF(BOOL, case.applies, one.answer.args) for case in (mine, its))
            values = opened.differing(substitute(mine.value, by), substitute(its.value, by))
            for condition in (
                opened.differing(left, right),
                None if values is None else m.AndT(BOOL, (left, values)),
            ):
                if condition is not None:
                    whole, params = m.AndT(BOOL, (*one.holding, condition)), variables_of(one.answer)
                    alone = m.AndT(BOOL, (whole, *others))
                    yield Aim(Question(params, alone, event.name), actor, True)
                    yield Aim(Question(params, whole, event.name))
    own: dict[str, Term] = {p.name: event_variable(p) for p in event.params}
    for move in event.moves:
        if move.due is not None:
            due = substitute(move.due, own)
            if (condition := opened.differing(due, due)) is not None:
                yield Aim(Question((), condition, event.name))


def _doing(original: Program, mutant: Program, event: Event, opened: _Opened) -> Iterator[Aim]:
    """What does a duty, or is its deadline, in the one and not in the other, while it is pending."""
    duties = {duty.unit: duty for duty in mutant.duties}
    for mine in original.duties:
        its = duties.get(mine.unit)
        if its is None or its.variables != mine.variables:
            continue
        pending = m.CallF(BOOL, mine.pending, tuple(m.Var(p.type, p.name) for p in mine.variables))
        for ours, theirs in ((mine.acts, its.acts), (mine.deadline_acts, its.deadline_acts)):
            left, right = (
                _any([a.matches for a in acts if a.event == event.name] or [NO]) for acts in (ours, theirs)
            )
            if (condition := opened.differing(left, right)) is not None:
                yield Aim(Question(mine.variables, m.AndT(BOOL, (pending, condition)), event.name))


def _unlike(left: Term, right: Term) -> Term:
    if left.type != BOOL:
        return m.CompareT(BOOL, "!=", left, right)
    one, other = m.AndT(BOOL, (left, m.NotT(BOOL, right))), m.AndT(BOOL, (right, m.NotT(BOOL, left)))
    return m.OrT(BOOL, (one, other))


def _any(items: list[Term]) -> Term:
    return items[0] if len(items) == 1 else m.OrT(BOOL, tuple(items))


def _by(decision: DecisionProgram, args: tuple[Term, ...]) -> dict[str, Term]:
    return {p.name: arg for p, arg in zip(decision.params, args, strict=True)}


# ----------------------------------------------------------------------------------------- the mutant's own words
@dataclass(slots=True)
class _Opened:
    """Terms of a mutant as terms of the original."""

    original: Program
    mutant: Program
    _alike: dict[str, bool] = field(default_factory=dict)
    _bodies: dict[str, Term] = field(default_factory=dict)
    _open: list[str] = field(default_factory=list)

    def differing(self, mine: Term, its: Term) -> Term | None:
        """That the two come out otherwise, `its` being the mutant's; None where they say the same, or where that is no
        question about the original."""
        try:
            right = self.of(its)
        except _BeyondError:
            return None
        if mine == right:
            return None
        whole = _unlike(mine, right)
        values = [_unlike(call, self.of(call)) for call in self._values(mine)]
        # Of which arguments it can come out otherwise is told first: a search then is after nothing else.
        return m.AndT(BOOL, (_any(values), whole)) if values else whole

    def _values(self, mine: Term) -> list[m.CallF]:
        """The calls of functions whose values differ to which a condition of the original comes; none where one is of
        something that a quantifier binds, or where a condition differs by itself."""
        found: dict[m.CallF, None] = {}
        rest = [mine]
        while rest:
            term = rest.pop()
            if isinstance(term, m.CallF) and not self._function(term.function):
                mine_, its = (p.functions.get(term.function) for p in (self.original, self.mutant))
                if mine_ is None or its is None:
                    return []
                if mine_.body == its.body:
                    by = {p.name: arg for p, arg in zip(mine_.params, term.args, strict=True)}
                    rest.append(substitute(mine_.body, by))
                elif term.type == BOOL or any(not n.startswith(EVENT_PREFIX) for n in free_variables(term)):
                    return []
                else:
                    found[term] = None
            rest += children(term)
        return list(found)

    def of(self, term: Term) -> Term:
        """A term of the mutant, with the bodies of what differs in place of the calls."""
        made = map_children(term, self.of)
        match made:
            case m.CallF(function=name, args=args) if not self._function(name):
                function = self.mutant.functions[name]
                by = {p.name: arg for p, arg in zip(function.params, args, strict=True)}
                return substitute(self._body(name, function.body), by)
            case m.Decide(decision=name) if not self._decision(name) and name not in self._open:
                return self._decided(made, self.mutant.decisions[name])
            case m.Count(latch=index):
                return replace(made, latch=self._latch(index))
            case m.BrokenT(latch=index):
                return replace(made, latch=self._breach(index))
            case _:
                return made

    def _body(self, name: str, body: Term) -> Term:
        if name not in self._bodies:
            self._bodies[name] = self.of(body)
        return self._bodies[name]

    def _decided(self, term: m.Decide, decision: DecisionProgram) -> Term:
        """The value of the first case that applies; where none does what the original has."""
        self._open.append(decision.name)
        found: Term = term
        by = _by(decision, term.args)
        for case in reversed(decision.cases):
            applies = self.of(m.CallF(BOOL, case.applies, term.args))
            found = m.Ite(term.type, applies, substitute(self.of(case.value), by), found)
        self._open.pop()
        return found

    def _latch(self, index: int) -> int:
        mine, its = self.original.ruleset.latches, self.mutant.ruleset.latches
        if its[index] not in mine:
            raise _BeyondError
        return mine.index(its[index])

    def _breach(self, index: int) -> int:
        mine, its = self.original.ruleset.breaches, self.mutant.ruleset.breaches
        if its[index] not in mine:
            raise _BeyondError
        return mine.index(its[index])

    # ------------------------------------------------------------------------------------------ what is the same
    def _function(self, name: str) -> bool:
        """Whether a function of the mutant is the original's, with all that it calls."""
        if name not in self._alike:
            mine, its = self.original.functions.get(name), self.mutant.functions.get(name)
            self._alike[name] = (
                mine is not None
                and its is not None
                and (mine.params, mine.body) == (its.params, its.body)
                and self._reads_alike(its.body)
            )
        return self._alike[name]

    def _decision(self, name: str) -> bool:
        key = f"decide {name}"
        if key not in self._alike:
            self._alike[key] = True  # decisions may read one another
            mine, its = self.original.decisions[name], self.mutant.decisions[name]
            self._alike[key] = mine.cases == its.cases and all(
                self._function(case.applies) and self._reads_alike(case.value) for case in its.cases
            )
        return self._alike[key]

    def _reads_alike(self, term: Term) -> bool:
        match term:
            case m.CallF(function=name):
                alike = self._function(name)
            case m.Decide(decision=name):
                alike = self._decision(name)
            case m.Count(latch=index):
                latches = self.original.ruleset.latches
                alike = latches[index : index + 1] == (self.mutant.ruleset.latches[index],)
            case m.BrokenT(latch=index):
                breaches = self.original.ruleset.breaches
                alike = breaches[index : index + 1] == (self.mutant.ruleset.breaches[index],)
            case _:
                alike = True
        return alike and all(map(self._reads_alike, children(term)))


def _is_large(term: Term) -> bool:
    """Whether a term has too many nodes, what stands twice counted twice."""
    rest, count = [term], 0
    while rest and count <= MOST_NODES:
        count += 1
        rest += children(rest.pop())
    return count > MOST_NODES
