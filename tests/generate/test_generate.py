"""Rounds made for a ruleset: lawful ones that exercise all of it, and a faulty one for each rule."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from verifier.check.engine import Prepared, prepare
from verifier.cli.app import run
from verifier.coverage.evidence import exercised
from verifier.errors import RequestError
from verifier.generate.due import consulted, due, early
from verifier.generate.files import keep
from verifier.generate.generate import Generated
from verifier.model.show import names_of, show_term
from verifier.report.generate_json import document
from verifier.report.generate_text import text
from verifier.transcripts.case import case_of

BRIDGE = Path(__file__).parents[1] / "cli" / "bridge"
PEBBLES = Path(__file__).parents[1] / "new_game" / "pebbles.rules"

Make = Callable[[Prepared], Generated]


def test_a_check_finds_what_each_transcript_says(made: Generated, bridge: Prepared) -> None:
    for one in (*made.lawful, *made.faulty):
        case = case_of(one.name, one.text, bridge)
        assert case.unlike(bridge) == []
        assert len(case.rows) == one.events


def test_lawful_rounds_are_lawful_and_whole(made: Generated, bridge: Prepared) -> None:
    for one in made.lawful:
        case = case_of(one.name, one.text, bridge)
        assert case.expected.faults == ()
        assert case.rows[-1].event == "leave"


def test_a_faulty_round_has_one_fault_and_it_is_the_rules(made: Generated, bridge: Prepared) -> None:
    for one in made.faulty:
        (fault,) = case_of(one.name, one.text, bridge).expected.faults
        assert one.rule in {r for verdict, rules in fault.cited if verdict == "broken" for r in rules}


def test_between_them_they_show_every_rule(made: Generated, bridge: Prepared) -> None:
    assert made.unmet == ()
    assert made.exit_code == 0
    cases = [case_of(one.name, one.text, bridge) for one in (*made.lawful, *made.faulty)]
    shown = exercised(bridge, cases)
    assert set(made.targets) == {rule for rule, found in shown.items() if found.kept and found.broken}


def test_they_are_few(made: Generated) -> None:
    assert len(made.lawful) < len(made.targets)
    for one in made.lawful:
        others = {rule for other in made.lawful if other is not one for rule in other.shows}
        assert set(one.shows) - others, f"{one.name} shows nothing that the others do not"


def test_the_same_again(made: Generated, bridge: Prepared, make: Make) -> None:
    assert make(bridge) == made


# ------------------------------------------------------------------------------------------------ what is not
@pytest.fixture
def dead(tmp_path: Path) -> Prepared:
    """The bridge, with a rule that can never apply."""
    own = tmp_path / "own"
    shutil.copytree(BRIDGE, own)
    rules = own / "bridge.rules"
    rules.write_text(rules.read_text("utf-8").replace("when raised", "when raised and not raised"), "utf-8")
    return prepare(rules)


def test_what_cannot_be_broken_is_listed_with_the_proof(dead: Prepared, make: Make) -> None:
    found = make(dead)
    (unmet,) = found.unmet
    assert (unmet.rule, unmet.wanted, unmet.proved) == ("1.2", "broken", True)
    assert "in no state that the types allow (z3" in unmet.why
    assert found.exit_code == 0
    assert "Broken by no round" in text(found, 100)


# ----------------------------------------------------------------------------------------- before it is due
@pytest.fixture(scope="session")
def pebbles() -> Prepared:
    return prepare(PEBBLES)


def test_a_rule_that_says_when_answers_are_due_is_broken_before(pebbles: Prepared, make: Make) -> None:
    found = make(pebbles)
    assert {"5.1", "5.1(a)"} <= found.broken
    (early,) = [one for one in found.faulty if one.rule == "5.1"]
    (fault,) = case_of(early.name, early.text, pebbles).expected.faults
    assert fault.cited == (("broken", frozenset({"5.1"})),)
    shown = exercised(
        pebbles, [case_of(one.name, one.text, pebbles) for one in (*found.lawful, *found.faulty)]
    )
    assert shown["5.1"].broken == 1


def test_one_that_another_goes_before_is_proved_to_be_broken_never(pebbles: Prepared, make: Make) -> None:
    """Odds are due of open stakes that win; of others it is never asked whether the odds are right."""
    (unmet,) = [one for one in make(pebbles).unmet if one.rule == "5.2"]
    assert (unmet.wanted, unmet.proved) == ("broken", True)
    assert "in no state that the types allow" in unmet.why


def test_what_a_hearing_comes_to_in_its_order(pebbles: Prepared) -> None:
    pay = pebbles.ruleset.events["pay"]
    found = [one.answer.decision for one in consulted(pebbles.program, pay)]
    assert found == ["outcome", "odds"]
    assert [len(list(early(pebbles.program, pay, rule))) for rule in ("5.1", "5.2", "5.1(a)", "5.4")] == [
        1,
        1,
        0,
        0,
    ]
    assert [len(list(due(pebbles.program, pay, rule))) for rule in ("5.1", "5.2", "5.1(a)", "5.4")] == [
        1,
        1,
        0,
        0,
    ]


def test_answers_behind_a_define_and_in_a_branch_are_come_to(tmp_path: Path) -> None:
    own = tmp_path / "own"
    shutil.copytree(BRIDGE, own)
    text = (own / "bridge.rules").read_text("utf-8")
    text = text.replace(
        "  claims amount = toll(kind)", "  claims if amount = 0 then raised else amount = owed(kind)"
    )
    text = text.replace("rule 1.1 ", "define owed(k: Kind): money = toll(k)\n\nrule 1.1 ", 1)
    text = text.replace(
        "money\n  keeper must", "money\n  asked toll(k) when k = foot and here exists\n  keeper must"
    )
    (own / "bridge.rules").write_text(text, "utf-8")
    ready = prepare(own / "bridge.rules")
    charge = ready.ruleset.events["charge"]
    (one,) = consulted(ready.program, charge)
    assert (one.answer.decision, len(one.unless)) == ("toll", 1)
    (question,) = early(ready.program, charge, "1.1")
    names = names_of(ready.ruleset)
    told = "kind = foot and not (kind = foot and here exists)"
    assert (show_term(question.condition, names), show_term(question.none[0].condition, names)) == (
        told,
        "amount = 0",
    )


# ------------------------------------------------------------------------------------------------- the command
def test_the_command_writes_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "made"
    command = ["generate", str(BRIDGE / "bridge.rules"), "--steps", "100", "--no-cache", "-w", str(folder)]
    assert run([*command, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["gazette-generate"] == 1
    written = {path.name: path.read_text("utf-8") for path in folder.iterdir()}
    assert written == {one["name"]: one["transcript"] for one in (*found["lawful"], *found["faulty"])}


def test_the_command_begins_from_plays_that_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A name that no play made up: it comes from what people wrote."""
    (tmp_path / "own.transcript.yaml").write_text(
        "ruleset: bridge\nabout: her own\nevents:\n- traveller arrive traveller=rosalind\n"
        "- keeper charge traveller=rosalind kind=foot amount=50\n- traveller leave\n",
        "utf-8",
    )
    command = ["generate", str(BRIDGE / "bridge.rules"), "--steps", "10", "--no-cache", "--format", "json"]
    assert run([*command, "--plays", str(tmp_path / "nowhere")]) == 2
    assert "no such" in capsys.readouterr().err
    assert run([*command, "--plays", str(tmp_path)]) == 0
    found = json.loads(capsys.readouterr().out)
    texts = [one["transcript"] for one in (*found["lawful"], *found["faulty"])]
    assert any("rosalind" in text for text in texts)


def test_the_document_says_what_was_made(made: Generated) -> None:
    found = document(made)
    assert [one["breaks"] for one in found["faulty"]] == [one.rule for one in made.faulty]
    assert all(one["breaks"] is None for one in found["lawful"])


def test_a_file_that_is_something_else_is_not_written_over(tmp_path: Path, made: Generated) -> None:
    texts = [(one.name, one.text) for one in made.lawful]
    (tmp_path / texts[0][0]).write_text("ruleset: another\n", "utf-8")
    with pytest.raises(RequestError, match="already"):
        keep(tmp_path, "bridge", texts)
    (tmp_path / texts[0][0]).write_text("ruleset: bridge\nabout: older\n", "utf-8")
    assert keep(tmp_path, "bridge", texts) == len(texts)
