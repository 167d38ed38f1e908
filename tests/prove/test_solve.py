"""Asking Z3 and cvc5 the same text: agreement, contradiction, and giving up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cvc5
import pytest
import z3

from verifier.cache import Cache
from verifier.prove import solve as solve_module
from verifier.prove.smtlib import Assumed
from verifier.prove.solve import Said, Settings, Solver, solve

X, Y, Z = z3.Ints("x y z")
A = z3.Bool("a")
BOTH = ("z3", "cvc5")


def test_both_find_a_model_and_agree_on_it() -> None:
    found = solve([X > 3, Y == X * 2, A], Settings())
    assert (found.status, found.by, found.kept) == ("sat", BOTH, False)
    assert found.model.eval(Y).as_long() == 2 * found.model.eval(X).as_long() > 6
    assert z3.is_true(found.model.eval(A))


def test_both_say_that_there_is_none() -> None:
    found = solve([X > 3, X < 4], Settings())
    assert (found.status, found.by, found.model) == ("unsat", BOTH, None)
    assert solve([X > 3, False], Settings()).status == "unsat"


@pytest.mark.parametrize("solver", BOTH)
def test_one_may_be_asked_alone(solver: Solver) -> None:
    alone = Settings(solvers=(solver,))
    assert (solve([X > 3, X < 4], alone).status, solve([X > 3, X < 4], alone).by) == ("unsat", (solver,))
    found = solve([X > 3, X < 5], alone)
    assert (found.status, found.by, found.model.eval(X).as_long()) == ("sat", (solver,), 4)


def test_names_of_every_kind_come_back() -> None:
    odd = [*z3.Ints("and a|b $1 x\\y"), z3.Int("two words"), z3.Int("")]
    conditions = [constant == 10 + i for i, constant in enumerate(odd)]
    for order in (BOTH, BOTH[::-1]):
        model = solve(conditions, Settings(solvers=order)).model
        assert [model.eval(constant).as_long() for constant in odd] == list(range(10, 16))


def test_what_is_left_out_is_as_the_base_has_it() -> None:
    assumed = Assumed((X >= 1, Y >= 7), ((X, z3.IntVal(1)), (Y, z3.IntVal(7))))
    found = solve([X > 3], Settings(), assumed=assumed)
    assert "declare-fun y" not in found.text
    assert found.model.eval(Y).as_long() == 7
    assert found.model.eval(X).as_long() > 3


# ------------------------------------------------------------------------------------------------ giving up
def hard() -> list[Any]:
    """Eight pigeons in seven holes."""
    there = [[z3.Bool(f"{p} in {h}") for h in range(7)] for p in range(8)]
    apart = [z3.Not(z3.And(there[p][h], there[q][h])) for h in range(7) for p in range(8) for q in range(p)]
    return [z3.Or(*row) for row in there] + apart


def test_work_is_bounded_and_where_it_ends_nothing_is_known() -> None:
    found = solve(hard(), Settings(rlimit=1000, cvc5_rlimit=1000))
    assert (found.status, found.by) == ("unknown", ())
    assert found.why.startswith("z3: ")
    assert "; cvc5: resourceout" in found.why


def test_cvc5_is_asked_in_the_other_way_where_the_first_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, str]] = []

    def so(body: str, settings: Settings, limit: int, way: tuple[tuple[str, str], ...]) -> Said:
        asked.append((limit, dict(way)["decision"]))
        return (
            Said("unsat", {}) if asked[-1] == (400, "justification") else Said("unknown", {}, "resourceout")
        )

    monkeypatch.setattr(solve_module, "_cvc5_so", so)
    assert solve(hard(), Settings(solvers=("cvc5",), cvc5_rlimit=400)).status == "unsat"
    assert asked == [(400, "internal"), (400, "justification")]
    asked.clear()
    assert solve(hard(), Settings(solvers=("cvc5",), cvc5_rlimit=100, share=4)).status == "unknown"
    assert asked == [(25, "internal"), (25, "justification")]


def test_one_word_is_not_enough_for_unsat() -> None:
    found = solve(hard(), Settings(cvc5_rlimit=100))
    assert (found.status, found.by) == ("unknown", ("z3",))
    assert found.why == "z3 says unsat; cvc5: resourceout"
    found = solve(hard(), Settings(rlimit=1000))
    assert found.status == "unknown"
    assert "z3: " in found.why


def test_a_model_stands_though_only_one_could_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    real = solve_module._ask_one

    def tired(solver: Solver, body: str, settings: Settings) -> Said:
        return Said("unknown", {}, "tired") if solver == "cvc5" else real(solver, body, settings)

    monkeypatch.setattr(solve_module, "_ask_one", tired)
    found = solve([X > 3], Settings())
    assert (found.status, found.by, found.why) == ("sat", ("z3",), "cvc5: tired")
    found = solve([X > 3], Settings(solvers=("cvc5", "z3")))
    assert (found.status, found.by) == ("sat", ("z3",))


def test_who_is_asked_after_another_gave_up_may_spend_less(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[Solver, int]] = []

    def gives_up(solver: Solver, body: str, settings: Settings) -> Said:
        asked.append((solver, settings.share))
        return Said("unknown", {}, "tired")

    monkeypatch.setattr(solve_module, "_ask_one", gives_up)
    assert solve([X > 1], Settings()).status == "unknown"
    assert asked == [("z3", 1), ("cvc5", solve_module.LATER)]


def test_errors_of_a_solver_are_its_not_knowing() -> None:
    found = solve([X * Y * Z == 7, X > 1, Y > 1], Settings())
    assert found.status == "unknown"
    assert "z3: " in found.why
    assert "cvc5: " in found.why
    assert "nonlinear" in found.why or "non-linear" in found.why


def test_a_solver_that_is_not_installed_does_not_know(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "cvc5", None)
    found = solve([X > 3, X < 4], Settings())
    assert (found.status, found.why) == ("unknown", "z3 says unsat; cvc5: it is not installed")


# ------------------------------------------------------------------------------------------- contradiction
@pytest.mark.parametrize("liar", BOTH)
def test_contradiction_is_an_answer_of_its_own(liar: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = solve_module._ask_one

    def lying(solver: Solver, body: str, settings: Settings) -> Said:
        said = real(solver, body, settings)
        if solver != liar:
            return said
        return Said("unsat", {}) if said.status == "sat" else Said("sat", {"x": 0})

    monkeypatch.setattr(solve_module, "_ask_one", lying)
    for conditions in ([X > 3], [X > 3, X < 4]):
        found = solve(conditions, Settings())
        assert (found.status, found.by, found.model) == ("disagree", (), None)
        assert "z3" in found.why
        assert "cvc5" in found.why


# ------------------------------------------------------------------------------------------ text and cache
def test_a_question_written_out_can_be_asked_from_its_file_alone(tmp_path: Path) -> None:
    settings = Settings(smt2=tmp_path / "out")
    for name, conditions in (("no way", [X > Y, Y > Z, Z > X]), ("a/way: 5.1(e)", [X > Y, Y > Z])):
        status = solve(conditions, settings, name, "unsat would mean that there is none.").status
        (place,) = (p for p in (tmp_path / "out").iterdir() if p.name.startswith(name[:2].replace("/", "-")))
        manager = cvc5.TermManager()
        solver = cvc5.Solver(manager)
        parser = cvc5.InputParser(solver)
        parser.setFileInput(cvc5.InputLanguage.SMT_LIB_2_6, str(place))
        said = ""
        while not (command := parser.nextCommand()).isNull():
            said += command.invoke(solver, parser.getSymbolManager())
        assert said.strip() == status
        assert place.read_text().startswith(f"; {name}\n; unsat would mean that there is none.\n")


def test_a_second_time_nothing_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = Cache(tmp_path)
    settings = Settings(cache=cache)
    questions = ([X > 3], [X > 3, X < 4])
    first = [solve(q, settings, "a name") for q in questions]
    monkeypatch.setattr(solve_module, "_ask_one", None)
    again = [solve(q, settings, "another name") for q in questions]
    assert [(s.status, s.by, s.kept) for s in again] == [(s.status, s.by, True) for s in first]
    assert again[0].model.eval(X).as_long() == first[0].model.eval(X).as_long()
    assert (cache.hits, cache.misses) == (2, 2)


def test_another_limit_or_solver_is_another_question(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    for settings in (
        Settings(cache=cache),
        Settings(cache=cache, rlimit=10_000_000),
        Settings(cache=cache, cvc5_rlimit=1_000_000),
        Settings(cache=cache, seed=1),
        Settings(cache=cache, solvers=("z3",)),
        Settings(cache=cache, solvers=("cvc5", "z3")),
    ):
        assert not solve([X > 3, X < 4], settings).kept
    assert cache.hits == 0


@pytest.mark.parametrize(
    "value",
    [
        {"status": "sat", "values": {}, "by": ["z3"], "why": ""},
        {"status": "sat", "values": {"x": True}, "by": ["z3"], "why": ""},
        {"status": "sat", "values": {"x": 4, "y": 5}, "by": ["z3"], "why": ""},
        {"status": "proved", "values": {}, "by": ["z3"], "why": ""},
        {"status": "unsat", "values": {}, "by": "z3", "why": ""},
        ["unsat"],
    ],
)
def test_an_entry_that_does_not_answer_is_asked_again(tmp_path: Path, value: Any) -> None:
    cache = Cache(tmp_path)
    settings = Settings(cache=cache)
    written = solve_module.Writer().write([X > 3, X < 5])
    cache.put("solved", solve_module._key(written, settings, True, True), value)
    found = solve([X > 3, X < 5], settings)
    assert (found.status, found.kept, found.model.eval(X).as_long()) == ("sat", False, 4)
    assert (cache.hits, cache.refused) == (0, 1)
    assert solve([X > 3, X < 5], settings).kept


def test_the_same_question_gets_the_same_model() -> None:
    conditions = [X + Y > 100, X < Z, Z < Y, z3.Implies(A, X > 5)]
    models = []
    for _ in range(2):
        solve(hard(), Settings(rlimit=100_000, cvc5_rlimit=1000))
        model = solve(conditions, Settings()).model
        models.append([str(model.eval(c)) for c in (X, Y, Z, A)])
    assert models[0] == models[1]


def test_an_unsat_that_is_not_to_be_found_twice_is_one_solvers_word() -> None:
    """Nor does the cache take it for one that was."""
    x = z3.Int("x")
    solved = solve([x > 1, x < 1], Settings(), twice=False)
    assert (solved.status, solved.by) == ("unsat", ("z3",))
    assert solve([x > 1, x < 1], Settings()).by == ("z3", "cvc5")
