"""Puts this folder on the path, so that its tests can import their shared modules in any import mode."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "scripted")]
