"""Reasons why rules are not shown kept, or not broken: what they account for, and what is refused of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lcov_cobertura import LcovCobertura

from verifier.check.engine import prepare
from verifier.cli.app import run
from verifier.coverage.evidence import Exercise
from verifier.coverage.measure import Coverage, CoveredRule, Share, measure
from verifier.coverage.unshown import Unshown, read_unshown, refuse_stale
from verifier.errors import LogError, RequestError, VerifierError
from verifier.report import coverage_html, coverage_lcov
from verifier.report.ci.of_coverage import of_coverage
from verifier.report.coverage_json import document
from verifier.report.coverage_text import text

RULES = "bridge.rules"

WHOLE = """# The transcripts never break 1.1, and no cart comes.
"1.1":
  broken: the keeper is paid by the head
1.1(b):
  kept: the bridge bears
    no carts
  broken: the bridge bears no carts
"""


def said(folder: Path, words: str) -> Coverage:
    (folder / "bridge.unshown.yaml").write_text(words, "utf-8")
    return measure(folder / RULES, [folder / "transcripts"])


def rule(coverage: Coverage, name: str) -> CoveredRule:
    return next(r for r in coverage.rules if r.rule == name)


# ------------------------------------------------------------------------------------------- what they account for
def test_what_a_reason_accounts_for_is_neither_exercised_nor_lacking(folder: Path) -> None:
    before = measure(folder / RULES, [folder / "transcripts"])
    assert {one.rule for one in before.lacking("exercised")} == {"1.1", "1.1(b)"}
    assert before.share("exercised") == Share(2, 4)
    coverage = said(folder, WHOLE)
    assert coverage.lacking("exercised") == ()
    assert coverage.share("exercised") == Share(2, 2)
    assert {one.rule: dict(one.justified) for one in coverage.justified} == {
        "1.1": {"broken": "the keeper is paid by the head"},
        "1.1(b)": {"kept": "the bridge bears no carts", "broken": "the bridge bears no carts"},
    }
    assert [rule(coverage, name).is_("exercised") for name in ("1.1", "1.1(a)")] == [None, True]


def test_a_reason_for_one_side_does_not_account_for_the_other(folder: Path) -> None:
    coverage = said(folder, "1.1(b): {kept: the bridge bears no carts}\n")
    assert coverage.justified == ()
    assert {one.rule for one in coverage.lacking("exercised")} == {"1.1", "1.1(b)"}
    assert coverage.share("exercised") == Share(2, 4)
    assert rule(coverage, "1.1(b)").lacks("broken")
    assert not rule(coverage, "1.1(b)").lacks("kept")


def test_what_is_proved_needs_no_reason(folder: Path) -> None:
    """1.1 counts as exercised, for what it lacks is proved to be shown by no round."""
    about = {"name": "bridge", "digest": prepare(folder / RULES).ruleset.digest}
    unmet = [{"rule": "1.1", "wanted": "broken", "proved": True}]
    made = {"gazette-generate": 1, "ruleset": about, "lawful": [], "faulty": [], "beside": [], "unmet": unmet}
    path = folder / "rounds.json"
    path.write_text(json.dumps(made), "utf-8")
    said(folder, WHOLE)
    coverage = measure(folder / RULES, [folder / "transcripts"], rounds=path)
    assert [one.rule for one in coverage.justified] == ["1.1(b)"]
    assert coverage.share("exercised") == Share(3, 3)


def test_without_transcripts_nothing_is_asked_for_which_there_is_a_reason(folder: Path) -> None:
    said(folder, WHOLE)
    coverage = measure(folder / RULES)
    assert coverage.justified == ()
    assert "justified" not in text([coverage], 100)
    (found,) = document([coverage])["rulesets"]
    assert found["justified"] is None


def test_the_gate_passes_where_all_others_are_exercised(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["coverage", str(folder / RULES), "-t", str(folder / "transcripts"), "--require", "exercised"]
    assert run([*asked, "--fail-under", "100"]) == 1
    said(folder, WHOLE)
    assert run([*asked, "--fail-under", "100"]) == 0
    said(folder, WHOLE.partition("1.1(b)")[0])
    capsys.readouterr()
    assert run([*asked, "--fail-under", "100"]) == 1
    assert "exercised: 2 of 3 rules (66 %), where 100 % are required" in capsys.readouterr().err


# --------------------------------------------------------------------------------------------------- how it is shown
def test_the_text_shows_what_is_justified_and_why(folder: Path) -> None:
    shown = text([said(folder, WHOLE)], 200)
    assert "exercised   2 of 2 rules (100 %), by 2 transcripts; 2 rules justified\n" in shown
    assert "2 rules justified: not shown both kept and broken\n" in shown
    assert "    1.1  kept 2 times, broken 0 times (justified: the keeper is paid by the head)" in shown
    one = said(folder, "1.1(b): {kept: the bridge bears no carts}\n")
    assert "1.1(b)  kept 0 times (justified: the bridge bears no carts), broken 0 times" in text([one], 200)


def test_the_document_counts_it_apart(folder: Path) -> None:
    (found,) = document([said(folder, WHOLE)])["rulesets"]
    assert found["levels"]["exercised"] == {"part": 2, "whole": 2, "percent": 100}
    assert found["justified"] == 2
    told = {one["rule"]: one for one in found["rules"]}
    assert told["1.1"]["justified"] == {"broken": "the keeper is paid by the head"}
    assert told["1.1"]["reached"]["exercised"] is None
    assert told["1.2"]["justified"] == {}


def test_the_page_shows_it_on_its_clause(folder: Path) -> None:
    page = coverage_html.text([said(folder, WHOLE.replace("the head", "the <head>"))])
    assert (
        '<p class="dim">1.1: kept 2 times, broken 0 times (justified: the keeper is paid by the &lt;head&gt;)</p>'
    ) in page


def test_lcov_has_no_branch_that_a_reason_accounts_for(folder: Path) -> None:
    coverage = said(folder, WHOLE)
    traced = coverage_lcov.text([coverage])
    assert LcovCobertura(traced).convert()
    lines = traced.splitlines()
    own = lines[lines.index("end_of_record") + 1 :]
    line = rule(coverage, "1.1").line
    assert [one for one in own if one.startswith(f"BRDA:{line},")] == [f"BRDA:{line},0,0,2"]
    assert f"DA:{line},2" in own
    assert not [one for one in own if "1.1(b)" in one]
    assert {"FNF:3", "FNH:3", "BRF:5", "BRH:5"} <= set(own)


def test_for_other_tools_it_is_a_finding_that_is_accepted(folder: Path) -> None:
    found = {f.subject.id: f for f in of_coverage([said(folder, WHOLE)]).findings}
    assert {name: (f.level, f.accepted) for name, f in found.items()} == {
        "exercised 1.1": ("note", "the keeper is paid by the head"),
        "exercised 1.1(b)": ("note", "the bridge bears no carts"),
    }


# ----------------------------------------------------------------------------------------------------- what is refused
def test_a_reason_why_there_is_not_shown_what_is_shown_is_stale(folder: Path) -> None:
    with pytest.raises(RequestError, match=r"why 1\.2 is not shown kept, and it is shown") as caught:
        said(folder, WHOLE + '"1.2":\n  kept: nobody cares\n  broken: nobody dares\n')
    assert [(p.code, p.line) for p in caught.value.problems] == [("stale-reason", 8)] * 2
    assert str(folder / "bridge.unshown.yaml") in str(caught.value)
    with pytest.raises(RequestError, match=r"why 1\.1 is not shown kept"):
        said(folder, '"1.1": {kept: it is not, broken: nor is it}\n')
    measure(folder / RULES)  # without transcripts nobody can tell


def test_of_a_rule_that_others_read_all_is_shown() -> None:
    unshown = {"2": Unshown("a.yaml", 1, broken="nobody can")}
    refuse_stale(unshown, {"2": Exercise(kept=1, read=1)}, {"2"})
    refuse_stale(unshown, {"2": Exercise()}, ())
    with pytest.raises(RequestError, match="not shown broken, and it is shown"):
        refuse_stale(unshown, {"2": Exercise(read=1)}, ())


@pytest.mark.parametrize("name", ["9.9", "1.3", "1.1 (a)"])
def test_a_reason_for_no_rule_that_can_be_exercised_is_refused(folder: Path, name: str) -> None:
    """1.3 binds nobody, and is not asked."""
    (folder / "bridge.unshown.yaml").write_text(f'"{name}": {{kept: nobody looks}}\n', "utf-8")
    with pytest.raises(RequestError, match=r"no rule .+ binds or decides") as caught:
        measure(folder / RULES)
    assert [(p.code, p.line) for p in caught.value.problems] == [("unknown-rule", 1)]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("- 1.1(a)\n", "found a list of 1, expected a mapping from rules to kept and broken"),
        ("1.1(b): nobody can\n", 'found "nobody can", expected kept, broken or both'),
        ("1.1(b):\n", "found nothing, expected kept, broken or both"),
        ("1.1(b): {}\n", "found a mapping with nothing in it, expected kept, broken or both"),
        ("1.1(b): {kept: so it is, read: never}\n", "found a mapping with kept, read, expected kept, broken"),
        ("1.1(b): {kept: ' '}\n", r"field 1\.1\(b\): kept: found \" \", expected a reason in words"),
        ("1.1(b): {broken: 5}\n", "broken: found 5, expected a reason in words"),
        ("1.1(b): {broken: [so]}\n", "broken: found a list of 1, expected a reason in words"),
        ("1.1: {kept: so it is}\n", "a key that is not text"),
        ("1.1(b): {kept: a, kept: b}\n", "it twice in one mapping"),
        ("1.1(b): {kept: a}\n1.1(b): {broken: b}\n", "it twice in one mapping"),
        ("1.1(b): !!python/object/apply:os.getcwd []\n", "tag"),
        ("1.1(b): {kept: a\n", "expected"),
        ("1.1(b): {kept: \x07}\n", "printable"),
        ("#" * 5_000_000, "bytes"),
    ],
    ids=range(15),
)
def test_a_file_that_is_none_is_refused(folder: Path, words: str, says: str) -> None:
    path = folder / "bridge.unshown.yaml"
    path.write_text(words, "utf-8")
    with pytest.raises(LogError, match=says):
        read_unshown(path)
    with pytest.raises(VerifierError):
        measure(folder / RULES)


def test_an_empty_file_says_nothing_and_none_cannot_be_read(folder: Path) -> None:
    assert said(folder, "# nothing yet\n").justified == ()
    with pytest.raises(RequestError, match="cannot read the reasons"):
        read_unshown(folder / "none.yaml")


def test_the_command_says_what_is_wrong(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "bridge.unshown.yaml").write_text('"9.9": {kept: nobody looks}\n', "utf-8")
    assert run(["coverage", str(folder / RULES)]) == 2
    assert "unknown-rule" in capsys.readouterr().err
