"""The pytest plugin: what is collected, how a failure reads, what the gate does."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from verifier.check.engine import prepare

Ran = Callable[..., pytest.RunResult]

RULES = "rules/bridge.rules"


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def test_a_transcript_is_a_test(project: Path, ran: Ran) -> None:
    result = ran("--gazette", RULES, "-v")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["lawful.transcript.yaml::lawful PASSED*"])


def test_without_the_option_nothing_is_collected(project: Path, ran: Ran) -> None:
    result = ran()
    result.assert_outcomes()
    assert "gazette coverage" not in result.stdout.str()


def test_the_coverage_stands_at_the_end(project: Path, ran: Ran) -> None:
    ran("--gazette", RULES).stdout.fnmatch_lines(
        [
            "*= gazette coverage =*",
            "bridge",
            "  formalised  * words (100 %)",
            "  exercised   0 of 4 rules (0 %), by 1 transcript",
        ]
    )


def test_a_failure_says_what_differs(project: Path, ran: Ran) -> None:
    edit(project / "lawful.transcript.yaml", "amount=50", "amount=60")
    result = ran("--gazette", RULES)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "found, not expected: seq 2: broken 1.1(a); ann is short 10",
            "    the event: keeper charge traveller=ann kind=foot amount=60",
        ]
    )
    assert "Traceback" not in result.stdout.str()


def test_a_failed_transcript_is_no_evidence(project: Path, ran: Ran) -> None:
    edit(project / "lawful.transcript.yaml", "amount=50", "amount=60")
    ran("--gazette", RULES).stdout.fnmatch_lines(["  exercised   *, by 0 transcripts"])


def test_a_malformed_transcript_fails_with_its_place(project: Path, ran: Ran) -> None:
    edit(project / "lawful.transcript.yaml", "kept: [", "ceded: [")
    result = ran("--gazette", RULES)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["error: field ceded: found *log-expect*", "*lawful.transcript.yaml:7*"])


@pytest.mark.parametrize("more", [(), ("-p", "xdist", "-n", "2")], ids=["alone", "in processes"])
def test_transcripts_of_other_rulesets_are_passed_over_and_counted(
    project: Path, ran: Ran, more: tuple[str, ...]
) -> None:
    if more:
        pytest.importorskip("xdist")
    edit(project / "lawful.transcript.yaml", "ruleset: bridge", "ruleset: ferry")
    result = ran("--gazette", RULES, *more)
    result.assert_outcomes()
    result.stdout.fnmatch_lines(["transcripts of other rulesets, passed over: 1"])


def test_the_gate_holds(project: Path, ran: Ran) -> None:
    assert ran("--gazette", RULES, "--gazette-fail-under", "100").ret == 0


def test_the_gate_fails_where_words_are_missing(project: Path, ran: Ran) -> None:
    edit(project / RULES, '"No traveller shall cross while', '"No traveller … while')
    result = ran("--gazette", RULES, "--gazette-fail-under", "100")
    result.assert_outcomes(passed=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "  1.2: No traveller ⟦shall cross⟧ while the bridge is raised.",
            "FAILED formalised: * words (9? %), where 100 % are required",
        ]
    )


def test_the_gate_may_be_about_exercise(project: Path, ran: Ran) -> None:
    arguments = ("--gazette", RULES, "--gazette-require", "exercised", "--gazette-fail-under")
    assert ran(*arguments, "1").ret == 1
    assert ran(*arguments, "0").ret == 0
    alone = ran(*arguments[:-1])
    assert alone.ret == 1
    alone.stdout.fnmatch_lines(["FAILED exercised: *, where 100 % are required"])


UNSHOWN = """
"1.1": {broken: the keeper is paid by the head}
1.1(a): {broken: nobody is charged too much}
1.1(b): {kept: the bridge bears no carts, broken: the bridge bears no carts}
"1.2": {broken: nobody dares}
"""


@pytest.mark.parametrize("more", [(), ("-p", "xdist", "-n", "1")], ids=["alone", "in processes"])
def test_the_gate_passes_where_reasons_account_for_the_rest(
    project: Path, ran: Ran, more: tuple[str, ...]
) -> None:
    (project / "rules" / "bridge.unshown.yaml").write_text(UNSHOWN, "utf-8")
    arguments = ("--gazette", RULES, "--gazette-require", "exercised", "--gazette-fail-under", "100")
    result = ran(*arguments, *more)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["  exercised   0 of 0 rules (100 %), by 1 transcript; 4 rules justified"])
    (project / "rules" / "bridge.unshown.yaml").write_text(UNSHOWN.partition('"1.2"')[0], "utf-8")
    result = ran(*arguments, *more)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["FAILED exercised: 0 of 1 rules (0 %), where 100 % are required"])


@pytest.mark.parametrize("more", [(), ("--gazette-fail-under", "0")], ids=["shown", "asked for"])
def test_a_reason_that_a_transcript_refutes_fails_the_session(
    project: Path, ran: Ran, more: tuple[str, ...]
) -> None:
    (project / "rules" / "bridge.unshown.yaml").write_text('"1.2": {kept: nobody looks}\n', "utf-8")
    result = ran("--gazette", RULES, *more)
    result.assert_outcomes(passed=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*why 1.2 is not shown kept, and it is shown*", "*bridge.unshown.yaml:1*"])
    assert "INTERNALERROR" not in result.stdout.str()


def test_a_reason_for_a_rule_that_there_is_not_is_refused(project: Path, ran: Ran) -> None:
    (project / "rules" / "bridge.unshown.yaml").write_text('"9.9": {kept: nobody looks}\n', "utf-8")
    result = ran("--gazette", RULES)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*no rule 9.9 binds or decides*"])


RAISED = """ruleset: bridge
events:
- keeper raise
- traveller arrive traveller=ann
- keeper charge traveller=ann kind=cart amount=150
- traveller cross traveller=ann
- traveller leave
expect:
  faults:
  - {seq: 3, verdict: broken, clauses: [1.1(b)], short: {the house: 50}}
  - {seq: 4, verdict: broken, clauses: ["1.2"]}
