"""CSV by RFC 4180: a line of column names, then one row to a record; header and seal in the manifest."""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections.abc import Callable, Iterator

from verifier.errors import LogError
from verifier.log.arrange import PLAIN, Arrange
from verifier.log.assemble import Columnar, Opened, Raw, Tally, assemble
from verifier.log.columns import column_faults
from verifier.log.faults import Fault, Mark, RefusedError, cut, log_error, shown
from verifier.log.header import Header
from verifier.log.limits import LIMITS, Limits
from verifier.log.manifest import Seal
from verifier.log.schema import LogSchema
from verifier.log.streams import OnDisk, Unpacked, decode_utf8, read_lines, refused

_CELL = r'(?:"(?:[^"]|"")*+"|[^",\r\n]*+)'
_RECORD = re.compile(rf"{_CELL}(?:,{_CELL})*+\r?\n?")
_NEXT = re.compile(rf"({_CELL})(?:,|\r?\n?$)")


class Lines:
    """Feeds physical lines to the csv module and remembers those of the record in hand. `before` lines of the file,
    with that `ending`, were read already."""

    def __init__(
        self,
        name: str,
        stream: io.BufferedReader,
        digest: hashlib._Hash,
        limits: Limits,
        before: int = 0,
        ending: str | None = None,
    ) -> None:
        self._name = name
        self._lines = read_lines(name, stream, limits.line)
        self._digest = digest
        self._limit = limits.line
        self._ending = ending
        self._before = before
        self.number = before
        self.start = before + 1
        self.pieces: list[str] = []

    def __iter__(self) -> Iterator[str]:
        size = 0
        for number, line in self._lines:
            self.number = number + self._before
            size = len(line) + (size if self.pieces else 0)
            if size > self._limit:
                found = f"a record of over {self._limit} bytes"
                raise refused(
                    self._name, "log-limit", found, "shorter records", "is a quote left open?", self.start
                )
            self._digest.update(line)
            text = decode_utf8(self._name, line, self.number, first=self.number == 1)
            self.pieces.append(text)
            yield text

    def record(self) -> str:
        return "".join(self.pieces)

    def next_record(self) -> None:
        self.pieces.clear()
        self.start = self.number + 1

    def check_ending(self, record: str) -> None:
        """All records end alike: LF or CR LF, as the first does; the very last may go without."""
        ending = "\r\n" if record.endswith("\r\n") else "\n" if record.endswith("\n") else ""
        if self._ending is None:
            self._ending = ending
        elif ending and ending != self._ending:
            raise RefusedError(
                Fault(
                    "log-line",
                    None,
                    f"a record that ends with {_named(ending)}",
                    f"{_named(self._ending)} as before",
                )
            )


def open_csv(
    name: str,
    stream: io.BufferedReader,
    schema: LogSchema,
    header: Header,
    seal: Seal,
    limits: Limits = LIMITS,
    arrange: Arrange = PLAIN,
    again: Callable[[], io.BufferedReader] | None = None,
    disk: OnDisk | Unpacked | None = None,
) -> Opened:
    """Reads the line of column names; the rows follow as they are asked for. `again` opens the file anew, where that
    can be; `disk` is what it holds, by place. Raises `LogError`."""
    digest = hashlib.sha256()
    lines = Lines(name, stream, digest, limits)
    records = cells_of(name, lines)
    first = next(records, None)
    if first is None:
        raise refused(name, "log-empty", "an empty file", "a line of column names, then rows")
    _, columns, text = first
    faults = column_faults(columns, schema, header, limits, arrange)
    if faults:
        raise log_error(name, 1, faults, [Mark(text.rstrip("\r\n")) for _ in faults])
    tally = Tally()
    raw = _records(name, records, columns, digest, seal, tally)
    columnar: Columnar | None = None
    if again is not None:
        from verifier.log.csvblocks import columnar_csv
        from verifier.log.ordered import in_order_if_asked

        columnar = in_order_if_asked(
            name,
            lambda tally: columnar_csv(
                name, again, text, columns, schema, seal, tally, limits, arrange, disk
            ),
            schema,
            header,
            tally,
            arrange,
        )
    rows = assemble(
        name, raw, schema, header, tally, limits, _locator(columns), textual=True, arrange=arrange
    )
    return Opened(header, rows, tally, columnar)


