"""The bulk engine: the kernel judges every round, the interpreter explains those that it marks.

A round is marked where a rule is broken in it, or where the kernel cannot tell; then the interpreter takes up the
state that the kernel had when the round began, judges it as it would any other, and hands the state back. Of the rounds
that are not marked some are judged by both. Wherever the two disagree, that is a fault of ours: it is reported, and
the round saved.
"""

from __future__ import annotations

import heapq
import json
import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from verifier.check.engine import KEEP, Prepared, Progress, Run, Stream
from verifier.check.lane import Arrived, Chunk, Lane
from verifier.check.lives import Lives
from verifier.check.options import read_settings
from verifier.check.result import CheckResult, Entry
from verifier.check.terms import Terms
from verifier.exits import Exit
from verifier.log.batches import typed_batches
from verifier.log.header import Header
from verifier.log.rows import Row
from verifier.log.schema import AT
from verifier.log.write import row_fields
from verifier.run.judge import Happening, Judge
from verifier.run.recording import Recording
from verifier.run.state import EXISTS, State
from verifier.run.verdict import Tally

if TYPE_CHECKING:
    from verifier.compile.arrow import BatchReader, RowsOf
    from verifier.compile.kernel import Compiled, Seat, Stop
    from verifier.log.batches import Batch
    from verifier.log.sources import LogFile

BATCH = 16_384
"""So many rows wait at all tables together until the kernels are run."""

SAMPLE = 20_000
"""One round in so many rows is judged by both engines, marked or not; so is the first of all."""

SPREAD = 7_919
"""So many rows lie between the samples of one table and those of the next."""

LONGEST = 500_000
"""A table whose last life goes on for more rows is left to the interpreter."""

FIRST = 3_000
"""Where nobody said which engine, so many rows go to the interpreter before the rules are compiled."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A round of which the two engines say different things."""

    table: str
    lives: tuple[object, ...]
    seq: int
    what: str
    saved: str | None


def check_logs_in_bulk(
    logs: Iterable[LogFile],
    ready: Prepared,
    compiled: Compiled | None,
    options: Mapping[str, object] | Iterable[str] = (),
    progress: Progress | None = None,
    *,
    strict: bool = False,
    keep: int = KEEP,
    on_entry: Callable[[Entry], None] | None = None,
    sample: int = SAMPLE,
    save: Path | None = None,
    first: int = 0,
) -> CheckResult:
    """As `verifier.check.engine.check_logs`, with the same result: entries, counts, clauses and exit code.

    What a result says a rule was `read` is None where rounds were judged by the kernel, which does not count it.
    Without `compiled` the rules are compiled once `first` rows have been judged; where they cannot be, the interpreter
    goes on. `save` is the folder for rounds on which the engines disagree (None: the working directory); then the exit
    code is `OURSELVES`.
    """
    settings = read_settings(ready.ruleset, options)
    run = BulkRun(
        ready, settings, strict, keep, on_entry, compiled=compiled, sample=sample, save=save, leading=first
    )
    with run:
        for log in logs:
            run.file(log, progress)
        return run.result()


