"""What it means, point 6: exceptions and the other edges, `apply`."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from language_bench import check, decided, problems, program

FIRST = "rule 6.2(a)\n  liability(i) = pay when i.worth > 0\n"
DEPOSIT = "guest deposit(ann's coat, 1, 100)\n"


# -------------------------------------------------------------------------------------------------- 6 edges
EDGES = {
    "except": "except 6.2(b)",
    "subject to": "subject to 6.2(b)",
    "unless": "unless 6.2(b)",
}


@pytest.mark.parametrize("edge", EDGES.values(), ids=EDGES.keys())
def test_6_an_exception_from_the_losers_end(edge: str, tmp_path: Path) -> None:
    text = f"""rule 6.2(a)
  {edge}
  liability(i) = pay when i.worth > 0
rule 6.2(b)
  liability(i) = nothing when i.worth > 50
"""
    assert decided(text, "liability", "ann's coat", tmp_path, DEPOSIT) == "nothing"
    assert decided(text, "liability", "ann's coat", tmp_path, DEPOSIT.replace("100", "50")) == "pay"


@pytest.mark.parametrize("edge", ["notwithstanding", "overrides"])
def test_6_an_exception_from_the_winners_end(edge: str, tmp_path: Path) -> None:
    text = FIRST + f"rule 6.2(b)\n  {edge} 6.2(a)\n  liability(i) = nothing when i.worth > 50\n"
    assert decided(text, "liability", "ann's coat", tmp_path, DEPOSIT) == "nothing"
    assert decided(text, "liability", "ann's coat", tmp_path, DEPOSIT.replace("100", "50")) == "pay"


def test_6_without_an_edge_the_two_conflict(tmp_path: Path) -> None:
    text = FIRST + "rule 6.2(b)\n  liability(i) = nothing when i.worth > 50\n"
    assert decided(text, "liability", "ann's coat", tmp_path, DEPOSIT) == ["conflict liability"]


def test_6_an_edge_to_a_chapeau_means_what_stands_under_it(tmp_path: Path) -> None:
    text = (
        FIRST
        + """rule 6.2(b)
  liability(i) = nothing when i.worth > 90
rule 6.3
  overrides 6.2
  liability(i) = void when i.lost
"""
    )
    log = DEPOSIT.replace("100", "80") + "proprietor find_lost(ann's coat)"
    assert decided(text, "liability", "ann's coat", tmp_path, log) == "void"


def test_6_a_clause_is_not_above_one_whose_number_it_begins(tmp_path: Path) -> None:
    text = """rule 6.1
  liability(i) = void
rule 6.10
  liability(i) = pay when i.lost
rule 6.3
  overrides 6.1
  liability(i) = nothing when i.worth > 0
"""
    log = DEPOSIT + "proprietor find_lost(ann's coat)"
    assert decided(text, "liability", "ann's coat", tmp_path, DEPOSIT) == "nothing"
    assert decided(text, "liability", "ann's coat", tmp_path, log) == ["conflict liability"]


def test_6_an_edge_to_a_section(tmp_path: Path) -> None:
    text = FIRST + "rule 5.5\n  overrides section 6\n  liability(i) = void when i.worth > 50\n"
    assert decided(text, "liability", "ann's coat", tmp_path, DEPOSIT) == "void"


def test_6_an_edge_of_a_chapeau_with_a_given_is_an_edge_of_what_stands_under_it(tmp_path: Path) -> None:
    text = """rule 6.2
  given i.worth > 0
  overrides 6.1
rule 6.2(a)
  liability(i) = pay when i.article = coat
rule 6.1
  liability(i) = nothing
"""
    assert decided(text, "liability", "ann's coat", tmp_path, DEPOSIT) == "pay"
    assert decided(text, "liability", "ann's hat", tmp_path, DEPOSIT) == "nothing"


LIKE = """rule 6.2(a)
  EDGE
  liability(i) = pay and rate(i) = 1 to 1 when i.worth > 0
rule 6.2(b)
  rate(i) = 3 to 2 when i.worth > 50
"""


def test_6_like_displaces_like(tmp_path: Path) -> None:
    text = LIKE.replace("  EDGE\n", "").replace("6.2(b)\n", "6.2(b)\n  overrides 6.2(a)\n")
    assert decided(text, "rate", "ann's coat", tmp_path, DEPOSIT) == Fraction(3, 2)
    assert decided(text, "liability", "ann's coat", tmp_path, DEPOSIT) == "pay"


def test_6_from_the_losers_end_an_effect_with_no_like_gives_way_to_any(tmp_path: Path) -> None:
    text = LIKE.replace("EDGE", "except 6.2(b)")
    assert decided(text, "rate", "ann's coat", tmp_path, DEPOSIT) == Fraction(3, 2)
    assert decided(text, "liability", "ann's coat", tmp_path, DEPOSIT) == ["gap liability"]
    text = LIKE.replace("EDGE", "except 6.2(b) for rate")
    assert decided(text, "liability", "ann's coat", tmp_path, DEPOSIT) == "pay"


def test_6_an_effect_without_a_like_is_displaced_by_any(tmp_path: Path) -> None:
    text = """rule 6.2(a)
  except 6.2(b)
  liability(i) = pay when i.worth > 0
