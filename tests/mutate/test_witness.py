"""Rounds that tell mutants from the original: what is counted, stated, shown late, or only no longer kept."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml

from verifier.check.engine import prepare
from verifier.model.ruleset import Ruleset
from verifier.mutate.files import keep_witnesses
from verifier.mutate.pair import Pair, statable
from verifier.mutate.prover import prover
from verifier.mutate.run import Mutation, mutate
from verifier.mutate.telling import telling
from verifier.mutate.trial import Outcome
from verifier.mutate.workshop import workshop
from verifier.prove.explore.snapshot import Runner
from verifier.prove.question import Play
from verifier.prove.solve import Settings
from verifier.run.bench import Happening

TESTS = Path(__file__).parents[1]
PEBBLES = TESTS / "new_game" / "pebbles.rules"
CLOAKROOM = TESTS.parent / "spec" / "examples" / "anyton" / "cloakroom.rules"
JETTY = TESTS / "prove" / "rules" / "counted-jetty.rules"


def sought(rules: Path, *only: str) -> Mutation:
    """Without any transcript, so that all survive."""
    return mutate(rules, (), only=only, prover=lambda ready: prover(ready, Settings(("z3",))))


def killed(mutation: Mutation, rules: Path, folder: Path) -> set[str]:
    """What the witnesses kill once they are kept."""
    keep_witnesses(folder, mutation)
    again = mutate(rules, [folder], only=mutation.only)
    return {o.mutant.id for o in again.outcomes if o.verdict == "killed"}


def named(mutation: Mutation, before: str, after: str) -> Outcome:
    (found,) = (o for o in mutation.outcomes if (o.mutant.before, o.mutant.after) == (before, after))
    return found


def expected(outcome: Outcome) -> dict[str, Any]:
    found = yaml.safe_load(outcome.witness)["expect"]
    assert isinstance(found, dict)
    return found


@pytest.fixture(scope="module")
def pebbles() -> Mutation:
    return sought(PEBBLES, "2.2", "3.2:range:*", "3.3:limb:*", "5.2:limb:*", "5.5:limb:*")


def test_what_is_found_kills_when_it_is_kept(pebbles: Mutation, tmp_path: Path) -> None:
    found = {o.mutant.id for o in pebbles.survivors if o.witness}
    assert len(found) > 15
    assert found <= killed(pebbles, PEBBLES, tmp_path)


def test_a_number_that_only_a_define_names_is_counted_up_to(pebbles: Mutation) -> None:
    numbers = [o for o in pebbles.survivors if o.mutant.rule == "2.2" and o.mutant.kind == "constant"]
    assert {(o.mutant.before, o.mutant.after) for o in numbers} >= {("4", "3"), ("4", "5"), ("6", "5")}
    assert all(o.witness for o in numbers)


def test_a_lawful_round_is_found_where_there_is_one(pebbles: Mutation) -> None:
    assert not expected(named(pebbles, "4", "3"))["faults"]
    other = expected(named(pebbles, "s.guest = g and s.open", "s.open"))
    assert not other["faults"], "two guests, each of whom lays one stake"


def test_options_that_a_mutant_has_not_are_stated(pebbles: Mutation) -> None:
    found = named(pebbles, "{100, 200, 500}", "{100, 500}")
    assert yaml.safe_load(found.witness)["options"] == {"limit": 200}


def test_that_a_rule_is_no_longer_kept_is_enough(pebbles: Mutation) -> None:
    (found,) = (
        o for o in pebbles.survivors if "give_back" in o.mutant.before and "give_back" not in o.mutant.after
    )
    assert "5.5" in [str(rule) for rule in expected(found)["kept"]]


def test_none_is_found_where_there_is_none(pebbles: Mutation) -> None:
    """What is paid claims to have won, and must be open, before anything is asked of odds."""
    assert not named(pebbles, "s.open and outcome(s) = win", "outcome(s) = win").witness
    assert not named(pebbles, "s.open and outcome(s) = win", "s.open").witness


def test_what_shows_only_some_events_later_is_found(tmp_path: Path) -> None:
    found = sought(CLOAKROOM, "2.5(a):limb:*")
    late = named(found, "i.here and not i.ticket", "not i.ticket")
    assert late.witness
    assert late.mutant.id in killed(found, CLOAKROOM, tmp_path)


def test_there_are_as_many_as_are_counted(tmp_path: Path) -> None:
    found = sought(JETTY, "comparison", "condition")
    assert named(found, found.outcomes[0].mutant.before, found.outcomes[0].mutant.after).witness
    assert not named(found, "where s.aboard", "").witness, "whoever has a seat is aboard"
    assert killed(found, JETTY, tmp_path) == {o.mutant.id for o in found.survivors if o.witness}


# ------------------------------------------------------------------------------------------------ the parts
def test_a_program_is_told_from_itself_by_nothing() -> None:
    shop = workshop(PEBBLES)
    assert list(telling(shop.original.program, shop.original.program)) == []


def test_a_pair_that_says_the_same_cuts_nothing() -> None:
    ready = prepare(PEBBLES)
    runner = Runner(ready.program)
    events = (Happening("call", "keeper", ()), Happening("draw", "keeper", (0,)))
    play = Play(options(ready.ruleset), events, (), runner.empty.state)
    pair = Pair(runner, Runner(ready.program))
    assert pair.shortened(play) is None
    pair.kept = True
    assert pair.shortened(play) is None


def options(ruleset: Ruleset) -> dict[str, object]:
    return {name: (option.values or (0,))[0] for name, option in ruleset.options.items()}


def test_amounts_that_no_log_can_state_are_made_whole() -> None:
    state = Runner(prepare(PEBBLES).program).empty.state
    half = Play({}, (Happening("pay", "keeper", (("a", 0), Fraction(3, 2))),), (), state)
    assert [one.happenings[0].values[1] for one in statable(half)] == [2, 1]
    whole = Play({}, (Happening("pay", "keeper", (("a", 0), 2)),), (), state)
    assert list(statable(whole)) == [whole]
