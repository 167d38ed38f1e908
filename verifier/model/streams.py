"""Logs beside each other: what is judged in one may not read what only the other knows.

Each kind of log has a state of its own. What stands in another never comes about in it, so that a condition on it
would be false there for ever, in silence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from verifier.model import terms as m
from verifier.model.declare import Pending
from verifier.model.order import problem_for
from verifier.model.references import breached
from verifier.model.rules import Book
from verifier.model.ruleset import (
    Append,
    BreachLatch,
    Contribution,
    Each,
    Edge,
    FieldTarget,
    Latch,
    Moves,
    New,
    Norm,
    Place,
    Question,
    Theorem,
    Unit,
    Update,
    Write,
)
from verifier.model.scope import Text, World
from verifier.model.terms import Term, children, domain_terms
from verifier.model.types import EntityT


def check_streams(
    texts: Mapping[str, Text],
    world: World,
    book: Book,
    edges: Iterable[Edge],
    theorems: Iterable[Theorem],
    files: Mapping[str, str],
    pending: Pending,
) -> None:
    """Adds a problem for each event, each rule and each theorem that would have to look into another kind of log.

    `files` are the texts of the files by path.
    """
    if not any(life.beside for life in world.lives.values()):
        return
    streams = _Streams(texts, world, book, edges)

    def demand(place: Place, found: set[str], what: str) -> None:
        several = sorted(found, key=list(world.lives).index)
        if len(several) > 1:
            words = " and ".join(f"`{name}`" for name in several)
            pending.problems.append(
                problem_for(
                    place,
                    files,
                    f"{what} reads the logs of {words}, which are kept apart",
                    "two-logs",
                    "let an event of this log say what it has to know of the other",
                )
            )

    for event in world.events.values():
        terms = [*event.claims, *event.needs, *(x for move in event.moves for x in _moved(move))]
        read = {s for term in terms for s in streams.read(term)}
        demand(event.place, {streams.of_event(event.name), *read}, f"`{event.name}`")
    for chance in world.chances:
        found = {streams.of_event(chance.event)}
        if chance.stock is not None and chance.latch is not None:
            found |= streams.read(chance.stock) | streams.counted(chance.latch)
        demand(chance.place, found, f"`chance {chance.event}`")
    places = {id(update): place for place, update in pending.mechanics_read}
    for name, updates in pending.updates.items():
        for update in updates:
            demand(places[id(update)], {streams.of_event(name), *streams.changed(update)}, f"`on {name}`")
    for unit in book.units.values():
        demand(unit.place, streams.of_unit(unit), "this rule")
    for theorem in theorems:
        terms = [theorem.body, *((theorem.where,) if theorem.where is not None else ())]
        demand(theorem.place, {s for term in terms for s in streams.read(term)}, f"`{theorem.name}`")


def _moved(move: Moves) -> Iterator[Term]:
    yield from (move.amount, move.source, move.target)
    if move.due is not None:
        yield move.due


class _Streams:
    """Which kinds of log, each named by its life, a term, an update or a rule belongs to."""

    def __init__(self, texts: Mapping[str, Text], world: World, book: Book, edges: Iterable[Edge]) -> None:
        self.texts = texts
        self.world = world
        self.book = book
        self.first = next(iter(world.lives))
        self.latches: list[Latch] = list(world.latches)
        self.breaches: list[BreachLatch] = list(world.breaches)
        self.deciding: dict[str, list[Contribution]] = {}
        for unit in book.units.values():
            if isinstance(unit, Contribution):
                self.deciding.setdefault(unit.decision, []).append(unit)
        self.asking: dict[str, list[Question]] = {}
        for question in book.questions:
            self.asking.setdefault(question.decision, []).append(question)
        self.winners: dict[str, list[Unit]] = {}
        for edge in edges:
            self.winners.setdefault(edge.loser, []).append(book.units[edge.winner])
        self.known: dict[tuple[str, str], frozenset[str]] = {}

    def of_life(self, life: str) -> str:
        return life if self.world.lives[life].beside else self.first

    def of_event(self, event: str) -> str:
        return self.world.events[event].life or self.first

    def of_unit(self, unit: Unit) -> set[str]:
        """All that judging the rule reads: its acts, deadline and conditions, and those of what displaces it."""
        found: set[str] = set()
        if isinstance(unit, Norm):
            deadline = unit.deadline
            acts = (*unit.acts, *(deadline.acts if deadline is not None else ()))
            found |= {self.of_event(act.event) for act in acts}
            if deadline is not None and deadline.life is not None:
                found.add(self.of_life(deadline.life))
            if unit.force == "must":
                found |= self._awaited(unit)
            for slot in (slot for act in acts for slot in act.slots):
                found |= {s for x in (slot.equals, slot.where) if x is not None for s in self.read(x)}
        for one in (unit, *self.winners.get(unit.id, ())):
            found |= self._conditions(one)
        return found

    def _awaited(self, duty: Norm) -> set[str]:
        """Where the things that a duty is of come to exist: it is pending of no other."""
        deadline = duty.deadline.acts if duty.deadline is not None else ()
        acting, late = (
            {slot.variable for act in acts for slot in act.slots} for acts in (duty.acts, deadline)
        )
        return {
            self.of_life(self.world.entities[variable.type.name].life)
            for variable in duty.variables
            if isinstance(variable.type, EntityT) and (variable.name in acting or variable.name not in late)
        }

    def _conditions(self, unit: Unit) -> set[str]:
        terms = [*unit.given, *((unit.when,) if unit.when is not None else ())]
        if isinstance(unit, Contribution):
            terms.append(unit.value)
        return {s for term in terms for s in self.read(term)}

    def changed(self, update: Update) -> set[str]:
        """What an update writes to and what it reads."""
        found: set[str] = set()
        terms: list[Term | None] = []
        match update:
            case Write(target=target, value=value, when=when) | Append(target=target, value=value, when=when):
                terms += [value, when]
                if isinstance(target, FieldTarget):
                    found.add(self.of_life(self.world.entities[target.entity].life))
                    terms.append(target.of)
                else:
                    found.add(self.of_life(self.world.state[target.name].life))
                    terms.append(target.key)
            case New(entity=entity, of=of, when=when):
                found.add(self.of_life(self.world.entities[entity].life))
                terms += [of, when]
            case Each(domain=domain, where=where, update=inner):
                found |= self.changed(inner) | self._domain(domain)
                terms += [*domain_terms(domain), where]
        return found | {s for term in terms if term is not None for s in self.read(term)}

    def read(self, term: Term) -> frozenset[str]:
        """What a term reads, by way of defines and decisions too."""
        found: set[str] = set()
        match term:
            case m.Get(name=name):
                found.add(self.of_life(self.world.state[name].life))
            case m.Field(entity=entity):
                found.add(self.of_life(self.world.entities[entity].life))
            case m.Quant(domain=domain) | m.Fold(domain=domain) | m.Pick(domain=domain):
                found |= self._domain(domain)
            case m.Count(latch=number):
                found |= self.counted(number)
            case m.BrokenT(latch=number):
                found |= self._broken(self.breaches[number])
            case m.CallF(function=name) if name in self.world.functions:
                found |= self._kept("define", name, lambda: self.read(self.world.functions[name].body))
            case m.Decide(decision=name):
                found |= self._kept("decision", name, lambda: self._decided(name))
            case _:
                pass
        for child in children(term):
            found |= self.read(child)
        return frozenset(found)

    def counted(self, number: int) -> set[str]:
        """What a counter is of, and what ends its count."""
        latch = self.latches[number]
        return {self.of_event(latch.event)} | self._since(latch)

    def _since(self, since: Latch | BreachLatch) -> set[str]:
        found: set[str] = set()
        if since.life is not None:
            found.add(self.of_life(since.life))
        if since.reset is not None:
            found.add(self.of_event(since.reset))
        return found

    def _broken(self, breach: BreachLatch) -> set[str]:
        """Where acts break the rule, or one below it, and what ends the memory of that."""
        rules = {rule.id for rule in breached(self.texts, self.book, breach)}
        acts = (
            act.event
            for unit in self.book.units.values()
            if isinstance(unit, Norm) and unit.rule in rules
            for act in (*unit.acts, *(unit.deadline.acts if unit.deadline is not None else ()))
        )
        return {self.of_event(event) for event in acts} | self._since(breach)

    def _decided(self, name: str) -> frozenset[str]:
        asked = frozenset(s for q in self.asking.get(name, ()) for s in self.read(q.condition))
        return asked | frozenset(
            s
            for unit in self.deciding.get(name, ())
            for one in (unit, *self.winners.get(unit.id, ()))
            for s in self._conditions(one)
        )

    def _domain(self, domain: m.Domain) -> set[str]:
        return (
            {self.of_life(self.world.entities[domain.entity].life)}
            if isinstance(domain, m.OverEntity)
            else set()
        )

    def _kept(self, kind: str, name: str, ask: Callable[[], frozenset[str]]) -> frozenset[str]:
        """The answer for a define or a decision, asked once; one that reads itself adds nothing to itself."""
        key = (kind, name)
        if key not in self.known:
            self.known[key] = frozenset()
            self.known[key] = ask()
        return self.known[key]
