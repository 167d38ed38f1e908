"""Playing: one event after another from some node on, and what is kept of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from random import Random

from verifier.core.program import Program
from verifier.model import types as ty
from verifier.model.show import APPLIES
from verifier.model.types import Type
from verifier.prove.explore.candidates import Candidates, Prospect
from verifier.prove.explore.corpus import Corpus, Node, changes, features_of
from verifier.prove.explore.distance import Distances
from verifier.prove.explore.evaluate import Asker
from verifier.prove.explore.exhaust import within
from verifier.prove.explore.settings import Options, Settings
from verifier.prove.explore.snapshot import Runner
from verifier.prove.explore.walker import Walker
from verifier.prove.question import Play, Question
from verifier.prove.scope import Scope
from verifier.run.bench import Happening
from verifier.run.state import State

DRAWN = 40
"""So many settings of the options are looked at to begin with."""

TABLES = 20
"""Under so many different settings of the options tables are played."""

RETRIES = 6
"""So many events are tried in one state before a play ends there."""

FAN = 3
"""Of so many events that may come next a walk with an aim takes the one that comes nearest to it."""

WAYWARD = 0.15
"""So often it takes any of them."""

EACH = 2
"""Of one kind so many of them are tried in turn."""

WILD = 0.35
"""So often a walk that may break rules tries events that may."""


@dataclass(slots=True)
class Record:
    """How often something was tried, and how often it led to what is rarely seen."""

    uses: int = 0
    gains: int = 0

    def learn(self, gain: bool) -> None:
        """Note one more try."""
        self.uses += 1
        self.gains += gain

    @property
    def worth(self) -> float:
        """What part of the tries gained something, from 0 to 1; what was tried seldom is thought well of."""
        return (20 + self.gains) / (20 + self.uses)


@dataclass(frozen=True, slots=True)
class Aim:
    """What a walk is after: a question to be true, and the kinds of event, with weights, that may lead there.

    `favoured` are values that it names.
    """

    question: Question | None
    weights: Mapping[str, float]
    favoured: Mapping[Type, set[object]] = field(default_factory=dict)


@dataclass(slots=True)
class Course:
    """A walk under way, of which `budget` events in all, from an empty table on, may break a rule.

    `used` counts its events by kind, and `seen` is what they led to, in the life under way; `events` are all of them,
    `gained` how many led to something rarely seen. `fresh`: the last led to something new in this walk.
    """

    aim: Aim
    budget: int
    used: Counter[str] = field(default_factory=Counter)
    seen: set[Hashable] = field(default_factory=set)
    events: list[Happening] = field(default_factory=list)
    gained: int = 0
    fresh: bool = False


@dataclass(frozen=True, slots=True)
class Child:
    """What may come next: the node that an event leads to, and what it changes."""

    node: Node
    happening: Happening
    new: set[Hashable]


class Mover:
    """Plays of a program within a scope, on several tables under different options.

    `open` are the nodes at which something rarely seen was met, `owing` those at which duties wait for the end of a
    life, with the life and how many; `unseen` are the functions of rules that were not found true of anything yet.
    Where it is `confined` no play leaves the scope.
    """

    def __init__(self, program: Program, scope: Scope, rng: Random, confined: bool = False) -> None:
        self.program = program
        self.scope = scope
        self.rng = rng
        self.confined = confined
        self._in: set[tuple[str, int, object]] = set()
        self._out: set[tuple[str, int, object]] = set()
        self.runner = Runner(program)
        self.candidates = Candidates(self.runner, scope)
        self.walker = Walker(self.candidates, rng)
        self.settings = Settings(program, scope, rng)
        self.asker = Asker(program, scope)
        self.distances = Distances(self.asker)
        self.corpus = Corpus(program)
        self.tables = [self.corpus.root(options, self.runner.empty) for options in self._options()]
        self.records = {id(table.options): Record() for table in self.tables}
        self.unseen = {name: None for name in program.functions if name.startswith(APPLIES)}
        self.open: list[Node] = []
        self.owing: dict[Node, tuple[str, int]] = {}

    def _options(self) -> list[Options]:
        """Options to play under, such that all that is lawful at the beginning under any is so under one of them."""
        drawn = self.settings.draw(DRAWN)
        openings = [self.candidates.at(self.runner.empty, o, self.rng).openings() for o in drawn]
        left = list(range(len(drawn)))
        kept: list[Options] = []
        open_: set[tuple[object, ...]] = set()
        while left and len(kept) < TABLES:
            best = max(left, key=lambda i: (len(openings[i] - open_), len(openings[i]), -i))
            left.remove(best)
            kept.append(drawn[best])
            open_ |= openings[best]
        return kept

    def ending(self, life: str) -> list[str]:
        """The kinds of event that end a life."""
        return [name for name, kind in self.candidates.kinds.items() if life in kind.ends]

    # ------------------------------------------------------------------------------------------- events
    def take(self, node: Node, happening: Happening, budget: int) -> Node | None:
        """The node that the event leads to; None where it is impossible or breaks more than the budget allows."""
        stepped = self.runner.step(node.snapshot, node.options, happening)
        if stepped is None or node.broken + bool(stepped.breaches) > budget:
            return None
        if self.confined and not self._stays(happening, stepped.snapshot.state):
            return None
        size = len(self.corpus.nodes)
        child = self.corpus.add(node, happening, stepped, features_of(happening, stepped))
        gain = len(self.corpus.nodes) > size and child.fresh > 0
        self.walker.learn(happening.event, gain)
        self.records[id(node.options)].learn(gain)
        if gain:
            self.open.append(child)
        return child

    def _stays(self, happening: Happening, state: State) -> bool:
        """Whether an event, whose state is `state`, leaves the scope; which numbers it named then is noted."""
        stays = within(state, self.scope, self.program)
        (self._in if stays else self._out).update(self._numbers(happening))
        return stays

    def _leads_out(self, happening: Happening) -> bool:
        """Whether an event names a number that has led out of the scope whenever it was named so."""
        return bool(self._out) and any(key in self._out - self._in for key in self._numbers(happening))

    def _numbers(self, happening: Happening) -> list[tuple[str, int, object]]:
        """The numbers of a range that an event names, each with where it names it."""
        params = self.candidates.kinds[happening.event].event.params
        return [
            (happening.event, i, value)
            for i, (param, value) in enumerate(zip(params, happening.values, strict=True))
            if isinstance(param.type, ty.IntT)
        ]

    def table(self, options: Mapping[str, object]) -> Node:
        """The empty table under these options."""
        node = next((n for n in self.corpus.nodes if n.parent is None and n.options == options), None)
        if node is None:
            node = self.corpus.root(dict(options), self.runner.empty)
            self.records[id(node.options)] = Record()
        return node

    def take_up(self, play: Play) -> Node | None:
        """The node at the end of a play, which is replayed; None where one of its events cannot happen."""
        node = self.table(play.options)
        for happening in play.happenings:
            found = self.take(node, happening, len(play.happenings))
            if found is None:
                return None
            node = found
        return node

    def advance(self, node: Node, course: Course) -> Node | None:
        """One event more: of several the one that comes nearest to the aim. None where none was found."""
        prospect = self.candidates.at(node.snapshot, node.options, self.rng, course.aim.favoured)
        found = self._children(node, course, prospect)
        self.see(prospect.applied())
        self._note_position(node, prospect)
        if not found:
            return None
        best, question = found[0], course.aim.question
        if question is not None and len(found) > 1 and self.rng.random() >= WAYWARD:
            best = min(found, key=lambda c: self.distances.at(question, c.node.state, c.node.options))
        name = best.happening.event
        course.events.append(best.happening)
        course.used[name] += 1
        course.gained += best.node.fresh > 0 and not best.node.visits
        course.fresh = not best.new <= course.seen
        course.seen |= best.new
        if self.candidates.kinds[name].ends:
            course.seen.clear()
            course.used.clear()
        return best.node

    def _children(self, node: Node, course: Course, prospect: Prospect) -> list[Child]:
        """What may come next, such as leads to something new in this walk; else one event that does not."""
        wanted = 1 if course.aim.question is None else FAN
        found: list[Child] = []
        spare: list[Child] = []
        tried: set[Happening] = set()
        for happening in self._choices(node, course, prospect, None if wanted == 1 else EACH):
            if happening in tried or self._leads_out(happening):
                continue
            tried.add(happening)
            child = self.take(node, happening, course.budget)
            if child is not None:
                new = changes(node.state, child.state)
                vain = new <= course.seen and not self.candidates.kinds[happening.event].ends
                (spare if vain else found).append(Child(child, happening, new))
            if len(found) == wanted or len(tried) == RETRIES + wanted:
                break
            prospect.resume()
        return found or spare[:1]

    def _choices(
        self, node: Node, course: Course, prospect: Prospect, each: int | None
    ) -> Iterator[Happening]:
        weights = course.aim.weights
        lawful = self.walker.choices(prospect, weights, course.used, each)
        if node.broken < course.budget and self.rng.random() < WILD:
            return chain(self.walker.wild(prospect, weights), lawful)
        return lawful

    def to_the_end(self, node: Node, ending: Sequence[str]) -> Course:
        """A walk that is after events which end a life, and breaks no more rules than were broken."""
        kinds = self.candidates.kinds
        weights = {
            name: weight
            for name, weight in self.walker.normal.items()
            if self.rng.random() < 0.4 and not kinds[name].ends
        }
        weights.update(dict.fromkeys(ending, 4.0))
        return Course(Aim(None, weights), node.broken, Counter(dict.fromkeys(weights, 1)))

    # -------------------------------------------------------------------------------------------- notes
    def see(self, functions: Iterable[str]) -> None:
        """Note functions that have been found true of something."""
        for name in functions:
            self.unseen.pop(name, None)

    def reopen(self, node: Node, more: int) -> None:
        """Note that so much that is rarely seen was met at a node."""
        if more and not node.fresh and node.parent is not None:
            self.open.append(node)
        node.fresh += more

    def _note_position(self, node: Node, prospect: Prospect) -> None:
        """Note what is due, and what is permitted, at a node: rarely seen, it is worth going on from."""
        due = {("due", compiled.duty.unit) for compiled, _ in prospect.pending}
        true = {("true", name) for name in prospect.applied()}
        self.reopen(node, self.corpus.note(due | true))
        owed: dict[str, set[str]] = {}
        for compiled, _ in prospect.pending:
            if compiled.duty.kind == "by end of" and compiled.duty.life is not None:
                owed.setdefault(compiled.duty.life, set()).add(compiled.duty.unit)
        if owed:
            life = max(sorted(owed), key=lambda name: len(owed[name]))
            self.owing[node] = life, len(owed[life])
