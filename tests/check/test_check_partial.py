"""Values that a log does not record: what hangs on them is not checkable, the rest is judged as ever."""

from __future__ import annotations

from pathlib import Path

from check_logs import CLOSE, END, STATED, led, mini, only, till

from verifier.exits import Exit


def test_a_column_that_is_not_recorded(tmp_path: Path) -> None:
    """Without amounts nobody can tell whether a payment was right, and nobody says that it was wrong."""
    events = ("player wager player=ann", CLOSE, "dealer pay player=ann", END)
    result = till(tmp_path, *events, missing_columns=["amount"], **STATED)
    assert result.in_order
    assert result.clause("9.2").status == "not checkable"
    assert result.exit_code is Exit.HOLDS


def test_a_reference_that_is_not_recorded(tmp_path: Path) -> None:
    events = (
        "player wager player=ann kind=initial amount=1000",
        "dealer deal card=As",
        "dealer play_over",
        END,
    )
    result = mini(tmp_path, *events, missing_columns=["hand"], options={"decks": 8})
    assert [led(entry) for entry in result.entries if entry.lead.verdict != "impossible"] == []


def test_cards_whose_suit_is_not_recorded(tmp_path: Path) -> None:
    result = mini(
        tmp_path,
        "player wager player=ann hand=B1H1 kind=initial amount=1000",
        "dealer deal hand=B1H1 card=T?",
        "dealer deal hand=dealer card=T?",
        "dealer deal hand=B1H1 card=9?",
        "dealer play_over",
        "dealer deal hand=dealer card=7?",
        "dealer collect player=ann hand=B1H1 kind=initial",
        END,
        options={"decks": 8},
    )
    assert led(only(result)) == ("broken", "settlement")
