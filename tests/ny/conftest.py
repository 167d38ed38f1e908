"""Puts this folder, and that of scripts, on the path, so that its modules can be imported."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "scripted")]
