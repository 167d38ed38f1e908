"""Duties due right after an event, of something: the kernel keeps one of each duty, and hands a round with more on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from both_engines import Judged, judge, turns

from verifier.check.engine import Prepared, prepare
from verifier.log.header import Header
from verifier.log.rows import Row

RULES = """ruleset right/after
law nz/gazette-1998-9-division-2

actors guest, porter
type Bay = 1..9
type Guest = id max 4
life evening
life round ends close

event crack(bay: Bay, guest: Guest) by guest
event mend(bay: Bay) by porter
event greet(guest: Guest) by porter
event sweep by porter
event close by porter

rule 4.2 [deal] "The dealer shall at all times deal the cards"
  porter must mend(b) immediately after close
    when crack(b, any) has happened this round

rule 4.2 "The dealer shall at all times deal the cards"
  porter must greet(g) immediately after sweep
    when crack(any, g) has happened this round
"""


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    path = tmp_path_factory.mktemp("right") / "after.rules"
    path.write_text(RULES)
    return prepare(path)


def rows(text: str) -> list[Row]:
    return turns(text, "close", lambda name: "guest" if name == "crack" else "porter")


def judged(table: Prepared, folder: Path, text: str, sample: int = 10_000) -> Judged:
    found = judge(
        table, [("a log", Header("a test", "right/after", "NZD", 2), rows(text))], folder, sample=sample
    )
    assert found.unlike == []
    return found


@pytest.mark.parametrize(
    ("text", "explained", "kept", "faults"),
    [
        ("crack 3 ann; close; mend 3; close; close", 0, 1, []),
        ("crack 3 ann; close; crack 5 bob; mend 3; close; mend 5; close", 0, 2, []),
        ("crack 3 ann; close; mend 4; close", 1, 0, [3]),
        ("crack 3 ann; close; close; mend 3; close", 1, 0, [3]),
        (
            "crack 3 ann; crack 4 ann; close; mend 4; mend 3; close; crack 3 ann; close; mend 3; close",
            1,
            3,
            [],
        ),
        ("crack 3 ann; crack 4 ann; close; close", 1, 0, [4]),
        ("crack 3 ann; sweep; greet ann; close; mend 3; close", 0, 1, []),
        ("crack 3 ann; sweep; greet bob; close; mend 3; close", 1, 1, [3]),
    ],
)
def test_both_engines_say_the_same(
    table: Prepared, tmp_path: Path, text: str, explained: int, kept: int, faults: list[int]
) -> None:
    for sample in (10_000, 1):
        found = judged(table, tmp_path, text, sample)
        assert [entry.seq for entry in found.other.entries] == faults
        assert found.other.clause("4.2").rules[0].counts.kept == kept
        assert found.explained == explained


ORDER = """rule 4.2 [sweep] "The dealer shall at all times deal the cards"
  porter must sweep immediately after crack(any, any)
"""


def test_several_are_told_in_one_order(tmp_path: Path) -> None:
    """Whichever became due first: when the kernel hands over it does not know."""
    path = tmp_path / "after.rules"
    path.write_text(RULES.replace("event close by porter", "event close by guest") + ORDER)
    told = turns(
        "crack 3 ann; close; greet ann", "close", lambda name: "porter" if name == "greet" else "guest"
    )
    log = "a log", Header("a test", "right/after", "NZD", 2), told
    found = judge(prepare(path), [log], tmp_path, sample=10_000)
    assert found.unlike == []
    assert [[f.citations[0].rule for f in e.findings] for e in found.one.entries] == [
        ["4.2 [deal]", "4.2 [sweep]"]
    ]


def test_a_log_that_lacks_what_no_rule_asks_for(tmp_path: Path) -> None:
    """What is due right after an event is never in doubt then, nor is whether the act is allowed."""
    path = tmp_path / "after.rules"
    may = 'rule 4.2 [may] "The dealer shall at all times deal the cards"\n  porter may sweep when 1 > 2\n'
    path.write_text(RULES.replace("event sweep", "event wave by guest\nevent sweep") + ORDER + may)
    ready = prepare(path)
    records = frozenset(ready.ruleset.events) - {"wave"}
    header = replace(Header("a test", "right/after", "NZD", 2), records=records)
    found = judge(ready, [("a log", header, rows("crack 3 ann; sweep; sweep; close"))], tmp_path)
    assert found.unlike == []
    assert [(e.seq, e.lead.kind) for e in found.one.entries] == [
        (3, "not permitted"),
        (4, "skipped"),
    ]
