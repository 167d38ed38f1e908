"""Logs of a life of its own, beside those of the tables: keys, order, corrections, state, and what is reported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from verifier.check.engine import Engine, Prepared, check, prepare
from verifier.check.replay import ask_at
from verifier.check.result import CheckResult
from verifier.errors import LogError
from verifier.log.schema_arrow import to_arrow
from verifier.log.schema_json import to_json_schema
from verifier.report.text import text as as_text

SPEC = Path(__file__).parents[2] / "spec" / "examples"

RULES = """ruleset guild
law anyton/cloakroom
use anyton/base

life guild beside house ends dissolve
life watch around roll ends relieve
state guild
  members: set of Guest
state watch
  calls: 0..9
event enrol(guest: Guest) by proprietor in guild
event levy(guest: Guest, amount: money) by proprietor in guild
event dissolve by proprietor in guild
event relieve by attendant
on enrol(g)
  members gains g
on call(g)
  calls = calls + 1
rule 6.1 "It shall be so."
  proprietor must not levy(g, any) when g not in members
rule 6.2 "It shall not be so:"
  attendant must not call(any) when calls >= 2
"""

ENROL = "- {lives: {guild: G1, house: H1}}\n- proprietor enrol guest=ann\n"


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    path = tmp_path_factory.mktemp("guild") / "guild.rules"
    path.write_text(RULES, "utf-8")
    return prepare(path, [SPEC])


def checked(ready: Prepared, tmp_path: Path, events: str) -> CheckResult:
    path = tmp_path / "case.yaml"
    path.write_text("ruleset: guild\nevents:\n" + events, "utf-8")
    return check([path], ready)


def test_a_life_around_another_stands_before_it(ready: Prepared) -> None:
    schema = ready.binding.schema
    assert [life.name for life in schema.lives] == ["house", "guild", "watch", "roll", "evening"]
    assert (schema.beside, schema.events["enrol"].life, schema.events["call"].life) == (
        ("guild",),
        "guild",
        None,
    )
    assert schema.carries("enrol") == {"guild"}
    assert schema.carries("call") == {"house", "watch", "roll", "evening"}


def test_each_log_has_its_own_order_and_its_own_state(ready: Prepared, tmp_path: Path) -> None:
    events = ENROL + (
        "- attendant open\n- proprietor levy guest=ann amount=5\n- attendant call guest=ann\n"
        "- proprietor levy guest=bob amount=5\n- {lives: {guild: G2}}\n- proprietor levy guest=ann amount=5\n"
    )
    result = checked(ready, tmp_path, events)
    found = [
        (e.table, dict(e.lives)["guild"], e.seq, [c.rule for c in e.lead.citations]) for e in result.entries
    ]
    assert found == [(None, "G1", 3, ["6.1"]), (None, "G2", 1, ["6.1"])]
    tables = [(t.name, t.beside, t.events, t.entries) for t in result.tables]
    assert tables == [("guild G1", True, 3, 1), ("H1", False, 2, 0), ("guild G2", True, 1, 1)]
    text = as_text(result)
    assert "6 events in 1 round at 1 table" in text
    assert "guild G1, seq 3" in text


def test_a_life_around_the_round_is_no_round(ready: Prepared, tmp_path: Path) -> None:
    call = "- attendant call guest=ann\n"
    events = call * 2 + "- {lives: {watch: 2}}\n" + call
    (entry,) = checked(ready, tmp_path, call * 3).entries
    assert [c.rule for c in entry.lead.citations] == ["6.2"]
    (passed,) = checked(ready, tmp_path, events).entries
    assert passed.lead.note == "the log passes from watch 1 to 2 without a relieve"
    assert checked(ready, tmp_path, events.replace("- {l", "- attendant relieve\n- {l")).entries == ()


def test_a_life_of_its_own_ends(ready: Prepared, tmp_path: Path) -> None:
    events = ENROL + "- proprietor dissolve\n- {lives: {guild: G2}}\n- proprietor levy guest=ann amount=5\n"
    (entry,) = checked(ready, tmp_path, events).entries
    assert entry.seq == 1
    (again,) = checked(
        ready, tmp_path, ENROL + "- proprietor dissolve\n- proprietor enrol guest=ann\n"
    ).entries
    assert "guild G1 goes on after its end" in again.lead.note


def test_a_row_is_corrected_within_its_log(ready: Prepared, tmp_path: Path) -> None:
    events = ENROL + (
        "- attendant call guest=ann\n- proprietor levy guest=bob amount=5\n"
        "- proprietor correction corrects=2 corrected_event=levy corrected_actor=proprietor guest=ann amount=5\n"
    )
    assert checked(ready, tmp_path, events).entries == ()


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"guild": "G1", "house": "H1"}, 'field house: found "H1", expected no such field in enrol'),
        ({}, "field guild: found nothing, expected an identifier"),
    ],
)
def test_a_row_carries_the_key_of_its_own_log_alone(
    ready: Prepared, tmp_path: Path, row: dict[str, object], message: str
) -> None:
    header = {
        "gazette-log": 1, "operator": "x", "ruleset": "guild", "currency": "NZD", "exponent": 2,
        "records": "all", "missing_columns": ["at"],
    }  # fmt: skip
    event = {**row, "seq": 1, "actor": "proprietor", "event": "enrol", "guest": "ann"}
    path = tmp_path / "case.jsonl"
    path.write_text(json.dumps(header) + "\n" + json.dumps(event) + "\n", "utf-8")
    with pytest.raises(LogError) as refused:
        check([path], ready)
    assert message in str(refused.value)


def test_the_schemas_say_which_rows_carry_which_keys(ready: Prepared) -> None:
    schema = ready.binding.schema
    found = json.dumps(to_json_schema(schema)["$defs"]["event_enrol"])
    assert '"house": {"type": "null"}' in found
    assert '"required": ["guild"' in found
    arrow = to_arrow(schema)
    assert all(arrow.field(life.name).nullable for life in schema.lives)


def test_asked_at_a_log_of_its_own(ready: Prepared, tmp_path: Path) -> None:
    path = tmp_path / "case.yaml"
    path.write_text("ruleset: guild\nevents:\n" + ENROL + "- attendant call guest=ann\n", "utf-8")
    asked = ask_at(path, ready, table="guild G1")
    assert (asked.seq, dict(asked.lives)["guild"]) == (1, "G1")


@pytest.mark.parametrize("engine", ["explain", "bulk"])
def test_what_is_due_at_once_at_a_table_waits_for_nobody_in_another_log(
    engine: Engine, tmp_path: Path
) -> None:
    """That the doors are shut is so in every log, for they never open in one of a guild."""
    rule = 'rule 6.3 "It shall be otherwise."\n  attendant must open at once when not doors\n'
    swears = "event swear(guest: Guest) by attendant in guild\n"
    path = tmp_path / "guild.rules"
    path.write_text(RULES.replace("event levy", f"{swears}event levy") + rule, "utf-8")
    case = tmp_path / "case.yaml"
    case.write_text(
        f"ruleset: guild\nevents:\n{ENROL}- attendant swear guest=ann\n- attendant call guest=ann\n", "utf-8"
    )
    (entry,) = check([case], prepare(path, [SPEC]), engine=engine).entries
    assert (entry.table, entry.seq, [c.rule for c in entry.lead.citations]) == ("H1", 1, ["6.3"])
