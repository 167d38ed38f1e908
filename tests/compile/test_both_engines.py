"""Kernel and interpreter say the same: the same entries, counts and exit code, and in every round sampled the same
state after it."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from both_engines import judge
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_logs import rows

from verifier.check.engine import Prepared, prepare
from verifier.log.header import Header
from verifier.log.rows import Row
from verifier.log.sources import open_log

HERE = Path(__file__).parent
TESTS = HERE.parent


@pytest.fixture(scope="module")
def constructs() -> Prepared:
    return prepare(TESTS / "rules" / "milestone-constructs.rules")


@pytest.fixture(scope="module")
def pebbles() -> Prepared:
    return prepare(TESTS / "new_game" / "pebbles.rules")


@pytest.fixture(scope="module")
def deposits() -> Prepared:
    return prepare(TESTS / "rules" / "milestone-deposits.rules")


@pytest.fixture(scope="module")
def till() -> Prepared:
    return prepare(TESTS / "check" / "data" / "till.rules")


def header(ready: Prepared, **options: object) -> Header:
    return Header("dice", ready.ruleset.name, "NZD", 2, options=options)


def by_dice(ready: Prepared, seed: int, length: int, folder: Path, **options: object) -> None:
    log = ("dice", header(ready, **options), rows(ready, Random(seed), length))
    judged = judge(ready, [log], folder)
    assert not judged.unlike, (seed, judged.unlike)


DICE = settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], database=None
)


@given(seed=st.integers(0, 2**32), length=st.integers(1, 60))
@DICE
def test_every_construct(constructs: Prepared, tmp_path: Path, seed: int, length: int) -> None:
    """Every kind of term and update of the language, by dice."""
    by_dice(constructs, seed, length, tmp_path, minimum=50, most=150)


@given(seed=st.integers(0, 2**32), length=st.integers(1, 60))
@DICE
def test_options_not_stated(constructs: Prepared, tmp_path: Path, seed: int, length: int) -> None:
    by_dice(constructs, seed, length, tmp_path)


@given(seed=st.integers(0, 2**32), length=st.integers(1, 80))
@DICE
def test_pebbles(pebbles: Prepared, tmp_path: Path, seed: int, length: int) -> None:
    by_dice(pebbles, seed, length, tmp_path, limit=200)


@given(seed=st.integers(0, 2**32), length=st.integers(1, 60))
@DICE
def test_till(till: Prepared, tmp_path: Path, seed: int, length: int) -> None:
    by_dice(till, seed, length, tmp_path, decks=6, cards=1)


def test_a_duty_ended_by_another_amount(deposits: Prepared, tmp_path: Path) -> None:
    told = [("name", "dealer", ("ann",)), ("lay", "player", ("ann", 49)), ("end_round", "dealer", ())]
    found = [
        Row("told", number, ("T1", 1), number, None, actor, event, values)
        for number, (event, actor, values) in enumerate(told, start=1)
    ]
    judged = judge(deposits, [("told", header(deposits), found)], tmp_path)
    assert not judged.unlike
    assert [e.lead.kind for e in judged.one.entries] == ["otherwise"]


@given(seed=st.integers(0, 2**32), length=st.integers(1, 60))
@DICE
def test_deposits(deposits: Prepared, tmp_path: Path, seed: int, length: int) -> None:
    by_dice(deposits, seed, length, tmp_path)


@pytest.mark.parametrize("name", ["kept", "clash"])
def test_a_new_game(pebbles: Prepared, tmp_path: Path, name: str) -> None:
    with open_log(TESTS / "new_game" / f"{name}.yaml", pebbles.binding.schema) as log:
        found = list(log.rows())
        judged = judge(pebbles, [(name, log.header, found)], tmp_path)
    assert not judged.unlike
    assert judged.sampled if name == "kept" else judged.explained
