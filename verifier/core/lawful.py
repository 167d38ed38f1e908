"""What makes an event lawful, as one condition on the state: what the judge asks of it, in the core's own terms.

The judge (`verifier.run.judge`) says of an event what is wrong with it; `lawful` says where it finds nothing. The
event is one that can be applied in the state. Where the condition is defined and true the event breaks nothing;
where it is false, or undefined because a decision has a gap or a clash, some rule is broken, disputed or undecided.

It may be true too often, never too seldom, in a state to which lawful events have led:
- what is due `immediately after` an event is no part of the state: that it is passed over is not seen, and an act
  that may do such a duty passes over no other, and is taken for one that it demands;
- a deadline or a permission whose head reads a decision binds nothing;
- a duty due by the end of a life is not seen where it reads how often the event that ends the life has happened;
- a claim that holds for one thing among several may consult answers that are not due yet;
- a rule that reads both a decision and something that is absent binds nothing, where the one or the other might
  leave it undefined.
Once an event has broken something, the judge is silent about a duty that it has charged already, and this is not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from verifier.core.absent import NO, YES, Absent
from verifier.core.absent import all_of as _and
from verifier.core.absent import negated as _not
from verifier.core.absent import some_of as _or
from verifier.core.lower import domain_of, event_variable
from verifier.core.program import EVENT_PREFIX, ActMatch, Duty, EventNorm, Program
from verifier.model import terms as m
from verifier.model.rewrite import substitute
from verifier.model.ruleset import Event, Param
from verifier.model.terms import Term, children, free_variables
from verifier.model.types import BOOL, INT

Part = tuple[str, str, Term]
"""A rule's id (empty where it is the event itself: its claim, its actor, its stock), why the event is wrong where
the term is not true, as the judge names it (`forbidden`, `not permitted`, `late`, ...), and the term."""


def lawful(program: Program, event: str, actor: str) -> Term:
    """Where an event of this kind by `actor` breaks nothing. Its parameters are variables, `EVENT_PREFIX` first."""
    return _and(*(term for _, _, term in parts(program, event, actor)))


def demanded(program: Program, event: str, actor: str) -> Term:
    """That such an event by `actor` does a duty of his, or perhaps one that an earlier event left: then no rule that
    governs it need permit it."""
    return _Judging(program, event, actor).demanded()


def parts(program: Program, event: str, actor: str) -> tuple[Part, ...]:
    """`lawful`, rule by rule: it is the conjunction of the terms. They are kept for the programs last asked about."""
    kept = next((found for known, found in _KEPT if known is program), None)
    if kept is None:
        kept = {}
        _KEPT.insert(0, (program, kept))
        del _KEPT[MOST_KEPT:]
    if (event, actor) not in kept:
        kept[event, actor] = tuple(p for p in _Judging(program, event, actor).parts() if p[2] != YES)
    return kept[event, actor]


def stocks_left(program: Program, event: Event) -> Iterator[Term]:
    """That of each value that the event draws from a stock there is one left; it cannot happen otherwise. Conditions of
    the state before, and of the event's own variables."""
    by = {p.name: event_variable(p) for p in event.params}
    for chance in program.ruleset.chances:
        if chance.event == event.name and chance.stock is not None and chance.latch is not None:
            drawn = m.Count(INT, chance.latch, (event_variable(event.params[chance.parameter]),))
            yield m.CompareT(BOOL, "<", drawn, substitute(chance.stock, by))


MOST_KEPT = 4
"""The parts of so many programs are kept."""

_KEPT: list[tuple[Program, dict[tuple[str, str], tuple[Part, ...]]]] = []


