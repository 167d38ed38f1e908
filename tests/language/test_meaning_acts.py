"""What it means, points 1 and 2: settlements are claims; only `may` closes an action."""

from __future__ import annotations

from pathlib import Path

from language_bench import check, program

DEPOSIT = "rule 2.1\n  guest may deposit(any, any, any) when doors\n"
BOTH = """rule 2.5(a)
  attendant must ticket(i) at once when i.here and not i.ticket
rule 2.5(b)
  attendant must book(i) at once when i.here and not i.booked
"""
PAYS = """rule 5.1
  asked liability(i) when i.lost
rule 5.1(a)
  liability(i) = pay and rate(i) = 3 to 2 when i.worth > 100
rule 5.1(b)
  liability(i) = nothing when i.worth = 0
"""


# ------------------------------------------------------------------------------------- 1 settlement is a claim
def test_1_a_true_claim_is_kept_by_the_clauses_that_gave_the_value(tmp_path: Path) -> None:
    log = """
    guest deposit(ann's coat, 1, 501)
    proprietor find_lost(ann's coat)
    proprietor refuse(ann's coat) → broken 5.1(a) (settlement, ann short 1503/2)
    """
    check(PAYS, log, tmp_path)
    log = """
    guest deposit(ann's coat, 1, 500)
    proprietor find_lost(ann's coat)
    proprietor make_good(ann's coat, 750) → kept 5.1(a)
    """
    check(PAYS, log, tmp_path)


def test_1_a_false_claim_breaks_the_clauses_that_gave_the_value(tmp_path: Path) -> None:
    log = """
    guest deposit(ann's coat, 1, 500)
    proprietor find_lost(ann's coat)
    proprietor make_good(ann's coat, 749) → broken 5.1(a) (settlement, ann short 1)
    proprietor make_good(ann's coat, 760) → broken 5.1(a) (settlement, the house short 10)
    """
    check(PAYS, log, tmp_path)


def test_1_a_claim_about_what_nothing_decides_is_undecided(tmp_path: Path) -> None:
    log = """
    guest deposit(ann's coat, 1, 100)
    proprietor find_lost(ann's coat)
    proprietor refuse(ann's coat) → undecided 5.1 (settlement, gap liability)
    """
    check(PAYS, log, tmp_path)


def test_1_a_claim_about_what_clauses_clash_on_is_disputed(tmp_path: Path) -> None:
    text = PAYS + "rule 5.1(c)\n  liability(i) = nothing when i.article = fur\n"
    log = """
    guest deposit(ann's fur, 1, 500)
    proprietor find_lost(ann's fur)
    proprietor refuse(ann's fur) → disputed 5.1(a), 5.1(c) (settlement, conflict liability)
    """
    check(text, log, tmp_path)


def test_1_a_settlement_before_the_question_is_asked_is_before_due(tmp_path: Path) -> None:
    log = """
    guest deposit(ann's coat, 1, 500)
    proprietor make_good(ann's coat, 750) → broken 5.1 (early)
    """
    check(PAYS, log, tmp_path)


def test_1_a_settlement_that_no_rule_ever_asks_for_is_no_early_one(tmp_path: Path) -> None:
    text = PAYS.replace("when i.lost", "when i.lost and i.article = coat")
    log = """
    guest deposit(ann's coat, 1, 500)
    guest deposit(ann's hat, 1, 500)
    proprietor make_good(ann's coat, 750) → broken 5.1 (early)
    proprietor make_good(ann's hat, 750) → broken (unasked)
    """
    check(text, log, tmp_path)


def test_1_a_clause_that_asks_stands_over_the_rows_of_its_table(tmp_path: Path) -> None:
    text = """rule 3.1
  asked fee(i) when i.here
rule 3.1 [Coat] "20 cents"
  fee(i) = 20 when i.article = coat
rule 6.1
  asked fee(i) when i.lost
"""
    log = """
    guest pay_fee(ann's coat, 20) → broken 3.1 (early)
    guest deposit(ann's coat, 1, 0)
    guest pay_fee(ann's coat, 20) → kept 3.1, 3.1 [Coat]
    """
    check(text, log, tmp_path)


def test_1_moves_says_whose_money_and_claims_may_be_of_an_amount_alone(tmp_path: Path) -> None:
    text = "rule 3.1\n  fee(i) = 20 when i.article = coat\n"
    log = """
    guest pay_fee(ann's coat, 20) → kept 3.1
    guest pay_fee(ann's coat, 15) → broken 3.1 (the house short 5)
    guest pay_fee(ann's coat, 22) → broken 3.1 (ann short 2)
    """
    check(text, log, tmp_path)


# -------------------------------------------------------------------------------- 2 only `may` closes an action
def test_2_an_action_that_no_may_governs_is_open(tmp_path: Path) -> None:
    check("rule 2.1\n  guest may surrender(i) when i.here", "guest complain(ann)", tmp_path)


def test_2_an_action_that_a_may_governs_needs_one_that_permits(tmp_path: Path) -> None:
    log = """
    guest deposit(ann's coat, 1, 0) → broken 2.1 (not permitted)
    attendant open
    guest deposit(ann's hat, 1, 0) → kept 2.1
    """
    check(DEPOSIT, log, tmp_path)


def test_2_one_entry_cites_all_governing_clauses(tmp_path: Path) -> None:
    text = DEPOSIT + "rule 2.4\n  guest may deposit(i, any, any) when i.guest in carded\n"
    log = """
    guest deposit(ann's coat, 1, 0) → broken 2.1, 2.4
    guest show_card(ann)
    guest deposit(ann's hat, 1, 0) → kept 2.4
    """
    assert len(program(text, tmp_path).permissions["deposit"]) == 2
    judge = check(text, log, tmp_path)
    assert judge.tallies["2.1"].broken == 1


