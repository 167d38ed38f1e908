"""Which amounts may be below 0, and that proofs take them so."""

from __future__ import annotations

from pathlib import Path

import pytest
from obligation_bench import program_of

from verifier.prove.signed import signed

BASE = "state evening\n  tips: money\n  owed: Item -> money\n"


@pytest.mark.parametrize(
    ("mechanics", "expected"),
    [
        ("  tips = tips + a\n", set()),
        ("  tips = a\n", set()),
        ("  tips = tips - a\n", {"tips"}),
        ("  tips = if tips >= a then tips else a\n", set()),
        ("  owed[i] = tips - a\n", {"owed"}),
        ("  owed[i] = owed[i] + a\n  tips = owed[i]\n", set()),
        ("  owed[i] = owed[i] - a\n  tips = owed[i]\n", {"owed", "tips"}),
    ],
)
def test_what_an_event_may_take_below_nothing(tmp_path: Path, mechanics: str, expected: set[str]) -> None:
    assert signed(program_of(f"{BASE}on pay_fee(i, a)\n{mechanics}", tmp_path)) == expected
