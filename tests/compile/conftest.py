"""Puts this folder, and those with rounds to judge, on the path, so that tests can import them in any import mode."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [
    str(HERE),
    *(str(HERE.parent / name) for name in ("scripted", "uk", "ny", "nz_tournament", "nz_1994")),
]
