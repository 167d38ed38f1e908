"""What it means, points 1 to 5: claims, permissions, duties at once, duties with deadlines, history."""

from __future__ import annotations

from pathlib import Path

from language_bench import check, loaded, program

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


# ----------------------------------------------------------------------------------------------- 3 at once
def test_3_the_order_of_duties_at_once_is_free(tmp_path: Path) -> None:
    for first, second in (("ticket", "book"), ("book", "ticket")):
        log = f"""
        guest deposit(ann's coat, 1, 0)
        attendant {first}(ann's coat)
        attendant {second}(ann's coat)
        attendant call(bob)
        """
        judge = check(BOTH, log, tmp_path)
        assert (judge.tallies["2.5(a)"].kept, judge.tallies["2.5(b)"].kept) == (1, 1)


def test_3_a_before_fixes_the_order(tmp_path: Path) -> None:
    text = BOTH + (
        "rule 2.6\n  attendant must book(i) before ticket(i) when i.article = umbrella and not i.booked\n"
    )
    log = """
    guest deposit(ann's brolly, 1, 0)
    attendant ticket(ann's brolly) → broken 2.6 (late); kept 2.5(a)
    attendant book(ann's brolly) → kept 2.5(b)
    guest deposit(ann's coat, 1, 0)
    attendant ticket(ann's coat) → kept 2.5(a)
    """
    check(text, log, tmp_path)


def test_3_an_act_that_performs_none_of_them_passes_them_over(tmp_path: Path) -> None:
    log = """
    guest deposit(ann's coat, 1, 0)
    attendant call(bob) → broken 2.5(a), 2.5(b) (skipped)
    """
    check(BOTH, log, tmp_path)


def test_3_acts_of_others_do_not_count(tmp_path: Path) -> None:
    log = """
    guest deposit(ann's coat, 1, 0)
    guest complain(ann)
    proprietor find_lost(ann's coat)
    guest deposit(bob's coat, 2, 0)
    attendant book(bob's coat)
    """
    check(BOTH, log, tmp_path)


def test_3_observed_events_are_nobodys_act(tmp_path: Path) -> None:
    log = """
    guest deposit(ann's coat, 1, 0)
    attendant find_lost(ann's coat)
    attendant book(ann's coat) → kept 2.5(b)
    """
    check(BOTH, log, tmp_path)


def test_3_one_act_may_perform_several(tmp_path: Path) -> None:
    text = BOTH + "rule 6.1\n  attendant must book(i) or call(any) at once when i.here and not i.booked\n"
    log = """
    guest deposit(ann's coat, 1, 0)
    attendant book(ann's coat) → kept 2.5(b), 6.1
    """
    check(text, log, tmp_path)


def test_3_a_duty_that_nobody_can_tell_is_pending_excuses_no_breach(tmp_path: Path) -> None:
    text = """decision wanted(i: Item): bool
rule 2.5(a)
  attendant must ticket(i) at once when i.here and not i.ticket
rule 2.5(b)
  attendant must book(i) at once when wanted(i) and not i.booked
"""
    log = """
    guest deposit(ann's coat, 1, 0)
    attendant book(ann's coat) → undecided 2.5(b)
    """
    judge = check(text, log, tmp_path)
    assert judge.tallies["2.5(b)"].kept == 0


# ------------------------------------------------------------------------------ 4 a duty is a condition on the state
def test_4_a_duty_is_charged_once_and_then_silent(tmp_path: Path) -> None:
    log = """
    guest deposit(ann's coat, 1, 0)
    attendant call(bob) → broken 2.5(a), 2.5(b)
    attendant call(bob)
    attendant call(bob)
    """
    check(BOTH, log, tmp_path)


def test_4_it_is_charged_again_once_its_condition_has_been_false(tmp_path: Path) -> None:
    text = "rule 4.1\n  attendant must give_back(i) at once when i.called_for\n"
    log = """
    guest surrender(ann's coat)
    attendant call(bob) → broken 4.1
    attendant call(bob)
    attendant give_back(ann's coat)
    guest surrender(ann's coat)
    attendant call(bob) → broken 4.1
    """
    text += "on surrender(i)\n  new i\n"
    check(text, log, tmp_path)


def test_4_each_instance_is_charged_by_itself(tmp_path: Path) -> None:
    log = """
    guest deposit(ann's coat, 1, 0)
    attendant call(bob) → broken 2.5(a), 2.5(b) (i = ann's coat)
    guest deposit(ann's hat, 1, 0)
    attendant call(bob) → broken 2.5(a), 2.5(b) (i = ann's hat)
    """
    check(BOTH, log, tmp_path)


def test_4_amounts_are_no_part_of_what_a_duty_is_charged_by(tmp_path: Path) -> None:
    text = """rule 3.4
  guest must pay_fee(i, i.worth) at once when i.here and not i.paid
on complain(g)
  for each i in Item: i.worth = i.worth + 1
"""
    log = """
    guest deposit(ann's coat, 1, 5)
    guest complain(ann) → broken 3.4
    guest complain(ann)
    """
    check(text, log, tmp_path)


