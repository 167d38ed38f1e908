"""The code with which a comparison ends: the same, different, at fault, open, or contradicted by our own solvers."""

from __future__ import annotations

import pytest

from tests.diff.diff_edits import CART, Gazette, MakeRules
from verifier.diff.whole import compare
from verifier.exits import Exit
from verifier.model.load import load
from verifier.prove import solve
from verifier.prove.solve import Said, Settings, Solver

FOOT = "  toll(k) = 50 when k = foot\n"
ASKED = (FOOT, f"  asked toll(k) when raised or charged\n{FOOT}")
REWRITTEN = {
    "a decision": ((CART, "  toll(k) = 200 when not (k = foot)\n"),),
    "a prohibition": (("cross when raised", "cross when not (not raised)"),),
    "when an answer is owed": (("when raised or charged", "when charged or raised and not charged"),),
}
"""Changes of words that change no meaning; it takes the solvers to say so."""


@pytest.fixture
def contradicting(monkeypatch: pytest.MonkeyPatch) -> None:
    """cvc5 says that there is a state where there is none."""
    real = solve._ask_one

    def lying(solver: Solver, body: str, settings: Settings) -> Said:
        said = real(solver, body, settings)
        return Said("sat", {}) if solver == "cvc5" and said.status == "unsat" else said

    monkeypatch.setattr(solve, "_ask_one", lying)


@pytest.mark.parametrize("what", REWRITTEN)
def test_the_same_meaning_ends_with_0(rules: MakeRules, what: str) -> None:
    assert compare(load(rules(ASKED)), load(rules(ASKED, *REWRITTEN[what]))).exit == Exit.HOLDS


def test_the_same_files_end_with_0_a_difference_with_1_and_a_fault_with_2(
    gazette: Gazette, rules: MakeRules
) -> None:
    assert gazette("diff", rules(), rules())[0] == 0
    assert gazette("diff", rules(), rules((CART, "  toll(k) = 300 when k = cart\n")))[0] == 1
    assert gazette("diff", rules(), rules().with_name("none.rules"))[0] == 2
    assert (
        gazette("diff", rules(), rules((CART, "  toll(k) = 300 when k = kart\n")).parent / "bridge.rules")[0]
        == 2
    )


@pytest.mark.parametrize("what", REWRITTEN)
def test_solvers_that_give_up_leave_it_open_which_ends_with_3(rules: MakeRules, what: str) -> None:
    few = Settings(rlimit=1, cvc5_rlimit=1)
    assert compare(load(rules(ASKED)), load(rules(ASKED, *REWRITTEN[what])), few).exit == Exit.UNDECIDED


@pytest.mark.parametrize("what", REWRITTEN)
def test_solvers_that_contradict_each_other_end_it_with_4(
    rules: MakeRules, what: str, contradicting: None
) -> None:
    assert compare(load(rules(ASKED)), load(rules(ASKED, *REWRITTEN[what]))).exit == Exit.OURSELVES


def test_solvers_that_contradict_each_other_about_a_difference_end_it_with_4(
    rules: MakeRules, contradicting: None
) -> None:
    dearer = (CART, "  toll(k) = 300 when k = cart\n")
    assert compare(load(rules()), load(rules(dearer))).exit == Exit.OURSELVES
    assert compare(
        load(rules()), load(rules(("cross when raised", "cross when raised and charged")))
    ).exit == (Exit.OURSELVES)
