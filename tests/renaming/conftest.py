"""Puts this folder, and those of the rounds it renames, on the path, so that shared modules can be imported."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [
    str(HERE),
    *(
        str(HERE.parent / name)
        for name in ("ny", "nz_changes", "nz_roulette", "nz_tournament", "scripted", "uk", "nz_1994")
    ),
]
