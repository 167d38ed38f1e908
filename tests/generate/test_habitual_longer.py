"""Play by habit that would be stuck, and what only many rounds lead to."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from verifier.check.engine import Prepared, prepare
from verifier.generate.generate import Generated
from verifier.generate.habitual import LONG_ROUNDS, Tables

LAW = Path(__file__).parents[1] / "cli" / "bridge" / "bridge.law"

GATE = """ruleset gate
law bridge

actors traveller, keeper
life bridge
life crossing ends leave

state bridge
  crossings: 0..99
  chalk: 0..99

state crossing
  raised: bool
  crossed: bool
  saluted: bool

event raise by keeper
event cross(marks: 0..99) by traveller
event leave by traveller
event salute by keeper

on raise
  raised = yes
on cross(m)
  crossed = yes
  chalk = (chalk + m) mod 97
on salute
  saluted = yes
on leave
  crossings = crossings + 1

rule 1.1 "The keeper shall charge each traveller, before he or she crosses"
  keeper may raise when not raised
  traveller must cross(any) before leave when not crossed
  traveller must not cross(any) when crossed
rule 1.2 "No traveller shall cross while the bridge is raised"
  traveller must not cross(any) when raised
rule 1.3 "The keeper shall wear a cap"
  keeper must salute at once when crossings >= 6 and not saluted
"""


@pytest.fixture(scope="module")
def gate(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    folder = tmp_path_factory.mktemp("gate")
    shutil.copy(LAW, folder)
    (folder / "gate.rules").write_text(GATE, "utf-8")
    return prepare(folder / "gate.rules")


def test_play_that_is_stuck_is_taken_up_again(gate: Prepared) -> None:
    """Who raises the bridge before anybody has crossed leaves nothing lawful to do."""
    tables = Tables(gate, 0)
    (options,) = tables.settings()
    rounds = [list(tables.play(options, number, 1)) for number in range(20)]
    assert [len(played) for played in rounds] == [1] * 20
    assert any(h.event == "raise" for (played,) in rounds for h in played)


def test_what_only_many_rounds_lead_to_is_shown(
    gate: Prepared, make: Callable[[Prepared], Generated]
) -> None:
    made = make(gate)
    assert "1.3" in made.exercised
    assert not [one for one in made.unmet if one.wanted == "kept"]
    assert LONG_ROUNDS > 6
