"""Puts this folder and the examples on the path, so that tests can import them in any import mode."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).resolve().parents[2] / "examples")]
