"""Folds over lists that grow go on where they stopped, and come to what the interpreter says: when the list is set to
another, when a round ends, and of what an event would leave."""

from __future__ import annotations

from pathlib import Path

import pytest
from both_engines import Judged, judge, turns
from hypothesis import given, settings
from hypothesis import strategies as st

from verifier.check.engine import Prepared, prepare
from verifier.compile.layout import layout
from verifier.log.header import Header

RULES = """ruleset in/running
law nz/gazette-1998-9-division-2

actors keeper
type Num = 0..99
type Small = 0..3
life evening
life round ends close
entity Bay(small: Small) in round
  laid: list of Num max 6
  side: list of Num max 6
entity Shelf(small: Small) in evening
  laid: list of Num max 20
state evening
  tape: list of Num max 40
state round
  near: list of Num max 8

event put(small: Small, num: Num) by keeper
event aside(small: Small, num: Num) by keeper
event swap(small: Small) by keeper
event empty(small: Small) by keeper
event note(num: Num) by keeper
event wipe by keeper
event add(small: Small) by keeper
event seven(small: Small) by keeper
event tens(small: Small) by keeper
event low(small: Small) by keeper
event high(small: Small) by keeper
event front(small: Small) by keeper
event back(small: Small) by keeper
event long by keeper
event look by keeper
event ahead(small: Small, num: Num) by keeper
event close by keeper

define worth(n: Num): Num = if n > 50 then 1 else n
# every fold is asked, and nothing comes of it
define looked_at(s: Small): 0..999 = sum (worth(n) for n in Bay(s).laid)
    + (if none n in Bay(s).laid: n = 7 then 1 else 0) + (if every n in Bay(s).laid: worth(n) < 9 then 1 else 0)
    + (if the first (n in Bay(s).laid where n > 8) = 9 then 1 else 0)
    + (if the last (n in Bay(s).side where n > 8) = 9 then 1 else 0)
    + (if least (worth(n) for n in Bay(s).laid) = 4 then 1 else 0)
    + (if greatest (n for n in Bay(s).laid where n != 60) = 59 then 1 else 0)
    + number of (n in Shelf(s).laid where n > 40)

on put(s, n)
  Bay(s).laid gains n
  Shelf(s).laid gains n
on aside(s, n)
  Bay(s).side gains n
on swap(s)
  Bay(s).laid = Bay(s).side
  Bay(s).side = Bay(s).laid
on empty(s)
  Bay(s).laid = empty
on note(n)
  tape gains n
  near gains n
on wipe
  near = empty
on ahead(s, n)
  Bay(s).laid gains n

rule 4.2 "The dealer shall at all times deal the cards"
  keeper must not add(s) when sum (worth(n) for n in Bay(s).laid) > 21
  keeper must not seven(s) when none n in Bay(s).laid: n = 7
  keeper must not tens(s) when every n in Bay(s).laid: worth(n) < 9
  keeper must not low(s) when least (worth(n) for n in Bay(s).laid) = 4
  keeper must not high(s) when greatest (n for n in Bay(s).laid where n != 60) = 59
    or number of (n in Shelf(s).laid where n > 40) = 2
  keeper must not front(s) when the first (n in Bay(s).laid where n > 8) = 9
  keeper must not back(s) when the last (n in Bay(s).side where n > 8) = 9
  keeper must not long when sum (worth(n) for n in tape) > 60 or (some n in near: n = 7)
  keeper must not look when (if some n in near: n = 7 then 1 else 0) + sum (worth(n) for n in tape) > 900
    or some s in Small: looked_at(s) > 900
  keeper must not ahead(s, any) when after(sum (worth(n) for n in Bay(s).laid) > 99)
    or after(sum (worth(n) for n in Bay(s).laid) > 23)
    or after(none n in Bay(s).laid: n = 7) and number of (n in Bay(s).laid) > 1
  keeper must not ahead(s, any) when sum (worth(n) for n in Bay(s).laid) = 21
"""


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    path = tmp_path_factory.mktemp("running") / "running.rules"
    path.write_text(RULES)
    return prepare(path)


ASKS = [
    f"{what} {small}" for small in (1, 2) for what in ("add", "seven", "tens", "low", "high", "front", "back")
]


def judged(ready: Prepared, text: str, place: Path) -> Judged:
    rows = turns(text, "close", lambda name: "keeper")
    return judge(ready, [("a log", Header("a test", "in/running", "NZD", 2), rows)], place)


