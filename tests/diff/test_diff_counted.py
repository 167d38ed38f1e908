"""What differs only where there are several: five guests, or two different ones, are met where there are so many."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier.diff.whole import WholeDiff, compare
from verifier.exits import Exit
from verifier.model.load import load

JETTY = (Path(__file__).parents[1] / "prove" / "rules" / "counted-jetty.rules").read_text("utf-8")
CROWDED = "number of (s in Seat where s.aboard) >= 5"
TWO = "(some s in Seat: some t in Seat: s.aboard and t.aboard and s != t)"
THREE = (
    "(some s in Seat: some t in Seat: some u in Seat: "
    "s.aboard and t.aboard and u.aboard and s != t and t != u and u != s)"
)
DECISION = """
enum Verdict: win | lose

rule 5.1 "each player shall make a wager"
  decision verdict: Verdict
  asked verdict when board(any) has happened this trip

rule 5.1(a) "win if the player's point total is 21 or less"
  verdict = win when number of (s in Seat where s.aboard) >= 5

rule 5.1(b) "win if the player's point total exceeds"
  verdict = lose when number of (s in Seat where s.aboard) < 5
"""


def compared(folder: Path, old: str, new: str) -> WholeDiff:
    paths = []
    for name, text in (("old", old), ("new", new)):
        (folder / name).mkdir()
        paths.append(folder / name / "jetty.rules")
        paths[-1].write_text(text, "utf-8")
    return compare(load(paths[0]), load(paths[1]))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (CROWDED, "number of (s in Seat where s.aboard) >= 6"),
        ("number of (s in Seat where s.aboard) >= 2", "number of (s in Seat where s.aboard) >= 3"),
        (TWO, THREE),
        (CROWDED, "(board(any) has happened this trip and 0 = 1)"),
    ],
)
def test_a_prohibition_that_binds_where_there_are_several_differs(tmp_path: Path, old: str, new: str) -> None:
    whole = compared(tmp_path, JETTY.replace(CROWDED, old), JETTY.replace(CROWDED, new))
    (change,) = whole.norms
    assert whole.exit == Exit.BROKEN
    assert change.what == "it binds in fewer cases"


def test_the_same_prohibition_said_otherwise_is_proved_the_same(tmp_path: Path) -> None:
    whole = compared(tmp_path, JETTY, JETTY.replace(CROWDED, f"not ({CROWDED.replace('>=', '<')})"))
    (change,) = whole.norms
    assert (change.turn, whole.exit) == ("same", Exit.HOLDS)


def test_an_answer_that_differs_where_there_are_several_has_its_region(tmp_path: Path) -> None:
    changed = DECISION.replace(">= 5", ">= 6").replace("< 5", "< 6")
    found = compared(tmp_path, JETTY + DECISION, JETTY + changed).meaning
    assert found is not None
    (verdict,) = found.matters
    assert verdict.verdict == "different"
    (region,) = verdict.differences
    assert region.where is not None
    assert region.example is not None
    assert sum(name.endswith(".aboard") for name, _ in region.example.state) == 5
