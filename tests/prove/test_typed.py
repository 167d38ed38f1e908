"""Questions of every state that the types allow: answers, their scopes, and that the interpreter has its say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from verifier.core.lower import lower
from verifier.core.program import EVENT_PREFIX, Program
from verifier.model import terms as m
from verifier.model.load import load
from verifier.model.ruleset import Param
from verifier.model.terms import Term
from verifier.model.types import BOOL, INT, IntT, Type
from verifier.prove import typed as typed_module
from verifier.prove.abstract import EVERYWHERE
from verifier.prove.encode import Encoded, Encoder, Variables
from verifier.prove.question import Answer, Never, Nothing, Question, Sometimes, Unknown
from verifier.prove.scope import Scope, scope_of
from verifier.prove.solve import Settings
from verifier.prove.typed import Typed, scope_text
from verifier.prove.values import not_
from verifier.run.machine import Machine

RULES = Path(__file__).parent / "rules"
BOTH = ("z3", "cvc5")


@cache
def program() -> Program:
    return lower(load(RULES / "typed-depot.rules"))


@cache
def scope() -> Scope:
    return scope_of(program(), {"Carter": ("p", "q")}, narrowed={"Bay": (1, 2)}, slots={"Cart.sacks": 2})


@cache
def depot() -> Typed:
    return Typed(program(), scope(), Settings())


def type_of(name: str) -> Type:
    return program().ruleset.entities[name].type if name == "Cart" else program().ruleset.types[name]


def params(**types: str) -> tuple[Param, ...]:
    return tuple(Param(name, type_of(type_)) for name, type_ in types.items())


def so(function: str, *args: Term) -> Term:
    return m.CallF(BOOL, function, args)


def var(param: Param, prefix: str = "") -> m.Var:
    return m.Var(param.type, prefix + param.name)


def of_cart(function: str) -> Question:
    (cart,) = params(c="Cart")
    return Question((cart,), so(function, var(cart)))


def is_never(answer: Answer) -> str:
    """The scope of a `never`."""
    assert isinstance(answer, Never), answer
    assert answer.how == "typed"
    assert answer.by == BOTH
    return answer.scope


def is_sometimes(answer: Answer) -> Sometimes:
    assert isinstance(answer, Sometimes), answer
    assert answer.by == (*BOTH, "interpreter")
    assert answer.play is None
    return answer


def machine(answer: Sometimes) -> Machine:
    found = Machine(program(), dict(answer.options))
    found.enter(answer.state)
    return found


# ---------------------------------------------------------------------------------------- never, and how far
def conflict(a: str, b: str) -> Question:
    (cart,) = params(c="Cart")
    return Question(
        (cart,), m.AndT(BOOL, (so(f"applies {a} #1", var(cart)), so(f"applies {b} #1", var(cart))))
    )


def test_two_conditions_that_exclude_each_other_do_so_in_every_state() -> None:
    assert is_never(depot().ask(conflict("4.1(a)", "4.1(c)"))) == EVERYWHERE


def test_two_conditions_that_overlap_are_shown_in_a_state() -> None:
    found = is_sometimes(depot().ask(conflict("4.1(a)", "4.1(b)")))
    assert machine(found).function("weight", (found.values["c"],)) == 10
    assert found.scope == "2 Carter, Bay 1 and 2, at most 2 Cart.sacks"


def test_what_hangs_on_the_elements_of_a_list_holds_for_lists_of_any_length() -> None:
    assert is_never(depot().ask(of_cart("too_much"))) == EVERYWHERE
    assert is_sometimes(depot().ask(of_cart("two_sacks_make_ten")))


def test_what_hangs_on_all_entities_holds_within_the_scope() -> None:
    assert is_never(depot().ask(of_cart("sealed_yet_none_is"))) == scope_text(scope(), program())


@pytest.mark.parametrize("likely", ["never", "sometimes"])
def test_what_is_likely_changes_no_answer(likely: str) -> None:
    for question, never in (
        (conflict("4.1(a)", "4.1(c)"), EVERYWHERE),
        (of_cart("too_much"), EVERYWHERE),
        (of_cart("is_sealed"), None),
    ):
        answer = depot().ask(question, likely=likely)  # type: ignore[arg-type]
        assert (answer.scope if isinstance(answer, Never) else None) == never


@pytest.mark.parametrize(
    ("function", "holds"),
    [("owes", False), ("owes_more", False), ("twice_behind", False), ("behind_itself", True)],
)
def test_readings_of_the_same_thing_are_the_same(function: str, holds: bool) -> None:
    answer = depot().ask(of_cart(function))
    if holds:
        assert is_sometimes(answer)
    else:
        assert is_never(answer) == EVERYWHERE


# --------------------------------------------------------------------------------------------- parameters
def test_entities_are_those_that_exist_and_people_those_met() -> None:
    (person,) = params(p="Carter")
    assert is_never(depot().ask(of_cart("lost")))
    assert is_never(depot().ask(Question((person,), so("stranger", var(person)))))
    found = is_sometimes(depot().ask(of_cart("is_sealed")))
    assert found.values["c"] in machine(found).refs("Cart")


def test_other_parameters_range_over_their_type() -> None:
    n = Param("n", IntT(0, 20))
    found = is_sometimes(depot().ask(Question((n,), so("toll_is", var(n)))))
    assert found.state.fields["toll"] == found.values["n"]
    assert is_never(depot().ask(Question((n,), so("late", var(n)))))
    rank = Param("n", IntT(1, 4))
    assert is_never(depot().ask(Question((rank,), so("ranked", var(rank)))))


def test_options_are_stated_and_meet_every_requirement() -> None:
    assert is_never(depot().ask(Question((), so("cheap_surcharge")))) == EVERYWHERE
    assert is_sometimes(depot().ask(Question((), so("dear_surcharge")))).options == {
        "limit": 4,
        "surcharge": True,
    }


def test_without_options_that_meet_the_requirements_nothing_is_said() -> None:
    ruleset = program().ruleset
    never = replace(ruleset.requirements[0], condition=m.Lit(BOOL, False))
    broken = replace(program(), ruleset=replace(ruleset, requirements=(never,)))
    answer = Typed(broken, scope(), Settings()).ask(of_cart("is_sealed"))
    assert answer == Unknown(
        "no options are known to meet every requirement: unsat", scope=scope_text(scope(), program())
    )


# ------------------------------------------------------------------------------------------------- events
def put(condition: Callable[[m.Var], Term]) -> Question:
    cart = program().ruleset.events["put"].params[0]
    return Question((), condition(var(cart, EVENT_PREFIX)), event="put")


def weight(cart: m.Var) -> Term:
    return m.CallF(program().functions["weight"].type, "weight", (cart,))


def compared(op: str) -> Question:
    return put(lambda c: m.CompareT(BOOL, op, m.AfterT(c.type, weight(c)), weight(c)))  # type: ignore[arg-type]


def test_what_an_event_leaves_is_read() -> None:
    assert is_never(depot().ask(compared("<"))) == scope_text(scope(), program())
    found = is_sometimes(depot().ask(compared(">")))
    assert set(found.values) == {EVENT_PREFIX + "cart", EVENT_PREFIX + "sack"}
    cart, sack = found.values[EVENT_PREFIX + "cart"], found.values[EVENT_PREFIX + "sack"]
    assert isinstance(sack, tuple)
    assert sack[1] > 0
    before = found.state.entities["Cart"].get(cart, {})  # type: ignore[call-overload]
    assert not before.get("sealed", False)


def test_an_event_that_cannot_be_applied_is_none() -> None:
    assert is_never(depot().ask(put(lambda c: so("is_sealed", c)))) == EVERYWHERE


def test_an_event_may_name_what_does_not_exist() -> None:
    assert is_sometimes(depot().ask(put(lambda c: so("lost", c))))


# ------------------------------------------------------------------------------------ what there must not be
def test_there_is_none_of_what_must_not_be() -> None:
    n = Param("n", IntT(0, 20))
    every_toll = Question((), m.Lit(BOOL, True), none=(Nothing((n,), so("toll_is", var(n))),))
    assert is_never(depot().ask(every_toll))
    few = Param("n", IntT(0, 19))
    found = is_sometimes(depot().ask(replace(every_toll, none=(Nothing((few,), so("toll_is", var(few))),))))
    assert found.state.fields["toll"] == 20


def test_none_may_speak_of_the_question_itself() -> None:
    (cart,) = params(c="Cart")
    (other,) = params(d="Cart")
    question = of_cart("is_sealed")
    assert is_never(depot().ask(replace(question, none=(Nothing((other,), so("is_sealed", var(other))),))))
    different = m.AndT(BOOL, (so("is_sealed", var(other)), m.CompareT(BOOL, "!=", var(other), var(cart))))
    found = is_sometimes(depot().ask(replace(question, none=(Nothing((other,), different),))))
    sealed = [c for c in machine(found).refs("Cart") if machine(found).function("is_sealed", (c,))]
    assert sealed == [found.values["c"]]


def test_there_must_be_no_value_even_of_a_type_without_end() -> None:
    paid = next(f.type for f in program().ruleset.entities["Cart"].fields if f.name == "paid")
    money = Param("a", paid)
    (cart,) = params(c="Cart")
    same = m.CompareT(BOOL, "=", m.Field(paid, "Cart", "paid", var(cart)), var(money))
    assert is_never(depot().ask(replace(of_cart("is_sealed"), none=(Nothing((money,), same),))))
    below = m.CompareT(BOOL, "<", var(money), m.Field(paid, "Cart", "paid", var(cart)))
    less = m.AndT(BOOL, (below, m.CompareT(BOOL, ">=", var(money), m.Lit(INT, 0))))
    found = is_sometimes(depot().ask(replace(of_cart("is_sealed"), none=(Nothing((money,), less),))))
    entity = found.state.entities["Cart"][found.values["c"]]  # type: ignore[index]
    assert entity.get("paid", 0) == 0


# ------------------------------------------------------------------------------------------- what is assumed
def test_what_is_assumed_is_used() -> None:
    high = Question((), so("high"))
    assert is_sometimes(depot().ask(high))
    assert is_never(depot().ask(high, [so("low")])) == scope_text(scope(), program())
    found = is_sometimes(depot().ask(of_cart("is_sealed"), [so("low")]))
    assert machine(found).function("low", ()) is True


def test_no_more_is_assumed_than_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    here = Typed._here

    def counting(self: Typed, question: Question, assuming: tuple[Term, ...], *rest: Any, **more: Any) -> Any:
        asked.append(len(assuming))
        return here(self, question, assuming, *rest, **more)

    monkeypatch.setattr(Typed, "_here", counting)
    is_never(depot().ask(of_cart("sealed_yet_none_is"), [so("low")]))
    assert asked == [0]
    others = [m.NotT(BOOL, m.NotT(BOOL, so("low"))), so("low")]
    is_never(depot().ask(Question((), so("high")), others))
    assert asked == [0, 0, 2]
    is_sometimes(depot().ask(of_cart("is_sealed"), others))
    assert asked[3:] in ([0], [0, 2])


@pytest.mark.parametrize("degrees", [0, 1, 2, 6])
def test_how_soon_all_is_assumed_changes_no_answer(monkeypatch: pytest.MonkeyPatch, degrees: int) -> None:
    monkeypatch.setattr(typed_module, "DEGREES", degrees)
    monkeypatch.setattr(typed_module, "AT_ONCE", 1)
    others = [so("low"), m.NotT(BOOL, so("high")), m.NotT(BOOL, m.NotT(BOOL, so("low")))]
    is_never(depot().ask(Question((), so("high")), others))
    found = is_sometimes(depot().ask(of_cart("is_sealed"), others))
    assert machine(found).function("low", ()) is True


def test_what_can_not_be_assumed_proves_nothing() -> None:
    answer = depot().ask(of_cart("is_sealed"), [so("low"), so("high")])
    assert isinstance(answer, Unknown)
    assert not answer.disagree
    assert answer.why.startswith("what is assumed is not known to be possible")


# ------------------------------------------------------------------------------------------------ honesty
def test_what_is_not_linear_is_unknown() -> None:
    answer = depot().ask(Question((), so("product")))
    assert isinstance(answer, Unknown)
    assert "not linear" in answer.why
    assert not answer.disagree


def test_what_is_too_large_to_be_encoded_is_unknown_and_leaves_the_next_question_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(typed_module, "MOST_STEPS", 10)
    limited = Typed(program(), scope(), Settings())
    for _ in range(100):
        answer = limited.ask(of_cart("sealed_yet_none_is"), likely="sometimes")
        assert isinstance(answer, Unknown)
        assert not answer.disagree
        assert answer.why.startswith("what is asked is more than 10 terms in this scope; it is too large")
        assert answer.scope == scope_text(scope(), program())
        is_sometimes(limited.ask(of_cart("is_sealed")))


def test_a_state_that_the_interpreter_denies_is_a_disagreement(monkeypatch: pytest.MonkeyPatch) -> None:
    class Wrong(Encoder):
        def encode(self, term: Term, variables: Variables) -> Encoded:
            found = super().encode(term, variables)
            if isinstance(term, m.CompareT) and term.op == ">":
                return Encoded(not_(found.value), found.defined)
            return found

    monkeypatch.setattr(typed_module, "Encoder", Wrong)
    answer = Typed(program(), scope(), Settings(solvers=("z3",))).ask(Question((), so("high")))
    assert isinstance(answer, Unknown)
    assert answer.disagree
    assert answer.why == "the interpreter denies what z3 found: the condition is not true"


def test_the_same_is_asked_whatever_was_asked_before(tmp_path: Path) -> None:
    questions = [conflict("4.1(a)", "4.1(c)"), of_cart("too_much"), of_cart("is_sealed"), compared(">")]
    written = []
    for order in (questions, questions[::-1]):
        folder = tmp_path / str(len(written))
        fresh = Typed(program(), scope(), Settings(solvers=("z3",), smt2=folder))
        for question in order:
            fresh.ask(question, name=str(questions.index(question)))
        written.append({path.name: path.read_text() for path in folder.iterdir()})
    assert written[0] == written[1]
    assert len(written[0]) == 10


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"ids": {"Carter": ("p",)}}, "1 Carter"),
        (
            {
                "ids": {"Carter": ("p", "q")},
                "narrowed": {"Bay": (1, 2, 3), "limit": (2, 5)},
                "money_parts": 2,
            },
            "2 Carter, Bay 1 to 3, limit 2 and 5, amounts in parts of 1/2",
        ),
        (
            {"ids": {"Carter": ("p",)}, "entities": {"Cart": [("p", 1)]}, "slots": {"Cart.sacks": 3}},
            "1 Carter, at most 3 Cart.sacks, Cart Cart(p, 1)",
        ),
        ({"ids": {"Carter": ("p",)}, "narrowed": {"Load": (1,)}}, "1 Carter, Load coal"),
    ],
)
def test_scopes_in_words(given: dict[str, object], text: str) -> None:
    assert scope_text(scope_of(program(), **given), program()) == text  # type: ignore[arg-type]


def test_a_question_written_out_says_what_it_means(tmp_path: Path) -> None:
    Typed(program(), scope(), Settings(solvers=("z3",), smt2=tmp_path)).ask(
        Question((), so("high")), [so("low")], "a name", "Nothing is high."
    )
    heads = [
        " ".join(line.removeprefix("; ") for line in place.read_text().splitlines() if line.startswith(";"))
        for place in tmp_path.glob("a-name.*.smt2")
    ]
    head = (
        "a name Nothing is high. Of 2 Carter, Bay 1 and 2, at most 2 Cart.sacks: unsat means that "
        "no state, with options and values, is what is asked for."
    )
    assert sorted(heads) == [head, f"{head} Supposed, and proved to be kept by every event: low"]
