"""The bulk engine: rows come by batches or one by one, and wait to be judged (`verifier.check.lanes`)."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from verifier.check.engine import KEEP, STEP, Prepared, Progress, Run
from verifier.check.going_on import Following
from verifier.check.lane import OPEN, Lane, block_of_rows
from verifier.check.lanes import BATCH, SAMPLE, Lanes
from verifier.check.options import read_settings
from verifier.check.result import CheckResult, Entry
from verifier.check.stream import Stream
from verifier.check.terms import Terms
from verifier.errors import LogError, RequestError
from verifier.exits import Exit
from verifier.log.batches import corrected_in, typed_batches
from verifier.log.header import Header
from verifier.log.rows import Row
from verifier.log.strict import Malformed
from verifier.run.recording import Recording

if TYPE_CHECKING:
    from verifier.compile.arrow import BatchReader
    from verifier.compile.kernel import Compiled, Kernel
    from verifier.compile.untold import Untold
    from verifier.log.assemble import Plan
    from verifier.log.batches import Batch
    from verifier.log.corrected import Corrected
    from verifier.log.sources import LogFile

FIRST = 3_000
"""Where nobody said which engine, so many rows go to the interpreter before the rules are compiled."""


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

    What a result says a rule was `read` is None where rounds were judged by the kernel, which does not count it. That
    it was read at all the interpreter has found in some round.
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


@dataclass(frozen=True, slots=True)
class InFile:
    """A file's name and header, what it has in the column of its tables, what is corrected in it, how many rows it has
    besides corrections, and all tables in it, in the order in which they come, numbered from 0."""

    name: str
    plan: Plan
    corrected: Corrected
    header: Header
    rows: int
    tables: Mapping[object, int]


@dataclass(frozen=True, slots=True)
class Share:
    """Some of the tables of logs that have `Columnar.groups`, and, of all, what is in each file. A file that is not so
    any more is `Malformed`."""

    tables: Collection[str | None]
    files: Sequence[InFile]


@dataclass(slots=True)
class BulkRun(Lanes):
    """One check in progress."""

    leading: int = 0
    """So many rows are judged before the rules are compiled, where they are not."""
    hopeless: bool = False
    """The rules cannot be compiled."""
    coming: list[tuple[Lane, int, Row, Header]] = field(default_factory=list)
    """Rows that are to wait in the queue."""
    able: dict[int, bool] = field(default_factory=dict)
    """By terms, whether logs under them record enough for the kernel."""
    refused: set[Untold] = field(default_factory=set)
    """What logs leave out for which no kernel can be made."""
    beside: list[int] = field(default_factory=list)
    """The places of lives that have logs of their own."""
    models: dict[int, Kernel] = field(default_factory=dict)
    """By terms, the first kernel: the others begin as it did."""
    keys: list[dict[object, int]] = field(default_factory=list)
    """For each life its keys that are texts, numbered."""
    share: Share | None = None
    """What of the logs is judged here; None for all."""
    streaming: dict[int, Stream] = field(default_factory=dict)
    """The streams of the file being read by batches, in the order in which they came."""

    def __post_init__(self) -> None:
        Lanes.__post_init__(self)
        self.beside = [i for i, life in enumerate(self.ready.ruleset.lives.values()) if life.beside]

    # ------------------------------------------------------------------------------------------------- rows
    def file(self, log: LogFile, progress: Progress | None) -> None:
        self.at = (self.arrived, self.arrived)
        share = None if self.share is None else self._planned(log)
        Run.file(self, log, progress)
        # Where a file ends all its rounds do, as if for each table one more row came.
        for i, stream in enumerate(self.streaming.values()):
            self._close(stream, self.arrived + (i if share is None else share.tables[stream.keys[0]]))
        self.arrived += len(self.streaming if share is None else share.tables)
        self.streaming = {}

    def _through(self, log: LogFile, terms: Terms, progress: Progress | None) -> int:
        schema, corrected = self.scribe.schema, None
        share = None if self.share is None else self.share.files[len(self.files)]
        self._fit(terms)
        in_bulk = self._in_bulk(terms)
        if share is not None:
            corrected = share.corrected
        elif in_bulk:
            corrected = corrected_in(log, schema)
        if log.columnar is None or corrected is None:
            if self.share is not None:
                raise Malformed
            return Run._through(self, log, terms, progress)
        from verifier.compile.arrow import BatchReader, RowsOf, rounds_end

        reader: BatchReader | None = None
        events = 0
        first = self.arrived
        having = None if self.share is None or share is None else (share.plan, self.share.tables)
        following = Following.of(schema, terms, self.streams)
        batches = typed_batches([log], schema, refusing=following.row, having=having, corrected=corrected)
        for batch in batches:
            rows = batch.data.num_rows
            numbers = batch.places + first
            if in_bulk and self.compiled is None and self.arrived + rows > self.leading:
                self._compile(terms)
            try:
                if self.compiled is None or not in_bulk:
                    made, after = RowsOf(batch, schema), rounds_end(batch, schema, numbers).tolist()
                    for at in range(rows):
                        self.arrived = int(numbers[at])
                        self._row(made.row(at), log.header, terms, after[at])
                        if progress is not None and (events + at + 1) % STEP == 0:
                            progress(log.name, events + at + 1)
                else:
                    if reader is None:
                        inputs = self.compiled.module.inputs
                        reader = BatchReader(inputs, self.ready.binding, lives=self._keys())
                    self._batch(batch, reader, terms, numbers)
            except (LogError, RequestError):
                # Of a file in shares one process reads all rows, and says which comes first.
                for row in log.rows() if self.share is None else ():
                    following.row(row)
                raise
            events += rows
            if progress is not None and in_bulk and self.compiled is not None:
                progress(log.name, events)
        if self.share is not None:
            self.arrived = first + log.events
        return events

    def _planned(self, log: LogFile) -> InFile:
        """What is known of a file of which some tables are judged here. Raises `Malformed` where it is another now."""
        assert self.share is not None
        groups = None if log.columnar is None else log.columnar.groups
        if groups is None or len(self.files) == len(self.share.files):
            raise Malformed
        known = self.share.files[len(self.files)]
        if (log.name, log.header) != (known.name, known.header):
            raise Malformed
        return known

    def apart(self, log: LogFile) -> bool:
        """Whether some tables of a log can be judged without the others. Raises `LogError`, `RequestError`."""
        if log.columnar is None or log.columnar.groups is None:
            return False
        if log.format == "parquet" and log.compression:  # set down as a whole whenever it is opened
            return False
        return not any(log.header.lacks(life) for life in self.ready.ruleset.lives)

    def untold(self, log: LogFile) -> Untold | None:
        """What a log never tells; None where it records too little for the kernel. Raises `LogError` and
        `RequestError`."""
        return self._untold(self._terms(log.header, log.name))

    def unstated(self, log: LogFile) -> tuple[str, ...]:
        """The unstated options for which a kernel that begins with a log is made. Raises `LogError`, `RequestError`."""
        from verifier.compile.lacking import unstated_in

        return unstated_in(self.ready.program, self._terms(log.header, log.name).options)

    def _in_bulk(self, terms: Terms) -> bool:
        """Whether a log records enough for the kernel, as far as is known before it is compiled."""
        untold = self._untold(terms)
        return untold is not None and untold not in self.refused

    def _untold(self, terms: Terms) -> Untold | None:
        """What logs never tell under such terms; None where the kernel cannot do without."""
        from verifier.compile.untold import Untold

        recording, ruleset = terms.recording, self.ready.ruleset
        if recording != Recording(absent=recording.absent, begun=recording.begun):
            return None
        if terms.missing & ruleset.lives.keys():
            return None
        params: list[tuple[str, int, str]] = []
        for event, columns in self.ready.binding.columns_of.items():
            for index, of in enumerate(columns):
                told = [c for c in of if not {c, f"{event}.{c}"} & terms.missing]
                if len(told) == len(of) or event in recording.absent:
                    continue
                if any(self.ready.binding.schema.columns[name].kind == "identifier" for name in told):
                    return None
                params.append((event, index, of[0]))
        return Untold(recording.absent, tuple(params))

    def _fit(self, terms: Terms) -> None:
        """Take the kernel for the options that a log leaves unstated, and what else it never tells; it judges logs that
        state others too."""
        from verifier.compile.encoding import NotCompiledError
        from verifier.compile.lacking import unstated_in

        untold = self._untold(terms)
        if self.compiled is not None and not self.seats and untold is not None:
            unstated = unstated_in(self.ready.program, terms.options)
            try:
                self.compiled = self.compiled.lacking(self.ready.program, unstated, untold)
            except NotCompiledError:
                self.refused.add(untold)

    def _compile(self, terms: Terms) -> None:
        from verifier.compile.encoding import NotCompiledError
        from verifier.compile.kernel import Compiled
        from verifier.compile.lacking import unstated_in
        from verifier.compile.untold import Untold

        untold = self._untold(terms)
        if self.hopeless or untold is None or untold in self.refused:
            return
        try:
            unstated = unstated_in(self.ready.program, terms.options)
            self.compiled = Compiled.of(self.ready.program, unstated, untold)
        except NotCompiledError:
            self.refused.add(untold)
            self.hopeless = untold == Untold()

    def _keys(self) -> list[dict[object, int]]:
        if not self.keys:
            self.keys = [{} for _ in self.ready.ruleset.lives]
        return self.keys

    def _row(self, row: Row, header: Header, terms: Terms, after: int | None = None) -> None:
        """One row. `after` is the number of the row after its round where rows are not given out round by round."""
        number, self.arrived = self.arrived, self.arrived + 1
        if after is None:
            stream, after = self._stream(row, header, terms), number
        else:
            stream = self._goes_on(row, header, terms, number, after)
        self.counted.comes(id(stream), row.event)
        lane = self._lane(stream, row, terms)
        if lane is None:
            self.at, self.of = (after, number), id(stream)
            self._judge(stream, row, header)
            if self.queue.block is None and not self.coming:
                self._release(final=False)
            return
        self.coming.append((lane, number, row, header))
        if len(self.coming) >= BATCH:
            self._take_rows()
            self._judge_block(final=False)

    def _take_rows(self) -> None:
        """Put the rows that came one by one into the block."""
        if not self.coming:
            return
        block, parts = block_of_rows(self.coming)
        self.coming = []
        self.queue.take(block, parts)

    def _batch(self, batch: Batch, reader: BatchReader, terms: Terms, numbers: Any) -> None:
        """The rows of a batch, a table at a time; what the interpreter wants is made a row again."""
        import numpy as np

        from verifier.compile.arrow import block_of, number_ids
        from verifier.compile.inputs import KIND

        self.arrived = int(numbers[-1]) + 1
        block, segments = block_of(batch, reader, self.scribe.schema, numbers)
        kinds = block.columns[KIND]
        alone: list[tuple[int, Stream]] = []
        parts: list[tuple[Lane, int, int]] = []
        for one in segments:
            number, after = int(block.numbers[one.first]), int(block.after[one.first])
            stream = self._goes_on(one.begins, batch.header, terms, number, after)
            stream.events += one.end - one.first - 1
            self.counted.come(id(stream), np.bincount(kinds[one.first : one.end]).tolist())
            stream.seq, stream.keys = one.ends.seq, one.ends.lives
            if one.latest is not None:
                stream.last_at = one.latest
            if (lane := self._lane(stream, one.begins, terms)) is None:
                alone += [(at, stream) for at in range(one.first, one.end)]
            else:
                parts.append((lane, one.first, one.end))
        for at, stream in sorted(alone, key=lambda pair: int(block.place[pair[0]])):
            number, row, header = block.row(at)
            self.at, self.of = (int(block.after[at]), number), id(stream)
            self._judge(stream, row, header)
        if not parts:
            return
        if alone:
            taken = np.concatenate([np.arange(first, end) for _, first, end in parts])
            ids = {name: (codes[taken], texts) for name, (codes, texts) in block.ids.items()}
            block = block.taken(taken)
            block.ids = ids
        bounds = np.cumsum([0, *(end - first for _, first, end in parts)]).tolist()
        number_ids(block, [lane.encoder for lane, _, _ in parts], bounds)
        parts = [(lane, bounds[i], bounds[i + 1]) for i, (lane, _, _) in enumerate(parts)]
        self._take_rows()
        self.queue.take(block, parts)
        self._judge_block(final=False)

    def _goes_on(self, row: Row, header: Header, terms: Terms, number: int, after: int) -> Stream:
        """The stream of rows that come as they stand in the file, of which this is the next; `after` is the number of
        the row after its round. Where that is known, or the row begins a round, the one going on has ended."""
        known = self.streams.get(self.scribe.schema.stream(row.lives))
        same = known is not None and known.keys[-1:] == row.lives[-1:]
        stream = self._stream(row, header, terms)
        self.streaming.setdefault(id(stream), stream)
        if not same or after != OPEN:
            self._close(stream, after if same else number)
        return stream

    def _lane(self, stream: Stream, row: Row, terms: Terms) -> Lane | None:
        """The lane of a table; none where the log records too little for the kernel, or it is not compiled yet."""
        if id(stream) in self.lanes:
            return self.lanes[id(stream)]
        if not self._able(terms):
            return None
        if self.compiled is None:
            if self.arrived <= self.leading or self.hopeless:
                return None
            self._compile(terms)
        lane = self.lanes[id(stream)] = self._new_lane(stream, row, terms)
        return lane

    def _able(self, terms: Terms) -> bool:
        if id(terms) not in self.able:
            self.able[id(terms)] = self._in_bulk(terms)
        return self.able[id(terms)]

    def _new_lane(self, stream: Stream, row: Row, terms: Terms) -> Lane | None:
        from verifier.compile.columns import Encoder
        from verifier.compile.encoding import NotCompiledError
        from verifier.compile.kernel import Kernel, Seat

        if self.compiled is None or any(row.lives[place] is not None for place in self.beside):
            return None
        if self._untold(terms) != self.compiled.module.layout.untold:
            return None
        if not self.seats:
            self.seats = [
                Seat(self.compiled) for _ in range((os.cpu_count() or 1) if self.share is None else 1)
            ]
            self._know()
        seat = self.seats[len(self.lanes) % len(self.seats)]
        try:
            kernel = Kernel(self.compiled, terms.options, seat, self.models.get(id(terms)))
        except NotCompiledError:
            return None
        self.models.setdefault(id(terms), kernel)
        encoder = Encoder(self.compiled.module.inputs, lives=self._keys())
        if stream.used is not None:
            for kind, known in stream.used.state.ids.items():
                encoder.ids[kind].update(known)
                encoder.names[kind].extend(known)
        explaining = bool(terms.recording.begun) or stream.used is not None
        return Lane(stream, kernel, encoder, explaining)

    # ----------------------------------------------------------------------------------------------- result
    def result(self) -> CheckResult:
        self._take_rows()
        self._judge_block(final=True)
        self._release(final=True)
        self._count()
        found = Run.result(self)
        if self.disagreements:
            said = tuple(one.text for one in self.disagreements)
            return replace(found, disagreements=said, exit_code=Exit.OURSELVES)
        return found
