"""A round that tells a mutant from the original: among rounds that play has come upon, else looked for on purpose."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, repeat, zip_longest
from random import Random

from verifier.check.engine import Prepared
from verifier.core.program import EVENT_PREFIX, Program
from verifier.errors import LogError, RequestError
from verifier.generate.write import Draft, checked, expected, transcript
from verifier.model import types as ty
from verifier.model.ruleset import Option
from verifier.mutate.bench import Bench
from verifier.mutate.company import accompanied
from verifier.mutate.difference import changed, infected
from verifier.mutate.familiar import familiar
from verifier.mutate.mutant import Mutant
from verifier.mutate.pair import Cut, Pair, kept, statable
from verifier.mutate.reaching import Reached, reached
from verifier.mutate.record import Recorded, record
from verifier.mutate.sameness import distinguishing
from verifier.mutate.telling import Aim, telling
from verifier.prove.decide import SMALL
from verifier.prove.desk import Desk
from verifier.prove.explore.explorer import MOST_BROKEN, Explorer
from verifier.prove.explore.settings import Required, Settings
from verifier.prove.explore.snapshot import Runner, Snapshot
from verifier.prove.explore.undone import as_it_was
from verifier.prove.extent import places
from verifier.prove.patterns import extended, nearest
from verifier.prove.question import Play, Question
from verifier.prove.scenario import find_play
from verifier.run.bench import Happening
from verifier.run.judge import Judge
from verifier.transcripts.case import Case, case_of

POOL = 120
"""So many of the plays that showed most are kept to try mutants by."""

POOLED = 12
"""Of those that show a mutant so many are looked into."""

SOUGHT = 150
"""So many events are played on purpose for one mutant."""

CROWDED = 600
"""So many where there are as many things as it counts."""

SKELETONS = 2
"""With the events of so many plays Z3 is asked,"""
PATTERNS = 4
"""and with so many made of them."""

LONGEST = 8
"""Of a play so many of its last events are done again,"""
TIMES = 12
"""so many times."""

DRAWN = 40
"""So many settings of the options are drawn to find such as meet the one program's requirements alone."""

WALKED = 8
"""On from so many plays that lead to where a mutant differs it is played,"""
WALKS = 20
"""so many times,"""
STEPS = 6
"""for so many events;"""
OWN = 0.3
"""so often one of those that the play had is one of them."""

REFILLED = 6
"""With the events of so many transcripts that come near Z3 is asked,"""
HITS = 3
"""until so many plays are found."""

ACCOMPANIED = 24
"""So many transcripts are played with another who does what one has done."""

LAST = 2_000
"""So many events are played on purpose where nothing else has found a round."""

FOLLOWED = 60
"""After so many beginnings it is looked for an event by which a rule is kept."""

AIMS = 12
"""So many questions are asked for one mutant;"""
REACHED = 26
"""so many to which transcripts come;"""
FEW_AIMS = 2
"""so many where a state has more fields than `SMALL`: each is dear there, and asked in fewer ways."""

MOST_TRIED = 2_000
"""So many values of a question's variables are tried in one state."""

TRIED = 4
"""Of each kind of event so many are tried where a mutant is known to differ."""

Values = Mapping[str, object]
Found = tuple[Play, Values]
"""A play, and values for which a question is true at its end."""


