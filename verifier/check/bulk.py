"""The bulk engine: the kernel judges every round, the interpreter explains those that it marks.

A round is marked where a rule is broken in it, or where the kernel cannot tell; then the interpreter takes up the
state that the kernel had when the round began, judges it as it would any other, and hands the state back. Of the rounds
that are not marked some are judged by both. Wherever the two disagree, that is a fault of ours: it is reported, and
the round saved.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from verifier.check.engine import KEEP, Prepared, Progress, Run, Stream, Terms
from verifier.check.lives import Lives
from verifier.check.options import read_settings
from verifier.check.result import CheckResult, Entry
from verifier.exits import Exit
from verifier.log.header import Header
from verifier.log.rows import Row
from verifier.log.schema import AT
from verifier.log.write import row_fields
from verifier.run.judge import Happening, Judge
from verifier.run.recording import Recording
from verifier.run.state import EXISTS, State
from verifier.run.verdict import Tally

if TYPE_CHECKING:
    from verifier.compile.columns import Encoder
    from verifier.compile.kernel import Compiled, Kernel, Stop
    from verifier.log.sources import LogFile

BATCH = 16_384
"""So many rows wait at all tables together until the kernels are run."""

SAMPLE = 20_000
"""At each table, its first round and then one in so many rows is judged by both engines, marked or not."""

LONGEST = 500_000
"""A table whose last life goes on for more rows is left to the interpreter."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A round of which the two engines say different things."""

    table: str
    lives: tuple[object, ...]
    seq: int
    what: str
    saved: str | None


@dataclass(slots=True)
class Lane:
    """One table on its way through its kernel. `rows` wait, each with its number in the order of arrival; while
    `explaining`, the interpreter has the state."""

    stream: Stream
    kernel: Kernel
    encoder: Encoder
    rows: list[tuple[int, Row, Header]] = field(default_factory=list)
    explaining: bool = False
    expected: Stop | None = None
    expected_row: Row | None = None
    since: int = SAMPLE
    longest: int = 0


def check_logs_in_bulk(
    logs: Iterable[LogFile],
    ready: Prepared,
    compiled: Compiled,
    options: Mapping[str, object] | Iterable[str] = (),
    progress: Progress | None = None,
    *,
    strict: bool = False,
    keep: int = KEEP,
    on_entry: Callable[[Entry], None] | None = None,
    sample: int = SAMPLE,
    save: Path | None = None,
) -> CheckResult:
    """As `verifier.check.engine.check_logs`, with the same result: entries, counts, clauses and exit code.

    What a result says a rule was `read` is counted in the rounds that were explained. `save` is the folder for rounds
    on which the engines disagree (None: the working directory); then the exit code is `OURSELVES`.
    """
    settings = read_settings(ready.ruleset, options)
    run = BulkRun(ready, settings, strict, keep, on_entry, compiled=compiled, sample=sample, save=save)
    for log in logs:
        run.file(log, progress)
    return run.result()