rule 6.2(b)
  rate(i) = 3 to 2 when i.worth > 50
"""
    assert decided(text, "liability", "ann's coat", tmp_path, DEPOSIT) == ["gap liability"]
    assert decided(text, "liability", "ann's coat", tmp_path, DEPOSIT.replace("100", "50")) == "pay"


def test_6_the_winner_must_itself_apply(tmp_path: Path) -> None:
    text = """rule 6.2(a)
  except 6.2(b)
  liability(i) = pay
rule 6.2(b)
  given i.article = hat
  liability(i) = nothing when i.worth > 50
"""
    assert decided(text, "liability", "ann's coat", tmp_path, DEPOSIT) == "pay"
    assert decided(text, "liability", "ann's hat", tmp_path, DEPOSIT.replace("coat", "hat")) == "nothing"


def test_6_a_displaced_rule_displaces_nothing(tmp_path: Path) -> None:
    text = """rule 6.2(a)
  except 6.2(b)
  liability(i) = pay
rule 6.2(b)
  except 6.2(c)
  liability(i) = nothing when i.worth > 0
rule 6.2(c)
  liability(i) = pay when i.worth > 50
"""
    core = program(text, tmp_path)
    assert {(e.loser, e.winner) for e in core.ruleset.edges} == {
        ("6.2(a) #1", "6.2(b) #1"),
        ("6.2(b) #1", "6.2(c) #1"),
    }
    assert decided(text, "liability", "ann's coat", tmp_path, DEPOSIT) == "pay"
    assert decided(text, "liability", "ann's coat", tmp_path, DEPOSIT.replace("100", "10")) == "nothing"


def test_6_for_names_one_effect(tmp_path: Path) -> None:
    text = """rule 6.2(a)
  except 6.2(b) for rate
  liability(i) = pay and rate(i) = 1 to 1
rule 6.2(b)
  liability(i) = nothing and rate(i) = 3 to 2 when i.worth > 50
"""
    assert decided(text, "rate", "ann's coat", tmp_path, DEPOSIT) == Fraction(3, 2)
    assert decided(text, "liability", "ann's coat", tmp_path, DEPOSIT) == ["conflict liability"]


def test_6_an_edge_may_name_a_labelled_part(tmp_path: Path) -> None:
    text = """rule 6.1 [one]
  liability(i) = nothing when i.worth > 50
rule 6.1 [two]
  liability(i) = void when i.lost
rule 6.3
  except 6.1 [one]
  liability(i) = pay when i.worth > 0
"""
    log = DEPOSIT.replace("100", "10") + "proprietor find_lost(ann's coat)"
    assert decided(text, "liability", "ann's coat", tmp_path, DEPOSIT) == "nothing"
    assert decided(text, "liability", "ann's coat", tmp_path, log) == ["conflict liability"]


def test_6_an_unlinked_variable_is_some(tmp_path: Path) -> None:
    text = """rule 6.1
  unless 6.3
  guest must not complain(g) when true_for(g)
rule 6.3
  liability(i) = pay when i.worth > 50
