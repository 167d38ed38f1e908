"""One fault is one entry, on all of the New Zealand rules of 1998.

What each kind of change of one row yields on each kind of event stands in `changes.yaml`, to the entry; why there may
be more than one, in `reasons.yaml`. A new cascade fails. With `GAZETTE_CHANGES=all` every change in every round is
judged, as it was for the table, which takes a minute; without, one in three, of other actors and other cards in nine.
"""

from __future__ import annotations

import os
from contextlib import ExitStack
from functools import cache

import pytest
from change_table import Cell, read_reasons, read_table
from nz_change import KINDS
from nz_judging import Bench, Found
from nz_rounds import FAULTS_OF, ROUNDS, Placed, header, ready, rows
from nz_table import REASONS, TABLE, Outcome, course, outcomes, stands_on, table_of

from verifier.check.engine import check_logs
from verifier.check.result import Entry
from verifier.log.assemble import Opened, Tally
from verifier.log.sources import LogFile

ALWAYS = {
    "amount": {"pay", "split"},
    "number": {"announce_total", "receive_decks", "shuffle"},
    "dropped": {
        "announce_insurance", "ask_payment", "chemmy_shuffle", "close_bets", "collect", "cover", "cut", "deal",
        "decline_cut", "designate", "double", "draw", "end_round", "give_back", "insert_cutting_card",
        "inspect_cards", "insure", "load_shoe", "pay", "remove_cards", "riffle_shuffle", "shuffle", "split",
        "spread_cards", "stack_cards", "stand", "supervisor_inspects", "turn_cards", "void_hand", "wager",
    },
    "doubled": {"burn", "collect", "cover", "deal", "designate", "give_back", "pay", "remove_cards", "split", "stand"},
}  # fmt: skip
"""Changes after which no round is lawful any more, whatever the round: they must make an entry.

Of another actor that holds for all events but the wager, which the dealer may lay for a player (5.3).
"""

EXACTLY_ONE = {
    "amount": {"pay"},
    "number": {"announce_total", "receive_decks", "shuffle"},
    "dropped": {"announce_insurance", "close_bets", "collect", "give_back", "remove_cards"},
    "doubled": {"collect", "give_back", "pay", "remove_cards"},
}
"""Of these, the ones that put nothing else out of order: one entry, no less and no more."""


ALL = os.environ.get("GAZETTE_CHANGES", "") == "all"


@cache
def every() -> tuple[Outcome, ...]:
    return tuple(outcomes(ROUNDS, 1 if ALL else 3))


@cache
def found_table() -> dict[tuple[str, str], Cell]:
    return table_of(every())


@pytest.mark.parametrize("name", ROUNDS)
def test_the_rounds_are_lawful_as_they_stand(name: str) -> None:
    legal = course(name, Bench())
    at_fault = tuple((legal.log[seq - 1].step.text, rules) for seq, _, _, rules in legal.found)
    assert at_fault == FAULTS_OF.get(name, ())


@pytest.mark.parametrize("kind", KINDS)
def test_a_change_makes_as_many_entries_as_the_table_says(kind: str) -> None:
    wanted = {event: cell for (of, event), cell in read_table(TABLE).items() if of == kind}
    found = {event: cell for (of, event), cell in found_table().items() if of == kind}
    assert wanted.keys() == found.keys()
    for event, cell in found.items():
        strangers = _strangers(kind, event, wanted[event])
        assert not strangers, "\n".join(strangers)
        assert not ALL or cell == wanted[event], event


def _strangers(kind: str, event: str, wanted: Cell) -> list[str]:
    """The outcomes that the table does not have, for a message."""
    return [
        outcome.text
        for outcome in every()
        if (outcome.change.kind, outcome.change.row.event) == (kind, event)
        and not wanted.fits(tuple(map(stands_on, outcome.found)))
    ][:5]


def test_each_further_entry_has_a_reason_and_each_reason_an_entry() -> None:
    explained = [rule for rules in read_reasons(REASONS).values() for rule in rules]
    needed = {rule for cell in read_table(TABLE).values() for rule in cell.follow}
    assert sorted(explained) == sorted(needed)


def test_reasons_name_rules_that_there_are() -> None:
    known = {*ready().ruleset.rules, "impossible", "life"}
    assert {rule for rules in read_reasons(REASONS).values() for rule in rules} <= known


def test_what_must_be_a_fault_is_one() -> None:
    table = read_table(TABLE)
    always = {(kind, event) for kind, events in ALWAYS.items() for event in events}
    always |= {(kind, event) for kind, event in table if kind == "actor" and event != "wager"}
    assert [key for key in sorted(always) if table[key].least == 0] == []


def test_what_puts_nothing_else_out_of_order_is_one_entry() -> None:
    table = read_table(TABLE)
    single = {(kind, event) for kind, events in EXACTLY_ONE.items() for event in events}
    assert {key: table[key].text for key in single} == dict.fromkeys(single, "1")


@pytest.mark.parametrize("name", ROUNDS)
def test_the_full_check_says_the_same(name: str) -> None:
    known = set(FAULTS_OF.get(name, ()))
    seen: set[tuple[str, str]] = set()
    for outcome in every():
        key = (outcome.change.kind, outcome.change.row.event)
        if outcome.round != name or key in seen or outcome.change.at % (7 if ALL else 3):
            continue
        seen.add(key)
        log = outcome.change.log
        entries = [led(entry) for entry in checked(log)]
        new = [found for found in entries if (log[found[0] - 1].step.text, found[3]) not in known]
        assert tuple(new) == outcome.found, outcome.text
    assert len(seen) >= 3


def checked(log: list[Placed]) -> tuple[Entry, ...]:
    """The entries of a log under the full check."""
    opened = Opened(header(), rows(log), Tally())
    return check_logs([LogFile("rounds", None, "", opened, None, ExitStack())], ready()).entries


def led(entry: Entry) -> Found:
    assert entry.seq is not None
    lead = entry.lead
    return entry.seq, lead.verdict, lead.kind, tuple(citation.rule for citation in lead.citations)
