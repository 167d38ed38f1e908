"""An induction supposes nothing that a play refutes."""

from __future__ import annotations

from pathlib import Path

import pytest
from obligation_bench import asked, program_of

from verifier.prove.decide import decide
from verifier.prove.desk import Desk
from verifier.prove.obligations import theorems
from verifier.prove.question import Never, Sometimes
from verifier.prove.solve import Settings

LOCKERS = """ruleset lockers
law anyton/cloakroom
actors guest, clerk
type Guest = id max 8
type Locker = 1..12
life day
life trip ends land
state trip
  has: Guest -> Locker?
  boarded: Guest -> bool
  sailed: bool
event land by clerk
event take(guest: Guest, locker: Locker) by guest
event board(guest: Guest) by guest
event sail by clerk
on take(g, l)
  has[g] = l
on board(g)
  boarded[g] = yes
on sail
  sailed = yes
rule 5.2
  guest must not take(g, l) when has[g] exists or (some h in Guest: has[h] exists and has[h] = l)
rule 5.3
  clerk must not sail when number of (g in Guest where boarded[g]) < 4
invariant apart
  every g in Guest: every h in Guest: g = h or has[g] does not exist or has[h] does not exist or has[g] != has[h]
invariant one_is_free
  some l in {1, 2, 3, 4, 5, 6}: none g in Guest: has[g] exists and has[g] = l
invariant sails_with_four
  not sailed or number of (g in Guest where boarded[g]) >= 4
"""


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(program_of(LOCKERS, tmp_path), Settings(solvers=("z3",)))


@pytest.mark.parametrize("name", ["apart", "sails_with_four"])
def test_what_a_play_refutes_supports_nothing(desk: Desk, name: str) -> None:
    invariants = asked(theorems.obligations, desk.program)
    play = decide(desk, invariants[f"invariant {name}"]).play
    assert isinstance(play, Never)
    assert "one_is_free" not in play.using
    assert isinstance(decide(desk, invariants["invariant one_is_free"]).play, Sometimes)
