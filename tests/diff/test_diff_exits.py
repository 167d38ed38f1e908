"""The exit codes of a comparison, each by a pair of laws that has it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from verifier.prove import solve as solve_module
from verifier.prove.smtlib import Values
from verifier.prove.solve import Said, Settings, Solver

MakeRules = Callable[..., Path]
Gazette = Callable[..., tuple[int, str]]

CHANGES = {
    "a decision": ("  toll(k) = 200 when k = cart\n", "  toll(k) = 300 when k = cart\n"),
    "a prohibition": (
        "  traveller must not cross when raised\n",
        "  traveller must not cross when charged\n",
    ),
}
NO_SHIPS = (
    (
        "# 2.0 Ships\n\n2.1 The keeper shall raise the bridge "
        "within twenty-one minutes after a ship has sounded its horn.",
        "",
    ),
    ('rule 2.1 "The keeper shall raise the bridge"\n  keeper may raise when not raised', ""),
)
FRAGMENT = ("missing: []", "extent: fragment\nmissing: []")


def test_0_the_same_meaning(gazette: Gazette, rules: MakeRules) -> None:
    assert gazette("diff", rules(), rules())[0] == 0
    assert gazette("diff", rules(), rules(("cross when raised", "cross when not (not raised)")))[0] == 0


@pytest.mark.parametrize("what", CHANGES)
def test_1_another_meaning(gazette: Gazette, rules: MakeRules, what: str) -> None:
    assert gazette("diff", rules(), rules(CHANGES[what]))[0] == 1


def test_2_no_such_file(gazette: Gazette, rules: MakeRules, tmp_path: Path) -> None:
    assert gazette("diff", rules(), tmp_path / "none.rules")[0] == 2


def test_3_nothing_differs_and_something_may_stand_beyond_the_page(
    gazette: Gazette, rules: MakeRules
) -> None:
    assert gazette("diff", rules(*NO_SHIPS, FRAGMENT), rules())[0] == 3


@pytest.mark.parametrize("what", CHANGES)
def test_4_solvers_that_contradict_each_other(
    gazette: Gazette, rules: MakeRules, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    real = solve_module._ask_one

    def lying(solver: Solver, body: str, settings: Settings) -> Said:
        said = real(solver, body, settings)
        nothing: Values = {}
        return Said("sat", nothing) if solver == "cvc5" and said.status == "unsat" else said

    monkeypatch.setattr(solve_module, "_ask_one", lying)
    assert gazette("diff", rules(), rules(CHANGES[what]), "--no-cache", "--jobs", "1")[0] == 4
