"""A toll bridge in a folder of its own, with transcripts that know most of its rules."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from verifier.mutate.workshop import Workshop, workshop

BRIDGE = Path(__file__).parents[1] / "cli" / "bridge"

TRANSCRIPTS = {
    "on-foot": """
events:
- traveller arrive traveller=ann
- keeper charge traveller=ann kind=foot amount=50
- traveller cross traveller=ann
- traveller leave
expect: {faults: [], kept: ["1.1", 1.1(a), "1.2"]}
""",
    "with-a-cart": """
events:
- traveller arrive traveller=ann
- keeper charge traveller=ann kind=cart amount=150
- traveller cross traveller=ann
- traveller leave
expect:
  faults:
  - {seq: 2, verdict: broken, clauses: [1.1(b)], short: {the house: 50}}
""",
    "raised": """
events:
- keeper raise
- traveller arrive traveller=ann
- keeper charge traveller=ann kind=foot amount=50
- traveller cross traveller=ann
- traveller leave
expect:
  faults:
  - {seq: 4, verdict: broken, clauses: ["1.2"]}
""",
}
"""Nobody crosses without paying: that the toll is due before, no transcript shows."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The ruleset, its law, and its transcripts in the folder `transcripts`."""
    own = tmp_path / "own"
    shutil.copytree(BRIDGE, own)
    (own / "transcripts").mkdir()
    for name, text in TRANSCRIPTS.items():
        path = own / "transcripts" / f"{name}.transcript.yaml"
        path.write_text("ruleset: bridge" + text, "utf-8")
    return own


@pytest.fixture
def shop(folder: Path) -> Workshop:
    return workshop(folder / "bridge.rules")
