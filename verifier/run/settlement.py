"""Settlement is a claim: what it says of the decisions must be what the rules give, and be due."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from verifier.model import terms as m
from verifier.model.ruleset import Event, Moves
from verifier.model.terms import Term
from verifier.model.types import PARTY
from verifier.model.values import show, unrecorded_in
from verifier.run.bench import Bench, Happening, verdict_for
from verifier.run.debts import Debt, debts_of
from verifier.run.operators import Closure
from verifier.run.readings import wrong_by_all
from verifier.run.undefined import Reason, Undefined, untold
from verifier.run.verdict import Judgement, Kind, Short, Subject, Verdict

Consulted = list[tuple[str, tuple[Any, ...]]]
"""Decisions read, with their arguments."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One conjunct of what an event claims, and the decisions it is about."""

    holds: Closure
    about: frozenset[str]
    single: frozenset[str]
    """Those of which it reads one answer at most."""


@dataclass(frozen=True, slots=True)
class _Asker:
    """A rule that says when an answer is due, and the part of it that the arguments alone decide."""

    rule: str
    due: Closure
    fixed: tuple[Closure, ...]


@dataclass(slots=True)
class _Hearing:
    """What one look at an event's claims finds, before it is counted."""

    good: bool = True
    untold: frozenset[Reason] = frozenset()
    """Why the claim that is not good cannot be checked, where that is so."""
    judgements: list[Judgement] = field(default_factory=list)
    counts: list[tuple[str, Verdict, frozenset[Reason]]] = field(default_factory=list)

    @property
    def disputed(self) -> bool:
        """Whether rules clash over the claim that is not good."""
        return any(one.verdict == "disputed" and one.kind == "settlement" for one in self.judgements)


