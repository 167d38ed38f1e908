"""Odds that only a first value writes: of the state, and of an entity. The kernel counts in parts of them too."""

from __future__ import annotations

from pathlib import Path

import pytest
from both_engines import judge, turns

from verifier.check.engine import Prepared, prepare
from verifier.log.header import Header

RULES = """ruleset odds/first
law nz/gazette-1998-9-division-2

actors keeper
type Bay = 1..9
life evening
life round ends close
entity Crate(bay: Bay) in round
  rate: odds = 2 to 7
state round
  rate: odds = 1 to 3

event lay(bay: Bay, amount: money) by keeper
event double by keeper
event close by keeper
on lay(b, a)
  new Crate(b)
on double
  rate = rate * 2

rule 4.2 "The dealer shall at all times deal the cards"
  keeper must not lay(b, a) when a * rate > 10 or a * Crate(b).rate > 10
"""


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    path = tmp_path_factory.mktemp("odds") / "first.rules"
    path.write_text(RULES)
    return prepare(path)


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("lay 1 30; lay 2 29; close", []),
        ("lay 1 31; close; lay 1 30; close", [1]),
        ("lay 1 15; double; lay 1 15; lay 1 16; close; lay 1 16; close", [4]),
    ],
)
def test_they_are_compiled(table: Prepared, tmp_path: Path, text: str, faults: list[int]) -> None:
    header = Header("a test", "odds/first", "NZD", 2)
    judged = judge(table, [("a log", header, turns(text, "close", lambda name: "keeper"))], tmp_path)
    assert judged.unlike == []
    assert [entry.seq for entry in judged.one.entries] == faults
    assert judged.sampled


HALVES = """ruleset odds/halves
law nz/gazette-1998-9-division-2

actors keeper
type Small = 0..3
life evening
life round ends close
state round
  small: Small
  row: list of Small max 4

event put(small: Small) by keeper
event look by keeper
event count by keeper
event close by keeper
on put(s)
  small = s
  row gains s

rule 4.2 "The dealer shall at all times deal the cards"
  keeper must not look when small >= 5 to 2
  keeper must not count when number of (x in row) >= 3 to 2
"""


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("put 3; look; count; close", [2]),
        ("put 2; look; count; close", []),
        ("put 0; put 2; count; look; close", [3]),
    ],
)
def test_numbers_beside_odds(tmp_path: Path, text: str, faults: list[int]) -> None:
    """A number of few values is counted in halves where it is compared with so many."""
    path = tmp_path / "halves.rules"
    path.write_text(HALVES)
    header = Header("a test", "odds/halves", "NZD", 2)
    judged = judge(prepare(path), [("a log", header, turns(text, "close", lambda name: "keeper"))], tmp_path)
    assert judged.unlike == []
    assert [entry.seq for entry in judged.one.entries] == faults
    assert bool(judged.sampled) == (not faults)
