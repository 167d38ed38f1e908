"""A mutant made with what was read of the other blocks before is the one that is made by reading all of it."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from verifier.check.engine import Prepared
from verifier.errors import RuleTextError
from verifier.mutate.mutant import Change, Mutant
from verifier.mutate.walk import mutants
from verifier.mutate.workshop import Workshop, workshop
from verifier.resources import root

EVERY = 40 if os.environ.get("GAZETTE_TESTS", "") == "all" else 160
"""One in so many mutants of a shipped ruleset is made."""

GATE = """ruleset gate
law bridge

actors keeper
life day
life walk ends leave

event open by keeper
event shut by keeper
event leave by keeper

rule 1.1 "The keeper shall charge each traveller"
  given open has happened this day
  keeper must not shut when open has happened this walk and shut has not happened since open

rule 1.1(a) "50 cents"
  keeper must not open when shut has happened this walk or rule 1.1 has been broken this walk

rule 1.2 "No traveller shall cross"
  keeper must not leave when shut has happened this day and rule 1.1 has been broken this walk
"""
"""Each rule counts something anew, so that without one of its histories the others have other numbers."""


def made(shop: Workshop, mutant: Mutant) -> Prepared | RuleTextError:
    try:
        return shop.made(mutant)
    except RuleTextError as error:
        return error


def reading_all(shop: Workshop) -> Workshop:
    return replace(shop, modules=replace(shop.modules, kept=None))


def assert_alike(one: Prepared | RuleTextError, other: Prepared | RuleTextError) -> None:
    if isinstance(one, RuleTextError) or isinstance(other, RuleTextError):
        assert isinstance(one, RuleTextError)
        assert isinstance(other, RuleTextError)
        assert one.problems == other.problems
        return
    assert one.ruleset == other.ruleset
    assert one.program == other.program
    for mine, its in (
        (one.ruleset.functions, other.ruleset.functions),
        (one.ruleset.units, other.ruleset.units),
    ):
        assert list(mine) == list(its)


@pytest.mark.parametrize("name", ["nz/blackjack-1994", "nz/roulette-1998", "nz/blackjack-1998"])
def test_mutants_of_shipped_rulesets_are_those_of_reading_all(name: str) -> None:
    shop = workshop(root("rulesets") / f"{name}.rules")
    every = list(mutants(shop.modules))
    for mutant in every[:: EVERY * (1 + len(every) // 1000)]:
        assert_alike(made(shop, mutant), made(reading_all(shop), mutant))


def test_histories_that_get_other_numbers_are_told_apart(folder: Path) -> None:
    (folder / "gate.rules").write_text(GATE, "utf-8")
    shop = workshop(folder / "gate.rules")
    like = next(m for m in mutants(shop.modules) if m.rule == "1.1")
    words = "open has happened this walk and "
    start = shop.modules.modules[-1].text.index(words)
    change = Change("limb", start, start + len(words), "", start, start + len(words))
    one = made(shop, replace(like, change=change))
    assert isinstance(one, Prepared)
    assert len(one.ruleset.latches) == len(shop.original.ruleset.latches) - 1
    assert_alike(one, made(reading_all(shop), replace(like, change=change)))


def test_blocks_that_a_change_leaves_alone_are_not_read_again(shop: Workshop) -> None:
    mutant = next(m for m in mutants(shop.modules) if m.rule == "1.2")
    one = shop.made(mutant)
    same = {name for name, unit in one.ruleset.units.items() if unit is shop.original.ruleset.units.get(name)}
    assert {unit.partition(" #")[0] for unit in same} >= {"1.1(a)", "1.1(b)"}
    assert not any(unit.startswith("1.2") for unit in same)
