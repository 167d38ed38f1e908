"""How far the reading of rows that are to be put in order has come is told before any is judged."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier.check.engine import check
from verifier.check.opening import READING
from verifier.log import ordered

BRIDGE = Path(__file__).parents[1] / "cli" / "bridge"


@pytest.mark.parametrize("sort", [True, False])
def test_rows_that_are_put_in_order_are_told_as_they_are_read(
    monkeypatch: pytest.MonkeyPatch, sort: bool
) -> None:
    monkeypatch.setattr(ordered, "ROWS", 2)
    told: list[tuple[str, int]] = []
    log = BRIDGE / "kept.jsonl"
    check([log], BRIDGE / "bridge.rules", progress=lambda name, rows: told.append((name, rows)), sort=sort)
    read = [rows for name, rows in told if name.startswith(READING)]
    events = max(rows for name, rows in told if not name.startswith(READING))
    assert read == (list(range(2, events + 1, 2)) if sort else [])
    assert {name.removeprefix(READING) for name, _ in told} == {str(log)}