@dataclass(slots=True)
class BulkRun(Run):
    """One check in progress."""

    sample: int = SAMPLE
    save: Path | None = None
    compiled: Compiled = field(kw_only=True)
    lanes: dict[int, Lane] = field(default_factory=dict)
    """By the identity of the stream."""
    waiting: int = 0
    arrived: int = 0
    at: int = 0
    """The number of the row being judged."""
    held: list[tuple[int, int, Entry]] = field(default_factory=list)
    order: Any = field(default_factory=count)
    explained: int = 0
    sampled: int = 0
    disagreements: list[Disagreement] = field(default_factory=list)

    # ------------------------------------------------------------------------------------------------- rows
    def file(self, log: LogFile, progress: Progress | None) -> None:
        self.at = self.arrived
        Run.file(self, log, progress)

    def _row(self, row: Row, header: Header, terms: Terms) -> None:
        stream = self._stream(row, header, terms)
        number, self.arrived = self.arrived, self.arrived + 1
        lane = self.lanes.get(id(stream))
        if lane is None and stream.events == 1:
            lane = self._lane(stream, row, terms)
        if lane is None:
            self.at = number
            self._judge(stream, row, header)
            return
        lane.rows.append((number, row, header))
        self.waiting += 1
        if self.waiting >= BATCH:
            self._flush_all(final=False)

    def _lane(self, stream: Stream, row: Row, terms: Terms) -> Lane | None:
        """A lane for a new table; none where the log records too little for the kernel."""
        from verifier.compile.columns import Encoder
        from verifier.compile.encoding import NotCompiledError
        from verifier.compile.kernel import Kernel

        recording = terms.recording
        beside = {life.name for life in self.ready.ruleset.lives.values() if life.beside}
        if any(
            key is not None and life in beside
            for life, key in zip(self.ready.ruleset.lives, row.lives, strict=True)
        ):
            return None
        if recording != Recording(begun=recording.begun) or terms.missing - {AT.name}:
            return None
        try:
            kernel = Kernel(self.compiled, terms.options)
        except NotCompiledError:
            return None
        lane = Lane(stream, kernel, Encoder(self.compiled.module.inputs), explaining=bool(recording.begun))
        self.lanes[id(stream)] = lane
        return lane

    def _flush_all(self, final: bool) -> None:
        for lane in self.lanes.values():
            if lane.rows and (final or len(lane.rows) > lane.longest):
                self._flush(lane, final)
        self.waiting = sum(max(0, len(lane.rows) - lane.longest) for lane in self.lanes.values())
        self._release(final)

    def _flush(self, lane: Lane, final: bool) -> None:
        """Judge what waits: all of it where the log has ended, else up to the end of its last whole round."""
        rows = lane.rows
        end = len(rows)
        lane.kernel.put(lane.encoder.columns([row for _, row, _ in rows]))
        i = 0
        while i < end:
            if lane.explaining:
                self._explain(lane, *rows[i])
                i += 1
                continue
            if 0 < self.sample <= lane.since and (round_end := self._round_end(lane, i)) is not None:
                i = self._sample(lane, i, round_end)
                continue
            limit = end
            if self.sample and i + self.sample - lane.since < end:
                limit = self._round_end(lane, max(i, i + self.sample - lane.since)) or end
            stop = lane.kernel.run(i, limit)
            if stop.mark:
                lane.since += stop.begun - i
                self._take_up(lane, stop, rows[stop.at][1])
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
        lane.rows = rows[i:]
        lane.longest = 2 * len(lane.rows) if len(lane.rows) > BATCH // 2 else 0
        if len(lane.rows) > LONGEST and not lane.explaining:
            self._to_interpreter(lane)
            lane.explaining = True

    def _round_end(self, lane: Lane, start: int) -> int | None:
        """The place after the row that ends the round which begins at `start`."""
        ends = self._ends()
        for i in range(start, len(lane.rows)):
            if lane.rows[i][1].event in ends:
                return i + 1
        return None

    def _ends(self) -> tuple[str, ...]:
        *_, last = self.ready.ruleset.lives.values()
        return last.ends

    # ------------------------------------------------------------------------------------------- explaining
    def _take_up(self, lane: Lane, stop: Stop, row: Row) -> None:
        """A marked round: the interpreter goes on from its beginning."""
        from verifier.compile.marks import Mark

        self._to_interpreter(lane)
        self.explained += 1
        lane.explaining = True
        lane.expected, lane.expected_row = stop, row
        if stop.mark in (Mark.UNSURE, Mark.LIFE):
            lane.expected = None

    def _explain(self, lane: Lane, number: int, row: Row, header: Header) -> None:
        """One row judged by the interpreter."""
        self.at = number
        stream = lane.stream
        before = stream.entries
        self._judge(stream, row, header)
        if lane.expected_row is not None:
            found = stream.entries > before
            if row is lane.expected_row:
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
            self._take_up(lane, stop, lane.rows[stop.at][1])
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
        for _, row, header in lane.rows[start:end]:
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
        row = lane.rows[end - 1][1]
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
            near = [(r, h) for _, r, h in lane.rows if r.lives == row.lives]
            content = {
                "ruleset": self.ready.ruleset.name,
                "ruleset_digest": self.ready.ruleset.digest,
                "file": row.file,
                "seq": row.seq,
                "what": what,
                "options": {name: str(value) for name, value in lane.stream.terms.options.items()},
                "state": repr(self._state(lane)),
                "rows": [row_fields(schema, r) for r, _ in near],
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
        first = min((lane.rows[0][0] for lane in self.lanes.values() if lane.rows), default=self.arrived)
        while self.held and (final or self.held[0][0] < first):
            entry = heapq.heappop(self.held)[2]
            Run._put(self, replace(entry, number=self.total + 1))

    def result(self) -> CheckResult:
        self._flush_all(final=True)
        marked = 0
        for lane in self.lanes.values():
            if not lane.explaining:
                self._lives_from(lane, lane.stream.lives)
            kept = {rule: Tally(kept=times) for rule, times in lane.kernel.tallies().items()}
            self.ledger.add(kept, {}, {})
            marked += lane.stream.entries
        for one in self.disagreements:
            where = f"{one.table} seq {one.seq}" + (f", saved in {one.saved}" if one.saved else "")
            self.notes.append(f"the engines disagree, which is our fault, at {where}: {one.what}")
        found = Run.result(self)
        if self.disagreements:
            return replace(found, exit_code=Exit.OURSELVES)
        return found


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
