"""What one after the other brings about is not ruled out by going through all that a few can do."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from verifier.core.lower import lower
from verifier.model.load import load
from verifier.prove.decide import all_visited
from verifier.prove.desk import Desk
from verifier.prove.question import Never
from verifier.prove.solve import Settings
from verifier.prove.whole import every

RISES = """ruleset grown/rises
law nz/gazette-1998-9-division-2
actors guest, clerk
type Guest = id max {most}
life day
life evening ends close
enum Stage: cold | cool | mild | warm | hot
enum Slot: a | b | c | d | e | f | g
entity Place(slot: Slot) in evening written "place {{slot}}"
  on: bool
state evening
  risen: 0..20
  {state}
  stage: Stage = cold
  up: Guest -> bool
  first: Guest?
  loud: bool
event close by clerk
event shout by clerk
event rise(guest: Guest) by guest
  needs not up[guest]{needs}
on rise(who)
  up[who] = yes
  {does}
on shout
  loud = yes
rule 5.2 "All wagers shall be made by placing chips"
  {rule}
invariant never
  {claim}
"""
COUNTING = "risen = risen + 1"
HEATING = "stage = table (stage) { cold: cool; cool: mild; mild: warm; warm: hot; hot: hot }"
NOTHING = 'structural "nothing is asked"'
HISTORY = "clerk must not shout when number of (rise this evening) < 5"


SLOTS = "abcdefg"
SWITCHES = {
    "state": "b0: bool\n  b1: bool\n  b2: bool\n  b3: bool",
    "does": """b0 = not b0
  b1 = b0 != b1
  b2 = b2 != (b0 and b1)
  b3 = b3 or b0 and b1 and b2""",
    "claim": "not b3",
}
NAMES = {
    "state": "\n  ".join(f"n{one}: Guest?" for one in SLOTS),
    "does": "\n  ".join(
        (
            "na = who when na does not exist",
            *(f"n{b} = who when n{a} exists and n{b} does not exist" for a, b in pairwise(SLOTS)),
        )
    ),
    "claim": "ng does not exist",
}


def by_slot(state: str, mark: str, marked: str, claim: str) -> dict[str, str]:
    """Each who rises marks the first of seven places that has no mark."""
    first = mark.format("a")
    then = (f"{mark.format(b)} when {marked.format(a)}" for a, b in pairwise(SLOTS))
    return {"state": state, "does": "\n  ".join((first, *then)), "claim": claim}


def ruled_out(tmp_path: Path, **said: object) -> bool:
    """Whether what the invariant denies is said to be nowhere since all was visited."""
    given = {
        "most": 12,
        "needs": "",
        "state": "idle: bool",
        "does": COUNTING,
        "rule": NOTHING,
        "claim": "risen <= 4",
    } | said
    path = tmp_path / "rises.rules"
    path.write_text(RISES.format(**given), "utf-8")
    program = lower(load(path))
    desk = Desk(program, Settings(solvers=("z3",)), steps=20)
    asked = next(one for one in every(program) if one.id == "invariant never")
    return isinstance(all_visited(desk, asked, "play"), Never)


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"does": HEATING, "claim": "stage != hot"},
        {"rule": HISTORY, "claim": "not loud"},
        {"rule": "clerk must not shout when risen < 5", "claim": "not loud"},
        SWITCHES,
        NAMES,
        by_slot("seen: set of Slot", "seen gains {}", "{} in seen", "g not in seen"),
        by_slot("mark: Slot -> bool", "mark[{}] = yes", "mark[{}]", "not mark[g]"),
        by_slot("idle: bool", "new Place({})", "Place({}) in Place", "Place(g) not in Place"),
    ],
    ids=["a number", "an enumeration", "history", "a rule", "switches", "who", "a set", "a map", "things"],
)
def test_what_takes_five_one_after_the_other_is_not_ruled_out_by_two(
    said: dict[str, object], tmp_path: Path
) -> None:
    assert not ruled_out(tmp_path, **said)


@pytest.mark.parametrize(
    "said",
    [
        {"most": 2},
        {"needs": " and risen < 2"},
        {"does": "risen = 1"},
        {"rule": f"{HISTORY}\n  clerk must not shout", "claim": "not loud", "needs": " and risen < 2"},
    ],
    ids=["no more than two", "no more than two rise", "it grows no more", "nobody shouts"],
)
def test_where_more_come_to_nothing_new_it_is(said: dict[str, object], tmp_path: Path) -> None:
    assert ruled_out(tmp_path, **said)
