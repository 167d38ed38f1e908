"""Numbers stay within their ranges: told from the types where they suffice, asked where they do not."""

from __future__ import annotations

from pathlib import Path

import pytest
from obligation_bench import asked, in_any_state, never, program_of

from verifier.prove.explore.evaluate import true_at
from verifier.prove.obligations import ranges, theorems
from verifier.prove.question import Never, Sometimes
from verifier.run.state import first_state

COUNTER = """
state evening
  calls: 0..9
on call(g)
  calls = {update}
"""


@pytest.mark.parametrize(
    ("update", "holds"),
    [
        ("calls + 1", False),
        ("calls + 1 when calls < 9", True),
        ("calls + 1 when calls <= 9", False),
        ("calls - 1 when calls > 0", True),
        ("calls - 1", False),
        ("calls mod 5 + 5", True),
        ("if calls < 9 then calls + 1 else 0", True),
        ("calls div 2 + 5", True),
        ("number of (i in Item where i.guest = g)", True),
        ("number of (h in Hook) + 9", False),
    ],
)
def test_what_an_event_writes(tmp_path: Path, update: str, holds: bool) -> None:
    program = program_of(COUNTER.format(update=update), tmp_path)
    found = asked(ranges.obligations, program).get("range calls at call")
    asks = found is not None and found.question is not None
    assert (not asks or (found is not None and never(program, found))) is holds


def test_a_state_that_leaves_the_range(tmp_path: Path) -> None:
    program = program_of(COUNTER.format(update="calls + 1"), tmp_path)
    answer = in_any_state(program, asked(ranges.obligations, program)["range calls at call"].question)
    assert isinstance(answer, Sometimes)
    assert answer.state.fields["calls"] == 9


def test_what_an_event_needs_counts(tmp_path: Path) -> None:
    """`ticket` needs a ticket to be left."""
    found = asked(ranges.obligations, program_of("", tmp_path))["range left at ticket"]
    assert found.question is None
    assert found.about == ("written: left - 1", ranges.SURE)


def test_what_somebody_owes_is_no_amount_outside_its_range(tmp_path: Path) -> None:
    """An amount in a state may be below 0, and proofs take it so: a gain is a loss of the other side."""
    text = (
        "state evening\n  gain: money\non pay_fee(i, a)\n  gain = gain - a\ntheorem gains_only\n  gain >= 0\n"
    )
    program = program_of(text, tmp_path)
    assert "range gain at pay_fee" not in asked(ranges.obligations, program)
    lost = asked(theorems.obligations, program)["theorem gains_only"].question
    assert lost is not None
    answer = in_any_state(program, lost)
    assert isinstance(answer, Sometimes)
    assert answer.state.fields["gain"] < 0


def test_a_key_outside_its_range(tmp_path: Path) -> None:
    text = "event shift(peg: Peg) by attendant\n{needs}on shift(p)\n  new Hook(p + 1)\n"
    program = program_of(text.format(needs=""), tmp_path)
    found = asked(ranges.obligations, program)["range Hook at shift"]
    assert found.claim == "`shift` names no Hook outside its range"
    answer = in_any_state(program, found.question)
    assert isinstance(answer, Sometimes)
    assert answer.values == {"@peg": 6}
    guarded = program_of(text.format(needs="  needs peg < 6\n"), tmp_path)
    assert asked(ranges.obligations, guarded)["range Hook at shift"].question is None
    asking = program_of(text.format(needs="  needs some h in Hook: h.peg > peg\n"), tmp_path)
    question = asked(ranges.obligations, asking)["range Hook at shift"].question
    assert isinstance(in_any_state(asking, question), Never)


def test_defines_and_decisions(tmp_path: Path) -> None:
    text = """
define many(g: Guest): 0..3 = number of (i in Item where i.guest = g)
define all_articles(g: Guest): 0..4 = number of (i in Item where i.guest = g)
decision steps(i: Item): 1..6
rule 6.1
  steps(i) = 6 when i.here
rule 6.3
  steps(i) = left when {when}
"""
    program = program_of(text.format(when="left <= 6"), tmp_path)
    found = asked(ranges.obligations, program)
    assert not never(program, found["range many"])
    assert found["range all_articles"].question is None
    assert not never(program, found["range steps"])
    program = program_of(text.format(when="left in 1..6"), tmp_path)
    assert asked(ranges.obligations, program)["range steps"].question is None


def test_what_keeps_its_type_is_not_asked(tmp_path: Path) -> None:
    text = (
        "state evening\n  last: Peg?\n  worth: money\non deposit(i, p, w)\n  last = p\n  worth = worth + w\n"
    )
    assert list(asked(ranges.obligations, program_of(text, tmp_path))) == ["range left at ticket"]


@pytest.mark.parametrize("most", [2, 3])
def test_what_is_drawn_from_a_stock_that_is_used_up_cannot_happen(most: int, tmp_path: Path) -> None:
    text = f"""
type Lot = 1..1
state evening
  out: 0..{most}
event draw(lot: Lot) by attendant
on draw
  out = out + 1
chance draw(lot) from 3 without replacement since new_roll
"""
    (of_out,) = (o for o in asked(ranges.obligations, program_of(text, tmp_path)).values() if "out" in o.id)
    program = program_of(text, tmp_path)
    drawn, lot = program.ruleset.chances[-1], 1
    state = first_state(program.ruleset)
    state.fields["out"] = most
    state.counts[drawn.latch or 0][lot,] = most
    assert of_out.question is not None
    assert (true_at(program, state, {}, of_out.question) is None) is (most == 3)
