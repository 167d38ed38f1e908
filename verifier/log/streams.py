"""Bytes in: plain, gzip or zstd, told by their first bytes, with memory bounded whatever they hold."""

from __future__ import annotations

import io
import itertools
import os
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from verifier.errors import LogError, Problem, RequestError
from verifier.log.faults import Fault, cut, log_error
from verifier.log.limits import LIMITS, Limits

GZIP = b"\x1f\x8b"
ZSTD = b"\x28\xb5\x2f\xfd"

_CHUNK = 256 << 10
_SLICE = 1 << 10
"""Bytes of zstd fed at one time: 1 KiB can grow to 32 MiB at most."""


class Source(Protocol):
    """Whatever bytes can be read from: a file, a pipe, a buffer."""

    def read(self, size: int = -1, /) -> bytes: ...


class _Pieces(io.RawIOBase):
    """A readable stream over an iterator of byte strings."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        while not self._rest:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._rest = memoryview(piece)
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size


def readable(pieces: Iterator[bytes]) -> io.BufferedReader:
    """A stream of these bytes."""
    return io.BufferedReader(_Pieces(pieces), _CHUNK)


@dataclass(frozen=True, slots=True)
class OnDisk:
    """An open file, as it lies there. `read`: so many of its bytes from a place on, fewer at the end; it raises
    `OSError`. `mark` is another once the file is written to, as far as its times tell."""

    handle: int
    start: int

    def read(self, at: int, size: int) -> bytes:
        """Bytes of the file."""
        return os.pread(self.handle, size, self.start + at)

    def mark(self) -> tuple[int, ...]:
        """Which file it is, how large, and when it was changed."""
        told = os.fstat(self.handle)
        return told.st_dev, told.st_ino, told.st_size, told.st_mtime_ns


class Unpacked:
    """What a compressed file on disk holds, by place, as `OnDisk` has one that is not. To come to a place, all before
    it is decompressed, so it is best read in rising order. `read` raises what the stream raises that `again` opens."""

    def __init__(self, disk: OnDisk, again: Callable[[], io.BufferedReader]) -> None:
        self._disk, self._again = disk, again
        self._stream: io.BufferedReader | None = None
        self._at, self._held = 0, b""

    def read(self, at: int, size: int) -> bytes:
        """So many bytes from a place on, fewer at the end."""
        if self._stream is None or at < self._at:
            self._stream, self._at, self._held = self._again(), 0, b""
        gap = at - self._at - len(self._held)
        while gap > 0 and (passed := self._stream.read(min(gap, _CHUNK))):
            gap -= len(passed)
        data = self._held[at - self._at :]
        if len(data) < size:
            data += self._stream.read(size - len(data))
        self._at, self._held = at, data
        return data[:size]

    def mark(self) -> tuple[int, ...]:
        """That of the file as it lies there."""
        return self._disk.mark()


class _Named:
    """A source whose errors say that it is the log which cannot be read: those of reading name no file."""

    def __init__(self, name: str, source: Source) -> None:
        self._name = name
        self._source = source

    def read(self, size: int = -1, /) -> bytes:
        try:
            return self._source.read(size)
        except OSError as error:
            raise unreadable(self._name, error) from None


def unreadable(name: str, error: OSError) -> RequestError:
    """The refusal of a log that is not there, or breaks off in the reading."""
    words = (error.strerror or str(error)).lower()
    return RequestError(Problem(f"the log cannot be read: {words}", name, code="log-unreadable"))


def set_down_in_vain(name: str, error: Exception) -> RequestError:
    """The refusal of a log whose copy, or whose rows to be sorted, the temporary folder does not take."""
    words = str(error).splitlines()[0] if str(error) else type(error).__name__
    if isinstance(error, OSError) and error.errno is not None:  # Arrow's own text goes on for a line
        words = os.strerror(error.errno).lower()
    try:
        folder = tempfile.gettempdir()
    except FileNotFoundError:  # there is none that may be written
        folder = ""
    return RequestError(
        Problem(
            f"cannot write to the temporary folder {folder}".rstrip() + f": {cut(words)}",
            name,
            code="unwritable",
            help="the log is set down there to be read: make room, or name another folder in the environment "
            "variable TMPDIR",
        )
    )


class _Meter:
    """Counts the compressed bytes that went in."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.count = 0

    def pieces(self, first: bytes) -> Iterator[bytes]:
        for piece in itertools.chain([first], iter(lambda: self._source.read(_CHUNK), b"")):
            self.count += len(piece)
            yield piece


def open_bytes(name: str, source: Source, limits: Limits = LIMITS) -> tuple[io.BufferedReader, str]:
    """The uncompressed bytes of `source`, and how they were compressed: `gzip`, `zstd` or empty.

    The stream raises `LogError` where the compressed data is cut short, damaged, followed by something else,
    or grows beyond the limits, and `RequestError` where the source cannot be read on.
    """
    source = _Named(name, source)
    head = b""
    while len(head) < 4:
        more = source.read(4 - len(head))
        if not more:
            break
        head += more
    meter = _Meter(source)
    pieces = meter.pieces(head)
    compression = "gzip" if head.startswith(GZIP) else "zstd" if head == ZSTD else ""
    if compression == "gzip":
        pieces = _bounded(name, _gunzip(name, pieces), limits, meter)
    elif compression == "zstd":
        pieces = _bounded(name, _unzstd(name, pieces, limits), limits, meter)
    return readable(pieces), compression


