"""An invariant is proved beside those conditions only that it needs, where all that holds would be too much."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from verifier.core.lower import lower
from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model.load import load
from verifier.model.types import BOOL
from verifier.prove import company, inducing, proving
from verifier.prove.company import in_company
from verifier.prove.conjectures import Named
from verifier.prove.decide import decide
from verifier.prove.desk import Desk
from verifier.prove.extent import scopes
from verifier.prove.proven import Proven
from verifier.prove.question import Answer, Never, Obligation, Question, Unknown
from verifier.prove.solve import Settings, Solved, Status
from verifier.prove.whole import every
from verifier.prove.written import written

RULES = Path(__file__).parent / "rules"
SETTINGS = Settings()


@cache
def program(name: str) -> Program:
    return lower(load(RULES / f"{name}.rules"))


def proven(name: str, *beside: str, most: int = company.MOST) -> Proven:
    turnstile = program("induct-turnstile")
    known = {one.name: one for one in [*written(turnstile), locked()]}
    pool = [known[other] for other in beside]
    return in_company(turnstile, scopes(turnstile)[0], known[name], "play", SETTINGS, pool, most)


def locked() -> Named:
    """That a coin is left where it is unlocked, without which `paid_for` is not inductive."""
    state = program("induct-turnstile").ruleset.state
    unlocked, turns, coins = (m.Get(state[n].type, n) for n in ("unlocked", "turns", "coins"))
    return Named("locked", m.OrT(BOOL, (m.NotT(BOOL, unlocked), m.CompareT(BOOL, "<", turns, coins))))


def names(found: Proven) -> set[str]:
    return {named.name for named in found.holding}


def answered(desk: Desk, name: str) -> Answer | None:
    return decide(desk, next(o for o in every(desk.program) if o.id == name)).play


def test_what_holds_by_itself_takes_no_company() -> None:
    assert names(proven("unkicked", "idle", "either")) == {"unkicked"}


def test_what_a_state_contradicts_is_proved_beside_it_and_nothing_else_is_asked() -> None:
    found = proven("paid_for", "idle", "either", "locked")
    assert names(found) == {"paid_for", "locked"}
    assert found.by == ("z3", "cvc5")


def test_without_what_it_takes_it_is_not_proved() -> None:
    assert "paid_for" not in names(proven("paid_for", "idle", "either", "unkicked"))


def test_beside_fewer_conditions_than_it_takes_it_is_not_proved() -> None:
    assert "paid_for" in names(proven("paid_for", "locked", most=2))
    assert "paid_for" not in names(proven("paid_for", "locked", most=1))


def test_what_does_not_hold_is_proved_in_no_company_and_of_the_company_nothing_is_taken_on_trust() -> None:
    assert "poor" not in names(proven("poor", "idle", "either", "unkicked", "paid_for"))
    assert not names(proven("rich", "poor")) & {"rich", "poor"}


@pytest.fixture
def lots(monkeypatch: pytest.MonkeyPatch) -> Desk:
    """Where no scope made for a question is small enough for an induction of all."""
    monkeypatch.setattr(inducing, "MOST_PLACES", 0)
    return Desk(program("counted-lots"), SETTINGS)


@pytest.mark.parametrize("name", ["invariant five_open", "invariant ten_calls"])
def test_what_counts_many_is_proved_where_there_are_as_many(lots: Desk, name: str) -> None:
    found = answered(lots, name)
    assert isinstance(found, Never)
    assert found.how == "induction"
    # of a list that is as long as it may be the scope says nothing
    assert found.scope == ("6 Holder, at most 3 calls" if name.endswith("open") else "2 Holder")


def test_what_is_false_of_so_many_is_not_proved(lots: Desk) -> None:
    assert not isinstance(answered(lots, "invariant four_at_most"), Never)
    assert not isinstance(answered(lots, "invariant nine_calls"), Never)


def test_a_scope_with_too_many_fields_is_not_looked_at(lots: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(company, "MOST_PLACES", 0)
    found = answered(lots, "invariant five_open")
    assert isinstance(found, Unknown)
    assert "counts more things" in found.why


def test_what_takes_two_is_proved_where_there_are_two() -> None:
    desk = Desk(program("company-pair"), SETTINGS)
    found = answered(desk, "invariant one_a_peg")
    assert isinstance(found, Never)
    assert "2 Guest" in found.scope
    assert not isinstance(answered(desk, "invariant one_alone"), Never)


def test_what_takes_two_is_not_proved_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(company, "MOST_PLACES", 0)
    found = answered(Desk(program("company-pair"), SETTINGS), "invariant one_a_peg")
    assert isinstance(found, Unknown)
    assert found.why == inducing.NOWHERE_ELSE


def test_what_is_to_be_none_is_left_out_where_it_counts_more_than_there_is(lots: Desk) -> None:
    """Of a question that wants less, that nothing answers it is more."""
    questions = {o.id: o.question for o in every(lots.program)}
    five, plain = (
        one
        for name in ("invariant five_open", "invariant no_lot_above_100")
        if (question := questions[name]) is not None
        for one in question.none
    )
    asked = Question((), m.Lit(BOOL, True), none=(five, plain))
    obligation = Obligation("asked", "invariant", "", (), question=asked, modes=("play",))
    lean = inducing._without_what_counts_more(lots, obligation)
    assert lean is not None
    assert lean.question == replace(asked, none=(plain,))
    assert inducing._without_what_counts_more(lots, lean) is None
    assert inducing._without_what_counts_more(lots, replace(obligation, wanted="sometimes")) is None


def told(status: Status, why: str) -> Callable[..., Solved]:
    """A solver that can say nothing else about an induction."""

    def solve(conditions: object, settings: Settings, *rest: object) -> Solved:
        return Solved(status, None, "", (), why)

    return solve


def test_what_no_solver_can_tell_is_said_of_the_event(lots: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proving, "solve", told("unknown", "cvc5: tired"))
    found = answered(lots, "invariant five_open")
    assert isinstance(found, Unknown)
    assert not found.disagree
    assert re.fullmatch(r"whether `\w+` keeps it: cvc5: tired.*", found.why)


@pytest.mark.parametrize("name", ["invariant five_open", "invariant no_lot_above_100"])
def test_solvers_that_contradict_each_other_about_an_induction_are_a_disagreement(
    lots: Desk, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """It is no invariant less, but a fault of ours."""
    monkeypatch.setattr(proving, "solve", told("disagree", "z3 says unsat, cvc5 says sat"))
    found = answered(lots, name)
    assert isinstance(found, Unknown)
    assert found.disagree
    assert "cvc5 says sat" in found.why
