"""Puts this folder on the path, so that its tests can import their shared module in any import mode."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
