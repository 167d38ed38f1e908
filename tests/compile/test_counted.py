"""No row is judged twice, and none left out: what came in at each table is held against what either engine judged."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from both_engines import judge
from logs import ready, simulated

from verifier.check.counted import Counted
from verifier.check.lane import Lane
from verifier.check.lanes import Lanes
from verifier.compile.kernel import Stop
from verifier.compile.marks import Mark
from verifier.exits import Exit

ROULETTE = "nz/roulette-1998"

TWO_ROUNDS = 40
"""So many rows are more than one round."""


@pytest.mark.parametrize("sample", [0, 1])
def test_each_row_is_judged_once(sample: int, tmp_path: Path) -> None:
    """By the kernel, by the interpreter where a round is at fault, and by both."""
    judged = judge(ready(ROULETTE), [simulated(ROULETTE, 5, 30, tmp_path)], tmp_path, sample=sample)
    assert judged.explained
    assert not judged.disagreements


@pytest.mark.parametrize("how", ["twice", "never"])
def test_what_is_not_judged_once_is_told(how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engines themselves agree, for both begin each round with the state that the kernel has."""
    done: list[tuple[object, int]] = []
    original = Lanes._ran

    def ran(self: Lanes, lane: Lane, at: int, limit: int, final: bool) -> Stop:
        if how == "never" and not done and self.known and any(self.known) and limit - at > TWO_ROUNDS:
            done.append((lane.stream.keys[0], limit - at))
            return Stop(limit, Mark.NONE, limit)
        stop = original(self, lane, at, limit, final)
        if how == "twice" and not done and stop.begun - at > TWO_ROUNDS:
            done.append((lane.stream.keys[0], stop.begun - at))
            assert lane.kernel.run(at, stop.begun).mark is Mark.NONE
        return stop

    monkeypatch.setattr(Lanes, "_ran", ran)
    name, header, rows = simulated(ROULETTE, 6, 30, tmp_path, faults=0)
    other = [replace(row, lives=("another", *row.lives[1:])) for row in rows]
    judged = judge(ready(ROULETTE), [(name, header, [*rows, *other])], tmp_path, sample=0)
    ((table, count),) = done
    (said,) = judged.disagreements
    came = sum(row.event == "spin" for row in rows)
    assert f"spin ({came} came in, " in said
    assert judged.other.exit_code == Exit.OURSELVES
    (note,) = judged.other.disagreements
    assert note.startswith(f"at {table}: not every row was judged once: ")
    numbers = [int(number) for number in re.findall(r"\d+", note.partition("once")[2])]
    more = sum(numbers[1::2]) - sum(numbers[0::2])
    assert more == (count if how == "twice" else -count)


def test_kinds_of_event_are_told_apart() -> None:
    counted = Counted(("deal", "pay"))
    counted.comes(1, "deal")
    counted.come(1, [2, 1])
    counted.explain(1, "pay")
    counted.come(2, [0, 1])
    assert counted.unlike(1, [3, 0]) is None
    assert counted.unlike(1, [2, 1]) == (
        "not every row was judged once: deal (3 came in, 2 were judged), pay (1 came in, 2 were judged)"
    )
    assert counted.unlike(2, []) == "not every row was judged once: pay (1 came in, 0 were judged)"
    assert counted.unlike(3, []) is None