@dataclass(slots=True)
class BulkRun(Run):
    """One check in progress. A context manager: leaving it ends its threads."""

    sample: int = SAMPLE
    save: Path | None = None
    compiled: Compiled | None = field(kw_only=True)
    leading: int = 0
    """So many rows are judged before the rules are compiled, where they are not."""
    hopeless: bool = False
    """The rules cannot be compiled."""
    lanes: dict[int, Lane | None] = field(default_factory=dict)
    """By the identity of the stream; None for one that is the interpreter's."""
    waiting: int = 0
    arrived: int = 0
    at: int = 0
    """The number of the row being judged."""
    held: list[tuple[int, int, Entry]] = field(default_factory=list)
    order: Any = field(default_factory=count)
    explained: int = 0
    sampled: int = 0
    disagreements: list[Disagreement] = field(default_factory=list)
    seats: list[Seat] = field(default_factory=list)
    pool: ThreadPoolExecutor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        if self.pool is not None:
            self.pool.shutdown(wait=True, cancel_futures=True)

    # ------------------------------------------------------------------------------------------------- rows
    def file(self, log: LogFile, progress: Progress | None) -> None:
        self.at = self.arrived
        Run.file(self, log, progress)

    def _through(self, log: LogFile, terms: Terms, progress: Progress | None) -> int:
        if log.columnar is None or not self._in_bulk(terms):
            return Run._through(self, log, terms, progress)
        from verifier.compile.arrow import BatchReader, RowsOf

        schema = self.scribe.schema
        reader: BatchReader | None = None
        events = 0
        for batch in typed_batches([log], schema):
            rows = batch.data.num_rows
            if self.compiled is None and self.arrived + rows > self.leading:
                self._compile()
            if self.compiled is None:
                made = RowsOf(batch, schema)
                for at in range(rows):
                    self._row(made.row(at), log.header, terms)
            else:
                if reader is None:
                    reader = BatchReader(self.compiled.module.inputs, self.ready.binding)
                self._batch(batch, reader, terms)
            events += rows
            if progress is not None:
                progress(log.name, events)
        return events

    def _in_bulk(self, terms: Terms) -> bool:
        """Whether a log records enough for the kernel: then none of its values is unknown but for single ones."""
        recording = terms.recording
        return recording == Recording(begun=recording.begun) and not terms.missing - {AT.name}

    def _compile(self) -> None:
        from verifier.compile.encoding import NotCompiledError
        from verifier.compile.kernel import Compiled

        if self.hopeless:
            return
        try:
            self.compiled = Compiled.of(self.ready.program)
        except NotCompiledError:
            self.hopeless = True

    def _row(self, row: Row, header: Header, terms: Terms) -> None:
        stream = self._stream(row, header, terms)
        number, self.arrived = self.arrived, self.arrived + 1
        lane = self._lane(stream, row, terms)
        if lane is None:
            self.at = number
            self._judge(stream, row, header)
            return
        lane.arrive(number, row, header)
        self.waiting += 1
        if self.waiting >= BATCH:
            self._flush_all(final=False)

    def _batch(self, batch: Batch, reader: BatchReader, terms: Terms) -> None:
        """The rows of a batch, a table at a time; what the interpreter wants is made a row again."""
        from verifier.compile.arrow import RowsOf, ends_in, last_time, lives_of, of_table, tables_in
        from verifier.compile.inputs import KIND

        schema = self.scribe.schema
        made = RowsOf(batch, schema)
        columns, ids = reader.shared(batch)
        lives = lives_of(batch, schema)
        at = batch.data.column("at")
        base, self.arrived = self.arrived, self.arrived + batch.data.num_rows
        ends = [i for i, event in enumerate(self.ready.ruleset.events) if event in self._ends()]
        alone: list[tuple[int, Stream]] = []
        for places in tables_in(batch, schema):
            first, last = made.row(int(places[0])), made.row(int(places[-1]))
            stream = self._stream(first, batch.header, terms)
            if (lane := self._lane(stream, first, terms)) is None:
                alone += [(place, stream) for place in places.tolist()]
                for place in places[1:].tolist():
                    self._stream(made.row(place), batch.header, terms)
                continue
            stream.events += len(places) - 1
            stream.seq, stream.keys = last.seq, last.lives
            if (latest := last_time(at, places)) is not None:
                stream.last_at = latest
            found = of_table(lane.encoder, columns, ids, lives, places)
            ending = ends_in(found[KIND], ends)
            lane.add(
                Chunk(len(places), found, ending, base + places, _taker(made, places, base, batch.header))
            )
            self.waiting += len(places)
        for place, stream in sorted(alone, key=lambda one: one[0]):
            self.at = base + place
            self._judge(stream, made.row(place), batch.header)
        if self.waiting >= BATCH:
            self._flush_all(final=False)

    def _lane(self, stream: Stream, row: Row, terms: Terms) -> Lane | None:
        """The lane of a table; none where the log records too little for the kernel, or it is not compiled yet."""
        if id(stream) in self.lanes:
            return self.lanes[id(stream)]
        if self.compiled is None:
            if self.arrived <= self.leading or self.hopeless:
                return None
            self._compile()
        lane = self.lanes[id(stream)] = self._new_lane(stream, row, terms)
        return lane

    def _new_lane(self, stream: Stream, row: Row, terms: Terms) -> Lane | None:
        from verifier.compile.columns import Encoder
        from verifier.compile.encoding import NotCompiledError
        from verifier.compile.kernel import Kernel, Seat

        beside = {life.name for life in self.ready.ruleset.lives.values() if life.beside}
        if self.compiled is None or not self._in_bulk(terms):
            return None
        if any(
            key is not None and life in beside
            for life, key in zip(self.ready.ruleset.lives, row.lives, strict=True)
        ):
            return None
        if not self.seats:
            self.seats = [Seat(self.compiled) for _ in range(os.cpu_count() or 1)]
        try:
            kernel = Kernel(self.compiled, terms.options, self.seats[len(self.lanes) % len(self.seats)])
        except NotCompiledError:
            return None
        encoder = Encoder(self.compiled.module.inputs)
        for kind, known in stream.judge.state.ids.items():
            encoder.ids[kind].update(known)
            encoder.names[kind].extend(known)
        explaining = bool(terms.recording.begun) or stream.events > 1
        return Lane(stream, kernel, encoder, explaining, self._since())

    def _since(self) -> int:
        """How long ago a new table is to have had its last sample: the first table's turn is at once, the others' are
        spread, so that many short tables have no more of them than few long ones."""
        every = self.sample or SAMPLE
        return every - len(self.lanes) * SPREAD % every

    def _flush_all(self, final: bool) -> None:
        ready = [
            lane
            for lane in self.lanes.values()
            if lane is not None and lane.waiting and (final or lane.waiting > lane.longest)
        ]
        while ready:
            # one table at each seat, and the next when it has been judged
            at_seat = {id(lane.kernel.seat): lane for lane in reversed(ready)}
            for lane in at_seat.values():
                lane.load(self._ends())
            self._run_ahead(list(at_seat.values()))
            for lane in at_seat.values():
                self._flush(lane, final)
            ready = [lane for lane in ready if at_seat.get(id(lane.kernel.seat)) is not lane]
        lanes = [lane for lane in self.lanes.values() if lane is not None]
        self.waiting = sum(max(0, lane.waiting - lane.longest) for lane in lanes)
        self._release(final)

    def _run_ahead(self, lanes: list[Lane]) -> None:
        """Run the kernels of several tables at once, up to the first round that any of them marks."""
        able = [lane for lane in lanes if not lane.explaining and self._limit(lane, 0)]
        if len(able) < 2:
            return
        if self.pool is None:
            self.pool = ThreadPoolExecutor(len(self.seats), "gazette-kernel")

        def run(lane: Lane) -> None:
            limit = self._limit(lane, 0)
            lane.ran = (limit, lane.kernel.run(0, limit))

        for done in [self.pool.submit(run, lane) for lane in able]:
            done.result()

    def _limit(self, lane: Lane, at: int) -> int:
        """How far the kernel may go on from `at`: to where a round is to be judged by both; 0 where one is due."""
        end = lane.waiting
        if not self.sample:
            return end
        if self.sample <= lane.since and lane.round_end(at) is not None:
            return 0
        if at + self.sample - lane.since < end:
            return lane.round_end(max(at, at + self.sample - lane.since)) or end
        return end

    def _flush(self, lane: Lane, final: bool) -> None:
        """Judge what is loaded: all of it where the log has ended, else up to the end of its last whole round."""
        end = lane.waiting
        i = 0
        while i < end:
            if lane.explaining:
                self._explain(lane, i)
                i += 1
                continue
            limit = self._limit(lane, i)
            if not limit:
                round_end = lane.round_end(i)
                assert round_end is not None
                i = self._sample(lane, i, round_end)
                continue
            ran, lane.ran = lane.ran, None
            stop = ran[1] if ran is not None and i == 0 and ran[0] == limit else lane.kernel.run(i, limit)
            if stop.mark:
                lane.since += stop.begun - i
                self._take_up(lane, stop)
                i = stop.begun
                continue
            lane.since += limit - i
            if stop.begun < limit:
                # the last round has not ended: its rows wait, unless the log has ended
                if final:
                    lane.kernel.keep()
                else:
                    lane.kernel.restore()
                    limit = stop.begun
                i = limit
                break
            i = limit
        lane.drop(i)
        lane.longest = 2 * lane.waiting if lane.waiting > BATCH // 2 else 0
        if lane.waiting > LONGEST and not lane.explaining:
            self._to_interpreter(lane)
            lane.explaining = True

    def _ends(self) -> tuple[str, ...]:
        *_, last = self.ready.ruleset.lives.values()
        return last.ends

    # ------------------------------------------------------------------------------------------- explaining
    def _take_up(self, lane: Lane, stop: Stop) -> None:
        """A marked round: the interpreter goes on from its beginning."""
        from verifier.compile.marks import Mark

        self._to_interpreter(lane)
        self.explained += 1
        lane.explaining = True
        lane.expected, lane.expected_row = stop, lane.number(stop.at)
        if stop.mark in (Mark.UNSURE, Mark.LIFE):
            lane.expected = None

    def _explain(self, lane: Lane, at: int) -> None:
        """One row judged by the interpreter."""
        number, row, header = lane.row(at)
        self.at = number
        stream = lane.stream
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
        if row.event in self._ends() and self._to_kernel(lane):
            lane.explaining = False
            lane.expected = lane.expected_row = None

    def _to_interpreter(self, lane: Lane) -> None:
        """The interpreter's state made that of the kernel's last checkpoint."""
        judge = lane.stream.judge
        bench = judge.bench
        bench.sit()
        bench.state = bench.before = self._state(lane)
        bench.past.clear()
        judge.duties.bits.clear()
        for index, compiled in enumerate(judge.duties.duties):
            name = f"bit {index}"
            if name in lane.kernel.layout.cells and lane.kernel.cell(name):
                judge.duties.bits[judge.duties._key(compiled, ())] = (compiled, ())
        self._lives_from(lane, lane.stream.lives)

    def _state(self, lane: Lane) -> State:
        from verifier.compile.exchange import state_from

        return state_from(lane.kernel.cells(), lane.kernel.layout, lane.encoder.names)

    def _lives_from(self, lane: Lane, lives: Lives) -> None:
        from verifier.compile.exchange import tracks_from

        cells = lane.kernel.cells()
        for track in lives.tracks:
            key, track.used, track.ended, track.after, track.told = tracks_from(cells, lane.kernel.layout)[
                track.life.name
            ]
            track.key = lane.encoder.key(track.index, key)
        rounds = lane.kernel.cell("track rounds")
        lives.rounds = rounds or None

    def _to_kernel(self, lane: Lane) -> bool:
        """The kernel's state made the interpreter's, if nothing is left that only the interpreter can hold."""
        from verifier.compile.encoding import NotCompiledError
        from verifier.compile.exchange import state_to, track_to

        judge = lane.stream.judge
        known = judge.bench.own
        if judge.duties.charged or known.lost or known.lost_latches or known.doubts:
            return False
        if known.before or known.before_latches:
            return False
        bits = {compiled.duty.unit for compiled, instance in judge.duties.bits.values() if not instance}
        if len(bits) < len(judge.duties.bits):
            return False
        layout = lane.kernel.layout
        cells = lane.kernel.cells()
        try:
            state_to(cells, layout, judge.state, lane.encoder.ids)
        except NotCompiledError:
            return False
        for index, duty in enumerate(self.ready.program.duties):
            if f"bit {index}" in layout.cells:
                cells[layout.cells[f"bit {index}"].at // 8] = int(duty.unit in bits)
        for track in lane.stream.lives.tracks:
            key = lane.encoder.key_number(track.index, track.key)
            track_to(cells, layout, track.life.name, key, (track.used, track.ended, track.after, track.told))
        cells[layout.cells["track rounds"].at // 8] = lane.stream.lives.rounds or 0
        lane.kernel.keep()
        return True

    # --------------------------------------------------------------------------------------------- sampling
    def _sample(self, lane: Lane, start: int, end: int) -> int:
        """A round judged by both, unless it is marked. The result is where to go on."""
        kernel = lane.kernel
        before = kernel.tallies()
        state = self._state(lane)
        bits = {
            index: kernel.cell(name)
            for index in range(len(self.ready.program.duties))
            if (name := f"bit {index}") in kernel.layout.cells
        }
        lives = Lives.of(self.ready.ruleset)
        self._lives_from(lane, lives)
        stop = kernel.run(start, end)
        if stop.mark:
            self._take_up(lane, stop)
            return stop.begun
        self.sampled += 1
        lane.since = 0
        judge = Judge(
            self.ready.program,
            dict(lane.stream.terms.options),
            lane.stream.terms.recording,
            lane.stream.judge,
        )
        judge.bench.state = state
        for index, bit in bits.items():
            if bit:
                compiled = judge.duties.duties[index]
                judge.duties.bits[judge.duties._key(compiled, ())] = (compiled, ())
        for _, row, header in map(lane.row, range(start, end)):
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
        theirs = {rule: tally.kept for rule, tally in judge.tallies.items() if tally != Tally()}
        row = lane.row(end - 1)[1]
        if ours != theirs or judge.why_not:
            unlike = sorted(r for r in ours.keys() | theirs.keys() if ours.get(r) != theirs.get(r))
            self._disagree(lane, row, f"the engines count differently how often these were kept: {unlike}")
        elif (what := unlike_states(self._state(lane), judge.state)) is not None:
            self._disagree(lane, row, f"after this round the engines' states differ: {what}")
        for unit, given in judge.given.items():
            lane.stream.judge.bench.own.given[unit] = lane.stream.judge.bench.own.given.get(unit, 0) + given
        return end

    def _disagree(self, lane: Lane, row: Row, what: str) -> None:
        """Note a disagreement, and save its round with what was known at its beginning."""
        schema = self.scribe.schema
        saved: str | None = None
        if len(self.disagreements) < 20:
            near = [r for _, r, _ in map(lane.row, range(lane.waiting)) if r.lives == row.lives]
            content = {
                "ruleset": self.ready.ruleset.name,
                "ruleset_digest": self.ready.ruleset.digest,
                "file": row.file,
                "seq": row.seq,
                "what": what,
                "options": {name: str(value) for name, value in lane.stream.terms.options.items()},
                "state": repr(self._state(lane)),
                "rows": [row_fields(schema, r) for r in near],
            }
            folder = Path() if self.save is None else self.save
            path = folder / f"gazette-disagreement-{len(self.disagreements) + 1}.json"
            path.write_text(json.dumps(content, ensure_ascii=False, indent=1, default=str), "utf-8")
            saved = str(path)
        table = str(row.lives[0]) if row.lives else ""
        self.disagreements.append(Disagreement(table, row.lives, row.seq, what, saved))

    # ----------------------------------------------------------------------------------------------- result
    def _put(self, entry: Entry) -> None:
        heapq.heappush(self.held, (self.at, next(self.order), entry))

    def _release(self, final: bool) -> None:
        """Hand on the entries that nothing still waiting comes before."""
        waiting = [lane.first_number() for lane in self.lanes.values() if lane is not None]
        first = min((number for number in waiting if number is not None), default=self.arrived)
        while self.held and (final or self.held[0][0] < first):
            entry = heapq.heappop(self.held)[2]
            Run._put(self, replace(entry, number=self.total + 1))

    def result(self) -> CheckResult:
        self._flush_all(final=True)
        for lane in self.lanes.values():
            if lane is None:
                continue
            if not lane.explaining:
                self._lives_from(lane, lane.stream.lives)
            kept = {rule: Tally(kept=times) for rule, times in lane.kernel.tallies().items()}
            self.ledger.add(kept, {}, {})
            self.ledger.read_uncounted(lane.kernel.read())
        for one in self.disagreements:
            where = f"{one.table} seq {one.seq}" + (f", saved in {one.saved}" if one.saved else "")
            self.notes.append(f"the engines disagree, which is our fault, at {where}: {one.what}")
        found = Run.result(self)
        if self.disagreements:
            return replace(found, exit_code=Exit.OURSELVES)
        return found


def _taker(made: RowsOf, places: Any, base: int, header: Header) -> Callable[[int], Arrived]:
    def row(at: int) -> Arrived:
        place = int(places[at])
        return base + place, made.row(place), header

    return row


def unlike_states(one: State, other: State) -> str | None:
    """In what two states differ, in a word; what stands at its first value may be written or not."""
    for name in one.fields.keys() | other.fields.keys():
        a, b = one.fields.get(name), other.fields.get(name)
        if isinstance(a, dict) and isinstance(b, dict):
            if any(a.get(key) != b.get(key) for key in a.keys() & b.keys()):
                return name
            if any(bool(dict_.get(key)) for dict_ in (a, b) for key in a.keys() ^ b.keys()):
                return name
        elif a != b:
            return name
    for entity in one.entities:
        mine, theirs = one.entities[entity], other.entities[entity]
        real = {ref for ref, fields in mine.items() if EXISTS in fields}
        if real != {ref for ref, fields in theirs.items() if EXISTS in fields}:
            return f"which {entity} there are"
        for ref in real:
            for field_name, value in theirs[ref].items():
                if mine[ref].get(field_name) != value:
                    return f"{entity}.{field_name}"
    for index, (counts, theirs_) in enumerate(zip(one.counts, other.counts, strict=True)):
        if {k: n for k, n in counts.items() if n} != {k: n for k, n in theirs_.items() if n}:
            return f"how often events happened ({index})"
    if one.broken != other.broken:
        return "which rules have been broken"
    return None
