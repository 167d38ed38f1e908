"""Contexts of Z3: what is found in one hangs on what it was asked, and not on what was asked before."""

from __future__ import annotations

import ctypes
import sys
from contextlib import suppress
from functools import cache
from typing import Any, Final

import z3

M_TRIM_THRESHOLD: Final = -1
M_MMAP_THRESHOLD: Final = -3
"""mallopt(3): so much memory not in use is kept at the end of the heap; what is larger lies outside of it."""

KEPT = 64 << 20
LARGE = 32 << 20
"""Bytes."""


def fresh() -> Any:
    """A context in which nothing was asked yet."""
    _keep()
    return z3.Context()


@cache
def _keep() -> None:
    """Keep the memory of a context that is gone for the next one: each fills 16 MB, and to have these anew from the
    system every time took longer than most questions do."""
    if sys.platform == "linux":
        # another library than glibc may have no such function
        with suppress(OSError, AttributeError):
            libc = ctypes.CDLL(None)
            libc.mallopt(M_MMAP_THRESHOLD, LARGE)
            libc.mallopt(M_TRIM_THRESHOLD, KEPT)
