"""`gazette --help`, and that of each command, answers at once."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Sequence

import pytest

from verifier.cli.app import COMMANDS

TIMES = 2
"""As many times what it takes to import the library of the command line: on an idle machine some 0.12 s."""

ATTEMPTS = 5


def spent(code: str, arguments: Sequence[str] = ()) -> float:
    """Processor seconds of a process of its own."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code, *arguments], stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], *([name, "--help"] for name in COMMANDS)])
def test_help_is_there_within_the_limit(arguments: list[str]) -> None:
    """Both are measured in turn, so that a slow or busy machine is slow for both."""
    gazette = "from verifier.cli import main; main()"
    assert any(spent(gazette, arguments) < TIMES * spent("import click") for _ in range(ATTEMPTS))