define true_for(g: Guest): bool = every i in Item where i.guest = g: i.here
"""
    log = """
    guest complain(bob) → broken 6.1
    guest deposit(ann's coat, 1, 100)
    guest complain(bob) → kept 6.1
    """
    check(text, log, tmp_path)


def test_6_a_linked_variable_is_the_same(tmp_path: Path) -> None:
    text = """rule 6.1
  unless 6.3
  attendant must not book(i) when i.here
rule 6.3
  liability(i) = pay when i.worth > 50
"""
    log = """
    guest deposit(ann's coat, 1, 100)
    guest deposit(bob's coat, 1, 0)
    attendant book(bob's coat) → broken 6.1
    attendant book(ann's coat) → kept 6.1
    """
    check(text, log, tmp_path)


def test_6_acts_are_linked_through_their_arguments_whatever_the_names(tmp_path: Path) -> None:
    text = """rule 6.1
  except 6.3
  attendant must not book(i) when i.here
rule 6.3
  attendant may book(x) when x.worth > 50
"""
    log = """
    guest deposit(ann's coat, 1, 100)
    guest deposit(bob's coat, 1, 0)
    attendant book(bob's coat) → broken 6.1, 6.3
    attendant book(ann's coat) → kept 6.1, 6.3
    """
    check(text, log, tmp_path)


def test_6_a_duty_may_be_displaced(tmp_path: Path) -> None:
    text = """rule 2.5(a)
  except 6.1
  attendant must ticket(i) at once when i.here and not i.ticket
rule 6.1
  attendant must not ticket(i) when i.article = umbrella
"""
    log = """
    guest deposit(ann's brolly, 1, 0)
    attendant call(bob)
    guest deposit(ann's coat, 1, 0)
    attendant call(bob) → broken 2.5(a) (i = ann's coat)
    """
    check(text, log, tmp_path)


def test_6_unless_expressly_permitted(tmp_path: Path) -> None:
    text = """rule 2.3
  unless expressly permitted
  guest must not deposit(i, any, any) when i.article = fur
rule 2.4
  guest may deposit(i where i.article = fur, any, any) when i.guest in carded
"""
    log = """
    guest deposit(ann's fur, 1, 0) → broken 2.3, 2.4
    guest deposit(ann's coat, 1, 0) → kept 2.3
    guest show_card(ann)
    guest deposit(ann's fur, 1, 0) → kept 2.3, 2.4
    """
    check(text, log, tmp_path)


def test_6_unless_expressly_permitted_means_permissions_of_that_action_only(tmp_path: Path) -> None:
    text = """rule 2.3
  unless expressly permitted
  guest must not deposit(i, any, any) when i.article = fur
rule 2.4
  guest may complain(any)
"""
    check(text, "guest deposit(ann's fur, 1, 0) → broken 2.3", tmp_path)


def test_6_everything(tmp_path: Path) -> None:
    text = (
        FIRST
        + """rule 5.5
  notwithstanding everything
  liability(i) = void when i.lost
"""
    )
    log = DEPOSIT + "proprietor find_lost(ann's coat)"
    assert decided(text, "liability", "ann's coat", tmp_path, DEPOSIT) == "pay"
    assert decided(text, "liability", "ann's coat", tmp_path, log) == "void"


def test_6_everything_leaves_out_rules_that_say_everything(tmp_path: Path) -> None:
    text = """rule 5.5
  notwithstanding everything
  liability(i) = void when i.lost
rule 6.3
  notwithstanding everything
  liability(i) = nothing when i.worth > 50
"""
    log = DEPOSIT + "proprietor find_lost(ann's coat)"
    assert decided(text, "liability", "ann's coat", tmp_path, log) == ["conflict liability"]


def test_6_apply_stands_in_place_of_the_chapeaus_given(tmp_path: Path) -> None:
    text = """rule 5.1
  given i.article = coat
rule 5.1(a)
  liability(i) = pay when i.worth > 50
rule 5.1(b)
  liability(i) = nothing when i.worth <= 50
rule 5.3
  apply 5.1(a) to 5.1(b) where i.article = hat
"""
    assert decided(text, "liability", "ann's hat", tmp_path, DEPOSIT.replace("coat", "hat")) == "pay"
    assert decided(text, "liability", "ann's hat", tmp_path) == "nothing"
    assert decided(text, "liability", "ann's fur", tmp_path) == ["gap liability"]
    assert "5.3 #1 with 5.1(a)" in program(text, tmp_path).ruleset.units


APPLIED = """rule 5.1
  given i.article = coat
rule 5.1(a)
  except 5.1(b)
  liability(i) = pay when i.worth > 0
rule 5.1(b)
  liability(i) = nothing when i.worth > 50
rule 5.3
  apply 5.1(a) to 5.1(b) where i.article = hat
"""


def test_6_apply_brings_inner_exceptions_along(tmp_path: Path) -> None:
    log = DEPOSIT.replace("coat", "hat")
    assert decided(APPLIED, "liability", "ann's hat", tmp_path, log) == "nothing"
    assert decided(APPLIED, "liability", "ann's hat", tmp_path, log.replace("100", "10")) == "pay"


def test_6_an_edge_on_the_application_displaces_the_application_only(tmp_path: Path) -> None:
    text = APPLIED + "rule 5.4\n  overrides 5.3\n  liability(i) = void when i.worth > 0\n"
    assert decided(text, "liability", "ann's hat", tmp_path, DEPOSIT.replace("coat", "hat")) == "void"
    assert decided(text, "liability", "ann's coat", tmp_path, DEPOSIT) == ["conflict liability"]


def test_6_an_edge_on_the_clauses_applied_does_not_reach_the_application(tmp_path: Path) -> None:
    text = APPLIED + "rule 5.4\n  overrides 5.1\n  liability(i) = void when i.worth > 0\n"
    log = DEPOSIT.replace("coat", "hat")
    assert decided(text, "liability", "ann's coat", tmp_path, DEPOSIT) == "void"
    assert decided(text, "liability", "ann's hat", tmp_path, log) == ["conflict liability"]


def test_6_apply_keeps_the_meaning_of_otherwise(tmp_path: Path) -> None:
    text = """rule 5.1
  given i.article = coat
rule 5.1(a)
  liability(i) = pay when i.worth > 50
rule 5.1(b)
  liability(i) = nothing otherwise
rule 5.3
  apply 5.1(a) to 5.1(b) where i.article = hat
"""
    assert decided(text, "liability", "ann's coat", tmp_path, DEPOSIT) == "pay"
    assert decided(text, "liability", "ann's hat", tmp_path) == "nothing"
    assert decided(text, "liability", "ann's hat", tmp_path, DEPOSIT.replace("coat", "hat")) == "pay"


def test_6_an_exception_in_favour_of_the_otherwise_is_a_circle(tmp_path: Path) -> None:
    text = """rule 6.2(a)
  except 6.2(b)
  liability(i) = pay when i.worth > 50
rule 6.2(b)
  liability(i) = nothing otherwise
"""
    assert [p.code for p in problems(text, tmp_path)] == ["exception-cycle"]
