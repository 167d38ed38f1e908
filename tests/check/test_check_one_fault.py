"""One fault is one entry: legal rounds with one row changed make at most one entry.

The changes that may make more, each with its reason, are those in `WHY_MORE`.
"""

from __future__ import annotations

import io

import yaml
from check_logs import MINI, led, rules
from check_rounds import CHANGES, DEALER, Change, Step, cards, changed, possible, rounds
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from verifier.check.engine import check_logs
from verifier.check.result import CheckResult, Entry
from verifier.log.sources import open_stream

NEXT_ROUND: list[Step] = [
    Step("player", "wager", "B1H1", "ann", amount=1000),
    Step(DEALER, "deal", "B1H1", card="Th"),
    Step(DEALER, "deal", "dealer", card="Td"),
    Step(DEALER, "deal", "B1H1", card="9c"),
    Step(DEALER, "play_over"),
    Step(DEALER, "deal", "dealer", card="7s"),
    Step(DEALER, "pay", "B1H1", "ann", amount=1000),
    Step(DEALER, "end_round"),
]

WHY_MORE = {
    "dealer's card": "every wager is settled by the dealer's hand, and each settlement is an act of its own; "
    "so is each card that the dealer then draws too many",
    "play over": "until the play is over nothing is due: each settlement made without it is too early",
    "box's hand": "whether the dealer may draw can hang on its cards and on there being a wager on it (13.4): each "
    "card drawn all the same is an act of its own",
}


def why_more(round_: list[Step], at: int, change: Change) -> str | None:
    """Which of the reasons holds for a change; a swap concerns the next row too."""
    rows = round_[at : at + 2] if change == "order" else round_[at : at + 1]
    if change == "actor":
        return None
    if any(row.hand == "dealer" for row in rows):
        return "dealer's card"
    if any(row.event == "play_over" for row in rows):
        return "play over"
    return "box's hand" if rows[0].event in ("deal", "wager") else None


def check(*rounds_: list[Step]) -> CheckResult:
    document = {
        "ruleset": "mini/blackjack",
        "options": {"decks": 8},
        "rounds": [[step.text() for step in round_] for round_ in rounds_],
    }
    ready = rules(MINI).prepared
    data = io.BytesIO(yaml.safe_dump(document).encode())
    return check_logs([open_stream("rounds.yaml", data, ready.binding.schema)], ready)


def told(result: CheckResult) -> list[tuple[str, str, str]]:
    """The entries, for messages."""
    return [(*led(e), e.event.line if e.event else e.lead.note) for e in result.entries]


def draws(entry: Entry) -> bool:
    """Whether the entry is about the dealer drawing, or not drawing, a card."""
    return {c.clause for c in entry.lead.citations} <= {"13.3", "13.4"}


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(rounds())
def test_legal_rounds_are_in_order(round_: list[Step]) -> None:
    result = check(round_, NEXT_ROUND)
    assert result.in_order, told(result)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(rounds(), st.sampled_from(CHANGES), cards, st.sampled_from([100, -50]), st.data())
def test_one_change_makes_at_most_one_entry(
    round_: list[Step], change: Change, other: str, more: int, data: st.DataObject
) -> None:
    at = data.draw(st.sampled_from([i for i, step in enumerate(round_) if possible(step, change)]))
    result = check(changed(round_, at, change, other, more), NEXT_ROUND)
    first = at + 1
    assert all(entry.seq is not None and entry.seq >= first for entry in result.entries)
    assert len({(entry.seq, entry.event is None) for entry in result.entries}) == result.entries_total
    match why_more(round_, at, change):
        case None:
            assert result.entries_total <= 1, told(result)
        case "box's hand":
            assert sum(not draws(entry) for entry in result.entries) <= 1, told(result)
        case "dealer's card" | "play over":
            settled = sum(step.event in ("pay", "collect") for step in round_)
            assert sum(not draws(entry) for entry in result.entries) <= settled + 1, told(result)
        case other_reason:
            raise AssertionError(other_reason)
