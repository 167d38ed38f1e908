"""Cases that ask how values of an enumeration stand in its order: whether they leave a gap is told by that order."""

from __future__ import annotations

from pathlib import Path

import pytest
from both_engines import judge, turns

from verifier.check.engine import prepare
from verifier.log.header import Header

RULES = """ruleset in/shades
law nz/gazette-1998-9-division-2

actors keeper
enum Hue: red | green | blue
life evening
life round ends close
state round
  hue: Hue = red
decision fee: money

event paint(hue: Hue) by keeper
event look by keeper
event close by keeper
on paint(h)
  hue = h

rule 5.2 "All wagers shall be made"
  fee = 1 when hue = green
rule 5.3 "Orally declared wagers shall be accepted"
  fee = 2 when hue {asked} green
rule 4.2 "The dealer shall at all times deal the cards"
  keeper must not look when fee = 3
"""


@pytest.mark.parametrize(("asked", "undecided"), [("<", "blue"), (">", "red"), ("!=", None)])
@pytest.mark.parametrize("hue", ["red", "green", "blue"])
def test_a_gap_is_seen(tmp_path: Path, asked: str, undecided: str | None, hue: str) -> None:
    path = tmp_path / "shades.rules"
    path.write_text(RULES.format(asked=asked))
    rows = turns(f"paint {hue}; look; close", "close", lambda name: "keeper")
    judged = judge(prepare(path), [("a log", Header("a test", "in/shades", "NZD", 2), rows)], tmp_path)
    assert judged.unlike == []
    assert [(e.lead.verdict, e.seq) for e in judged.one.entries] == [("undecided", 2)] * (hue == undecided)
    assert bool(judged.sampled) == (hue != undecided)
