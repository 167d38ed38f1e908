"""From a play's kinds of event to a play that answers a question: the cards and amounts are chosen, nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from cloakroom import COAT, EXAMPLES, FUR, cloakroom, evening, happening, hung, played

from verifier.core.lower import lower
from verifier.core.program import EVENT_PREFIX, Program
from verifier.model import terms as m
from verifier.model.load import load
from verifier.model.ruleset import Param
from verifier.model.types import BOOL, INT, MONEY
from verifier.prove import scenario
from verifier.prove.explore.replay import replay
from verifier.prove.question import Nothing, Play, Question, Sometimes
from verifier.prove.scenario import find_play
from verifier.prove.solve import Settings
from verifier.prove.steering import steering
from verifier.prove.unroll import Unrolled, scope_along
from verifier.run.bench import Happening

SETTINGS = Settings()
ANNS_COAT = ("ann", COAT)
ITEM = "Item"


def item(program: Program) -> m.Var:
    return m.Var(program.ruleset.entities[ITEM].type, "i")


def worth(of: m.Term) -> m.Term:
    return m.Field(MONEY, ITEM, "worth", of)


def amount(value: int) -> m.Term:
    return m.Lit(MONEY, value)


def both(*items: m.Term) -> m.Term:
    return m.AndT(BOOL, items)


def compared(left: m.Term, op: Any, right: m.Term) -> m.Term:
    return m.CompareT(BOOL, op, left, right)


def here(of: m.Term) -> m.Term:
    return m.Field(BOOL, ITEM, "here", of)


def about_item(condition: Callable[[m.Var], m.Term]) -> Question:
    var = item(cloakroom())
    return Question((Param("i", var.type),), condition(var))


def found(skeleton: Play, question: Question, lawful: bool = True, **more: Any) -> Sometimes | None:
    return find_play(cloakroom(), skeleton, question, lawful, SETTINGS, **more)


EVENING = (
    *evening(*hung("ann"), happening("guest", "pay_fee", ANNS_COAT, 20)),
    happening("attendant", "give_back", ANNS_COAT),
)


def test_the_amounts_are_chosen_and_the_play_is_lawful() -> None:
    question = about_item(lambda i: both(here(i), compared(worth(i), "=", amount(1234))))
    answer = found(played(*EVENING), question)
    assert answer is not None
    assert answer.play is not None
    assert answer.play.lawful
    assert answer.values == {"i": ANNS_COAT}
    assert answer.state.entities[ITEM][ANNS_COAT]["worth"] == 1234
    assert [h.event for h in answer.play.happenings] == [
        h.event for h in EVENING[: len(answer.play.happenings)]
    ]


def test_what_no_choice_brings_about_is_not_found() -> None:
    question = about_item(lambda i: both(here(i), compared(worth(i), "<", amount(0))))
    assert found(played(*EVENING), question) is None
    assert found(played(*EVENING), question, lawful=False) is None


def test_the_question_may_hold_before_the_end() -> None:
    """The article is gone at the end; it is here after every event between the first and the last."""
    answer = found(played(*EVENING), about_item(here))
    assert answer is not None
    assert answer.play is not None
    assert len(answer.play.happenings) == 2


def test_a_lawful_play_keeps_to_every_rule() -> None:
    """3.1 fixes the fee of a coat: another amount is paid only by breaking it."""
    paid = replace(
        about_item(lambda i: compared(m.Var(MONEY, EVENT_PREFIX + "amount"), "=", amount(19))),
        event="pay_fee",
    )
    assert found(played(*EVENING), paid) is not None, "the event itself may be any"
    after = about_item(lambda i: both(m.Field(BOOL, ITEM, "paid", i), compared(worth(i), "=", amount(7))))
    answer = found(played(*EVENING), after)
    assert answer is not None
    assert answer.play is not None
    fees = [h.values[1] for h in answer.play.happenings if h.event == "pay_fee"]
    assert fees == [20]


def test_an_unlawful_play_breaks_what_it_must_and_nothing_else() -> None:
    """Nothing is due back before it is paid for, so this one breaks 3.4; the fee of the other is right."""
    skeleton = played(
        *evening(*hung("ann"), *hung("bob"), happening("guest", "pay_fee", ("bob", COAT), 3)),
        happening("attendant", "give_back", ANNS_COAT),
    )
    assert skeleton.broken == ("3.1", "3.4 [pay]")
    back = about_item(lambda i: both(m.NotT(BOOL, here(i)), compared(worth(i), ">", amount(5))))
    assert found(skeleton, back) is None
    answer = found(skeleton, back, lawful=False)
    assert answer is not None
    assert answer.play is not None
    assert answer.play.broken == ("3.4 [pay]",)


def test_an_event_is_asked_about_where_the_play_has_it_and_after_the_last() -> None:
    amount_paid = m.Var(MONEY, EVENT_PREFIX + "amount")
    var = m.Var(cloakroom().ruleset.entities[ITEM].type, EVENT_PREFIX + "item")
    question = Question((), both(compared(amount_paid, ">", worth(var)), here(var)), event="pay_fee")
    answer = found(played(*evening(*hung("ann"))), question)
    assert answer is not None
    assert answer.values[EVENT_PREFIX + "item"] == ANNS_COAT
    assert answer.values[EVENT_PREFIX + "amount"] > answer.state.entities[ITEM][ANNS_COAT]["worth"]  # type: ignore[operator]


def test_an_event_may_be_asked_what_it_leaves() -> None:
    var = m.Var(cloakroom().ruleset.entities[ITEM].type, EVENT_PREFIX + "item")
    gone = m.AfterT(BOOL, m.NotT(BOOL, here(var)))
    question = Question((), both(here(var), gone, compared(worth(var), "=", amount(77))), event="give_back")
    answer = found(played(*EVENING), question)
    assert answer is not None
    assert answer.values == {EVENT_PREFIX + "item": ANNS_COAT}
    assert answer.state.entities[ITEM][ANNS_COAT]["worth"] == 77


def test_options_stay_unless_they_are_free() -> None:
    limit = cloakroom().ruleset.options["most_on_a_peg"].type
    question = about_item(
        lambda i: both(here(i), compared(m.OptionGet(limit, "most_on_a_peg"), "=", m.Lit(INT, 2)))
    )
    skeleton = played(*EVENING)
    assert found(skeleton, question) is None
    answer = found(skeleton, question, free_options=True)
    assert answer is not None
    assert answer.options == {"most_on_a_peg": 2}
    assert answer.play is not None
    assert answer.play.options == {"most_on_a_peg": 2}


def test_each_of_none_is_true_of_nothing() -> None:
    """A coat that is worth more than every other thing, and not less than itself."""
    type_ = cloakroom().ruleset.entities[ITEM].type
    mine, other = m.Var(type_, "i"), m.Var(type_, "j")
    dearer = Nothing((Param("j", type_),), compared(worth(other), ">=", worth(mine)))
    others = Nothing(
        (Param("j", type_),), both(compared(other, "!=", mine), compared(worth(other), ">=", worth(mine)))
    )
    skeleton = played(*evening(*hung("ann"), *hung("bob")))
    base = Question((Param("i", type_),), compared(worth(mine), ">", amount(0)))
    assert found(skeleton, replace(base, none=(dearer,))) is None
    answer = found(skeleton, replace(base, none=(others,)))
    assert answer is not None
    items = answer.state.entities[ITEM]
    assert all(
        f["worth"] < items[answer.values["i"]]["worth"]
        for ref, f in items.items()
        if ref != answer.values["i"]
    )  # type: ignore[index,operator]


def test_what_the_judge_does_not_confirm_is_not_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    question = about_item(here)

    def otherwise(program: Program, options: Any, happenings: Sequence[Happening]) -> Play | None:
        play = replay(program, options, happenings)
        return None if play is None else replace(play, breaches=(("2.2",), *play.breaches[1:]))

    monkeypatch.setattr(scenario, "replay", otherwise)
    assert found(played(*EVENING), question) is None
    assert found(played(*EVENING), question, lawful=False) is not None
    monkeypatch.setattr(scenario, "replay", lambda *_: None)
    assert found(played(*EVENING), question, lawful=False) is None


def test_what_the_interpreter_does_not_confirm_is_not_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    class Never:
        def holds(self, *_: object) -> bool:
            return False

    monkeypatch.setattr(scenario, "asker", lambda _: Never())
    assert found(played(*EVENING), about_item(here)) is None


def test_a_play_of_no_events_answers_what_an_empty_table_does() -> None:
    shut = Question((), m.NotT(BOOL, m.Get(BOOL, "doors")))
    answer = found(played(*EVENING), shut)
    assert answer is not None
    assert answer.play is not None
    assert answer.play.happenings == ()


def test_what_steers_an_event_stays() -> None:
    """The peg says whose articles grow; worth and amount say nothing about places."""
    assert steering(cloakroom(), "deposit") == {"item", "peg"}
    assert steering(cloakroom(), "pay_fee") == {"item"}
    program = blackjack()
    assert steering(program, "deal") == {"hand"}
    assert steering(program, "wager") == {"player", "box", "kind"}
    assert steering(program, "sit") == {"player", "box"}
    assert steering(program, "announce_total") == {"hand"}


def test_the_scope_is_what_the_play_meets() -> None:
    scope = scope_along(cloakroom(), played(*evening(*hung("bob"), *hung("ann", FUR, 3))))
    assert scope.ids == {"Guest": ("bob", "ann")}
    assert scope.entities == {"Hook": ((1,), (3,)), "Item": (("bob", COAT), ("ann", FUR))}
    assert scope.slots == {"Hook.articles": 1}


def test_the_same_play_is_unrolled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Play] = []

    def counted(program: Program, play: Play, free: bool, optional: bool) -> Unrolled:
        made.append(play)
        return Unrolled(program, play, free, optional)

    monkeypatch.setattr(scenario, "Unrolled", counted)
    monkeypatch.setattr(scenario, "_UNROLLED", [])
    for _ in range(3):
        assert found(played(*EVENING), about_item(here)) is not None
    assert len(made) == 1
    assert found(played(*EVENING[:-1]), about_item(here)) is None or len(made) == 2
    assert len(made) == 2, "another play is unrolled for itself"


# ------------------------------------------------------------------------------ 5.1(e) against 5.1(f)
@cache
def blackjack() -> Program:
    return lower(load("nz/blackjack-1998"))


OPTIONS: dict[str, object] = {
    "decks": 8,
    "boxes_on_layout": 7,
    "layout": 0,
    "cutting_cards": 1,
    "smallest_chip": 50,
    "burn_first_card": True,
    "minimum_increment": 0,
    "players_per_box": 3,
    "boxes_per_player": 7,
    "table_minimum": 500,
    "table_maximum": 100_000,
    "box_maximum_set": False,
    "player_maximum_set": False,
    "permitted_maximum": 100_000,
    "super_sevens_offered": False,
    "super_sevens_stake": 500,
}
DEALER, ANNS_HAND = (0, 1), (1, 1)


def round_of_blackjack() -> tuple[Happening, ...]:
    """Ann draws one card and stands, the dealer has three: whatever they are."""

    def deal(hand: object, rank: int) -> Happening:
        return happening("dealer", "deal", hand, (rank, 0))

    return (
        happening("operator", "open_table"),
        happening("player", "wager", "ann", 1, 0, 1000),
        happening("dealer", "close_bets"),
        deal(ANNS_HAND, 9),
        deal(DEALER, 5),
        deal(ANNS_HAND, 4),
        happening("dealer", "announce_total", ANNS_HAND, 15),
        happening("player", "draw", "ann", ANNS_HAND),
        deal(ANNS_HAND, 1),
        happening("dealer", "announce_total", ANNS_HAND, 17),
        happening("player", "stand", "ann", ANNS_HAND),
        deal(DEALER, 9),
        deal(DEALER, 4),
        happening("dealer", "announce_total", DEALER, 21),
        happening("dealer", "collect", ("ann", ANNS_HAND, 0)),
    )


def clash(program: Program, one: str, other: str) -> Question:
    """That the answer is due, and both rules give one, not the same."""
    decision = program.decisions["outcome"]
    first = next(case for case in decision.cases if case.rule == one)
    second = next(case for case in decision.cases if case.rule == other)
    args = tuple(m.Var(p.type, p.name) for p in decision.params)
    assert decision.asked is not None
    applying = (m.CallF(BOOL, case.applies, args) for case in (first, second))
    return Question(
        decision.params, both(decision.asked, *applying, compared(first.value, "!=", second.value))
    )


def test_two_totals_over_21_that_are_equal_are_found_in_words_and_not_in_play() -> None:
    program = blackjack()
    skeleton = replay(program, OPTIONS, round_of_blackjack())
    assert skeleton is not None
    question = clash(program, "5.1(e)", "5.1(f)")
    answer = find_play(program, skeleton, question, False, SETTINGS)
    assert answer is not None
    assert answer.play is not None
    wager = ("ann", ANNS_HAND, 0)
    assert answer.values["w"] == wager
    assert answer.state.entities["Wager"][wager]["open"] is True
    total, blackjack_ = answer.values["d"]  # type: ignore[misc]
    assert (total > 21, blackjack_) == (True, False)  # type: ignore[has-type]
    pips = [min(card[0] + 1, 10) for card in answer.state.entities["Hand"][ANNS_HAND]["cards"]]  # type: ignore[attr-defined]
    assert sum(pips) == total  # type: ignore[has-type]
    assert {"13.2 [collect]", "13.4"} <= set(answer.play.broken)
    assert len(answer.play.broken) <= 4
    assert find_play(program, skeleton, question, True, SETTINGS) is None


# ------------------------------------------------------------------------------------------------ chance
URN = """ruleset example/urn
law anyton/cloakroom
actors drawer
enum Ball: red | green
life table
state table
  reds: 0..9
event take(ball: Ball) by drawer
event refill by drawer
on take(b)
  reds = reds + 1 when b = red
chance take(ball) from 1 without replacement since refill
"""


def test_what_is_drawn_from_a_stock_is_drawn_no_more_often_than_there_is_of_it(tmp_path: Path) -> None:
    """In words too: a ball that is not there is not drawn."""
    path = tmp_path / "urn.rules"
    path.write_text(URN)
    program = lower(load(path, [EXAMPLES]))
    take, refill = happening("drawer", "take", 1), happening("drawer", "refill")
    question = Question((), compared(m.Get(INT, "reds"), "=", m.Lit(INT, 2)))

    def reds(*happenings: Happening) -> Sometimes | None:
        skeleton = replay(program, {}, happenings)
        assert skeleton is not None
        return find_play(program, skeleton, question, False, SETTINGS)

    assert reds(take, refill, take) is not None
    assert reds(take, happening("drawer", "take", 0)) is None