def beginning(head: bytes, most: int) -> bytes:
    """What comes out of a file's first bytes; nothing where that is so much, or they are damaged from the first on."""
    stream, _ = open_bytes("", io.BytesIO(head))
    found = bytearray()
    with suppress(LogError):  # where they break off
        while len(found) < most and (piece := stream.read1()):
            found += piece
    return bytes(found) if len(found) < most else b""


def _bounded(name: str, pieces: Iterator[bytes], limits: Limits, meter: _Meter) -> Iterator[bytes]:
    total = 0
    for piece in pieces:
        total += len(piece)
        if total > limits.inflated or total > max(limits.inflated_free, meter.count * limits.inflation):
            found = f"{meter.count} compressed bytes that grow to over {total} bytes"
            wanted = f"at most {limits.inflation} times as many"
            raise refused(name, "log-limit", found, wanted, "if the log is genuine, decompress it first")
        yield piece


def _gunzip(name: str, pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Members one after another, as gzip itself allows; anything else after the last is refused."""
    inflate = zlib.decompressobj(wbits=31)
    waiting = b""
    try:
        for piece in pieces:
            waiting += piece
            while waiting:
                if inflate.eof:
                    if len(waiting) < len(GZIP) and GZIP.startswith(waiting):
                        break
                    if not waiting.startswith(GZIP):
                        raise _garbage(name, "gzip", waiting)
                    inflate = zlib.decompressobj(wbits=31)
                if data := inflate.decompress(waiting, _CHUNK):
                    yield data
                waiting = inflate.unused_data if inflate.eof else inflate.unconsumed_tail
        # Output may be pending although all input went in.
        while not inflate.eof and (data := inflate.decompress(b"", _CHUNK)):
            yield data
    except zlib.error as error:
        raise _damaged(name, "gzip", str(error)) from None
    if waiting:
        raise _garbage(name, "gzip", waiting)
    if not inflate.eof:
        raise _truncated(name, "gzip")


def _unzstd(name: str, pieces: Iterator[bytes], limits: Limits) -> Iterator[bytes]:
    """Frames one after another; anything else after the last is refused."""
    import zstandard

    decompressor = zstandard.ZstdDecompressor(max_window_size=limits.window)
    inflate = decompressor.decompressobj()
    waiting = b""
    try:
        for part in _slices(pieces):
            waiting += part
            while waiting:
                if inflate.eof:
                    if len(waiting) < len(ZSTD) and ZSTD.startswith(waiting):
                        break
                    if not waiting.startswith(ZSTD):
                        raise _garbage(name, "zstd", waiting)
                    inflate = decompressor.decompressobj()
                if data := inflate.decompress(waiting):
                    yield data
                waiting = inflate.unused_data if inflate.eof else b""
    except zstandard.ZstdError as error:
        raise _damaged(name, "zstd", str(error)) from None
    if waiting:
        raise _garbage(name, "zstd", waiting)
    if not inflate.eof:
        raise _truncated(name, "zstd")


def _slices(pieces: Iterator[bytes]) -> Iterator[bytes]:
    for piece in pieces:
        for start in range(0, len(piece), _SLICE):
            yield piece[start : start + _SLICE]


def read_lines(name: str, stream: io.BufferedReader, limit: int) -> Iterator[tuple[int, bytes]]:
    """Lines with their LF, numbered from 1, none longer than `limit` bytes (else `LogError`)."""
    number = 0
    while line := stream.readline(limit + 1):
        number += 1
        if len(line) > limit:
            found = f"a line of over {limit} bytes"
            help = "if it has no line breaks at all, it may not be a log of this format"
            raise refused(name, "log-limit", found, f"lines of at most {limit} bytes", help, number)
        yield number, line


def read_all(name: str, stream: io.BufferedReader, limit: int, what: str) -> bytes:
    """Everything, at most `limit` bytes (else `LogError`)."""
    data = stream.read(limit + 1)
    if len(data) > limit:
        raise refused(name, "log-limit", f"over {limit} bytes", f"{what} of at most {limit} bytes")
    return data


def decode_utf8(name: str, data: bytes, line: int, *, first: bool) -> str:
    """`data` as strict UTF-8 without a byte order mark. Raises `LogError`; `line` is where `data` begins."""
    if first and data.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        mark = data[:3] if data.startswith(b"\xef") else data[:2]
        kind = "UTF-8" if len(mark) == 3 else "UTF-16"
        found = f"a byte order mark of {kind} ({mark.hex(' ')})"
        raise refused(
            name, "log-encoding", found, "UTF-8 without a byte order mark", "save it as plain UTF-8", line
        )
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        at = line + data.count(b"\n", 0, error.start)
        column = error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1
        found = f"the bytes {data[error.start : error.start + 4].hex(' ')} at byte {column} of the line"
        raise refused(name, "log-encoding", found, "UTF-8", "save the file as UTF-8", at) from None


def refused(
    name: str, code: str, found: str, wanted: str, help: str | None = None, line: int | None = None
) -> LogError:
    """A refusal of the file or of a line as a whole."""
    return log_error(name, line, [Fault(code, None, found, wanted, help)])


def _garbage(name: str, kind: str, data: bytes) -> LogError:
    found = f"after the end of the {kind} data, the bytes {data[:4].hex(' ')}"
    return refused(name, "log-compression", found, "nothing after it", "was something appended to the file?")


def _damaged(name: str, kind: str, error: str) -> LogError:
    found = f"damaged {kind} data ({error})"
    return refused(
        name, "log-compression", found, f"whole {kind} data", "copy the file again from its source"
    )


def _truncated(name: str, kind: str) -> LogError:
    found = f"{kind} data that ends in the middle"
    return refused(
        name, "log-compression", found, f"whole {kind} data", "copy the file again from its source"
    )
