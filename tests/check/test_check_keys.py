"""A thing that an event names stands in the columns of its key: all that tells which it is, or, where it may be absent,
none. A part of a key that may be absent is an empty cell."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from verifier.check.engine import Prepared, check, prepare
from verifier.check.result import CheckResult
from verifier.check.schema import bind
from verifier.errors import LogError, RuleTextError
from verifier.log.schema_json import to_json_schema
from verifier.model.load import load

SPEC = Path(__file__).parents[2] / "spec" / "examples"

RULES = """ruleset rack
law anyton/cloakroom
use anyton/base

entity Tag(guest: Guest, no: Peg, row: Peg?) in evening
  hung: bool
event hang(tag: Tag) by attendant
event look(tag: Tag?) by attendant
on hang(t)
  new t
  t.hung = yes
rule 6.1 "It shall be so."
  attendant must not hang(t) when t.hung
rule 6.2 "It shall not be so:"
  attendant must not look(t) when t exists and t.hung
"""

HEADER = {
    "gazette-log": 1,
    "operator": "Anyton",
    "ruleset": "rack",
    "currency": "NZD",
    "exponent": 2,
    "records": "all",
    "missing_columns": ["at"],
}


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    path = tmp_path_factory.mktemp("rack") / "rack.rules"
    path.write_text(RULES, "utf-8")
    return prepare(path, [SPEC])


def checked(ready: Prepared, tmp_path: Path, *events: str, **header: Any) -> CheckResult:
    path = tmp_path / "case.yaml"
    extra = "".join(f"{name}: {value}\n" for name, value in header.items())
    path.write_text(
        f"ruleset: rack\n{extra}events:\n" + "".join(f"- attendant {e}\n" for e in events), "utf-8"
    )
    return check([path], ready)


def faults(result: CheckResult) -> list[tuple[int | None, str, list[str]]]:
    return [(e.seq, e.lead.verdict, [c.rule for c in e.lead.citations]) for e in result.entries]


def test_a_part_that_may_be_absent_is_a_part_of_the_key(ready: Prepared, tmp_path: Path) -> None:
    shape = ready.binding.schema.events["hang"]
    assert (shape.columns, shape.optional) == (("guest", "no"), ("row",))
    result = checked(
        ready, tmp_path, "hang guest=ann no=1", "hang guest=ann no=1 row=2", "hang guest=ann no=1"
    )
    assert faults(result) == [(3, "broken", ["6.1"])]


@pytest.mark.parametrize("engine", ["explain", "bulk"])
def test_what_is_named_whole_is_judged(ready: Prepared, tmp_path: Path, engine: str) -> None:
    path = tmp_path / "case.yaml"
    path.write_text(
        "ruleset: rack\nevents:\n- attendant hang guest=ann no=1\n- attendant look\n"
        "- attendant look guest=ann no=1\n"
    )
    assert faults(check([path], ready, engine=engine)) == [(3, "broken", ["6.2"])]


@pytest.mark.parametrize(
    ("event", "lacks"),
    [
        ("look guest=ann", ["no"]),
        ("look no=1", ["guest"]),
        ("look row=1", ["guest", "no"]),
        ("look guest=ann row=2", ["no"]),
    ],
)
def test_what_is_named_in_part_is_refused(
    ready: Prepared, tmp_path: Path, event: str, lacks: list[str]
) -> None:
    with pytest.raises(LogError) as caught:
        checked(ready, tmp_path, event)
    problems = caught.value.problems
    assert [p.code for p in problems] == ["log-missing-field"] * len(lacks)
    assert [p.message.split()[1].rstrip(":") for p in problems] == lacks
    assert {p.help for p in problems} == {"guest, no together say which it is: give all of them, or none"}


@pytest.mark.parametrize("engine", ["explain", "bulk"])
@pytest.mark.parametrize(
    ("cells", "good"), [("ann,1,", True), (",,", True), ("ann,,", False), (",,2", False)]
)
def test_a_table_is_read_as_strictly(
    ready: Prepared, tmp_path: Path, cells: str, good: bool, engine: str
) -> None:
    log = tmp_path / "rack.csv"
    log.write_text(f"house,roll,evening,seq,actor,event,guest,no,row\nH,1,1,1,attendant,look,{cells}\n")
    seal = {"events": 1, "sha256": hashlib.sha256(log.read_bytes()).hexdigest()}
    (tmp_path / "rack.csv.manifest.json").write_text(json.dumps(HEADER | seal))
    if good:
        assert faults(check([log], ready, engine=engine)) == []
    else:
        with pytest.raises(LogError) as caught:
            check([log], ready, engine=engine)
        assert caught.value.problems[0].code == "log-missing-field"


def test_what_a_column_lacks_is_not_absent(ready: Prepared, tmp_path: Path) -> None:
    """A log without rows of pegs does not say that there was none."""
    result = checked(
        ready,
        tmp_path,
        "hang guest=ann no=1",
        "hang guest=ann no=1",
        missing_columns="[at, row]",
    )
    assert faults(result) == []
    assert {c.address: c.counts.not_checkable for c in result.clauses if c.address == "6.1"} == {"6.1": 2}


def test_the_schema_says_so(ready: Prepared) -> None:
    valid = Draft202012Validator(to_json_schema(ready.binding.schema))
    row = {"house": "H", "roll": 1, "evening": 1, "seq": 1, "at": "2024-03-01T20:15:00Z"}
    row |= {"actor": "attendant", "event": "look"}
    assert valid.is_valid(row)
    assert valid.is_valid(row | {"guest": "ann", "no": 1, "row": None})
    assert not valid.is_valid(row | {"guest": "ann"})
    assert not valid.is_valid(row | {"guest": "ann", "no": None, "row": 2})


def test_nothing_would_tell_an_empty_key_from_nothing(tmp_path: Path) -> None:
    path = tmp_path / "rack.rules"
    path.write_text(RULES.replace("guest: Guest, no: Peg, row", "guest: Guest?, no: Peg?, row"), "utf-8")
    with pytest.raises(RuleTextError) as caught:
        bind(load(path, [SPEC]))
    (problem,) = caught.value.problems
    assert "whose key is empty, or nothing" in problem.message
    assert problem.excerpt == "event look(tag: Tag?) by attendant"


def test_two_references_of_one_key_are_told_to_be_written(tmp_path: Path) -> None:
    path = tmp_path / "rack.rules"
    path.write_text(
        RULES.replace("hang(tag: Tag)", "hang(tag: Tag, beside: Tag)")
        .replace("on hang(t)", "on hang(t, b)")
        .replace("hang(t) when", "hang(t, any) when")
    )
    with pytest.raises(RuleTextError) as refused:
        bind(load(path, [SPEC]))
    assert "give their type a written form" in str(refused.value)
