"""Play to begin from, and the faults that are seen in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from verifier.check.engine import Prepared
from verifier.coverage.measure import binding_rules
from verifier.generate.asks import breaking
from verifier.generate.habitual import Tables
from verifier.generate.pool import Pool
from verifier.generate.probes import look, probe
from verifier.generate.rounds import Bench, Round
from verifier.prove.explore.candidates import Candidates
from verifier.prove.told import Tellings, told
from verifier.run.bench import Happening

FOOT, CART = 0, 1

LOWER = Happening("lower", "keeper", ())
ARRIVE = Happening("arrive", "traveller", ("ann",))
CROSS = Happening("cross", "traveller", ("ann",))
LEAVE = Happening("leave", "traveller", ())
RAISE = Happening("raise", "keeper", ())


def charge(amount: int, kind: int = FOOT) -> Happening:
    return Happening("charge", "keeper", ("ann", kind, amount))


@pytest.fixture
def pool(bridge: Prepared) -> Pool:
    tables = Tables(bridge, 0)
    bench = Bench(bridge.program, tables.runner, tables.writable)
    return Pool(bench, binding_rules(bridge.ruleset))


def test_a_whole_round_is_kept_for_what_it_shows_first(pool: Pool) -> None:
    assert pool.add({}, (ARRIVE, charge(50), CROSS, LEAVE))
    assert not pool.add({}, (ARRIVE, charge(50), CROSS, LEAVE))
    assert pool.add({}, (ARRIVE, charge(200, CART), CROSS, LEAVE))
    assert len(pool.rounds) == 2
    assert pool.missing() == []


def test_what_follows_the_last_whole_round_is_not_in_it(pool: Pool) -> None:
    assert pool.add({}, (ARRIVE, charge(50), CROSS, LEAVE, ARRIVE, charge(200, CART)))
    (one,) = pool.rounds
    assert one.happenings == (ARRIVE, charge(50), CROSS, LEAVE)
    assert "1.1(b)" in pool.missing()


def test_a_round_with_a_fault_is_none_and_the_fault_is_noted(pool: Pool) -> None:
    assert not pool.add({}, (ARRIVE, charge(60), CROSS, LEAVE))
    assert pool.rounds == []
    assert pool.faults["1.1(a)"].happenings == (ARRIVE, charge(60))
    assert "1.1(a)" not in pool.unbroken()


def test_a_fault_that_breaks_fewer_rules_takes_the_place_of_one_that_breaks_more(pool: Pool) -> None:
    pool.stand({}, (RAISE, ARRIVE, CROSS))
    both = pool.faults["1.2"]
    assert both.beat.broken == {"1.1", "1.2"}
    assert {"1.1", "1.2"} <= set(pool.unbroken())
    pool.stand({}, (RAISE, ARRIVE, charge(50), CROSS))
    assert pool.faults["1.2"].beat.broken == {"1.2"}
    assert pool.faults["1.1"] == both
    pool.stand({}, (RAISE, ARRIVE, CROSS))
    assert pool.faults["1.2"].beat.broken == {"1.2"}


def test_states_are_kept_once_by_the_shortest_way(pool: Pool) -> None:
    pool.stand({}, (RAISE, ARRIVE, charge(50), LEAVE))
    size = len(pool.stands)
    pool.stand({}, (RAISE, ARRIVE, charge(50), LEAVE))
    assert len(pool.stands) == size
    assert [len(stand.happenings) for stand in pool.nearest_first()] == sorted(
        len(stand.happenings) for stand in pool.stands.values()
    )


def test_faults_are_found_by_trying_where_play_stands(pool: Pool, bridge: Prepared) -> None:
    pool.stand({}, (RAISE, ARRIVE, charge(50), LEAVE))
    candidates = Candidates(pool.bench.runner, Tables(bridge, 0).scope)

    def kinds(rule: str) -> list[tuple[str, str]]:
        asks = breaking(bridge.program, rule).asks
        return [(a.question.event, a.actor) for a in asks if a.question.event and a.actor]

    left = list(probe(pool, candidates, kinds, Random(0)))
    assert left
    assert set(pool.faults) == {"1.1", "1.1(a)", "1.1(b)", "1.2"}
    assert all(fault.alone for rule, fault in pool.faults.items() if rule != "1.1")


def test_no_more_is_tried_than_is_allowed(pool: Pool, bridge: Prepared) -> None:
    pool.stand({}, (RAISE, ARRIVE, charge(50), LEAVE))
    candidates = Candidates(pool.bench.runner, Tables(bridge, 0).scope)
    before = pool.bench.runner.taken
    assert list(probe(pool, candidates, lambda rule: [("cross", "traveller")], Random(0), most=1)) != []
    assert pool.bench.runner.taken - before <= 2


def test_for_what_is_broken_with_others_no_better_event_is_looked_for_long(
    pool: Pool, bridge: Prepared, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To raise the bridge once more breaks nothing; what nothing breaks yet is gone on with."""
    pool.stand({}, (RAISE, ARRIVE, CROSS))
    monkeypatch.setattr("verifier.generate.probes.MOST_IDLE", 1)
    candidates = Candidates(pool.bench.runner, Tables(bridge, 0).scope)
    for rule, lefts in (("1.2", [4]), ("1.1(a)", [4, 3, 3])):
        assert list(probe(pool, candidates, _raising("1.1", rule), Random(0))) == lefts


