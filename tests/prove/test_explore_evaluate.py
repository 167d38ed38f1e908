"""Whether a question is true at a concrete state is found out as the interpreter reads terms."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from verifier.core.lower import lower
from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.load import load
from verifier.model.ruleset import Param
from verifier.model.terms import Term
from verifier.model.types import BOOL, INT, MONEY
from verifier.prove.explore.evaluate import Asker, true_at
from verifier.prove.explore.replay import replay
from verifier.prove.question import Nothing, Question
from verifier.run.bench import Happening
from verifier.run.state import State

OPTIONS: dict[str, object] = {"chip": 50, "floor": 150, "double_pay": False}
RED, BLACK = 0, 1


@pytest.fixture(scope="module")
def till() -> Program:
    return lower(load(Path(__file__).parent / "rules" / "explore-till.rules"))


def by(actor: str, event: str, *values: object) -> Happening:
    return Happening(event, actor, values)


LAID = (by("guest", "lay", "ann", RED, 200), by("guest", "lay", "bob", BLACK, 150))
SPUN = (*LAID, by("banker", "close"), by("banker", "spin", RED))


def after(program: Program, *events: Happening, options: Mapping[str, object] = OPTIONS) -> State:
    play = replay(program, options, events)
    assert play is not None
    return play.state


class Names:
    """Terms of the till's ruleset, by hand."""

    def __init__(self, program: Program) -> None:
        ruleset = program.ruleset
        self.stake_type = ruleset.entities["Stake"].type
        self.colour = ruleset.types["Colour"]
        self.slip = ruleset.types["Slip"]
        self.stake = m.Var(self.stake_type, "s")
        self.amount = m.Field(MONEY, "Stake", "amount", self.stake)
        self.open = m.Field(BOOL, "Stake", "open", self.stake)
        self.of_colour = m.Part(self.colour, self.stake, 1)

    @property
    def a_stake(self) -> Param:
        return Param("s", self.stake_type)


def both(*items: Term) -> Term:
    return m.AndT(BOOL, items)


def compared(op: str, left: Term, right: Term) -> Term:
    return m.CompareT(BOOL, op, left, right)  # type: ignore[arg-type]


def whole(number: int) -> Term:
    return m.Lit(INT, number)


def test_an_entity_is_one_that_exists(till: Program) -> None:
    names = Names(till)
    question = Question((names.a_stake,), compared(">=", names.amount, whole(0)))
    assert true_at(till, after(till), OPTIONS, question) is None
    assert true_at(till, after(till, *LAID), OPTIONS, question) == {"s": ("ann", RED)}
    dear = Question((names.a_stake,), compared("=", names.amount, whole(150)))
    assert true_at(till, after(till, *LAID), OPTIONS, dear) == {"s": ("bob", BLACK)}


def test_what_is_undefined_is_not_true(till: Program) -> None:
    """Before the wheel is spun no rule says who wins: neither that nor its opposite is true."""
    names = Names(till)
    wins = m.Decide(BOOL, "wins", (names.stake,))
    for asked in (wins, m.NotT(BOOL, wins)):
        question = Question((names.a_stake,), asked)
        assert true_at(till, after(till, *LAID), OPTIONS, question) is None
        assert true_at(till, after(till, *SPUN), OPTIONS, question) is not None


def test_an_amount_is_solved_for(till: Program) -> None:
    """Money has no end of values: what an equation gives is tried, and what a comparison turns at."""
    names = Names(till)
    asker = Asker(till)
    due = m.ArithT(MONEY, "*", names.amount, m.Decide(ty.ODDS, "pays", (names.stake,)))
    exact = Question(
        (names.a_stake, Param("a", MONEY)), both(names.open, compared("=", m.Var(MONEY, "a"), due))
    )
    assert asker.find(exact, after(till, *SPUN), OPTIONS) == {"s": ("ann", RED), "a": 300}
    assert asker.complete(exact)
    more = Question(
        (Param("a", MONEY), names.a_stake),
        both(
            compared(">", m.Var(MONEY, "a"), due),
            compared("<", m.Var(MONEY, "a"), m.ArithT(MONEY, "+", due, whole(2))),
        ),
    )
    assert asker.find(more, after(till, *SPUN), OPTIONS) == {"s": ("ann", RED), "a": 301}
    assert not asker.complete(more)