@dataclass(slots=True)
class _Judging:
    """One kind of event by one actor."""

    program: Program
    name: str
    actor: str
    event: Event = field(init=False)
    absent: Absent = field(init=False)
    by: dict[str, Term] = field(init=False)

    def __post_init__(self) -> None:
        self.event = self.program.ruleset.events[self.name]
        self.absent = Absent(self.program)
        self.by = {p.name: event_variable(p) for p in self.event.params}

    def parts(self) -> Iterator[Part]:
        """What the judge asks, in its order; each settled where it reads something absent."""
        for rule, why, term in self._parts():
            yield rule, why, self.absent.settled(term, True)

    def _parts(self) -> Iterator[Part]:
        yield from self._stocks()
        yield from self._prohibitions()
        yield from self._permissions()
        yield from self._at_once()
        yield from self._deadlines()
        yield from self._claims()
        if self.event.by and self.actor not in self.event.by:
            yield "", "actor", NO
        yield from self._ends()

    # ---------------------------------------------------------------------------------- stocks, permissions
    def _stocks(self) -> Iterator[Part]:
        for left in stocks_left(self.program, self.event):
            yield "", "impossible", left

    def _prohibitions(self) -> Iterator[Part]:
        for norm in self.program.prohibitions.get(self.name, ()):
            if self.actor in norm.roles:
                yield norm.rule, "forbidden", _not(self._applies(norm))
        for norm in self.program.endings.get(self.name, ()):
            if self.actor in norm.roles:
                yield norm.rule, "otherwise", _not(self._applies(norm))

    def _permissions(self) -> Iterator[Part]:
        """Where rules govern the event one of them permits it, or a duty demands it. Cited are the actor's own
        rules, or else those that give the act to others."""
        governing = self.program.permissions.get(self.name, ())
        if not governing or self.event.observed:
            return
        own = [norm for norm in governing if self.actor in norm.roles]
        permitted = _or(*(self._applies(norm) for norm in own), self.demanded())
        heads = _or(*(norm.head for norm in own))
        for norm in governing:
            if self.absent.reads(norm.head).decides:
                continue
            instead = NO if norm in own else heads
            yield norm.rule, "not permitted", _or(_not(norm.head), permitted, instead)

    def _applies(self, norm: EventNorm) -> Term:
        return m.CallF(BOOL, norm.applies, tuple(event_variable(p) for p in self.event.params))

    # ----------------------------------------------------------------------------------------------- duties
    def _own(self, *kinds: str) -> list[Duty]:
        """The duties of these kinds that bind the actor; all of them where none are named."""
        found = (duty for duty in self.program.duties if self.actor in duty.roles)
        return [duty for duty in found if not kinds or duty.kind in kinds]

    def demanded(self) -> Term:
        """That the event does a duty of the actor's, or perhaps does one."""
        known = self._own("at once", "before", "by end of")
        return _or(*(self._done(duty) for duty in known), self._perhaps())

    def _perhaps(self) -> Term:
        """That the event is what a duty of the actor's may ask for that an earlier event left."""
        found: Term = NO
        for duty in self._own("immediately after"):
            names = {p.name for p in duty.variables}
            for act in duty.acts:
                if act.event == self.name:
                    fixed = (i for i in _items(act.matches) if not free_variables(i) & names)
                    found = _or(found, _and(*fixed))
        return found

    def _done(self, duty: Duty) -> Term:
        """That a duty is pending which the event does."""
        acts = [act for act in duty.acts if act.event == self.name]
        return _or(*(self._pending(duty, act) for act in acts))

    def _pending(self, duty: Duty, act: ActMatch | None = None) -> Term:
        """That a duty is pending, for values that `act` matches where one is given."""
        body: Term = m.CallF(BOOL, duty.pending, tuple(m.Var(p.type, p.name) for p in duty.variables))
        pinned: dict[str, Term] = {}
        if act is not None:
            for item in _items(act.matches):
                if (name := _pinned(item, duty.variables)) and name not in pinned:
                    pinned[name] = item
                else:
                    body = _and(item, body)
        for variable in reversed(duty.variables):
            domain = domain_of(variable.type)
            if domain is None:
                return NO
            body = m.Quant(BOOL, "some", variable.name, domain, pinned.get(variable.name), body)
        return body

    def _at_once(self) -> Iterator[Part]:
        """While duties are due at once the event does one of them, or perhaps one due after an earlier event."""
        if self.event.observed:
            return
        due = [duty for duty in self._own("at once") if self.program.waits_for(self.name, duty)]
        done = _or(*(self._done(duty) for duty in due), self._perhaps())
        for duty in due:
            yield duty.rule, "skipped", _or(_not(self._pending(duty)), done)

    def _deadlines(self) -> Iterator[Part]:
        for duty in self.program.duties:
            if duty.kind != "before":
                continue
            for act in duty.deadline_acts:
                if act.event == self.name and not self.absent.reads(act.matches).decides:
                    yield duty.rule, "late", _not(self._pending(duty, act))

    def _ends(self) -> Iterator[Part]:
        """The duties due by the end of a life that the event ends, in the state that it leaves."""
        lives = [life.name for life in self.program.ruleset.lives.values() if self.name in life.ends]
        for duty in self.program.duties:
            if duty.kind == "by end of" and duty.life in lives:
                pending = self._pending(duty)
                if not self._counts_itself(pending, set()):
                    yield duty.rule, "late", m.AfterT(BOOL, _not(pending))

    def _counts_itself(self, term: Term, seen: set[str]) -> bool:
        """Whether a term reads history that the event at hand changes: `after(...)` does not show that yet."""
        ruleset = self.program.ruleset
        match term:
            case m.Count(latch=index):
                latch = ruleset.latches[index]
                if self.name in (latch.event, latch.reset):
                    return True
            case m.BrokenT(latch=index):
                return ruleset.breaches[index].reset == self.name
            case m.CallF(function=name) if name not in seen:
                seen.add(name)
                if self._counts_itself(self.program.functions[name].body, seen):
                    return True
            case m.Decide(decision=name) if f"decide {name}" not in seen:
                seen.add(f"decide {name}")
                for case in self.program.decisions[name].cases:
                    called = self.program.functions[case.applies].body
                    if self._counts_itself(called, seen) or self._counts_itself(case.value, seen):
                        return True
            case _:
                pass
        return any(self._counts_itself(child, seen) for child in children(term))

    # ----------------------------------------------------------------------------------------------- claims
    def _claims(self) -> Iterator[Part]:
        """Each claim holds, and the answers that it consults are due. One that nobody can check for want of
        something absent ends the hearing."""
        heard: list[Term] = []
        for claim in self.event.claims:
            term = substitute(claim, self.by)
            for why, asked in (("early", self._due(term)), ("settlement", term)):
                yield "", why, _or(*heard, asked)
                if self.absent.reads(asked).absent:
                    heard.append(_not(self.absent.settled(asked, False)))

    def _due(self, term: Term) -> Term:
        """That the answers are due which are consulted when the condition is judged; those within the arguments of
        an answer are not looked at."""
        if not self._consults(term, set()):
            return YES
        match term:
            case m.Decide(decision=name, args=args):
                decision = self.program.decisions[name]
                by = {p.name: a for p, a in zip(decision.params, args, strict=True)}
                assert decision.asked is not None
                return substitute(decision.asked, by)
            case m.CallF(function=name, args=args):
                function = self.program.functions[name]
                by = {p.name: a for p, a in zip(function.params, args, strict=True)}
                return _and(*map(self._due, args), self._due(substitute(function.body, by)))
            case m.AndT(items=items) | m.OrT(items=items):
                found: Term = YES
                for item in reversed(items):
                    settles = _not(item) if isinstance(term, m.AndT) else item
                    found = _and(self._due(item), YES if found == YES else _or(settles, found))
                return found
            case m.Ite(condition=condition, then=then, otherwise=otherwise):
                branches = m.Ite(BOOL, condition, self._due(then), self._due(otherwise))
                return _and(self._due(condition), branches)
            case m.Quant(kind=kind, var=var, domain=domain, where=where, body=body):
                told = term if kind == "every" else _not(term)
                return _or(_not(told), self._each_due(var, domain, where, body))
            case m.Fold(var=var, domain=domain, where=where, body=value):
                return self._each_due(var, domain, where, value)
            case m.Pick() | m.AfterT():
                return YES
            case _:
                return _and(*map(self._due, children(term)))

    def _each_due(self, var: str, domain: m.Domain, where: Term | None, body: Term | None) -> Term:
        inner = YES if body is None else self._due(body)
        if where is not None:
            inner = _and(self._due(where), YES if inner == YES else _or(_not(where), inner))
        return YES if inner == YES else m.Quant(BOOL, "every", var, domain, None, inner)

    def _consults(self, term: Term, seen: set[str]) -> bool:
        match term:
            case m.Decide(decision=name):
                return self.program.decisions[name].asked is not None
            case m.CallF(function=name) if name not in seen:
                seen.add(name)
                if self._consults(self.program.functions[name].body, seen):
                    return True
            case _:
                pass
        return any(self._consults(child, seen) for child in children(term))


def _items(term: Term) -> tuple[Term, ...]:
    if term == YES:
        return ()
    return term.items if isinstance(term, m.AndT) else (term,)


def _pinned(item: Term, variables: tuple[Param, ...]) -> str | None:
    """The variable of a duty that a conjunct of an act sets equal to a parameter of the event."""
    match item:
        case m.CompareT(op="=", left=m.Var() as left, right=m.Var(name=name)) if left.name.startswith(
            EVENT_PREFIX
        ):
            return name if any(p.name == name and p.type == left.type for p in variables) else None
        case _:
            return None
