"""What grows by all things of a kind grows in the order of their keys, whichever of them came first."""

from __future__ import annotations

from pathlib import Path

import pytest
from both_engines import judge, turns

from verifier.check.engine import prepare
from verifier.log.header import Header

RULES = """ruleset in/order
law nz/gazette-1998-9-division-2

actors guest, porter
type Guest = id max 6
type Bay = 1..3
life evening
life round ends close
entity Box(guest: Guest, bay: Bay) in round
  weight: 0..9
state round
  line: list of Box max 9

event put(guest: Guest, bay: Bay, weight: 0..9) by guest
event queue by porter
event call(box: Box) by porter
event close by porter
on put(g, b, w)
  new Box(g, b)
  Box(g, b).weight = w
on queue
  for each x in Box where x.weight > 1: line gains x

rule 4.2 "The dealer shall at all times deal the cards"
  porter must not call(b) when the first (x in line where x.weight > 0) != b
"""


@pytest.mark.parametrize(
    ("text", "explained", "faults"),
    [
        ("put bob 1 5; put bob 2 5; put ann 1 5; queue; call bob 1; close", 0, []),
        ("put bob 2 5; put ann 1 5; put bob 1 5; queue; call bob 1; close", 1, []),
        ("put bob 2 5; put ann 1 5; put bob 1 5; queue; call bob 2; close", 1, [5]),
        ("put bob 2 5; put ann 1 5; put bob 1 1; queue; call bob 2; close", 0, []),
    ],
)
def test_both_engines_say_the_same(tmp_path: Path, text: str, explained: int, faults: list[int]) -> None:
    path = tmp_path / "order.rules"
    path.write_text(RULES)
    told = turns(text, "close", lambda name: "guest" if name == "put" else "porter")
    for sample in (0, 1):
        log = "a log", Header("a test", "in/order", "NZD", 2), told
        found = judge(prepare(path), [log], tmp_path, sample=sample)
        assert found.unlike == []
        assert [entry.seq for entry in found.other.entries] == faults
        assert found.explained == explained
