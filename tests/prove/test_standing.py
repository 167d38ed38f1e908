"""Of a number that stands for a count no more is proved than of the count, where there are as many."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier.core.lower import lower
from verifier.model.load import load
from verifier.prove.decide import decide
from verifier.prove.desk import Desk
from verifier.prove.question import Never
from verifier.prove.solve import Settings
from verifier.prove.whole import every

TIPS = """ruleset standing/tips
law nz/gazette-1998-9-division-2
actors guest, clerk
type Guest = id max 12
life day
life evening ends close
state evening
  pot: money
  up: Guest -> bool
  risen: 0..30
  twice: 0..60
  loud: bool
  stage: Stage = s0
enum Stage: s0 | s1 | s2 | s3 | s4 | s5 | s6 | s7
define steps(s: Stage): 0..7 =
  table (s) {{ s0: 0; s1: 1; s2: 2; s3: 3; s4: 4; s5: 5; s6: 6; s7: 7 }}
event close by clerk
event shout by clerk
event tip(sum_of: money) by guest
event rise(who: Guest) by guest
  needs not up[who]
on tip(a)
  pot = pot + a
on shout
  loud = yes
on rise(who)
  up[who] = yes
  risen = risen + 1
  twice = twice + 2
  stage = table (stage) {{ s0: s1; s1: s2; s2: s3; s3: s4; s4: s5; s5: s6; s6: s7; s7: s7 }}
rule 5.2 "All wagers shall be made by placing chips"
  clerk must not shout when risen < 7
invariant counted
  risen = number of (g in Guest where up[g])
invariant doubled
  twice = 2 * risen
invariant asked
  {claim}
"""

STEPPED = """stage != s7
invariant stepped
  steps(stage) <= number of (g in Guest where up[g])"""


def proved(tmp_path: Path, claim: str) -> bool:
    path = tmp_path / "tips.rules"
    path.write_text(TIPS.format(claim=claim), "utf-8")
    desk = Desk(lower(load(path)), Settings(solvers=("z3",)), steps=20)
    asked = next(one for one in every(desk.program) if one.id == "invariant asked")
    return isinstance(decide(desk, asked).play, Never)


@pytest.mark.parametrize("claim", ["risen < 7", "twice < 14", "not loud", STEPPED])
def test_what_seven_bring_about_is_not_proved_of_two(claim: str, tmp_path: Path) -> None:
    assert not proved(tmp_path, claim)


@pytest.mark.parametrize("claim", ["risen <= 12", "twice <= 24"])
def test_what_all_there_may_be_come_to_is(claim: str, tmp_path: Path) -> None:
    assert proved(tmp_path, claim)
