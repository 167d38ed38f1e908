"""New Zealand's blackjack of 1994, as far as it is here, against that of 1998."""

from __future__ import annotations

from pathlib import Path

import pytest

from verifier.core.lower import lower
from verifier.diff.matter import matters
from verifier.diff.merge import Merger
from verifier.diff.rules import RulesDiff, StatementChange, compare_rulesets
from verifier.diff.unify import Which, unify
from verifier.diff.whole import compare
from verifier.exits import Exit
from verifier.model.load import load
from verifier.model.ruleset import Ruleset

RULES = Path(__file__).parents[2] / "rulesets" / "nz" / "blackjack-1998.rules"


@pytest.fixture(scope="module")
def diff() -> RulesDiff:
    return compare_rulesets(load("nz/blackjack-1994"), load("nz/blackjack-1998"))


def on(diff: RulesDiff, rule: str) -> list[StatementChange]:
    return [change for change in diff.statements if change.old is not None and change.old.rule == rule]


def test_decks_6_to_8_then_4_to_8(diff: RulesDiff) -> None:
    change = next(change for change in diff.options if change.name == "decks")
    assert change.old is not None
    assert change.new is not None
    assert (change.old.clause, change.old.range) == ("3.1", "6 to 8")
    assert (change.new.clause, change.new.range) == ("3.3(a)", "4 to 8")
    assert change.new.provisos == ("3.3(a) [Super Sevens]: not super_sevens_offered or decks in 6..8",)


def test_a_second_cutting_card_was_forbidden_and_is_an_option(diff: RulesDiff) -> None:
    second, none_put_in = on(diff, "3.1 [cutting card]")
    assert (second.fate, none_put_in.fate) == ("old", "old")
    assert none_put_in.old is not None
    assert none_put_in.old.when[-1] == "not running and lacking"
    assert [c.fate for c in diff.options if c.name == "cutting_cards"] == ["new"]


def test_4_1_c_is_held_against_5_1_c(diff: RulesDiff) -> None:
    (change,) = on(diff, "4.1(c)")
    assert change.new is not None
    assert change.new.rule == "5.1(c)"
    assert change.new.when[-1] == "blackjack(w.hand) and d.total = 21 and not d.blackjack"


def test_values_of_cards_are_said_alike(diff: RulesDiff) -> None:
    for rule in ("3.2(a)", "3.2(b)", "3.2(c) [eleven]", "3.3 [cards]", "3.3 [deal]", "4.1 [before]"):
        assert not on(diff, rule)


def test_what_the_page_does_not_reach_is_no_change(diff: RulesDiff) -> None:
    fates = {change.new.rule: change.fate for change in diff.statements if change.new is not None}
    assert fates["9.3(a)"] == fates["11.5"] == fates["15.4(d)"] == "beyond"


def test_a_rule_written_otherwise_is_proved_to_change_nothing(tmp_path: Path) -> None:
    """Rules ask what the outcome would be of other totals, too, where none is owed (13.4)."""
    text = RULES.read_text("utf-8")
    old, new = "total(w.hand) <= 21 and d.total > 21", "not (total(w.hand) > 21 or d.total <= 21)"
    assert old in text
    other = tmp_path / RULES.name
    other.write_text(text.replace(old, new), "utf-8")
    whole = compare(load(RULES), load(other))
    assert whole.rules.statements
    assert whole.exit == Exit.HOLDS
    assert not whole.norms


@pytest.mark.parametrize("other", ["uk/blackjack-1994", "ny/black-jack", "nz/blackjack-1994"])
def test_outcomes_are_compared_kind_by_kind_though_one_law_asks_of_a_finish(other: str) -> None:
    rulesets: dict[Which, Ruleset] = {"old": load(RULES), "new": load(other)}
    programs = {which: lower(ruleset) for which, ruleset in rulesets.items()}
    found = matters(Merger(unify(rulesets["old"], rulesets["new"]), programs), "outcome")
    titles = [matter.title for matter in found]
    assert "outcome(w), w.kind = initial" in titles
    assert "outcome(w), w.kind = insurance" in titles or other == "nz/blackjack-1994"
    assert all(matter.closed for matter in found)