@dataclass(slots=True)
class Witnesses:
    """Looks for rounds. All that it asks is asked of the desk's program, the original."""

    ready: Prepared
    desk: Desk
    _pool: list[tuple[Play, Recorded]] | None = None
    _transcripts: Sequence[Recorded] = ()
    _runner: Runner = field(init=False)
    _small: bool = field(init=False)

    def __post_init__(self) -> None:
        self._runner = Runner(self.desk.program)
        self._small = places(self.desk.program, self.desk.scopes[0]) <= SMALL

    def prepare(self, transcripts: Sequence[Recorded] = ()) -> None:
        """Play, and judge what was played, now: processes forked from this one then need not. None of
        the `transcripts` tells a mutant that comes from the original."""
        self._transcripts = transcripts or self._transcripts
        if self._pool is None:
            plays = self.desk.explorer.plays(lawful=False)[:POOL]
            known = list(familiar(self.ready, self.desk.seed))
            found = [(play, case) for play in (*plays, *known) if (case := self._case(play)) is not None]
            recorded = record(self.ready, [case for _, case in found])
            self._pool = [(play, one) for (play, _), one in zip(found, recorded, strict=True)]

    def of(self, mutant: Mutant, made: Prepared) -> str | None:
        """The text of a transcript that the original fulfils and the mutant does not; None where none was found."""
        with as_it_was(self.desk.explorer):
            for cut in self._short(made):
                text = self._text(mutant, made, cut.options, self._with_something_kept(cut))
                if text is not None:
                    return text
        return None

    def _short(self, made: Prepared) -> Iterator[Cut]:
        """Plays cut to what tells the two apart: such first as show nothing else that is at fault, and a fault rather
        than that a rule is no longer kept."""
        pair = Pair(self._runner, Runner(made.program))
        rest = [Aim(question) for question in distinguishing(self.desk.program, made.program)]
        seen = list(telling(self.desk.program, made.program))
        aims = seen if self._small or not rest else []
        alone = [aim for aim in aims if aim.alone and self._small]
        rest += [aim for aim in aims if not aim.alone]
        near = rest if self._small else [*rest, *seen]
        tried: list[Play] = []
        noted: list[Play] = []
        for plays in (
            chain(
                self._pooled(made), self._refilled(made, [*alone, *near], noted), self._sought(alone, noted)
            ),
            chain(self._sought(rest, noted), self._walked(noted)),
            self._accompanied(made),
            chain(self.lengthened(made, [*alone, *near], noted), self._at_last(rest, noted)),
        ):
            unclean: list[Cut] = []
            for play in chain.from_iterable(map(statable, plays)):
                tried.append(play)
                cut = pair.shortened(play)
                if cut is not None and cut.beside:
                    unclean.append(cut)
                elif cut is not None:
                    yield cut
            yield from sorted(unclean, key=lambda cut: (cut.beside, len(cut.happenings)))
        yield from self._stated(made.program)
        pair.kept = True
        for play in tried:
            if (cut := pair.shortened(play)) is not None:
                yield cut

    # ------------------------------------------------------------------------------------------ candidates
    def _pooled(self, made: Prepared) -> Iterator[Play]:
        """Plays of the pool that show something else under the mutant."""
        self.prepare()
        found = changed(self.desk.program, made.program)
        machine = Judge(made.program, {}).machine if found is not None else None
        bench = Bench(made)
        given = 0
        for play, recorded in self._pool or ():
            if found is None or machine is None or infected(recorded, machine, found, bench):
                try:
                    seen = tuple(bench.seen(recorded.case))
                except (LogError, RequestError):
                    continue
                if seen != recorded.seen:
                    yield play
                    given += 1
                    if given == POOLED:
                        return

    def _refilled(self, made: Prepared, aims: Sequence[Aim], noted: list[Play]) -> Iterator[Play]:
        """Transcripts up to where they ask what differs, where that shows with other values of an event after them, or
        with other values of their own events. The plays are noted."""
        for aim, about in self._reached(made, aims):
            question = aim.question
            for place, play, values in islice(self._as_they_are(question, about), HITS):
                yield from self._on(aim, play, values, place.rest, noted)
            for place, play, values in islice(self._with_others(question, about[:REFILLED]), HITS):
                yield from self._on(aim, play, values, place.rest, noted)

    def _reached(self, made: Prepared, aims: Sequence[Aim]) -> Iterator[tuple[Aim, list[Reached]]]:
        """The first aims that a transcript comes to, with where it does so, the nearest first."""
        return islice(self._places(made, aims), REACHED)

    def _places(self, made: Prepared, aims: Sequence[Aim]) -> Iterator[tuple[Aim, list[Reached]]]:
        places = reached(self.ready, self._transcripts, changed(self.desk.program, made.program))
        at = self.desk.explorer.distances.at
        for aim in in_turn(aims) if places else ():
            question, event = aim.question, aim.question.event
            about = [p for p in places if event is None or any(h.event == event for h in p.rest[:1])]
            if about:
                yield aim, sorted(about, key=lambda p: at(question, p.play.state, p.play.options))

    def _accompanied(self, made: Prepared) -> Iterator[Play]:
        """Transcripts that ask what differs, short ones first, with another who does what one has done."""
        places = reached(self.ready, self._transcripts, changed(self.desk.program, made.program))
        whole = {(place.play.happenings + place.rest): place for place in places}
        some = sorted(whole.values(), key=lambda place: len(place.play.happenings) + len(place.rest))
        return accompanied(self.desk.explorer, self._runner, some[:ACCOMPANIED])

    def lengthened(self, made: Prepared, aims: Sequence[Aim], noted: Sequence[Play]) -> Iterator[Play]:
        """What has led to where the mutant differs, and the transcript that comes nearest, each with more events of
        the kinds that it has, where what differs shows then."""
        explorer = self.desk.explorer
        for aim, about in self._reached(made, aims):
            question = aim.question

            def far(play: Play, question: Question = question) -> float:
                return explorer.distances.at(question, play.state, play.options)

            for base in (*sorted(noted, key=far)[:1], about[0].play):
                for pattern in islice(extended(explorer, question, [base]), 1):
                    some = find_play(
                        self.desk.program, pattern, question, False, self.desk.settings, optional=True
                    )
                    if some is not None and some.play is not None:
                        yield from self._on(aim, some.play, some.values, about[0].rest, [])

    def _as_they_are(
        self, question: Question, places: Sequence[Reached]
    ) -> Iterator[tuple[Reached, Play, Values]]:
        """Those at which the question is true, with its values."""
        for place in places:
            play = place.play
            values = self.desk.explorer.asker.find(question, play.state, play.options, MOST_TRIED)
            if values is not None:
                yield place, play, values

    def _with_others(
        self, question: Question, places: Sequence[Reached]
    ) -> Iterator[tuple[Reached, Play, Values]]:
        """Those at which it is true with other values of the events before, with that play."""
        for place in places:
            some = find_play(self.desk.program, place.play, question, False, self.desk.settings)
            if some is not None and some.play is not None:
                yield place, some.play, some.values

    def _on(
        self, aim: Aim, play: Play, values: Mapping[str, object], rest: Sequence[Happening], noted: list[Play]
    ) -> Iterator[Play]:
        """A play to where a question is true, with what of the rest of a transcript can happen after it, and with each
        of the events that may show it at once. The play is noted."""
        noted.append(play)
        snapshot, events = self._runner.after(play.options, play.happenings), list(play.happenings)
        for happening in rest:
            stepped = None if snapshot is None else self._runner.step(snapshot, play.options, happening)
            if stepped is not None:
                snapshot = stepped.snapshot
                events.append(happening)
        if len(events) > len(play.happenings):
            yield Play(play.options, tuple(events), (), play.state)
        for happening in self._next(aim, play, values):
            yield Play(play.options, (*play.happenings, happening), (), play.state)

    def _at_last(self, aims: Sequence[Aim], noted: list[Play]) -> Iterator[Play]:
        """Plays to where a question is true that take long to come to."""
        for aim in aims[:FEW_AIMS]:
            for play, values in self._played_to(self.desk.explorer, aim.question, (0, 1), LAST):
                yield from self._on(aim, play, values, (), noted)

    def _sought(self, aims: Sequence[Aim], noted: list[Play]) -> Iterator[Play]:
        """Plays to where a question is true, with an event after them that may show it: all that is asked is looked up
        where play has been before anything is played on purpose, and solvers come last. The plays are noted."""
        aims = aims[: AIMS if self._small else FEW_AIMS]
        more = (self._repeated, self._seen_by_more) if self._small else ()
        for ways in (self._seen, self._played, *more, self._chosen):
            left: list[Aim] = []
            for aim in aims:
                found = list(ways(aim.question))
                for play, values in found:
                    yield from self._on(aim, play, values, (), noted)
                if not found:
                    left.append(aim)
            aims = left

    def _seen(self, question: Question) -> Iterator[Found]:
        """Some of the states that play has come upon."""
        yield from self._of(self.desk.explorer, question)

    def _seen_by_more(self, question: Question) -> Iterator[Found]:
        """The same where there are more things than the least, and as many as are counted: what one person cannot do
        several can. Where those counted are not seen, they are played to."""
        for explorer in self.desk.wider:
            found = list(self._of(explorer, question))
            if found:
                yield from found
                return
        for explorer in self.desk.with_as_many(question):
            found = list(self._of(explorer, question))
            if found:
                yield from found
                return
            with as_it_was(explorer):
                yield from self._played_to(explorer, question, (MOST_BROKEN,), CROWDED)

    def _of(self, explorer: Explorer, question: Question) -> Iterator[Found]:
        nodes = 0
        for node in explorer.corpus.of("words"):
            values = explorer.asker.find(question, node.state, node.options, MOST_TRIED)
            if values is not None:
                yield node.play(), values
                nodes += 1
                if nodes == TRIED:
                    return

    def _played(self, question: Question) -> Iterator[Found]:
        """A state played to on purpose, lawfully where that can be."""
        yield from self._played_to(self.desk.explorer, question, (0, 1), SOUGHT)

    def _played_to(
        self, explorer: Explorer, question: Question, budgets: Sequence[int], steps: int
    ) -> Iterator[Found]:
        for budget in budgets:
            found = explorer.seeker.seek(question, budget, explorer.runner.taken + steps)
            if found is not None and (values := explorer.asker.find(question, found.state, found.options)):
                yield found.play(), values
                return

    def _repeated(self, question: Question) -> Iterator[Found]:
        """A play that comes near, its last events done again as often as that brings it nearer: what is counted is so
        reached."""
        explorer = self.desk.explorer
        best: tuple[int, Found] | None = None
        for play in nearest(explorer, question, "words"):
            for length in range(1, min(LONGEST, len(play.happenings)) + 1):
                found = self._again(explorer, question, play, play.happenings[-length:])
                if found is not None and (best is None or found[0] < best[0]):
                    best = found
        if best is not None:
            yield best[1]

    def _again(
        self, explorer: Explorer, question: Question, play: Play, more: Sequence[Happening]
    ) -> tuple[int, Found] | None:
        """A play with events done again until the question is true, and how many rules it breaks; None where that
        cannot be, or comes no nearer."""
        snapshot, done, broken = self._runner.empty, list[Happening](), 0
        far = explorer.distances.at(question, play.state, play.options)
        for happening in chain(play.happenings, *repeat(more, TIMES)):
            stepped = self._runner.step(snapshot, play.options, happening)
            if stepped is None:
                return None
            snapshot, broken = stepped.snapshot, broken + len(stepped.breaches)
            done.append(happening)
            beyond = len(done) - len(play.happenings)
            if beyond <= 0:
                continue
            values = explorer.asker.find(question, snapshot.state, play.options, MOST_TRIED)
            if values is not None:
                return broken, (Play(play.options, tuple(done), (), snapshot.state), values)
            if beyond % len(more) == 0:
                before, far = far, explorer.distances.at(question, snapshot.state, play.options)
                if far >= before:
                    return None
        return None

    def _chosen(self, question: Question) -> Iterator[Found]:
        """A play with the kinds of event of one that comes near, or with more of them, and values by Z3."""
        near = nearest(self.desk.explorer, question, "words")
        patterns = extended(self.desk.explorer, question, near) if self._small else ()
        tries = chain(
            ((skeleton, False) for skeleton in near[:SKELETONS]),
            ((pattern, True) for pattern in islice(patterns, PATTERNS)),
        )
        for play, optional in tries:
            some = find_play(self.desk.program, play, question, False, self.desk.settings, optional=optional)
            if some is not None and some.play is not None:
                yield some.play, some.values
                return

    def _next(self, aim: Aim, play: Play, values: Mapping[str, object]) -> Iterator[Happening]:
        """Events that may show that a condition comes out otherwise where a play has led."""
        ruleset = self.desk.program.ruleset
        if aim.question.event is not None:
            event = ruleset.events[aim.question.event]
            args = tuple(values[EVENT_PREFIX + p.name] for p in event.params)
            for actor in (aim.actor,) if aim.actor is not None else event.by or ruleset.actors:
                yield Happening(event.name, actor, args)
        mover = self.desk.explorer.mover
        node = mover.take_up(play)
        if node is None:
            return
        prospect = mover.candidates.at(node.snapshot, node.options, mover.rng)
        for kind in mover.candidates.kinds.values():
            for number, happening in enumerate(prospect.of_kind(kind, lawful=False)):
                yield happening
                prospect.resume()
                if number + 1 == TRIED:
                    break

    def _walked(self, reached: Sequence[Play]) -> Iterator[Play]:
        """Those plays with any events after them, some of them their own: what differs may show later."""
        mover, rng = self.desk.explorer.mover, Random(self.desk.seed)
        kinds = list(mover.candidates.kinds.values())
        for play in islice(reached, WALKED if self._small else 0):
            for _ in range(WALKS):
                snapshot: Snapshot | None = self._runner.after(play.options, play.happenings)
                events = list(play.happenings)
                while snapshot is not None and len(events) < len(play.happenings) + STEPS:
                    prospect = mover.candidates.at(snapshot, play.options, rng)
                    following = (
                        rng.choice(play.happenings)
                        if play.happenings and rng.random() < OWN
                        else next(prospect.of_kind(rng.choice(kinds), lawful=False), None)
                    )
                    if following is None:
                        break
                    stepped = self._runner.step(snapshot, play.options, following)
                    if stepped is not None:
                        events.append(following)
                    snapshot = None if stepped is None else stepped.snapshot
                yield Play(play.options, tuple(events), (), play.state)

    def _stated(self, mutant: Program) -> Iterator[Cut]:
        """Options that the one program has, or meets its requirements with, and the other not, with an event."""
        mine, explorer = self.desk.program, self.desk.explorer
        ruleset, others = mine.ruleset, mutant.ruleset.options
        meets, its = Required(mine), Required(mutant)
        drawn = [dict(table.options) for table in explorer.tables]
        lost = [
            {**options, name: value}
            for options in drawn[:TRIED]
            for name, values in explorer.mover.settings.values.items()
            for value in values
            if not _allows(others[name], value)
        ]
        if [r.condition for r in ruleset.requirements] != [r.condition for r in mutant.ruleset.requirements]:
            more = Settings(mutant, explorer.scope, Random(self.desk.seed)).draw(DRAWN)
            lost += [options for options in (*drawn, *more) if meets(options) != its(options)]
        for options in lost:
            if not all(_allows(ruleset.options[name], value) for name, value in options.items()):
                continue
            begun = Play(options, (), (), self._runner.empty.state)
            happening = explorer.goes_on(begun)
            if happening is not None:
                yield Cut(options, (happening,))

    def _with_something_kept(self, cut: Cut) -> tuple[Happening, ...]:
        """The events, and where nothing is kept or broken in them, of which no transcript can say anything, lawful ones
        after them until something is."""
        mover = self.desk.explorer.mover
        snapshot, happenings = self._runner.empty, cut.happenings
        for happening in happenings:
            stepped = self._runner.step(snapshot, cut.options, happening)
            if stepped is None or stepped.breaches or kept(stepped):
                return happenings
            snapshot = stepped.snapshot
        reached: list[tuple[Snapshot, tuple[Happening, ...]]] = [(snapshot, happenings)]
        for snapshot, done in reached:
            prospect = mover.candidates.at(snapshot, cut.options, mover.rng)
            for kind in mover.candidates.kinds.values():
                prospect.resume()
                following = next(prospect.of_kind(kind, lawful=True), None)
                stepped = None if following is None else self._runner.step(snapshot, cut.options, following)
                if following is None or stepped is None or stepped.breaches:
                    continue
                if kept(stepped):
                    return (*done, following)
                if len(reached) < FOLLOWED:
                    reached.append((stepped.snapshot, (*done, following)))
        return happenings

    # ----------------------------------------------------------------------------------------- transcripts
    def _case(self, play: Play) -> Case | None:
        """A play as a transcript; None where it cannot be one, or where something in it could not be checked."""
        try:
            text = self._written(Draft(play.options, play.happenings, "a play"))
            case = case_of("a play", text, self.ready)
            return None if case.unlike(self.ready) else case
        except (LogError, RequestError):
            return None

    def _written(self, draft: Draft) -> str:
        result = checked(self.ready, transcript(self.ready, draft))
        counts = {rule.rule: rule.counts for clause in result.clauses for rule in clause.rules}
        kept = [rule for rule, count in counts.items() if count.kept and count.applied == count.kept]
        return transcript(self.ready, draft, expected(result, kept))

    def _text(
        self, mutant: Mutant, made: Prepared, options: Mapping[str, object], happenings: tuple[Happening, ...]
    ) -> str | None:
        rule = self.ready.ruleset.rules.get(mutant.rule)
        quote = "" if rule is None else f" “{' '.join(rule.quote.split())}”."
        about = f"{mutant.rule}:{quote} It tells the rule from one that says otherwise: {mutant.words}."
        try:
            text = self._written(Draft(options, happenings, about))
            case = case_of("a witness", text, self.ready)
            if case.unlike(self.ready):
                return None
        except (LogError, RequestError):
            return None
        try:
            return text if case.unlike(made) else None
        except (LogError, RequestError):
            return text  # a mutant that refuses the options is killed


def in_turn(aims: Sequence[Aim]) -> Iterator[Aim]:
    """Of each kind of event in turn."""
    by_event: dict[str | None, list[Aim]] = {}
    for aim in aims:
        by_event.setdefault(aim.question.event, []).append(aim)
    return filter(None, chain.from_iterable(zip_longest(*by_event.values())))


def _allows(option: Option, value: object) -> bool:
    """Whether an option may have a value."""
    if option.values is not None:
        return value in option.values
    match option.type:
        case ty.IntT(low=low, high=high):
            return (
                isinstance(value, int) and (low is None or value >= low) and (high is None or value <= high)
            )
        case _:
            return True
