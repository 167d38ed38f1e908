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
from verifier.generate.files import keep
from verifier.generate.generate import Generated
from verifier.report.generate_json import document
from verifier.report.generate_text import text
from verifier.transcripts.case import case_of

BRIDGE = Path(__file__).parents[1] / "cli" / "bridge"

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


# ------------------------------------------------------------------------------------------------- the command
def test_the_command_writes_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "made"
    command = ["generate", str(BRIDGE / "bridge.rules"), "--steps", "100", "--no-cache", "-w", str(folder)]
    assert run([*command, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["gazette-generate"] == 1
    written = {path.name: path.read_text("utf-8") for path in folder.iterdir()}
    assert written == {one["name"]: one["transcript"] for one in (*found["lawful"], *found["faulty"])}


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