def test_2_a_head_with_where_governs_only_what_it_matches(tmp_path: Path) -> None:
    text = "rule 2.4\n  guest may deposit(i where i.article = fur, any, any) when i.guest in carded\n"
    log = """
    guest deposit(ann's coat, 1, 0)
    guest deposit(ann's fur, 1, 0) → broken 2.4
    """
    check(text, log, tmp_path)


def test_2_a_constant_in_the_head_governs_only_that_value(tmp_path: Path) -> None:
    text = "rule 2.1\n  guest may deposit(any, 3, any) when doors\n"
    check(text, "guest deposit(ann's coat, 1, 0)\nguest deposit(ann's hat, 3, 0) → broken 2.1", tmp_path)


def test_2_a_may_whose_option_is_off_still_closes(tmp_path: Path) -> None:
    text = "option free: bool\nrule 2.1\n  guest may deposit(any, any, any) when free\n"
    check(text, "options: free = no\nguest deposit(ann's coat, 1, 0) → broken 2.1", tmp_path)


def test_2_a_may_for_one_role_closes_the_action_to_others(tmp_path: Path) -> None:
    text = "rule 2.1\n  guest may complain(any)\n"
    check(text, "guest complain(ann) → kept 2.1\nattendant complain(ann) → broken 2.1", tmp_path)


def test_2_a_must_not_narrows_a_may(tmp_path: Path) -> None:
    text = DEPOSIT + "rule 2.2\n  guest must not deposit(any, p, any) when Hook(p) has 3 articles or more\n"
    log = """
    attendant open
    guest deposit(ann's coat, 1, 0) → kept 2.1, 2.2
    guest deposit(ann's hat, 1, 0)
    guest deposit(ann's fur, 1, 0)
    guest deposit(bob's fur, 1, 0) → broken 2.2 (forbidden); kept 2.1
    guest deposit(bob's hat, 2, 0) → kept 2.1, 2.2
    """
    check(text, log, tmp_path)


def test_2_a_must_not_alone_closes_nothing(tmp_path: Path) -> None:
    text = "rule 2.2\n  guest must not deposit(any, p, any) when Hook(p) has 3 articles or more\n"
    check(text, "guest deposit(ann's coat, 1, 0) → kept 2.2", tmp_path)


def test_2_what_a_duty_demands_is_permitted(tmp_path: Path) -> None:
    text = BOTH + "rule 2.6\n  attendant may ticket(i) when i.booked\n"
    log = """
    guest deposit(ann's brolly, 1, 0)
    attendant ticket(ann's brolly) → kept 2.5(a)
    attendant ticket(ann's brolly) → broken 2.5(b), 2.6
    """
    check(text, log, tmp_path)


def test_2_what_a_duty_on_somebody_else_demands_is_not_permitted(tmp_path: Path) -> None:
    text = BOTH + "rule 2.6\n  attendant may ticket(i) when i.booked\n"
    check(text, "guest deposit(ann's brolly, 1, 0)\nguest ticket(ann's brolly) → broken 2.6", tmp_path)


def test_2_where_nobody_can_tell_whether_a_duty_demands_it_the_event_is_not_broken(tmp_path: Path) -> None:
    text = """decision wanted(i: Item): bool
rule 2.5(a)
  attendant must ticket(i) by end of evening when wanted(i) and not i.ticket
rule 2.6
  attendant may ticket(i) when i.booked
"""
    log = """
    guest deposit(ann's brolly, 1, 0)
    attendant ticket(ann's brolly) → undecided 2.6
    """
    check(text, log, tmp_path)


def test_2_must_against_must_not_is_a_conflict(tmp_path: Path) -> None:
    text = BOTH + "rule 2.6\n  attendant must not ticket(i) when i.article = umbrella\n"
    log = """
    guest deposit(ann's brolly, 1, 0)
    attendant book(ann's brolly) → kept 2.5(b)
    attendant ticket(ann's brolly) → disputed 2.5(a), 2.6
    """
    check(text, log, tmp_path)


def test_2_a_duty_that_only_the_forbidden_would_perform_is_disputed_when_it_is_not_done(
    tmp_path: Path,
) -> None:
    text = BOTH + "rule 2.6\n  attendant must not ticket(i) when i.article = umbrella\n"
    log = """
    guest deposit(ann's brolly, 1, 0)
    attendant call(ann) → disputed 2.5(a), 2.6; broken 2.5(b)
    """
    check(text, log, tmp_path)


def test_2_a_duty_that_another_act_would_perform_is_no_conflict(tmp_path: Path) -> None:
    text = """rule 2.5(a)
  attendant must ticket(i) or call(i.guest) at once when i.here and not i.ticket
rule 2.6
  attendant must not ticket(i) when i.article = umbrella
"""
    log = """
    guest deposit(ann's brolly, 1, 0)
    attendant ticket(ann's brolly) → broken 2.6; kept 2.5(a)
    """
    check(text, log, tmp_path)


def test_2_must_against_must_not_on_other_things_is_none(tmp_path: Path) -> None:
    text = BOTH + "rule 2.6\n  attendant must not ticket(i) when i.article = umbrella\n"
    check(text, "guest deposit(ann's hat, 1, 0)\nattendant ticket(ann's hat) → kept 2.5(a), 2.6", tmp_path)


def test_2_an_event_by_whom_it_is_not_provided_for_breaks_the_rules_on_it(tmp_path: Path) -> None:
    log = """
    guest deposit(ann's hat, 1, 0)
    guest ticket(ann's hat) → broken 2.5(a) (actor)
    """
    check(BOTH, log, tmp_path)
