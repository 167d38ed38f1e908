"""What it means, point 15: breach."""

from __future__ import annotations

from pathlib import Path

import pytest
from language_bench import check, program, run

BREACH = """rule 2.5(a)
  attendant must ticket(i) at once when i.here and not i.ticket
rule 4.5
  guest may complain(any) when rule 2.5 has been broken SCOPE
"""


def test_15_a_breach_is_a_fact_that_a_later_rule_may_read(tmp_path: Path) -> None:
    log = """
    guest complain(ann) → broken 4.5
    guest deposit(ann's coat, 1, 0)
    guest complain(ann) → broken 4.5
    attendant call(bob) → broken 2.5(a)
    guest complain(ann) → kept 4.5
    attendant close
    guest complain(ann) → broken 4.5
    """
    check(BREACH.replace("SCOPE", "this evening"), log, tmp_path)


def test_15_a_breach_since_an_event(tmp_path: Path) -> None:
    log = """
    guest deposit(ann's coat, 1, 0)
    attendant call(bob) → broken 2.5(a)
    attendant close
    guest complain(ann) → kept 4.5
    attendant open
    guest complain(ann) → broken 4.5
    """
    check(BREACH.replace("SCOPE", "since open"), log, tmp_path)


def test_15_a_breach_of_another_clause_is_none_of_this(tmp_path: Path) -> None:
    text = BREACH.replace("SCOPE", "this evening") + "rule 2.7\n  anyone but attendant must not book(any)\n"
    check(text, "guest book(ann's coat) → broken 2.7\nguest complain(ann) → broken 4.5", tmp_path)


def test_15_what_is_undecided_is_no_breach(tmp_path: Path) -> None:
    text = "decision u: bool\n" + BREACH.replace("SCOPE", "this evening").replace("not i.ticket", "u")
    log = """
    guest deposit(ann's coat, 1, 0)
    attendant call(bob) → undecided 2.5(a)
    guest complain(ann) → broken 4.5
    """
    check(text, log, tmp_path)


def test_15_a_breach_that_the_log_cannot_show_is_unknown(tmp_path: Path) -> None:
    log = """
    not recorded: ticket
    guest deposit(ann's coat, 1, 0)
    attendant call(bob) → not checkable 2.5(a)
    guest complain(ann) → not checkable 4.5
    """
    check(BREACH.replace("SCOPE", "this evening"), log, tmp_path)


def test_15_answers_for_cites_a_second_clause_and_no_second_fault(tmp_path: Path) -> None:
    text = BREACH.split("rule 4.5")[0] + "rule 4.6\n  proprietor answers for 2.5(a)\n"
    core = program(text, tmp_path)
    assert core.answers == {"2.5(a)": (("proprietor", "4.6"),)}
    found = run(core, "guest deposit(ann's coat, 1, 0)\nattendant call(bob) → broken 2.5(a)")
    assert found.said == found.expected


def test_15_answers_for_a_clause_means_what_stands_under_it(tmp_path: Path) -> None:
    text = BREACH.split("rule 4.5")[0] + "rule 4.6\n  proprietor answers for 2.5\n"
    assert program(text, tmp_path).answers == {"2.5(a)": (("proprietor", "4.6"),)}


@pytest.mark.parametrize("named", ["section 2", "2", "2.0", "2.5", "2.5(a)"])
def test_15_what_stands_under_a_clause_is_read_off_the_outline(named: str, tmp_path: Path) -> None:
    """A section's rules do not begin with its number and a bracket."""
    text = BREACH.split("rule 4.5")[0] + f"rule 4.6\n  proprietor answers for {named}\n"
    assert program(text, tmp_path).answers == {"2.5(a)": (("proprietor", "4.6"),)}


@pytest.mark.parametrize("named", ["section 3", "3", "3.1", "3.1 [Coat]"])
def test_15_a_row_of_a_table_is_under_its_clause(named: str, tmp_path: Path) -> None:
    text = f"""rule 3.1 [Coat] "20 cents"
  fee(i) = 20 when i.article = coat
rule 4.5
  guest may complain(any) when rule {named} has been broken this evening
rule 4.6
  proprietor answers for {named}
"""
    log = """
    guest complain(ann) → broken 4.5
    guest deposit(ann's coat, 1, 0)
    guest pay_fee(ann's coat, 10) → broken 3.1 [Coat]
    guest complain(ann) → kept 4.5
    """
    check(text, log, tmp_path)
    assert program(text, tmp_path).answers == {"3.1 [Coat]": (("proprietor", "4.6"),)}
