"""The page of a clause: the law's words, the rules on it, and what points there and from there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from explain_ferry import mini

from verifier.check.clause import ClausePage, RuleOnClause, clause_page
from verifier.errors import LawError, RequestError
from verifier.model.load import load, shipped
from verifier.report.explain import clause_text

LAW = """---
title: By-law
instrument: By-law of a hall, for tests
issue: unknown
dates: []
in force:
  from: 1998-02-01
  until: unknown
  source: made up
provenance:
  received: hall.txt
  sha256: 0000000000000000000000000000000000000000000000000000000000000000
  lines: 1-3
missing: []
---

# 1.0 Guests

1.1 A guest who comes late shall:
  (a) pay 50 cents and leave when it is dark; and
  (b) be quiet.
"""

RULES = """ruleset hall
law bylaw
actors guest
type Guest = id max 8
life hall
life evening ends close
entity Seat(guest: Guest) in evening written "{guest}"
  late: bool
state evening
  dark: bool
event leave(seat: Seat) by guest
event close by guest
decision fee(s: Seat): money
rule 1.1 "A guest who comes late shall"
  given s.late
  given dark for fee
rule 1.1(a) "pay 50 cents and leave when it is dark"
  fee(s) = 50
  guest must leave(s) by end of evening when dark
"""


def page(address: str) -> ClausePage:
    return clause_page(mini().ruleset, address)


def on(clause: ClausePage, rule: str) -> RuleOnClause:
    return next(r for r in clause.rules if r.id == rule)


def test_the_words_and_what_stands_above_and_below() -> None:
    found = page("10.3")
    assert found.law == "nz/gazette-1998-9-division-2"
    assert [a.address for a in found.above] == ["10"]
    assert " ".join(w.text for w in found.intro).startswith("If the dealer's first card is an ace")
    assert " ".join(w.text for w in found.tail).startswith("Where a player elects to receive")
    assert [(b.address, b.rules) for b in found.below] == [("10.3(a)", 1), ("10.3(b)", 0)]


def test_which_words_are_quoted_and_by_which_rule() -> None:
    found = page("5.4")
    assert found.intro[0].quoted_by == ("5.4 [even]",)
    assert found.not_quoted == (
        "Winning Super Sevens wagers shall be paid in accordance with rules 15.4 and 15.5.",
    )
    assert page("4.1(c)").not_quoted == ()


def test_words_without_any_rule_are_all_unquoted() -> None:
    found = page("1.0 Box")
    assert found.rules == ()
    assert found.not_quoted == (" ".join(w.text for w in found.intro),)


def test_the_rules_on_a_clause_with_their_text() -> None:
    found = page("4.1(c)")
    assert [r.id for r in found.rules] == ["4.1(c) [eleven]", "4.1(c) [one]"]
    eleven = found.rules[0]
    assert eleven.text == (
        'rule 4.1(c) [eleven] "an ace shall have a value of 11"',
        "  except 4.1(c) [one]",
        "  value(c, h) = 11 when c.rank = ace",
    )
    assert eleven.says == ("value(c, h) = 11",)
    assert found.rules[1].readings == ("two aces are 12",)


def test_a_rule_with_its_label_means_its_clause() -> None:
    assert page("4.1(c) [one]") == page("4.1(c)")
    assert page("1.0 [Blackjack]").address == "1.0 Blackjack"


def test_edges_in_both_directions_with_the_words_that_say_so() -> None:
    stand_off = on(page("5.1(e)"), "5.1(e)")
    away = {(e.direction, e.other, e.words) for e in stand_off.edges}
    assert ("gives way to", "5.1(c)", "5.1(e): except 5.1(c), 5.1(d)") in away
    assert ("gives way to", "15.7(b)", "15.7: notwithstanding everything") in away
    before = {(e.direction, e.other, e.words) for e in on(page("5.1(c)"), "5.1(c)").edges}
    assert ("goes before", "5.1(e)", "5.1(e): except 5.1(c), 5.1(d)") in before
    assert ("gives way to", "10.3(a)", "10.3(a): overrides 5.1") in before


def test_what_a_rule_declares() -> None:
    assert on(page("10.3(a)"), "10.3(a)").defines == ("settled_early",)
    assert on(page("4.1"), "4.1").decisions == ("value",)
    assert on(page("4.1(a)"), "4.1(a)").decisions == ()


def test_what_clauses_above_hand_down() -> None:
    given = {(g.condition, g.by, g.of) for r in page("5.1(a)").rules for g in r.given}
    assert given == {("w.kind = initial", "5.1", ())}
    assert all(not r.given for r in page("5.1").rules)


def test_what_is_handed_down_to_a_part_of_a_rule(tmp_path: Path) -> None:
    (tmp_path / "bylaw.law").write_text(LAW, "utf-8")
    (tmp_path / "bylaw.rules").write_text(RULES, "utf-8")
    rule = clause_page(load(tmp_path / "bylaw.rules"), "1.1(a)").rules[0]
    assert [(g.condition, g.by, g.of) for g in rule.given] == [
        ("s.late", "1.1", ()),
        ("dark", "1.1", ("fee",)),
    ]
    text = clause_text(clause_page(load(tmp_path / "bylaw.rules"), "1.1(a)"))
    assert "given         s.late   (handed down by 1.1)\n" in text
    assert "dark   (handed down by 1.1, for fee)\n" in text
    assert "not quoted" not in text


def test_joining_words_are_not_missed() -> None:
    assert page("5.1(a)").not_quoted == ()


def test_references_in_the_words_and_to_them() -> None:
    found = page("5.1(e)")
    assert [(m.words, m.addresses) for m in found.mentions] == [
        ("subparagraphs (c) and (d)", ("5.1(c)", "5.1(d)"))
    ]
    assert {m.where for m in found.mentioned_by} >= {"11.4", "12.5"}
    assert page("13.4").mentions == ()


def test_rules_elsewhere_that_name_the_clause() -> None:
    ruleset = mini().ruleset
    rules = {
        name: replace(rule, agrees_with=("5.4",)) if name == "11.5" else rule
        for name, rule in ruleset.rules.items()
    }
    found = clause_page(replace(ruleset, rules=rules), "5.4")
    assert [(n.rule, n.how) for n in found.named_by] == [("11.5", "agrees with")]
    assert page("5.4").named_by == ()


def test_an_unknown_clause_is_refused() -> None:
    with pytest.raises(LawError, match=r"has no clause 5\.1\(z\)"):
        page("5.1(z)")


def test_a_ruleset_without_a_law_is_refused() -> None:
    with pytest.raises(RequestError, match="quotes no law"):
        clause_page(replace(mini().ruleset, law=None), "5.1")


@pytest.mark.parametrize("name", shipped())
def test_every_rule_of_a_shipped_ruleset_is_on_the_page_of_its_clause(name: str) -> None:
    ruleset = load(name)
    assert ruleset.law is not None
    own = [rule for rule in ruleset.rules.values() if not rule.base]
    for address in list(dict.fromkeys(rule.address for rule in own))[::12]:
        found = clause_page(ruleset, address)
        assert {r.id for r in found.rules} >= {rule.id for rule in own if rule.address == address}
        assert all(r.text[0].startswith("rule ") for r in found.rules)


def test_what_is_supplied_is_shown_where_it_is_read() -> None:
    """The page of 1994 uses "blackjack" and does not define it."""
    page = clause_page(load("nz/blackjack-1994"), "4.1(c)")
    (rule,) = page.rules
    assert [one.name for one in rule.supplied] == ["blackjack"]
    assert "supplied      blackjack, which the law does not say: the page uses" in clause_text(page)
    for own in clause_page(load("nz/blackjack-1994"), "3.2(a)").rules:
        assert own.supplied == ()
    for own in clause_page(load("nz/blackjack-1998"), "5.1(c)").rules:
        assert own.supplied == ()
