"""A log under both rulesets: every event that comes out otherwise is told, and none that does not."""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path

import pytest

from verifier.diff import logs
from verifier.diff.logs import LogDiff, compare_logs, log_said
from verifier.diff.stated import stated
from verifier.errors import LogError, RequestError
from verifier.exits import Exit
from verifier.model.load import load

HEAD = """ruleset keeping
law nz/gazette-1998-9-division-2
actors keeper
life hall
life day ends close
state day
  laid: 0..99
event lay(n: 0..9) by keeper
event close by keeper
on lay(n)
  laid = laid + 1
rule 4.2 [cap] "The dealer shall at all times deal the cards"
  option cap: 0..9 = 5
  keeper must not lay(n) when n > cap
"""
CLOSE = """rule 4.2 [close] "The dealer shall at all times deal the cards"
  keeper must close by end of day when laid > 0
"""
OPTIONS = """rule 4.2 [two] "The dealer shall at all times deal the cards"
  require cap > 6
rule 4.2 [one] "The dealer shall at all times deal the cards"
  require cap > {least}
"""


def compared(
    folder: Path, old: str, new: str, text: str, options: dict[str, int] | None = None, same: str = ""
) -> LogDiff:
    """Two rulesets by what they have beside `HEAD`, and a log of one table: `lay N`, `close`, `next` for a day that
    passes without its end. `same` is the new one's name for the option `cap`."""
    paths = []
    for name, more in (("old", old), ("new", new)):
        path = folder / name / "keeping.rules"
        path.parent.mkdir(parents=True, exist_ok=True)
        text_ = re.sub(r"\bcap\b(?!])", same, HEAD + more) if same and name == "new" else HEAD + more
        path.write_text(text_, "utf-8")
        paths.append(path)
    rows: list[dict[str, object]] = []
    day = 1
    for event in text.split("; "):
        name, *number = event.split()
        if name != "next":
            row: dict[str, object] = {"hall": "H", "day": day, "seq": len(rows) + 1, "actor": "keeper"}
            rows.append({**row, "event": name, **({"n": int(number[0])} if number else {})})
        day += name != "lay"
    header: dict[str, object] = {
        "gazette-log": 1,
        "operator": "nobody",
        "ruleset": "keeping",
        "currency": "XTS",
        "exponent": 2,
    }
    header |= {"options": options or {}}
    whole = [{**header, "records": "all", "missing_columns": ["at"]}, *rows]
    body = "".join(json.dumps(row) + "\n" for row in whole)
    end = {"events": len(rows), "sha256": hashlib.sha256(body.encode()).hexdigest()}
    log = folder / "log.jsonl"
    log.write_text(body + json.dumps({"gazette-log-end": end}) + "\n", "utf-8")
    one, other = load(paths[0]), load(paths[1])
    return compare_logs(one, other, [log], same=stated(one, other, [f"cap={same}"] if same else []))


def told(diff: LogDiff) -> list[tuple[int | None, str, object, object]]:
    return [
        (e.seq, e.named, *(None if s is None else (s.verdict, *s.also, s.rules) for s in (e.old, e.new)))
        for _, events in diff.rounds
        for e in events
    ]


def test_a_day_that_passes_is_not_the_event_after_it(tmp_path: Path) -> None:
    """Both are judged at one row: that the day was left, and what comes then."""
    diff = compared(tmp_path, CLOSE, "", "lay 1; next; lay 7; close")
    assert told(diff) == [
        (2, "before it, what was left without its end", ("impossible", "broken", ("4.2 [close]",)), ("impossible", ())),
        (3, "keeper close", ("broken", ("4.2 [close]",)), None),
    ]  # fmt: skip
    assert diff.exit == Exit.BROKEN


def test_each_requirement_of_the_options_is_told(tmp_path: Path) -> None:
    diff = compared(tmp_path, OPTIONS.format(least=7), OPTIONS.format(least=2), "lay 1; close")
    assert told(diff) == [(None, "the options", ("broken", ("4.2 [one]",)), None)]
    diff = compared(tmp_path, OPTIONS.format(least=2), OPTIONS.format(least=7), "lay 1; close")
    assert told(diff) == [(None, "the options", None, ("broken", ("4.2 [one]",)))]


TWICE = """rule 4.2 [twice] "The dealer shall at all times deal the cards"
  keeper must not close when laid > 0
"""


