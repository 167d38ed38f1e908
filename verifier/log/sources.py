"""Logs from files, folders and standard input, one after another, each read strictly as it is asked for."""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from glob import glob, has_magic
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Literal, cast

from verifier.errors import LogError, Problem, RequestError
from verifier.log.arrange import PLAIN, Arrange
from verifier.log.aside import Aside
from verifier.log.assemble import Columnar, Opened
from verifier.log.header import Header
from verifier.log.limits import LIMITS, Limits
from verifier.log.manifest import SUFFIXES, Seal, find_manifest, manifests, read_manifest
from verifier.log.rows import Row
from verifier.log.schema import LogSchema
from verifier.log.streams import OnDisk, Source, Unpacked, open_bytes, refused, unreadable
from verifier.log.transcript import Transcript

Format = Literal["jsonl", "csv", "parquet", "yaml"]

FORMATS: dict[str, Format] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".parquet": "parquet",
    ".yaml": "yaml",
    ".yml": "yaml",
}
"""Formats by the ending of a file's name (before .gz or .zst)."""

COMPRESSED = {".gz": "gzip", ".zst": "zstd"}

DUCKDB = "duckdb:"

KEY = ".key"
"""What the name of a simulated log's key ends in, after the log's own name."""

STDIN = "-"
STDIN_NAME = "<standard input>"


def demand_again(names: Sequence[str | os.PathLike[str]], who: str) -> None:
    """That logs can be read more than once, which `who` does. Raises `RequestError` for standard input and a pipe."""
    for path in names:
        name = os.fspath(path)
        kind = STDIN_NAME if name == STDIN else None
        if kind is None and os.path.exists(name) and stat.S_ISFIFO(os.stat(name).st_mode):
            kind = "a pipe"
        if kind is not None:
            raise RequestError(
                Problem(
                    f"{who} reads its logs twice, and {kind.strip('<>')} can be read but once",
                    code="read-twice",
                    help="write the log to a file, and name that",
                )
            )


class LogFile:
    """One log: its header at once, its rows once, its digest when they are exhausted.

    `transcript` is what a YAML transcript says beside its log, `arrange` how the log was made of what the file has. A
    context manager: leaving it closes the file.
    """

    def __init__(
        self,
        name: str,
        format: Format | None,
        compression: str,
        opened: Opened,
        transcript: Transcript | None,
        closing: ExitStack,
        arrange: Arrange = PLAIN,
    ) -> None:
        self.name = name
        self.format = format
        self.compression = compression
        self.header: Header = opened.header
        self.transcript = transcript
        self.arrange = arrange
        self._opened = opened
        self._closing = closing
        self._taken = False

    def rows(self) -> Iterator[Row]:
        """The rows, as corrected, in bounded memory. Raises `LogError` at the first malformed row.

        Only a file read to its end is known to be whole: its trailer or seal is checked there, and what came
        before stands under that reserve. Rows can be had once (a second call raises ValueError).
        """
        if self._taken:
            raise ValueError(f"the rows of {self.name} were read already")
        self._taken = True
        try:
            yield from self._opened.rows
        finally:
            self.close()

    @property
    def columnar(self) -> Columnar | None:
        """The file's columns, as `Opened` has them; None for what is read row by row."""
        return self._opened.columnar

    @property
    def complete(self) -> bool:
        """Whether the rows were read to the end, and trailer or seal hold."""
        return self._opened.tally.complete

    @property
    def events(self) -> int:
        """Rows read so far, corrections among them."""
        return self._opened.tally.events

    @property
    def corrections(self) -> int:
        """How many of the rows correct others; once the rows are exhausted."""
        return self._opened.tally.corrections

    @property
    def corrected_last(self) -> Mapping[object, int]:
        """Of each table whose last row is a correction, the `seq` of that; once the rows are exhausted."""
        return self._opened.tally.corrected_last

    def corrected(self, corrections: int, last: Mapping[object, int]) -> None:
        """Note `corrections` and `corrected_last`, where the columns are read."""
        self._opened.tally.corrections, self._opened.tally.corrected_last = corrections, last

    @property
    def digest(self) -> str | None:
        """SHA-256 of the uncompressed file; None before the rows are exhausted, and for a relation."""
        return self._opened.tally.digest

    @property
    def sealed(self) -> str | None:
        """The digest that the trailer or manifest states, once it was found true."""
        return self._opened.tally.sealed

    def close(self) -> None:
        """Closes the file."""
        self._closing.close()

    def __enter__(self) -> LogFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_logs(
    paths: Sequence[str | os.PathLike[str]],
    schema: LogSchema,
    format: Format | None = None,
    *,
    manifest: str | os.PathLike[str] | None = None,
    any_ruleset: bool = False,
    limits: Limits = LIMITS,
    arrange: Arrange = PLAIN,
) -> Iterator[LogFile]:
    """The logs at `paths` (files, folders, `-` for standard input), sorted by name.

    Each is opened when its turn comes and closed when the next one is asked for. `format` holds for all of
    them; without it the name tells, then the first bytes. `manifest` goes with a single file. A path that is none and
    has `*`, `?` or `[` in it is a pattern (`**`: folders to any depth); one that begins `duckdb:` is a table of a
    database (`duckdb:casino.duckdb:events`) and needs a manifest. `arrange` says what the columns are called.
    `any_ruleset` accepts logs kept under another ruleset than the schema's. Raises `RequestError` for what
    is not there, `LogError` for what is malformed.
    """
    found = find_logs(paths, format)
    if manifest is not None and len(found) != 1:
        raise RequestError(Problem(f"one manifest for {len(found)} logs", code="manifest-of-many"))
    beside = None if manifest is None else Path(manifest)
    for path in found:
        log = open_log(
            path, schema, format, manifest=beside, any_ruleset=any_ruleset, limits=limits, arrange=arrange
        )
        try:
            yield log
        finally:
            log.close()