def cells_of(name: str, lines: Lines) -> Iterator[tuple[int, list[str], str]]:
    """Records: first line, cells, text."""
    csv.field_size_limit(max(csv.field_size_limit(), LIMITS.line))
    reader = csv.reader(iter(lines), strict=True)
    while True:
        try:
            cells = next(reader, None)
        except csv.Error as error:
            record = lines.record().rstrip("\r\n")
            help = "a text with quotes, commas or line breaks stands in quotes; quotes inside are doubled"
            fault = Fault("log-syntax", None, _broken(str(error)), "CSV by RFC 4180", help)
            raise log_error(name, lines.start, [fault], [Mark(record.split("\n")[0])]) from None
        if cells is None:
            return
        record = lines.record()
        try:
            _check_record(cells, record, lines)
        except RefusedError as problem:
            marks = [Mark(record.rstrip("\r\n").split("\n")[0]) for _ in problem.faults]
            raise log_error(name, lines.start, problem.faults, marks) from None
        start = lines.start
        lines.next_record()
        yield start, cells, record


def _broken(reason: str) -> str:
    """What the csv module's complaint means."""
    match reason.split(" ")[0]:
        case "unexpected":
            return "a quote that is never closed"
        case "new-line":
            return "a lone CR outside quotes"
        case "field":
            return "a cell of over 131072 characters"
        case _:
            return f"text after a closing quote ({reason})"


def _check_record(cells: list[str], record: str, lines: Lines) -> None:
    if not cells:
        raise RefusedError(Fault("log-line", None, "a blank line", "a row on each line"))
    # The csv module takes quotes in the middle of an unquoted cell for text; RFC 4180 has no such cell.
    if '"' in record and _RECORD.fullmatch(record) is None:
        help = "put the whole text in quotes and double those inside"
        raise RefusedError(
            Fault("log-syntax", None, "a quote inside an unquoted cell", "CSV by RFC 4180", help)
        )
    lines.check_ending(record)


def _records(
    name: str,
    records: Iterator[tuple[int, list[str], str]],
    columns: list[str],
    digest: hashlib._Hash,
    seal: Seal,
    tally: Tally,
) -> Iterator[Raw]:
    width = len(columns)
    for line, cells, text in records:
        if len(cells) != width:
            raise _width_error(name, line, cells, columns, text)
        tally.events += 1
        yield line, {column: cell for column, cell in zip(columns, cells, strict=True) if cell}, text
    try:
        seal.check(tally.events, digest.hexdigest())
    except RefusedError as problem:
        raise log_error(name, None, problem.faults) from None
    tally.digest = tally.sealed = digest.hexdigest()


def _width_error(name: str, line: int, cells: list[str], columns: list[str], text: str) -> LogError:
    wanted = f"{len(columns)} cells, as many as there are columns"
    if len(cells) < len(columns):
        help = f"no cell for {', '.join(map(cut, columns[len(cells) :][:6]))}"
        fault = Fault("log-cells", columns[len(cells)], f"a row of {len(cells)} cells", wanted, help)
    else:
        help = "a text that holds a comma stands in quotes"
        found = f"a row of {len(cells)} cells, the first one over being {shown(cells[len(columns)])}"
        fault = Fault("log-cells", None, found, wanted, help)
    return log_error(name, line, [fault], [Mark(text.rstrip("\r\n").split("\n")[0])])


def _locator(columns: list[str]) -> Callable[[object, Fault], Mark]:
    """Where a row's cell stands, if the record is all on one line."""

    def locate(text: object, fault: Fault) -> Mark:
        assert isinstance(text, str)
        record = text.rstrip("\r\n")
        if fault.field not in columns or "\n" in record:
            return Mark(record.split("\n")[0])
        place = 0
        for _ in range(columns.index(fault.field)):
            match = _NEXT.match(record, place)
            if match is None:
                return Mark(record)
            place = match.end()
        match = _NEXT.match(record, place)
        return Mark(record, place + 1, 1 if match is None else max(len(match.group(1)), 1))

    return locate


def _named(ending: str) -> str:
    return "CR LF" if ending == "\r\n" else "LF"
