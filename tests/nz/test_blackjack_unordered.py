"""A log that does not tell the order of settlements: who is short of money is still known."""

from __future__ import annotations

import io

import pytest

from verifier.check.engine import check_logs, prepare
from verifier.log.sources import open_stream

LOG = """
ruleset: nz/blackjack-1998
unordered: [pay, collect, give_back]
records: [wager, deal, draw, stand, double, split, alter, end_round, pay, collect, give_back, withdraw, insure,
  ask_payment, cover, designate, refuse, absent_player, find_face_up, draw_face_down, draw_exposed, set_aside, discard,
  move_card, take_back, reconstruct, void_hand, void_round]
options: {decks: 8}
events:
- player wager player=ann box=1 kind=initial amount=1000
- dealer deal hand=B1H1 card=Th
- dealer deal hand=dealer card=Tc
- dealer deal hand=B1H1 card=8h
- player stand player=ann hand=B1H1
- dealer deal hand=dealer card=9d
- dealer SETTLES
- dealer end_round
"""

ANN = "player=ann hand=B1H1 kind=initial"


@pytest.mark.parametrize(
    ("cards", "settles", "short"),
    [
        (("8h", "9d"), "collect", []),
        (("8h", "9d"), "give_back", [("the house", 1000)]),
        (("9h", "9d"), "give_back", []),
        (("9h", "9d"), "collect", [("ann", 1000)]),
        (("Kh", "9d"), "pay amount=1000", []),
        (("Kh", "9d"), "pay amount=400", [("ann", 600)]),
        (("Kh", "9d"), "give_back", [("ann", 1000)]),
    ],
)
def test_money_is_known(cards: tuple[str, str], settles: str, short: list[object]) -> None:
    ready = prepare("nz/blackjack-1998")
    act, _, amount = settles.partition(" ")
    text = LOG.replace("8h", cards[0]).replace("9d", cards[1]).replace("SETTLES", f"{act} {ANN} {amount}")
    result = check_logs([open_stream("log.yaml", io.BytesIO(text.encode()), ready.binding.schema)], ready)
    assert [(s.who, s.amount) for s in result.short] == short


def test_a_stake_that_a_void_hand_lost_is_not_known_to_be_returned() -> None:
    """Whether it had been collected by then hangs on the order."""
    ready = prepare("nz/blackjack-1998")
    text = LOG.replace("- dealer SETTLES", f"- dealer collect {ANN}\n- dealer void_hand hand=B1H1")
    result = check_logs([open_stream("log.yaml", io.BytesIO(text.encode()), ready.binding.schema)], ready)
    assert not result.short
