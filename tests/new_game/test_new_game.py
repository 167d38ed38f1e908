"""The worked page on a new game: its commands are run, its excerpts found, its rules kept and broken."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import shutil
from pathlib import Path

import pytest
import yaml

from verifier.check.engine import Prepared, check_logs, prepare
from verifier.check.result import CheckResult
from verifier.cli.app import run
from verifier.log.sources import open_log
from verifier.transcripts.case import ENDING, read_case

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
PAGE = ROOT / "spec" / "new-game.md"
FAULTS = yaml.safe_load((HERE / "faults.yaml").read_text("utf-8"))

CLAUSES = 20
"""Leaf clauses as spec/law/README.md counts them: definitions among them, a table with its rule as one."""

ALWAYS_DISPUTED = {"5.3"}
"""Where it applies 5.1(b) says otherwise, so that nobody can keep it or break it."""


@pytest.fixture(scope="module")
def pebbles() -> Prepared:
    return prepare(HERE / "pebbles.rules")


@pytest.fixture(scope="module")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a copy of the game's, in which the page's commands leave what they write."""
    folder = tmp_path_factory.mktemp("fair")
    shutil.copytree(HERE, folder / "tests" / "new_game")
    return folder


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)


def checked(path: Path, ready: Prepared) -> CheckResult:
    with open_log(path, ready.binding.schema) as log:
        return check_logs([log], ready)


def written(result: CheckResult) -> list[str]:
    """The entries as faults.yaml has them."""
    lines: list[str] = []
    for entry in result.entries:
        cited: dict[str, set[str]] = {}
        for finding in entry.findings:
            cited.setdefault(finding.verdict, set()).update(c.rule for c in finding.citations)
        parts = [f"{verdict} {', '.join(sorted(rules))}" for verdict, rules in cited.items()]
        parts += [f"{short.who} short {short.amount}" for short in entry.short]
        assert entry.event is not None
        lines.append(f"{entry.event.event}: {'; '.join(parts)}")
    return lines


def faulty(change: list[list[str]], folder: Path) -> Path:
    """kept.yaml with each of the texts replaced where it first stands."""
    text = (HERE / "kept.yaml").read_text("utf-8")
    for old, new in change:
        assert old in text
        text = text.replace(old, new, 1)
    path = folder / "faulty.yaml"
    path.write_text(text, "utf-8")
    return path


# ------------------------------------------------------------------------------------------------ the page
def test_commands_print_what_the_page_shows(workplace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the order of the page. A line `…` is any lines, and … in a line any text."""
    monkeypatch.chdir(workplace)
    found = [
        command for block in blocks("console") for command in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    ]
    assert len(found) >= 10
    for text in found:
        command, _, shown = text.partition("\n")
        program, *arguments = shlex.split(command)
        assert program == "gazette"
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            run(arguments)
        real = out.getvalue()
        assert re.fullmatch(pattern(shown), real), f"{command}\n{real}"


def pattern(shown: str) -> str:
    """What prints so much, and what the dots stand for."""
    lines = re.split(r"^…\n", shown, flags=re.MULTILINE)
    return "(?:.*\n)*?".join(".*".join(re.escape(part) for part in line.split("…")) for line in lines)


def test_what_is_not_printed_is_noticed() -> None:
    assert re.fullmatch(pattern("a\n…\nb (…)\n"), "a\nx\ny\nb (1)\n")
    assert not re.fullmatch(pattern("a\n…\nb (…)\n"), "a\nx\ny\nb 1\n")
    assert not re.fullmatch(pattern("a\nb\n"), "a\nx\nb\n")


def test_every_block_is_run_or_found() -> None:
    kinds = set(re.findall(r"^```(\S+)\n", PAGE.read_text("utf-8"), re.MULTILINE))
    assert kinds == {"console", "law", "rules", "yaml"}


@pytest.mark.parametrize(
    "path", sorted((HERE / "transcripts").glob("*" + ENDING)), ids=lambda path: path.name
)
def test_the_transcripts_hold(path: Path, pebbles: Prepared) -> None:
    assert read_case(path, pebbles).unlike(pebbles) == []


@pytest.mark.parametrize("language", ["law", "rules", "yaml"])
def test_excerpts_stand_in_the_files(language: str) -> None:
    found = blocks(language)
    texts = [path.read_text("utf-8") for path in HERE.rglob(f"*.{language}")]
    assert found
    for block in found:
        assert any(block in text for text in texts), block


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)", PAGE.read_text("utf-8")):
        assert (PAGE.parent / target).exists(), target
    assert "spec/new-game.md" in (ROOT / "CONTRIBUTING.md").read_text("utf-8")


# ------------------------------------------------------------------------------------------------ the game
def test_the_text_has_twenty_clauses(pebbles: Prepared) -> None:
    law = pebbles.ruleset.law
    assert law is not None
    leaves = [c for c in law.clauses.values() if c.kind != "row" and all(d.kind == "row" for d in c.children)]
    assert len(leaves) == CLAUSES


def test_every_rule_is_kept(pebbles: Prepared) -> None:
    result = checked(HERE / "kept.yaml", pebbles)
    kept = {rule.rule for clause in result.clauses for rule in clause.rules if rule.counts.kept}
    assert result.entries == ()
    assert kept == binding(pebbles) - ALWAYS_DISPUTED


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault["rule"])
def test_a_change_makes_these_entries(fault: dict[str, object], pebbles: Prepared, tmp_path: Path) -> None:
    change = fault["change"]
    assert isinstance(change, list)
    found = written(checked(faulty(change, tmp_path), pebbles))
    assert found == fault["entries"]
    assert any(f"broken {fault['rule']}" in entry for entry in found)


def test_every_rule_is_broken(pebbles: Prepared) -> None:
    assert {fault["rule"] for fault in FAULTS} == binding(pebbles) - ALWAYS_DISPUTED - {"5.2"}


def binding(ready: Prepared) -> set[str]:
    """The rules that bind or decide."""
    found = {unit.rule for unit in ready.ruleset.units.values()}
    return found | {question.rule for question in ready.ruleset.questions}
