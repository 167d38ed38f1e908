"""Rounds that wait at their tables: the kernel judges them, the interpreter explains those that it marks.

A round is marked where a rule is broken in it, or where the kernel cannot tell; then the interpreter takes up the
state that the kernel had when the round began, judges it as it would any other, and hands the state back. Of the rounds
that are not marked some are judged by both: a few at regular distances, and each in which the kernel asks for what no
round has been known to read, since it asks in an order of its own. Wherever the two disagree, that is a fault of ours:
it is reported, and the round saved.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from verifier.check.counted import Counted
from verifier.check.crossing import (
    known_of,
    leave,
    left_by,
    lives_from,
    state_of,
    to_interpreter,
    to_kernel,
    unlike_known,
)
from verifier.check.disagree import Disagreement, save, unlike_states
from verifier.check.engine import Run
from verifier.check.lane import OPEN, Lane, Queue
from verifier.check.result import Entry
from verifier.check.stream import Stream
from verifier.check.unjudged import since, unjudged_by
from verifier.log.header import Header
from verifier.log.rows import Row
from verifier.log.write import row_fields
from verifier.run.judge import Happening
from verifier.run.verdict import Tally

if TYPE_CHECKING:
    from verifier.compile.kernel import Compiled, Seat, Stop

Place = tuple[int, int]
"""The order of the entries: the number of the row after the round of an entry's row, and the number of its own."""

BATCH = 16_384
"""So many rows that come one by one wait until the kernels are run."""

SAMPLE = 50_000
"""One round in so many rows at least is judged by both engines, marked or not; so is the first of all."""

SPARSE = 16
"""Of a long log, one round in every so many times fewer rows than have come."""

LONGEST = 500_000
"""A table whose last life goes on for more rows is left to the interpreter."""

PATIENCE = 200_000
"""So many rows later, and so many more for each table, a round that has not ended is left to the interpreter: faults
are told in the order of the log, and those that come after it wait for it."""
PATIENCE_A_TABLE = 100

NEWS = 100
"""So many rounds have been judged by both for what they read before those that the log leaves open no longer are."""

FEW = 5
"""So many rules that the engines count differently are named."""


