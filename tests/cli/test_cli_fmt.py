"""`gazette fmt`."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

CROOKED = "ruleset  bridge\nlaw bridge\nactors keeper\n\n\n\nlife bridge\nstate   bridge\n    raised :bool\n"
STRAIGHT = "ruleset bridge\nlaw bridge\nactors keeper\n\nlife bridge\n\nstate bridge\n  raised: bool\n"


@pytest.fixture
def crooked(tmp_path: Path) -> Path:
    path = tmp_path / "crooked.rules"
    path.write_text(CROOKED)
    path.chmod(0o640)
    return path


def test_a_file_is_rewritten_in_place(gazette, crooked: Path) -> None:
    ran = gazette("fmt", crooked)
    assert (ran.code, ran.out, ran.err) == (0, "", f"formatted {crooked}\n")
    assert crooked.read_text() == STRAIGHT
    assert stat.S_IMODE(crooked.stat().st_mode) == 0o640
    assert [path.name for path in crooked.parent.iterdir()] == ["crooked.rules"]


def test_a_formatted_file_is_left_alone(gazette, bridge: Path) -> None:
    rules = bridge / "bridge.rules"
    before = rules.stat().st_mtime_ns
    ran = gazette("fmt", rules)
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    assert rules.stat().st_mtime_ns == before


def test_check_writes_nothing_and_tells(gazette, crooked: Path, bridge: Path) -> None:
    ran = gazette("fmt", "--check", bridge / "bridge.rules", crooked)
    assert (ran.code, ran.out, ran.err) == (1, "", f"{crooked} is not formatted\n")
    assert crooked.read_text() == CROOKED
    assert gazette("fmt", "--check", bridge / "bridge.rules").code == 0


def test_diff_prints_what_would_change(gazette, crooked: Path) -> None:
    ran = gazette("fmt", "--diff", crooked)
    assert ran.code == 0
    assert "\n-ruleset  bridge\n+ruleset bridge\n" in ran.out
    assert crooked.read_text() == CROOKED
    assert gazette("fmt", "--diff", "--check", crooked).code == 1
    assert "\x1b[32m+ruleset bridge" in gazette("fmt", "--diff", "--color", "always", crooked).out


def test_standard_input_goes_to_standard_output(gazette) -> None:
    ran = gazette("fmt", "-", stdin=CROOKED.encode())
    assert (ran.code, ran.out, ran.err) == (0, STRAIGHT, "")


def test_a_wrong_file_is_shown_and_the_others_are_formatted(gazette, crooked: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.rules"
    wrong.write_text("ruleset bridge\nrule rule\n")
    ran = gazette("fmt", wrong, crooked)
    assert ran.code == 2
    assert f"--> {wrong}:2:" in ran.err
    assert wrong.read_text() == "ruleset bridge\nrule rule\n"
    assert crooked.read_text() == STRAIGHT


def test_standard_input_that_is_no_text_is_refused(gazette) -> None:
    ran = gazette("fmt", "-", stdin=b"ruleset bridge\nlaw \xff\n")
    assert (ran.code, ran.out) == (2, "")
    assert "--> <standard input>:2" in ran.err


def test_a_file_that_is_not_there(gazette, tmp_path: Path) -> None:
    assert gazette("fmt", tmp_path / "none.rules").code == 2
