"""Puts this folder, and that of scripts, on the path: their modules can be imported in any import mode."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "scripted")]
