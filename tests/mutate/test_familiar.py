"""Plays that come with a ruleset, by which mutants are tried: kept beside it, or played by habit."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from verifier.cache import Cache
from verifier.check.engine import Prepared, prepare
from verifier.errors import RequestError
from verifier.mutate.familiar import familiar, rests_on
from verifier.mutate.run import Mutation, mutate
from verifier.prove.explore.snapshot import Runner
from verifier.prove.question import Play
from verifier.resources import root


@pytest.fixture(scope="module")
def ready() -> Prepared:
    return prepare("nz/blackjack-1994")


@pytest.fixture(scope="module")
def plays(ready: Prepared) -> list[Play]:
    return list(familiar(ready, 1))


def test_all_of_them_can_happen(ready: Prepared, plays: list[Play]) -> None:
    runner = Runner(ready.program)
    assert len(plays) > 10
    assert all(runner.after(play.options, play.happenings) is not None for play in plays)


def test_they_are_the_same_each_time(ready: Prepared, plays: list[Play]) -> None:
    assert [p.happenings for p in familiar(ready, 1)] == [p.happenings for p in plays]


def test_lawful_ones_are_played_to_the_end_of_the_round(plays: list[Play]) -> None:
    assert sum(play.happenings[-1].event == "end_round" for play in plays) > len(plays) // 2


# ------------------------------------------------------------------------------------- what is kept beside the rules
@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A ruleset of one's own, with rounds beside it."""
    for ending in ("rules", "rounds.jsonl", "found.jsonl"):
        shutil.copy(root("rulesets") / "nz" / f"blackjack-1994.{ending}", tmp_path / f"mine.{ending}")
    rules = tmp_path / "mine.rules"
    rules.write_text(re.sub(r"(?m)^ruleset \S+", "ruleset mine", rules.read_text("utf-8")), "utf-8")
    return rules


def test_rounds_that_change_beside_the_rules_are_another_key(own: Path) -> None:
    before = rests_on(prepare(own).ruleset)
    rounds = own.with_suffix(".rounds.jsonl")
    rounds.write_text("\n".join(rounds.read_text("utf-8").splitlines()[:-1]), "utf-8")
    assert rests_on(prepare(own).ruleset) != before


def survivors(own: Path, cache: Cache) -> Mutation:
    return mutate(own, only=["bound"], cache=cache, reasons={})


def test_what_survived_is_tried_again_where_the_rounds_have_changed(own: Path, tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    refused = sum(outcome.verdict == "refused" for outcome in survivors(own, cache).outcomes)
    known = survivors(own, cache)
    assert known.cached == len(known.outcomes) > refused
    own.with_suffix(".rounds.jsonl").unlink()
    assert survivors(own, cache).cached == refused


@pytest.mark.parametrize("ending", [".rounds.jsonl", ".found.jsonl"])
def test_a_file_beside_the_rules_that_is_none_is_refused(own: Path, ending: str) -> None:
    own.with_suffix(ending).write_text("[]\n", "utf-8")
    with pytest.raises(RequestError, match="cannot read what an earlier proof found"):
        list(familiar(prepare(own), 1))