def test_4_before(tmp_path: Path) -> None:
    text = "rule 3.4\n  guest must pay_fee(i, any) before give_back(i) when i.here and not i.paid\n"
    log = """
    guest deposit(ann's coat, 1, 0)
    guest deposit(ann's hat, 1, 0)
    guest pay_fee(ann's hat, 10) → undecided (gap fee); kept 3.4
    attendant give_back(ann's hat)
    attendant give_back(ann's coat) → broken 3.4 (late)
    """
    check(text, log, tmp_path)


def test_4_by_end_of(tmp_path: Path) -> None:
    text = "rule 4.4\n  attendant must give_back(i) by end of evening when i.here\n"
    log = """
    guest deposit(ann's coat, 1, 0)
    guest deposit(ann's hat, 1, 0)
    attendant give_back(ann's hat) → kept 4.4
    attendant close → broken 4.4 (late, i = ann's coat)
    attendant close
    """
    check(text, log, tmp_path)


def test_4_by_end_of_a_life_that_ends_without_an_event(tmp_path: Path) -> None:
    text = "rule 4.4\n  attendant must give_back(i) by end of evening when i.here\n"
    check(text, "guest deposit(ann's coat, 1, 0)\nend evening → broken 4.4\nend evening", tmp_path)


def test_4_what_the_last_event_of_a_life_performs_is_performed(tmp_path: Path) -> None:
    text = "rule 6.1\n  attendant must close by end of evening when doors\n"
    check(
        text, "attendant open\nattendant close → kept 6.1\nattendant open\nend evening → broken 6.1", tmp_path
    )


def test_4_either_act_performs_a_duty_with_two(tmp_path: Path) -> None:
    text = """rule 5.1
  proprietor must make_good(i, any) or refuse(i) by end of evening when i.lost and not i.settled
"""
    log = """
    guest deposit(ann's coat, 1, 0)
    proprietor find_lost(ann's coat)
    proprietor refuse(ann's coat) → undecided; kept 5.1
    attendant close
    """
    check(text, log, tmp_path)
    log = "guest deposit(ann's coat, 1, 0)\nproprietor find_lost(ann's coat)\nattendant close → broken 5.1"
    check(text, log, tmp_path)


def test_4_what_only_the_deadline_names_is_any_such_event(tmp_path: Path) -> None:
    text = (
        "rule 3.1\n  fee(i) = 10\nrule 3.4\n"
        "  guest must pay_fee(i, any) before give_back(j where j != i) when i.here and not i.paid\n"
    )
    log = """
    guest deposit(ann's coat, 1, 0)
    guest deposit(ann's hat, 1, 0)
    guest deposit(bob's hat, 1, 0)
    guest pay_fee(ann's hat, 10)
    guest pay_fee(bob's hat, 10)
    attendant give_back(ann's hat) → broken 3.4 (late)
    attendant give_back(bob's hat)
    """
    check(text, log, tmp_path)
    log = """
    guest deposit(ann's coat, 1, 0)
    attendant give_back(ann's coat)
    """
    check(text, log, tmp_path)


def test_4_immediately_after_judges_its_condition_before_the_event(tmp_path: Path) -> None:
    text = (
        "rule 4.2\n  attendant must strike(i) immediately after give_back(i) when i.worth >= 500 and i.here\n"
    )
    log = """
    guest deposit(ann's coat, 1, 500)
    attendant give_back(ann's coat)
    guest complain(ann)
    attendant strike(ann's coat) → kept 4.2
    """
    check(text, log, tmp_path)


def test_4_immediately_after_passed_over(tmp_path: Path) -> None:
    text = (
        "rule 4.2\n  attendant must strike(i) immediately after give_back(i) when i.worth >= 500 and i.here\n"
    )
    log = """
    guest deposit(ann's coat, 1, 500)
    attendant give_back(ann's coat)
    attendant call(ann) → broken 4.2 (skipped)
    attendant call(ann)
    guest deposit(ann's hat, 1, 100)
    attendant give_back(ann's hat)
    attendant call(ann)
    """
    check(text, log, tmp_path)


def test_4_immediately_after_what_nobody_can_tell_is_reported(tmp_path: Path) -> None:
    text = """decision wanted(i: Item): bool
rule 4.2
  attendant must strike(i) immediately after give_back(i) when wanted(i)
"""
    check(
        text, "guest deposit(ann's coat, 1, 500)\nattendant give_back(ann's coat) → undecided 4.2", tmp_path
    )


def test_4_a_duty_whose_act_is_not_recorded_never_pends(tmp_path: Path) -> None:
    log = """
    not recorded: ticket
    guest deposit(ann's coat, 1, 0)
    attendant call(bob) → broken 2.5(b); not checkable 2.5(a) (unrecorded ticket)
    """
    check(BOTH, log, tmp_path)


