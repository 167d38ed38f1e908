"""A variable that ranges over values written out may be any of them, not only such as the first."""

from __future__ import annotations

from pathlib import Path

import pytest
from both_engines import judge, turns

from verifier.check.engine import prepare
from verifier.log.header import Header

RULES = """ruleset in/sets
law nz/gazette-1998-9-division-2

actors keeper
type Small = 0..3
life evening
life round ends close
state round
  small: Small

event put(small: Small) by keeper
event look by keeper
event count by keeper
event close by keeper
on put(s)
  small = s

rule 4.2 "The dealer shall at all times deal the cards"
  keeper must not look when some x in {small, small + 5}: x = 7
  keeper must not count when greatest (x for x in {small, 2, small * 4}) = 12
"""


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("put 2; look; close", [2]),
        ("put 3; look; close", []),
        ("put 3; count; close", [2]),
        ("put 2; count; close", []),
    ],
)
def test_both_engines_say_the_same(tmp_path: Path, text: str, faults: list[int]) -> None:
    path = tmp_path / "sets.rules"
    path.write_text(RULES)
    rows = turns(text, "close", lambda name: "keeper")
    judged = judge(prepare(path), [("a log", Header("a test", "in/sets", "NZD", 2), rows)], tmp_path)
    assert judged.unlike == []
    assert [entry.seq for entry in judged.one.entries] == faults
    assert bool(judged.sampled) == (not faults)
