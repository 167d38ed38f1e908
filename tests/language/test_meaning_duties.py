"""What it means, points 3 and 4: duties at once, duties with deadlines."""

from __future__ import annotations

from pathlib import Path

from language_bench import check

BOTH = """rule 2.5(a)
  attendant must ticket(i) at once when i.here and not i.ticket
rule 2.5(b)
  attendant must book(i) at once when i.here and not i.booked
"""


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


def test_3_acts_of_one_kind_need_not_stand_beside_each_other(tmp_path: Path) -> None:
    text = (
        "rule 2.6\n  guest must pay_fee(i, 10) or complain(i.guest) or pay_fee(i, 20)"
        " before give_back(i) when i.here and not i.paid\n"
    )
    log = """
    guest deposit(ann's coat, 1, 0)
    attendant give_back(ann's coat) → broken 2.6 (late)
    guest deposit(bob's coat, 1, 0)
    guest complain(bob) → kept 2.6
    """
    check(text, log, tmp_path)


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


def test_4_immediately_after_permits_its_act_only_once_the_event_has_happened(tmp_path: Path) -> None:
    text = """rule 4.2
  attendant must strike(i) immediately after give_back(i) when i.worth >= 500 and i.here
rule 4.3
  attendant may strike(i) when i.worth = 7
"""
    log = """
    guest deposit(ann's coat, 1, 500)
    attendant strike(ann's coat) → broken 4.3 (not permitted)
    attendant give_back(ann's coat)
    attendant strike(ann's coat) → kept 4.2
    guest deposit(ann's hat, 1, 500)
    attendant give_back(ann's hat)
    attendant call(ann) → broken 4.2 (skipped)
    attendant strike(ann's hat) → broken 4.3 (not permitted)
    """
    check(text, log, tmp_path)


def test_4_what_is_perhaps_due_immediately_after_is_perhaps_permitted(tmp_path: Path) -> None:
    text = """decision wanted(i: Item): bool
rule 4.2
  attendant must strike(i) immediately after give_back(i) when wanted(i)
rule 4.3
  attendant may strike(i) when i.worth = 7
"""
    log = """
    guest deposit(ann's coat, 1, 500)
    attendant give_back(ann's coat) → undecided 4.2
    attendant strike(ann's coat) → undecided 4.3
    attendant strike(ann's coat) → broken 4.3 (not permitted)
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


# ------------------------------------------------------------------------------------------ the amount of an act
TIP = """state evening
  tipped: set of Guest
event tip(guest: Guest, amount: money) by guest
  claims {claim}
on tip(g, a)
  tipped gains g when a > 0
rule 6.1
  guest must tip(g, 5) at once when g in carded and g not in tipped
"""


def test_a_claim_that_says_no_amount_judges_none(tmp_path: Path) -> None:
    text = TIP.format(claim="doors and amount >= 1")
    log = """
    attendant open
    guest show_card(ann)
    guest tip(ann, 1) → broken 6.1 (skipped)
    guest show_card(bob)
    guest tip(bob, 5) → kept 6.1
    """
    check(text, log, tmp_path)


def test_an_amount_as_claimed_that_is_not_the_one_demanded_performs_nothing(tmp_path: Path) -> None:
    text = TIP.format(claim="amount = fee(Item(guest, hat))") + "rule 3.1\n  fee(i) = 3\n"
    log = """
    guest show_card(ann)
    guest tip(ann, 3) → broken 6.1 (skipped)
    """
    check(text, log, tmp_path)


def test_a_wrong_amount_is_one_fault_that_the_claim_finds(tmp_path: Path) -> None:
    text = TIP.format(claim="amount = fee(Item(guest, hat))") + "rule 3.1\n  fee(i) = 5\n"
    log = """
    guest show_card(ann)
    guest tip(ann, 4) → broken 3.1 (settlement)
    guest show_card(bob)
    guest tip(bob, 5) → kept 6.1, 3.1
    """
    check(text, log, tmp_path)


# --------------------------------------------------------------------------------- ended by another amount
PLEDGE = """state evening
  pledged: Guest -> money
