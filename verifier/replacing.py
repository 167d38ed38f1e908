"""A file that is written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """An empty file that becomes `path` when the block ends well, and is gone when an error leaves the block.

    What is at `path` keeps its permissions; a link is followed; into what is no regular file (a device, a pipe) the
    whole is written at the end. Raises `OSError` where it cannot be.
    """
    target = Path(os.path.realpath(path))
    mode = mode_of(target)
    special = mode is not None and not stat.S_ISREG(mode)
    where = None if special else target.parent
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=where)
    os.close(handle)
    made = Path(name)
    try:
        yield made
        if special:
            with made.open("rb") as whole, target.open("wb") as sink:
                shutil.copyfileobj(whole, sink)
            made.unlink()
            return
        handle = os.open(made, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
        made.chmod(0o666 & ~umask() if mode is None else stat.S_IMODE(mode))
        os.replace(made, target)
    except BaseException:
        with contextlib.suppress(OSError):
            made.unlink()
        raise


def mode_of(path: Path) -> int | None:
    """What kind of file there is, and its permissions; None where nothing is."""
    try:
        return path.stat().st_mode
    except OSError:
        return None


def umask() -> int:
    """The permissions that new files do not have."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