def test_what_one_side_has_no_room_for_is_no_difference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The new has two faults a day, and so room for half as many days as the old, where it finds the same fault."""
    days = "; ".join(["lay 7; close"] * 40)
    whole = compared(tmp_path, "", TWICE, days)
    assert (len(whole.rounds), whole.cut) == (40, False)
    monkeypatch.setattr(logs, "HELD", 20)
    half = compared(tmp_path, "", TWICE, days)
    assert half.cut
    assert half.rounds == whole.rounds[:9]  # where the last one held is, more may be
    assert "There were more faults than are held against each other here." in log_said(half)


def test_where_nothing_was_found_to_differ_as_far_as_was_looked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "HELD", 2)
    last = TWICE.replace("laid > 0", "laid > 1")
    diff = compared(tmp_path, "", last, "lay 7; close; lay 7; close; lay 7; lay 1; close")
    assert (diff.rounds, diff.cut, diff.exit) == ((), True, Exit.UNDECIDED)
    assert "What both could judge of it comes out alike." in log_said(diff)


def test_the_first_events_are_told_and_the_others_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs, "MOST", 3)
    diff = compared(tmp_path, "", TWICE, "; ".join(["lay 1; close"] * 5))
    assert [seq for seq, *_ in told(diff)] == [2, 4, 6]
    assert (diff.untold, diff.cut) == (2, False)
    assert "2 more events come out otherwise." in log_said(diff)


def test_events_come_in_the_order_of_the_log(tmp_path: Path) -> None:
    """Whichever side finds the fault."""
    one = TWICE.replace("laid > 0", "laid = 1")
    two = TWICE.replace("laid > 0", "laid = 2")
    diff = compared(tmp_path, one, two, "lay 1; lay 1; close; lay 1; close; lay 1; lay 1; close")
    assert [seq for seq, *_ in told(diff)] == [3, 5, 8]


def test_what_cannot_be_judged_is_not_in_order(tmp_path: Path) -> None:
    unstated = TWICE.replace("  keeper must", "  option strict: money\n  keeper must").replace(
        "> 0", "> 0 and strict > 1"
    )
    diff = compared(tmp_path, "", unstated, "lay 1; close; lay 1; close")
    assert diff.rounds == ()
    assert diff.exit == Exit.UNDECIDED
    assert list(log_said(diff)) == [
        "Not checkable everywhere under the new: 4.2 [twice] (2×). There no fault may mean that nobody can tell: "
        "the option strict is not stated.",
        "What both could judge of it comes out alike.",
    ]


@pytest.mark.parametrize("options", [{"cap": 3}, {"limit": 3}, {"cap": 3, "limit": 3}])
def test_an_option_under_two_names_is_one(tmp_path: Path, options: dict[str, int]) -> None:
    """Whichever of them the log states, where they are stated to be one."""
    diff = compared(tmp_path, "", "", "lay 3; lay 4; close", options, same="limit")
    assert (diff.rounds, diff.unasked, diff.exit) == ((), ((), ()), Exit.HOLDS)
    diff = compared(tmp_path, "", TWICE, "lay 3; lay 4; close", options, same="limit")
    assert [seq for seq, *_ in told(diff)] == [3]


def test_an_option_under_two_names_with_two_values_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="the two are one option"):
        compared(tmp_path, "", "", "lay 3; close", {"cap": 3, "limit": 4}, same="limit")


def test_a_log_that_one_side_cannot_read_says_which(tmp_path: Path) -> None:
    narrow = TWICE.replace("  keeper", "  option most: 1..2\n  keeper")
    with pytest.raises(
        LogError, match=r"expected a whole number from 1 to 2(.|\n)*so it is read for keeping"
    ):
        compared(tmp_path, "", narrow, "lay 1; close", {"most": 7})


@pytest.mark.parametrize("kind", ["standard input", "a pipe"])
def test_what_can_be_read_but_once_is_refused(tmp_path: Path, kind: str) -> None:
    """The second would find nothing there, and call the log empty."""
    path = tmp_path / "keeping.rules"
    path.write_text(HEAD, "utf-8")
    log = Path("-")
    if kind == "a pipe":
        log = tmp_path / "log.jsonl"
        os.mkfifo(log)
    with pytest.raises(RequestError, match=f"reads its logs twice, and {kind} can be read but once"):
        compare_logs(load(path), load(path), [log])


def test_a_log_of_neither_is_told(tmp_path: Path) -> None:
    diff = compared(tmp_path, "", "", "lay 1; close")
    assert diff.notes == ()
    log = tmp_path / "of_another.yaml"
    log.write_text("ruleset: another/one\nevents:\n- keeper lay n=1\n- keeper close\n")
    old, new = (load(tmp_path / side / "keeping.rules") for side in ("old", "new"))
    diff = compare_logs(old, new, [log])
    assert next(log_said(diff)) == f"{log} was kept under the ruleset another/one."


def test_engines_that_disagree_are_told() -> None:
    diff = LogDiff(3, (), False, disagreements=("table 1: this and that",))
    assert diff.exit == Exit.OURSELVES
    assert any("table 1: this and that" in line for line in log_said(diff))
