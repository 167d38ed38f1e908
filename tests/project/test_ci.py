"""The script that everything must pass: it can be run, and names no place of any one machine."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / ".ci" / "run"


def test_it_is_a_script_that_can_be_run() -> None:
    assert os.access(SCRIPT, os.X_OK)
    subprocess.run(["bash", "-n", str(SCRIPT)], check=True)


def test_it_names_no_host_and_no_place_of_one_machine() -> None:
    assert not re.search(r"https?://|(?<![\w$}\"])/(?:home|root|opt|tmp|work)\b", SCRIPT.read_text())


def test_it_runs_every_check() -> None:
    text = SCRIPT.read_text()
    for check in (
        "ruff check",
        "ruff format --check",
        "bin/mypy",
        "command_of 1",
        "command_of 2",
        "pip wheel",
    ):
        assert check in text


def test_the_files_that_are_dealt_out_first_are_there() -> None:
    names = re.findall(r'"(tests/[^"]+\.py|benchmarks/[^"]+\.py)"', (ROOT / "conftest.py").read_text())
    assert len(names) > 3
    assert [name for name in names if not (ROOT / name).is_file()] == []
