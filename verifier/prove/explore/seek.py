"""Searching on purpose: on from where a question is nearest to being true, and by what makes events lawful."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from random import Random

from verifier.core.lawful import parts
from verifier.core.program import EVENT_PREFIX
from verifier.model import terms as m
from verifier.model.rewrite import substitute
from verifier.model.ruleset import Param
from verifier.model.terms import Term
from verifier.model.types import BOOL
from verifier.prove.explore.before import remaining
from verifier.prove.explore.corpus import Node, outline
from verifier.prove.explore.mover import Aim, Course, Mover
from verifier.prove.explore.pieces import named_values
from verifier.prove.explore.walker import SELDOM
from verifier.prove.question import Question
from verifier.prove.transitions import Reads
from verifier.run.bench import Happening

MEASURED = 50
"""So many nodes are measured before a search."""

KEPT = 20
"""So many of them it begins from."""

FARTHER = 0.6
"""How likely a search goes on from the next farther nodes rather than from those at hand."""

ROUNDABOUT = 0.5
"""So often a search is rather after something that makes an event lawful."""

BEFORE = 4
"""So many events may be needed before one that is lawful but for what is due."""

HELPED = 0.5
"""How much nearer a node counts to which that has led."""

MOST_HELP = 4_000
"""So many bindings are tried in one state where an event is to become lawful that bears on the question."""

STRETCHES = (2, 4, 8)
"""A search goes on from a node for one of these numbers of events."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A node that a search knows, how far it is from what is looked for, and what it looks like to the search."""

    node: Node
    far: float
    look: Hashable

    @property
    def step(self) -> int:
        """How far it is, roughly."""
        return round(2 * self.far)


@dataclass(slots=True)
class Search:
    """A search for a state at which a question is true, in plays with at most `budget` events that break a rule.

    `places` are what the question reads: states that look alike there, and are as far away, tire
    together, but for empty tables. `event`
    is the kind of event that the question asks to be lawful, if it does.
    """

    question: Question
    budget: int
    places: tuple[str, ...]
    event: str | None = None
    entries: list[Entry] = field(default_factory=list)
    known: set[int] = field(default_factory=set)
    visits: Counter[Hashable] = field(default_factory=Counter)

    def add(self, node: Node, far: float) -> None:
        """Take up a node, unless it is known."""
        if node.number not in self.known:
            self.known.add(node.number)
            table = node.number if node.parent is None else None
            self.entries.append(Entry(node, far, (table, round(far, 2), outline(node.state, self.places))))

    def next(self, rng: Random) -> Entry:
        """The node to go on from: mostly one of the nearest, of these one whose like was seldom gone on from.

        Now and then one farther off: what is nearest may lead nowhere.
        """
        steps = sorted({entry.step for entry in self.entries})
        number = 0
        while number + 1 < len(steps) and rng.random() < FARTHER:
            number += 1
        some = [entry for entry in self.entries if entry.step == steps[number]]
        best = min(some, key=lambda e: (self.visits[e.look], e.far, e.node.depth, e.node.number))
        self.visits[best.look] += 1
        return best


