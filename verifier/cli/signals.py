"""A process that is told to end ends tidily: what it has set down is removed, and a second word does not tear that."""

from __future__ import annotations

import io
import os
import signal
import sys
from contextlib import suppress
from types import FrameType
from typing import NoReturn

ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""The signals at which a command tidies up and ends, as far as the system has them."""


def end_tidily() -> None:
    """From now on the first of `ENDING` is an exception, and those that follow are nothing. One that is ignored already
    (as under `nohup`) stays so."""
    for number in ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)


def _end(number: int, frame: FrameType | None) -> NoReturn:
    for other in ENDING:
        signal.signal(other, signal.SIG_IGN)
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    raise SystemExit(128 + number)


class Heedless(io.TextIOWrapper):
    """Standard error: what cannot be written there is lost, and changes no exit code."""

    def write(self, text: str, /) -> int:
        try:
            return super().write(text)
        except OSError:
            self._drop()
            return len(text)

    def flush(self) -> None:
        try:
            super().flush()
        except OSError:
            self._drop()

    def _drop(self) -> None:
        """Send what is still buffered nowhere."""
        with suppress(OSError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)


def let_messages_fail() -> None:
    """Make standard error a `Heedless`, where it is a stream of Python's own."""
    if type(sys.stderr) is io.TextIOWrapper:
        encoding = sys.stderr.encoding
        sys.stderr = Heedless(
            sys.stderr.detach(), encoding, "backslashreplace", line_buffering=True, write_through=True
        )
