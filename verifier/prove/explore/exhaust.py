"""Every state that there is: all events in all orders, until none of them leads to anything new."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.ruleset import Append, Each, Event, FieldTarget, New, StateTarget, Update, Write
from verifier.model.terms import Term, children
from verifier.prove.explore.domains import ends
from verifier.prove.explore.settings import Settings
from verifier.prove.explore.snapshot import Runner, Snapshot, Stepped, ids_in, snapshot_key, state_key
from verifier.prove.passing import passing
from verifier.prove.question import Mode, Question
from verifier.prove.scope import Scope
from verifier.run.bench import Happening
from verifier.run.state import State

MOST_STATES = 2_000
"""A ruleset with more states than this within its scope is not gone through."""

MOST_STEPS = 30_000
"""Nor one in which that takes more events."""

MOST_EVENTS = 600
"""Nor one in which more events than this may come next."""


@dataclass(frozen=True, slots=True)
class Reached:
    """A state with how it was come by: the number of the one before (None for an empty table), and the event."""

    options: Mapping[str, object]
    snapshot: Snapshot
    before: int | None
    happening: Happening | None
    stepped: Stepped | None


@dataclass(slots=True)
class Exhaustion:
    """What going through all states of a mode came to. `complete` where every one was visited.

    That is: under every setting of the options within the scope, from an empty table on, every event of every kind
    was tried in every state, by every actor that matters, with every argument within the scope (ids being met in
    the scope's order), as often as it led to a state not seen before. Left out are events whose result does not
    lie within the scope. Two states count as one where they differ only in how often something has happened, and
    nothing that the ruleset asks tells these numbers apart. Where lives make way for others without an event it is
    never complete: none passes here.
    `views` is what `grown` sees of them, once it has looked.
    """

    complete: bool = False
    reached: list[Reached] = field(default_factory=list)
    views: frozenset[Hashable] | None = None


class Exhauster:
    """Goes through all states of a program within a scope, where there is an end of them."""

    def __init__(self, runner: Runner, scope: Scope, settings: Settings) -> None:
        self.runner = runner
        self.program: Program = runner.program
        self.scope = scope
        self.settings = settings
        self.caps = caps(self.program)

    def finite(self) -> bool:
        """Whether it is worth trying: all arguments can be listed, and are not too many."""
        events = self.program.ruleset.events.values()
        if not all(ends(p.type) for event in events for p in event.params):
            return False
        if any(_unlisted(p.type) for event in events for p in event.params):
            return False
        total = 0
        for event in events:
            number = 1
            for param in event.params:
                number *= len(self.scope.keys(param.type))
            total += number
        return total <= MOST_EVENTS and self.settings.every() is not None

    def run(self, mode: Mode) -> Exhaustion:
        """All states of the mode; incomplete where there are too many."""
        found = Exhaustion()
        if not self.finite():
            return found
        numbers: dict[Hashable, int] = {}
        first = self.runner.taken

        def note(reached: Reached) -> None:
            key = self._key(reached, mode)
            if key not in numbers:
                numbers[key] = len(found.reached)
                found.reached.append(reached)

        for options in self.settings.every() or ():
            note(Reached(options, self.runner.empty, None, None, None))
        number = 0
        while number < len(found.reached):
            if len(found.reached) > MOST_STATES or self.runner.taken - first > MOST_STEPS:
                return found
            here = found.reached[number]
            for happening in self._events(here.snapshot.state, mode):
                stepped = self.runner.step(here.snapshot, here.options, happening)
                if stepped is None or (mode == "play" and stepped.breaches):
                    continue
                if within(stepped.snapshot.state, self.scope, self.program):
                    note(Reached(here.options, stepped.snapshot, number, happening, stepped))
            number += 1
        found.complete = not passing(self.program.ruleset)
        return found

    def answers(self, question: Question) -> bool:
        """Whether the states gone through tell all that a question asks: it tells no more numbers apart than they."""
        terms = [question.condition, *(nothing.condition for nothing in question.none)]
        for latch, wanted in counted(self.program, terms).items():
            if latch not in self.caps:
                return False
            cap = self.caps[latch]
            if cap is not None and (wanted is None or wanted > cap):
                return False
        return True

    def _key(self, reached: Reached, mode: Mode) -> Hashable:
        snapshot = replace(reached.snapshot, state=self._capped(reached.snapshot.state))
        ruleset = self.program.ruleset
        options = tuple(reached.options.items())
        if mode == "play":
            return options, snapshot_key(snapshot, ruleset)
        if not self.program.breach_rules:
            return options, state_key(snapshot.state, ruleset)
        past = frozenset(state_key(self._capped(state), ruleset) for state in snapshot.past)
        return options, snapshot_key(snapshot, ruleset), past

    def _capped(self, state: State) -> State:
        counts = [
            {key: n if cap is None else min(n, cap) for key, n in table.items()}
            for table, cap in zip(
                state.counts, (self.caps.get(i, 1) for i in range(len(state.counts))), strict=True
            )
        ]
        return replace(state, counts=counts)

    # ------------------------------------------------------------------------------------------ events
    def _events(self, state: State, mode: Mode) -> Iterator[Happening]:
        for event in self.program.ruleset.events.values():
            lists = [self.scope.keys(p.type) for p in event.params]
            for values in product(*lists):
                if not self._in_order(state, event, values):
                    continue
                for actor in self._actors(event, mode):
                    yield Happening(event.name, actor, values)

    def _actors(self, event: Event, mode: Mode) -> tuple[str, ...]:
        """The actors of an event that matter: who acts changes what is lawful, and with that what has been broken."""
        every = self.program.ruleset.actors
        if mode == "words":
            own = event.by or every
            others = tuple(actor for actor in every if actor not in own)
            return (*own, *others) if self.program.breach_rules else own[:1]
        return event.by or every

    def _in_order(self, state: State, event: Event, values: tuple[Any, ...]) -> bool:
        """Whether the new ids among the values come next in the scope's order."""
        new: dict[str, dict[str, None]] = {}
        for param, value in zip(event.params, values, strict=True):
            for kind, name in ids_in(param.type, value):
                if name not in state.ids[kind]:
                    new.setdefault(kind, {})[name] = None
        for kind, names in new.items():
            unmet = [name for name in self.scope.ids[kind] if name not in state.ids[kind]]
            if unmet[: len(names)] != list(names):
                return False
        return True


def _unlisted(type_: ty.Type) -> bool:
    """Whether a type has values that no scope lists, somewhere within."""
    match type_:
        case ty.OptT(of=of):
            return _unlisted(of)
        case ty.EntityT(keys=parts) | ty.RecordT(fields=parts):
            return any(_unlisted(part) for _, part in parts)
        case ty.MoneyT() | ty.OddsT() | ty.TextT() | ty.PartyT() | ty.ListT() | ty.SetT() | ty.MapT():
            return True
        case _:
            return False


def within(state: State, scope: Scope, program: Program) -> bool:
    """Whether a state lies within the scope: what exists, what maps and history are keyed by, how long lists are."""
    ruleset = program.ruleset
    for kind, table in state.entities.items():
        known = scope.entities[kind]
        lists = {
            f.name: scope.slots[f"{kind}.{f.name}"] for f in ruleset.entities[kind].fields if _is_list(f.type)
        }
        for ref, written in table.items():
            if ref not in known or any(len(written.get(n, ())) > most for n, most in lists.items()):  # type: ignore[arg-type]
                return False
    for name, declared in ruleset.state.items():
        value = state.fields[name]
        match declared.type:
            case ty.ListT():
                if len(value) > scope.slots[name]:
                    return False
            case ty.MapT(key=key) | ty.SetT(of=key):
                if value and not set(value) <= set(scope.keys(key)):
                    return False
            case _:
                continue
    return True


def _is_list(type_: ty.Type) -> bool:
    return isinstance(type_, ty.ListT)


# ----------------------------------------------------------------------------------------------- counters
def caps(program: Program) -> dict[int, int | None]:
    """For each counter the number from which on more makes no difference to the ruleset; None where there is none."""
    return counted(program, every_term(program)) | {
        chance.latch: None for chance in program.ruleset.chances if chance.latch is not None
    }


def counted(program: Program, terms: Iterable[Term]) -> dict[int, int | None]:
    """As `caps`, of the counters that the terms read, directly or through what they call."""
    found: dict[int, int | None] = {}
    called: set[str] = set()
    rest = list(terms)
    while rest:
        term = rest.pop()
        match term:
            case (
                m.CompareT(left=m.Count(latch=latch, keys=keys), right=m.Lit(value=int() as number))
                | m.CompareT(left=m.Lit(value=int() as number), right=m.Count(latch=latch, keys=keys))
            ):
                known = found.get(latch, 0)
                found[latch] = None if known is None else max(known, number + 1)
                rest += keys
                continue
            case m.Count(latch=latch):
                found[latch] = None
            case m.CallF(function=name) if name not in called:
                called.add(name)
                rest.append(program.functions[name].body)
            case m.Decide(decision=name) if name not in called:
                called.add(name)
                for case in program.decisions[name].cases:
                    rest += [case.value, program.functions[case.applies].body]
            case _:
                pass
        rest += children(term)
    return found


def every_term(program: Program) -> Iterator[Term]:
    """Every whole term of the program, without those in it."""
    for function in program.functions.values():
        yield function.body
    for decision in program.decisions.values():
        yield from (case.value for case in decision.cases)
        yield from (term for _, term in decision.askers)
    for event in program.ruleset.events.values():
        yield from (*event.needs, *event.claims)
        for move in event.moves:
            yield from (move.amount, move.source, move.target, *(() if move.due is None else (move.due,)))
    for duty in program.duties:
        for act in (*duty.acts, *duty.deadline_acts):
            yield act.matches
            yield from (term for term in act.required if term is not None)
    for norms in (*program.prohibitions.values(), *program.permissions.values(), *program.endings.values()):
        yield from (norm.head for norm in norms)
    for chance in program.ruleset.chances:
        if chance.stock is not None:
            yield chance.stock
    for updates in program.ruleset.mechanics.values():
        for update in updates:
            yield from _of_update(update)


def _of_update(update: Update) -> Iterator[Term]:
    match update:
        case Each(domain=domain, where=where, update=inner):
            yield from m.domain_terms(domain)
            if where is not None:
                yield where
            yield from _of_update(inner)
        case New(of=of, when=when):
            yield from (of, *(() if when is None else (when,)))
        case Write(target=target, value=value, when=when) | Append(target=target, value=value, when=when):
            yield from (value, *(() if when is None else (when,)))
            match target:
                case FieldTarget(of=of):
                    yield of
                case StateTarget(key=key):
                    if key is not None:
                        yield key
