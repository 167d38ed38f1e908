"""A settlement that no rule asks for: what is said of it, and of the money."""

from __future__ import annotations

import shutil
from pathlib import Path

from check_logs import cited, led, rules, transcript

from verifier.report.text import text

EXAMPLES = Path(__file__).parents[2] / "spec" / "examples" / "anyton"

COATS = """ruleset coats
law anyton/cloakroom
use anyton/base
rule 5.1 "Where an article is lost"
  asked liability(i) when i.lost and i.article = coat
rule 5.1(b) "nothing, if nothing was declared"
  liability(i) = nothing when i.worth = 0
"""


def test_a_settlement_that_no_rule_asks_for_is_told_as_such(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLES, tmp_path / "anyton")
    (tmp_path / "coats.rules").write_text(COATS, "utf-8")
    refused = [f'proprietor refuse item="ann\'s {article}"' for article in ("coat", "hat")]
    result = rules(tmp_path / "coats.rules").check(transcript(tmp_path / "log.yaml", "coats", refused))
    early, unasked = result.entries
    assert led(early) == ("broken", "early")
    assert cited(early) == ["5.1"]
    assert led(unasked) == ("broken", "unasked")
    assert cited(unasked) == []
    page = text(result, 120)
    assert "1 × unasked: settled though no rule asks for it" in page
    assert "liability(ann's hat) = asked for by no rule" in page
    assert "Of a settlement made too early it is not told who is short" in page
    assert (
        "Of a settlement that no rule asks for it is not told who is short: no rule says what is owed."
        in page
    )
    assert "No party is short" not in page
