"""Who is short when all is told: what a later row of the round makes good is not owed, and no loss counts twice."""

from __future__ import annotations

import io

import pytest

from verifier.check.engine import check_logs, prepare
from verifier.check.owing import AllOwing, Owing, listed, owed_at
from verifier.check.result import CheckResult
from verifier.log.sources import open_stream
from verifier.report import text
from verifier.run.verdict import Judgement, Kind, Short, Subject

ANN = Subject("round", ("pay", 0), (("ann", 1),), ("the house", "ann"))
BOB = Subject("round", ("pay", 0), (("bob", 1),), ("the house", "bob"))
CHARGE = Subject("round", ("charge", 0), (("ann", 1),), ("ann", "the house"))
"""Another debt on Ann's wager."""


def short(kind: Kind, who: str, amount: int, of: Subject | None, act: str = "pay") -> Judgement:
    return Judgement("broken", kind, ("1.1",), (), required=((act, ("w",)),), short=Short(who, amount, of))


def sums(owing: Owing) -> tuple[list[tuple[str, object, str]], list[tuple[str, object, str]]]:
    """What is owed, and what was made good."""
    of = [
        [(s.who, s.amount, s.basis) for s in listed(kept)]
        for kept in (owing.sums.short, owing.sums.made_good)
    ]
    return of[0], of[1]


LATE, WRONG = "not paid when due", "settled wrongly"


def test_what_is_paid_after_all_is_made_good() -> None:
    owing = Owing(AllOwing())
    owing.judged([short("late", "ann", 1500, ANN), short("late", "bob", 500, BOB)])
    assert sums(owing) == ([("ann", 1500, LATE), ("bob", 500, LATE)], [])
    owing.judged([], (ANN,))
    assert sums(owing) == ([("bob", 500, LATE)], [("ann", 1500, LATE)])


def test_of_one_wager_only_what_stood_last_counts() -> None:
    owing = Owing(AllOwing())
    owing.judged([short("late", "ann", 1500, ANN)])
    owing.judged([short("settlement", "ann", 500, ANN)])
    assert sums(owing) == ([("ann", 500, WRONG)], [("ann", 1000, LATE)])
    owing.judged([short("settlement", "the house", 200, ANN)])
    assert sums(owing) == ([("the house", 200, WRONG)], [("ann", 1000, LATE), ("ann", 500, WRONG)][::-1])


def test_one_debt_is_not_made_good_by_another() -> None:
    owing = Owing(AllOwing())
    owing.judged([short("settlement", "ann", 500, ANN)])
    owing.judged([], (CHARGE,))
    owing.judged([short("settlement", "the house", 20, CHARGE)])
    assert sums(owing) == ([("ann", 500, WRONG), ("the house", 20, WRONG)], [])
    owing.judged([], (CHARGE, ANN))
    assert sums(owing) == ([], [("ann", 500, WRONG), ("the house", 20, WRONG)])


def test_what_counts_of_one_event_is_each_debt_once() -> None:
    late = short("late", "the house", 400, CHARGE, "charge")
    again = short("skipped", "the house", 400, CHARGE, "charge_all")
    wrong = short("settlement", "ann", 500, ANN)
    assert [(s.who, s.amount, s.basis) for s in owed_at([late, again, wrong])] == [
        ("ann", 500, WRONG),
        ("the house", 400, LATE),
    ]


def test_the_same_loss_found_twice_counts_once() -> None:
    owing = Owing(AllOwing())
    owing.judged([short("late", "the house", 400, ANN, "collect")])
    owing.judged([short("settlement", "the house", 400, ANN)])
    assert sums(owing) == ([("the house", 400, WRONG)], [])


def test_an_event_that_settles_as_it_should_pays_what_was_late_at_it() -> None:
    owing = Owing(AllOwing())
    owing.judged([short("late", "ann", 1500, ANN), short("late", "bob", 500, BOB)], (ANN,))
    assert sums(owing) == ([("bob", 500, LATE)], [])


