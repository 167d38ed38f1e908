"""Rounds looked for: those that plays there are, play by habit and play at random come upon, then on purpose for each
rule that none of them shows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import cycle, filterfalse, islice, takewhile
from random import Random

from verifier.core.program import EVENT_PREFIX, Program
from verifier.generate.asks import Ask, Asks, breaking, keeping
from verifier.generate.beside import Beside, Company, Target
from verifier.generate.habitual import FEW_EVENTS, IDLE, LONG_EVENTS, LONG_ROUNDS, PLAYS, ROUNDS, Tables
from verifier.generate.pool import LONGEST, Pool, Stand
from verifier.generate.probes import MOST_PROBES, follow, look, probe, stray
from verifier.generate.proofs import Proofs, Wanted
from verifier.generate.rounds import Bench, Round, fewest
from verifier.prove.desk import Desk
from verifier.prove.explore.candidates import Candidates
from verifier.prove.explore.settings import Options
from verifier.prove.patterns import nearest
from verifier.prove.question import Play, Question
from verifier.prove.scenario import find_play
from verifier.prove.solve import Settings
from verifier.run.bench import Happening
from verifier.run.state import State

FINISH = 300
"""So many events are judged, at most, to bring a round to its end."""

SOUGHT = 300
"""So many events are played on purpose for one question."""

SOUGHT_FOR = 2
"""Of so many questions that bear on a rule it is played on purpose,"""

SOLVED_FOR = 3
"""and of so many Z3 is asked."""

SKELETONS = 6
"""With the events of so many rounds Z3 is asked for one,"""

NEAR = 3
"""among them so many that come near to what is asked."""

BEGINNINGS = 24
"""With so many beginnings of rounds Z3 is asked for one that goes on with what is asked."""

Found = tuple[Play, Mapping[str, object]]
"""A lawful play, with the values for which a question is true at its end."""

Ways = Callable[[str, Ask], Iterator[Found]]

Note = Callable[[str, int, int], None]
"""Called with what is being looked for, how many rules are done, and how many there are."""


@dataclass(frozen=True, slots=True)
class Faulty:
    """A round with one event at fault, the `at`th (from 0), by the rule."""

    rule: str
    round: Round
    at: int


@dataclass(slots=True)
class Search:
    """A search for rounds of one program, at one desk. What it finds hangs on the program, `plays` and the seed alone.

    `plays` are looked at first, then those of `earlier` proofs, which are also played to their end; then `tables` are
    played by habit. What would be left open is asked of solvers once more with `most` to spend.
    """

    desk: Desk
    targets: tuple[str, ...]
    note: Note
    tables: Tables
    earlier: tuple[Play, ...] = ()
    plays: tuple[Play, ...] = ()
    most: Settings | None = None
    bench: Bench = field(init=False)
    pool: Pool = field(init=False)
    proofs: Proofs = field(init=False)
    _candidates: Candidates = field(init=False)
    _asks: dict[tuple[str, Wanted], Asks] = field(default_factory=dict)
    _gone: dict[str, tuple[Happening, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._candidates = Candidates(self.tables.runner, self.tables.scope)
        self.bench = Bench(self.program, self.tables.runner, self.tables.writable)
        self.pool = Pool(self.bench, self.targets)
        self.proofs = Proofs(self.desk, self.most)

    @property
    def program(self) -> Program:
        return self.desk.program

    # ---------------------------------------------------------------------------------------- lawful rounds
    def lawful(self) -> list[Round]:
        """Few whole lawful rounds which between them exercise every rule that was seen exercised."""
        self._play()
        self._look_for("lawful rounds", "kept", self.pool.missing, self._keeps)
        wanted = frozenset(self.targets)
        chosen = fewest(self.pool.rounds, wanted)
        short: list[Round] = []
        for index, one in enumerate(chosen):
            self.note("making rounds short", index, len(chosen))
            others = frozenset[str]().union(*(r.shown for r in [*short, *chosen[index + 1 :]]))
            needed = (one.shown & wanted) - others
            short.append(self._shortened(one, needed))
        return fewest(short, wanted)

    def lacking(self) -> frozenset[Target]:
        """What neither play nor an event tried where play stands shows, before anything is looked for on purpose."""
        self._play()
        self._try_faults()
        found: set[Target] = {(rule, "kept") for rule in self.pool.missing()}
        found |= {(rule, "broken") for rule in self.pool.faultless()}
        return frozenset(found)

    def _play(self) -> None:
        self._play_what_there_is()
        self._play_by_habit()
        self._look_around()
        self._look_where_play_stands()

    def _shortened(self, one: Round, needed: frozenset[str]) -> Round:
        return self.bench.shortened(one, lambda shorter: needed <= shorter.shown)

    def _told(self, what: str, left: Sequence[str]) -> None:
        self.note(what, len(self.targets) - len(left), len(self.targets))

    def _play_by_habit(self) -> None:
        """Whole lawful rounds played by habit; those that show what none before them did can be begun from again. What
        is missing then may take what earlier rounds leave: tables are played for longer."""
        number = 0
        settings = self.tables.settings()
        for options in settings:
            idle = 0
            for _ in range(PLAYS):
                fresh, _ = self._play_table(options, number, ROUNDS)
                number, idle = number + 1, 0 if fresh else idle + 1
                if idle == IDLE:
                    break
        left = LONG_EVENTS
        for options in cycle(settings):
            if left <= 0 or not self.pool.missing():
                break
            _, events = self._play_table(options, number, LONG_ROUNDS)
            number, left = number + 1, left - max(events, FEW_EVENTS)

    def _play_table(self, options: Options, number: int, rounds: int) -> tuple[bool, int]:
        """Whether the rounds of a table show what none did before, and of how many events they are."""
        self._told("playing by habit", self.pool.missing())
        fresh, events = False, 0
        for happenings in self.tables.play(options, number, rounds):
            events = len(happenings)
            if self.pool.add(options, happenings):
                fresh = True
                self.pool.stand(options, happenings)
        return fresh, events

    @property
    def _empty(self) -> State:
        return self.bench.runner.empty.state

    def _play_what_there_is(self) -> None:
        """What people wrote, and what earlier proofs found."""
        for play in (*self.plays, *self.earlier):
            self._told("plays that there are", self.pool.missing())
            self.pool.stand(play.options, play.happenings)
            self.pool.add(play.options, play.happenings)
        for play in self.earlier:
            self._told("plays that there are", self.pool.missing())
            if play.lawful:
                self._finish(play)
        for play in self.plays:
            self._told("plays that there are", self.pool.missing())
            if play.lawful:
                self._finish_for(play)

    def _look_around(self) -> None:
        """What play at random comes upon: whole rounds, what is seen elsewhere played to its end, faults."""
        self.note("playing", len(self.pool.shown), len(self.targets))
        explorer = self.desk.explorer
        for play in explorer.plays(lawful=True):
            self.pool.stand(play.options, play.happenings)
            self.pool.add(play.options, play.happenings)
            self._finish_for(play)
        for node in explorer.corpus.nodes:
            if node.broken == 1 and node.breaches:
                play = node.play()
                self.pool.stand(play.options, play.happenings)

    def _finish_for(self, play: Play) -> None:
        """Play on to the end of the round, where a rule is exercised on the way that no whole round exercises."""
        missing = set(self.pool.missing())
        if not self.bench.complete(play.happenings):
            for stand, beat in self.pool.along(play.options, play.happenings):
                if beat.shown & missing:
                    happenings = (*stand.happenings, beat.happening)
                    self._finish(Play(play.options, happenings, ((),) * len(happenings), self._empty))
                    missing = set(self.pool.missing())

    def _look_where_play_stands(self) -> None:
        """Lawful events tried in every state of play, for rules that no whole round exercises."""
        candidates = self._candidates
        kinds = partial(self._kinds, wanted="kept")
        for stand, happening in look(self.pool, candidates, kinds, Random(self.tables.seed)):
            self._told("lawful events", self.pool.missing())
            happenings = (*stand.happenings, happening)
            self._finish(Play(stand.options, happenings, ((),) * len(happenings), self._empty))

    def _finish(self, play: Play) -> Round | None:
        """A lawful round that begins with the play, kept for what it shows."""
        happenings: Sequence[Happening] | None = play.happenings
        if not self.bench.complete(play.happenings):
            happenings = self._ended(play)
        if happenings is None:
            return None
        self.pool.add(play.options, happenings)
        return self.bench.judged(play.options, happenings, lawful=True)

    def _ended(self, play: Play) -> tuple[Happening, ...] | None:
        """The events of a play with lawful ones after them to the end of the round, by habit or else on purpose."""
        by_habit = self.tables.ended(play)
        if by_habit is not None:
            return by_habit
        life = list(self.program.ruleset.lives.values())[-1].name
        ended = self.desk.explorer.can_finish(play, life, FINISH)
        return None if ended is None else ended.happenings

    # ------------------------------------------------------------------------------------------- on purpose
    @property
    def _ways(self) -> tuple[tuple[str, Ways, int], ...]:
        """The ways of looking, the cheapest first, and how many questions of a rule each is worth trying for."""
        return (
            ("solved", self._solved, SOLVED_FOR),
            ("solved from beginnings", self.begun, SOLVED_FOR),
            ("played on purpose", self._sought, SOUGHT_FOR),
        )

    def _look_for(
        self,
        what: str,
        wanted: Wanted,
        left: Callable[[], Sequence[str]],
        found: Callable[[str, Ask, Found], bool],
    ) -> None:
        """Look in each way for what shows each rule that is left, but for what is proved to be nowhere."""
        most_asked = max(most for _, _, most in self._ways)
        possible: dict[str, Sequence[Ask]] = {}
        for rule in left():
            self._told(f"{what}: what is possible", left())
            never = partial(self.proofs.never, rule, wanted)
            possible[rule] = list(islice(filterfalse(never, self.asks(rule, wanted)), most_asked))
        for way, ways, most in self._ways:
            for turn in range(most):
                asked = [(rule, possible[rule][turn]) for rule in left() if len(possible[rule]) > turn]
                for rule, ask in asked:
                    self._told(f"{what}: {way}", left())
                    if rule in left():
                        any(found(rule, ask, one) for one in ways(rule, ask))

    def asks(self, rule: str, wanted: Wanted) -> Sequence[Ask]:
        """What a play must come to for the rule to be `kept` or `broken`, by those whose acts they are."""
        return [ask for ask in self.ways_of(rule, wanted).asks if not ask.astray]

    def ways_of(self, rule: str, wanted: Wanted) -> Asks:
        """All that a play may come to for that, with what no question covers."""
        key = (rule, wanted)
        if key not in self._asks:
            self._asks[key] = (keeping if wanted == "kept" else breaking)(self.program, rule)
        return self._asks[key]

    def _keeps(self, rule: str, ask: Ask, found: Found) -> bool:
        """Whether what was found comes to a whole lawful round that exercises the rule."""
        play, values = found
        done = self._done(play, ask, values)
        whole = None if done is None else self._finish(done)
        return whole is not None and rule in whole.shown

    def _breaks(self, rule: str, ask: Ask, found: Found) -> bool:
        """Whether what was found breaks the rule, and nothing else."""
        play, values = found
        happening = self._event(ask, values)
        if happening is not None:
            happenings = (*play.happenings, happening)
            self.pool.stand(play.options, happenings)
            after = self.tables.runner.after(play.options, happenings) if ask.before else None
            if after is not None:
                stand = Stand(play.options, happenings, after)
                follow(self.pool, self._candidates, stand, Random(self.tables.seed))
        return rule in self.pool.faults and self.pool.faults[rule].alone

    def _sought(self, rule: str, ask: Ask) -> Iterator[Found]:
        """One that is played on purpose."""
        explorer = self.desk.explorer
        found = explorer.seeker.seek(ask.question, 0, explorer.runner.taken + SOUGHT)
        values = None if found is None else explorer.asker.find(ask.question, found.state, found.options)
        if found is not None and values is not None:
            yield found.play(), values

    def _solved(self, rule: str, ask: Ask) -> Iterator[Found]:
        """One whose kinds of event are those of a round that there is, the rest being chosen by Z3."""
        return self._chosen(self._skeletons(ask.question), ask)

    def begun(self, rule: str, ask: Ask) -> Iterator[Found]:
        """One that begins as a round does, and goes on with the event of the question, of whatever is there."""
        if ask.question.event is not None:
            yield from self._chosen(islice(self._beginnings(rule), BEGINNINGS), ask)

    def _chosen(self, skeletons: Iterable[Play], ask: Ask) -> Iterator[Found]:
        for skeleton in skeletons:
            some = find_play(
                self.program, skeleton, ask.question, True, self.desk.settings, free_options=True
            )
            if some is not None and some.play is not None:
                yield some.play, dict(some.values)
                return

    def _beginnings(self, rule: str) -> Iterator[Play]:
        """Rounds up to where something is claimed in them, and to their end; those first that show what stands nearest
        to the rule in the law."""

        def near(one: Round) -> tuple[int, int]:
            alike = (
                takewhile(lambda pair: pair[0] == pair[1], zip(rule, other, strict=False))
                for other in one.shown
            )
            return -max((len(list(pairs)) for pairs in alike), default=0), len(one.beats)

        events = self.program.ruleset.events
        for one in (*sorted(self.pool.rounds, key=near), *sorted(self.pool.others.values(), key=near)):
            for count, happening in enumerate(one.happenings[:LONGEST]):
                if events[happening.event].claims or self.bench.complete([happening]):
                    begun = Round(one.options, one.beats[:count])
                    yield from self._as_plays([begun])

    def _skeletons(self, question: Question) -> list[Play]:
        """Plays to choose anew from: whole rounds that have events of the kind, the shortest first, then plays that
        come near, then rounds of the most kinds of event."""
        rounds = [one for one in self.pool.rounds if len(one.beats) <= LONGEST]
        having = [r for r in rounds if any(b.happening.event == question.event for b in r.beats)]
        having.sort(key=lambda r: len(r.beats))
        plays = list(self._as_plays(having[:SKELETONS]))
        plays += nearest(self.desk.explorer, question, "play")[:NEAR]
        rest = sorted(self.pool.others.items(), key=lambda item: -len(item[0]))
        plays += self._as_plays([one for _, one in rest][: max(0, SKELETONS + NEAR - len(plays))])
        return plays

    def _as_plays(self, rounds: Sequence[Round]) -> Iterator[Play]:
        for one in rounds:
            after = self.tables.runner.after(one.options, one.happenings)
            if after is not None:
                yield Play(one.options, one.happenings, ((),) * len(one.beats), after.state)

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
    def faulty(self) -> dict[str, Faulty]:
        """For each rule a lawful play in which one event is at fault by it, and by no other where that can be."""
        self._try_faults()
        self._look_for("faulty rounds", "broken", self.pool.faultless, self._breaks)
        candidates = Candidates(self.bench.runner, self.tables.scope)
        stray(self.pool, candidates, self._astray, Random(self.tables.seed))
        made: dict[str, Faulty] = {}
        for rule, fault in self.pool.faults.items():
            judged = self.bench.judged(fault.stand.options, fault.happenings)
            if judged is not None:
                made[rule] = Faulty(rule, judged, len(judged.beats) - 1)
        return made

    def _try_faults(self) -> None:
        candidates = Candidates(self.bench.runner, self.tables.scope)

        def nowhere(rule: str) -> bool:
            return all(self.proofs.never(rule, "broken", ask) for ask in self.asks(rule, "broken"))

        rng = Random(self.tables.seed)
        for left in probe(self.pool, candidates, self._kinds, rng, MOST_PROBES, nowhere):
            self.note("faulty events", len(self.targets) - left, len(self.targets))

    def _kinds(self, rule: str, wanted: Wanted = "broken") -> Sequence[tuple[str, str]]:
        """The kinds of event, with an actor each, that may be at fault by the rule, or exercise it."""
        asks = self.asks(rule, wanted)
        return list(dict.fromkeys((a.question.event, a.actor) for a in asks if a.question.event and a.actor))

    def _astray(self, rule: str) -> Sequence[tuple[str, str]]:
        """The kinds of event that are at fault by the rule, perhaps, for who does them."""
        asks = [ask for ask in self.ways_of(rule, "broken").asks if ask.astray]
        return list(dict.fromkeys((a.question.event, a.actor) for a in asks if a.question.event and a.actor))

    def gone_on(self, faulty: Faulty) -> Faulty:
        """The faulty round played on lawfully to its end, and made short; it stops at the fault where nobody found how
        to go on."""
        whole = faulty.round
        if self.bench.endings and not self.bench.complete(whole.happenings):
            ended = self._ended(Play(whole.options, whole.happenings, ((),) * len(whole.beats), self._empty))
            longer = None if ended is None else self.bench.judged(whole.options, ended)
            if longer is not None and not any(b.faults for i, b in enumerate(longer.beats) if i != faulty.at):
                whole = longer
        self._gone[faulty.rule] = whole.happenings
        fault = whole.beats[faulty.at].faults
        short = self.bench.shortened(whole, lambda one: any(b.faults == fault for b in one.beats))
        return Faulty(faulty.rule, short, next(i for i, b in enumerate(short.beats) if b.faults))

    # ---------------------------------------------------------------------------------- beside something else
    def beside(self, targets: frozenset[Target]) -> list[Beside]:
        """Rounds that show what none shows by itself: with an event at fault before it, or with it. Those that there
        are are looked at beyond their faults, then events are tried where faulty rounds stand after the fault."""
        company = Company(self.pool, targets)
        for play in (*self.plays, *self.earlier):
            company.take(play.options, play.happenings)
        for rule, fault in self.pool.beside.items():
            if (rule, "kept") in targets:
                company.take(fault.stand.options, fault.happenings)
        stands: list[Stand] = []
        faults = sorted(self.pool.faults.items(), key=lambda item: (len(item[1].happenings), item[0]))
        for rule, fault in faults:
            stands += company.take(fault.stand.options, self._gone.get(rule, fault.happenings))
        candidates = Candidates(self.bench.runner, self.tables.scope)
        company.probe(stands, candidates, self._kinds, Random(self.tables.seed))
        return [self._finished(one) for _, one in sorted(company.found.items())]

    def _finished(self, one: Beside) -> Beside:
        """Played on to the end of the round where nothing more is at fault then, and made short."""
        whole = one.round
        if self.bench.endings and not self.bench.complete(whole.happenings):
            ended = self._ended(Play(whole.options, whole.happenings, ((),) * len(whole.beats), self._empty))
            longer = None if ended is None else self.bench.judged(whole.options, ended)
            if longer is not None and one.fits(longer):
                whole = longer
        return replace(one, round=self.bench.shortened(whole, one.fits))
