"""What one after the other brings about is not ruled out by going through all that a few can do."""

from __future__ import annotations

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
state evening
  risen: 0..20
  stage: Stage = cold
  up: Guest -> bool
  first: Guest?
  loud: bool
event close by clerk
event shout by clerk
event rise(guest: Guest) by guest
  needs not up[guest]{needs}
on rise(g)
  up[g] = yes
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


def ruled_out(tmp_path: Path, **said: object) -> bool:
    """Whether what the invariant denies is said to be nowhere since all was visited."""
    given = {"most": 12, "needs": "", "does": COUNTING, "rule": NOTHING, "claim": "risen <= 4"} | said
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
    ],
    ids=["a number", "an enumeration", "history", "a rule"],
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