def test_what_is_owed_at_the_end_of_the_round_stands() -> None:
    owing = Owing(AllOwing())
    owing.judged([short("skipped", "ann", 1500, ANN)])
    owing.end(["round"])
    owing.judged([], (ANN,))  # the next round's
    assert sums(owing) == ([("ann", 1500, LATE)], [])
    assert not owing.owed


def unmade(kind: Kind, *of: Subject) -> Judgement:
    return Judgement("broken", kind, ("1.1",), (), required=(("give_back", ("w",)),), unmade=of)


def test_what_was_to_go_back_and_did_not_counts_once() -> None:
    owing = Owing(AllOwing())
    owing.judged([unmade("skipped", ANN), unmade("late", ANN, BOB)])
    owing.judged([unmade("late", ANN)])
    assert (sums(owing), owing.sums.unmade) == (([], []), 2)
    owing.end(["round"])
    assert (owing.unmade, owing.sums.unmade) == (set(), 2)
    owing.judged([], (ANN,))  # the next round's
    assert owing.sums.unmade == 2


def test_what_goes_back_after_all_or_is_settled_wrongly_was_not_left() -> None:
    owing = Owing(AllOwing())
    owing.judged([unmade("late", ANN, BOB)])
    owing.judged([], (ANN,))
    assert (sums(owing), owing.sums.unmade) == (([], []), 1)
    owing.judged([short("settlement", "bob", 500, BOB), unmade("late", BOB)])
    assert (sums(owing), owing.sums.unmade) == (([("bob", 500, WRONG)], []), 0)


def test_money_of_nothing_that_is_known_only_adds_up() -> None:
    owing = Owing(AllOwing())
    for _ in range(2):
        found = [short("settlement", "ann", 5, None), short("settlement", "ann", 5, None)]
        owing.judged([*found, short("late", "ann", 1, None), short("skipped", "ann", 1, None)])
    assert sums(owing) == ([("ann", 10, WRONG), ("ann", 2, LATE)], [])


# ------------------------------------------------------------------------------------------------ a whole log
HEAD = """
ruleset: nz/blackjack-1998
options: {decks: 6, boxes_on_layout: 7, layout: appendix_1, cutting_cards: 1, smallest_chip: 50, burn_first_card: false,
  minimum_increment: 0, players_per_box: 3, boxes_per_player: 1, table_minimum: 100, table_maximum: 100000,
  permitted_maximum: 100000, box_maximum_set: false, player_maximum_set: false, super_sevens_offered: false,
  super_sevens_stake: 500}
rounds:
- - player wager player=ann box=1 kind=initial amount=1000
  - player wager player=bob box=2 kind=initial amount=500
  - dealer close_bets
  - dealer deal hand=B1H1 card=As
  - dealer deal hand=B2H1 card=9s
  - dealer deal hand=dealer card=6h
  - dealer deal hand=B1H1 card=Ks
  - dealer deal hand=B2H1 card=8s
  - dealer announce_total hand=B1H1 total=21
  - dealer announce_total hand=B2H1 total=17
  - player stand player=bob hand=B2H1
  - dealer deal hand=dealer card=Kh
"""
"""Ann's blackjack against a 6 is to be paid before any card (10.1), and is not."""

END = """
  - dealer deal hand=dealer card=2h
  - dealer collect player=bob hand=B2H1 kind=initial
  - dealer remove_cards hand=B1H1
  - dealer remove_cards hand=B2H1
  - dealer remove_cards hand=dealer
  - dealer end_round
"""


def checked(*settled: str) -> CheckResult:
    ready = prepare("nz/blackjack-1998")
    text = HEAD + "".join(f"  - {line}\n" for line in settled).rstrip("\n") + END
    return check_logs([open_stream("log.yaml", io.BytesIO(text.encode()), ready.binding.schema)], ready)


