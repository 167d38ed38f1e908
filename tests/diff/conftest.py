"""Two small laws of a bridge, made to measure."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from verifier.cli.app import run
from verifier.law import Law, read_law

BRIDGE = Path(__file__).parent / "bridge.rules"

HEADER = """\
---
title: Toll Bridge
instrument: The rules of a bridge that nobody built, for tests
issue: unknown
dates: []
in force:
  from: unknown
  until: unknown
  source: made up
provenance:
  received: bridge.txt
  sha256: 0000000000000000000000000000000000000000000000000000000000000000
  lines: 1-9
missing: []
---
"""

BODY = """
# 1.0 Tolls

1.1 The keeper shall charge each traveller, before crossing, a toll of:
  (a) fifty cents, where the traveller is on foot; or
  (b) two dollars, where the traveller brings a cart.

1.2 No traveller shall cross while the bridge is raised.

1.3 The keeper shall wear a cap.

# 2.0 Ships

2.1 The keeper shall raise the bridge within twenty-one minutes after a ship has sounded its horn.
"""


@pytest.fixture
def law(tmp_path: Path) -> Callable[..., Law]:
    """The law of `HEADER` and `BODY`, with each pair of `changes` replaced, first by second."""

    def made(*changes: tuple[str, str]) -> Law:
        text = HEADER + BODY
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.law"
        path.write_text(text)
        return read_law(path, "bridge")

    return made


@pytest.fixture
def rules(tmp_path: Path) -> Callable[..., Path]:
    """`bridge.rules` beside its law in a folder of its own, with each pair of `changes` replaced in both."""

    def made(*changes: tuple[str, str]) -> Path:
        folder = tmp_path / f"{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        texts = {"bridge.law": HEADER + BODY, "bridge.rules": BRIDGE.read_text()}
        for old, new in changes:
            assert any(old in text for text in texts.values())
            texts = {name: text.replace(old, new) for name, text in texts.items()}
        for name, text in texts.items():
            (folder / name).write_text(text)
        return folder / "bridge.rules"

    return made


@pytest.fixture
def gazette(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    """Runs `gazette ARGUMENTS…`: its exit code and what it printed."""

    def ran(*arguments: object) -> tuple[int, str]:
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        return code, capsys.readouterr().out

    return ran
