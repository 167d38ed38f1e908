"""A toll bridge in a folder of its own: five clauses, one that no log can show, and transcripts of some."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

BRIDGE = Path(__file__).parents[1] / "cli" / "bridge"

sys.path.insert(0, str(Path(__file__).parents[1] / "scripted"))

TRANSCRIPTS = {
    "kept": """
- keeper charge traveller=ann kind=foot amount=50
- traveller cross traveller=ann
- traveller leave
expect: {faults: [], kept: ["1.1", 1.1(a), "1.2"]}
""",
    "broken": """
- keeper raise
- keeper charge traveller=ann kind=foot amount=60
- traveller cross traveller=ann
- traveller leave
expect:
  faults:
  - {seq: 3, verdict: broken, clauses: [1.1(a)], short: {ann: 10}}
  - {seq: 4, verdict: broken, clauses: ["1.2"]}
""",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The ruleset, its law, and its transcripts in the folder `transcripts`."""
    own = tmp_path / "own"
    shutil.copytree(BRIDGE, own)
    (own / "transcripts").mkdir()
    for name, text in TRANSCRIPTS.items():
        head = "ruleset: bridge\nevents:\n- traveller arrive traveller=ann"
        (own / "transcripts" / f"{name}.transcript.yaml").write_text(head + text, "utf-8")
    return own