def _raising(*rules: str) -> Callable[[str], list[tuple[str, str]]]:
    return lambda rule: [("raise", "keeper")] if rule in rules else []


def test_lawful_events_are_found_that_exercise_what_no_whole_round_does(pool: Pool, bridge: Prepared) -> None:
    pool.stand({}, (ARRIVE, charge(50), CROSS))
    candidates = Candidates(pool.bench.runner, Tables(bridge, 0).scope)
    kinds = {"1.1(a)": [("charge", "keeper")], "1.1(b)": [("charge", "keeper")]}
    found = [h for _, h in look(pool, candidates, lambda rule: kinds.get(rule, []), Random(0))]
    assert {charge(50), charge(200, CART)} <= set(found)
    assert charge(60) not in found
    assert pool.add({}, (ARRIVE, charge(50), CROSS, LEAVE))
    assert pool.add({}, (ARRIVE, charge(200, CART), CROSS, LEAVE))
    assert list(look(pool, candidates, lambda rule: kinds.get(rule, []), Random(0))) == []


# ------------------------------------------------------------------------------------------- rounds made short
def test_a_faulty_round_is_made_short_round_its_fault(pool: Pool) -> None:
    whole = pool.bench.judged({}, (RAISE, LOWER, ARRIVE, charge(60), RAISE, LOWER, CROSS, LEAVE))
    assert whole is not None
    fault = whole.beats[3].faults
    short = pool.bench.shortened(whole, lambda one: any(beat.faults == fault for beat in one.beats))
    assert short.happenings == (charge(60), LEAVE)
    assert [beat.faults for beat in short.beats] == [fault, ()]


def test_leaving_events_out_brings_in_no_other_fault(pool: Pool) -> None:
    """Without the charge the crossing would break 1.1, too."""
    whole = pool.bench.judged({}, (RAISE, ARRIVE, charge(50), CROSS, LEAVE))
    assert whole is not None
    fault = whole.beats[3].faults

    def fits(one: Round) -> bool:
        return ARRIVE in one.happenings and any(beat.faults == fault for beat in one.beats)

    assert pool.bench.shortened(whole, fits) == whole


def test_no_more_is_judged_to_make_a_round_short_than_is_allowed(pool: Pool) -> None:
    whole = pool.bench.judged({}, (RAISE, LOWER, ARRIVE, charge(50), CROSS, LEAVE))
    assert whole is not None
    assert pool.bench.shortened(whole, lambda one: True, most=0) == whole
    assert len(pool.bench.shortened(whole, lambda one: True).beats) == 1


# ------------------------------------------------------------------------------------------- what people wrote
def test_what_people_wrote_is_played_with_its_faults(bridge: Prepared, tmp_path: Path) -> None:
    text = "ruleset: bridge\nabout: too much\nevents:\n- traveller arrive traveller=ann\n"
    text += "- keeper charge traveller=ann kind=foot amount=60\n- traveller leave\n"
    (tmp_path / "slip.transcript.yaml").write_text(text, "utf-8")
    (play,) = Tellings(bridge.program, told(bridge, [tmp_path])).plays()
    assert play.happenings == (ARRIVE, charge(60), LEAVE)
    assert play.breaches == ((), ("1.1(a)",), ())
