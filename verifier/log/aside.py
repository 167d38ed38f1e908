"""What is set down of logs while they are checked, in a temporary folder that goes with whoever made it."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from verifier.log.streams import set_down_in_vain

if TYPE_CHECKING:
    from verifier.log.assemble import Tally

_NUMBER = re.compile(r'"errno":"([0-9]+)"')
"""In what DuckDB says, in some versions, of what the system said."""


@dataclass(frozen=True, slots=True)
class SetDown:
    """A file, and what is known of the log that it was made of."""

    path: Path
    tally: Tally


class Aside:
    """A temporary folder for files that are made of logs, each once, however often its log is opened.

    It is a context manager, and makes the folder once that is wanted. A process that was forked after that has the
    files too, and leaves them there.
    """

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._removing: weakref.finalize[..., Aside] | None = None
        self._made: dict[tuple[str, str], SetDown] = {}

    def folder(self, name: str) -> Path:
        """The folder, for what is set down of a log. Raises `RequestError` where there can be none."""
        if self._folder is None:
            with setting_down(name):
                self._folder = Path(tempfile.mkdtemp(prefix="gazette-log-"))
            self._removing = weakref.finalize(self, _remove, self._folder, os.getpid())
        return self._folder

    def made(self, name: str, what: str, make: Callable[[Path], Tally]) -> SetDown:
        """The file of that of a log; `make` writes it where there is none yet. Raises `RequestError` where it cannot be
        written, and what `make` raises."""
        found = self.found(name, what)
        if found is None:
            path = self.folder(name) / f"{len(self._made)}.parquet"
            with setting_down(name):
                found = self._made[what, name] = SetDown(path, make(path))
        return found

    def found(self, name: str, what: str) -> SetDown | None:
        """The file of that of a log, where there is one."""
        return self._made.get((what, name))

    def close(self) -> None:
        """Remove the files."""
        if self._removing is not None:
            self._removing()
        self._folder, self._removing, self._made = None, None, {}

    def __enter__(self) -> Aside:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _remove(folder: Path, owner: int) -> None:
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def interruptible() -> Iterator[None]:
    """What DuckDB makes of an interrupt from the keyboard is one again."""
    try:
        yield
    except RuntimeError as error:
        if str(error) != "Query interrupted":
            raise
        raise KeyboardInterrupt from None


@contextmanager
def setting_down(name: str) -> Iterator[None]:
    """Trouble within is the temporary folder's: whoever reads the records says himself what is wrong with them."""
    import duckdb
    import pyarrow as pa

    try:
        yield
    except duckdb.IOException as error:  # names the file, which is none of the user's, and then what is wrong
        told = _NUMBER.search(str(error))
        words = str(error).partition("\n")[0].rpartition(": ")[2].lower()
        raise set_down_in_vain(name, OSError(int(told[1]), "") if told else OSError(words)) from None
    except (OSError, pa.ArrowException, duckdb.Error) as error:
        raise set_down_in_vain(name, error) from None
