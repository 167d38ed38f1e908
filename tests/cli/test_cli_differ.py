"""Two engines that say different things of a log: our fault, told loudly, with the round, and losing nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from verifier.run.judge import Judge

SAID = "gazette is at fault: the compiled rules and the interpreter say different things of this log."


@pytest.fixture
def command(bridge: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[object, ...]:
    """A check in bulk in an empty folder, by an interpreter that forbids nothing."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setattr(Judge, "_prohibitions", lambda self, happening: [])
    return "check", bridge / "broken.jsonl", "--rules", bridge / "bridge.rules", "--engine", "bulk"


@pytest.mark.parametrize("format_", ["text", "json", "jsonl", "sarif", "junit", "github", "gitlab"])
def test_every_format_tells_it(gazette, command: tuple[object, ...], format_: str) -> None:
    ran = gazette(*command, "--format", format_)
    assert ran.code == 4
    assert ran.err.startswith(f"error: {SAID} at ")
    assert "[engines-disagree]" in ran.err
    assert "this is a fault of ours, not of your files" in ran.err
    assert "gazette-disagreement-1.json" in ran.out
    assert "is in order" not in ran.out
    assert json.loads(Path("gazette-disagreement-1.json").read_text("utf-8"))["rows"]


def test_quietly_it_is_told_all_the_same(gazette, command: tuple[object, ...]) -> None:
    ran = gazette(*command, "--quiet")
    assert (ran.code, ran.out) == (4, "")
    assert ran.err.startswith(f"error: {SAID} at ")


def test_a_log_on_which_they_agree_says_nothing_of_it(gazette, bridge: Path) -> None:
    ran = gazette("check", bridge / "broken.jsonl", "--rules", bridge / "bridge.rules", "--engine", "bulk")
    assert (ran.code, ran.err) == (1, "")
    assert "gazette is at fault" not in ran.out


def test_a_round_saved_before_is_kept(gazette, command: tuple[object, ...]) -> None:
    Path("gazette-disagreement-1.json").write_text("mine")
    ran = gazette(*command)
    assert Path("gazette-disagreement-1.json").read_text() == "mine"
    assert "saved in gazette-disagreement-2.json" in ran.err


def test_where_a_round_cannot_be_saved_all_else_is_told(
    gazette, command: tuple[object, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = Path.open

    def full(self: Path, mode: str = "r", *arguments: object, **more: object) -> object:
        if mode == "x":
            raise OSError(28, "No space left on device")
        return opened(self, mode, *arguments, **more)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", full)
        ran = gazette(*command)
    assert ran.code == 4
    assert "the round could not be saved in gazette-disagreement-1.json: No space left" in ran.err
    assert "Totals by clause" in ran.out


def test_pages_are_not_made_in_bulk(gazette, bridge: Path) -> None:
    log, rules = bridge / "broken.jsonl", bridge / "bridge.rules"
    ran = gazette("check", log, "--rules", rules, "--format", "html", "--engine", "bulk")
    assert ran.code == 2
    assert "--format html goes without --engine bulk" in ran.err
    assert gazette("check", log, "--rules", rules, "--format", "html", "--engine", "explain").code == 1
