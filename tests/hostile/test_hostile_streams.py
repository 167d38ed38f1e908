"""Output that cannot be written, and streams that were closed: said plainly, never called a fault of ours."""

from __future__ import annotations

import gzip
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


# ------------------------------------------------------------------------------------------- the temporary folder
KEPT = str(Path(BRIDGE).with_name("kept.jsonl"))
FULL = "ulimit -f 1; "
"""No file may grow beyond 1,024 bytes, which meets writing in the same way as a full disk."""


@pytest.mark.parametrize("output", [[], ["-o", "page.txt"]])
def test_a_full_temporary_folder_is_named(tmp_path: Path, output: list[str]) -> None:
    line = f'cd "{tmp_path}"; export TMPDIR="{tmp_path}"; {FULL}"$@"'
    ran = shell(line, "check", KEPT, "--rules", BRIDGE, "--sort", *output)
    assert ran.returncode == 2
    assert (
        f"error: cannot write to the temporary folder {tmp_path}: file too large [unwritable]" in ran.stderr
    )
    assert "TMPDIR" in ran.stderr
    assert not list(tmp_path.iterdir())


def test_a_parquet_log_that_cannot_be_set_down(tmp_path: Path) -> None:
    log, packed = tmp_path / "log.parquet", tmp_path / "log.parquet.gz"
    assert shell('"$@"', "simulate", BRIDGE, "--rounds", "9", "-q", "-o", str(log)).returncode == 0
    packed.write_bytes(gzip.compress(log.read_bytes()))
    request = ["check", str(packed), "--rules", BRIDGE, "-q"]
    assert shell('"$@"', *request).returncode == 0
    ran = shell(f'export TMPDIR="{tmp_path}"; {FULL}"$@"', *request)
    assert (ran.returncode, "the temporary folder" in ran.stderr) == (2, True)


def test_with_room_rows_are_sorted(tmp_path: Path) -> None:
    ran = shell(f'export TMPDIR="{tmp_path}"; "$@"', "check", KEPT, "--rules", BRIDGE, "--sort", "-q")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert not list(tmp_path.iterdir())
