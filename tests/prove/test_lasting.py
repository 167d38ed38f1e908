"""Conditions that hold in every state, of whatever size, and those that only seem to."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from verifier.core.lower import lower
from verifier.core.program import Program
from verifier.model import terms as m
from verifier.model.load import load
from verifier.model.rewrite import substitute
from verifier.prove.clauses import Clause
from verifier.prove.desk import Desk
from verifier.prove.facts import plain
from verifier.prove.lasting import lasting
from verifier.prove.probes import VAR
from verifier.prove.question import Mode
from verifier.prove.solve import Settings

RULES = Path(__file__).parent / "rules"


@cache
def desk() -> Desk:
    return Desk(lower(load(RULES / "lasting-passes.rules")), Settings(), steps=20)


def written(program: Program) -> dict[Clause, str]:
    """The invariants beside the rules, as clauses."""
    found: dict[Clause, str] = {}
    for theorem in program.ruleset.theorems:
        body = theorem.body
        match body:
            case m.Quant(var=var, domain=m.OverEntity(type=sort), body=inner):
                test = substitute(inner, {var: m.Var(sort, VAR)})
                found[Clause(sort, False, ((test, True),))] = theorem.name
            case _:
                found[Clause(None, False, ((body, True),))] = theorem.name
    return found


@cache
def holding(mode: Mode) -> frozenset[str]:
    program = desk().program
    names = written(program)
    kept = lasting(desk().typed(0), [*names, *plain(program)], mode)
    return frozenset(names[clause] for clause in kept if clause in names)


def test_what_every_event_keeps_holds_of_whatever_size() -> None:
    assert "priced" in holding("words")
    assert "fresh_heard" in holding("words")


@pytest.mark.parametrize(("name", "mode"), [("whole", "play"), ("unused", "words"), ("unused", "play")])
def test_what_a_rule_forbids_holds_in_play_alone(name: str, mode: Mode) -> None:
    assert (name in holding(mode)) is (name == "whole")
    assert "whole" not in holding("words")


def test_what_the_end_of_a_life_alone_undoes_does_not_hold() -> None:
    """The trip ends, and the season goes on."""
    assert "told_afresh" not in holding("words")


def test_what_is_not_so_until_the_event_is_counted_does_not_hold() -> None:
    """It is judged then, too: `after(…)` reads what the mechanics leave."""
    assert "rung_once" not in holding("words")