def open_log(
    path: str | os.PathLike[str],
    schema: LogSchema,
    format: Format | None = None,
    *,
    manifest: str | os.PathLike[str] | None = None,
    any_ruleset: bool = False,
    limits: Limits = LIMITS,
    arrange: Arrange = PLAIN,
) -> LogFile:
    """One log: a file, or `-` for standard input. As `open_logs`."""
    name = os.fspath(path)
    if name.startswith(DUCKDB):
        from verifier.log.query import open_table

        return open_table(
            name, schema, manifest=manifest, any_ruleset=any_ruleset, limits=limits, arrange=arrange
        )
    if name == STDIN:
        if sys.stdin is None:
            raise RequestError(
                Problem("standard input is closed", STDIN_NAME, code="log-unreadable", help="name a file")
            )
        stdin = sys.stdin.buffer
        return open_stream(
            STDIN_NAME,
            stdin,
            schema,
            format,
            manifest=manifest,
            any_ruleset=any_ruleset,
            limits=limits,
            arrange=arrange,
        )
    try:
        stream = open(name, "rb")  # noqa: SIM115 - the LogFile closes it
    except OSError as error:
        raise unreadable(name, error) from None
    try:
        return open_stream(
            name,
            stream,
            schema,
            format,
            manifest=manifest,
            any_ruleset=any_ruleset,
            limits=limits,
            arrange=arrange,
        )
    except BaseException:
        stream.close()
        raise


