"""Ids that are met nowhere but in the key of a thing: whoever owns a coat is known by the coat that is hung up."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from verifier.check.engine import Prepared, prepare
from verifier.generate.generate import Generated
from verifier.prove.explore.domains import met_in_references
from verifier.simulate.simulate import simulate

LAW = Path(__file__).parents[1] / "hunt" / "small.law"

RULES = """ruleset small
law small
actors member, porter
type Who = id max 4
enum Sort: cloak | jacket
life day ends shut
entity Coat(owner: Who, sort: Sort) in day
  up: bool
{more}
event hang(coat: Coat) by member
event take(coat: Coat, who: Who) by member
event shut by porter
on hang(c)
  new c
  c.up = yes
on take(c, w)
  c.up = no
rule 1.1 "It shall be so"
  member must not hang(c) when c.up
rule 1.2 "It shall be so"
  member must not take(c, w) when not c.up or c.owner != w
rule 1.3 "It shall be so"
  porter must not shut when some c in Coat: c.up
"""


def small(folder: Path, more: str = "") -> Prepared:
    (folder / "small.law").write_text(LAW.read_text("utf-8"), "utf-8")
    (folder / "small.rules").write_text(RULES.format(more=more), "utf-8")
    return prepare(folder / "small.rules")


@pytest.fixture
def coats(tmp_path: Path) -> Prepared:
    return small(tmp_path)


def test_what_is_met_in_references_is_told(coats: Prepared, tmp_path: Path) -> None:
    assert met_in_references(coats.ruleset) == {"Who"}
    assert met_in_references(small(tmp_path, "event come(who: Who) by member").ruleset) == set()


def test_every_rule_is_shown(coats: Prepared, make: Callable[[Prepared], Generated]) -> None:
    made = make(coats)
    assert made.unmet == ()
    assert {one.rule for one in made.faulty} == {"1.1", "1.2", "1.3"}


def test_members_of_any_name_are_simulated(coats: Prepared, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    simulate(coats, log, 30, seed=1, jobs=1)
    rows = log.read_text("utf-8").splitlines()
    assert any('"hang"' in row for row in rows)
    assert any('"take"' in row for row in rows)
