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
rule 5.2 "All wagers shall be made by placing chips"
  clerk must not shout when risen < 7
invariant counted
  risen = number of (g in Guest where up[g])
invariant doubled
  twice = 2 * risen
invariant asked
  {claim}
"""


def proved(tmp_path: Path, claim: str) -> bool:
    path = tmp_path / "tips.rules"
    path.write_text(TIPS.format(claim=claim), "utf-8")
    desk = Desk(lower(load(path)), Settings(solvers=("z3",)), steps=20)
    asked = next(one for one in every(desk.program) if one.id == "invariant asked")
    return isinstance(decide(desk, asked).play, Never)


@pytest.mark.parametrize("claim", ["risen < 7", "twice < 14", "not loud"])
def test_what_seven_bring_about_is_not_proved_of_two(claim: str, tmp_path: Path) -> None:
    assert not proved(tmp_path, claim)


@pytest.mark.parametrize("claim", ["risen <= 12", "twice <= 24"])
def test_what_all_there_may_be_come_to_is(claim: str, tmp_path: Path) -> None:
    assert proved(tmp_path, claim)
