"""Plays with everybody there may be: what a number counts that the rules keep by hand, one after the other."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier.core.lower import lower
from verifier.core.program import Program
from verifier.model.load import load
from verifier.prove.decide import decide
from verifier.prove.desk import Desk
from verifier.prove.extent import CROWD, first_scope, places, with_everybody
from verifier.prove.question import Never, Obligation, Sometimes
from verifier.prove.solve import Settings
from verifier.prove.whole import every

RISES = """ruleset rises
law nz/gazette-1998-9-division-2
actors guest, clerk
type Guest = id max {most}
life day
life evening ends close
state evening
  risen: 0..80
  up: Guest -> bool
  loud: bool
event close by clerk
event shout by clerk
event rise(guest: Guest) by guest
  needs not up[guest]
on rise(g)
  up[g] = yes
  risen = risen + 1
on shout
  loud = yes
rule 5.2 "All wagers shall be made by placing chips"
  {rule}
invariant never
  {claim}
"""
NOTHING = 'structural "nothing is asked"'


def rises(tmp_path: Path, most: int, claim: str, rule: str = NOTHING) -> Program:
    path = tmp_path / "rises.rules"
    path.write_text(RISES.format(most=most, claim=claim, rule=rule), "utf-8")
    return lower(load(path))


def asked(program: Program) -> Obligation:
    return next(one for one in every(program) if one.id == "invariant never")


@pytest.mark.parametrize(
    ("claim", "rule"),
    [
        ("risen <= 10", NOTHING),
        ("risen != 11", NOTHING),
        ("not loud", "clerk must not shout when risen < 11"),
    ],
)
def test_what_it_takes_many_for_is_played_with_many(tmp_path: Path, claim: str, rule: str) -> None:
    program = rises(tmp_path, 12, claim, rule)
    found = decide(Desk(program, Settings(solvers=("z3",)), steps=200), asked(program)).play
    assert isinstance(found, Sometimes)
    assert found.play is not None
    assert len(found.play.happenings) >= 11


def test_what_it_takes_more_for_than_there_are_is_not(tmp_path: Path) -> None:
    program = rises(tmp_path, 10, "risen <= 10")
    assert not isinstance(
        decide(Desk(program, Settings(solvers=("z3",)), steps=200), asked(program)).play, Sometimes
    )


def test_nor_is_what_is_so_of_however_many(tmp_path: Path) -> None:
    program = rises(tmp_path, 12, "risen = number of (g in Guest where up[g])")
    found = decide(Desk(program, Settings(solvers=("z3",)), steps=200), asked(program)).play
    assert isinstance(found, Never)


def test_there_are_as_many_as_there_is_room_for(tmp_path: Path) -> None:
    program = rises(tmp_path, 60, "not loud")
    scope = with_everybody(program, first_scope(program))
    assert scope is not None
    assert len(scope.ids["Guest"]) == 60
    assert places(program, scope) <= CROWD
    crowd = rises(tmp_path, 5_000, "not loud")
    scope = with_everybody(crowd, first_scope(crowd))
    assert scope is not None
    assert len(scope.ids["Guest"]) == 64
    assert with_everybody(program, scope) is None


def test_what_is_claimed_is_measured(tmp_path: Path) -> None:
    """The nearer to where a claim fails, the less far; where it fails, or has no value, no way at all."""
    program = rises(tmp_path, 12, "risen <= 10")
    desk = Desk(program, Settings(solvers=("z3",)), steps=200)
    explorer, question = desk.explorer, asked(program).question
    assert question is not None
    far = {
        node.state.fields["risen"]: explorer.distances.at(question, node.state, node.options)
        for node in explorer.corpus.nodes
    }
    assert len(far) > 1
    assert sorted(far, key=lambda n: far[n]) == sorted(far, reverse=True)
    assert all(far.values())


PLACES = """ruleset places
law nz/gazette-1998-9-division-2
actors guest, clerk
type Guest = id max 12
life day
life evening ends close
state evening
  pot: money
  up: Guest -> bool
  place: Guest -> 0..12
  n: 0..12
event close by clerk
event tip(amount: money) by guest
on tip(a)
  pot = pot + a
event rise(who: Guest) by guest
  needs not up[who]
on rise(who)
  up[who] = yes
  place[who] = n + 1
  n = n + 1
rule 5.2 "All wagers shall be made by placing chips"
  structural "nothing is asked"
invariant never
  n < 7
invariant each_place_is_somebody_s
  every k in 1..12: k > n or some g in Guest: place[g] = k
"""


def test_what_an_induction_of_two_would_prove_is_played_with_everybody(tmp_path: Path) -> None:
    """Two cannot have seven places: that each is somebody's would prove that there are never seven."""
    path = tmp_path / "places.rules"
    path.write_text(PLACES, "utf-8")
    program = lower(load(path))
    found = decide(Desk(program, Settings(solvers=("z3",)), steps=200), asked(program)).play
    assert isinstance(found, Sometimes)
