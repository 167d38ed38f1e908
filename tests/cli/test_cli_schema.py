"""`gazette schema` and `gazette rules`."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema

from verifier.model.load import load, shipped


def test_json_schema_takes_a_good_row_and_refuses_a_bad_one(gazette, bridge: Path) -> None:
    schema = json.loads(gazette("schema", bridge / "bridge.rules").out)
    jsonschema.Draft202012Validator.check_schema(schema)
    row = {
        **{"bridge": "north", "crossing": 1, "seq": 1, "at": "2024-03-01T20:15:00+13:00", "actor": "keeper"},
        **{"event": "charge", "traveller": "ann", "kind": "foot", "amount": 50},
    }
    validator = jsonschema.Draft202012Validator(schema)
    assert validator.is_valid(row)
    assert not validator.is_valid({**row, "kind": "horse"})
    assert not validator.is_valid({**row, "amount": "50"})


def test_arrow_schema(gazette, bridge: Path) -> None:
    ran = gazette("schema", bridge / "bridge.rules", "--arrow")
    assert ran.code == 0
    assert "\namount: int64\n" in ran.out
    assert ran.out.startswith("bridge: string not null\n")


def test_output_goes_to_a_file(gazette, bridge: Path, tmp_path: Path) -> None:
    ran = gazette("schema", bridge / "bridge.rules", "--output", tmp_path / "schema.json")
    assert (ran.code, ran.out) == (0, "")
    assert (tmp_path / "schema.json").read_text() == gazette("schema", bridge / "bridge.rules").out


def test_output_into_a_folder_that_is_not_there(gazette, bridge: Path, tmp_path: Path) -> None:
    ran = gazette("schema", bridge / "bridge.rules", "-o", tmp_path / "none" / "schema.json")
    assert ran.code == 2
    assert "[unwritable]" in ran.err


def test_rules_lists_every_shipped_ruleset(gazette) -> None:
    listed = {
        facts["name"]: facts for facts in json.loads(gazette("rules", "--format", "json").out)["rulesets"]
    }
    assert list(listed) == list(shipped())
    for name, facts in listed.items():
        ruleset = load(name)
        assert facts["digest"] == ruleset.digest
        assert facts["in_force"] == ruleset.in_force
        assert ruleset.law is not None
        assert (facts["law"], facts["issue"]) == (ruleset.law.id, ruleset.law.header.issue)


def test_rules_as_text(gazette) -> None:
    out = gazette("rules").out
    for name in shipped():
        assert f"{name}\n" in out
        assert load(name).digest in out
