"""Rules that come to work only after a fault, or where the law leaves open what is so."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from verifier.check.engine import Prepared, prepare
from verifier.generate import proofs
from verifier.generate.asks import keeping
from verifier.generate.beside import MOST_FAULTS, Company
from verifier.generate.generate import Generated
from verifier.generate.pool import Pool
from verifier.generate.proofs import Proofs
from verifier.generate.rounds import Bench
from verifier.prove.desk import Desk
from verifier.prove.explore.snapshot import Runner
from verifier.prove.solve import Settings
from verifier.report.generate_json import document
from verifier.report.generate_text import text
from verifier.run.bench import Happening
from verifier.transcripts.case import case_of

BRIDGE = Path(__file__).parents[1] / "cli" / "bridge"

Make = Callable[[Prepared], Generated]

AFTER = """rule 1.3 "The keeper shall wear a cap"
  keeper must not lower when rule 1.2 has been broken this crossing
"""
"""A rule that only what is done after a fault can break."""

OPEN = """rule 1.3 "The keeper shall wear a cap"
  decision fee(k: Kind): money
  fee(k) = 50 when k = foot
"""
"""A second answer that a charge claims, which no rule gives of a cart."""


WET = """rule 1.3 "The keeper shall wear a cap"
  keeper must lower before leave when wet
"""
"""A duty that only a crossing of the raised bridge brings about: no state of the types tells that."""

MECHANICS = (
    ("  charged: bool\n", "  charged: bool\n  wet: bool\n"),
    ("on charge(t", "on cross(t)\n  wet = yes when raised\n\non charge(t"),
)


def bridge_with(folder: Path, rule: str, *changes: tuple[str, str]) -> Prepared:
    shutil.copytree(BRIDGE, folder / "own")
    rules = folder / "own" / "bridge.rules"
    kept = rules.read_text("utf-8").partition("rule 1.3")[0]
    for old, new in changes:
        assert old in kept
        kept = kept.replace(old, new)
    rules.write_text(kept + rule, "utf-8")
    return prepare(rules)


@pytest.fixture
def after(tmp_path: Path) -> Prepared:
    return bridge_with(tmp_path, AFTER)


def test_a_rule_that_only_a_second_fault_breaks_is_broken_after_the_first(
    after: Prepared, make: Make
) -> None:
    made = make(after)
    assert "1.3" in made.broken
    assert not [one for one in made.unmet if one.rule == "1.3"]
    (one,) = [one for one in made.faulty if one.rule == "1.3"]
    case = case_of(one.name, one.text, after)
    assert case.unlike(after) == []
    first, second = (dict(fault.cited)["broken"] for fault in case.expected.faults)
    assert [*first, *second] == ["1.2", "1.3"]
    assert one.beside == (f"event {case.expected.faults[0].seq} breaks 1.2",)
    assert one.name == "broken-1.3.transcript.yaml"
    assert f"breaks 1.3; besides, {one.beside[0]}" in text(made, 200)
    assert one.beside[0] in case.about


def test_a_rule_at_work_only_where_the_law_has_a_gap_is_shown_there(tmp_path: Path, make: Make) -> None:
    ready = bridge_with(
        tmp_path, OPEN, ("claims amount = toll(kind)", "claims amount = toll(kind) and amount = fee(kind)")
    )
    made = make(ready)
    assert "1.1(b)" not in made.exercised
    (one,) = made.beside
    case = case_of(one.name, one.text, ready)
    assert (one.name, one.rule) == ("beside-1.1b.transcript.yaml", None)
    assert case.unlike(ready) == []
    (fault,) = case.expected.faults
    assert fault.cited == (("undecided", frozenset()),)
    assert one.beside == (f"event {fault.seq} is undecided",)
    (unmet,) = [u for u in made.unmet if (u.rule, u.wanted) == ("1.1(b)", "kept")]
    assert unmet.proved
    assert unmet.why.startswith(
        f"at work in beside-1.1b.transcript.yaml, where event {fault.seq} is undecided; of lawful rounds: proved: in no"
    )
    assert made.exit_code == 0
    assert [entry["name"] for entry in document(made)["beside"]] == [one.name]
    assert one.name in text(made, 100)


def test_what_an_induction_has_in_no_lawful_play_is_a_verdict_of_its_own(tmp_path: Path, make: Make) -> None:
    ready = bridge_with(tmp_path, WET, *MECHANICS)
    made = make(ready)
    assert "1.3" not in made.exercised
    (one,) = made.beside
    (unmet,) = [u for u in made.unmet if (u.rule, u.wanted) == ("1.3", "kept")]
    assert (unmet.proved, unmet.verdict, unmet.beside) == (False, "beside", one.name)
    assert "breaks 1.2; in no lawful play, by induction (z3; every state, of whatever size" in unmet.why
    assert made.exit_code == 0
    (entry,) = [e for e in document(made)["unmet"] if (e["rule"], e["wanted"]) == ("1.3", "kept")]
    assert (entry["verdict"], entry["beside"], entry["proved"]) == ("beside", one.name, False)
    assert "BESIDE SOMETHING ELSE ONLY: at work in beside-1.3" in text(made, 200)
    about = case_of(one.name, one.text, ready).about
    assert "breaks 1.2." in about
    assert "By induction it is at work in no lawful play" in about


def test_where_that_is_not_told_of_whatever_size_it_may_be_within_a_scope(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The duty is done by an event: of it is asked what must be so before it."""
    monkeypatch.setattr(proofs, "lastingly", lambda *_: None)
    ready = bridge_with(tmp_path, WET, *MECHANICS)
    desk = Desk(ready.program, Settings(("z3",)), steps=20, seed=0)
    within = Proofs(desk).lawfully_nowhere("1.3", keeping(ready.program, "1.3"))
    assert within is not None
    assert within.startswith("z3; 1 Traveller")


