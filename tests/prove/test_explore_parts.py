"""The parts of an explorer: what solves a condition, how far a state is from it, which events are worth trying."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from verifier.core.lower import lower
from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model import types as ty
from verifier.model.load import load
from verifier.model.ruleset import Param
from verifier.model.terms import Term
from verifier.model.types import BOOL, INT, MONEY, Type
from verifier.prove.explore.candidates import Candidates, Prospect
from verifier.prove.explore.distance import Distances
from verifier.prove.explore.domains import Listed, amounts, references
from verifier.prove.explore.evaluate import Asker
from verifier.prove.explore.index import Index
from verifier.prove.explore.mover import Mover
from verifier.prove.explore.pieces import conjuncts, equations, implied, turning_points
from verifier.prove.explore.replay import replay
from verifier.prove.explore.settings import Settings
from verifier.prove.explore.shorten import fewer
from verifier.prove.explore.snapshot import Runner, Snapshot
from verifier.prove.explore.ways import Begun, Test, Ways, bare
from verifier.prove.extent import scopes
from verifier.prove.question import Question
from verifier.prove.scope import Ref, Scope, scope_of
from verifier.run.bench import Happening
from verifier.simulate.habits import habits_of
from verifier.simulate.performer import Performer
from verifier.simulate.setting import options_for, scope_for

OPTIONS: dict[str, object] = {"chip": 50, "floor": 150, "double_pay": False}
RED, BLACK = 0, 1

A, B = m.Var(MONEY, "a"), m.Var(MONEY, "b")


@pytest.fixture(scope="module")
def till() -> Program:
    return lower(load(Path(__file__).parent / "rules" / "explore-till.rules"))


@pytest.fixture(scope="module")
def scope(till: Program) -> Scope:
    return scope_of(till, {"Guest": ("ann", "bob")})


def by(actor: str, event: str, *values: object) -> Happening:
    return Happening(event, actor, values)


def number(value: int) -> Term:
    return m.Lit(INT, value)


def times(factor: int, term: Term) -> Term:
    return m.ArithT(MONEY, "*", number(factor), term)


def compared(op: str, left: Term, right: Term) -> Term:
    return m.CompareT(BOOL, op, left, right)  # type: ignore[arg-type]


# ----------------------------------------------------------------------------------------------- pieces
def test_conjuncts_are_flat_and_their_negations_pushed_in() -> None:
    p, q, r = (m.Var(BOOL, name) for name in "pqr")
    term = m.AndT(BOOL, (p, m.NotT(BOOL, m.OrT(BOOL, (q, m.NotT(BOOL, r)))), m.Lit(BOOL, True)))
    assert list(conjuncts(term)) == [p, m.NotT(BOOL, q), r]
    assert list(conjuncts(m.NotT(BOOL, compared("!=", A, B)))) == [compared("=", A, B)]
    either = m.OrT(BOOL, (p, q))
    assert list(conjuncts(either)) == [either]


def test_an_equation_solves_for_a_variable_where_the_other_side_is_known() -> None:
    known = frozenset({"b"})
    assert equations(compared("=", A, B), "a", known) == [B]
    assert equations(compared("=", B, A), "a", known) == [B]
    assert equations(compared("=", A, B), "a", frozenset()) is None
    assert equations(compared("<", A, B), "a", known) is None
    one_of = m.OrT(BOOL, (compared("=", A, number(1)), compared("=", A, number(2))))
    assert equations(one_of, "a", known) == [number(1), number(2)]
    loose = m.OrT(BOOL, (compared("=", A, number(1)), compared(">", A, number(2))))
    assert equations(loose, "a", known) is None


def test_comparisons_turn_where_both_sides_are_equal(till: Program) -> None:
    bound = compared(">", times(2, m.ArithT(MONEY, "+", A, B)), number(100))
    points, units = turning_points(till, bound, "a")
    half = m.ArithT(INT, "-", m.ArithT(INT, "/", number(100), number(2)), B)
    assert points == [half]
    assert units == []
    whole = compared("=", m.ArithT(MONEY, "mod", A, number(50)), number(0))
    assert turning_points(till, whole, "a") == ([number(50)], [number(50)])


def test_what_a_function_says_is_implied_by_its_call(till: Program) -> None:
    applies = "applies 5.2 #2 to lay"
    params = till.functions[applies].params
    call = m.CallF(BOOL, applies, tuple(m.Var(p.type, p.name) for p in params))
    told = implied(till, call)
    assert told[0] == call
    assert any(isinstance(term, m.CompareT) and term.op == "<" for term in told)


def test_amounts_are_whole_units_near_what_matters() -> None:
    found = amounts([Fraction(301, 2), 120], [50], MONEY, most=100)
    assert {150, 100, 120, 121, 119, 50} <= set(found)
    assert found[0] in (150, 200)
    low = amounts([7], [], ty.IntT(5, 8), most=100)
    assert set(low) == {6, 7, 8}


# --------------------------------------------------------------------------------------------- distance
def test_a_state_is_nearer_the_less_is_lacking(till: Program, scope: Scope) -> None:
    distances = Distances(Asker(till, scope))
    stake = till.ruleset.entities["Stake"].type
    s = m.Var(stake, "s")
    laid = m.Field(MONEY, "Stake", "amount", s)
    question = Question(
        (Param("s", stake),),
        m.AndT(
            BOOL, (compared(">=", laid, number(500)), m.Get(BOOL, "closed"), m.Decide(BOOL, "wins", (s,)))
        ),
    )
    events = (
        by("guest", "lay", "ann", RED, 200),
        by("guest", "lay", "ann", RED, 200),
        by("banker", "close"),
        by("guest", "lay", "ann", RED, 100),
        by("banker", "spin", RED),
    )
    far = []
    for upto in range(len(events) + 1):
        play = replay(till, OPTIONS, events[:upto])
        assert play is not None
        far.append(distances.at(question, play.state, OPTIONS))
    assert far == sorted(far, reverse=True)
    assert len(set(far)) == len(far), "each event brings it nearer"
    assert far[-1] == 0


# ------------------------------------------------------------------------------------------- candidates
def prospect(till: Program, scope: Scope, *events: Happening) -> tuple[Prospect, Runner, Snapshot]:
    runner = Runner(till)
    snapshot = runner.empty
    for event in events:
        stepped = runner.step(snapshot, OPTIONS, event)
        assert stepped is not None
        snapshot = stepped.snapshot
    return Candidates(runner, scope).at(snapshot, OPTIONS, Random(1)), runner, snapshot


def test_lawful_candidates_are_lawful(till: Program, scope: Scope) -> None:
    found, runner, snapshot = prospect(till, scope)
    laid = list(found.of_kind(found.all.kinds["lay"], lawful=True))
    assert len(laid) > 3
    for happening in laid:
        stepped = runner.step(snapshot, OPTIONS, happening)
        assert stepped is not None
        assert not stepped.breaches, happening
    assert {h.values[0] for h in laid} == {"ann"}, "names are met in the scope's order"
    found.resume()
    assert not list(found.of_kind(found.all.kinds["pay"], lawful=False)), "there is nothing to pay"


def test_what_is_claimed_is_solved(till: Program, scope: Scope) -> None:
    laid = by("guest", "lay", "ann", RED, 250)
    found, _, _ = prospect(till, scope, laid, by("banker", "close"), by("banker", "spin", RED))
    assert list(found.of_kind(found.all.kinds["pay"], lawful=True)) == [
        by("banker", "pay", ("ann", RED), 375)
    ]
    (owed,) = found.pending
    assert owed[0].duty.rule == "5.1(a)"
    assert list(found.due(owed)) == [by("banker", "pay", ("ann", RED), 375)]
    assert not list(found.of_kind(found.all.kinds["clear"], lawful=True))
    assert found.in_the_way(found.all.kinds["clear"]) == [owed]


def test_options_differ_and_meet_what_is_required(till: Program, scope: Scope) -> None:
    drawn = Settings(till, scope, Random(2)).draw(12)
    assert len(drawn) == 12
    assert all(one not in drawn[:i] for i, one in enumerate(drawn))
    assert all(isinstance(one["floor"], int) and one["floor"] > 0 for one in drawn)
    assert {one["chip"] for one in drawn} == {50, 100}
    assert Settings(till, scope, Random(2)).every() is None, "money has no end"


# ---------------------------------------------------------------------------------------------- plays
def test_a_play_is_made_short_by_what_it_does_not_need(till: Program) -> None:
    events = (
        by("guest", "lay", "ann", RED, 200),
        by("guest", "lay", "bob", BLACK, 150),
        by("banker", "close"),
        by("banker", "note", (RED, 1)),
        by("banker", "spin", BLACK),
        by("banker", "take", ("ann", RED)),
    )
    play = replay(till, OPTIONS, events)
    assert play is not None
    assert play.lawful
    runner = Runner(till)

    def taken(snapshot: Snapshot) -> bool:
        return snapshot.state.entities["Stake"].get(("ann", RED), {}).get("open") is False

    assert fewer(runner, play, taken) == (events[0], events[2], events[4], events[5])
    kept = fewer(runner, play, lambda snapshot: snapshot.state.fields["slips"] == ((RED, 1),))
    assert kept == (events[2], events[3]), "to note before closing would break 8.2"


def test_an_index_names_every_node_at_which_a_question_is_true(till: Program) -> None:
    mover = Mover(till, scopes(till)[0], Random(5))
    node = mover.tables[0]
    floor = mover.tables[0].options["floor"]
    assert isinstance(floor, int)
    for event in (
        by("guest", "lay", "guest1", RED, floor * 100),
        by("banker", "close"),
        by("banker", "spin", RED),
    ):
        child = mover.take(node, event, 3)
        assert child is not None
        node = child
    applies = "applies 4.1(a) #1"
    params = till.functions[applies].params
    question = Question(params, m.CallF(BOOL, applies, tuple(m.Var(p.type, p.name) for p in params)))
    asker = Asker(till)
    true = {n.number for n in mover.corpus.nodes if asker.find(question, n.state, n.options) is not None}
    assert true == {node.number}
    assert Index(asker).possible(question, mover.corpus.nodes) == true
    assert Index(asker).possible(Question((), m.Get(BOOL, "closed")), mover.corpus.nodes) is None


def test_a_condition_that_is_the_same_of_all_that_is_unwritten(till: Program) -> None:
    slip = next(e.type for e in till.ruleset.entities.values())
    mine, other = m.Var(slip, "x"), m.Var(slip, "y")
    field = till.ruleset.entities[slip.name].fields[0]
    read = m.Field(field.type, slip.name, field.name, mine)
    same = m.CompareT(BOOL, "=", m.Var(slip, "it"), mine)
    there = m.Quant(BOOL, "some", "it", m.OverEntity(slip, slip.name), None, same)
    assert bare(m.NotT(BOOL, m.CompareT(BOOL, "=", read, m.Lit(field.type, 0))), "x")
    assert bare(there, "x")
    assert not bare(there, "y")
    assert not bare(m.CompareT(BOOL, "=", read, m.Field(field.type, slip.name, field.name, other)), "x")
    assert not bare(m.CompareT(BOOL, "=", m.Part(slip.keys[0][1], mine, 0), m.Lit(slip.keys[0][1], 0)), "x")


class Plainly(Ways):
    """Every condition is asked of every value by itself."""

    def _begun(self, term: Term, test: Test, banned: bool, index: int, names: Sequence[str]) -> Begun:
        return lambda: test


class Anew(Listed):
    """Nothing is kept."""

    def references(self, type_: ty.EntityT) -> list[Ref]:
        return references(type_, self._machine, self._scope)

    def amounts(self, points: tuple[object, ...], units: tuple[object, ...], type_: Type) -> list[object]:
        return amounts(points, units, type_)


@pytest.mark.parametrize(
    ("name", "most"),
    [("nz/blackjack-1998", 1_500), ("nz/tournament-blackjack-1998", 40), ("nz/roulette-1998", 160)],
)
def test_what_is_worked_out_once_for_many_values_changes_nothing(name: str, most: int) -> None:
    """The same events in the same order, the same use of the dice, and the same functions asked."""
    program = lower(load(name))
    scope = scope_for(program)
    options = next(options_for(program, scope, habits_of(program), {}, Random(0)))
    ours = Candidates(Runner(program), scope, most)
    plain = Candidates(Runner(program), scope, most)
    plain.listed = Anew(plain.machine, scope)
    for kind in program.ruleset.events.values():
        made = Plainly(program, plain.machine).kind(kind)
        ways = tuple(
            replace(way, slots=tuple(replace(slot, bare=None) for slot in way.slots)) for way in made.ways
        )
        plain.kinds[kind.name] = replace(made, ways=ways)
    assert any(slot.bare for kind in ours.kinds.values() for way in kind.ways for slot in way.slots)
    performer = Performer(program, Runner(program), ours, habits_of(program), Random(3), lambda event: True)
    snapshot = performer.runner.empty
    tried = 0
    for seed in range(24):
        said = []
        for candidates in (ours, plain):
            rng = Random(seed)
            prospect = candidates.at(snapshot, options, rng)
            found = [
                list(islice(prospect.of_kind(kind, lawful=True), 3)) for kind in candidates.kinds.values()
            ]
            due = [list(islice(prospect.due(one), 2)) for one in prospect.pending]
            said.append((found, due, rng.random(), sorted(prospect.applied())))
        assert said[0] == said[1], seed
        tried += sum(map(len, said[0][0]))
        taken = performer._next(snapshot, options, Counter(), set())
        if taken is None:
            break
        snapshot = taken[1]
    assert tried