def test_a_record_is_found_part_by_part(till: Program) -> None:
    names = Names(till)
    slip = m.Var(names.slip, "x")
    question = Question(
        (Param("x", names.slip), names.a_stake),
        both(
            compared("=", m.Part(names.colour, slip, 0), names.of_colour),
            compared(">", m.Part(ty.IntT(1, 3), slip, 1), whole(2)),
            compared("=", names.amount, whole(150)),
        ),
    )
    assert true_at(till, after(till, *LAID), OPTIONS, question) == {"x": (BLACK, 3), "s": ("bob", BLACK)}


def test_options_are_read_as_stated(till: Program) -> None:
    names = Names(till)
    question = Question(
        (names.a_stake,), compared("=", m.Decide(ty.ODDS, "pays", (names.stake,)), m.Lit(ty.ODDS, 2))
    )
    state = after(till, *LAID)
    assert true_at(till, state, OPTIONS, question) is None
    assert true_at(till, state, {**OPTIONS, "double_pay": True}, question) == {"s": ("bob", BLACK)}


def test_an_event_is_one_that_can_be_applied(till: Program) -> None:
    """Its arguments are found like the rest, and what it leaves can be read."""
    names = Names(till)
    paid = m.Var(names.stake_type, "@stake")
    left_open = m.AfterT(BOOL, m.Field(BOOL, "Stake", "open", paid))
    closes = Question((), m.NotT(BOOL, left_open), event="pay")
    assert true_at(till, after(till), OPTIONS, closes) is None, "a stake must be open to be paid"
    found = true_at(till, after(till, *SPUN), OPTIONS, closes)
    assert found is not None
    assert found["@stake"] == ("ann", RED)
    stays = Question((), left_open, event="pay")
    assert true_at(till, after(till, *SPUN), OPTIONS, stays) is None
    applies = "applies 5.2 #1 to lay"
    params = till.functions[applies].params
    odd = Question((), m.CallF(BOOL, applies, tuple(m.Var(p.type, p.name) for p in params)), event="lay")
    wrong = true_at(till, after(till), OPTIONS, odd)
    assert wrong is not None
    assert isinstance(wrong["@amount"], int)
    assert wrong["@amount"] <= 0 or wrong["@amount"] % 50


def test_an_event_may_bring_a_new_name(till: Program) -> None:
    guest = till.ruleset.types["Guest"]
    new = Question((), compared("!=", m.Var(guest, "@guest"), m.Lit(guest, "ann")), event="lay")
    found = true_at(till, after(till, LAID[0]), OPTIONS, new)
    assert found is not None
    assert found["@guest"] not in ("ann", "")
    only = Question((Param("g", guest),), compared("!=", m.Var(guest, "g"), m.Lit(guest, "ann")))
    assert true_at(till, after(till, LAID[0]), OPTIONS, only) is None, "a param is somebody known"


def test_that_there_is_nothing_is_asked_of_all_values(till: Program) -> None:
    names = Names(till)
    other = m.Var(names.stake_type, "o")
    beaten = Nothing(
        (Param("o", names.stake_type),),
        compared(">", m.Field(MONEY, "Stake", "amount", other), names.amount),
    )
    highest = Question((names.a_stake,), m.Lit(BOOL, True), none=(beaten,))
    assert true_at(till, after(till, *LAID), OPTIONS, highest) == {"s": ("ann", RED)}
    nobody = Question((), m.Lit(BOOL, True), none=(Nothing((names.a_stake,), names.open),))
    assert true_at(till, after(till), OPTIONS, nobody) == {}
    assert true_at(till, after(till, *LAID), OPTIONS, nobody) is None


def test_values_found_hold_and_others_do_not(till: Program) -> None:
    names = Names(till)
    asker = Asker(till)
    state = after(till, *LAID)
    question = Question((names.a_stake,), compared("=", names.amount, whole(150)))
    found = asker.find(question, state, OPTIONS)
    assert found is not None
    assert asker.holds(question, state, OPTIONS, found)
    assert not asker.holds(question, state, OPTIONS, {"s": ("ann", RED)})
