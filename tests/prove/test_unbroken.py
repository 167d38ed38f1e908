"""What asks in play for a rule that has been broken: lawful play breaks none, however many play."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from verifier.core.lower import lower
from verifier.model.load import load
from verifier.model.terms import BrokenT, NotT
from verifier.model.types import BOOL
from verifier.prove.decide import Decided, decide
from verifier.prove.desk import Desk
from verifier.prove.finding import refutation
from verifier.prove.question import Never, Nothing, Sometimes
from verifier.prove.solve import Settings
from verifier.prove.unbroken import in_unbroken_states
from verifier.prove.whole import every

ROPES = """ruleset ropes
law nz/gazette-1998-9-division-2
actors guest, clerk
type Guest = id max 9
life day
life evening ends close
decision due(g: Guest): 0..9
state evening
  up: Guest -> bool
  loud: bool
event close by clerk
event rise(guest: Guest) by guest
  needs not up[guest]
event give(guest: Guest, n: 0..9) by clerk
  claims n = due(guest)
on rise(g)
  up[g] = yes
on give(g, n)
  loud = yes
rule 5.2 "All wagers shall be made by placing chips"
  asked due(g) when up[g]
  due(g) = (if (number of (h in Guest where up[h])) >= 4 then 4 else 1)
rule 5.3 "Orally declared wagers shall be accepted"
  guest must not rise(any) when rule 5.2 has been broken this day
reachable asked
  {reachable}
"""


def decided(tmp_path: Path, reachable: str) -> Decided:
    path = tmp_path / "ropes.rules"
    path.write_text(ROPES.format(reachable=reachable), "utf-8")
    program = lower(load(path))
    desk = Desk(program, Settings(solvers=("z3",)), steps=200)
    return decide(desk, next(one for one in every(program) if one.id == "reachable asked"))


@pytest.mark.parametrize(
    "asked", ["rule 5.2 has been broken this day", "loud and rule 5.2 has been broken this day"]
)
def test_no_lawful_play_has_a_rule_broken_however_many_play(tmp_path: Path, asked: str) -> None:
    found = decided(tmp_path, asked)
    assert isinstance(found.play, Never)
    assert found.play.using == ("no rule has been broken",)
    assert refutation(found) == ("nowhere", found.play)


def test_what_must_not_be_speaks_of_lawful_play_too(tmp_path: Path) -> None:
    path = tmp_path / "ropes.rules"
    path.write_text(ROPES.format(reachable="loud"), "utf-8")
    program = lower(load(path))
    desk = Desk(program, Settings(solvers=("z3",)), steps=200)
    loud = next(one for one in every(program) if one.id == "reachable asked")
    assert loud.question is not None
    assert in_unbroken_states(desk, loud) is None
    unbroken = Nothing((), NotT(BOOL, BrokenT(BOOL, 0)))
    asked = replace(loud, question=replace(loud.question, none=(unbroken,)))
    assert isinstance(in_unbroken_states(desk, asked), Never)


def test_what_can_be_without_is_still_looked_for(tmp_path: Path) -> None:
    assert isinstance(decided(tmp_path, "rule 5.2 has been broken this day or loud").play, Sometimes)


def test_a_rule_that_asks_for_a_breach_still_applies_in_words(tmp_path: Path) -> None:
    path = tmp_path / "ropes.rules"
    path.write_text(ROPES.format(reachable="loud"), "utf-8")
    program = lower(load(path))
    desk = Desk(program, Settings(solvers=("z3",)), steps=200)
    applies = next(one for one in every(program) if one.id.startswith("dead rule 5.3"))
    assert isinstance(decide(desk, applies).words, Sometimes)