def open_stream(
    name: str,
    stream: BinaryIO,
    schema: LogSchema,
    format: Format | None = None,
    *,
    manifest: str | os.PathLike[str] | None = None,
    any_ruleset: bool = False,
    limits: Limits = LIMITS,
    arrange: Arrange = PLAIN,
) -> LogFile:
    """A log from an open binary stream; `name` tells its format (else `format`), and stands in errors.

    A stream that is not a file on disk needs `manifest` for CSV and Parquet. The `LogFile` closes the
    stream, unless it is standard input.
    """
    closing = ExitStack()
    if stream is not getattr(sys.stdin, "buffer", None):
        closing.callback(stream.close)
    if arrange.sort and arrange.aside is None:
        arrange = replace(arrange, aside=closing.enter_context(Aside()))
    disk = _on_disk(stream)
    again = None if disk is None else lambda: open_bytes(name, _Again(disk), limits)[0]
    plain, compression = open_bytes(name, stream, limits)
    lines = Unpacked(disk, again) if compression and disk is not None and again is not None else disk
    claimed = COMPRESSED.get(Path(name).suffix.lower(), "")
    if claimed and claimed != compression:
        first = plain.peek(4)[:4].hex(" ") or "no bytes"
        raise refused(name, "log-compression", f"{first} at the start", f"{claimed} data, as the name says")
    kind = format or format_of(name) or _sniffed(name, plain)
    if manifest is not None and kind in ("jsonl", "yaml"):
        closing.close()
        raise RequestError(
            Problem(
                f"a manifest is given for a log that states its header itself ({kind})",
                name,
                code="manifest-unused",
                help="leave the manifest out: it goes with CSV and Parquet",
            )
        )
    transcript: Transcript | None = None
    match kind:
        case "jsonl":
            from verifier.log.jsonl import open_jsonl

            opened = open_jsonl(
                name,
                plain,
                schema,
                any_ruleset=any_ruleset,
                limits=limits,
                arrange=arrange,
                again=again,
                disk=lines,
            )
        case "yaml":
            from verifier.log.transcript import open_transcript

            opened, transcript = open_transcript(name, plain, schema, any_ruleset=any_ruleset, limits=limits)
        case "csv":
            from verifier.log.delimited import open_csv

            header, seal = _manifest(name, manifest, schema, any_ruleset, limits)
            opened = open_csv(name, plain, schema, header, seal, limits, arrange, again, lines)
        case "parquet":
            from verifier.log.parquet import open_parquet

            header, seal = _manifest(name, manifest, schema, any_ruleset, limits)
            seekable = _seekable(name, stream, plain, compression, closing, limits)
            opened = open_parquet(name, seekable, schema, header, seal, limits, arrange)
    how = PLAIN if kind == "yaml" else arrange
    return LogFile(name, kind, compression, opened, transcript, closing, how)


def open_relation(
    name: str,
    source: Any,
    schema: LogSchema,
    header: Header,
    limits: Limits = LIMITS,
    arrange: Arrange = PLAIN,
) -> LogFile:
    """A log in memory: an Arrow table or record batch reader, or a DuckDB relation. It has no seal, no digest."""
    from verifier.log.parquet import open_arrow

    opened = open_arrow(name, source, schema, header, limits, arrange)
    return LogFile(name, None, "", opened, None, ExitStack(), arrange)


def find_logs(paths: Sequence[str | os.PathLike[str]], format: Format | None = None) -> list[str]:
    """The files that `paths` stand for, sorted; folders are searched to the bottom.

    In a folder every file must be a log, a manifest, or a simulated log's key, hidden ones (with a leading dot)
    apart: what cannot be read is refused, not passed over. Raises `RequestError`.
    """
    found: list[str] = []
    for path in paths:
        name = os.fspath(path)
        if os.path.isdir(name):
            found.extend(_in_folder(name))
        elif name != STDIN and not name.startswith(DUCKDB) and not os.path.lexists(name) and has_magic(name):
            found.extend(_matching(name))
        else:
            found.append(name)
    if not found:
        raise RequestError(Problem("no logs named", code="no-logs"))
    found.sort()
    real: dict[str, str] = {}
    for name in found:
        place = name if name == STDIN or name.startswith(DUCKDB) else os.path.realpath(name)
        if place in real:
            help = f"it is {real[place]}" if real[place] != name else "name each log once"
            raise RequestError(
                Problem("the log is named twice", name, None, None, None, help, code="log-named-twice")
            )
        real[place] = name
    return found


def table_named(path: str) -> tuple[str, str]:
    """The file and the table that `duckdb:FILE:TABLE` names. Either may have colons: the file is the longest one
    that is there, else all up to the last colon; it is empty where there is none."""
    rest = path.removeprefix(DUCKDB)
    parts = rest.split(":")
    for count in range(len(parts) - 1, 0, -1):
        file = ":".join(parts[:count])
        if file and os.path.lexists(file):
            return file, ":".join(parts[count:])
    file, _, table = rest.rpartition(":")
    return file, table


def files_read(path: str) -> Iterator[str]:
    """The files that the logs at `path` are read from, with manifests beside them; `-` is standard input's.

    Nothing is refused: a place that is none gives what `find_logs` would look at.
    """
    if path == STDIN:
        yield path
    elif path.startswith(DUCKDB):
        yield table_named(path)[0]
    elif os.path.isdir(path):
        for base, _, files in os.walk(path):
            for file in files:
                if not file.startswith(".") and (format_of(file) or file.lower().endswith(SUFFIXES)):
                    yield os.path.join(base, file)
    else:
        pattern = not os.path.lexists(path) and has_magic(path)
        for file in glob(path, recursive=True) if pattern else [path]:
            yield file
            yield from map(str, manifests(Path(file)))


