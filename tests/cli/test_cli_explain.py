"""`gazette explain` and `gazette ask`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest


def test_a_clause_with_its_words_and_rules(gazette, bridge: Path) -> None:
    ran = gazette("explain", bridge / "bridge.rules", "1.1(a)")
    assert (ran.code, ran.err) == (0, "")
    assert "50 cents, where the traveller is on foot" in ran.out
    assert "toll(k) = 50 when k = foot" in ran.out


def test_a_clause_as_json(gazette, bridge: Path) -> None:
    page = json.loads(gazette("explain", bridge / "bridge.rules", "1.3", "--format", "json").out)
    assert page["address"] == "1.3"
    assert [rule["id"] for rule in page["rules"]] == ["1.3"]


def test_a_clause_that_is_not_there(gazette, bridge: Path) -> None:
    ran = gazette("explain", bridge / "bridge.rules", "1.9")
    assert (ran.code, ran.out) == (2, "")
    assert "[unknown-clause]" in ran.err


def ask(gazette, bridge: Path, *arguments: object) -> dict:
    log = bridge / "broken.jsonl"
    ran = gazette("ask", bridge / "bridge.rules", "--transcript", log, "--format", "json", *arguments)
    assert (ran.code, ran.err) == (0, "")
    return json.loads(ran.out)


def prohibitions(asked: dict) -> set[str]:
    words = [word for one in asked["answers"]["governed"] for word in one["words"]]
    return {word["rule"] for word in words if word["force"] == "must not"}


def test_a_prohibition_is_said_while_it_applies(gazette, bridge: Path) -> None:
    raised = ask(gazette, bridge, "--at", 7)
    assert raised["event"]["event"] == "raise"
    assert [list(pair) for pair in raised["lives"]] == [["bridge", "north"], ["crossing", "2"]]
    assert prohibitions(raised) == {"1.2"}
    lowered = ask(gazette, bridge, "--at", 9)
    assert lowered["event"]["event"] == "lower"
    assert prohibitions(lowered) == set()


def test_a_duty_is_owed_until_it_is_done(gazette, bridge: Path) -> None:
    assert ask(gazette, bridge, "--at", 0)["answers"]["owed"] == []
    (owed,) = ask(gazette, bridge, "--at", 1)["answers"]["owed"]
    assert (owed["rule"], owed["roles"]) == ("1.1", ["keeper"])
    assert "ann" in owed["acts"][0]
    assert ask(gazette, bridge, "--at", 2)["answers"]["owed"] == []


def test_as_text_at_the_end(gazette, bridge: Path) -> None:
    ran = gazette("ask", bridge / "bridge.rules", "--transcript", bridge / "broken.jsonl")
    assert ran.out.startswith("bridge, after seq 13 (bridge north, crossing 3): traveller leave\n")
    ran = gazette("ask", bridge / "bridge.rules", "--transcript", bridge / "broken.jsonl", "--at", "0")
    assert ran.out.startswith("bridge, before the first event of ")


@pytest.mark.parametrize(
    ("arguments", "code"), [(["--at", "14"], "no-such-event"), (["--table", "x"], "no-such-event")]
)
def test_a_point_that_is_not_there(gazette, bridge: Path, arguments: list[str], code: str) -> None:
    ran = gazette("ask", bridge / "bridge.rules", "--transcript", bridge / "broken.jsonl", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert f"[{code}]" in ran.err


def test_several_tables_ask_for_one(gazette, bridge: Path, tmp_path: Path) -> None:
    log = tmp_path / "two.yaml"
    log.write_text(
        "ruleset: bridge\nevents:\n- lives: {bridge: north}\n- keeper raise\n- lives: {bridge: south}\n- keeper lower\n"
    )
    ran = gazette("ask", bridge / "bridge.rules", "--transcript", log)
    assert ran.code == 2
    assert "[which-table]" in ran.err
    assert "north, south" in ran.err
    ran = gazette("ask", bridge / "bridge.rules", "--transcript", log, "--table", "south")
    assert ran.out.startswith("bridge, after seq 1 (bridge south, crossing 1): keeper lower\n")


def test_a_malformed_rest_is_refused(gazette, bridge: Path) -> None:
    log = bridge / "broken.jsonl"
    log.write_bytes(log.read_bytes().replace(b'"seq": 12', b'"seq": 11'))
    assert gazette("ask", bridge / "bridge.rules", "--transcript", log, "--at", 1).code == 2
