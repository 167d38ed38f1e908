"""What is guessed of a program, and what is not."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from verifier.core.lower import lower
from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.load import load
from verifier.model.terms import Term, free_variables
from verifier.model.types import BOOL, INT
from verifier.prove.clauses import closed, countable, every_reference
from verifier.prove.conjectures import conjectures, found_again, groups
from verifier.prove.facts import facts
from verifier.prove.probes import VAR, positive, probes
from verifier.prove.question import Mode
from verifier.run.machine import Machine
from verifier.run.state import State, first_state
from verifier.run.undefined import Undefined

RULES = Path(__file__).parent / "rules"
COIN = ty.IntT(0, 9)
COINS = m.Get(COIN, "coins")


@cache
def program(name: str) -> Program:
    return lower(load(RULES / f"induct-{name}.rules"))


def names(name: str, mode: Mode = "words", seen: tuple[State, ...] = ()) -> list[str]:
    return [guess.name for guess in conjectures(program(name), mode, seen)]


def turnstile(**fields: object) -> State:
    state = first_state(program("turnstile").ruleset)
    return replace(state, fields={**state.fields, **fields})


# ----------------------------------------------------------------------------------------------------- facts
def test_lists_entities_and_references_suggest_what_they_keep() -> None:
    found = names("lockers")
    assert "every x in Locker: the length of x.things < 2 or x.things[2].place = 2" in found
    assert "last does not exist or some other in Locker: other = last" in found
    unborn = "every x_no in Number: (some other in Locker: other = Locker(x_no)) or "
    assert f"{unborn}Locker(x_no).holder does not exist" in found
    assert f"{unborn}not Locker(x_no).open" in found
    assert "every x in Locker: x.no = 1 or some other in Locker: other = Locker(x.no - 1)" in found


def test_what_nothing_writes_stays_as_it_was() -> None:
    assert "not idle" in names("turnstile")[:1]
    assert "opened" not in " ".join(names("lockers")[:1])


def test_prohibitions_are_limits_in_play_only() -> None:
    limit = "every locker in Locker: locker.holder exists"
    assert limit in names("lockers", "play")
    assert limit not in names("lockers", "words")


def test_a_limit_is_passed_or_reached() -> None:
    """`amount < smallest` forbids renting for less: with an amount of nothing it says something of no state."""
    texts = [guess.name for guess in conjectures(program("lockers"), "play")]
    assert not any("smallest" in text for text in texts[: len(list(facts(program("lockers"), "play")))])


# --------------------------------------------------------------------------------------------------- clauses
def test_clauses_are_of_flags_of_relations_and_of_one_thing() -> None:
    found = names("turnstile")
    assert "not unlocked or not turns >= coins" in found
    assert "coins >= turns or turns >= coins" in found
    assert "not unlocked or not coins = 0" in found
    assert "every x in Locker: x.holder exists or x.deposit = 0" in names("lockers")
    assert "not rented or last exists" in names("lockers")
    assert "every x in Guest: x not in keys or rented" in names("lockers")


def test_what_was_seen_is_contradicted_by_none() -> None:
    seen = tuple(turnstile(unlocked=True, coins=n, turns=n - 1) for n in range(1, 9)) * 5
    states = (*seen, turnstile(kicked=True), turnstile())
    guesses = conjectures(program("turnstile"), "words", states)
    assert guesses
    for guess in guesses:
        for state in states:
            assert true(guess.term, state), guess.name
    listed = [guess.name for guess in guesses]
    assert "not unlocked or not turns >= coins" in listed
    assert "not kicked" not in listed
    assert "unlocked or kicked" not in listed


def true(term: Term, state: State) -> bool:
    machine = Machine(program("turnstile"), {})
    machine.enter(state)
    try:
        return bool(machine.closure(term, ())([]))
    except Undefined:
        return False


def test_no_more_are_tried_than_asked_for_and_the_same_ones_each_time() -> None:
    for most in (0, 1, 7):
        assert len(conjectures(program("lockers"), "words", (), most)) == most
    assert names("lockers", "play") == names("lockers", "play")


def test_conjectures_have_no_variables_and_are_different() -> None:
    for name in ("turnstile", "lockers"):
        terms = [guess.term for guess in conjectures(program(name), "play")]
        assert len(terms) == len(set(terms))
        assert not any(free_variables(term) for term in terms)


def test_a_conjecture_is_found_again_by_its_key() -> None:
    modes: tuple[Mode, ...] = ("words", "play")
    for mode in modes:
        some = conjectures(program("lockers"), mode)[::7]
        assert found_again(program("lockers"), mode, [guess.key for guess in some]) == some


@pytest.mark.parametrize(
    "key", ["", "fact 9999", "fact x", "nothing: 0+", "state: 9999+", "state: 0", "state: ²+", "state: 0+ x-"]
)
def test_a_key_of_nothing_finds_nothing(key: str) -> None:
    assert found_again(program("turnstile"), "words", ["fact 0", key]) is None


# ----------------------------------------------------------------------------------------------------- tests
def at_least(n: int, op: str = ">=") -> Term:
    return m.CompareT(BOOL, op, COINS, m.Lit(INT, n))  # type: ignore[arg-type]


def test_one_test_is_not_made_twice() -> None:
    zero = m.CompareT(BOOL, "=", COINS, m.Lit(COIN, 0))
    for term in (
        at_least(0, ">"),
        at_least(1),
        at_least(1, "<"),
        at_least(0, "<="),
        m.NotT(BOOL, at_least(1)),
    ):
        assert positive(term) == zero
    assert positive(at_least(3, "<=")) == positive(at_least(4)) == positive(m.NotT(BOOL, at_least(4, "<")))
    assert positive(at_least(4)) != positive(at_least(5))
    turned = m.CompareT(BOOL, "<", m.Lit(INT, 3), COINS)
    assert positive(turned) == positive(at_least(3, ">"))
    assert positive(m.CompareT(BOOL, "<=", m.Lit(INT, 3), m.Lit(INT, 1))).type == BOOL
    both = [
        m.CompareT(BOOL, "=", a, b) for a, b in ((COINS, m.Get(COIN, "turns")), (m.Get(COIN, "turns"), COINS))
    ]
    assert positive(both[0]) == positive(both[1])


def test_money_above_a_bound_is_not_a_whole_number_more() -> None:
    share = m.Get(ty.MONEY, "share")
    assert positive(m.CompareT(BOOL, ">", share, m.Lit(ty.MONEY, 0))) == m.CompareT(
        BOOL, "=", share, m.Lit(ty.MONEY, 0)
    )
    above = m.CompareT(BOOL, ">", share, m.Lit(ty.MONEY, 3))
    assert positive(above) == above != positive(m.CompareT(BOOL, ">=", share, m.Lit(ty.MONEY, 4)))


def test_tests_read_no_option_and_nothing_of_an_event() -> None:
    for name in ("turnstile", "lockers"):
        for listed in probes(program(name)).values():
            for test in listed:
                assert free_variables(test.term) <= {VAR}
                assert not isinstance(test.term, m.OptionGet | m.AfterT | m.NotT)


def test_a_type_without_end_is_not_spoken_of_value_by_value() -> None:
    assert countable(ty.IntT(1, 3))
    assert not countable(ty.IntT(0, None))
    assert not countable(ty.MONEY)
    locker = program("lockers").ruleset.entities["Locker"].type
    assert countable(locker)
    wide = ty.EntityT("Locker", (("no", ty.IntT(1, 5000)),))
    assert not countable(wide)
    assert "any Locker" in groups(program("lockers"))


def test_every_reference_ranges_over_all_keys() -> None:
    locker = program("lockers").ruleset.entities["Locker"].type
    term = every_reference(locker, m.Field(BOOL, "Locker", "open", m.Var(locker, VAR)))
    assert isinstance(term, m.Quant)
    assert isinstance(term.domain, m.OverValues)
    assert len(term.domain.values) == 3
    assert not free_variables(term)


def test_a_clause_as_a_condition_says_the_same_in_a_state() -> None:
    state = turnstile(unlocked=True, coins=2, turns=2)
    group = groups(program("turnstile"))["state"]
    texts = {str(i): test for i, test in enumerate(group.own)}
    for i in texts:
        yes, no = (true(closed(group.clause([f"{i}{sign}"])), state) for sign in "+-")
        assert yes is not no
