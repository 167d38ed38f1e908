"""Small games made up to mislead the prover: faults planted in them, and what looks like a fault and is none.

The tables stand beside each game. A case says what was changed, which obligations are asked, what must be found and
where, and what the finding must show; all else that is asked must be proved, but for what stands under `open`. Those
with `long: true` are asked with `GAZETTE_TESTS=all`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hunting import GAMES, cases, changed, proved

from verifier.model.load import load
from verifier.model.ruleset import Ruleset
from verifier.report.prove_text import finding_text

ALL = os.environ.get("GAZETTE_TESTS", "") == "all"
CASES = [
    (game, case)
    for game in GAMES
    for case in cases(game)
    if "found" in case and (ALL or not case.get("long"))
]
LEAVES = {"ring": 19, "tombola": 16}
"""The leaf clauses of each law, a definition being one."""


def named(value: object) -> str | None:
    return value["name"] if isinstance(value, dict) else None


@pytest.mark.parametrize(("game", "case"), CASES, ids=lambda value: named(value) or value)
def test_what_is_found_and_what_is_not(game: str, case: dict[str, Any], tmp_path: Path) -> None:
    proof = proved(changed(game, case["change"], tmp_path), case["only"])
    found = {r.name: r.finding.where for r in proof.results if r.finding is not None}
    open_ = {r.name for r in proof.results if r.verdict in ("undecided", "disagreement")}
    assert (found, open_) == (case["found"], set(case.get("open", ())))
    text = "\n".join(finding_text(r.finding) for r in proof.results if r.finding is not None)
    flat = " ".join(text.split())
    for line in case.get("shows", ()):
        assert line in flat, text
    for line in case.get("never_shows", ()):
        assert line not in flat, text


@pytest.mark.parametrize("game", GAMES)
def test_the_games_are_sound(game: str) -> None:
    ruleset: Ruleset = load(Path(__file__).parent / f"{game}.rules")
    assert ruleset.law is not None
    assert not ruleset.notes
    quoted = {rule.address for rule in ruleset.rules.values()}
    leaves = [c for c in ruleset.law.clauses.values() if c.kind != "section" and c.leaf]
    assert len(leaves) == LEAVES[game]
    assert {c.address for c in leaves} <= {ruleset.law.canonical(a) for a in quoted}
