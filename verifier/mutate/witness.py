"""A round that tells a mutant from the original: among rounds that play has come upon, else looked for on purpose."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from verifier.check.engine import Prepared
from verifier.core.program import EVENT_PREFIX, Program
from verifier.errors import LogError, RequestError
from verifier.generate.write import Draft, checked, expected, transcript
from verifier.mutate.bench import Bench
from verifier.mutate.difference import changed, infected
from verifier.mutate.mutant import Mutant
from verifier.mutate.record import Recorded, record
from verifier.mutate.sameness import distinguishing
from verifier.prove.desk import Desk
from verifier.prove.explore.snapshot import Runner, Snapshot, Stepped
from verifier.prove.explore.undone import as_it_was
from verifier.prove.patterns import nearest
from verifier.prove.question import Play, Question
from verifier.prove.scenario import find_play
from verifier.run.bench import Happening
from verifier.run.judge import Judge
from verifier.transcripts.case import Case, case_of

POOL = 120
"""So many of the plays that showed most are kept to try mutants by."""

SOUGHT = 150
"""So many events are played on purpose for one mutant."""

SKELETONS = 2
"""With the events of so many plays Z3 is asked."""

TRIED = 4
"""Of each kind of event so many are tried where a mutant is known to differ."""

Seen = tuple[object, ...]


@dataclass(slots=True)
class Witnesses:
    """Looks for rounds. All that it asks is asked of the desk's program, the original."""

    ready: Prepared
    desk: Desk
    _pool: list[tuple[Play, Recorded]] | None = None
    _runner: Runner = field(init=False)

    def __post_init__(self) -> None:
        self._runner = Runner(self.desk.program)

    def prepare(self) -> None:
        """Play, and judge what was played, now: processes forked from this one then need not."""
        if self._pool is None:
            plays = self.desk.explorer.plays(lawful=False)[:POOL]
            found = [(play, case) for play in plays if (case := self._case(play)) is not None]
            recorded = record(self.ready, [case for _, case in found])
            self._pool = [(play, one) for (play, _), one in zip(found, recorded, strict=True)]

    def of(self, mutant: Mutant, made: Prepared) -> str | None:
        """The text of a transcript that the original fulfils and the mutant does not; None where none was found."""
        other = Runner(made.program)
        with as_it_was(self.desk.explorer):
            for play in chain(self._pooled(made), self._sought(made.program, other)):
                short = self._shortened(play, other)
                text = None if short is None else self._text(mutant, made, play.options, short)
                if text is not None:
                    return text
        return None

    # ------------------------------------------------------------------------------------------ candidates
    def _pooled(self, made: Prepared) -> Iterator[Play]:
        """Plays of the pool that show something else under the mutant."""
        self.prepare()
        found = changed(self.desk.program, made.program)
        machine = Judge(made.program, {}).machine if found is not None else None
        bench = Bench(made)
        for play, recorded in self._pool or ():
            if found is None or machine is None or infected(recorded, machine, found, bench):
                try:
                    seen = tuple(bench.seen(recorded.case))
                except (LogError, RequestError):
                    continue
                if seen != recorded.seen:
                    yield play

    def _sought(self, mutant: Program, other: Runner) -> Iterator[Play]:
        """Plays to where a condition comes out otherwise, with an event after them that shows it."""
        for question in distinguishing(self.desk.program, mutant):
            for play, values in self._where(question):
                for happening in self._next(question, play, values):
                    longer = Play(play.options, (*play.happenings, happening), (), play.state)
                    if self._differs(play.options, longer.happenings, other) is not None:
                        yield longer
                        break

    def _where(self, question: Question) -> Iterator[tuple[Play, Mapping[str, object]]]:
        explorer = self.desk.explorer
        nodes = 0
        for node in explorer.corpus.of("words"):
            values = explorer.asker.find(question, node.state, node.options)
            if values is not None:
                yield node.play(), values
                nodes += 1
                if nodes == TRIED:
                    return
        if nodes:
            return
        found = explorer.seeker.seek(question, 1, explorer.runner.taken + SOUGHT)
        if found is not None and (values := explorer.asker.find(question, found.state, found.options)):
            yield found.play(), values
            return
        for skeleton in nearest(explorer, question, "words")[:SKELETONS]:
            some = find_play(self.desk.program, skeleton, question, False, self.desk.settings)
            if some is not None and some.play is not None:
                yield some.play, some.values
                return

    def _next(self, question: Question, play: Play, values: Mapping[str, object]) -> Iterator[Happening]:
        """Events that may show that a condition comes out otherwise where a play has led."""
        ruleset = self.desk.program.ruleset
        if question.event is not None:
            event = ruleset.events[question.event]
            args = tuple(values[EVENT_PREFIX + p.name] for p in event.params)
            for actor in event.by or ruleset.actors:
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

    # ------------------------------------------------------------------------------------------- comparing
    def _differs(
        self, options: Mapping[str, object], happenings: Sequence[Happening], other: Runner
    ) -> int | None:
        """At which event the two programs first say something else; None where they say the same throughout."""
        mine: Snapshot = self._runner.empty
        its: Snapshot = other.empty
        for number, happening in enumerate(happenings):
            ours = self._runner.step(mine, options, happening)
            theirs = other.step(its, options, happening)
            if ours is None or theirs is None:
                return None
            if _seen(ours) != _seen(theirs):
                return number
            mine, its = ours.snapshot, theirs.snapshot
        return None

    def _shortened(self, play: Play, other: Runner) -> tuple[Happening, ...] | None:
        """The events up to where the two differ, without such as are not needed for that, nor to keep to the rules."""
        at = self._differs(play.options, play.happenings, other)
        if at is None:
            return None
        events = list(play.happenings[: at + 1])
        most = self._faults(play.options, events)
        size = max(1, len(events) // 3)
        while True:
            dropped = False
            end = len(events) - 1
            while end > 0:
                start = max(0, end - size)
                fewer = [*events[:start], *events[end:]]
                if (
                    self._differs(play.options, fewer, other) == len(fewer) - 1
                    and self._faults(play.options, fewer) <= most
                ):
                    events, dropped = fewer, True
                end = start
            if size > 1:
                size //= 2
            elif not dropped:
                return tuple(events)

    def _faults(self, options: Mapping[str, object], happenings: Sequence[Happening]) -> int:
        """How many events are at fault under the original."""
        snapshot, faults = self._runner.empty, 0
        for happening in happenings:
            stepped = self._runner.step(snapshot, options, happening)
            if stepped is None:
                return len(happenings) + 1
            snapshot, faults = stepped.snapshot, faults + bool(stepped.breaches)
        return faults

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
            return text if not case.unlike(self.ready) and case.unlike(made) else None
        except (LogError, RequestError):
            return None


def _seen(stepped: Stepped) -> Seen:
    """What of an event a transcript can expect."""
    return tuple((j.verdict, j.rules, j.short) for j in stepped.judgements)
