"""What the kernel says by itself of lawful rounds: none of them is handed to the interpreter."""

from __future__ import annotations

from pathlib import Path

import pytest
from both_engines import judge, turns

from verifier.check.engine import Prepared, prepare
from verifier.log.header import Header

RULES = """ruleset piles/of
law nz/gazette-1998-9-division-2

actors porter
record Stone(weight: 1..9, place: 1..6)
life evening
life round ends close

state round
  heap: list of Stone max 6

event pile(weight: 1..9) by porter
event wet by porter
event sweep(count: 1..9) by porter
event clear by porter
event close by porter

on pile(w)
  heap gains Stone(w, number of (s in heap) + 1) when number of (s in heap) < 6

on clear
  heap = empty
  for each s in heap where s.place = 1: heap gains s

rule 4.2 [deal] "The dealer shall at all times deal the cards"
  subject to 4.2 [last]
  porter must sweep(any) before close when wet has happened this round and sweep(any) has not happened this round

rule 4.2 [last] "The dealer shall at all times deal the cards"
  porter must sweep(any) or clear at once when wet has happened this round
    and sweep(any) has not happened this round and clear has not happened this round
    and none s in heap: (some t in heap: s.place < t.place and s.weight = t.weight)

rule 4.2 "The dealer shall at all times deal the cards"
  porter must not close when number of (s in heap) > 1
"""


@pytest.fixture(scope="module")
def piles(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    path = tmp_path_factory.mktemp("piles") / "of.rules"
    path.write_text(RULES)
    return prepare(path)


@pytest.mark.parametrize(
    ("text", "explained", "faults"),
    [
        # What one rule says of an act is asked of every act, whatever number it has.
        ("pile 3; wet; sweep 2; close; wet; sweep 9; close", 0, []),
        ("pile 3; wet; pile 2; sweep 9; clear; close; wet; close", 2, [3, 8]),
        ("pile 3; wet; close", 1, [3]),
        # A list is emptied.
        ("pile 3; pile 4; clear; close; pile 5; pile 1; clear; close", 0, []),
        ("pile 3; pile 4; clear; pile 1; close", 1, [5]),
    ],
)
def test_lawful_rounds_are_the_kernel_s(
    piles: Prepared, tmp_path: Path, text: str, explained: int, faults: list[int]
) -> None:
    log = ("a log", Header("a test", "piles/of", "NZD", 2), turns(text, "close", lambda name: "porter"))
    for sample in (10_000, 1):
        found = judge(piles, [log], tmp_path, sample=sample)
        assert found.unlike == []
        assert [entry.seq for entry in found.other.entries] == faults
        assert found.explained == explained
