"""What an event would leave, asked where no event is at hand: nobody can tell."""

from __future__ import annotations

from pathlib import Path

from both_engines import judge, turns

from verifier.check.engine import prepare
from verifier.log.header import Header

RULES = """ruleset asked/after
law nz/gazette-1998-9-division-2
actors keeper
life evening
life round ends close
state round
  laid: 0..99
event lay by keeper
event call by keeper
event close by keeper
on lay
  laid = laid + 1
rule 4.2 [call] "The dealer shall at all times deal the cards"
  keeper must call by end of round when laid > 1
rule 4.2 [no] "The dealer shall at all times deal the cards"
  notwithstanding 4.2 [call]
  keeper must not call when after(laid > 5)
"""


def test_an_exception_to_a_duty_that_is_due_by_the_end_of_a_life(tmp_path: Path) -> None:
    """The exception hangs on what a call would leave; at the end of the round there is none."""
    path = tmp_path / "after.rules"
    path.write_text(RULES)
    told = turns("lay; lay; close; lay; close", "close", lambda name: "keeper")
    judged = judge(prepare(path), [("a log", Header("a test", "asked/after", "NZD", 2), told)], tmp_path)
    assert judged.unlike == []
    (rule,) = [r for c in judged.one.clauses for r in c.rules if r.rule == "4.2 [call]"]
    assert (rule.counts.not_checkable, judged.one.entries) == (1, ())
