"""One event after another: which kind of event a walk is after, and what must be done before it may happen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from math import exp, log
from random import Random

from verifier.core.program import Program
from verifier.model.types import EntityT
from verifier.prove.explore.candidates import Candidates, Pending, Prospect
from verifier.prove.explore.static import Place, Reads, writers
from verifier.prove.explore.ways import Kind
from verifier.prove.question import Question
from verifier.run.bench import Happening

SPONTANEOUS = 0.5
"""So often something that is due is done though nothing waits for it."""

EARLY = 0.1
"""Of these so often what need not be done before a life ends is among it."""

CHAIN = 3
"""So far back it is looked for what must come before something that is due."""

ASTRAY = 0.05
"""So often a walk looks at kinds of event that it is not after."""

AMONG = 0.2
"""What a kind of event weighs that writes what a walk is after, but is nobody's act."""

SECOND = 0.3
"""How much less a kind of event weighs that only makes room for those that a walk is after."""

YOUNG = 10
"""A life in which fewer events than this have happened is seldom ended."""

TOO_SOON = 0.05
"""How much less often."""

NORMAL = 0.35
"""How likely what is done of one's own accord is to be in a swarm, to begin with."""

OTHER = 0.05
"""And any other kind of event."""

LEARNING = 0.25
"""How fast a kind of event gains or loses credit."""

MOST_CREDIT = 2.5
"""No kind of event is liked or disliked more than so much."""

SELDOM = 0.3
"""What a kind of event weighs in normal play that no rule demands or allows."""


