"""Division 8 whole: nothing of the law is left out, and the wheel that is not the Gazette's fits what it does say."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier.check.engine import Prepared, prepare
from verifier.errors import RuleTextError
from verifier.lint.inspect import lint
from verifier.prove.whole import prove_whole, settings

HEAD = "ruleset t\nlaw nz/gazette-1998-16-division-8\nin force from 1998-02-01\nuse std/roulette-table\n"


def test_no_clause_and_no_word_is_left_out() -> None:
    assert lint("nz/roulette-1998").findings == ()


def test_every_row_of_the_odds_is_a_rule_of_its_own(roulette: Prepared) -> None:
    law = roulette.ruleset.law
    assert law is not None
    rows = {clause.address for clause in law.clauses.values() if clause.address.startswith("3.9 [")}
    assert len(rows) == 14
    assert rows <= roulette.ruleset.rules.keys()


def test_a_row_is_quoted_by_its_own_words(tmp_path: Path) -> None:
    good = tmp_path / "t.rules"
    good.write_text(HEAD + 'rule 3.9 [Split] "Split 17 to 1"\n  odds(w) = 17 to 1 when w.kind = split\n')
    assert prepare(good).ruleset.rules["3.9 [Split]"].address == "3.9 [Split]"
    bad = tmp_path / "t.rules"
    bad.write_text(HEAD + 'rule 3.9 [Split] "Corner 8 to 1"\n  odds(w) = 17 to 1 when w.kind = split\n')
    with pytest.raises(RuleTextError, match=r"these words are not in 3\.9 \[Split\]"):
        prepare(bad)


def test_a_caption_of_an_appendix_is_quoted(tmp_path: Path) -> None:
    path = tmp_path / "t.rules"
    path.write_text(HEAD + 'rule appendix 2(9) "Courtesy Line"\n  external "a picture"\n')
    assert prepare(path).ruleset.rules["appendix 2(9)"].quote == "Courtesy Line"
    path.write_text(HEAD + 'rule appendix 2(10) "Courtesy Line"\n  external "a picture"\n')
    with pytest.raises(RuleTextError, match="has no clause"):
        prepare(path)


def test_the_wheel_and_the_layout_fit_what_the_text_says(roulette: Prepared) -> None:
    proof = prove_whole(roulette.program, settings(no_cache=True), only=["theorem_usual_*"])
    assert len(proof.results) == 11
    assert {result.verdict for result in proof.results} == {"proved"}
