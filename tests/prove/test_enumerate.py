"""Going through the cases: what it proves, what it leaves, and that no solver ever finds what it ruled out."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random

import pytest

from verifier.core.lower import lower
from verifier.core.program import EVENT_PREFIX, Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.load import load
from verifier.model.ruleset import Param
from verifier.model.terms import Term
from verifier.model.types import BOOL, INT, IntT
from verifier.prove import enumerate as enumerate_module
from verifier.prove.abstract import EVERYWHERE
from verifier.prove.enumerate import Cases, Open, enumerated
from verifier.prove.question import Never, Nothing, Question, Sometimes
from verifier.prove.scope import scope_of
from verifier.prove.solve import Settings
from verifier.prove.typed import Typed

RULES = Path(__file__).parent / "rules"


@cache
def program() -> Program:
    return lower(load(RULES / "typed-depot.rules"))


@cache
def depot() -> Typed:
    scope = scope_of(program(), {"Carter": ("p", "q")}, narrowed={"Bay": (1, 2)}, slots={"Cart.sacks": 3})
    return Typed(program(), scope, Settings(solvers=("z3",)))


def cart(name: str = "c") -> Param:
    return Param(name, program().ruleset.entities["Cart"].type)


def so(function: str, *params: Param) -> Question:
    return Question(params, m.CallF(BOOL, function, tuple(m.Var(p.type, p.name) for p in params)))


def both(*questions: Question) -> Question:
    return Question(questions[0].params, m.AndT(BOOL, tuple(q.condition for q in questions)))


NEVER = [
    both(so("applies 4.1(a) #1", cart()), so("applies 4.1(c) #1", cart())),
    so("twice_behind", cart()),
    so("owes", cart()),
    so("owes_more", cart()),
    so("late", Param("n", IntT(0, 20))),
    so("ranked", Param("n", IntT(1, 4))),
    Question((), m.CompareT(BOOL, ">", m.OptionGet(IntT(1, 5), "limit"), m.Lit(INT, 5))),
    Question((), m.CompareT(BOOL, "!=", m.OptionGet(IntT(1, 5), "limit"), m.OptionGet(IntT(1, 5), "limit"))),
    Question((cart(),), m.Lit(BOOL, False)),
]
LEFT = [
    both(so("applies 4.1(a) #1", cart()), so("applies 4.1(b) #1", cart())),
    so("too_much", cart()),
    so("lost", cart()),
    so("behind_itself", cart()),
    so("product"),
    so("cheap_surcharge"),
    so("toll_is", Param("n", IntT(0, 20))),
    Question((), m.Lit(BOOL, True)),
]


@pytest.mark.parametrize("question", NEVER)
def test_no_case_is_a_proof_for_every_state(question: Question) -> None:
    assert enumerated(program(), question) == Never("typed", EVERYWHERE, ("enumeration",))


@pytest.mark.parametrize("question", LEFT)
def test_a_case_proves_nothing(question: Question) -> None:
    assert enumerated(program(), question) is None


def test_what_must_not_be_is_left_out() -> None:
    n = Param("n", IntT(0, 20))
    everything = Nothing((n,), m.Lit(BOOL, True))
    assert enumerated(program(), Question((), m.Lit(BOOL, True), none=(everything,))) is None


def test_before_and_after_an_event_are_two_states() -> None:
    toll = m.Get(program().ruleset.state["toll"].type, "toll")
    higher = m.CompareT(BOOL, ">", m.AfterT(toll.type, toll), toll)
    assert enumerated(program(), Question((), higher, "put")) is None
    assert enumerated(program(), Question((), m.CompareT(BOOL, ">", toll, toll), "put")) is not None
    beyond = m.CompareT(BOOL, ">", m.AfterT(toll.type, toll), m.Lit(INT, 20))
    assert enumerated(program(), Question((), beyond, "put")) is not None


def test_an_events_parameters_are_open() -> None:
    sack = program().ruleset.events["put"].params[1]
    weight = m.Part(IntT(0, 9), m.Var(sack.type, EVENT_PREFIX + sack.name), 1)
    for limit, never in ((8, False), (9, True)):
        found = enumerated(program(), Question((), m.CompareT(BOOL, ">", weight, m.Lit(INT, limit)), "put"))
        assert (found is not None) is never


def test_ranges_are_tried_not_every_value() -> None:
    """Two sums of up to 37 values each, compared with constants only: a handful of cases."""
    one, other = cart("c"), cart("d")
    question = Question(
        (one, other),
        m.AndT(
            BOOL,
            (
                so("applies 4.1(a) #1", one).condition,
                so("applies 4.1(c) #1", other).condition,
                so("applies 4.1(b) #1", one).condition,
                so("applies 4.1(b) #1", other).condition,
            ),
        ),
    )
    cases = Cases(program())
    assert not cases.can_hold(
        question.condition, {p.name: Open(("variable", p.name), p.type) for p in (one, other)}
    )
    assert cases.tried < 20


def test_too_many_cases_are_left_to_the_solvers(monkeypatch: pytest.MonkeyPatch) -> None:
    question = NEVER[0]
    assert enumerated(program(), question) is not None
    monkeypatch.setattr(enumerate_module, "MOST_WORK", 5)
    assert enumerated(program(), question) is None


# -------------------------------------------------------------------------------- against states and solvers
def number(rng: Random, depth: int) -> Term:
    ruleset = program().ruleset
    match rng.randrange(7 if depth else 5):
        case 0:
            return m.Lit(INT, rng.randrange(0, 25))
        case 1:
            return m.Get(ruleset.state["toll"].type, "toll")
        case 2:
            return m.OptionGet(IntT(1, 5), "limit")
        case 3:
            return m.CallF(program().functions["weight"].type, "weight", (m.Var(cart().type, "c"),))
        case 4:
            return m.Decide(IntT(1, 4), "grade", (m.Var(cart().type, "c"),))
        case 5:
            return m.Ite(INT, truth(rng, depth - 1), number(rng, depth - 1), number(rng, depth - 1))
        case _:
            return m.ArithT(INT, rng.choice(("+", "-")), number(rng, depth - 1), number(rng, depth - 1))


def truth(rng: Random, depth: int) -> Term:
    match rng.randrange(8 if depth else 4):
        case 0:
            return m.Field(BOOL, "Cart", "sealed", m.Var(cart().type, "c"))
        case 1:
            behind = m.Field(ty.OptT(cart().type), "Cart", "behind", m.Var(cart().type, "c"))
            return m.Field(BOOL, "Cart", "sealed", m.Force(cart().type, behind))
        case 2:
            return m.OptionGet(BOOL, "surcharge")
        case 3:
            op = rng.choice(("=", "!=", "<", "<=", ">", ">="))
            return m.CompareT(BOOL, op, number(rng, max(depth - 1, 0)), number(rng, max(depth - 1, 0)))
        case 4:
            return m.NotT(BOOL, truth(rng, depth - 1))
        case 5 | 6:
            return m.AndT(BOOL, tuple(truth(rng, depth - 1) for _ in range(rng.randint(2, 4))))
        case _:
            return m.OrT(BOOL, tuple(truth(rng, depth - 1) for _ in range(2)))


def test_no_solver_finds_what_enumeration_ruled_out() -> None:
    """Random conditions. The solver's states are evaluated by the interpreter too, and asked the other way round it
    says the same."""
    rng = Random(7)
    proved = found = 0
    for _ in range(120):
        items = tuple(truth(rng, 3) for _ in range(3))
        question = Question((cart(),), m.AndT(BOOL, items))
        answer = depot().ask(question)
        assert isinstance(answer, Never | Sometimes), answer
        assert type(depot().ask(question, likely="sometimes")) is type(answer)
        if enumerated(program(), question) is not None:
            assert isinstance(answer, Never), question
            proved += 1
        found += isinstance(answer, Sometimes)
    assert proved > 10
    assert found > 10
