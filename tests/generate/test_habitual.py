"""Rounds played by habit, and what no log can hold."""

from __future__ import annotations

from fractions import Fraction

from verifier.check.engine import Prepared
from verifier.generate.habitual import Tables
from verifier.generate.rounds import Bench
from verifier.prove.question import Play
from verifier.run.bench import Happening

FOOT = 0

ARRIVE = Happening("arrive", "traveller", ("ann",))


def charge(amount: int | Fraction) -> Happening:
    return Happening("charge", "keeper", ("ann", FOOT, amount))


def test_a_table_played_by_habit_is_lawful_and_whole(bridge: Prepared) -> None:
    tables = Tables(bridge, 0)
    bench = Bench(bridge.program, tables.runner, tables.writable)
    (options,) = tables.settings()
    rounds = [happenings for number in range(4) for happenings in tables.play(options, number)]
    assert rounds
    for happenings in rounds:
        assert bench.judged(options, happenings, lawful=True) is not None
        assert bench.complete(happenings)


def test_the_same_seed_plays_the_same(bridge: Prepared) -> None:
    one, other = Tables(bridge, 3), Tables(bridge, 3)
    assert list(one.play({}, 5)) == list(other.play({}, 5))


def test_a_round_that_was_begun_is_brought_to_its_end_with_its_fault(bridge: Prepared) -> None:
    tables = Tables(bridge, 0)
    bench = Bench(bridge.program, tables.runner, tables.writable)
    play = Play({}, (ARRIVE, charge(60)), ((), ("1.1(a)",)), tables.runner.empty.state)
    ended = tables.ended(play)
    assert ended is not None
    assert ended[:2] == play.happenings
    whole = bench.judged({}, ended)
    assert whole is not None
    assert [bool(beat.faults) for beat in whole.beats] == [False, True, *[False] * (len(ended) - 2)]
    assert bench.complete(ended)


def test_what_no_log_can_hold_is_in_no_round(bridge: Prepared) -> None:
    tables = Tables(bridge, 0)
    bench = Bench(bridge.program, tables.runner, tables.writable)
    assert bench.judged({}, (ARRIVE, charge(50))) is not None
    assert bench.judged({}, (ARRIVE, charge(Fraction(101, 2)))) is None
    assert bench.judged({}, (ARRIVE, charge(-50))) is None