def faults(ready: Prepared, text: str, place: Path) -> list[int]:
    """A round in which nothing was at fault was judged by the kernel alone, and again by the interpreter."""
    found = judged(ready, text, place)
    assert found.unlike == []
    at_fault = [entry.seq for entry in found.one.entries]
    assert at_fault or found.explained == 0
    return at_fault


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("put 1 20; add 1; put 1 1; add 1; put 1 1; add 1; close", [6]),
        ("put 1 20; put 1 2; look; empty 1; add 1; put 1 3; put 1 4; add 1; close", []),
        ("put 1 3; put 1 4; look; empty 1; put 1 20; put 1 2; add 1; close", [7]),
        ("put 1 20; put 1 2; look; aside 1 3; aside 1 4; swap 1; add 1; close", []),
        ("put 1 3; put 1 4; look; aside 1 20; aside 1 2; swap 1; add 1; close", [7]),
        ("put 1 20; put 1 2; look; close; put 1 3; put 1 4; add 1; close", []),
        ("put 1 3; put 1 4; look; close; put 1 20; put 1 2; add 1; close", [7]),
        ("put 1 20; look; ahead 1 1; add 1; close", []),
        ("put 1 20; look; ahead 1 1; ahead 1 1; close", [4]),
        ("put 1 20; look; ahead 1 4; close", [3]),
        ("put 1 7; look; empty 1; put 1 7; put 1 2; ahead 1 3; close", []),
        ("put 1 3; front 1; put 1 9; front 1; close", [4]),
        ("put 1 3; look; put 1 10; look; put 1 9; front 1; close", []),
        ("aside 1 9; look; aside 1 3; look; aside 1 10; back 1; close", []),
        ("aside 1 10; look; aside 1 9; look; aside 1 3; back 1; close", [6]),
        ("put 1 59; look; put 1 60; high 1; close", [4]),
        ("put 1 59; look; put 1 61; high 1; close", [4]),
        ("put 1 30; look; put 1 39; high 1; close", []),
        ("put 1 50; look; close; put 1 50; look; close; put 1 3; high 1; close", [8]),
        ("put 1 50; look; close; put 1 5; high 1; close", []),
        ("put 1 5; low 1; put 1 4; look; empty 1; put 1 5; put 1 6; low 1; close", []),
        ("note 50; long; close; note 10; long; close; note 11; close; long; close", [9]),
        ("note 7; wipe; long; note 1; long; close", []),
        ("note 1; long; note 7; long; close", [4]),
        ("note 1; note 7; look; close; note 1; note 2; long; close", []),
    ],
)
def test_what_a_list_adds_up_to_as_it_grows(
    ready: Prepared, text: str, found: list[int], tmp_path: Path
) -> None:
    assert faults(ready, text, tmp_path) == found


acts = st.one_of(
    st.builds("{} {} {}".format, st.sampled_from(["put", "aside"]), st.integers(1, 2), st.integers(0, 12)),
    st.builds("{} {}".format, st.sampled_from(["swap", "empty"]), st.integers(1, 2)),
    st.builds("note {}".format, st.integers(0, 30)),
    st.sampled_from(["wipe", "close", "look", "look", "look", *ASKS]),
)


@given(st.lists(acts, max_size=30), st.sampled_from(["ahead 1 2", "ahead 2 7", "long", *ASKS]))
@settings(max_examples=150, deadline=None)
def test_any_of_it_is_as_the_interpreter_says(
    ready: Prepared, tmp_path_factory: pytest.TempPathFactory, told: list[str], last: str
) -> None:
    """What is at fault is left out, so that the last is asked by the kernel of what the rest has left."""
    place = tmp_path_factory.mktemp("told")
    while at_fault := faults(ready, "; ".join([*told, "close"]), place):
        told = [act for seq, act in enumerate(told, 1) if seq not in at_fault]
    faults(ready, "; ".join([*told, last, "close"]), place)


def test_each_is_kept_and_what_rests_on_more_than_the_element_is_not(ready: Prepared) -> None:
    kept = layout(ready.program).running.values()
    assert sorted((one.entity or "", one.name) for one in kept) == [
        ("", "near"),
        ("", "tape"),
        *[("Bay", "laid")] * 6,
        ("Bay", "side"),
        ("Shelf", "laid"),
    ]


def test_the_totals_of_a_hand_are_such() -> None:
    """The value of an ace rests on the hand; what counts it as 1 does not."""
    kept = layout(prepare("nz/blackjack-1998").program).running
    assert {(type(fold).__name__, fold.kind) for fold in kept} >= {("Fold", "sum"), ("Quant", "some")}
