"""Rounds looked for: those that play by habit and at random comes upon, then on purpose for each rule that none of
them shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from verifier.core.program import EVENT_PREFIX, Program
from verifier.generate.asks import Ask, breaking, keeping
from verifier.generate.habitual import IDLE, PLAYS, Tables
from verifier.generate.hits import Hits
from verifier.generate.rounds import Beat, Bench, Round, fewest
from verifier.prove.decide import all_visited
from verifier.prove.desk import Desk
from verifier.prove.everywhere import typed
from verifier.prove.explore.corpus import Node
from verifier.prove.explore.explorer import Explorer
from verifier.prove.inducing import with_invariants
from verifier.prove.patterns import nearest
from verifier.prove.question import Never, Obligation, Play, Question, Sometimes
from verifier.prove.scenario import find_play
from verifier.run.bench import Happening
from verifier.run.state import State

FINISHED = 6
"""From so many states in which a rule was exercised a round is played to its end."""

FINISH = 300
"""So many events are judged, at most, to bring a round to its end."""

SOUGHT = 400
"""So many events are played on purpose for one question."""

MOST_HITS = 8
"""Among so many faulty events the one is taken that breaks fewest rules."""

MOST_ASKED = 24
"""Of so many questions that bear on a rule it is looked where they are true,"""

SOUGHT_FOR = 6
"""of so many it is played on purpose,"""

SOLVED_FOR = 3
"""and of so many Z3 is asked."""

SKELETONS = 8
"""With the events of so many plays Z3 is asked for a round."""

Found = tuple[Play, Mapping[str, object]]
"""A lawful play, with the values for which a question is true at its end."""

Ways = Callable[[Ask], Iterator[Found]]

Note = Callable[[str, int, int], None]
"""Called with what is being looked for, how many rules are done, and how many there are."""


@dataclass(frozen=True, slots=True)
class Faulty:
    """A round with one event at fault, the `at`th (from 0), by the rule."""

    rule: str
    round: Round
    at: int


@dataclass(frozen=True, slots=True)
class Unmet:
    """A rule that no round exercises, or breaks. `proved`: there can be none; else none was found. `why` in words."""

    rule: str
    wanted: str
    proved: bool
    why: str


@dataclass(slots=True)
class Search:
    """A search for rounds of one program, at one desk. What it finds hangs on the program and the seed alone.

    `tables` are played by habit, and what is worth coming back to there is kept in `wide`, in a scope of its own.
    """

    desk: Desk
    targets: Sequence[str]
    note: Note
    tables: Tables
    bench: Bench = field(init=False)
    wide: Explorer = field(init=False)
    hits: Hits = field(init=False)
    rounds: list[Round] = field(default_factory=list)
    _shown: dict[int, Beat] = field(default_factory=dict)
    _seen: int = 0
    _asks_kept: dict[str, Sequence[Ask]] = field(default_factory=dict)
    _asks_broken: dict[str, Sequence[Ask]] = field(default_factory=dict)
    _faulty: dict[str, Faulty] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.bench = Bench(self.program, self.desk.explorer.runner, self.tables.writable)
        self.wide = Explorer(self.program, self.tables.scope, self.tables.seed)
        self.hits = Hits((self.desk.explorer, self.wide), MOST_HITS)

    @property
    def program(self) -> Program:
        return self.desk.program

    # ---------------------------------------------------------------------------------------- lawful rounds
    def lawful(self) -> list[Round]:
        """Few whole lawful rounds which between them exercise every rule that was seen exercised."""
        self._look_around()
        self._look_there(self._keeping, self._exercised, self._kept_there)
        for ways, most in self._ways:
            for number, rule in enumerate(self.targets):
                self.note("lawful rounds", number, len(self.targets))
                if not self._exercised(rule):
                    self._seek_kept(rule, ways, most)
        wanted = frozenset(self.targets)
        chosen = fewest(self.rounds, wanted)
        short: list[Round] = []
        for index, one in enumerate(chosen):
            self.note("making rounds short", index, len(chosen))
            others = frozenset[str]().union(*(r.shown for r in [*short, *chosen[index + 1 :]]))
            needed = (one.shown & wanted) - others
            short.append(self.bench.shortened(one, needed))
        return fewest(short, wanted)

    def _exercised(self, rule: str) -> bool:
        return any(rule in one.shown for one in self.rounds)

    def _look_around(self) -> None:
        """The whole lawful rounds among all that was played; for rules seen elsewhere, others played to their end."""
        self._play_by_habit()
        self._note_nodes()
        nodes = [n for n in self.desk.explorer.corpus.nodes if n.number in self._shown]
        for node in nodes:
            if node.happening is not None and self.bench.complete([node.happening]):
                self._add_path(node)
        self._finish_for(nodes)

    def _play_by_habit(self) -> None:
        """Whole lawful rounds played by habit; those that show what none before them did can be begun from again."""
        wanted, seen = frozenset(self.targets), frozenset[str]()
        number = 0
        for options in self.tables.settings():
            idle = 0
            for _ in range(PLAYS):
                self.note("playing by habit", len(seen), len(self.targets))
                fresh = False
                for happenings in self.tables.play(options, number):
                    played = self.bench.judged(options, happenings, lawful=True)
                    if played is not None and not played.shown & wanted <= seen:
                        fresh, seen = True, seen | (played.shown & wanted)
                        self.rounds.append(played)
                        self.wide.mover.take_up(
                            Play(options, happenings, ((),) * len(happenings), self._empty)
                        )
                number, idle = number + 1, 0 if fresh else idle + 1
                if idle == IDLE:
                    break

    @property
    def _empty(self) -> State:
        return self.bench.runner.empty.state

    def _note_nodes(self) -> None:
        """What each event showed that lawful play had."""
        corpus, runner = self.desk.explorer.corpus, self.bench.runner
        for node in corpus.nodes[self._seen :]:
            if node.parent is not None and node.happening is not None and not node.broken:
                stepped = runner.step(node.parent.snapshot, node.options, node.happening)
                if stepped is not None and not stepped.breaches:
                    self._shown[node.number] = self.bench.beat(node.happening, stepped)
        self._seen = len(corpus.nodes)

    def _add_path(self, node: Node) -> None:
        beats = [self._shown[n.number] for n in node.path() if n.number in self._shown]
        if len(beats) == node.depth and all(self.bench.writable(beat.happening) for beat in beats):
            self.rounds.append(Round(node.options, tuple(beats)))

    def _finish_for(self, nodes: Sequence[Node]) -> None:
        """For each rule that was exercised, but in no whole round: such a round."""
        for rule in self.targets:
            showing = [n for n in nodes if n.number in self._shown and rule in self._shown[n.number].shown]
            showing.sort(key=lambda n: (n.depth, n.number))
            for node in showing[:FINISHED]:
                if self._exercised(rule):
                    break
                self._finish(node.play())

    def _finish(self, play: Play) -> Round | None:
        """A lawful round that begins with the play, kept for what it shows."""
        happenings: Sequence[Happening] | None = play.happenings
        if not self.bench.complete(play.happenings):
            happenings = self._ended(play)
        whole = None if happenings is None else self.bench.judged(play.options, happenings, lawful=True)
        if whole is not None:
            self.rounds.append(whole)
        return whole

    def _ended(self, play: Play) -> tuple[Happening, ...] | None:
        """The events of a play with lawful ones after them to the end of the round, by habit or else on purpose."""
        by_habit = self.tables.ended(play)
        if by_habit is not None:
            return by_habit
        life = list(self.program.ruleset.lives.values())[-1].name
        ended = self.desk.explorer.can_finish(play, life, FINISH)
        return None if ended is None else ended.happenings

    @property
    def _ways(self) -> tuple[tuple[Ways, int], ...]:
        """The ways of looking, the cheapest first, and how many questions of a rule each is worth trying for."""
        return (self._sought, SOUGHT_FOR), (self._solved, SOLVED_FOR)

    def _look_there(
        self,
        asks: Callable[[str], Sequence[Ask]],
        done: Callable[[str], bool],
        found: Callable[[str, Ask], None],
    ) -> None:
        """What there is already, for each rule until it is `done`: the first question of every rule in one look, then
        the second of those left, and so on."""
        left: Sequence[str] = self.targets
        for turn in range(MOST_ASKED):
            left = [rule for rule in left if len(asks(rule)) > turn and not done(rule)]
            self.hits.look(asks(rule)[turn].question for rule in left)
            for rule in left:
                self.note("what was played", len(self.targets) - len(left), len(self.targets))
                if not done(rule):
                    found(rule, asks(rule)[turn])

    def _keeping(self, rule: str) -> Sequence[Ask]:
        if rule not in self._asks_kept:
            self._asks_kept[rule] = keeping(self.program, rule)
        return self._asks_kept[rule]

    def _breaking(self, rule: str) -> Sequence[Ask]:
        if rule not in self._asks_broken:
            self._asks_broken[rule] = breaking(self.program, rule)
        return self._asks_broken[rule]

    def _seek_kept(self, rule: str, ways: Ways, most: int) -> bool:
        """A whole lawful round that exercises a rule, made of what one way of looking comes upon."""
        return any(self._makes_kept(rule, ask, ways(ask)) for ask in self._keeping(rule)[:most])

    def _kept_there(self, rule: str, ask: Ask) -> None:
        self._makes_kept(rule, ask, self._there(ask))

    def _makes_kept(self, rule: str, ask: Ask, found: Iterator[Found]) -> bool:
        """Whether one of what was found comes to a whole lawful round that exercises the rule."""
        for play, values in found:
            done = self._done(play, ask, values)
            whole = None if done is None else self._finish(done)
            if whole is not None and rule in whole.shown:
                return True
        return False

    def _there(self, ask: Ask) -> Iterator[Found]:
        """Lawful plays that there are already at whose end the question is true."""
        for node, values in self.hits.of(ask.question):
            yield node.play(), values

    def _sought(self, ask: Ask) -> Iterator[Found]:
        """One that is played on purpose."""
        explorer = self.desk.explorer
        found = explorer.seeker.seek(ask.question, 0, explorer.runner.taken + SOUGHT)
        values = None if found is None else explorer.asker.find(ask.question, found.state, found.options)
        if found is not None and values is not None:
            yield found.play(), values

    def _solved(self, ask: Ask) -> Iterator[Found]:
        """One whose kinds of event are those of a play that there is, the rest being chosen by Z3."""
        for skeleton in nearest(self.desk.explorer, ask.question, "play")[:SKELETONS]:
            some = find_play(self.program, skeleton, ask.question, True, self.desk.settings)
            if some is not None and some.play is not None:
                yield some.play, dict(some.values)
                return

    def _done(self, play: Play, ask: Ask, values: Mapping[str, object]) -> Play | None:
        """The play with the event of the question at its end; None where that is not lawful."""
        happening = self._event(ask, values)
        if happening is None:
            return play
        whole = self.bench.judged(play.options, (*play.happenings, happening), lawful=True)
        if whole is None:
            return None
        return Play(play.options, whole.happenings, ((),) * len(whole.beats), play.state)

    def _event(self, ask: Ask, values: Mapping[str, object]) -> Happening | None:
        event = ask.question.event
        if event is None or ask.actor is None:
            return None
        params = self.program.ruleset.events[event].params
        return Happening(event, ask.actor, tuple(values[EVENT_PREFIX + p.name] for p in params))

    # ---------------------------------------------------------------------------------------- faulty rounds
    def faults_there(self) -> None:
        """Look for what breaks each rule among all that was played; `faulty` tells it."""
        self._look_there(self._breaking, self._is_alone, self._broken_there)

    def faulty(self, rule: str) -> Faulty | None:
        """A lawful round in which one event is another, or is missing, and so breaks the rule; then it goes on."""
        if rule in self._faulty:
            return self._faulty[rule]
        best: Faulty | None = None
        for ways, most in self._ways:
            for ask in self._breaking(rule)[:most]:
                for play, values in ways(ask):
                    best = self._better(best, rule, play, self._event(ask, values))
                    if best is not None and _alone(best):
                        return best
            if best is not None:
                return best
        return None

    def _is_alone(self, rule: str) -> bool:
        return rule in self._faulty and _alone(self._faulty[rule])

    def _broken_there(self, rule: str, ask: Ask) -> None:
        for play, values in self._there(ask):
            best = self._better(self._faulty.get(rule), rule, play, self._event(ask, values))
            if best is not None:
                self._faulty[rule] = best
                if _alone(best):
                    return

    def _better(
        self, best: Faulty | None, rule: str, play: Play, happening: Happening | None
    ) -> Faulty | None:
        if happening is None or not play.lawful:
            return best
        judged = self.bench.judged(play.options, (*play.happenings, happening))
        if judged is None or rule not in judged.beats[-1].broken or any(b.faults for b in judged.beats[:-1]):
            return best
        new = Faulty(rule, judged, len(judged.beats) - 1)
        return new if best is None or _rank(new) < _rank(best) else best

    def gone_on(self, faulty: Faulty) -> Faulty:
        """The faulty round played on lawfully to its end; as it is where nobody found how."""
        happenings = faulty.round.happenings
        if self.bench.complete(happenings) or not self.bench.endings:
            return faulty
        play = Play(faulty.round.options, happenings, ((),) * len(happenings), self._empty)
        ended = self._ended(play)
        whole = None if ended is None else self.bench.judged(play.options, ended)
        if whole is None or any(b.faults for i, b in enumerate(whole.beats) if i != faulty.at):
            return faulty
        return Faulty(faulty.rule, whole, faulty.at)

    # ----------------------------------------------------------------------------------------------- proofs
    def unmet(self, rule: str, wanted: str) -> Unmet:
        """Why no round exercises (`kept`) or breaks (`broken`) a rule, as far as that can be told."""
        asks = self._keeping(rule) if wanted == "kept" else self._breaking(rule)
        if not asks:
            return Unmet(rule, wanted, True, _nothing(wanted))
        hows: dict[str, None] = {}
        for ask in dict.fromkeys(a.question for a in asks):
            obligation = Obligation(
                f"{wanted} {rule}",
                "reachable",
                f"{rule} is {wanted} nowhere",
                (rule,),
                "never",
                ask,
                ("play",),
            )
            answer = typed(self.desk, obligation)
            if not isinstance(answer, Never) and (never := self._all_visited(obligation, ask)) is not None:
                answer = never
            if isinstance(answer, Sometimes):
                answer = with_invariants(self.desk, obligation, "play")
            if not isinstance(answer, Never):
                looked = self.desk.explorer.scope_text
                return Unmet(
                    rule,
                    wanted,
                    False,
                    f"none was found in {looked}, and it is not proved that there is none",
                )
            hows[f"{_HOWS[answer.how]} ({', '.join(answer.by)}; {answer.scope})"] = None
        return Unmet(rule, wanted, True, "proved: " + "; ".join(hows))

    def _all_visited(self, obligation: Obligation, question: Question) -> Never | None:
        """`Never`, where every state of lawful play was visited, and the question is true at none."""
        if any(explorer.look(question, "play") is not None for explorer in self.desk.explorers):
            return None
        return all_visited(self.desk, obligation, "play")


_HOWS = {
    "typed": "in no state that the types allow",
    "induction": "in no state that lawful play can reach, by induction",
    "exhaustion": "in no state that lawful play reaches, all of which were visited",
}


def _nothing(wanted: str) -> str:
    if wanted == "kept":
        return "nothing that can happen is judged by it and found right"
    return "no event is at fault by it: it only decides for other rules, or asks what no event claims"


def _rank(faulty: Faulty) -> tuple[int, int, int]:
    last = faulty.round.beats[-1]
    return sum(len(rules) for _, rules in last.faults), len(last.faults), len(faulty.round.beats)


def _alone(faulty: Faulty) -> bool:
    return _rank(faulty)[:2] == (1, 1)
