"""What is looked for on purpose."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from verifier.check.engine import prepare
from verifier.coverage.measure import binding_rules
from verifier.generate.asks import Ask
from verifier.generate.habitual import Tables
from verifier.generate.search import Found, Search
from verifier.generate.write import event_line
from verifier.prove.desk import Desk
from verifier.prove.solve import Settings
from verifier.prove.told import told

BRIDGE = Path(__file__).parents[1] / "cli" / "bridge"
PEBBLES = Path(__file__).parents[1] / "new_game" / "pebbles.rules"

LOST = """ruleset: pebbles
options: {limit: 200}
events:
- guest lay guest=ann colour=black amount=100
- keeper call
- keeper draw colour=white
- keeper collect guest=ann colour=black
- keeper sweep
"""
"""A turn in which the only stake is lost, so that none is paid."""


def test_a_round_is_begun_as_another_and_goes_on_otherwise_where_something_is_claimed(tmp_path: Path) -> None:
    ready = prepare(PEBBLES)
    desk = Desk(ready.program, Settings(("z3",)), steps=1, seed=0)
    search = Search(desk, binding_rules(ready.ruleset), lambda *_: None, Tables(ready, 0))
    (tmp_path / "lost.yaml").write_text(LOST, "utf-8")
    (table,) = told(ready, [tmp_path / "lost.yaml"]).tables
    assert search.pool.add(table.options, table.happenings)
    (ask,) = [one for one in search.asks("5.2 [Black]", "kept") if one.question.event == "pay"]
    ((play, values),) = search.begun("5.2 [Black]", ask)
    lines = [event_line(ready, happening) for happening in play.happenings]
    assert lines[0].startswith("guest lay guest=ann colour=black")
    assert lines[1:] == ["keeper call", "keeper draw colour=black"]
    assert len(values) == 2
    asks = [one for one in search.asks("5.2 [White]", "kept") if one.question.event == "pay"]
    assert [found for one in asks for found in search.begun("5.2 [White]", one)] == []


@pytest.mark.parametrize(("condition", "sought"), [("raised and not raised", False), ("raised", True)])
def test_what_is_proved_to_be_nowhere_is_not_looked_for(
    condition: str, sought: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(BRIDGE, tmp_path / "own")
    rules = tmp_path / "own" / "bridge.rules"
    rules.write_text(rules.read_text("utf-8").replace("when raised", f"when {condition}"), "utf-8")
    ready = prepare(rules)
    asked: list[str] = []

    def record(search: Search, rule: str, ask: Ask) -> Iterator[Found]:
        asked.append(rule)
        return iter(())

    for way in ("_solved", "begun", "_sought"):
        monkeypatch.setattr(Search, way, record)
    monkeypatch.setattr("verifier.generate.search.MOST_PROBES", 0)
    desk = Desk(ready.program, Settings(("z3",)), steps=1, seed=0)
    Search(desk, binding_rules(ready.ruleset), lambda *_: None, Tables(ready, 0)).faulty()
    assert ("1.2" in asked) == sought
    assert "1.1(a)" in asked