event pledge(guest: Guest, amount: money) by guest
on pledge(g, a)
  pledged[g] = pledged[g] + a
rule 6.1
  guest must pledge(g, {amount}) before complain(g) when g in carded and pledged[g] {short}
"""


def test_4_what_ends_a_duty_by_another_amount_breaks_it_there_and_then(tmp_path: Path) -> None:
    log = """
    guest show_card(ann)
    guest pledge(ann, 30) → kept 6.1
    guest complain(ann)
    guest show_card(bob)
    guest pledge(bob, 20) → broken 6.1 (otherwise, g = bob)
    guest complain(bob)
    guest pledge(cat, 20)
    """
    check(PLEDGE.format(amount=30, short="= 0"), log, tmp_path)


def test_4_another_amount_that_leaves_the_duty_pending_breaks_nothing(tmp_path: Path) -> None:
    log = """
    guest show_card(ann)
    guest pledge(ann, 20)
    guest complain(ann) → broken 6.1 (late)
    guest show_card(bob)
    guest pledge(bob, 20)
    guest pledge(bob, 30) → kept 6.1
    guest complain(bob)
    """
    check(PLEDGE.format(amount=30, short="< 30"), log, tmp_path)


def test_4_an_amount_that_may_be_any_ends_a_duty_well(tmp_path: Path) -> None:
    log = """
    guest show_card(ann)
    guest pledge(ann, 20) → kept 6.1
    guest complain(ann)
    """
    check(PLEDGE.format(amount="any", short="= 0"), log, tmp_path)


def test_4_by_end_of_is_ended_by_another_amount_too_and_by_either_that_it_demands(tmp_path: Path) -> None:
    text = PLEDGE.split("rule")[0] + (
        "rule 6.1\n  guest must pledge(g, 30) or pledge(g, 50) by end of evening "
        "when g in carded and pledged[g] = 0\n"
    )
    log = """
    guest show_card(ann)
    guest pledge(ann, 50) → kept 6.1
    guest show_card(bob)
    guest pledge(bob, 40) → broken 6.1 (otherwise)
    guest show_card(cat)
    guest pledge(cat, 30) → kept 6.1
    attendant close
    """
    check(text, log, tmp_path)


def test_4_what_others_do_ends_no_duty_otherwise(tmp_path: Path) -> None:
    text = PLEDGE.format(amount=30, short="= 0").replace("by guest", "by guest | attendant")
    log = """
    guest show_card(ann)
    attendant pledge(ann, 20)
    guest complain(ann)
    """
    check(text, log, tmp_path)


def test_4_nobody_can_tell_of_a_duty_that_may_not_be_pending(tmp_path: Path) -> None:
    text = "option strict: bool\n" + PLEDGE.format(amount=30, short="= 0 and strict")
    log = """
    guest show_card(ann)
    guest pledge(ann, 20) → not checkable 6.1 (option strict)
    guest pledge(ann, 20)
    """
    check(text, log, tmp_path)


def test_4_who_pays_in_parts_breaks_a_duty_of_the_whole_with_the_last(tmp_path: Path) -> None:
    log = """
    guest show_card(ann)
    guest pledge(ann, 10)
    guest pledge(ann, 20) → {said}
    guest complain(ann)
    """
    check(PLEDGE.format(amount=30, short="< 30"), log.format(said="broken 6.1 (otherwise)"), tmp_path)
    check(PLEDGE.format(amount="any", short="< 30"), log.format(said="kept 6.1"), tmp_path)


def test_4_what_is_paid_in_no_known_order_is_not_told_to_end_a_duty_well(tmp_path: Path) -> None:
    text = PLEDGE.split("rule")[0] + (
        "rule 6.1\n  guest must pledge(g, 30) by end of evening when g in carded and pledged[g] = 0\n"
    )
    log = """
    order not recorded: pledge
    guest show_card(bob)
    guest pledge(bob, 20) → not checkable 6.1 (unrecorded the order of pledge)
    attendant close → not checkable 6.1
    """
    check(text, log, tmp_path)
