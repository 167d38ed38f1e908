"""`gazette --help`, and that of each command, answers at once."""

from __future__ import annotations

import resource
import subprocess
import sys

import pytest

from verifier.cli.app import COMMANDS

LIMIT = 0.150
"""Seconds. Counted in the processor's time, which on an idle machine is the time one waits."""

ATTEMPTS = 5


def spent(arguments: list[str]) -> float:
    """Processor seconds of one `gazette …` in a process of its own."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    program = [sys.executable, "-c", "from verifier.cli import main; main()", *arguments]
    subprocess.run(program, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], *([name, "--help"] for name in COMMANDS)])
def test_help_is_there_within_the_limit(arguments: list[str]) -> None:
    assert any(spent(arguments) < LIMIT for _ in range(ATTEMPTS))
