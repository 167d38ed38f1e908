"""Whether a rule that the types let apply does so in some play: shown, proved to be so in none, or neither."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from verifier.check.schema import bind
from verifier.core.lower import lower
from verifier.core.program import Program
from verifier.model.load import load
from verifier.prove import decide
from verifier.prove.desk import Desk
from verifier.prove.explore.explorer import Explorer
from verifier.prove.found import Found, Recorded, play_text
from verifier.prove.known import Known
from verifier.prove.prove import Proof
from verifier.prove.question import Never, Obligation, Sometimes, Unknown
from verifier.prove.solve import Settings
from verifier.prove.whole import AtDesk, every, prove_whole
from verifier.report.prove_text import NOT_PLAYED, Lines
from verifier.run.bench import Happening

LAW = Path(__file__).parents[1] / "hunt" / "small.law"
DEAD = "dead rule 1.1"
RULES = """ruleset small
law small
actors keeper, guest
life day ends close
state day
  stage: 0..3
event begin by keeper
  needs stage = 0
event serve by keeper
  needs stage = 1
event look by guest
event close by keeper
on begin
  stage = 1
on serve
  stage = {last}
rule 1.1 "It shall be so"
  guest must not look when stage > 2
"""
LIVE = (Happening("begin", "keeper", ()), Happening("serve", "keeper", ()))


def program(folder: Path, last: int) -> Program:
    (folder / "small.law").write_text(LAW.read_text("utf-8"), "utf-8")
    (folder / "small.rules").write_text(RULES.format(last=last), "utf-8")
    return lower(load(folder / "small.rules"))


@pytest.fixture
def live(tmp_path: Path) -> Program:
    return program(tmp_path, 3)


@pytest.fixture
def dead(tmp_path: Path) -> Program:
    return program(tmp_path, 2)


def asked(of: Program) -> Obligation:
    return next(o for o in every(of) if o.id == DEAD)


def desk(of: Program) -> Desk:
    """One that has hardly played."""
    return Desk(of, Settings(solvers=("z3",)), steps=1)


def rounds(of: Program) -> Found:
    ruleset = of.ruleset
    told = json.loads(f"{{{play_text({}, LIVE, ruleset, bind(ruleset))}}}")
    return Found(plays={("kept 1.1", "play"): Recorded(told["options"], told["events"])}, digest="rounds")


def proof(of: Program) -> Proof:
    return prove_whole(of, Settings(solvers=("z3",)), only=["dead*"])


def test_a_round_kept_beside_the_rules_shows_that_a_rule_applies(
    live: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Explorer, "look", lambda *_: None)
    question = asked(live).question
    assert question is not None
    at = desk(live)
    assert at.shown(question) is None
    at = desk(live)
    at.rounds = Known(live, rounds(live))
    seen = at.shown(question)
    assert seen is not None
    assert seen.play is not None
    assert (len(seen.play.happenings), seen.scope) == (2, "a play from the rounds kept beside the rules")


def test_so_does_a_play_of_its_own(live: Program) -> None:
    (result,) = proof(live).results
    assert result.verdict == "proved"
    assert isinstance(result.decided.words, Sometimes)
    assert result.decided.words.play is not None
    assert NOT_PLAYED not in Lines().line(result)


def test_what_can_happen_in_no_play_is_a_finding_with_what_keeps_it_from_happening(dead: Program) -> None:
    made = proof(dead)
    (result,), (finding,) = made.results, made.findings
    assert isinstance(result.decided.words, Sometimes)
    assert isinstance(result.decided.play, Never)
    assert result.decided.play.using
    assert (finding.where, finding.id) == ("nowhere in play", "dead_rule_1_1")
    assert finding.witness is not None
    assert not finding.witness.played


def test_it_can_be_accepted(tmp_path: Path) -> None:
    of = program(tmp_path, 2)
    rules = tmp_path / "small.rules"
    rules.write_text(f'{rules.read_text("utf-8")}accepted finding dead_rule_1_1 "meant"\n', "utf-8")
    made = proof(lower(load(rules)))
    assert [result.verdict for result in made.results] == ["accepted"]
    assert not made.errors
    assert [result.verdict for result in proof(of).results] == ["refuted"]


def test_where_neither_is_shown_it_says_so(dead: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decide, "in_no_play", lambda *_: None)
    (result,) = proof(dead).results
    assert result.verdict == "proved"
    assert NOT_PLAYED in Lines().line(result)


def test_solvers_that_contradict_each_other_are_told_of(
    dead: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decide, "in_no_play", lambda *_: Unknown("differ", disagree=True))
    (result,) = proof(dead).results
    assert result.verdict == "disagreement"


def test_within_a_scope_that_is_asked_for_only_the_types_are(dead: Program) -> None:
    at = desk(dead)
    at.asked = True
    found = AtDesk(at).first(asked(dead))
    assert found is not None
    assert found.play is None
