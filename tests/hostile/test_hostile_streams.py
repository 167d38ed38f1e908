"""Output that cannot be written, and streams that were closed: said plainly, never called a fault of ours."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

BRIDGE = str(Path(__file__).parents[1] / "cli" / "bridge" / "bridge.rules")
SCHEMA = ["schema", BRIDGE]
"""A command that writes its page at the end, as most do."""

GAZETTE = [sys.executable, "-c", "from verifier.cli import main; main()"]


def shell(line: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs `gazette ARGUMENTS…` as `$@` of a shell line."""
    return subprocess.run(["bash", "-c", line, "bash", *GAZETTE, *arguments], capture_output=True, text=True)


@pytest.mark.parametrize("arguments", [["version"], ["--help"], SCHEMA])
def test_a_full_disk_is_no_fault_of_ours(arguments: list[str]) -> None:
    ran = shell('"$@" >/dev/full', *arguments)
    assert ran.returncode == 2
    assert "error: cannot write to standard output: no space left on device [unwritable]" in ran.stderr
    assert "Traceback" not in ran.stderr
    assert "Exception ignored" not in ran.stderr


def test_a_closed_standard_output_is_said_where_something_is_written() -> None:
    ran = shell('"$@" >&-', *SCHEMA)
    assert ran.returncode == 2
    assert "cannot write to standard output: bad file descriptor" in ran.stderr


def test_a_closed_standard_output_does_not_matter_where_nothing_is_written(tmp_path: Path) -> None:
    page = tmp_path / "schema.json"
    ran = shell('"$@" >&-', *SCHEMA, "--output", str(page))
    assert (ran.returncode, ran.stderr) == (0, "")
    assert '"charge"' in page.read_text("utf-8")


def test_a_closed_standard_error_changes_no_exit_code() -> None:
    assert shell('"$@" 2>&-', "explain", BRIDGE, "99").returncode == 2
    assert shell('"$@" 2>&-', "version").returncode == 0


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["check", "--help"], SCHEMA])
def test_a_reader_that_is_gone_ends_every_command_alike(arguments: list[str]) -> None:
    ran = shell('"$@" | true; exit ${PIPESTATUS[0]}', *arguments)
    assert (ran.returncode, ran.stderr) == (141, "")
