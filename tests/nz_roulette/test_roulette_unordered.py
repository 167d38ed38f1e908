"""A log that does not tell the order of settlements: what was laid in two parts is still one wager."""

from __future__ import annotations

import io

import pytest

from verifier.check.engine import check_logs, prepare
from verifier.log.sources import open_stream

LOG = """
ruleset: nz/roulette-1998
unordered: [pay, collect]
records: [wager, spin, rest, pay, collect, end_round, alter, withdraw, modify, no_spin, foreign_object, hang_up,
  interfere, short_spin, ball_out, ball_found, remove_ball, return_ball, change_ball, mark_group, give_back]
options: {wheel: usual, additional_areas: false}
events:
- player wager player=ann kind=red spot=1-36 amount=1000
- player wager player=ann kind=red spot=1-36 amount=500
- dealer spin wheel=clockwise ball=anticlockwise
- dealer rest number=18
- dealer pay player=ann kind=red spot=1-36 amount=1500
- dealer end_round
"""


@pytest.mark.parametrize(("amount", "short"), [(1500, []), (1000, [("ann", 500)]), (500, [("ann", 1000)])])
def test_a_wager_laid_in_parts_is_paid_whole(amount: int, short: list[object]) -> None:
    ready = prepare("nz/roulette-1998")
    text = LOG.replace("amount=1500", f"amount={amount}")
    result = check_logs([open_stream("log.yaml", io.BytesIO(text.encode()), ready.binding.schema)], ready)
    assert [(s.who, s.amount) for s in result.short] == short
    assert [entry.lead.kind for entry in result.entries] == ["settlement"] * bool(short)
