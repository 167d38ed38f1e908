"""Exploring a ruleset by playing it: events that are lawful, or nearly, and the states that they reach."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from random import Random

from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.types import BOOL
from verifier.prove.explore.corpus import RARE, Corpus, Node
from verifier.prove.explore.distance import Distances
from verifier.prove.explore.evaluate import Asker
from verifier.prove.explore.exhaust import Exhauster, Exhaustion
from verifier.prove.explore.index import Index
from verifier.prove.explore.mover import Aim, Course, Mover
from verifier.prove.explore.replay import replayed
from verifier.prove.explore.seek import Seeker
from verifier.prove.explore.shorten import shortened
from verifier.prove.explore.snapshot import Runner
from verifier.prove.explore.walker import Walker
from verifier.prove.extent import with_one_more
from verifier.prove.question import Mode, Play, Question, Sometimes
from verifier.prove.scope import Scope
from verifier.prove.scope_words import scope_text
from verifier.run.bench import Happening

LENGTHS = (10, 20, 40)
"""A walk goes on for one of these numbers of events."""

SHARES = {"finish": 0.25, "pursue": 0.45, "roam": 0.3}
"""What part of the events is for bringing lives to their ends, for rules not yet seen to apply, for anything."""

PURSUIT = 40
"""So many events it is pursued for the first time."""

ONWARD = 0.5
"""So often a walk begins where another one has come to something new."""

LAWFUL = 0.6
"""So often play breaks no rule."""

MOST_BROKEN = 3
"""So many events of a play in words may break a rule."""


class Explorer:
    """Plays of a program within a scope. What it finds depends on the seed and the calls alone.

    `corpus` has every state that was reached; `tables` are the empty tables, one for each setting of the options.
    Play may go beyond the scope where events name what it does not bound, unless it is `confined`.
    """

    def __init__(self, program: Program, scope: Scope, seed: int = 0, confined: bool = False) -> None:
        self.program = program
        self.scope = scope
        self.rng = Random(seed)
        self.mover = Mover(program, scope, self.rng, confined)
        self.seeker = Seeker(self.mover)
        self.exhauster = Exhauster(self.mover.runner, scope, self.mover.settings)
        self.index = Index(self.mover.asker)
        self._exhaustions: dict[Mode, Exhaustion] = {}
        self._asked: Question | None = None
        self._spent: Counter[str] = Counter()
        self._aimed: Counter[str] = Counter()

    @property
    def runner(self) -> Runner:
        """The judge; it counts the events that it has judged."""
        return self.mover.runner

    @property
    def corpus(self) -> Corpus:
        """The states that were reached."""
        return self.mover.corpus

    @property
    def tables(self) -> list[Node]:
        """The empty tables."""
        return self.mover.tables

    @property
    def asker(self) -> Asker:
        """What asks questions at states."""
        return self.mover.asker

    @property
    def distances(self) -> Distances:
        """What measures states."""
        return self.mover.distances

    @property
    def walker(self) -> Walker:
        """What chooses events."""
        return self.mover.walker

    @property
    def scope_text(self) -> str:
        """How far was looked, in words."""
        return f"plays with {scope_text(self.scope, self.program)}"

    @property
    def lacks_people(self) -> bool:
        """Whether there may be more of somebody than there are within the scope."""
        return any(len(ids) < self._most(kind) for kind, ids in self.scope.ids.items())

    @cached_property
    def one_more(self) -> Explorer | None:
        """One that has not played, with one more of everybody of whom there may be more; None where that were too
        much."""
        *_, last = (self.scope, *with_one_more(self.program, self.scope))
        if any(len(last.ids[kind]) == len(ids) < self._most(kind) for kind, ids in self.scope.ids.items()):
            return None
        return Explorer(self.program, last)

    def _most(self, kind: str) -> int:
        type_ = self.program.ruleset.types[kind]
        assert isinstance(type_, ty.IdT)
        return type_.maximum

    def forget(self) -> None:
        """Drop what was compiled for questions."""
        self.asker.forget()
        self.distances.forget()

    # ----------------------------------------------------------------------------------------- playing
    def run(self, steps: int) -> None:
        """Play on, until so many more events have been judged. Where lawful play can be gone through, it is first."""
        self.exhaustion("play")
        until = self.runner.taken + steps
        while self.runner.taken < until and self.tables:
            before = self.runner.taken
            doing = min(SHARES, key=lambda name: (self._spent[name] / SHARES[name], name))
            if doing == "finish" and self.mover.owing:
                self._finish(until)
            elif doing == "pursue" and self.mover.unseen:
                self._pursue(until)
            else:
                self._roam(until)
            if self.runner.taken == before:
                self.runner.taken += 1
            self._spent[doing] += self.runner.taken - before

    def _finish(self, until: int) -> None:
        """A walk to the end of a life, from where much is owed until then."""
        mover = self.mover
        some = self.rng.sample(list(mover.owing), min(8, len(mover.owing)))
        node = max(some, key=lambda n: (mover.owing[n][1] / self._use(n), -n.number))
        life, _ = mover.owing.pop(node)
        ending = mover.ending(life)
        course = mover.to_the_end(node, ending)
        while len(course.events) < LENGTHS[-1] and self.runner.taken < until:
            found = mover.advance(node, course)
            if found is None or course.events[-1].event in ending:
                return
            node = found

    def _pursue(self, until: int) -> None:
        """Look for a state at which a rule applies that was not seen to apply; each time for longer."""
        target = min(self.mover.unseen, key=lambda name: (self._aimed[name], self.rng.random()))
        self._aimed[target] += 1
        declared = self.program.functions[target]
        args = tuple(m.Var(p.type, p.name) for p in declared.params)
        question = Question(declared.params, m.CallF(BOOL, target, args))
        budget = 0 if self.rng.random() < LAWFUL else MOST_BROKEN
        enough = min(until, self.runner.taken + PURSUIT * self._aimed[target])
        found = self.seeker.seek(question, budget, enough)
        if found is not None:
            self.mover.see([target])
            self.mover.reopen(found, RARE)

    def _roam(self, until: int) -> None:
        """A play from an empty table, or on from something new."""
        budget = 0 if self.rng.random() < LAWFUL else self.rng.randint(1, MOST_BROKEN)
        course = Course(Aim(None, self.walker.swarm()), budget)
        node, before = self._start(budget), self.runner.taken
        for _ in range(self.rng.choice(LENGTHS)):
            found = self.mover.advance(node, course)
            if found is None or self.runner.taken >= until:
                break
            node = found
        taken = sorted({happening.event for happening in course.events})
        self.walker.reward(taken, course.gained / max(1, self.runner.taken - before))

    def _start(self, budget: int) -> Node:
        """Where a walk begins: at an empty table, or at what is rarely seen and was seldom begun at."""
        open_ = self.mover.open
        chosen = [n for n in self.rng.sample(open_, min(16, len(open_))) if n.broken <= budget]
        if chosen and self.rng.random() < ONWARD:
            best = max(chosen, key=lambda n: (n.fresh / (1 + n.visits) ** 2 / self._use(n), n.number))
            best.visits += 1
            return best
        some = self.rng.sample(self.tables, min(3, len(self.tables)))
        return max(some, key=lambda table: self.mover.records[id(table.options)].worth)

    def _use(self, node: Node) -> float:
        """A number that grows with how much was played under a node's options."""
        return float((1 + self.mover.records[id(node.options)].uses) ** 0.5)

    # ---------------------------------------------------------------------------------------- answering
    def look(self, question: Question, mode: Mode) -> Sometimes | None:
        """A state that was reached at which the question is true, with a short play that leads there.

        Where all states of the mode can be gone through, they are first.
        """
        self._asked = question
        self.exhaustion(mode)
        possible = self.index.possible(question, self.corpus.nodes)
        for node in self.corpus.of(mode):
            if possible is not None and node.number not in possible:
                continue
            if self.asker.find(question, node.state, node.options) is not None:
                return self.answer(question, node.play())
        return None

    def reach(self, question: Question, mode: Mode, steps: int) -> Sometimes | None:
        """As `look`, but playing on purpose, for so many more events, where the question is not true anywhere yet."""
        seen = self.look(question, mode)
        if seen is not None:
            return seen
        budget = 0 if mode == "play" else MOST_BROKEN
        found = self.seeker.seek(question, budget, self.runner.taken + steps)
        return None if found is None else self.answer(question, found.play())

    def exhausted(self, mode: Mode, question: Question | None = None) -> bool:
        """Whether `look` finding nothing means that there is nothing, within the scope.

        That is where every state of the mode was visited (`Exhaustion` says what that means), and every value of
        the question's params was tried there. Of no question, the last one that was looked for.
        """
        asked = question or self._asked
        return (
            asked is not None
            and self.exhaustion(mode).complete
            and self.asker.complete(asked)
            and self.exhauster.answers(asked)
        )

    def exhaustion(self, mode: Mode) -> Exhaustion:
        """What going through all states of the mode comes to; all of them are in the corpus then."""
        found = self._exhaustions.get(mode)
        if found is None:
            found = self._exhaustions[mode] = self.exhauster.run(mode)
            nodes: list[Node] = []
            for reached in found.reached:
                if reached.before is None or reached.happening is None or reached.stepped is None:
                    nodes.append(self.mover.table(reached.options))
                else:
                    parent = nodes[reached.before]
                    nodes.append(self.corpus.add(parent, reached.happening, reached.stepped, set()))
        return found

    def answer(self, question: Question, play: Play) -> Sometimes:
        """What a play shows at whose end the question is true, made short."""
        short, values = shortened(self.runner, self.asker, question, play)
        return Sometimes(short.state, short.options, values, short, self.scope_text, ("interpreter",))

    def plays(self, lawful: bool) -> list[Play]:
        """Plays that show different things, those that show most first; none is the beginning of another."""
        nodes = [n for n in self.corpus.nodes if n.parent is not None and not (lawful and n.broken)]
        fresh = [n for n in nodes if n.fresh] or nodes
        inner = {m for n in fresh for m in n.path()[:-1]}
        last = [n for n in fresh if n not in inner]
        last.sort(key=lambda n: (-sum(m.fresh for m in n.path()), n.number))
        return [n.play() for n in last]

    # ---------------------------------------------------------------------------------------- going on
    def goes_on(self, play: Play) -> Happening | None:
        """A lawful event that may follow a play; None where none of the events worth trying is lawful."""
        node = self.mover.take_up(play)
        if node is None:
            return None
        prospect = self.mover.candidates.at(node.snapshot, node.options, self.rng)
        for happening in self.walker.choices(prospect, self.walker.normal, Counter()):
            if self.mover.take(node, happening, node.broken) is not None:
                return happening
            prospect.resume()
        return None

    def can_finish(self, play: Play, life: str, steps: int) -> Play | None:
        """The play with lawful events after it up to the end of the life; None where none was found in so many."""
        start = self.mover.take_up(play)
        if start is None:
            return None
        ending = self.mover.ending(life)
        until = self.runner.taken + steps
        while self.runner.taken < until:
            node: Node | None = start
            course = self.mover.to_the_end(start, ending)
            before = self.runner.taken
            while node is not None and len(course.events) < LENGTHS[-1]:
                node = self.mover.advance(node, course)
                if node is not None and course.events[-1].event in ending:
                    return replayed(self.runner, play.options, [*play.happenings, *course.events])
            if self.runner.taken == before:
                self.runner.taken += 1
        return None
