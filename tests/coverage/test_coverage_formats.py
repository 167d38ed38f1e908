"""Coverage as LCOV, read by somebody else's reader; as HTML, read by a parser; and the command's exit codes."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from lcov_cobertura import LcovCobertura

from verifier.cli.app import run
from verifier.coverage.measure import Coverage, measure
from verifier.report import coverage_html, coverage_lcov

RULES = "bridge.rules"


@pytest.fixture
def coverage(folder: Path) -> Coverage:
    path = folder / RULES
    text = path.read_text("utf-8")
    path.write_text(text.replace('"No traveller shall cross while', '"No traveller … while'), "utf-8")
    return measure(path, [folder / "transcripts"])


def test_lcov_shows_the_law_and_the_rules(coverage: Coverage) -> None:
    # The reader gives Cobertura's XML: its lines are those of the tracefile.
    xml = ElementTree.fromstring(LcovCobertura(coverage_lcov.text([coverage])).convert())
    found = {
        Path(item.attrib["filename"]).name: {
            int(line.attrib["number"]): int(line.attrib["hits"]) for line in item.iterfind("lines/line")
        }
        for item in xml.iter("class")
    }
    by_line = {clause.clause.line: clause for clause in coverage.clauses}
    assert found["bridge.law"] == {
        line: int(not clause.counts["missing"]) for line, clause in by_line.items()
    }
    binding = {rule.line: rule for rule in coverage.rules if rule.binds}
    assert found["bridge.rules"].keys() == binding.keys()
    for line, hits in found["bridge.rules"].items():
        done = binding[line].exercise
        assert done is not None
        assert hits == done.kept + done.broken + done.read
    methods = {item.attrib["name"] for item in xml.iter("method")}
    assert methods == {rule.rule for rule in binding.values()}


def test_lcov_counts_branches(coverage: Coverage) -> None:
    lines = coverage_lcov.text([coverage]).splitlines()
    law = lines[: lines.index("end_of_record")]
    taken = [line.rpartition(",")[2] for line in law if line.startswith("BRDA:")]
    assert taken.count("0") == 1  # the words left out
    assert f"BRF:{len(taken)}" in law
    assert f"BRH:{len(taken) - 1}" in law


class _Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str | None] = []
        self.found: list[tuple[str | None, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "span":
            self.open.append(dict(attrs)["class"])

    def handle_endtag(self, tag: str) -> None:
        if tag == "span":
            self.open.pop()

    def handle_data(self, data: str) -> None:
        if self.open:
            self.found.append((self.open[-1], data))


def test_html_shows_every_phrase_in_its_place(coverage: Coverage) -> None:
    reader = _Words()
    reader.feed(coverage_html.text([coverage]))
    found = [
        (style.removeprefix("ph "), words)
        for style, words in reader.found
        if style and style.startswith("ph ")
    ]
    assert found == [(p.status, p.words) for clause in coverage.clauses for p in clause.phrases]
    assert ("missing", "shall cross") in found


def test_html_says_of_every_rule_what_looks_after_it(folder: Path, coverage: Coverage) -> None:
    page = coverage_html.text([coverage])
    assert '<p class="why">1.1(b): kept 0 times, broken 0 times</p>' in page
    assert '<p class="dim">1.2: kept 1 time, broken 1 time</p>' in page
    assert ">1.3: kept" not in page  # it binds nobody
    assert "kept 0 times" not in coverage_html.text([measure(folder / RULES)])


def test_the_gate_is_exact(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name, shown = str(folder / RULES), str(folder / "transcripts")
    assert run(["coverage", name, "--fail-under", "100"]) == 0
    exercised = ["coverage", name, "-t", shown, "--require", "exercised", "--fail-under"]
    assert run([*exercised, "50"]) == 0
    capsys.readouterr()
    assert run([*exercised, "51"]) == 1
    assert "exercised: 2 of 4 rules (50 %), where 51 % are required" in capsys.readouterr().err
    assert run(["coverage", name, "--require", "killed"]) == 2
    assert "give --mutants FILE" in capsys.readouterr().err


def test_what_is_required_is_required_whole_and_all_of_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["coverage", str(folder / RULES), "-t", str(folder / "transcripts")]
    assert run(asked) == 0
    assert run([*asked, "--require", "formalised"]) == 0
    capsys.readouterr()
    assert run([*asked, "--require", "exercised"]) == 1
    assert "exercised: 2 of 4 rules (50 %), where 100 % are required" in capsys.readouterr().err
    both = [*asked, "--require", "exercised", "--require", "formalised", "--fail-under"]
    assert run([*both, "50"]) == 0
    capsys.readouterr()
    assert run([*both, "51"]) == 1
    told = capsys.readouterr().err
    assert "exercised: 2 of 4 rules" in told
    assert "formalised: " not in told
    assert run([*asked, "--require", "killed", "--require", "formalised"]) == 2


@pytest.mark.parametrize("format_", ["text", "json", "lcov", "html"])
def test_every_format_is_written(folder: Path, format_: str) -> None:
    path = folder / "out"
    assert run(["coverage", str(folder / RULES), "--format", format_, "-o", str(path)]) == 0
    assert path.stat().st_size > 100


def test_named_transcripts_count_for_their_own_ruleset_where_several_are_asked_for(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = folder / "other.rules"
    other.write_text((folder / RULES).read_text("utf-8").replace("ruleset bridge", "ruleset other"), "utf-8")
    shown = str(folder / "transcripts" / "kept.transcript.yaml")
    assert run(["coverage", str(folder / RULES), str(other), "-t", shown, "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)["rulesets"]
    assert [one["transcripts"] for one in told] == [1, 0]
    assert run(["coverage", str(other), "-t", shown]) == 2
    assert "the ruleset to check against" in capsys.readouterr().err


def test_made_rounds_are_of_one_ruleset(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rounds = folder / "rounds.json"
    rounds.write_text("{}", "utf-8")
    asked = ["coverage", str(folder / RULES), "--rounds", str(rounds)]
    assert run([*asked, "-q"]) == 2
    assert "this is no gazette-generate document" in capsys.readouterr().err
    assert run([*asked, str(folder / RULES), "-q"]) == 2
    assert "made rounds, are of one ruleset" in capsys.readouterr().err
