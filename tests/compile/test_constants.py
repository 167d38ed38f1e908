"""What a ruleset writes out stands apart from the state, also where that holds the same numbers at first."""

from __future__ import annotations

from pathlib import Path

import pytest
from both_engines import judge, turns

from verifier.check.engine import prepare
from verifier.compile.kernel import Compiled
from verifier.log.header import Header

RULES = """ruleset in/constants
law nz/gazette-1998-9-division-2

actors keeper
type Small = 0..3
life evening
life round ends close
entity Crate(small: Small) in round
  full: bool = yes
state round
  dues: Small -> money = 2
define fee(s: Small): money = table (s) { 0: 2; 1: 2; 2: 2; 3: 2 }

event put(small: Small) by keeper
event look(small: Small) by keeper
event check by keeper
event close by keeper
on put(s)
  new Crate(s)
  dues[s] = 7

rule 5.2 "All wagers shall be made"
  option lax: bool
rule 4.2 "The dealer shall at all times deal the cards"
  keeper must not look(s) when fee(s) = 7
  keeper must not check when not lax
"""


@pytest.mark.parametrize("text", ["put 1; look 1; close", "put 0; check; close"])
def test_both_engines_say_the_same(tmp_path: Path, text: str) -> None:
    path = tmp_path / "constants.rules"
    path.write_text(RULES)
    ready = prepare(path)
    rows = turns(text, "close", lambda name: "keeper")
    kernel = Compiled.of(ready.program).lacking(ready.program, ("lax",))
    log = ("a log", Header("a test", "in/constants", "NZD", 2), rows)
    judged = judge(ready, [log], tmp_path, kernel=kernel)
    assert judged.unlike == []
    assert not judged.one.entries
    assert judged.sampled