@pytest.mark.parametrize(
    ("settled", "owed", "made_good", "said"),
    [
        ([], [("ann", 1500, LATE)], [], "ann is short by 15.00, not paid when due\n"),
        (
            ["dealer pay player=ann hand=B1H1 kind=initial amount=1500"],
            [],
            [("ann", 1500, LATE)],
            "Made good later in its round: ann 15.00, not paid when due.",
        ),
        (
            ["dealer pay player=ann hand=B1H1 kind=initial amount=1000"],
            [("ann", 500, WRONG)],
            [("ann", 1000, LATE)],
            "ann is short by 5.00, settled wrongly\n",
        ),
    ],
    ids=["never paid", "paid late", "paid late and too little"],
)
def test_a_blackjack_not_paid_before_the_next_card(
    settled: list[str], owed: list[object], made_good: list[object], said: str
) -> None:
    result = checked(*settled)
    assert [(s.who, s.amount, s.basis) for s in result.short] == owed
    assert [(s.who, s.amount, s.basis) for s in result.made_good] == made_good
    assert said in text.text(result)
    # At its event it was not paid.
    assert [(s.who, s.amount, s.basis) for s in result.entries[0].short] == [("ann", 1500, LATE)]


def test_settlements_that_cannot_have_happened_are_in_no_sum_and_that_is_said() -> None:
    paid = "dealer pay player=ann hand=B1H1 kind=initial amount=1500"
    to_nobody = "dealer pay player=eve hand=B1H1 kind=initial amount=1500"
    result = checked(paid, to_nobody)
    assert (result.short, result.unreckoned) == ((), 1)
    said = text.text(result)
    assert "A settlement that cannot have happened as logged is in no sum." in said
    assert "No party is short" not in said
    assert checked(paid).unreckoned == 0
    said = text.text(checked(paid, to_nobody, to_nobody))
    assert "2 settlements that cannot have happened as logged are in no sum." in said


def test_what_moves_no_money_is_not_counted_among_settlements() -> None:
    result = checked("dealer announce_total hand=B3H1 total=12")
    assert result.unreckoned == 0
    assert {f.verdict for f in result.faults} == {"broken", "impossible"}
    assert "in no sum" not in text.text(result)


# ------------------------------------------------------------------------- what would have moved nothing, not made
VOID = """
ruleset: uk/blackjack-1994
options: {table_marked: true}
rounds:
- - licence_holder open_day
  - banker shuffle cards=312
  - player wager player=ann box=1 kind=initial amount=1000
  - player wager player=bob box=2 kind=initial amount=500
  - banker deal hand=B1H1 card=Ts
  - banker deal hand=B2H1 card=Th
  - banker deal hand=banker card=9d
  - banker deal hand=B1H1 card=9s
  - banker deal hand=B2H1 card=9h
  - player stand player=ann hand=B1H1
  - player stand player=bob hand=B2H1
  - banker deal hand=banker card=Tc
  - banker give_back player=ann hand=B1H1 kind=initial
"""
"""19 against 19: both wagers are void, and Ann has hers back."""


def void(*settled: str) -> CheckResult:
    ready = prepare("uk/blackjack-1994")
    rest = "".join(f"  - {line}\n" for line in (*settled, "banker end_game"))
    return check_logs(
        [open_stream("log.yaml", io.BytesIO((VOID + rest).encode()), ready.binding.schema)], ready
    )


def test_of_a_void_wager_that_is_left_it_is_not_said_that_nobody_is_short() -> None:
    result = void()
    assert [f.verdict for f in result.faults] == ["broken"]
    assert (result.short, result.unmade) == ((), 1)
    said = text.text(result)
    assert "A settlement that was due and not made is in no sum: what became of the money the log" in said
    assert "No party is short" not in said


def test_a_void_wager_that_is_collected_leaves_its_player_short_of_the_stake() -> None:
    result = void("banker collect player=bob hand=B2H1 kind=initial")
    assert [(s.who, s.amount, s.basis) for s in result.short] == [("bob", 500, WRONG)]
    assert result.unmade == 0
    assert "bob is short by 5.00, settled wrongly\n" in text.text(result)


def test_a_void_wager_that_goes_back_is_in_order() -> None:
    result = void("banker give_back player=bob hand=B2H1 kind=initial")
    assert (result.entries_total, result.unmade) == (0, 0)
