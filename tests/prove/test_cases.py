"""An event is taken apart by the things that it may be about where a question about any of them is too much."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import z3

from verifier.core.lower import lower
from verifier.core.program import Program
from verifier.model.load import load
from verifier.prove import cases as taking_apart
from verifier.prove import proving
from verifier.prove.cases import cases
from verifier.prove.desk import written
from verifier.prove.houdini import Houdini
from verifier.prove.proven import Proven
from verifier.prove.proving import Proving
from verifier.prove.scope import Scope, scope_of
from verifier.prove.solve import Settings, Solved, solve
from verifier.prove.transitions import System, Transition, system, transitions

RULES = Path(__file__).parent / "rules"
SETTINGS = Settings()


@cache
def lockers() -> Program:
    return lower(load(RULES / "induct-lockers.rules"))


@cache
def scope() -> Scope:
    return scope_of(lockers(), {"Guest": ("g", "h")}, narrowed={"Number": (1, 2)}, money_parts=2)


@cache
def made() -> System:
    return system(lockers(), scope(), "play")


def event(name: str) -> Transition:
    return next(one for one in transitions(made()) if one.event == name)


def test_there_is_a_case_for_each_thing_and_one_for_all_others() -> None:
    found = cases(made(), event("fill"))
    assert [[int(str(value)) for _, value in case.pairs] for case in found] == [[1], [2], []]
    solver = z3.Solver()
    solver.add(*made().always, *event("fill").conditions, *found[-1].conditions)
    assert solver.check() == z3.unsat, "an event is about something within the scope"


def test_what_is_put_in_place_is_so_in_that_case() -> None:
    first, second, others = cases(made(), event("fill"))
    ((variable, _),) = first.pairs
    assert z3.is_true(first.put(variable == 1))
    assert z3.is_false(second.put(variable == 1))
    assert others.put(variable == 1).eq(variable == 1)
    assert first.put(True) is True


def test_an_event_about_nothing_or_too_much_is_not_taken_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not cases(made(), event("begin"))
    assert not cases(made(), next(one for one in transitions(made()) if one.event is None))
    monkeypatch.setattr(taking_apart, "MOST_CASES", 1)
    assert not cases(made(), event("fill"))


def tired(monkeypatch: pytest.MonkeyPatch) -> None:
    """Z3 gives up whatever is asked of several candidates, and of one by its name."""
    check = Houdini._check

    def some(self: Houdini, index: int, asked: Any, *rest: Any, **more: Any) -> Any:
        if self.transitions[index].event == "rent" and str(asked).startswith(("some", "fails")):
            return z3.unknown
        return check(self, index, asked, *rest, **more)

    monkeypatch.setattr(Houdini, "_check", some)


def proven() -> Proven:
    return Proving(lockers(), scope(), "play", SETTINGS, ()).prove(written(lockers()), ())


def test_what_is_too_much_at_once_is_kept_case_by_case(monkeypatch: pytest.MonkeyPatch) -> None:
    before = proven()
    tired(monkeypatch)
    found = proven()
    assert found.written == before.written
    assert {one.named.name: one.event for one in found.broken} == {
        one.named.name: one.event for one in before.broken
    }
    assert not any(one.why for one in found.broken)


def test_without_cases_it_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    tired(monkeypatch)
    monkeypatch.setattr(taking_apart, "MOST_CASES", 0)
    assert any("Z3 gave up on guest rent" in one.why for one in proven().broken)


def refusing(wanted: str) -> Callable[..., Solved]:
    """Solvers that give up what is asked of `rent` under a name that does not hold `wanted`."""

    def some(conditions: Any, settings: Settings, name: str, *rest: Any) -> Solved:
        if "guest rent" in name and wanted not in name:
            return Solved("unknown", None, "", (), "cvc5: tired")
        return solve(conditions, settings, name, *rest)

    return some


def test_solvers_confirm_case_by_case_what_is_too_much_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    before = proven()
    monkeypatch.setattr(proving, "solve", refusing("case"))
    assert proven().written == before.written


def test_one_case_that_nobody_can_tell_is_enough_to_drop_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proving, "solve", refusing("case 1"))
    whys = [one.why for one in proven().broken]
    assert "cvc5: tired" in whys
