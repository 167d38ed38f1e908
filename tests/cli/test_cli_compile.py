"""`gazette compile`, and `gazette check --engine`."""

from __future__ import annotations

from pathlib import Path

import pytest


def test_the_module_goes_to_a_file_the_same_every_time(gazette, bridge: Path, tmp_path: Path) -> None:
    one, other = tmp_path / "one.wasm", tmp_path / "other.wasm"
    ran = gazette("compile", bridge / "bridge.rules", "-o", one)
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    gazette("compile", bridge / "bridge.rules", "-o", other)
    assert one.read_bytes() == other.read_bytes()
    assert one.read_bytes().startswith(b"\0asm")
    assert gazette("compile", bridge / "bridge.rules", "-o", other, "--text").code == 0
    assert other.read_text("utf-8").startswith("(module")


def test_a_folder_that_is_not_there(gazette, bridge: Path, tmp_path: Path) -> None:
    ran = gazette("compile", bridge / "bridge.rules", "-o", tmp_path / "none" / "one.wasm")
    assert ran.code == 2
    assert "none" in ran.err


@pytest.mark.parametrize(("log", "code"), [("kept.jsonl", 0), ("broken.jsonl", 1)])
def test_every_engine_prints_the_same(gazette, bridge: Path, log: str, code: int) -> None:
    said = [
        gazette("check", bridge / log, "--rules", bridge / "bridge.rules", "--engine", engine)
        for engine in ("explain", "bulk", "auto")
    ]
    assert [ran.code for ran in said] == [code] * 3
    assert said[0].out == said[1].out == said[2].out
    assert {ran.err for ran in said} == {""}


def test_an_engine_that_there_is_not(gazette, bridge: Path) -> None:
    ran = gazette("check", bridge / "kept.jsonl", "--rules", bridge / "bridge.rules", "--engine", "steam")
    assert ran.code == 2
    assert "auto, explain, bulk" in ran.err.replace("'", "")


def test_a_ruleset_without_a_life_is_refused(gazette, tmp_path: Path) -> None:
    rules, module = tmp_path / "still.rules", tmp_path / "still.wasm"
    rules.write_text("ruleset still\nactors clerk\n")
    module.write_bytes(b"old")
    ran = gazette("compile", rules, "-o", module)
    assert (ran.code, "it declares no life" in ran.err, module.read_bytes()) == (2, True, b"old")
