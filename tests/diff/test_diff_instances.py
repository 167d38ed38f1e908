"""What an invariant says of the things that are compared, held against enumeration; and several processes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from verifier.core.lower import lower
from verifier.diff.instances import instances, references
from verifier.diff.several import several
from verifier.diff.whole import compare
from verifier.model import terms as m
from verifier.model.load import load
from verifier.model.ruleset import Ruleset
from verifier.model.types import BOOL, EntityT
from verifier.report.diff_text import text
from verifier.run.machine import Machine
from verifier.run.state import EXISTS, first_state

MakeRules = Callable[..., Path]


def hands() -> tuple[Ruleset, m.Term, m.Term]:
    """The Gazette's rules, one of its invariants of all hands, and a variable for one."""
    ruleset = load("nz/blackjack-1998")
    hand = ruleset.types["Hand"]
    assert isinstance(hand, EntityT)
    one = m.Var(hand, "one")
    voided, doubled = (m.Field(BOOL, "Hand", name, m.Var(hand, "h")) for name in ("voided", "doubled"))
    whole = m.Quant(BOOL, "every", "h", m.OverEntity(hand, "Hand"), voided, doubled)
    return ruleset, whole, one


def test_what_is_said_of_one_thing_follows_from_what_is_said_of_all() -> None:
    ruleset, whole, one = hands()
    program = lower(ruleset)
    (said,) = instances(whole, [one], frozenset())
    (known,) = instances(whole, [one], frozenset({"one"}))
    machine = Machine(program, {})
    closed, open_, sure = (machine.closure(t, ["one"]) for t in (whole, said, known))
    blank = {f.name: f.initial for f in ruleset.entities["Hand"].fields}
    met = 0
    for there, voided, doubled in product((False, True), repeat=3):
        state = first_state(ruleset)
        state.entities["Hand"][(1, 1)] = {**blank, "voided": voided, "doubled": doubled}
        if there:
            state.entities["Hand"][(1, 1)][EXISTS] = True
        machine.enter(state)
        assert closed([(1, 1)]) == open_([(1, 1)]) == (not there or not voided or doubled)
        if there:
            assert sure([(1, 1)]) == closed([(1, 1)])
            met += 1
    assert met == 4


def test_nothing_is_said_of_one_thing_where_the_form_does_not_show_it() -> None:
    _, whole, one = hands()
    assert isinstance(whole, m.Quant)
    some = m.Quant(BOOL, "some", whole.var, whole.domain, whole.where, whole.body)
    assert instances(some, [one], frozenset()) == ()
    assert len(instances(m.NotT(BOOL, some), [one], frozenset())) == 1
    assert instances(whole, [], frozenset()) == ()


def test_the_things_that_terms_name_are_found_by_the_variables_at_hand_alone() -> None:
    ruleset, whole, one = hands()
    doubled = m.Field(BOOL, "Hand", "doubled", one)
    program = lower(ruleset)
    assert references(program, [doubled, whole], frozenset({"one"})) == (one,)
    assert references(program, [doubled, whole], frozenset()) == ()


def test_what_several_processes_make_is_what_one_makes() -> None:
    tasks = [lambda n=n: n * n for n in range(7)]  # type: ignore[misc]
    assert several(tasks, 1) == several(tasks, 3) == [n * n for n in range(7)]

    def fails() -> int:
        raise ValueError("of a task")

    with pytest.raises(ValueError, match="of a task"):
        several([*tasks, fails], 2)


def test_a_comparison_by_several_processes_says_the_same(rules: MakeRules) -> None:
    old, new = (
        load(rules()),
        load(rules(("toll(k) = 50", "toll(k) = 60"), ("cross when raised", "cross when charged"))),
    )
    one, two = compare(old, new), compare(old, new, jobs=2)
    assert text(one, 100, False) == text(two, 100, False)
    assert one.meaning is not None
    assert one.meaning.different
