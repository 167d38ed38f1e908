"""Claims of answers of which nobody can tell whether they are due yet: wrong or right, they are not checkable."""

from __future__ import annotations

from pathlib import Path

import pytest
from both_engines import judge, turns

from verifier.check.engine import prepare
from verifier.log.header import Header

RULES = """ruleset not/yet
law nz/gazette-1998-9-division-2

actors guest, keeper
type Guest = id max 4
type Bid = 0..9
life evening
life round ends close
state round
  best: Bid?
decision fee(g: Guest): 0..9

event bid(n: Bid) by guest
event pay(guest: Guest, n: 0..9) by keeper
  claims n = fee(guest)
event close by keeper
on bid(n)
  best = n

rule 4.2 "The dealer shall at all times deal the cards"
  asked fee(g) when best > 3
  fee(g) = 2
"""


@pytest.mark.parametrize(
    ("text", "counts", "faults"),
    [
        ("pay ann 3; close", (0, 0, 1), []),
        ("pay ann 2; close", (0, 0, 1), []),
        ("bid 5; pay ann 3; close", (0, 1, 0), [2]),
        ("bid 5; pay ann 2; close", (1, 0, 0), []),
        ("bid 1; pay ann 2; close", (0, 1, 0), [2]),
    ],
)
def test_both_engines_say_the_same(
    tmp_path: Path, text: str, counts: tuple[int, int, int], faults: list[int]
) -> None:
    path = tmp_path / "early.rules"
    path.write_text(RULES)
    told = turns(text, "close", lambda name: "guest" if name == "bid" else "keeper")
    for sample in (0, 1):
        log = "a log", Header("a test", "not/yet", "NZD", 2), told
        found = judge(prepare(path), [log], tmp_path, sample=sample)
        assert found.unlike == []
        assert [entry.seq for entry in found.other.entries] == faults
        rule = found.other.clause("4.2").rules[0].counts
        assert (rule.kept, rule.broken, rule.not_checkable) == counts