class Walker:
    """Chooses events. It keeps no table: what it knows is the program's."""

    def __init__(self, candidates: Candidates, rng: Random) -> None:
        self.candidates = candidates
        self.program: Program = candidates.program
        self.rng = rng
        self.reads = Reads(self.program)
        self.writers = writers(self.program)
        self.normal = self._normal()
        self.credit = dict.fromkeys(candidates.kinds, 0.0)
        self.usual = 0.0
        self.uses: Counter[str] = Counter()
        self.gains: Counter[str] = Counter()

    # ------------------------------------------------------------------------------------------- aims
    def worth(self, kind: str) -> float:
        """How often events of a kind have led to something rarely seen, from 0 to 1."""
        return (2 + self.gains[kind]) / (2 + self.uses[kind])

    def learn(self, kind: str, gain: bool) -> None:
        """Note that an event of a kind led to something rarely seen, or did not."""
        self.uses[kind] += 1
        self.gains[kind] += gain

    def relevant(self, question: Question) -> dict[str, float]:
        """The kinds of event that write what a question reads, with weights; its own event stands highest.

        Those that write what permits these weigh less, and those less still that write what forbids them.
        """
        places = self.places(question)
        events = self.program.ruleset.events
        found = {name: AMONG if events[name].observed else 1.0 for name in self._writing(places)}
        first = list(found)
        for gates in (self._permitting, self._forbidding):
            for name in self._writing(frozenset().union(*(gates(name) for name in first))):
                found.setdefault(name, SECOND * self.normal.get(name, AMONG))
        if question.event is not None:
            found[question.event] = 2.0
        return found

    def bears(self, question: Question, kind: str) -> bool:
        """Whether an event of the kind writes something that the question reads."""
        return kind in self._writing(self.places(question))

    def places(self, question: Question) -> tuple[Place, ...]:
        """What a question reads: its conditions, and what there is that its params can be."""
        conditions = [question.condition, *(nothing.condition for nothing in question.none)]
        there = {f"new {p.type.name}" for p in question.params if isinstance(p.type, EntityT)}
        return tuple(sorted(self.reads.terms(conditions) | there))

    def _writing(self, places: Iterable[Place]) -> list[str]:
        return list(dict.fromkeys(kind for place in sorted(places) for kind in self.writers.get(place, ())))

    def _permitting(self, name: str) -> frozenset[Place]:
        """What is read to tell whether an event of the kind is possible, and permitted."""
        found = self.reads.terms(self.program.ruleset.events[name].needs)
        norms = self.program.permissions.get(name, ())
        return found.union(*(self.reads.function(norm.applies) for norm in norms))

    def _forbidding(self, name: str) -> frozenset[Place]:
        """What is read to tell whether an event of the kind is forbidden."""
        norms = self.program.against(name)
        return frozenset().union(*(self.reads.function(norm.applies) for norm in norms))

    def _normal(self) -> dict[str, float]:
        """What is done of one's own accord: acts that some rule permits, and less often such as no rule speaks of.

        Acts that rules only demand are left to when they are due; what is nobody's act comes now and then.
        """
        demanded = {act.event for duty in self.program.duties for act in duty.acts}
        found: dict[str, float] = {}
        for name, event in self.program.ruleset.events.items():
            if name in self.program.permissions:
                found[name] = 1.0
            elif not event.observed and name not in demanded:
                found[name] = SELDOM
        return found

    def swarm(self) -> dict[str, float]:
        """Some kinds of event, drawn: sooner such as walks have gained by; always those that end a life."""
        found = {
            name: self.normal.get(name, 1.0)
            for name in self.candidates.kinds
            if self.rng.random() < self.liking(name)
        }
        for kind in self.candidates.kinds.values():
            if kind.ends:
                found.setdefault(kind.event.name, SELDOM)
        return found

    def liking(self, kind: str) -> float:
        """How likely a kind of event is to be in a swarm, from 0 to 1."""
        start = NORMAL if kind in self.normal else OTHER
        return 1 / (1 + exp(-(log(start / (1 - start)) + self.credit[kind])))

    def reward(self, taken: Iterable[str], gain: float) -> None:
        """Note what a walk in which these kinds of event were taken has gained, for what it took."""
        more = gain - self.usual
        self.usual += 0.05 * more
        for name in taken:
            moved = self.credit[name] + LEARNING * max(-1.0, min(1.0, more / (self.usual + 0.05)))
            self.credit[name] = max(-MOST_CREDIT, min(MOST_CREDIT, moved))

    # ------------------------------------------------------------------------------------------ choosing
    def choices(
        self, prospect: Prospect, weights: Mapping[str, float], used: Counter[str], each: int | None = None
    ) -> Iterator[Happening]:
        """Events that should break nothing, those first that the walk is after; at most `each` of one kind in turn."""
        rng = self.rng
        pressing = [p for p in prospect.pending if p[0].duty.kind in ("at once", "immediately after")]
        if pressing:
            yield from self.done(prospect, pressing)
        if rng.random() < SPONTANEOUS:
            soon = rng.random() >= EARLY
            waiting = [p for p in prospect.pending if not (soon and p[0].duty.kind == "by end of")]
            yield from self.done(prospect, waiting, 4)
        if rng.random() < ASTRAY:
            yield from self._some(prospect, [k for k in self.candidates.kinds if k not in weights], used, {})
        yield from self._some(prospect, list(weights), used, weights, each)
        yield from self.done(prospect, prospect.pending)
        yield from self._some(prospect, [k for k in self.candidates.kinds if k not in weights], used, {})

    def _some(
        self,
        prospect: Prospect,
        names: Sequence[str],
        used: Counter[str],
        weights: Mapping[str, float],
        each: int | None = None,
    ) -> Iterator[Happening]:
        """Events of these kinds, or what stands in the way of them."""
        for kind in self._ordered(names, weights, used):
            found = False
            for happening in islice(prospect.of_kind(kind, lawful=True), each):
                found = True
                yield happening
            if not found:
                yield from self.done(prospect, prospect.in_the_way(kind), 2)

    def done(
        self,
        prospect: Prospect,
        pending: Sequence[Pending],
        most: int | None = None,
        chained: int = CHAIN,
    ) -> Iterator[Happening]:
        """Events that do something that is due, or what must come before, in an order drawn."""
        drawn = list(pending)
        drawn[:] = self.rng.sample(drawn, len(drawn))
        for one in drawn[:most]:
            found = False
            for happening in islice(prospect.due(one), 1):
                found = True
                yield happening
            if not found and chained:
                for name in one[0].acts:
                    before = [p for p in prospect.in_the_way(self.candidates.kinds[name]) if p != one]
                    yield from self.done(prospect, before, 2, chained - 1)

    def _ordered(self, names: Sequence[str], weights: Mapping[str, float], used: Counter[str]) -> list[Kind]:
        """The kinds of event in an order drawn by weight; those taken often in this walk come later."""

        def place(name: str) -> float:
            weight = weights.get(name, 1.0) * self.worth(name)
            if self.candidates.kinds[name].ends and used.total() < YOUNG:
                weight *= TOO_SOON
            return float(self.rng.random() ** ((1 + used[name]) ** 0.5 / weight))

        return [self.candidates.kinds[name] for name in sorted(names, key=place, reverse=True)]

    def wild(self, prospect: Prospect, weights: Mapping[str, float]) -> Iterator[Happening]:
        """Events that can happen, lawful or not."""
        names = list(weights) or list(self.candidates.kinds)
        for kind in self._ordered(names, weights, Counter())[:4]:
            yield from prospect.of_kind(kind, lawful=False)
