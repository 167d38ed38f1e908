"""What a transcript expects: read strictly, and every difference told."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from verifier.check.engine import Prepared, prepare
from verifier.errors import LogError, RequestError
from verifier.transcripts.case import find_transcripts, read_case, read_cases, ruleset_of
from verifier.transcripts.expectation import Fault

Write = Callable[..., Path]

LAWFUL = "expect: {faults: [], kept: ['1.1', 1.1(a)]}\n"
FAULTY = "expect:\n  faults:\n  - {seq: 2, verdict: broken, clauses: [1.1(a)], short: {ann: 10}}\n"


def test_a_lawful_transcript_is_as_expected(bridge: Prepared, transcript: Write) -> None:
    case = read_case(transcript(LAWFUL), bridge)
    assert case.expected.kept == ("1.1", "1.1(a)")
    assert case.unlike(bridge) == []


def test_a_fault_is_as_expected(bridge: Prepared, transcript: Write) -> None:
    case = read_case(transcript(FAULTY, paid=60), bridge)
    assert case.expected.faults == (Fault(2, (("broken", frozenset({"1.1(a)"})),), (("ann", "10"),)),)
    assert case.unlike(bridge) == []


def test_a_case_may_be_checked_more_than_once(bridge: Prepared, transcript: Write) -> None:
    case = read_case(transcript(FAULTY, paid=60), bridge)
    assert case.check(bridge) == case.check(bridge)


@pytest.mark.parametrize(
    ("expect", "paid", "words"),
    [
        (LAWFUL, 60, "found, not expected: seq 2: broken 1.1(a); ann is short 10"),
        (LAWFUL, 60, "expected kept: 1.1(a), which was not only kept"),
        (FAULTY, 50, "expected, not found: seq 2: broken 1.1(a); ann is short 10"),
        (FAULTY, 61, "found, not expected: seq 2: broken 1.1(a); ann is short 11"),
        (LAWFUL.replace("1.1(a)", "1.1(b)"), 50, "expected kept: 1.1(b), which was never exercised"),
    ],
)
def test_a_difference_is_told(
    bridge: Prepared, transcript: Write, expect: str, paid: int, words: str
) -> None:
    assert words in read_case(transcript(expect, paid=paid), bridge).unlike(bridge)


def test_a_rule_that_others_read_is_not_said_to_be_never_exercised(transcript: Write, tmp_path: Path) -> None:
    """What it costs on foot a rule says that another one reads."""
    folder = shutil.copytree(Path(__file__).parents[1] / "cli" / "bridge", tmp_path / "bridge")
    rules = folder / "bridge.rules"
    text = rules.read_text("utf-8").replace("toll(k) = 50 when", "toll(k) = walking when")
    text = text.replace("  toll(k) = 200 when k = cart", "  decision walking: money\n  walking = 50")
    rules.write_text(text, "utf-8")
    path = transcript(LAWFUL.replace("1.1(a)", "1.1(b)"))
    ready = prepare(rules)
    assert "expected kept: 1.1(b), which was only read by others" in read_case(path, ready).unlike(ready)


@pytest.mark.parametrize(
    ("expect", "says"),
    [
        ("", "found nothing, expected faults, and rules kept"),
        ("expect: kept\n", 'field expect: found "kept", expected a mapping with faults, kept'),
        ("expect: {kept: ['1.1']}\n", "expected faults in it"),
        ("expect: {faults: []}\n", "expected the rules that a lawful transcript keeps"),
        ("expect: {faults: [], kept: []}\n", "expected the rules that a lawful transcript keeps"),
        ("expect: {faults: [], kept: ['1.1'], broken: []}\n", "field broken: found a list of 0"),
        ("expect: {faults: [], kept: ['1.1', '1.1']}\n", "expected each rule once"),
        ("expect: {faults: [], kept: [the first]}\n", "expected a rule of the ruleset"),
        ("expect: {faults: [], kept: [1.1(c)]}\n", "expected a rule of the ruleset"),
        ("expect: {faults: ['1.1']}\n", "field faults: found"),
        ("expect: {faults: [{seq: 1, clauses: ['1.1']}]}\n", "expected verdict in it"),
        ("expect: {faults: [{seq: x, verdict: broken, clauses: []}]}\n", "expected a whole number, or null"),
        ("expect: {faults: [{seq: 1, verdict: kept, clauses: []}]}\n", "expected one of broken, disputed"),
        ("expect: {faults: [{seq: 1, verdict: broken, clauses: [], short: 5}]}\n", "field short: found 5"),
        ("expect: {faults: [{seq: 1, verdict: broken, clauses: [], short: {a: 1.5}}]}\n", "minor units"),
    ],
)
def test_an_expectation_in_another_form_is_refused(
    bridge: Prepared, transcript: Write, expect: str, says: str
) -> None:
    with pytest.raises(LogError) as refused:
        read_case(transcript(expect), bridge)
    problem = refused.value.problem
    assert says in problem.message
    assert problem.code == "log-expect"
    assert problem.line is not None or expect == ""
    if problem.line is not None:  # the line is shown, and what is wrong in it is pointed at
        lines = transcript(expect).read_text("utf-8").splitlines()
        assert problem.excerpt == lines[problem.line - 1]


def test_transcripts_are_found_in_folders_by_their_names(transcript: Write, tmp_path: Path) -> None:
    first, second = transcript(LAWFUL), transcript(LAWFUL, name="two.transcript.yaml")
    transcript(LAWFUL, name="other.yaml")
    assert find_transcripts([tmp_path]) == [str(first), str(second)]


def test_no_transcripts_are_no_answer(tmp_path: Path) -> None:
    with pytest.raises(RequestError, match="no transcripts in"):
        find_transcripts([tmp_path])
    with pytest.raises(RequestError, match="no such transcript"):
        find_transcripts([tmp_path / "none"])


def test_those_of_other_rulesets_are_passed_over(bridge: Prepared, transcript: Write, tmp_path: Path) -> None:
    other = transcript(LAWFUL, name="two.transcript.yaml")
    other.write_text(other.read_text("utf-8").replace("ruleset: bridge", "ruleset: ferry"), "utf-8")
    transcript(LAWFUL)
    assert ruleset_of(other) == "ferry"
    assert [Path(case.path).name for case in read_cases([tmp_path], bridge)] == ["one.transcript.yaml"]
    with pytest.raises(LogError):
        list(read_cases([other], bridge))