class Seeker:
    """Searches with a mover; what it plays is the mover's to keep."""

    def __init__(self, mover: Mover) -> None:
        self.mover = mover
        self.rng = mover.rng
        self._reads = Reads(mover.program)
        self._lawful: dict[tuple[str, tuple[Term, ...]], Question] = {}

    def seek(self, question: Question, budget: int, until: int) -> Node | None:
        """A node at which the question is true, found before so many events have been judged in all.

        Now and then it is rather looked for a state at which some event would be lawful that bears on the question;
        sooner of such kinds as have seldom been so.
        """
        runner, walker = self.mover.runner, self.mover.walker
        main = self._search(question, budget, MEASURED)
        steps = self._steps(question)
        helpers: dict[str, Search] = {}
        tried: Counter[str] = Counter()
        while runner.taken < until and main.entries:
            before = runner.taken
            search = main
            if steps and self.rng.random() < ROUNDABOUT:
                rare = [1 / (1 + walker.uses[name]) ** 0.5 / (1 + tried[name]) for name in steps]
                (name,) = self.rng.choices(steps, rare)
                tried[name] += 1
                if name not in helpers:
                    helpers[name] = self._search(self._becomes_lawful(name, question), budget, MEASURED // 2)
                    helpers[name].event = name
                search = helpers[name]
            found = self._onward(search, main, until)
            if found is not None:
                return found
            if runner.taken == before:
                runner.taken += 1
        return None

    def _search(self, question: Question, budget: int, measured: int) -> Search:
        """A search that begins at the empty tables, and at such nodes as are nearest among some."""
        mover = self.mover
        search = Search(question, budget, mover.walker.places(question))
        nodes = [n for n in mover.corpus.nodes if n.broken <= budget and n.parent is not None]
        some = self.rng.sample(nodes, min(measured, len(nodes)))
        far = {n: self._far(search, n) for n in (*mover.tables, *some)}
        for node in (*mover.tables, *sorted(some, key=lambda n: (far[n], n.depth, n.number))[:KEPT]):
            search.add(node, far[node])
        return search

    def _far(self, search: Search, node: Node) -> float:
        return self.mover.distances.at(search.question, node.state, node.options)

    def _true(self, search: Search, node: Node) -> dict[str, object] | None:
        most = MOST_HELP if search.event is not None else None
        return self.mover.asker.find(search.question, node.state, node.options, most)

    def _onward(self, search: Search, main: Search, until: int) -> Node | None:
        """A short walk from one of the nodes that a search knows; the node at which the main question is true."""
        mover = self.mover
        entry = search.next(self.rng)
        course = Course(self._aim(search.question), search.budget)
        node, far = entry.node, entry.far
        for _ in range(self.rng.choice(STRETCHES)):
            size = len(mover.corpus.nodes)
            child = mover.advance(node, course)
            found = self._among(mover.corpus.nodes[size:], search, main)
            if found is not None:
                return found
            if child is None or mover.runner.taken >= until:
                break
            node, distance = child, self._far(search, child)
            if distance < far or course.fresh:
                search.add(node, distance)
            far = min(far, distance)
        if search is not main and node is not entry.node:
            main.add(node, self._far(main, node))
        return None

    def _among(self, nodes: list[Node], search: Search, main: Search) -> Node | None:
        """Of new nodes one at which the main question is true; what else they are good for is taken up."""
        for node in nodes:
            if self._true(main, node) is not None:
                return node
            if search.event is None:
                continue
            values = self._true(search, node)
            done = None if values is None else self._do(node, search, search.event, values)
            if done is not None:
                if self._true(main, done) is not None:
                    return done
                main.add(done, self._far(main, done) * HELPED)
        return None

    def _do(self, node: Node, search: Search, event: str, values: Mapping[str, object]) -> Node | None:
        """The node after the event that a search was to make lawful, once what must come before has been done."""
        mover = self.mover
        kind = mover.candidates.kinds[event]
        wanted = tuple(values[EVENT_PREFIX + p.name] for p in kind.event.params)
        for _ in range(BEFORE):
            done = mover.take(node, Happening(event, kind.ways[0].actor, wanted), search.budget)
            if done is not None:
                return done
            prospect = mover.candidates.at(node.snapshot, node.options, self.rng)
            first = next(mover.walker.done(prospect, prospect.in_the_way(kind)), None)
            child = None if first is None else mover.take(node, first, search.budget)
            if child is None or child is node:
                return None
            node = child
        return None

    def _aim(self, question: Question) -> Aim:
        """What a walk of a search is after, with most kinds of event that bear on it."""
        weights = {k: w for k, w in self.mover.walker.relevant(question).items() if self.rng.random() < 0.7}
        for name, kind in self.mover.candidates.kinds.items():
            if kind.ends and self.rng.random() < 0.3:
                weights.setdefault(name, SELDOM)
        return Aim(question, weights, named_values(self.mover.program, question.condition))

    def _steps(self, question: Question) -> list[str]:
        """The kinds of act that bear on a question."""
        events, walker = self.mover.program.ruleset.events, self.mover.walker
        relevant = walker.relevant(question)
        return [n for n in relevant if walker.bears(question, n) and not events[n].observed]

    def _becomes_lawful(self, name: str, question: Question) -> Question:
        """Whether an event of a kind would be lawful but for what is due, and of what else the question asks for."""
        rest = remaining(self.mover.program, self._reads, question, name)
        if (name, rest) not in self._lawful:
            event = self.mover.program.ruleset.events[name]
            params = tuple(Param(EVENT_PREFIX + p.name, p.type) for p in event.params)
            own: dict[str, Term] = {p.name: m.Var(p.type, EVENT_PREFIX + p.name) for p in event.params}
            actor = self.mover.candidates.kinds[name].ways[0].actor
            told = [
                term
                for _, kind, term in parts(self.mover.program, name, actor)
                if kind not in ("late", "skipped")
            ]
            items = (*rest, *(substitute(need, own) for need in event.needs), *told)
            self._lawful[name, rest] = Question(params, m.AndT(BOOL, items))
        return self._lawful[name, rest]
