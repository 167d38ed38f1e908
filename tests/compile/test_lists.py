"""A list that is set to another holds no more, and nothing else, than it has room for; and a number that is too large
for the kernel, asked of things one by one, is left to the interpreter."""

from __future__ import annotations

from pathlib import Path

import pytest
from both_engines import judge, turns

from verifier.check.engine import prepare
from verifier.log.header import Header

RULES = """ruleset in/lists
law nz/gazette-1998-9-division-2

actors keeper
type Num = 0..99
type Small = 0..3
type Big = 0..999999999999999999
life evening
life round ends close
entity Bay(small: Small) in round
  big: Big
state round
  wide: list of Num max 8
  thin: list of Small max 2
  near: Num = 5

event put(num: Num) by keeper
event copy by keeper
event make(small: Small, big: Big) by keeper
event look by keeper
event check by keeper
event weigh by keeper
event pair by keeper
event close by keeper
on put(n)
  wide gains n
on copy
  thin = wide
on make(s, b)
  new Bay(s)
  Bay(s).big = b

rule 4.2 "The dealer shall at all times deal the cards"
  keeper must not look when some x in thin: x = 7
  keeper must not check when near != 5
  keeper must not weigh when some b in Bay: b.big = 999999999999999999
  keeper must not pair when wide has 2 elements or more and wide[2] = 7
"""


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("put 1; put 2; copy; look; check; close", []),
        ("put 7; copy; look; close", [3]),
        ("put 1; put 2; put 3; put 4; put 8; copy; check; close", [6]),
        ("put 7; pair; put 7; pair; put 3; pair; close", [4, 6]),
        ("put 7; put 8; pair; close", []),
        ("make 1 7; weigh; close", []),
        ("make 1 999999999999999999; weigh; close", [2]),
    ],
)
def test_both_engines_say_the_same(tmp_path: Path, text: str, faults: list[int]) -> None:
    path = tmp_path / "lists.rules"
    path.write_text(RULES)
    rows = turns(text, "close", lambda name: "keeper")
    judged = judge(prepare(path), [("a log", Header("a test", "in/lists", "NZD", 2), rows)], tmp_path)
    assert judged.unlike == []
    assert [entry.seq for entry in judged.one.entries] == faults
