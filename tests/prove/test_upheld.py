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
  crowded: bool
event land by clerk
event take(guest: Guest, locker: Locker) by guest
event look by clerk
on take(g, l)
  has[g] = l
on look
  crowded = yes when every l in {1, 2, 3, 4}: some g in Guest: has[g] exists and has[g] = l
rule 5.2
  guest must not take(g, l) when has[g] exists or (some h in Guest: has[h] exists and has[h] = l)
invariant apart
  every g in Guest: every h in Guest: g = h or has[g] does not exist or has[h] does not exist or has[g] != has[h]
invariant one_is_free
  some l in {1, 2, 3, 4}: none g in Guest: has[g] exists and has[g] = l
invariant never_crowded
  not crowded
"""


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(program_of(LOCKERS, tmp_path), Settings(solvers=("z3",)), steps=200)


def test_what_a_play_refutes_supports_nothing(desk: Desk) -> None:
    invariants = asked(theorems.obligations, desk.program)
    apart = decide(desk, invariants["invariant apart"]).play
    assert isinstance(apart, Never)
    assert apart.using == ("apart",)
    assert isinstance(decide(desk, invariants["invariant one_is_free"]).play, Sometimes)
    assert not isinstance(decide(desk, invariants["invariant never_crowded"]).play, Never)
