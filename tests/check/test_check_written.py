"""What a written form makes of a value is read as that value: in one way, or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from check_logs import transcript

from verifier.api import Rules, load
from verifier.errors import LogError, RuleTextError

SPEC = Path(__file__).parents[2] / "spec" / "examples"

TEXT = """ruleset forms
actors guest
type Guest = id max 4
type Row = 1..12
type Low = 1..9
enum Mood: calm | cross "x"
record Value({parts}) written {form}
life house
life evening ends close
state evening
  last: Value?
event lay(value: Value) by guest
event close by guest
on lay(v)
  last = v
"""


def forms(tmp_path: Path, parts: str, form: str) -> Rules:
    (tmp_path / "forms.rules").write_text(TEXT.format(parts=parts, form=form), "utf-8")
    return load(tmp_path / "forms.rules")


@pytest.mark.parametrize(
    ("parts", "form", "message"),
    [
        (
            "a: Row, b: Row",
            '"{a}{b}"',
            '"111" is written for two values: (a = 1, b = 11) and (a = 11, b = 1)',
        ),
        (
            "a: Row, b: Row",
            '"1/2" for (1, 1), "{a}/{b}"',
            '"1/2" is written for two values: (a = 1, b = 1) and (a = 1, b = 2)',
        ),
        ("a: Row, b: money", '"{a}/{b}"', "no written form holds the part `b`: it is money"),
        ("a: Row, b: Row?", '"{a}/{b}"', "no written form holds the part `b`: it is Row?"),
    ],
)
def test_a_form_that_nobody_could_read_is_refused(
    tmp_path: Path, parts: str, form: str, message: str
) -> None:
    with pytest.raises(RuleTextError) as caught:
        forms(tmp_path, parts, form)
    problem = caught.value.problems[0]
    assert (problem.code, problem.message, problem.line) == ("written", message, 7)
    assert problem.help is not None


@pytest.mark.parametrize(
    ("parts", "form", "good", "bad"),
    [
        # The range says where the first part ends.
        ("a: Low, b: Row", '"{a}{b}"', ["112", "19", "912"], ["1", "113", "1x", "012"]),
        ("a: Guest, b: Mood", '"{a}{b}"', ["annx", "anncalm"], ["x", "ann", "ann x"]),
        ("a: Guest, b: Guest", '"{a}-{b}"', ["ann-bob", "a b-c"], ["ann", "-bob", "ann -bob", "a-b-c"]),
        ("a: Row, b: Row", '"row {a}" for (1, 1), "{a}/{b}"', ["row 1", "1/1", "2/12"], ["row 0", "row 2"]),
        ("a: bool, b: Row", '"{a}{b}"', ["yes1", "no12"], ["maybe1", "true1"]),
    ],
)
def test_what_reads_in_one_way_is_read(
    tmp_path: Path, parts: str, form: str, good: list[str], bad: list[str]
) -> None:
    rules = forms(tmp_path, parts, form)
    for text in good:
        log = transcript(tmp_path / "log.yaml", "forms", [f'guest lay value="{text}"', "guest close"])
        assert rules.check(log).in_order, text
    for text in bad:
        log = transcript(tmp_path / "log.yaml", "forms", [f'guest lay value="{text}"', "guest close"])
        with pytest.raises(LogError) as caught:
            rules.check(log)
        assert caught.value.problems[0].code == "log-written", text


def test_what_reads_in_two_ways_is_refused_with_both(tmp_path: Path) -> None:
    rules = forms(tmp_path, "a: Guest, b: Guest", '"{a}-{b}"')
    log = transcript(tmp_path / "log.yaml", "forms", ["guest lay value=x-y-z", "guest close"])
    with pytest.raises(LogError, match=r"this is \(a = x, b = y-z\) or \(a = x-y, b = z\)"):
        rules.check(log)


def test_a_decision_of_nothing_is_told_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "share.rules").write_text(
        "ruleset share\nlaw anyton/cloakroom\nuse anyton/base\ndecision share: money\n"
        "event tip(guest: Guest, amount: money) by guest\n  claims amount = share\n"
        'rule 6.1 "It shall be so."\n  share = 5\n',
        "utf-8",
    )
    rules = load(tmp_path / "share.rules", search=[SPEC])
    log = transcript(tmp_path / "log.yaml", "share", ["guest tip guest=ann amount=4"])
    (entry,) = rules.check(log).entries
    assert [value.name for value in entry.lead.decided] == ["share"]
