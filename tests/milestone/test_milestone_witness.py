"""What can be, asked of Z3, made concrete, and asked again of the interpreter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from verifier.core.program import Program
from verifier.model.types import IntT
from verifier.prove.encode import Encoder
from verifier.prove.scope import Scope
from verifier.prove.symbolic import SymbolicState, World, option_variables, variables
from verifier.prove.values import Num, and_, compare, not_, or_
from verifier.prove.witness import UndecidedError, Witness, find
from verifier.run.machine import Machine
from verifier.run.undefined import Undefined

Milestones = Callable[[str], tuple[Program, Scope]]

DEALER = (0, 1)
HAND = (1, 1)
WAGER = ("p", HAND, 0)


class Asking:
    """A milestone ruleset with everything open, and the means to replay what Z3 finds."""

    def __init__(self, program: Program, scope: Scope) -> None:
        self.program = program
        self.world = World(program, scope)
        self.state: SymbolicState = variables(self.world)
        self.options = option_variables(self.world)
        self.encode = Encoder(self.state, self.options)

    def constant(self, type_: str, value: Any) -> Any:
        return self.world.shapes.constant(self.program.ruleset.types[type_], value)

    def holds(self, function: str, *args: Any) -> Any:
        found = self.encode.call(function, args)
        return and_(found.defined, found.value)

    def find(self, *conditions: Any) -> Witness:
        found = find(self.state, self.options, conditions)
        assert found is not None
        return found

    def machine(self, witness: Witness) -> Machine:
        machine = Machine(self.program, witness.options)
        machine.enter(witness.state)
        return machine


@pytest.fixture
def blackjack(milestone: Milestones) -> Asking:
    return Asking(*milestone("blackjack"))


@pytest.fixture
def placings(milestone: Milestones) -> Asking:
    return Asking(*milestone("placings"))


def test_5_1_e_and_5_1_f_clash_on_a_hand_that_z3_deals(blackjack: Asking) -> None:
    """Both totals above 21 and equal: a stand off by (e), lost by (f)."""
    wager = blackjack.constant("Wager", WAGER)
    finish = blackjack.encode.call("finish", ()).value
    due = blackjack.encode.asked("outcome", (wager, finish))
    witness = blackjack.find(
        blackjack.holds("applies 5.1(e) #1", wager, finish),
        blackjack.holds("applies 5.1(f) #1", wager, finish),
        blackjack.encode.decision("outcome", (wager, finish)).conflict,
        and_(due.defined, due.value),
    )
    machine = blackjack.machine(witness)
    ends = machine.function("finish", ())
    with pytest.raises(Undefined) as undefined:
        machine.decide("outcome", (WAGER, ends))
    (reason,) = undefined.value.reasons
    assert reason.kind == "conflict"
    assert {"5.1(e) #1", "5.1(f) #1"} <= set(reason.units)
    assert machine.function("total", (HAND,)) == ends[0] > 21


def test_5_1_e_and_5_1_f_clash_nowhere_else(blackjack: Asking) -> None:
    """With the player's total at 21 or less the two never meet, in any hands of the scope."""
    wager = blackjack.constant("Wager", WAGER)
    finish = blackjack.encode.call("finish", ()).value
    total = blackjack.encode.call("total", (wager[1],))
    assert (
        find(
            blackjack.state,
            blackjack.options,
            [
                blackjack.holds("applies 5.1(e) #1", wager, finish),
                blackjack.holds("applies 5.1(f) #1", wager, finish),
                total.defined,
                compare("<=", total.value, Num(21)),
            ],
        )
        is None
    )


def test_13_4_leaves_the_dealer_under_17_with_a_wager_still_open(blackjack: Asking) -> None:
    """The law's own exception: a draw that can change nothing is not made, though a live hand remains."""
    dealer = blackjack.constant("Hand", DEALER)
    hand = blackjack.constant("Hand", HAND)
    totals = [blackjack.encode.call("total", (h,)) for h in (dealer, hand)]
    pending = blackjack.encode.call("applies 13.3 [draw] #1", ())
    witness = blackjack.find(
        blackjack.holds("moot"),
        blackjack.state.exists["Wager", WAGER],
        *(t.defined for t in totals),
        compare("<", totals[0].value, Num(17)),
        compare("<=", totals[1].value, Num(21)),
        and_(pending.defined, not_(pending.value)),
        blackjack.state.values[_players_done(blackjack.state)],
        compare(">=", blackjack.state.values[_cards(blackjack.state)].length, Num(2)),
    )
    machine = blackjack.machine(witness)
    assert machine.function("moot", ()) is True
    assert machine.function("total", (DEALER,)) < 17
    assert machine.function("total", (HAND,)) <= 21
    assert machine.function("applies 13.3 [draw] #1", ()) is False
    outcomes = {machine.decide("outcome", (WAGER, (t, False))) for t in range(17, 27)}
    assert len(outcomes) == 1


def test_two_entrants_can_share_a_place_after_the_play_offs(placings: Asking) -> None:
    """6.10 does not part those who are level in everything; 6.11 then shares the prize."""
    p, q = (placings.constant("Entrant", name) for name in ("r", "s"))
    places = [placings.encode.decision("place", (e,)) for e in (p, q)]
    witness = placings.find(
        placings.holds("played_off"),
        *(place.defined for place in places),
        compare("=", places[0].value, places[1].value),
        *(placings.holds("took_part", e, placings.constant("Session", 1)) for e in (p, q)),
    )
    machine = placings.machine(witness)
    assert machine.function("played_off", ()) is True
    found = [machine.decide("place", (name,)) for name in ("r", "s")]
    assert found[0] == found[1]
    assert witness.value(IntT(1, 7), places[0].value) == found[0]


def test_the_winner_never_shares_the_first_place(placings: Asking) -> None:
    p, q = (placings.constant("Entrant", name) for name in ("p", "q"))
    places = [placings.encode.decision("place", (e,)) for e in (p, q)]
    conditions = [
        *(place.defined for place in places),
        *(compare("=", place.value, Num(1)) for place in places),
    ]
    assert find(placings.state, placings.options, conditions) is None


def test_tied_leaders_have_no_place_until_they_play_off(placings: Asking) -> None:
    """A gap of 6.8, as 6.9 intends: nobody is the winner until the play-off."""
    p = placings.constant("Entrant", "p")
    place = placings.encode.decision("place", (p,))
    due = placings.encode.asked("place", (p,))
    witness = placings.find(place.gap, and_(due.defined, due.value))
    machine = placings.machine(witness)
    assert machine.function("tied", ()) is True
    assert machine.function("played_off", ()) is False
    with pytest.raises(Undefined) as undefined:
        machine.decide("place", ("p",))
    assert {r.kind for r in undefined.value.reasons} == {"gap"}


def test_a_question_that_is_too_hard_is_no_answer(blackjack: Asking) -> None:
    wager = blackjack.constant("Wager", WAGER)
    finish = blackjack.encode.call("finish", ()).value
    conflict = blackjack.encode.decision("outcome", (wager, finish)).conflict
    with pytest.raises(UndecidedError, match="Z3 gave up"):
        find(blackjack.state, blackjack.options, [conflict, or_(blackjack.holds("moot"))], rlimit=1000)


def _players_done(state: SymbolicState) -> Any:
    return next(place for place in state.values if place.name == "players_done")


def _cards(state: SymbolicState) -> Any:
    return next(p for p in state.values if p.name == "Hand" and p.key == DEALER and p.field == "cards")
