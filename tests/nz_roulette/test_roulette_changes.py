"""One fault is one entry, on all of Division 8.

In each round one row is changed, in each way and on each kind of event. What each kind of change yields on each kind
of event stands in `changes.yaml`, to the entry; why there may be more than one, in `reasons.yaml`.
"""

from __future__ import annotations

import pytest
from change_table import Cell, read_reasons, read_table
from roulette_changes import KINDS, LEGAL, REASONS, TABLE, outcomes, table
from roulette_rounds import ROUNDS, ready

ALWAYS = {
    "amount": {"wager", "alter", "collect", "pay"},
    "number": {"announce", "place_dolly", "return_ball"},
    "spot": {"wager", "alter", "withdraw", "collect", "pay", "give_back", "modify"},
    "word": {"announce", "close_bets", "modify", "spin"},
    "dropped": {
        "announce", "ball_out", "collect", "end_round", "examine_ball", "foreign_object", "give_back", "hang_up",
        "mark_group", "modify", "pay", "place_dolly", "return_ball", "short_spin", "wager",
    },
    "doubled": {"collect", "give_back", "pay", "rest", "spin", "withdraw"},
}  # fmt: skip
"""Changes after which no round is lawful any more, whatever the round: they must make an entry.

Of another actor that holds for all events but the wager, which the dealer may lay for a player (3.4).
"""

EXACTLY_ONE = {
    "amount": {"wager", "alter", "collect", "pay"},
    "number": {"announce", "place_dolly", "return_ball"},
    "word": {"announce", "close_bets"},
    "dropped": {
        "announce",
        "collect",
        "end_round",
        "examine_ball",
        "give_back",
        "place_dolly",
        "return_ball",
    },
    "doubled": {"collect", "give_back", "pay", "rest", "spin", "withdraw"},
}
"""Of these, the ones that put nothing else out of order: one entry, no less and no more."""


def listed(wanted: dict[str, set[str]]) -> set[tuple[str, str]]:
    return {(kind, event) for kind, events in wanted.items() for event in events}


@pytest.mark.parametrize("name", ROUNDS)
def test_the_rounds_are_lawful_as_they_stand(name: str) -> None:
    (legal,) = [o for o in outcomes() if o.change.round == name and o.change.kind == LEGAL]
    assert legal.entries == (), legal.text


@pytest.mark.parametrize("kind", KINDS)
def test_a_change_makes_as_many_entries_as_the_table_says(kind: str) -> None:
    wanted = {event: cell for (of, event), cell in read_table(TABLE).items() if of == kind}
    found = {event: cell for (of, event), cell in table().items() if of == kind}
    assert wanted.keys() == found.keys()
    for event, cell in found.items():
        assert cell == wanted[event], "\n".join(_strangers(kind, event, wanted[event])) or event


def _strangers(kind: str, event: str, wanted: Cell) -> list[str]:
    """The outcomes that the table does not have, for a message."""
    return [
        outcome.text
        for outcome in outcomes()
        if (outcome.change.kind, outcome.change.event) == (kind, event) and not wanted.fits(outcome.leads)
    ][:5]


def test_each_further_entry_has_a_reason_and_each_reason_an_entry() -> None:
    explained = [rule for rules in read_reasons(REASONS).values() for rule in rules]
    needed = {rule for cell in read_table(TABLE).values() for rule in cell.follow}
    assert sorted(explained) == sorted(needed)


def test_reasons_name_rules_that_there_are() -> None:
    known = {*ready().ruleset.rules, "impossible"}
    assert {rule for rules in read_reasons(REASONS).values() for rule in rules} <= known


def test_what_must_be_a_fault_is_one() -> None:
    written = read_table(TABLE)
    always = listed(ALWAYS) | {
        (kind, event) for kind, event in written if kind == "actor" and event != "wager"
    }
    assert [key for key in sorted(always) if written[key].least == 0] == []


def test_what_puts_nothing_else_out_of_order_is_one_entry() -> None:
    written = read_table(TABLE)
    assert {key: written[key].text for key in listed(EXACTLY_ONE)} == dict.fromkeys(listed(EXACTLY_ONE), "1")