def test_where_lawful_play_may_have_it_so_no_induction_tells(tmp_path: Path) -> None:
    """Nobody but the keeper is kept from crossing: a traveller who gets wet breaks nothing."""
    rule = ("traveller t must not cross(t) when raised", "keeper must not raise when raised")
    ready = bridge_with(tmp_path, WET, *MECHANICS, rule)
    desk = Desk(ready.program, Settings(("z3",)), steps=20, seed=0)
    assert Proofs(desk).lawfully_nowhere("1.3", keeping(ready.program, "1.3")) is None


def test_where_nothing_tells_it_stays_open_beside_what_shows_it(
    tmp_path: Path, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Proofs, "lawfully_nowhere", lambda *_: None)
    ready = bridge_with(tmp_path, WET, *MECHANICS)
    made = make(ready)
    (unmet,) = [u for u in made.unmet if (u.rule, u.wanted) == ("1.3", "kept")]
    assert (unmet.verdict, unmet.beside) == ("open", made.beside[0].name)
    assert made.exit_code == 3
    assert "OPEN: at work in beside-1.3" in text(made, 200)
    assert "No lawful round was found that shows it." in case_of("", made.beside[0].text, ready).about


def test_nothing_is_beside_anything_where_every_rule_is_shown(made: Generated) -> None:
    assert made.beside == ()
    assert not any(one.beside for one in made.faulty)


def test_a_play_is_looked_at_up_to_so_many_faults(after: Prepared) -> None:
    bench = Bench(after.program, Runner(after.program))
    company = Company(Pool(bench, ("1.3",)), frozenset({("1.3", "broken")}))
    arrive, cross = Happening("arrive", "traveller", ("ann",)), Happening("cross", "traveller", ("ann",))
    up, down = Happening("raise", "keeper", ()), Happening("lower", "keeper", ())
    many = (arrive, up, *[cross] * (MOST_FAULTS + 1), down)
    company.take({}, many)
    assert company.found == {}
    stands = company.take({}, (arrive, up, cross, down))
    assert [len(stand.happenings) for stand in stands] == [3, 4]
    assert company.left() == []
    assert [len(one.round.beats) for one in company.found.values()] == [4]


DIVIDED = """rule 1.3 "The keeper shall wear a cap"
  decision each: money
  each = 60 div passed
  keeper must not divide(any) when number of (lower this bridge) = 0
"""
"""What is broken soonest where nobody has crossed, and what is due to each cannot be told."""


def test_a_fault_with_which_something_cannot_be_checked_gives_way_to_a_longer_one(
    tmp_path: Path, make: Make
) -> None:
    """No transcript can hold the shorter one, for it would have to say all of it."""
    ready = bridge_with(
        tmp_path,
        DIVIDED,
        ("  raised: bool\n", "  raised: bool\n  passed: 0..9\n"),
        ("event leave", "event divide(amount: money) by keeper\n  claims amount = each\nevent leave"),
        ("on charge(t", "on cross(t)\n  passed = passed + 1 when passed < 9\n\non charge(t"),
    )
    made = make(ready)
    (one,) = [one for one in made.faulty if one.rule == "1.3"]
    assert case_of(one.name, one.text, ready).unlike(ready) == []
    assert "traveller cross" in one.text