"""


def rounds(project: Path, text: str) -> str:
    """A file with one round made for the bridge, and a proof that no round breaks 1.1(a)."""
    about = {"name": "bridge", "digest": prepare(project / RULES).ruleset.digest}
    document = {
        "gazette-generate": 1,
        "ruleset": about,
        "lawful": [],
        "faulty": [{"name": "one", "transcript": text}],
        "beside": [],
        "unmet": [{"rule": "1.1(a)", "wanted": "broken", "proved": True}],
    }
    (project / "rounds.json").write_text(json.dumps(document), "utf-8")
    return "rounds.json"


@pytest.mark.parametrize("more", [(), ("-p", "xdist", "-n", "1")], ids=["alone", "in processes"])
def test_made_rounds_count_beside_transcripts(project: Path, ran: Ran, more: tuple[str, ...]) -> None:
    """1.1(a) is kept, and broken by no round; 1.2 is kept by the transcript and broken by the round."""
    arguments = ("--gazette", RULES, "--gazette-require", "exercised", "--gazette-fail-under", "50")
    assert ran(*arguments, *more).ret == 1
    result = ran(*arguments, "--gazette-rounds", rounds(project, RAISED), *more)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["  exercised   2 of 4 rules (50 %), by 1 transcript and 1 made round"])


def test_made_rounds_that_fail_are_no_evidence(project: Path, ran: Ran) -> None:
    asked = ("--gazette", RULES, "--gazette-rounds")
    result = ran(*asked, rounds(project, RAISED.replace("amount=150", "amount=200")))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*the ruleset does not fulfil this transcript*", "*rounds.json: one*"])
    name = rounds(project, RAISED)
    edit(project / RULES, "= 50", "= 60")
    result = ran(*asked, name)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*this is not about bridge as it stands*"])


def test_made_rounds_are_of_one_ruleset(project: Path, ran: Ran) -> None:
    shutil.copytree(project / "rules", project / "other")
    edit(project / "other" / "bridge.rules", "ruleset bridge", "ruleset ferry")
    name = rounds(project, RAISED)
    result = ran("--gazette", RULES, "--gazette", "other/bridge.rules", "--gazette-rounds", name)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*made rounds are of one ruleset*"])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--gazette-rounds", "rounds.json"), "*--gazette-rounds is about a ruleset: name it*"),
        (("--gazette", "nowhere/none"), "*there is no ruleset nowhere/none*"),
        (("--gazette-fail-under", "5"), "*name it with --gazette RULESET*"),
        (("--gazette", RULES, "--gazette-fail-under", "101"), "*a number from 0 to 100*"),
    ],
)
def test_a_request_that_makes_no_sense_is_refused(
    project: Path, ran: Ran, arguments: tuple[str, ...], says: str
) -> None:
    result = ran(*arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([says])


def test_two_rulesets_of_one_name_are_refused(project: Path, ran: Ran) -> None:
    shutil.copytree(project / "rules", project / "other")
    twice = ("--gazette", RULES, "--gazette", "other/bridge.rules")
    ran(*twice).assert_outcomes(passed=1)
    edit(project / "other" / "bridge.rules", "= 50", "= 60")
    result = ran(*twice)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*two rulesets are named bridge*"])


def test_processes_make_no_difference(project: Path, ran: Ran) -> None:
    pytest.importorskip("xdist")
    result = ran("--gazette", RULES, "-p", "xdist", "-n", "1")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["  exercised   0 of 4 rules (0 %), by 1 transcript"])


def test_python_tests_run_beside(project: Path, pytester: pytest.Pytester, ran: Ran) -> None:
    pytester.makepyfile(test_own="def test_own():\n    pass\n")
    ran("--gazette", RULES).assert_outcomes(passed=2)
