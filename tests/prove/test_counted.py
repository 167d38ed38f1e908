"""What counts to five is asked where there are five: in a smaller scope five are never met."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier.core.lower import lower
from verifier.core.program import Program
from verifier.model.load import load
from verifier.prove.counted import Counted, counted
from verifier.prove.decide import decide
from verifier.prove.desk import Desk
from verifier.prove.extent import scopes
from verifier.prove.question import Decided, Never, Question, Sometimes
from verifier.prove.solve import Settings
from verifier.prove.whole import every


@pytest.fixture(scope="module")
def lots() -> Program:
    return lower(load(Path(__file__).parent / "rules" / "counted-lots.rules"))


@pytest.fixture(scope="module")
def desk(lots: Program) -> Desk:
    return Desk(lots, Settings(solvers=("z3",)))


def answered(desk: Desk, name: str) -> Decided:
    return decide(desk, next(o for o in every(desk.program) if o.id == name))


def question(program: Program, name: str) -> Question:
    found = next(o.question for o in every(program) if o.id == name)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("name", "holders", "calls"),
    [
        ("invariant four_at_most", 6, 3),
        ("invariant five_open", 7, 3),
        ("invariant ten_calls", 1, 11),
        ("invariant nine_calls", 1, 10),
        ("invariant few_marks", 6, 3),
    ],
)
def test_a_scope_has_as_much_as_the_question_counts(
    lots: Program, name: str, holders: int, calls: int
) -> None:
    found = counted(lots, scopes(lots)[:1], question(lots, name))
    assert found.whole
    assert [(len(s.ids["Holder"]), s.slots["calls"]) for s in found.scopes] == [(holders, calls)]


def test_what_counts_nothing_needs_no_more(lots: Program) -> None:
    assert counted(lots, scopes(lots)[:1], question(lots, "invariant open_is_out")).scopes == ()


@pytest.mark.parametrize(
    ("name", "events"),
    [("invariant four_at_most", 5), ("invariant nine_calls", 10), ("invariant few_marks", 10)],
)
def test_what_more_things_than_a_scope_has_can_break_is_refuted_by_play(
    desk: Desk, name: str, events: int
) -> None:
    found = answered(desk, name).play
    assert isinstance(found, Sometimes)
    assert found.play is not None
    assert found.play.lawful
    assert len(found.play.happenings) >= events


def test_what_play_refutes_among_as_many_costs_no_induction_among_them(lots: Program) -> None:
    fresh = Desk(lots, Settings(solvers=("z3",)))
    assert isinstance(answered(fresh, "invariant four_at_most").play, Sometimes)
    assert fresh._proven_within == {}


@pytest.mark.parametrize("name", ["invariant five_open", "invariant ten_calls"])
def test_what_holds_of_as_many_is_proved_where_there_are_as_many(desk: Desk, name: str) -> None:
    assert isinstance(answered(desk, name).play, Never)


def test_a_rule_that_counts_to_five_is_not_dead(desk: Desk) -> None:
    assert isinstance(answered(desk, "dead rule 5.2").words, Sometimes)


def test_to_have_visited_every_state_of_one_guest_proves_nothing_of_five() -> None:
    jetty = Desk(
        lower(load(Path(__file__).parent / "rules" / "counted-jetty.rules")), Settings(solvers=("z3",))
    )
    found = answered(jetty, "invariant five_aboard").play
    assert isinstance(found, Never)
    assert (found.how, "6 Guest" in found.scope) == ("induction", True)


def test_play_that_gets_stuck_among_three_is_not_proved_to_go_on() -> None:
    program = lower(load(Path(__file__).parent / "rules" / "counted-stuck.rules"))
    desk = Desk(program, Settings(solvers=("z3",)))
    answer = answered(desk, "stuck trip").play
    assert isinstance(answer, Sometimes)
    assert answer.play is not None
    assert answer.play.lawful
    assert [h.event for h in answer.play.happenings] == ["board"] * 3


def test_of_a_sum_of_amounts_nobody_can_tell_how_many_it_takes(lots: Program) -> None:
    assert counted(lots, scopes(lots)[:1], question(lots, "invariant all_bids")) == Counted((), False)
    assert counted(lots, scopes(lots)[:1], question(lots, "invariant bids_are_not_below_0")) == Counted(
        (), True
    )
    assert counted(lots, scopes(lots)[:1], question(lots, "invariant bids_of_one")) == Counted((), True)


def test_a_sum_of_amounts_is_not_proved_of_one(desk: Desk) -> None:
    assert isinstance(answered(desk, "invariant no_lot_above_100").play, Never)
    assert not isinstance(answered(desk, "invariant all_bids").play, Never)


@pytest.fixture(scope="module")
def shelf() -> Program:
    return lower(load(Path(__file__).parent / "rules" / "counted-shelf.rules"))


@pytest.mark.parametrize(
    ("name", "guests", "numbers"),
    [("invariant three_each", 1, 5), ("invariant two_each", 1, 4), ("invariant three_in_all", 5, 5)],
)
def test_what_is_counted_of_each_needs_no_more_of_them(
    shelf: Program, name: str, guests: int, numbers: int
) -> None:
    found = counted(shelf, scopes(shelf)[:1], question(shelf, name))
    assert found.whole
    assert [(len(s.ids["Guest"]), len(s.narrowed["Number"])) for s in found.scopes] == [(guests, numbers)]


def test_what_is_counted_of_each_is_proved_of_one_who_has_so_many(shelf: Program) -> None:
    desk = Desk(shelf, Settings(solvers=("z3",)))
    kept, broken = (answered(desk, f"invariant {name}").play for name in ("three_each", "two_each"))
    assert isinstance(kept, Never)
    assert kept.how == "induction"
    assert isinstance(broken, Sometimes)
    assert broken.play is not None
    assert broken.play.lawful
