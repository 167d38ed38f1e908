"""What is aimed at: rules that take a thing which no play of few things has."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier.check.engine import Prepared, prepare
from verifier.generate.aim import aimed, sharper, sight
from verifier.generate.generate import Generated, generate
from verifier.generate.habitual import Tables
from verifier.generate.search import Search
from verifier.generate.write import event_line
from verifier.prove.desk import Desk
from verifier.prove.solve import Settings

LAW = Path(__file__).parents[1] / "hunt" / "small.law"

LOCKERS = """\
ruleset small
law small
actors guest, keeper
life day ends close
entity Locker(row: 1..400, no: 1..400) in day
  full: bool
event fill(locker: Locker) by guest
event clear(locker: Locker) by keeper
  needs locker in Locker
event close by keeper
on fill(l)
  new l
  l.full = yes
on clear(l)
  l.full = no
rule 1.1 "so"
  keeper must not clear(l) when l.no + l.no + l.no = 465 and l.row + l.row = 312 and FULL
rule 1.2 "so"
  keeper must clear(l) by end of day when l.no + l.no = 284 and l.row + l.row = 290 and l.full
"""
"""The locker 155 of row 156 is not cleared, locker 142 of row 145 is: none of these numbers stands in the rules."""


def lockers(folder: Path, full: str) -> Prepared:
    (folder / "small.law").write_text(LAW.read_text("utf-8"), "utf-8")
    path = folder / "small.rules"
    path.write_text(LOCKERS.replace("FULL", full), "utf-8")
    return prepare(path)


def made(ready: Prepared) -> Generated:
    return generate(ready, Settings(("z3",)), steps=60)


def test_things_that_no_play_has_are_brought_in(tmp_path: Path) -> None:
    ready = lockers(tmp_path, "l.full")
    found = made(ready)
    assert {"1.1", "1.2"} <= found.exercised
    assert {"1.1", "1.2"} <= found.broken
    assert found == made(ready)
    (broken,) = (one for one in found.faulty if one.rule == "1.1")
    assert "keeper clear locker=156-155" in broken.text


def test_without_it_they_are_not_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Search, "_aimed", lambda *_: iter(()))
    found = made(lockers(tmp_path, "l.full"))
    assert "1.1" not in found.broken
    assert "1.2" not in found.exercised


def test_what_cannot_be_is_not_found(tmp_path: Path) -> None:
    found = made(lockers(tmp_path, "l not in Locker"))
    assert "1.1" not in found.broken
    assert [one.rule for one in found.unmet if one.wanted == "broken"] == ["1.1"]


def test_a_play_is_lawful_up_to_what_it_is_aimed_at(tmp_path: Path) -> None:
    ready = lockers(tmp_path, "l.full")
    desk = Desk(ready.program, Settings(("z3",)), steps=20, seed=0)
    search = Search(desk, ("1.1", "1.2"), lambda *_: None, Tables(ready, 0))
    search.lawful()
    (ask,) = (a for a in search.asks("1.1", "broken") if a.question.event == "clear")
    assert sharper(ready.program, "1.1", "kept", ask) != sharper(ready.program, "1.1", "broken", ask)
    skeletons = search._skeletons(ask.question)
    assert list(aimed(desk, sight(desk), "1.1", "kept", ask, skeletons)) == []
    ((play, values),) = aimed(desk, sight(desk), "1.1", "broken", ask, skeletons)
    assert play.lawful
    (filled,) = (event_line(ready, one) for one in play.happenings)
    assert filled == "guest fill locker=156-155"
    assert values == {"@locker": play.happenings[0].values[0]}
