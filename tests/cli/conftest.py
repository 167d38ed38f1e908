"""The command line run inside the test's process, with the files of a small invented ruleset at hand."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from verifier.cli.app import run

BRIDGE = Path(__file__).parent / "bridge"

HEARING = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
"""Ctrl-C is heard even where the tests run in the background of a shell, which has its children ignore it."""


@dataclass(frozen=True)
class Ran:
    """What a command left behind."""

    code: int
    out: str
    err: str


Gazette = Callable[..., Ran]


@pytest.fixture
def gazette(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Gazette:
    """Runs `gazette ARGUMENTS…`; `stdin` is what its standard input holds."""
    for name in ("NO_COLOR", "GAZETTE_DEBUG", "TERM"):
        monkeypatch.delenv(name, raising=False)

    def ran(*arguments: object, stdin: bytes = b"") -> Ran:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        shown = capsys.readouterr()
        return Ran(code, shown.out, shown.err)

    return ran


@pytest.fixture
def bridge(tmp_path: Path) -> Path:
    """A folder with a ruleset of the user's own, its law and its logs."""
    folder = tmp_path / "own"
    shutil.copytree(BRIDGE, folder)
    return folder


@pytest.fixture
def process() -> Callable[..., subprocess.Popen[bytes]]:
    """Starts `gazette ARGUMENTS…` as a process of its own, with pipes."""

    def start(*arguments: object, **environment: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-c", HEARING + "from verifier.cli import main; main()", *map(str, arguments)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **environment},
        )

    return start
