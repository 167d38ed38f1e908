"""Files written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from verifier.errors import Problem, RequestError
from verifier.replacing import mode_of, replacing, umask


def write_bytes(path: Path | None, data: bytes) -> None:
    """Make `data` the file `path`, in the way of `written`; standard output where that is None."""
    with written(path) as stream:
        stream.flush()
        stream.buffer.write(data)
        stream.buffer.flush()


@contextlib.contextmanager
def written(path: Path | None) -> Iterator[TextIO]:
    """A text stream (UTF-8, line feeds) that becomes the file `path`; standard output where that is None.

    The file is replaced when the block ends well and is left as it was when an error leaves the block. It
    keeps its permissions; a link is followed; what is no regular file (a device, a pipe) is written to
    directly. Raises `RequestError` where it cannot be written.
    """
    if path is None:
        yield sys.stdout
        return
    mode = mode_of(path)
    if mode is not None and not stat.S_ISREG(mode):
        with _faults(path), path.open("w", encoding="utf-8", newline="") as stream:
            yield stream
        return
    with _faults(path), replacing(path) as made, made.open("w", encoding="utf-8", newline="") as stream:
        yield stream


@contextlib.contextmanager
def made_folder(path: Path, marker: str) -> Iterator[Path]:
    """An empty folder that becomes `path` when the block ends well, and is gone when an error leaves the block.

    What is at `path` is replaced where it is an empty folder, or one with the file `marker`, by which such a folder is
    known. Raises `RequestError` where it is anything else, or cannot be written.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not _replaceable(target, marker):
        raise RequestError(
            Problem(
                "there is something else in the way",
                file=str(path),
                help=f"name a new folder, or one with a {marker} in it, which is replaced",
                code="output-in-the-way",
            )
        )
    with _faults(path):
        made = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent))
    try:
        with _faults(path):
            yield made
            made.chmod(0o777 & ~umask())
            if target.exists():
                old = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".old", dir=target.parent))
                os.replace(target, old / "was")
                os.replace(made, target)
                shutil.rmtree(old)
            else:
                os.replace(made, target)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise


def _replaceable(target: Path, marker: str) -> bool:
    return target.is_dir() and ((target / marker).is_file() or not any(target.iterdir()))


@contextlib.contextmanager
def _faults(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise RequestError(
            Problem(
                f"cannot write the file: {(error.strerror or str(error)).lower()}",
                file=str(path),
                help="check that its folder exists, that it may be written, and that there is room",
                code="unwritable",
            )
        ) from None
