"""Twenty small rulesets with a fault planted in each, and the same with what looks like that fault and is none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hunting import HERE, proved

from verifier.report.prove_text import finding_text

CASES: list[dict[str, Any]] = yaml.safe_load((HERE / "small.yaml").read_text("utf-8"))


def written(case: dict[str, Any], put: dict[str, str], folder: Path) -> Path:
    """The ruleset of a case with `put` in the places of words."""
    rules = str(case["rules"])
    for word, by in put.items():
        assert word in rules
        rules = rules.replace(word, by)
    (folder / "small.law").write_text((HERE / "small.law").read_text("utf-8"), "utf-8")
    path = folder / "small.rules"
    path.write_text(f"ruleset small\nlaw small\n{rules}", "utf-8")
    return path


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_fault_is_found_with_a_play_that_shows_it(case: dict[str, Any], tmp_path: Path) -> None:
    proof = proved(written(case, case["fault"], tmp_path), case["only"])
    found = {r.name: r.finding for r in proof.results if r.finding is not None}
    assert {name: finding.where for name, finding in found.items()} == case["found"]
    text = " ".join(" ".join(map(finding_text, found.values())).split())
    for line in case["shows"]:
        assert line in text


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_what_only_looks_like_it_is_not(case: dict[str, Any], tmp_path: Path) -> None:
    proof = proved(written(case, case["near"], tmp_path), case["only"])
    found = {r.name: r.finding.where for r in proof.results if r.finding is not None}
    assert found == case.get("near_found", {})
    open_ = {r.name for r in proof.results if r.verdict in ("undecided", "disagreement")}
    assert open_ == set(case.get("near_open", ()))
