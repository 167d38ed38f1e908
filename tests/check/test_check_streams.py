"""Files, tables and lives: several files are one stream per table, and keys that pass without an end show."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest
from check_logs import CLOSE, END, PAY, STATED, TILL, WAGER, led, only, rules, till, transcript

from verifier.check.engine import Engine
from verifier.check.result import CheckResult
from verifier.errors import LogError, RequestError
from verifier.exits import Exit
from verifier.log.header import parse_header
from verifier.log.write import write_csv, write_jsonl

STEPS: tuple[dict[str, Any], ...] = (
    {"actor": "player", "event": "wager", "player": "ann", "amount": 1000},
    {"actor": "dealer", "event": "close"},
    {"actor": "dealer", "event": "pay", "player": "ann", "amount": 1500},
    {"actor": "dealer", "event": "end_round"},
)


def rows(
    *rounds: int, table: str = "T1", shoe: int = 1, first: int = 1, skip: tuple[int, ...] = ()
) -> list[dict[str, Any]]:
    """Good rounds of four rows each; `skip` leaves out rows by their place among all of them."""
    steps = [(number, step) for number in rounds for step in STEPS]
    kept = [item for place, item in enumerate(steps) if place not in skip]
    return [
        {"table": table, "shoe": shoe, "round": number, "seq": first + place, **step}
        for place, (number, step) in enumerate(kept)
    ]


def put(path: Path, lines: list[dict[str, Any]], **header: Any) -> Path:
    """A sealed log at `path`, JSON Lines or CSV by its name."""
    fields = {
        "gazette-log": 1,
        "operator": "A Casino",
        "ruleset": "check/till",
        "currency": "NZD",
        "exponent": 2,
        "records": "all",
        "missing_columns": ["at"],
        **STATED,
        **header,
    }
    schema = rules(TILL).schema
    write = write_csv if path.suffix == ".csv" else write_jsonl
    write(path, schema, parse_header(fields, schema), lines)
    return path


def check(*paths: Path, **arguments: Any) -> CheckResult:
    return rules(TILL).check(list(paths), **arguments)


def test_several_files_are_one_stream_per_table(tmp_path: Path) -> None:
    """The second file begins within a round of the first; without the first its payment would be early."""
    all_rows = rows(1, 2)
    a = put(tmp_path / "a.jsonl", all_rows[:6])
    b = put(tmp_path / "b.jsonl.gz", all_rows[6:])
    c = put(tmp_path / "c.csv", rows(1, table="T2"))
    result = check(a, b, c)
    assert result.in_order
    assert [(t.name, t.rounds, t.events) for t in result.tables] == [("T1", 2, 8), ("T2", 1, 4)]
    assert [(f.events, f.sealed) for f in result.files] == [(6, True), (2, True), (4, True)]
    assert (result.rounds, result.events) == (3, 12)
    assert check(tmp_path).in_order
    assert led(only(check(b))) == ("broken", "early")


def test_tables_do_not_mix(tmp_path: Path) -> None:
    one, two = rows(1), rows(1, table="T2", skip=(2,))
    mixed = [row for pair in zip(one, two, strict=False) for row in pair] + one[3:]
    entry = only(check(put(tmp_path / "a.jsonl", mixed)))
    assert (entry.table, led(entry)) == ("T2", ("broken", "late"))


def test_rows_missing_between_files(tmp_path: Path) -> None:
    a = put(tmp_path / "a.jsonl", rows(1))
    b = put(tmp_path / "b.jsonl", rows(2, first=6))
    with pytest.raises(LogError, match="found 6, expected 5, the next after"):
        check(a, b)


def test_numbering_may_restart_with_another_round(tmp_path: Path) -> None:
    assert check(put(tmp_path / "a.jsonl", rows(1)), put(tmp_path / "b.jsonl", rows(2))).in_order


def test_the_same_log_twice(tmp_path: Path) -> None:
    a = put(tmp_path / "a.jsonl", rows(1, 2))
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(a.read_bytes()))
    with pytest.raises(RequestError, match="byte for byte"):
        check(tmp_path)


def test_terms_may_differ_between_tables_not_within_one(tmp_path: Path) -> None:
    a = put(tmp_path / "a.jsonl", rows(1))
    b = put(tmp_path / "b.jsonl", rows(1, table="T2"), options={"decks": 8, "cards": 1})
    result = check(a, b)
    assert [(o.value.text, len(o.files)) for o in result.options if o.name == "decks" and o.value] == [
        ("6", 1),
        ("8", 1),
    ]
    c = put(tmp_path / "c.jsonl", rows(2, first=5), options={"decks": 8, "cards": 1})
    with pytest.raises(RequestError, match="whose header states other options"):
        check(a, c)


def test_currencies_are_not_added_up(tmp_path: Path) -> None:
    a = put(tmp_path / "a.jsonl", rows(1))
    b = put(tmp_path / "b.jsonl", rows(1, table="T2"), currency="AUD")
    with pytest.raises(RequestError, match="two currencies"):
        check(a, b)


def test_a_round_that_passes_without_its_end(tmp_path: Path) -> None:
    entry = only(check(put(tmp_path / "a.jsonl", rows(5, 6, skip=(3,)))))
    assert led(entry) == ("impossible", "life")
    assert entry.lead.note == "the log passes from round 5 to 6 without an end_round"
    assert (entry.seq, entry.event) == (4, None)


def test_what_was_due_by_its_end_stands_in_the_same_entry(tmp_path: Path) -> None:
    entry = only(check(put(tmp_path / "a.jsonl", rows(5, 6, skip=(2, 3)))))
    assert [f.kind for f in entry.findings] == ["life", "late"]
    assert [c.rule for c in entry.findings[1].citations] == ["11.3"]


def test_ends_that_are_not_recorded_are_not_missed(tmp_path: Path) -> None:
    records = ["wager", "close", "pay", "give_back", "announce"]
    good = put(tmp_path / "a.jsonl", rows(5, 6, skip=(3, 7)), records=records)
    assert check(good).in_order
    bad = put(tmp_path / "b.jsonl", rows(5, 6, skip=(2, 3, 7)), records=records)
    assert led(only(check(bad))) == ("broken", "late")


def test_a_round_that_goes_on_after_its_end(tmp_path: Path) -> None:
    result = till(tmp_path, WAGER, CLOSE, PAY, END, WAGER, CLOSE, PAY, END, **STATED)
    entry = only(result)
    assert led(entry) == ("impossible", "life")
    assert entry.lead.note == "round 1 goes on after its end: what follows is another one's"
    assert entry.seq == 5


@pytest.mark.parametrize("engine", ["explain", "bulk"])
def test_a_round_that_ends_twice(tmp_path: Path, engine: Engine) -> None:
    """Nothing goes on in between, but a second end ends another round; under a key of its own it does."""
    end = {"table": "T1", "shoe": 1, **STEPS[3]}
    twice = [*rows(1), {**end, "round": 1, "seq": 5}, *rows(2, first=6)]
    entry = only(check(put(tmp_path / "a.jsonl", twice), engine=engine))
    assert led(entry) == ("impossible", "life")
    assert entry.lead.note == "round 1 goes on after its end: what follows is another one's"
    assert entry.seq == 5
    apart = [*rows(1), {**end, "round": 2, "seq": 5}, *rows(3, first=6)]
    assert check(put(tmp_path / "b.jsonl", apart), engine=engine).in_order


def test_a_shuffle_stands_between_rounds_or_before_all(tmp_path: Path) -> None:
    shuffle = {"table": "T1", "shoe": 1, "actor": "dealer", "event": "shuffle"}
    lines = [
        {**shuffle, "seq": 1},
        *rows(1, first=2),
        {**shuffle, "seq": 6, "round": 1},
        *rows(2, shoe=2, first=7),
        {**shuffle, "seq": 11, "shoe": 2},
        *rows(3, shoe=3, first=12),
    ]
    assert check(put(tmp_path / "a.jsonl", lines)).in_order
    missing = [*rows(1), *rows(2, shoe=2, first=5)]
    entry = only(check(put(tmp_path / "b.jsonl", missing)))
    assert entry.lead.note == "the log passes from shoe 1 to 2 without a shuffle"


@pytest.mark.parametrize("engine", ["explain", "bulk"])
@pytest.mark.parametrize(("shoes", "last"), [((1, 2), 2), ((1, 2), 3), ((1, 2, 3), 4)])
def test_a_shuffle_after_a_shuffle_begins_its_shoe_or_ends_it(
    tmp_path: Path, engine: Engine, shoes: tuple[int, ...], last: int
) -> None:
    shuffle = {"table": "T1", "actor": "dealer", "event": "shuffle"}
    shuffled = [{**shuffle, "shoe": shoe, "seq": seq} for seq, shoe in enumerate(shoes, 5)]
    there = 5 + len(shoes)
    good = [*rows(1), *shuffled, *rows(2, shoe=last, first=there)]
    assert check(put(tmp_path / "a.jsonl", good), engine=engine).in_order
    further = [*good, *rows(3, shoe=last + 1, first=there + 4)]
    entry = only(check(put(tmp_path / "b.jsonl", further), engine=engine))
    assert entry.lead.note == f"the log passes from shoe {last} to {last + 1} without a shuffle"


def test_a_log_that_stops_within_a_round(tmp_path: Path) -> None:
    result = till(tmp_path, WAGER, CLOSE, **STATED)
    assert result.in_order
    assert result.notes == ("the log stops inside round 1 at 1: what was due by its end is not judged",)


def test_entries_are_kept_up_to_a_bound_and_all_are_counted(tmp_path: Path) -> None:
    bad = rows(*range(1, 11))
    for row in bad:
        if row["event"] == "pay":
            row["amount"] = 1400
    path = put(tmp_path / "a.jsonl", bad)
    seen = []
    result = check(path, keep=3, on_entry=seen.append)
    assert [e.number for e in result.entries] == [1, 2, 3]
    assert [e.number for e in seen] == list(range(1, 11))
    assert (result.entries_total, result.faults[0].count) == (10, 10)
    assert result.short[0].amount == 1000
    assert not any("entries" in note for note in result.notes), "whoever takes all of them has all"
    assert any("first 3 of 10 entries" in note for note in check(path, keep=3).notes)
    assert check(path, keep=0).exit_code is Exit.BROKEN


def test_progress_is_told(tmp_path: Path) -> None:
    told: list[tuple[str, int]] = []
    path = put(tmp_path / "a.jsonl", rows(*range(1, 301)))
    check(path, progress=lambda name, events: told.append((Path(name).name, events)))
    assert told == [("a.jsonl", 0), ("a.jsonl", 1000), ("a.jsonl", 1200)]


def test_another_version_of_the_ruleset_is_noted(tmp_path: Path) -> None:
    result = check(put(tmp_path / "a.jsonl", rows(1), ruleset_digest="0" * 64))
    assert any("another version of the text" in note for note in result.notes)
    own = check(put(tmp_path / "b.jsonl", rows(1), ruleset_digest=rules(TILL).ruleset.digest))
    assert own.notes == ()


def test_a_log_of_another_ruleset(tmp_path: Path) -> None:
    path = transcript(tmp_path / "a.yaml", "check/elsewhere", [WAGER, CLOSE, PAY, END], **STATED)
    with pytest.raises(LogError):
        check(path)
    result = check(path, any_ruleset=True)
    assert result.in_order
    assert any("kept under the ruleset check/elsewhere" in note for note in result.notes)


def test_a_log_before_the_law_is_noted(tmp_path: Path) -> None:
    early = [{**row, "at": "1998-01-31T20:00:00+13:00"} for row in rows(1)]
    result = check(put(tmp_path / "a.jsonl", early, missing_columns=[]))
    assert result.notes == ("the log begins on 1998-01-31, before the rules were in force (1998-02-01)",)


def test_a_corrected_row_says_so(tmp_path: Path) -> None:
    lines = rows(1)
    correction = {
        **{k: lines[2][k] for k in ("table", "shoe", "round", "actor")},
        "seq": 4,
        "event": "correction",
        "corrects": 3,
        "corrected_event": "pay",
        "corrected_actor": "dealer",
        "player": "ann",
        "amount": 1400,
    }
    path = put(tmp_path / "a.jsonl", [*lines[:3], correction, {**lines[3], "seq": 5}])
    entry = only(check(path))
    assert entry.event is not None
    assert (entry.seq, entry.event.corrected_by) == (3, 4)
