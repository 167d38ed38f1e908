"""JSON Lines: a header, one row to a line, and a trailer that vouches for what stands before it."""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Callable, Iterator

from verifier.errors import LogError
from verifier.log.arrange import PLAIN, Arrange
from verifier.log.assemble import Columnar, Opened, Raw, Tally, assemble
from verifier.log.faults import Fault, Mark, RefusedError, log_error, quoted, shown
from verifier.log.header import HEADER_KEY, TRAILER_KEY, parse_header
from verifier.log.jsontext import parse_object
from verifier.log.limits import LIMITS, Limits
from verifier.log.manifest import parse_seal
from verifier.log.schema import LogSchema
from verifier.log.streams import OnDisk, Unpacked, decode_utf8, read_lines, refused


def open_jsonl(
    name: str,
    stream: io.BufferedReader,
    schema: LogSchema,
    *,
    any_ruleset: bool = False,
    limits: Limits = LIMITS,
    arrange: Arrange = PLAIN,
    again: Callable[[], io.BufferedReader] | None = None,
    disk: OnDisk | Unpacked | None = None,
) -> Opened:
    """Reads the header; the rows follow as they are asked for. `again` opens the file anew, where that can be; `disk`
    is what it holds, by place. Raises `LogError`."""
    lines = read_lines(name, stream, limits.line)
    number, line = next(lines, (0, b""))
    if not number:
        raise refused(name, "log-empty", "an empty file", "a header, rows and a trailer")
    text = _text(name, line, number, limits)
    fields = _parsed(name, text, number, limits)
    if HEADER_KEY not in fields:
        found, wanted = f"a first row without {HEADER_KEY}", f'the header, {{"{HEADER_KEY}": 1, …}}'
        raise log_error(name, number, [Fault("log-header", HEADER_KEY, found, wanted)], [Mark(text)])
    try:
        header = parse_header(fields, schema, any_ruleset=any_ruleset)
    except RefusedError as problem:
        raise log_error(
            name, number, problem.faults, [locate(text, fault) for fault in problem.faults]
        ) from None
    tally = Tally()
    digest = hashlib.sha256(line)
    records = _records(name, lines, digest, tally, limits)
    columnar: Columnar | None = None
    if again is not None:
        from verifier.log.jsonblocks import columnar_jsonl
        from verifier.log.ordered import in_order_if_asked

        columnar = in_order_if_asked(
            name,
            lambda tally: columnar_jsonl(name, again, schema, tally, limits, arrange, line, disk),
            schema,
            header,
            tally,
            arrange,
        )
    rows = assemble(name, records, schema, header, tally, limits, locate, arrange=arrange)
    return Opened(header, rows, tally, columnar)


def _records(
    name: str, lines: Iterator[tuple[int, bytes]], digest: hashlib._Hash, tally: Tally, limits: Limits
) -> Iterator[Raw]:
    number = 1
    for number, line in lines:
        text = _text(name, line, number, limits)
        fields = _parsed(name, text, number, limits)
        if TRAILER_KEY in fields:
            check_trailer(name, text, number, fields, digest.hexdigest(), tally)
            digest.update(line)
            after = next(lines, None)
            if after is not None:
                wanted = "nothing after the trailer"
                raise refused(
                    name, "log-trailer", f"a line after it: {shown(_start(after[1]))}", wanted, None, after[0]
                )
            tally.digest = digest.hexdigest()
            return
        digest.update(line)
        tally.events += 1
        yield number, fields, text
    help = "the log was cut short, or is still being written"
    raise refused(
        name, "log-trailer", "the end of the file", f'the trailer, {{"{TRAILER_KEY}": …}}', help, number
    )


def _start(line: bytes) -> str:
    return line[:60].decode("utf-8", "replace").rstrip("\n")


def check_trailer(
    name: str, text: str, line: int, fields: dict[str, object], digest: str, tally: Tally
) -> None:
    """Check the trailer's fields against the rows before it, and note its seal. Raises `LogError`."""
    try:
        for key in fields:
            if key != TRAILER_KEY:
                raise RefusedError(
                    Fault("log-trailer", key, shown(fields[key]), f"nothing but {TRAILER_KEY} in a trailer")
                )
        seal = fields[TRAILER_KEY]
        if not isinstance(seal, dict):
            raise RefusedError(Fault("log-trailer", TRAILER_KEY, shown(seal), '{"events": N, "sha256": "…"}'))
        for key in seal:
            if key not in ("events", "sha256"):
                raise RefusedError(
                    Fault("log-trailer", key, shown(seal[key]), "events and sha256 in a trailer")
                )
        stated = parse_seal(seal)
        stated.check(tally.events, digest)
        tally.sealed = stated.sha256
    except RefusedError as problem:
        raise log_error(
            name, line, problem.faults, [locate(text, fault) for fault in problem.faults]
        ) from None


def _text(name: str, line: bytes, number: int, limits: Limits) -> str:
    """The line without its LF; refuses bad UTF-8, CR LF, blank lines and a last line without LF."""
    text = decode_utf8(name, line, number, first=number == 1)
    if not text.endswith("\n"):
        help = "the file was cut short, or its last line break was lost"
        found = "a last line without a line break"
        raise _line_error(name, number, text, "log-line", found, "every line to end with LF", help)
    text = text[:-1]
    if text.endswith("\r"):
        help = "the file went through a conversion of line ends, which its digest does not survive"
        raise _line_error(
            name, number, text, "log-line", "a line that ends with CR LF", "lines that end with LF", help
        )
    if not text or text.isspace():
        help = "a line to a row, so that row and line number agree"
        raise _line_error(name, number, text, "log-line", "a blank line", "a JSON object on each line", help)
    return text


def _line_error(name: str, number: int, text: str, code: str, found: str, wanted: str, help: str) -> LogError:
    return log_error(name, number, [Fault(code, None, found, wanted, help)], [Mark(text)])


def _parsed(name: str, text: str, number: int, limits: Limits) -> dict[str, object]:
    try:
        return parse_object(text, limits)
    except RefusedError as problem:
        raise log_error(
            name, number, problem.faults, [locate(text, fault) for fault in problem.faults]
        ) from None


def locate(text: object, fault: Fault) -> Mark:
    """Where in the line the fault's field has its value."""
    assert isinstance(text, str)
    if fault.at is not None:
        return Mark(text, fault.at + 1)
    if fault.field is not None:
        key = fault.field.rsplit(".", 1)[-1]
        for spelling in (quoted(key), f'"{key}"'):
            match = re.search(re.escape(spelling) + r'\s*:\s*("(?:[^"\\]|\\.)*"|[^\s,{}\[\]]+|.)', text)
            if match is not None:
                return Mark(text, match.start(1) + 1, match.end(1) - match.start(1))
    return Mark(text)
