"""Settlement is a claim: what it says of the decisions must be what the rules give, and be due."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from verifier.model import terms as m
from verifier.model.ruleset import Event, Moves
from verifier.model.terms import Term
from verifier.model.values import show
from verifier.run.bench import Bench, Happening, verdict_for
from verifier.run.evaluate import Closure
from verifier.run.undefined import Reason, Undefined
from verifier.run.verdict import Judgement, Short

Consulted = list[tuple[str, tuple[Any, ...]]]
"""Decisions read, with their arguments."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One conjunct of what an event claims, and the decisions it is about."""

    holds: Closure
    about: frozenset[str]


@dataclass(slots=True)
class Settlement:
    """The claims and the money of one table's events."""

    bench: Bench
    claims: dict[str, list[Claim]] = field(default_factory=dict)
    asked: dict[str, Closure | None] = field(default_factory=dict)
    moves: dict[str, list[tuple[Closure, Closure, Closure, Closure | None]]] = field(default_factory=dict)

    def judge(self, event: Event, happening: Happening) -> list[Judgement]:
        """What is wrong with the event's claims; the first that fails stands for the rest."""
        frame = list(happening.values)
        for claim in self._claims_of(event):
            found = self._judge(claim, frame, event, happening)
            if found is not None:
                return found
        return []

    def _judge(
        self, claim: Claim, frame: list[Any], event: Event, happening: Happening
    ) -> list[Judgement] | None:
        consulted: Consulted = []
        holds: bool | None = None
        reasons: frozenset[Reason] = frozenset()
        try:
            holds = self._consult(claim, frame, consulted)
        except Undefined as undefined:
            reasons = undefined.reasons
        about = [(name, args) for name, args in dict.fromkeys(consulted) if name in claim.about]
        early = self._early(about)
        if early is not None:
            return [early]
        givers = self._givers(about)
        rules = tuple(dict.fromkeys(rule for _, rule in givers))
        if holds is None:
            return self._unclear(about, rules, reasons)
        for rule in rules:
            tally = self.bench.tally(rule)
            if holds:
                tally.kept += 1
            else:
                tally.broken += 1
        if holds:
            return None
        values = tuple((self._decided(name, args), self._decided_value(name, args)) for name, args in about)
        units = tuple(unit for unit, _ in givers)
        return [
            Judgement("broken", "settlement", rules, units, values=values, short=self.short(event, happening))
        ]

    def _unclear(
        self, about: Consulted, rules: tuple[str, ...], reasons: frozenset[Reason]
    ) -> list[Judgement]:
        """A claim that nobody can judge, counted against the rules that gave a value, or else that ask for one."""
        asking = tuple(rule for name, args in about for rule in self._relevant(name, args))
        involved = tuple(dict.fromkeys(self.bench.rule_of(u) for r in reasons for u in r.units))
        named = involved or rules or asking
        verdict = verdict_for(reasons)
        for rule in named:
            self.bench.count_unclear(rule, verdict, reasons)
        if verdict == "not checkable":
            return []
        return [Judgement(verdict, "settlement", named, (), reasons=tuple(sorted(reasons)))]

    def _consult(self, claim: Claim, frame: list[Any], consulted: Consulted) -> bool:
        machine = self.bench.machine

        def run() -> Any:
            consulted.clear()
            machine.consulted = consulted
            machine.memo = {}
            try:
                return claim.holds(frame)
            finally:
                machine.consulted = None

        return bool(self.bench.ask(run))

    def _claims_of(self, event: Event) -> list[Claim]:
        if event.name not in self.claims:
            names = [p.name for p in event.params]
            self.claims[event.name] = [
                Claim(self.bench.machine.closure(c, names), frozenset(self._about(c, frozenset())))
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

    def _givers(self, consulted: Consulted) -> list[tuple[str, str]]:
        """The units, with their rules, that gave the values of the decisions consulted."""
        found: dict[tuple[str, str], None] = {}
        for name, args in dict.fromkeys(consulted):
            sure, _, _ = self.bench.machine.cases(name, args)
            for _, unit in sure:
                found[unit, self.bench.rule_of(unit)] = None
        return list(found)

    def _decided(self, name: str, args: tuple[Any, ...]) -> str:
        params = self.bench.program.decisions[name].params
        return f"{name}({', '.join(show(p.type, a) for p, a in zip(params, args, strict=True))})"

    def _decided_value(self, name: str, args: tuple[Any, ...]) -> str:
        try:
            return show(self.bench.program.decisions[name].type, self.bench.machine.decide(name, args))
        except Undefined:
            return "undefined"

    def _early(self, consulted: Consulted) -> Judgement | None:
        for name, args in dict.fromkeys(consulted):
            asked = self._asked_closure(name)
            if asked is None:
                continue
            try:
                due = self.bench.ask(lambda: asked(list(args)))  # noqa: B023 - run before the loop goes on
            except Undefined as undefined:
                for rule in self._relevant(name, args):
                    self.bench.unknown("", rule, undefined.reasons, "early")
                continue
            if not due:
                rules = self._relevant(name, args)
                for rule in rules:
                    self.bench.tally(rule).broken += 1
                return Judgement(
                    "broken", "early", tuple(rules), (), values=((self._decided(name, args), "not due"),)
                )
        return None

    def _asked_closure(self, name: str) -> Closure | None:
        if name not in self.asked:
            decision = self.bench.program.decisions[name]
            self.asked[name] = (
                None
                if decision.asked is None
                else self.bench.machine.closure(decision.asked, [p.name for p in decision.params])
            )
        return self.asked[name]

    def _relevant(self, name: str, args: tuple[Any, ...]) -> list[str]:
        """The rules whose `asked` speaks of such arguments: what they fix of the arguments alone is met."""
        decision = self.bench.program.decisions[name]
        names = [p.name for p in decision.params]
        found: list[str] = []
        for rule, term in decision.askers:
            fixed = [t for t in (term.items if isinstance(term, m.AndT) else (term,)) if _static(t)]
            if all(self.bench.machine.closure(t, names)(list(args)) for t in fixed):
                found.append(rule)
        return list(dict.fromkeys(found))

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

    def short(self, event: Event, happening: Happening) -> Short | None:
        for amount, source, target, due in self.moves_of(event.name):
            if due is None:
                continue
            try:
                frame = list(happening.values)
                difference = amount(frame) - self.bench.ask(lambda: due(frame))  # noqa: B023 - run at once
                if difference:
                    who = source(frame) if difference > 0 else target(frame)
                    return Short(who, abs(difference))
            except Undefined:
                continue
        return None


def _static(term: Term) -> bool:
    """Whether a term reads its variables only, never the state."""
    match term:
        case m.Lit() | m.Var():
            return True
        case m.Part() | m.CompareT() | m.OrT() | m.AndT() | m.NotT():
            return all(_static(child) for child in m.children(term))
        case _:
            return False