def is_key(name: str) -> bool:
    """Whether a file's name is that of the key to a simulated log's faults, which stands beside the log."""
    return name.lower().endswith(KEY) and format_of(name[: -len(KEY)]) is not None


def format_of(name: str) -> Format | None:
    """The format that a file's name tells, or None."""
    path = Path(name.lower())
    if path.suffix in COMPRESSED:
        path = path.with_suffix("")
    return FORMATS.get(path.suffix)


def _matching(pattern: str) -> list[str]:
    """The files that a pattern means; manifests and keys are not among the logs."""
    names = [name for name in glob(pattern, recursive=True) if not _beside_a_log(name)]
    found = [name for name in names if not os.path.isdir(name)]
    if not found:
        raise RequestError(Problem("no log matches the pattern", pattern, code="no-logs"))
    return found


def _beside_a_log(name: str) -> bool:
    return name.lower().endswith(SUFFIXES) or is_key(name)


def _in_folder(folder: str) -> list[str]:
    found: list[str] = []

    def fail(error: OSError) -> None:
        raise unreadable(str(error.filename), error)

    for base, folders, files in os.walk(folder, onerror=fail):
        for sub in folders:
            if os.path.islink(os.path.join(base, sub)):
                help = "name the folder it points to"
                place = os.path.join(base, sub)
                raise RequestError(
                    Problem("a linked folder among logs", place, None, None, None, help, code="log-link")
                )
        for file in files:
            place = os.path.join(base, file)
            if file.startswith(".") or _beside_a_log(file):
                continue
            if format_of(file) is None:
                endings = ", ".join(FORMATS)
                help = f"logs end in {endings} (and .gz or .zst); name the logs one by one, or move this file"
                raise RequestError(
                    Problem(
                        "a file among logs that is no log", place, None, None, None, help, code="log-stray"
                    )
                )
            found.append(place)
    if not found:
        raise RequestError(Problem("no logs in this folder", folder, code="no-logs"))
    return found


def _manifest(
    name: str, manifest: str | os.PathLike[str] | None, schema: LogSchema, any_ruleset: bool, limits: Limits
) -> tuple[Header, Seal]:
    path = find_manifest(Path(name)) if manifest is None else Path(manifest)
    try:
        return read_manifest(path, schema, any_ruleset=any_ruleset, limits=limits)
    except OSError as error:
        raise unreadable(str(path), error) from None


def _seekable(
    name: str,
    stream: BinaryIO,
    plain: io.BufferedReader,
    compression: str,
    closing: ExitStack,
    limits: Limits,
) -> BinaryIO:
    from verifier.log.parquet import spool

    if not compression and stream.seekable():
        return stream
    copy = spool(name, cast(Source, plain), limits)
    closing.callback(copy.close)
    return copy


def _on_disk(stream: BinaryIO) -> OnDisk | None:
    """What can be read again of a file on disk, from where its stream stands now."""
    try:
        handle = stream.fileno()
        at = stream.tell()
    except OSError:
        return None
    if not stat.S_ISREG(os.fstat(handle).st_mode) or not hasattr(os, "pread"):
        return None
    return OnDisk(handle, at)


class _Again:
    """The bytes of an open file, with a place in it of its own."""

    def __init__(self, disk: OnDisk) -> None:
        self._disk, self._at = disk, 0

    def read(self, size: int = -1, /) -> bytes:
        piece = self._disk.read(self._at, size)
        self._at += len(piece)
        return piece


def _sniffed(name: str, plain: io.BufferedReader) -> Format:
    head = plain.peek(4)[:4]
    if head == b"PAR1":
        return "parquet"
    if head[:1] == b"{" or not head:
        return "jsonl"
    help = f"state the format: {', '.join(sorted(set(FORMATS.values())))}"
    raise refused(
        name, "log-format", f"the bytes {head.hex(' ')} at the start", "a log whose format can be told", help
    )


__all__ = [
    "Format",
    "LogError",
    "LogFile",
    "find_logs",
    "open_log",
    "open_logs",
    "open_relation",
    "open_stream",
]
