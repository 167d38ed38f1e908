"""What is kept of scenes from event to event changes nothing: each is drawn, and painted, as if it were the first."""

from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path
from typing import Any

import pytest
import zstandard
from html_pages import ROOT, ROUND

from verifier.check.engine import prepare
from verifier.report.html import draw, rounds
from verifier.report.html.check import Request, folder
from verifier.run.looks import Looks
from verifier.run.view import Drawn, Viewer


def _beginning(name: str, rows: int, into: Path) -> Path:
    with (ROOT / "examples" / name).open("rb") as packed:
        text = io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(packed), encoding="utf-8")
        kept = "".join(next(text) for _ in range(rows)).encode()
    seal = {"events": rows - 1, "sha256": hashlib.sha256(kept).hexdigest()}
    path = into / "log.jsonl"
    path.write_bytes(kept + json.dumps({"gazette-log-end": seal}).encode() + b"\n")
    return path


@pytest.mark.parametrize(
    ("log", "rules"),
    [
        (None, "nz/blackjack-1998"),
        ("baramundi.jsonl.zst", "nz/blackjack-1998"),
        ("tgames-200.jsonl.zst", "nz/roulette-1998"),
    ],
)
def test_each_scene_is_as_if_it_were_the_first(
    log: str | None, rules: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = ROUND if log is None else _beginning(log, 150, tmp_path)
    drawn, painted = Viewer.draw, draw.drawing
    seen = [0, 0]

    def as_the_first(self: Viewer, state: Any) -> tuple[Drawn, ...]:
        found = drawn(self, state)
        kept = self.judge.machine.kept.pop(Looks)
        fresh = Viewer(self.judge, self.reading, self.life)
        assert drawn(fresh, state) == found
        self.judge.machine.kept[Looks] = kept
        seen[0] += 1
        return found

    def painted_alone(scene: Drawn, touched: Any, money: Any, known: Any = None) -> str:
        touched = tuple(touched)
        found = painted(scene, touched, money, known)
        assert painted(scene, touched, money) == found
        assert draw.words(scene, money) == draw.words(scene, money, known)
        seen[1] += 1
        return found

    monkeypatch.setattr(Viewer, "draw", as_the_first)
    monkeypatch.setattr(rounds, "drawing", painted_alone)
    into = tmp_path / "report"
    into.mkdir()
    folder(Request((str(path),), rules), prepare(rules), into)
    assert min(seen) > 15
