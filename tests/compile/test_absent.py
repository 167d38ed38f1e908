"""What is absent equals nothing, however the number beside it is counted; and what was never written stands at its
first value, whatever that is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from both_engines import judge, turns

from verifier.check.engine import Prepared, prepare
from verifier.log.header import Header

RULES = """ruleset absent/all
law nz/gazette-1998-9-division-2

actors keeper
type Small = 0..3
enum Hue: red | green
life house
life evening ends shut
life round ends close
entity Crate(size: Small?) in round
state house
  dues: Small -> money = 2
state round
  lent: money?
  rate: odds?
  base: odds = 1 to 4
  none_yet: odds
  pot: money
  hue: Hue = red

event add(amount: money) by keeper
event paint(hue: Hue) by keeper
event move(first: Small, second: Small) by keeper
event make(size: Small) by keeper
event find(size: Small) by keeper
event look by keeper
event weigh by keeper
event read by keeper
event close by keeper
event shut by keeper
on add(a)
  pot = pot + a
on paint(h)
  hue = h
on move(s, t)
  dues[s] = dues[t]
on make(s)
  new Crate(s)

define by_hue: money? = table (hue) { red: lent; green: pot * 5 to 4 }

rule 4.2 "The dealer shall at all times deal the cards"
  keeper must not look when lent = pot * 5 to 4 or rate = base * none_yet
  keeper must not find(s) when some c in Crate: c.size = s
rule 5.2 "All wagers shall be made"
  decision owed: money?
  owed = lent when pot < 4
rule 5.3 "Orally declared wagers shall be accepted"
  owed = pot * 5 to 4 when pot > 4
rule 5.5 "Except as expressly permitted"
  keeper must not weigh when owed = 0
  keeper must not read when by_hue = 0
"""


@pytest.fixture(scope="module")
def crates(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    path = tmp_path_factory.mktemp("absent") / "all.rules"
    path.write_text(RULES)
    return prepare(path)


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        # nobody has lent anything, and nothing times any odds is no less
        ("look; weigh; read; close", []),
        ("add 8; paint green; weigh; read; close", []),
        ("paint green; read; close", [2]),
        # a part of a key that may be absent
        ("find 2; make 2; find 2; find 1; close", [3]),
        # the value that a map has at first, written
        ("move 1 2; close; look; close", []),
    ],
)
def test_both_say_the_same(crates: Prepared, tmp_path: Path, text: str, faults: list[int]) -> None:
    header = Header("a test", "absent/all", "NZD", 2)
    rows = turns(text, "close", lambda name: "keeper")
    named = [replace(row, lives=(1, 1, row.lives[1])) for row in rows]
    judged = judge(crates, [("a log", header, named)], tmp_path)
    assert judged.unlike == []
    assert [entry.seq for entry in judged.one.entries] == faults
    assert bool(judged.sampled) == (not faults)
