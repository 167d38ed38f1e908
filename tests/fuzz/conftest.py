"""Makes the modules that stand beside these tests importable under the importlib import mode."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
