"""Each kind of finding and each verdict, with what it cites, and the exit code that it makes."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from check_logs import CLOSE, END, GOOD, PAY, STATED, WAGER, cited, led, mini, only, till

from verifier.check.result import Shortfall
from verifier.exits import Exit


def test_a_round_in_order(tmp_path: Path) -> None:
    result = till(tmp_path, *GOOD, **STATED)
    assert result.in_order
    assert result.exit_code is Exit.HOLDS
    assert (result.events, result.rounds, len(result.tables)) == (4, 1, 1)
    assert result.clause("5.1(a)").status == "kept"
    assert result.clause("5.1(b)").status == "never exercised"
    assert result.clause("4.2").status == "unobservable"
    assert result.clause("3.3").status == "no rule"
    assert result.clause("5.1").status == "kept"


@pytest.mark.parametrize(
    ("events", "lead", "rules", "seq"),
    [
        ((WAGER, CLOSE, PAY.replace("1500", "1000"), END), ("broken", "settlement"), ["5.4"], 3),
        ((WAGER, PAY, CLOSE, END), ("broken", "early"), ["5.1"], 2),
        (
            ("player wager player=ann amount=50", "dealer give_back player=ann", END),
            ("broken", "forbidden"),
            ["11.4"],
            2,
        ),
        ((*GOOD[:2], "player wager player=bob amount=50", PAY, END), ("broken", "not permitted"), ["9.2"], 3),
        (
            (
                "player wager player=ann amount=777",
                CLOSE,
                "dealer announce player=ann",
                "dealer give_back player=ann",
                END,
            ),
            ("broken", "skipped"),
            ["11.1"],
            2,
        ),
        ((WAGER, CLOSE, END), ("broken", "late"), ["11.3"], 3),
        (
            (WAGER, CLOSE, PAY.replace("dealer", "supervisor"), END),
            ("broken", "actor"),
            ["11.3"],
            3,
        ),
        (
            ("player wager player=ann amount=6000", CLOSE, "dealer pay player=ann amount=9000", END),
            ("disputed", "settlement"),
            ["5.1(a)", "5.1(b)"],
            3,
        ),
        (
            ("player wager player=ann amount=50", CLOSE, "dealer pay player=ann amount=75", END),
            ("undecided", "settlement"),
            ["5.1"],
            3,
        ),
    ],
)
def test_a_fault_is_one_entry(
    tmp_path: Path, events: tuple[str, ...], lead: tuple[str, str], rules: list[str], seq: int
) -> None:
    result = till(tmp_path, *events, **STATED)
    entry = only(result)
    assert led(entry) == lead
    assert cited(entry) == rules
    assert entry.seq == seq
    assert entry.event is not None
    assert entry.event.line == events[seq - 1]
    assert result.exit_code is (Exit.BROKEN if lead[0] == "broken" else Exit.UNDECIDED)
    for rule in rules:
        clause = result.clause(rule)
        assert clause.status == lead[0]
        assert clause.counts.broken + clause.counts.disputed + clause.counts.undecided == 1


def test_an_event_that_cannot_have_happened(tmp_path: Path) -> None:
    result = till(tmp_path, WAGER, CLOSE, "dealer give_back player=zoe", PAY, END, **STATED)
    entry = only(result)
    assert led(entry) == ("impossible", "impossible")
    assert result.exit_code is Exit.BROKEN


def test_a_citation_has_the_words_of_the_law(tmp_path: Path) -> None:
    citation = only(till(tmp_path, WAGER, CLOSE, PAY.replace("1500", "1"), END, **STATED)).lead.citations[0]
    assert (citation.rule, citation.clause) == ("5.4", "5.4")
    assert citation.quote == "shall be paid at odds of 3 to 2"
    assert citation.words.startswith("All winning wagers made in accordance with rule 5.1")


def test_money_is_exact_and_says_who_is_short(tmp_path: Path) -> None:
    wager = WAGER.replace("1000", "1001")
    result = till(tmp_path, wager, CLOSE, PAY, END, **STATED)
    short = Shortfall("ann", Fraction(3, 2), "settled wrongly")
    assert only(result).short == (short,)
    assert result.short == (short,)
    over = till(tmp_path, WAGER, CLOSE, PAY.replace("1500", "1700"), END, **STATED)
    assert over.short == (Shortfall("the house", 200, "settled wrongly"),)


def test_an_act_done_with_another_amount_is_short_by_the_difference_only(tmp_path: Path) -> None:
    """13.32 is owed at once, 12.00 was paid: 1.32 short."""
    wager = WAGER.replace("1000", "888")
    entry = only(till(tmp_path, wager, CLOSE, PAY.replace("1500", "1200"), END, **STATED))
    assert [f.kind for f in entry.findings] == ["settlement"]
    assert entry.short == (Shortfall("ann", 132, "settled wrongly"),)


def test_two_players_short_at_one_event_both_count(tmp_path: Path) -> None:
    """Ann is owed at once, Bob is paid too little instead."""
    events = (WAGER.replace("1000", "888"), WAGER.replace("ann", "bob"), CLOSE)
    pay = "dealer pay player=bob amount=1400"
    result = till(tmp_path, *events, pay, "dealer pay player=ann amount=1332", END, **STATED)
    assert only(result).short == (
        Shortfall("bob", 100, "settled wrongly"),
        Shortfall("ann", 1332, "not paid when due"),
    )


def test_another_act_than_the_one_owed_leaves_the_whole_short(tmp_path: Path) -> None:
    result = mini(
        tmp_path,
        "player wager player=ann hand=B1H1 kind=initial amount=1000",
        "dealer deal hand=B1H1 card=As",
        "dealer deal hand=dealer card=Ah",
        "dealer deal hand=B1H1 card=Kd",
        "player ask_payment player=ann hand=B1H1",
        "dealer deal hand=dealer card=5d",
        "dealer pay player=ann hand=B1H1 kind=initial amount=1000",
        END,
    )
    entry = only(result)
    assert led(entry) == ("broken", "skipped")
    assert entry.short == (Shortfall("ann", 1000, "not paid when due"),)
    assert entry.lead.required[0].event == "pay"
    assert [v.amount for v in entry.lead.required[0].values] == [None, 1000]


def test_what_a_finding_rests_on(tmp_path: Path) -> None:
    entry = only(till(tmp_path, WAGER, CLOSE, PAY.replace("1500", "1000"), END, **STATED))
    assert [(v.name, v.text) for v in entry.lead.decided] == [("rate(Stake(ann))", "3 to 2")]
    assert ("Stake(ann).amount", "1000") in [(v.name, v.text) for v in entry.lead.rests_on]


def test_not_recorded_is_no_fault_unless_strict(tmp_path: Path) -> None:
    records = ["wager", "close", "give_back", "end_round"]
    events = (WAGER, CLOSE, END)
    result = till(tmp_path, *events, records=records, **STATED)
    assert result.in_order
    assert result.exit_code is Exit.HOLDS
    assert result.clause("11.3").status == "not checkable"
    assert [item.cause.declared for item in result.clause("11.3").why_not] == [True]
    assert result.recording[0].absent == ("shuffle", "pay", "announce")
    strict = till(tmp_path, *events, check={"strict": True}, records=records, **STATED)
    assert strict.exit_code is Exit.UNDECIDED


def test_broken_takes_precedence_over_undecided(tmp_path: Path) -> None:
    events = ("player wager player=ann amount=50", CLOSE, "dealer pay player=ann amount=75")
    result = till(tmp_path, *events, "dealer give_back player=ann", END, **STATED)
    assert [led(e) for e in result.entries] == [("undecided", "settlement"), ("broken", "forbidden")]
    assert result.exit_code is Exit.BROKEN