def test_4_a_duty_on_an_act_whose_order_is_not_recorded_is_judged_at_the_end_of_the_life_only(
    tmp_path: Path,
) -> None:
    text = BOTH + "rule 4.4\n  attendant must book(i) by end of evening when i.here and not i.booked\n"
    log = """
    order not recorded: book
    guest deposit(ann's coat, 1, 0)
    attendant call(bob) → broken 2.5(a); not checkable 2.5(b) (unrecorded the order of book)
    attendant close → broken 4.4; not checkable 2.5(b)
    """
    check(text, log, tmp_path)


# ------------------------------------------------------------------------------------------------- 5 history
def test_5_has_happened_and_has_not_happened_this_life(tmp_path: Path) -> None:
    text = "rule 4.3\n  guest must not surrender(i) when call(i.guest) has not happened this evening\n"
    log = """
    attendant call(bob)
    guest surrender(ann's coat) → broken 4.3
    attendant call(ann)
    guest surrender(ann's coat) → kept 4.3
    attendant close
    guest surrender(ann's coat) → broken 4.3
    """
    check(text, log, tmp_path)


def test_5_until_is_history_too(tmp_path: Path) -> None:
    text = "rule 4.3\n  guest g must not complain(g) until call(g) this evening\n"
    log = """
    guest complain(ann) → broken 4.3
    attendant call(ann)
    guest complain(ann) → kept 4.3
    guest complain(bob) → broken 4.3
    """
    check(text, log, tmp_path)


def test_5_a_constant_counts_only_such_events(tmp_path: Path) -> None:
    text = "rule 6.1\n  attendant must not call(any) when deposit(any, 3, any) has happened this evening\n"
    log = """
    guest deposit(ann's coat, 2, 0)
    attendant call(ann) → kept 6.1
    guest deposit(ann's hat, 3, 0)
    attendant call(ann) → broken 6.1
    """
    check(text, log, tmp_path)


def test_5_named_arguments_leave_the_others_open(tmp_path: Path) -> None:
    text = "rule 6.1\n  attendant must not call(any) when deposit(peg: 3) has happened this evening\n"
    log = "guest deposit(ann's hat, 3, 0)\nattendant call(ann) → broken 6.1"
    check(text, log, tmp_path)


def test_5_counts_are_kept_by_key(tmp_path: Path) -> None:
    text = "rule 5.5\n  guest must not complain(g) when number of (complain(g) this evening) >= 2\n"
    log = """
    guest complain(ann)
    guest complain(bob)
    guest complain(ann)
    guest complain(bob) → kept 5.5
    guest complain(ann) → broken 5.5
    """
    check(text, log, tmp_path)


def test_5_since_counts_from_the_reset_on(tmp_path: Path) -> None:
    text = "rule 5.5\n  guest must not complain(g) when number of (complain(g) since new_roll) >= 1\n"
    log = """
    guest complain(ann)
    guest complain(ann) → broken 5.5
    attendant new_roll
    guest complain(ann) → kept 5.5
    attendant close
    guest complain(ann) → broken 5.5
    """
    check(text, log, tmp_path)


def test_5_since_with_the_same_key_resets_that_key_only(tmp_path: Path) -> None:
    text = "rule 5.5\n  guest must not complain(g) when complain(g) has happened since call(g)\n"
    log = """
    guest complain(ann)
    guest complain(bob)
    attendant call(ann)
    guest complain(ann) → kept 5.5
    guest complain(bob) → broken 5.5
    """
    check(text, log, tmp_path)


def test_5_the_reset_comes_before_the_count(tmp_path: Path) -> None:
    text = (
        "rule 5.5\n  guest must not surrender(any) when number of (complain(any) since complain(any)) != 1\n"
    )
    log = """
    guest surrender(ann's coat) → broken 5.5
    guest complain(ann)
    guest surrender(ann's coat) → kept 5.5
    guest complain(bob)
    guest surrender(ann's coat) → kept 5.5
    """
    check(text, log, tmp_path)


def test_5_the_event_at_hand_is_not_yet_history(tmp_path: Path) -> None:
    text = "rule 6.1\n  guest must not complain(g) when complain(g) has happened this evening\n"
    check(text, "guest complain(ann) → kept 6.1\nguest complain(ann) → broken 6.1", tmp_path)


def test_5_one_latch_serves_all_who_ask_the_same(tmp_path: Path) -> None:
    text = """rule 6.1
  guest must not complain(g) when complain(g) has happened this evening
rule 6.3
  attendant must not call(g) when complain(g) has happened this evening
"""
    assert len(loaded(text, tmp_path).latches) == 1


def test_5_without_a_reset_yet_since_counts_from_the_beginning_of_the_log(tmp_path: Path) -> None:
    text = "rule 5.5\n  guest must not complain(g) when complain(g) has happened since new_roll\n"
    check(text, "guest complain(ann) → kept 5.5\nguest complain(ann) → broken 5.5", tmp_path)