@dataclass(slots=True)
class Settlement:
    """The claims and the money of one table's events."""

    bench: Bench
    claims: dict[str, list[Claim]] = field(default_factory=dict)
    asked: dict[str, Closure | None] = field(default_factory=dict)
    askers: dict[str, list[_Asker]] = field(default_factory=dict)
    moves: dict[str, list[tuple[Closure, Closure, Closure, Closure | None]]] = field(default_factory=dict)
    debts: Mapping[str, tuple[Debt | None, ...]] = field(default_factory=dict)
    settled: tuple[Subject, ...] = ()
    """What the last event has settled as it should: all that it moves where its claims were good, else those of its
    sums that are what was due."""

    def __post_init__(self) -> None:
        self.debts = self.debts or debts_of(self.bench.program.ruleset)

    def judge(
        self, event: Event, happening: Happening, lawful: Callable[[Happening], bool]
    ) -> list[Judgement]:
        """What is wrong with the event's claims; the first that fails stands for the rest.

        Where the log does not tell the order of such events, the claim is good if there was a moment in its
        round, up to where the log has it, at which it would have been, and the event `lawful`.
        """
        hearing = self._hear(event, happening)
        if event.name in self.bench.recording.unordered and not hearing.good:
            machine = self.bench.machine
            here, after, at_end = machine.state, machine.after, machine.at_end
            for state in reversed(self.bench.past):
                machine.enter(state)
                earlier = self._hear(event, happening)
                if earlier.good and lawful(happening):
                    hearing = earlier
                    break
            machine.enter(here, after, at_end)
        for rule, verdict, reasons in hearing.counts:
            self.bench.count(rule, verdict, reasons)
        self.settled = self._settled(event, happening, hearing)
        return hearing.judgements

    def _settled(self, event: Event, happening: Happening, hearing: _Hearing) -> tuple[Subject, ...]:
        found: list[Subject] = []
        wrong = any(j.verdict == "broken" and j.kind == "settlement" for j in hearing.judgements)
        if hearing.good or wrong:
            for place in range(len(event.moves)):
                right = hearing.good or self._difference(event, place, happening) == 0
                subject = self.subject(event.name, place, happening.values) if right else None
                found += [] if subject is None else [subject]
        return tuple(found)

    def subject(self, event: str, place: int, values: Sequence[Any]) -> Subject | None:
        """The debt that one of an event's `moves` settles; None where it settles none, or the log does not tell."""
        debt = self.debts[event][place]
        if debt is None or any(unrecorded_in(values[i]) for i in debt.reads):
            return None
        *_, life = self.bench.program.ruleset.lives
        _, source, target, _ = self.moves_of(event)[place]
        payer, payee = self._party(source, values), self._party(target, values)
        parties = (payee, payer) if debt.back else (payer, payee)
        return Subject(life, (debt.name, debt.place), tuple(values[i] for i in debt.reads), parties)

    def _party(self, who: Closure, values: Sequence[Any]) -> str | None:
        try:
            return show(PARTY, who(list(values)))
        except Undefined:
            return None

    def consulted_by(self, event: Event, happening: Happening) -> Consulted:
        """The decisions that the event's claims are about, with their arguments, in the order they are read."""
        found: dict[tuple[str, tuple[Any, ...]], None] = {}
        for claim in self._claims_of(event):
            consulted: Consulted = []
            with contextlib.suppress(Undefined):
                self._consult(claim, list(happening.values), consulted)
            found.update(dict.fromkeys((name, args) for name, args in consulted if name in claim.about))
        return list(found)

    def _hear(self, event: Event, happening: Happening) -> _Hearing:
        hearing, kept = _Hearing(), list[tuple[str, Verdict, frozenset[Reason]]]()
        claims = self._claims_of(event)
        for number, claim in enumerate(claims):
            self._hear_claim(claim, event, happening, hearing)
            if hearing.disputed and (wrong := self._wrong_by_all(claims[number:], happening)) is not None:
                return replace(wrong, counts=kept + wrong.counts)
            kept = list(hearing.counts)
            if not hearing.good:
                self._unheard(claims[number:], happening, hearing)
                break
        return hearing

    def _unheard(self, claims: list[Claim], happening: Happening, hearing: _Hearing) -> None:
        """Where a claim is not checkable nobody can tell what it is, or those after it, that is wrong: all rules that
        may give or ask for what they speak of, and are not counted yet, cannot be checked."""
        reasons = hearing.untold
        if not untold(reasons):
            return
        counted = {rule for rule, _, _ in hearing.counts}
        rules: dict[str, None] = {}
        for claim in claims:
            ever: dict[tuple[str, tuple[Any, ...]], None] = {}
            with contextlib.suppress(Undefined):
                self._consult(claim, list(happening.values), [], ever)
            for name in sorted(claim.about):
                rules.update(dict.fromkeys(self._possible(name, claim, list(ever))))
        hearing.counts += [(rule, "not checkable", reasons) for rule in rules if rule not in counted]

    def _possible(self, name: str, claim: Claim, consulted: Consulted) -> Iterator[str]:
        """The rules that may give a claim the answer of a decision, or ask for it. Where nobody can doubt of what it is
        asked, rules that speak of something else are not among them."""
        told = [args for decision, args in consulted if decision == name]
        if name in claim.single and len(told) == 1:
            sure, maybe, _ = self.bench.machine.cases(name, told[0])
            yield from (self.bench.rule_of(unit) for _, unit in (*sure, *maybe))
            yield from self._relevant(name, told[0])
        else:
            decision = self.bench.program.decisions[name]
            yield from (self.bench.rule_of(case.unit) for case in decision.cases)
            yield from (rule for rule, _ in decision.askers)

    def _hear_claim(self, claim: Claim, event: Event, happening: Happening, hearing: _Hearing) -> None:
        consulted: Consulted = []
        holds: bool | None = None
        reasons: frozenset[Reason] = frozenset()
        try:
            holds = self._consult(claim, list(happening.values), consulted)
        except Undefined as undefined:
            reasons = undefined.reasons
        about = [(name, args) for name, args in dict.fromkeys(consulted) if name in claim.about]
        if self._early(about, hearing):
            return
        givers = self._givers(about)
        rules = tuple(dict.fromkeys(rule for _, rule in givers))
        if holds is None:
            self._unclear(about, rules, reasons, hearing)
            return
        hearing.counts += [(rule, "kept" if holds else "broken", frozenset()) for rule in rules]
        hearing.counts += [(rule, "kept", frozenset()) for rule in self._asking(about) if rule not in rules]
        if holds:
            return
        hearing.good = False
        values = tuple((self._decided(name, args), self._decided_value(name, args)) for name, args in about)
        units = tuple(unit for unit, _ in givers)
        short, *besides = self.shorts(event, happening) or (None,)
        hearing.judgements.append(
            Judgement(
                "broken", "settlement", rules, units, values=values, short=short, besides=tuple(besides)
            )
        )

    def _wrong_by_all(self, claims: list[Claim], happening: Happening) -> _Hearing | None:
        """What is wrong with claims that are so whichever of the rules that clash is followed; None where they are
        right or open by some. Of the money nobody can tell."""
        machine = self.bench.machine

        def hold(read: Consulted) -> bool:
            for claim in claims:
                consulted: Consulted = []
                try:
                    if not self._consult(claim, list(happening.values), consulted):
                        return False
                finally:
                    read += [asked for asked in consulted if asked[0] in claim.about]
            return True

        readings = wrong_by_all(machine, hold)
        if readings is None:
            return None
        about = list(readings.read)
        givers = self._givers(about)
        rules = tuple(dict.fromkeys(rule for _, rule in givers))
        decisions = self.bench.program.decisions

        def value(name: str, args: tuple[Any, ...]) -> str:
            several = readings.clashing.get((name, args))
            if several is None:
                return self._decided_value(name, args)
            return " or ".join(show(decisions[name].type, one) for one in several)

        values = tuple((self._decided(name, args), value(name, args)) for name, args in about)
        units = tuple(unit for unit, _ in givers)
        asking = [rule for rule in self._asking(about) if rule not in rules]
        counts: list[tuple[str, Verdict, frozenset[Reason]]]
        counts = [(rule, "broken", frozenset()) for rule in rules]
        counts += [(rule, "kept", frozenset()) for rule in asking]
        return _Hearing(
            False, judgements=[Judgement("broken", "contested", rules, units, values=values)], counts=counts
        )

    def _unclear(
        self, about: Consulted, rules: tuple[str, ...], reasons: frozenset[Reason], hearing: _Hearing
    ) -> None:
        """A claim that nobody can judge: counted against the rules that clash, or gave a value, or ask for one."""
        asking = tuple(rule for name, args in about for rule in self._relevant(name, args))
        involved = tuple(dict.fromkeys(self.bench.rule_of(u) for r in reasons for u in r.units))
        named = involved or rules or asking
        verdict = verdict_for(reasons)
        hearing.good = False
        hearing.untold = reasons if verdict == "not checkable" else frozenset()
        hearing.counts += [(rule, verdict, reasons) for rule in named]
        if verdict != "not checkable":
            units = tuple(dict.fromkeys(u for r in reasons for u in r.units))
            hearing.judgements.append(
                Judgement(verdict, "settlement", named, units, reasons=tuple(sorted(reasons)))
            )

    def _consult(
        self,
        claim: Claim,
        frame: list[Any],
        consulted: Consulted,
        ever: dict[tuple[str, tuple[Any, ...]], None] | None = None,
    ) -> bool:
        """Whether a claim holds, and what it reads for that; `ever`: under any value of the options not stated."""
        machine = self.bench.machine

        def run() -> Any:
            consulted.clear()
            machine.consulted = consulted
            machine.memo = {}
            try:
                return claim.holds(frame)
            finally:
                machine.consulted = None
                if ever is not None:
                    ever.update(dict.fromkeys(consulted))

        return bool(self.bench.ask(run))

    def _claims_of(self, event: Event) -> list[Claim]:
        if event.name not in self.claims:
            names = [p.name for p in event.params]
            self.claims[event.name] = [
                Claim(
                    self.bench.machine.closure(c, names),
                    frozenset(self._about(c, frozenset())),
                    frozenset(
                        name
                        for name, n in Counter(n for n, _ in self._read(c, frozenset())).items()
                        if n == 1
                    ),
                )
                for c in event.claims
            ]
        return self.claims[event.name]

    def _about(self, term: Term, seen: frozenset[str]) -> set[str]:
        """The decisions that a claim speaks of, directly or through defines; not those within their arguments."""
        match term:
            case m.Decide(decision=name):
                return {name}
            case m.CallF(function=name, args=args) if name not in seen:
                body = self.bench.program.functions[name].body
                inside = [self._about(a, seen) for a in args]
                return set().union(self._about(body, seen | {name}), *inside)
            case _:
                return set().union(*(self._about(child, seen) for child in m.children(term)))

    def _read(self, term: Term, seen: frozenset[str]) -> set[tuple[str, object]]:
        """The decisions of `_about`, each with the terms that it is asked of. Where one place may read several answers,
        or those of another state, it is as if there were two."""
        match term:
            case m.Decide(decision=name, args=args):
                return {(name, args)}
            case m.CallF(function=name, args=args) if name not in seen:
                found = self._read(self.bench.program.functions[name].body, seen | {name})
                return found.union(*(self._read(a, seen) for a in args))
            case _:
                found = set[tuple[str, object]]().union(*(self._read(c, seen) for c in m.children(term)))
                several = isinstance(term, m.Quant | m.Fold | m.Pick | m.AfterT)
                return found | {(name, None) for name, _ in found} if several else found

    def _givers(self, consulted: Consulted) -> list[tuple[str, str]]:
        """The units, with their rules, that gave the values of the decisions consulted, or else may have."""
        found: dict[tuple[str, str], None] = {}
        for name, args in dict.fromkeys(consulted):
            sure, maybe, _ = self.bench.machine.cases(name, args)
            for _, unit in sure or maybe:
                found[unit, self.bench.rule_of(unit)] = None
        return list(found)

    def _decided(self, name: str, args: tuple[Any, ...]) -> str:
        params = self.bench.program.decisions[name].params
        if not params:
            return name
        return f"{name}({', '.join(show(p.type, a) for p, a in zip(params, args, strict=True))})"

    def _decided_value(self, name: str, args: tuple[Any, ...]) -> str:
        try:
            return show(self.bench.program.decisions[name].type, self.bench.machine.decide(name, args))
        except Undefined:
            return "undefined"

    def _early(self, consulted: Consulted, hearing: _Hearing) -> bool:
        """Whether an answer is consulted that is not due yet."""
        for name, args in dict.fromkeys(consulted):
            asked = self._asked_closure(name)
            if asked is None:
                continue
            try:
                due = self.bench.ask(lambda: asked(list(args)))  # noqa: B023 - run before the loop goes on
            except Undefined as undefined:
                rules = tuple(self._relevant(name, args))
                verdict = verdict_for(undefined.reasons)
                hearing.good = False
                hearing.untold = undefined.reasons if verdict == "not checkable" else frozenset()
                hearing.counts += [(rule, verdict, undefined.reasons) for rule in rules]
                if verdict != "not checkable":
                    reasons = tuple(sorted(undefined.reasons))
                    hearing.judgements.append(Judgement(verdict, "early", rules, (), reasons=reasons))
                return True
            if not due:
                rules = self._concerned(name, args)
                hearing.good = False
                hearing.counts += [(rule, "broken", frozenset()) for rule in rules]
                kind: Kind = "early" if rules else "unasked"
                values = ((self._decided(name, args), "not due" if rules else "asked for by no rule"),)
                hearing.judgements.append(Judgement("broken", kind, rules, (), values=values))
                return True
        return False

    def _asked_closure(self, name: str) -> Closure | None:
        if name not in self.asked:
            decision = self.bench.program.decisions[name]
            self.asked[name] = (
                None
                if decision.asked is None
                else self.bench.machine.closure(decision.asked, [p.name for p in decision.params])
            )
        return self.asked[name]

    def _askers(self, name: str) -> list[_Asker]:
        if name not in self.askers:
            decision = self.bench.program.decisions[name]
            names = [p.name for p in decision.params]
            close = self.bench.machine.closure
            self.askers[name] = [
                _Asker(
                    rule,
                    close(term, names),
                    tuple(close(t, names) for t in spoken_of(term)),
                )
                for rule, term in decision.askers
            ]
        return self.askers[name]

    def _relevant(self, name: str, args: tuple[Any, ...]) -> list[str]:
        """The rules whose `asked` speaks of such arguments: what they fix of the arguments alone is met."""
        frame = list(args)
        found = (a.rule for a in self._askers(name) if all(fixed(frame) for fixed in a.fixed))
        return list(dict.fromkeys(found))

    def _asking(self, consulted: Consulted) -> list[str]:
        """The rules by which the answers consulted are due."""
        found: dict[str, None] = {}
        for name, args in consulted:
            frame = list(args)
            for asker in self._askers(name):
                with contextlib.suppress(Undefined):
                    if asker.due(frame):
                        found[asker.rule] = None
        return list(found)

    def _concerned(self, name: str, args: tuple[Any, ...]) -> tuple[str, ...]:
        """The rules that ask for such an answer: of the relevant ones those that stand on or over a clause which
        gives a value now, if there are any."""
        rules = self.bench.program.ruleset.rules
        asking = self._relevant(name, args)
        giving = {rules[rule] for _, rule in self._givers([(name, args)])}
        means = self.bench.program.ruleset.means
        near = [
            r
            for r in asking
            if any(means(rules[r].address, rule) and rules[r].module == rule.module for rule in giving)
        ]
        return tuple(near or asking)

    def moves_of(self, event: str) -> list[tuple[Closure, Closure, Closure, Closure | None]]:
        if event not in self.moves:
            declared = self.bench.program.ruleset.events[event]
            names = [p.name for p in declared.params]

            def compiled(move: Moves) -> tuple[Closure, Closure, Closure, Closure | None]:
                close = self.bench.machine.closure
                return (
                    close(move.amount, names),
                    close(move.source, names),
                    close(move.target, names),
                    None if move.due is None else close(move.due, names),
                )

            self.moves[event] = [compiled(move) for move in declared.moves]
        return self.moves[event]

    def shorts(self, event: Event, happening: Happening) -> tuple[Short, ...]:
        """Who is short by each of the event's `moves`; nobody is by what he moves to himself."""
        found: list[Short] = []
        for place, (_, source, target, _) in enumerate(self.moves_of(event.name)):
            difference = self._difference(event, place, happening)
            if difference:
                payer, payee = (self._party(who, happening.values) for who in (source, target))
                who = payer if difference > 0 else payee
                if who is not None and payer != payee:
                    of = self.subject(event.name, place, happening.values)
                    found.append(Short(who, difference if difference > 0 else -difference, of))
        return tuple(found)

    def _difference(self, event: Event, place: int, happening: Happening) -> int | Fraction | None:
        """By how much more was moved than was due; None where nothing is due, or nobody can tell."""
        amount, _, _, due = self.moves_of(event.name)[place]
        if due is None:
            return None
        frame = list(happening.values)
        try:
            difference: int | Fraction = amount(frame) - self.bench.ask(lambda: due(frame))
            return difference
        except Undefined:
            return None


def spoken_of(asked: Term) -> tuple[Term, ...]:
    """What an `asked` fixes of its arguments alone."""
    return tuple(t for t in (asked.items if isinstance(asked, m.AndT) else (asked,)) if _static(t))


def _static(term: Term) -> bool:
    """Whether a term reads its variables only, never the state."""
    match term:
        case m.Lit() | m.Var():
            return True
        case m.Part() | m.CompareT() | m.OrT() | m.AndT() | m.NotT():
            return all(_static(child) for child in m.children(term))
        case _:
            return False
