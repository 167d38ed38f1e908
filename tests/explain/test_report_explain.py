"""Explanations, traces, answers and clauses as text and as JSON-ready data."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from explain_ferry import Table, mini

from verifier.check.clause import clause_page
from verifier.report.explain import answers_text, clause_text, explanation_text, to_dict, trace_text
from verifier.run.ask import ask
from verifier.run.verdict import Short

PLAYED = (
    "wager ann B1H1 initial 1000",
    "deal B1H1 As",
    "deal dealer 6h",
    "deal B1H1 7d",
    "play_over",
    "deal dealer Th",
)
PAY = "pay ann/B1H1/initial 1000"

SKIPPED = """\
dealer: pay(Wager(ann, B1H1, initial), 1000)
  broken (skipped) 13.3 [draw]
  required      deal(dealer, any)

  rule 13.3 [draw] “additional cards shall be drawn to the dealer's hand until a hard total or soft
    total of 17, 18, 19, 20 or 21 has been reached”
    dealer must deal(dealer, any) at once   — applies
      yes players_done
      yes dealer has 2 cards or more
      yes total(dealer) < 17
    read:
      players_done = yes
      dealer.cards = Dealt(6, hearts, 1) Dealt(10, hearts, 2)
      total(dealer) = 16
    13.3 [draw] gives way to 13.4, which does not apply   (13.3 [draw]: except 13.4)
    owed by       dealer
    owed          deal(dealer, any)
    due           at once
    since         event 6, deal(dealer, Th)
    outcome       was passed over here
"""


def test_an_explanation_as_text() -> None:
    (found,) = Table().explained(*PLAYED, PAY)
    assert explanation_text(found) == SKIPPED


def test_a_settlement_as_text_shows_each_applying_rule_once() -> None:
    (found,) = Table().explained(*PLAYED, "deal dealer 5h", PAY)
    text = explanation_text(found)
    assert "broken (settlement) 5.1(g)" in text
    assert "short         the house by 1000" in text
    assert text.count("yes d.total > total(w.hand)") == 1
    assert "5.1(g) says lose, applies" in text
    assert "does not apply: 5.1(a), 5.1(b)" in text
    assert "total(B1H1) = 18" in text


def test_a_trace_as_text() -> None:
    table = Table()
    table.play_all(*PLAYED)
    text = trace_text(table.trace("deal dealer 5h"))
    assert text.startswith("7. dealer: deal(dealer, 5h)\n  in order\n")
    assert "dealer must not deal(dealer, any)   — does not apply" in text
    assert "outcome       is performed here" in text


def test_answers_as_text() -> None:
    table = Table()
    table.play_all(*PLAYED)
    text = answers_text(ask(table.judge))
    assert "outcome(Wager(ann, B1H1, initial), Finish(16, no)) = win" in text
    assert "dealer must deal(dealer, any) at once\n    rule 13.3 [draw]" in text
    assert "player: ask_payment\n    only what is permitted or demanded: 10.3(a) ask_payment(p, h)" in text
    assert "none is permitted now" in text


def test_answers_before_anything_happened() -> None:
    text = answers_text(ask(Table().judge))
    assert "no answer is due" in text
    assert "Owed\n  nothing" in text


def test_a_clause_as_text() -> None:
    text = clause_text(clause_page(mini().ruleset, "5.4"))
    assert text.startswith("Blackjack, 5.4\n")
    assert "not quoted    “Winning Super Sevens wagers shall be paid" in text
    assert '  rule 5.4 [even] "All winning wagers made in accordance with rule 5.1' in text
    assert "gives way to  5.4 [blackjack]   (5.4 [even]: except 5.4 [blackjack])" in text
    assert "“rules 15.4 and 15.5”: 15.4, 15.5" in text


def test_a_clause_without_rules_says_so() -> None:
    assert "no rule stands on this clause itself" in clause_text(clause_page(mini().ruleset, "8.10"))


def test_what_a_log_says_is_escaped() -> None:
    table = Table()
    (found,) = table.explained("wager \x1b[31m B1H1 initial 100", "pay \x1b[31m/B1H1/initial 100")
    text = explanation_text(found)
    assert "\x1b" not in text
    assert "\\x1b[31m" in text


def test_colour_only_where_asked() -> None:
    (found,) = Table().explained(*PLAYED, PAY)
    assert "\x1b[" not in explanation_text(found)
    assert "\x1b[" in explanation_text(found, colour=True)


def test_data_is_ready_for_json() -> None:
    table = Table()
    (found,) = table.explained(*PLAYED, PAY)
    data = json.loads(json.dumps(to_dict(found)))
    assert data["rules"] == ["13.3 [draw]"]
    assert data["grounds"][0]["condition"][2] == {
        "text": "total(dealer) < 17",
        "truth": "yes",
        "why": [],
        "example": None,
        "parts": [],
    }
    assert data["grounds"][0]["course"]["ending"] == "skipped"
    for value in (ask(table.judge), clause_page(mini().ruleset, "5.1(e)"), table.trace("end_round")):
        json.dumps(to_dict(value))


def test_fractions_stay_exact_in_data() -> None:
    assert to_dict(Short("house", Fraction(3, 2))) == {
        "who": "house",
        "amount": {"numerator": 3, "denominator": 2},
    }
    assert to_dict(Short("house", Fraction(4, 2))) == {"who": "house", "amount": 2}


def test_what_has_no_json_form_is_refused() -> None:
    with pytest.raises(TypeError, match="float has no JSON form"):
        to_dict(1.5)
