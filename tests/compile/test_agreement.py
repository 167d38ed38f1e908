"""Kernel and interpreter say the same of every shipped ruleset: on the rounds of its own tests, on simulated ones with
faults planted, on events that follow no rule, and on logs made to go past every bound.

Every round that the kernel does not mark is judged by both here. AGREEMENT in the environment says how many logs of
each kind there are for each ruleset (0: all that were written by hand, and 60 of the others).
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random

import pytest
from both_engines import Judged, compiled, judge
from hostile_logs import WAYS, hostile
from logs import SHIPPED, Log, by_dice, header_of, ready, simulated, written

AGREEMENT = int(os.environ.get("AGREEMENT", "4"))
WRITTEN = AGREEMENT * 2 or 10**9
MADE = AGREEMENT or 60
ROUNDS = 3 if AGREEMENT else 60
"""Rounds of a simulated log,"""
SIMULATED = SHIPPED if AGREEMENT == 0 else ("nz/roulette-1998",)
"""and whose: they are slow to play."""

HOSTILE = [
    (name, way) for name in SHIPPED for way in WAYS
    if not AGREEMENT or way != "many names" or name not in ("nz/blackjack-1998", "ny/black-jack")
]  # fmt: skip
"""The interpreter takes long over hundreds of players."""


def agreed(name: str, logs: Iterable[Log], folder: Path) -> list[Judged]:
    found: list[Judged] = []
    for log in logs:
        judged = judge(ready(name), [log], folder)
        assert not judged.unlike, (log[0], judged.unlike)
        found.append(judged)
    assert found
    return found


@pytest.mark.parametrize("name", SHIPPED)
def test_rounds_written_by_hand(name: str, tmp_path: Path) -> None:
    found = agreed(name, islice(written(name), WRITTEN), tmp_path)
    assert any(judged.explained for judged in found)


@pytest.mark.parametrize("name", SIMULATED)
def test_simulated_rounds_with_faults(name: str, tmp_path: Path) -> None:
    logs = (simulated(name, seed, ROUNDS, tmp_path) for seed in range(1, MADE // 4 + 1))
    assert any(judged.sampled for judged in agreed(name, logs, tmp_path))


@pytest.mark.parametrize("name", SHIPPED)
def test_events_that_follow_no_rule(name: str, tmp_path: Path) -> None:
    header = header_of(name)
    found = agreed(name, (by_dice(name, seed, 40, header) for seed in range(MADE)), tmp_path)
    assert any(judged.explained for judged in found)


@pytest.mark.parametrize(("name", "way"), HOSTILE)
def test_what_is_past_the_bounds(name: str, way: str, tmp_path: Path) -> None:
    """Of what the kernel has no room for it says nothing itself: what it hands over is judged as the interpreter
    judges it, in whose numbers and lists is room enough."""
    logs = (hostile(name, log, way, Random(i)) for i, log in enumerate(islice(written(name), MADE // 2)))
    agreed(name, logs, tmp_path)


@pytest.mark.parametrize("name", SHIPPED if AGREEMENT == 0 else ("nz/roulette-1998", "ny/black-jack"))
@pytest.mark.parametrize("rows", [3, 9])
def test_logs_that_begin_midway(name: str, rows: int, tmp_path: Path) -> None:
    """What was before is not known until it is over; and whom the table met before, never."""
    title, header, played = simulated(name, 3, 4, tmp_path, 0)
    lives = [life.name for life in ready(name).ruleset.lives.values() if not life.beside]
    begun = replace(header, begun=frozenset(lives[1:]))
    (judged,) = agreed(name, [(title, begun, played[rows:])], tmp_path)
    # New York asks how many players there are.
    assert bool(judged.sampled) == (not compiled(ready(name)).module.layout.met)