@dataclass(slots=True)
class Lanes(Run):
    """The rows that wait, a lane for each table. A context manager: leaving it ends its threads."""

    sample: int = SAMPLE
    save: Path | None = None
    compiled: Compiled | None = field(kw_only=True)
    lanes: dict[int, Lane | None] = field(default_factory=dict)
    """By the identity of the stream; None for one that is the interpreter's."""
    queue: Queue = field(default_factory=Queue)
    due: int = 0
    """From the row of this number on, the next round is judged by both engines."""
    given: dict[str, int] = field(default_factory=dict)
    """How often each unit gave a value in rounds that both engines judged."""
    read: set[str] = field(default_factory=set)
    """The units known to give values that something reads,"""
    known: list[int] = field(default_factory=list)
    """and what the seats are told of them;"""
    every: list[int] = field(default_factory=list)
    """the same of all units."""
    arrived: int = 0
    at: Place = (0, 0)
    """That of the row being judged."""
    of: int = 0
    """The identity of its stream."""
    held: list[tuple[Place, int, Entry]] = field(default_factory=list)
    unplaced: dict[int, list[tuple[int, int, Entry]]] = field(default_factory=dict)
    """By stream, entries of the round that is going on."""
    order: Any = field(default_factory=count)
    explained: int = 0
    sampled: int = 0
    news: int = 0
    """How many rounds both judged because they read what was not known to be read."""
    disagreements: list[Disagreement] = field(default_factory=list)
    counted: Counted = field(init=False)
    seats: list[Seat] = field(default_factory=list)
    on_place: Callable[[Place], None] | None = None
    """Is told the place of each entry before it is handed on."""
    pool: ThreadPoolExecutor | None = None

    def __post_init__(self) -> None:
        Run.__post_init__(self)
        self.counted = Counted(tuple(self.ready.ruleset.events))
        self.queue.ending = [i for i, event in enumerate(self.ready.ruleset.events) if event in self._ends()]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        if self.pool is not None:
            self.pool.shutdown(wait=True, cancel_futures=True)

    def _judge_block(self, final: bool) -> None:
        """Judge the rows that wait: all of them where the log has ended, else each table's last whole rounds."""
        if self.queue.block is None:
            return
        if not final:
            self._leave_idle()
        ready = [lane for lane in self.queue.lanes if final or lane.waiting > lane.longest]
        seats: dict[int, list[Lane]] = {}
        for lane in ready:
            self._sampled_next(lane)
            seats.setdefault(id(lane.kernel.seat), []).append(lane)
        for lanes in seats.values():
            lanes[0].kernel.seat.put(self.queue.block.columns)
        known = self.known
        self._run_ahead(list(seats.values()), final)
        for lane in ready:
            self._flush(lane, final, known)
        self.queue.shrink()
        self._release(final)

    def _leave_idle(self) -> None:
        """Leave to the interpreter the rounds that wait for their end longer than others should wait for them."""
        assert self.queue.block is not None
        latest = self.arrived - PATIENCE - PATIENCE_A_TABLE * len(self.lanes)
        for lane in self.queue.lanes:
            if not lane.explaining and int(self.queue.block.numbers[lane.start]) < latest:
                to_interpreter(lane)
                lane.explaining = True

    def _sampled_next(self, lane: Lane) -> None:
        """Set from which of its rows on a round of the table is to be judged by both; None where no whole one comes."""
        assert self.queue.block is not None
        lane.due = None
        if self.sample == 1:
            lane.due = 0
        elif self.sample and not lane.explaining:
            lane.due = self.due
            if self.queue.comes(lane):
                last, gap = int(self.queue.block.numbers[lane.end - 1]), self._gap()
                self.due += ((last - self.due) // gap + 1) * gap
            else:
                lane.due = None

    def _gap(self) -> int:
        return self.sample if self.sample == 1 else max(self.sample, self.arrived // SPARSE)

    def _run_ahead(self, seats: Sequence[Sequence[Lane]], final: bool) -> None:
        """Run the kernels of the tables at each seat, those of several seats at once: each up to the first round that
        it marks, or that is to be judged by both."""
        if len(seats) < 2:
            return

        def run(lanes: Sequence[Lane]) -> None:
            for lane in lanes:
                if not lane.explaining and (limit := self.queue.limit(lane, lane.start)) > lane.start:
                    lane.ran = (limit, self._ran(lane, lane.start, limit, final))

        if self.pool is None:
            self.pool = ThreadPoolExecutor(len(self.seats), "gazette-kernel")
        for done in [self.pool.submit(run, lanes) for lanes in seats]:
            done.result()

    def _ran(self, lane: Lane, at: int, limit: int, final: bool) -> Stop:
        """Let the kernel judge the rows from `at` to before `limit`; a round that has not ended then counts only where
        the log has."""
        from verifier.compile.kernel import Stop
        from verifier.compile.marks import Mark

        kernel = lane.kernel
        stop = kernel.run(at, limit)
        if not stop.mark and stop.begun < limit:
            if not final:
                kernel.restore()
            elif kernel.reads() or self._perhaps_reads():
                kernel.restore()
                return Stop(stop.begun, Mark.READ, limit - 1)
            else:
                kernel.keep()
        return stop

    def _flush(self, lane: Lane, final: bool, known: Sequence[int]) -> None:
        """Judge a table's rows; `known` is what its seat was told when it ran ahead."""
        from verifier.compile.marks import Mark

        i = lane.start
        ran, lane.ran = lane.ran, None
        while i < lane.end:
            if lane.explaining:
                self._explain(lane, i)
                i += 1
                continue
            limit = self.queue.limit(lane, i)
            if limit == i:
                round_end = self.queue.round_end(lane, i)
                assert round_end is not None
                i = self._both(lane, i, round_end, news=False)
                continue
            if ran is not None and i == lane.start and ran[0] == limit:
                stop, ran = ran[1], None
                if stop.mark is Mark.READ and self.known != known:
                    # the rounds before it are judged, and what it reads may be known by now
                    i = stop.begun
                    continue
            else:
                stop = self._ran(lane, i, limit, final)
            if stop.mark is Mark.READ:
                i = self._both(lane, stop.begun, stop.at + 1, news=True)
                continue
            if stop.mark:
                self._take_up(lane, stop)
                i = stop.begun
                continue
            if stop.begun < limit:
                # the last round has not ended: its rows wait, unless the log has ended
                i = limit if final else stop.begun
                break
            i = limit
        lane.start = i
        lane.longest = 2 * lane.waiting if lane.waiting > BATCH // 2 else 0
        if lane.waiting > LONGEST and not lane.explaining:
            to_interpreter(lane)
            lane.explaining = True

    def _ends(self) -> tuple[str, ...]:
        *_, last = self.ready.ruleset.lives.values()
        return last.ends

    def _perhaps_reads(self) -> bool:
        """Whether the interpreter may read in a round that the log leaves open what no round is known to read: the
        kernel asks what costs least first, and what comes after that perhaps only when the round goes on."""
        return self.news < NEWS and self.known != self.every

    # ------------------------------------------------------------------------------------------- explaining
    def _take_up(self, lane: Lane, stop: Stop) -> None:
        """A marked round: the interpreter goes on from its beginning."""
        from verifier.compile.marks import Mark

        to_interpreter(lane)
        self.explained += 1
        lane.explaining = True
        assert self.queue.block is not None
        lane.expected, lane.expected_row = stop, int(self.queue.block.numbers[stop.at])
        if stop.mark in (Mark.UNSURE, Mark.LIFE):
            lane.expected = None

    def _explain(self, lane: Lane, at: int) -> None:
        """One row judged by the interpreter."""
        assert self.queue.block is not None
        number, row, header = self.queue.block.row(at)
        stream = lane.stream
        self.at, self.of = (int(self.queue.block.after[at]), number), id(stream)
        before = stream.entries
        self._judge(stream, row, header)
        if lane.expected_row is not None:
            found = stream.entries > before
            if number == lane.expected_row:
                if lane.expected is not None and not found:
                    mark = lane.expected.mark.name.lower().replace("_", " ")
                    rule = f" ({lane.expected.rule})" if lane.expected.rule else ""
                    self._disagree(lane, row, f"the kernel finds it {mark}{rule}, the interpreter in order")
                lane.expected = lane.expected_row = None
            elif found:
                self._disagree(lane, row, "the kernel finds it in order, the interpreter at fault")
        if row.event in self._ends() and to_kernel(lane):
            lane.explaining = False
            lane.expected = lane.expected_row = None
            self._know(lane.stream.judge.given)

    # --------------------------------------------------------------------------------------------- sampling
    def _both(self, lane: Lane, start: int, end: int, news: bool) -> int:
        """A round judged by both, unless it is marked; `news`: for what it reads. The result is where to go on."""
        kernel = lane.kernel
        before, lacked = kernel.tallies(), kernel.unjudged()
        state = state_of(lane)
        left = left_by(lane)
        lives = self.lives.anew()
        lives_from(lane, lives)
        assert self.queue.block is not None
        kernel.sit().know(None)
        judge = self._judge_under(lane.stream.terms)
        known_of(lane, judge)
        stop = kernel.run(start, end)
        kernel.sit().know(self.known)
        if stop.mark:
            self._take_up(lane, stop)
            return stop.begun
        if stop.begun < end:
            # the last of the log, which has not ended
            kernel.keep()
        if news:
            self.news += 1
        else:
            self.sampled += 1
            lane.due = int(self.queue.block.numbers[start]) + self._gap()
        # What was before the log began is over by the time that the kernel has the state.
        judge.bench.own.before.clear()
        judge.bench.own.before_latches.clear()
        judge.bench.state = state
        leave(judge.duties, left)
        for _, row, header in map(self.queue.block.row, range(start, end)):
            passing = lives.arrive(row, header)
            values = self.ready.binding.values(row.event, row.values, header)
            found = judge.step(Happening(row.event, row.actor, values))
            lives.leave(row)
            if passing or found:
                self._disagree(lane, row, "the kernel finds it in order, the interpreter at fault")
                return end
        after = kernel.tallies()
        ours = {
            rule: kept - before.get(rule, 0) for rule, kept in after.items() if kept != before.get(rule, 0)
        }
        theirs = {
            rule: tally.kept
            for rule, tally in judge.tallies.items()
            if tally != Tally(not_checkable=tally.not_checkable)
        }
        ours_not = since(kernel.unjudged(), lacked)
        theirs_not = unjudged_by(judge.tallies, judge.why_not)
        row = self.queue.block.row(end - 1)[1]
        if ours != theirs:
            self._disagree(
                lane, row, f"the engines count differently how often these were kept: {_unlike(ours, theirs)}"
            )
        elif ours_not != theirs_not:
            self._disagree(
                lane,
                row,
                f"the engines count differently how often, or why, these could not be judged:"
                f" {_unlike(ours_not, theirs_not)}",
            )
        elif (
            what := unlike_states(self.ready.ruleset, state_of(lane), judge.state)
            or unlike_known(lane, judge)
        ) is not None:
            self._disagree(lane, row, f"after this round the engines' states differ: {what}")
        for unit, given in judge.given.items():
            self.given[unit] = self.given.get(unit, 0) + given
        self._know(judge.given)
        return end

    def _know(self, given: Iterable[str] = ()) -> None:
        """These units too gave values that something reads."""
        from verifier.compile.kernel import known_of

        before = len(self.read)
        self.read.update(given)
        if self.compiled is not None and (not self.known or len(self.read) > before):
            self.known = known_of(self.read, self.compiled.module.layout)
            self.every = self.every or known_of(self.ready.ruleset.units, self.compiled.module.layout)
            for seat in self.seats:
                seat.know(self.known)

    def _disagree(self, lane: Lane, row: Row, what: str) -> None:
        """Note a disagreement, and save its round with what was known at its beginning."""
        schema = self.scribe.schema
        saved: str | None = None
        if len(self.disagreements) < 20:
            assert self.queue.block is not None
            near = [
                r
                for _, r, _ in map(self.queue.block.row, range(lane.start, lane.end))
                if r.lives == row.lives
            ]
            saved = save(
                Path() if self.save is None else self.save,
                self.ready.ruleset,
                row,
                what,
                lane.stream.terms.options,
                state_of(lane),
                [row_fields(schema, r) for r in near],
            )
        table = str(row.lives[0]) if row.lives else ""
        self.disagreements.append(Disagreement(table, row.lives, row.seq, what, saved))

    # ----------------------------------------------------------------------------------------------- result
    def _judge(self, stream: Stream, row: Row, header: Header) -> None:
        self.counted.explain(id(stream), row.event)
        Run._judge(self, stream, row, header)

    def _put(self, entry: Entry) -> None:
        after, number = self.at
        if after == OPEN:
            self.unplaced.setdefault(self.of, []).append((number, next(self.order), entry))
        else:
            heapq.heappush(self.held, (self.at, next(self.order), entry))

    def _close(self, stream: Stream, number: int) -> None:
        """A row has come that is the first after a table's round."""
        lane = self.lanes.get(id(stream))
        if lane is not None:
            self.queue.closed(lane, number)
        for own, order, entry in self.unplaced.pop(id(stream), ()):
            heapq.heappush(self.held, ((number, own), order, entry))

    def _release(self, final: bool) -> None:
        """Hand on the entries that nothing still waiting comes before."""
        first = self.queue.first
        if first is None:
            first = self.arrived
        while self.held and (final or self.held[0][0][0] < first):
            place, _, entry = heapq.heappop(self.held)
            if self.on_place is not None:
                self.on_place(place)
            Run._put(self, replace(entry, number=self.total + 1))

    def _count(self) -> None:
        """Add up what the kernels have counted, and see that each row was judged once."""
        from verifier.compile.kernel import judged_of, tallies_of
        from verifier.compile.unstated import unjudged_of

        counts = None
        for stream in self.streams.values():
            lane = self.lanes.get(id(stream))
            state = None if lane is None else lane.kernel.state
            marked = [] if lane is None else judged_of(state, lane.kernel.layout)
            if (what := self.counted.unlike(id(stream), marked)) is not None:
                table = str(stream.keys[0]) if stream.keys else ""
                self.disagreements.append(Disagreement(table, stream.keys, None, what, None))
            if lane is None:
                continue
            if not lane.explaining:
                lives_from(lane, lane.stream.lives)
            counts = state if counts is None else counts + state
        if counts is not None and self.compiled is not None:
            layout = self.compiled.module.layout
            unjudged = unjudged_of(counts, layout)
            kept = tallies_of(counts, layout)
            tallies = {
                rule: Tally(
                    kept=kept.get(rule, 0), not_checkable=unjudged[rule].times if rule in unjudged else 0
                )
                for rule in layout.rules
                if rule in kept or rule in unjudged
            }
            self.ledger.add(tallies, {rule: one.reasons for rule, one in unjudged.items()}, self.given)
            self.ledger.counted = False


def _unlike(ours: Mapping[str, object], theirs: Mapping[str, object]) -> str:
    """The rules of which they differ: the first few, and how many more there are."""
    rules = sorted(r for r in ours.keys() | theirs.keys() if ours.get(r) != theirs.get(r))
    more = f" and {len(rules) - FEW} more" if len(rules) > FEW else ""
    return ", ".join(rules[:FEW]) + more
