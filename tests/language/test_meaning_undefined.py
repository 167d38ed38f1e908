"""What it means, points 7 and 8: conflict and gap, undefined."""

from __future__ import annotations

from pathlib import Path

import pytest
from language_bench import check, decided, loaded, problems, program

from verifier.run.judge import Judge
from verifier.run.undefined import Undefined

FIRST = "rule 6.2(a)\n  liability(i) = pay when i.worth > 0\n"
DEPOSIT = "guest deposit(ann's coat, 1, 100)\n"


# ----------------------------------------------------------------------------------------- 7 conflict and gap
def test_7_different_values_conflict(tmp_path: Path) -> None:
    text = FIRST + "rule 6.3\n  liability(i) = nothing when i.here\n"
    assert decided(text, "liability", "ann's coat", tmp_path, DEPOSIT) == ["conflict liability"]


def test_7_the_same_value_is_no_conflict(tmp_path: Path) -> None:
    text = FIRST + "rule 6.3\n  liability(i) = pay when i.here\n"
    assert decided(text, "liability", "ann's coat", tmp_path, DEPOSIT) == "pay"


def test_7_the_same_amount_by_another_way_is_no_conflict(tmp_path: Path) -> None:
    text = (
        "rule 6.1\n  fee(i) = i.worth * (1 / 3) + i.worth * (1 / 6)\nrule 6.3\n  fee(i) = i.worth * 1 to 2\n"
    )
    assert decided(text, "fee", "ann's coat", tmp_path, DEPOSIT) == 50


def test_7_none_that_applies_is_a_gap_and_no_default(tmp_path: Path) -> None:
    assert decided(FIRST, "liability", "ann's coat", tmp_path) == ["gap liability"]


def test_7_otherwise_needs_a_clause_of_its_own_and_no_other_beside_it(tmp_path: Path) -> None:
    text = FIRST + "rule 6.2(c)\n  liability(i) = nothing otherwise\n"
    assert decided(text, "liability", "ann's coat", tmp_path) == "nothing"
    assert decided(text, "liability", "ann's coat", tmp_path, DEPOSIT) == "pay"


def test_7_otherwise_sees_only_the_rules_of_its_own_list(tmp_path: Path) -> None:
    text = "rule 6.1\n  liability(i) = pay\nrule 6.2(c)\n  liability(i) = nothing otherwise\n"
    assert decided(text, "liability", "ann's coat", tmp_path) == ["conflict liability"]


def test_7_otherwise_stands_back_only_for_rules_of_its_own_decision(tmp_path: Path) -> None:
    text = "rule 6.2(a)\n  rate(i) = 1 to 1\nrule 6.2(c)\n  liability(i) = nothing otherwise\n"
    assert decided(text, "liability", "ann's coat", tmp_path) == "nothing"


def test_7_nobody_smooths_a_gap_in_what_a_rule_reads(tmp_path: Path) -> None:
    text = FIRST + "rule 6.3\n  attendant must not book(i) when liability(i) = pay\n"
    check(text, "attendant book(ann's hat) → undecided 6.3 (gap liability)", tmp_path)


def test_7_nobody_smooths_a_conflict_in_what_a_rule_reads(tmp_path: Path) -> None:
    text = (
        FIRST
        + """rule 6.1
  liability(i) = nothing when i.here
rule 6.3
  attendant must not book(i) when liability(i) = pay
"""
    )
    log = DEPOSIT + "attendant book(ann's coat) → disputed 6.3, 6.2(a), 6.1 (conflict liability)"
    check(text, log, tmp_path)


# ---------------------------------------------------------------------------------------------- 8 undefined
TABLES = [
    ("u and no", False), ("no and u", False), ("u and yes", None), ("u and u", None),
    ("u or yes", True), ("yes or u", True), ("u or no", None), ("u or u", None), ("not u", None),
    ("u = yes", None), ("u != u", None), ("if u then yes else yes", None),
    ("some p in {1, 2}: p = 2 or u", True), ("some p in {1, 2}: p = 3 and u", False),
    ("some p in {1, 2}: u", None), ("some p in {1, 2} where u: p = 1", None),
    ("some p in {1, 2} where u: p = 3", False),
    ("every p in {1, 2}: p = 1 and u", False), ("every p in {1, 2}: p < 3 or u", True),
    ("every p in {1, 2}: u", None), ("every p in {1, 2} where u: p < 3", True),
    ("every p in {1, 2} where u: p = 1", None), ("none p in {1, 2}: u", None),
    ("none p in {1, 2}: p = 1 or u", False), ("none p in {1, 2}: p = 3 and u", True),
    ("number of (p in {1, 2} where u) = 0", None), ("1 in {2, 3} and u", False),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "expected"), TABLES, ids=[t[0] for t in TABLES])
def test_8_kleenes_tables(expression: str, expected: bool | None, tmp_path: Path) -> None:
    text = f"decision u: bool\ndefine told: bool = {expression}\n"
    judge = Judge(program(text, tmp_path), {})
    judge.machine.enter(judge.state)
    if expected is None:
        with pytest.raises(Undefined) as found:
            judge.machine.function("told", ())
        assert {r.kind for r in found.value.reasons} == {"gap"}
    else:
        assert judge.machine.function("told", ()) is expected


def test_8_a_part_of_what_is_absent_is_undefined_and_its_existence_is_not(tmp_path: Path) -> None:
    text = "rule 6.1\n  attendant must not book(i) when i.peg exists and i.peg = 1\n"
    check(
        text,
        "attendant book(ann's coat) → kept 6.1\n" + DEPOSIT + "attendant book(ann's coat) → broken 6.1",
        tmp_path,
    )
    text = """record Spot(peg: Peg, row: 1..2)
entity Shelf(no: 1..9) in evening written "shelf {no}"
  spot: Spot?
event dust(shelf: Shelf) by attendant
rule 6.1
  attendant must not dust(s) when s.spot.peg = 1
rule 6.3
  attendant must not dust(s) when s.spot exists and s.spot.peg = 1
"""
    check(text, "attendant dust(shelf 1) → not checkable 6.1 (absent part); kept 6.3", tmp_path)


def test_8_nothing_equals_what_is_absent(tmp_path: Path) -> None:
    text = """rule 6.1
  attendant must not book(i) when some j in Item where j != i: j.peg = i.peg
rule 6.3
  attendant must not book(i) when i.peg != 1
on surrender(i)
  new i
"""
    log = """
    guest surrender(ann's coat)
    guest surrender(ann's hat)
    attendant book(ann's coat) → kept 6.1; broken 6.3
    """
    check(text, log, tmp_path)


def test_8_an_order_with_what_is_absent_is_undefined(tmp_path: Path) -> None:
    text = "rule 6.1\n  attendant must not book(i) when i.peg < 3\n"
    log = """
    attendant book(ann's coat) → not checkable 6.1
    guest deposit(ann's coat, 2, 0)
    attendant book(ann's coat) → broken 6.1
    """
    check(text, log, tmp_path)


def test_8_the_value_of_an_optional_is_read_where_a_value_is_wanted(tmp_path: Path) -> None:
    text = """rule 6.1
  attendant must not book(any) when greatest (j.worth for j in Item where j.here) >= 100
rule 6.3
  attendant must not book(any) when (the first (j in Item where j.here)).worth + 1 > 100
"""
    log = """
    attendant book(ann's coat) → not checkable 6.1, 6.3
    guest deposit(ann's coat, 2, 100)
    attendant book(ann's coat) → broken 6.1, 6.3
    """
    check(text, log, tmp_path)


def test_8_unstated_options_are_tried_in_all_their_values(tmp_path: Path) -> None:
    text = """option limit: 3..4
rule 2.2
  guest must not deposit(i, any, any) when number of (j in Item where j.guest = i.guest) >= limit
"""
    log = """
    guest deposit(ann's coat, 1, 0) → kept 2.2
    guest deposit(ann's hat, 1, 0)
    guest deposit(ann's brolly, 1, 0) → kept 2.2
    guest deposit(ann's fur, 1, 0) → not checkable 2.2 (option limit)
    guest complain(ann)
    """
    check(text, log, tmp_path)
    check(
        text, "options: limit = 3\n" + log.replace("not checkable 2.2 (option limit)", "broken 2.2"), tmp_path
    )
    check(
        text, "options: limit = 4\n" + log.replace("not checkable 2.2 (option limit)", "kept 2.2"), tmp_path
    )


def test_8_an_option_broken_under_all_its_values_is_broken(tmp_path: Path) -> None:
    text = "option limit: 1..4\nrule 2.2\n  guest must not deposit(any, any, w) when w > limit\n"
    check(
        text,
        "guest deposit(ann's coat, 1, 5) → broken 2.2\nguest deposit(ann's hat, 1, 1) → kept 2.2",
        tmp_path,
    )


def test_8_a_default_is_a_statement(tmp_path: Path) -> None:
    text = "option limit: 1..4 = 2\nrule 2.2\n  guest must not deposit(any, any, w) when w > limit\n"
    check(text, "guest deposit(ann's coat, 1, 3) → broken 2.2", tmp_path)
    check(text, "options: limit = 3\nguest deposit(ann's coat, 1, 3) → kept 2.2", tmp_path)


@pytest.mark.parametrize(("last", "verdict"), [(8, "kept 2.2"), (9, "not checkable 2.2")])
def test_8_up_to_64_combinations_are_tried(last: int, verdict: str, tmp_path: Path) -> None:
    text = f"""option a: 1..8
option b: 1..{last}
rule 2.2
  guest must not deposit(any, any, w) when w > a + b
"""
    check(text, f"guest deposit(ann's coat, 1, 1) → {verdict}", tmp_path)


def test_8_an_option_of_money_is_not_tried(tmp_path: Path) -> None:
    text = "option limit: money\nrule 2.2\n  guest must not deposit(any, any, w) when w > limit\n"
    check(text, "guest deposit(ann's coat, 1, 0) → not checkable 2.2 (option limit)", tmp_path)


def test_8_an_option_that_only_another_brings_up_is_tried_too(tmp_path: Path) -> None:
    text = """option strict: bool
option limit: 1..4
rule 2.2
  guest must not deposit(any, any, w) when w > (if strict then limit else 4)
"""
    check(
        text,
        "guest deposit(ann's coat, 1, 1) → kept 2.2\nguest deposit(ann's hat, 1, 5) → broken 2.2",
        tmp_path,
    )


def test_8_a_claim_that_needs_an_option_is_not_checkable(tmp_path: Path) -> None:
    text = "option cap: money\nrule 6.1\n  fee(i) = cap\n"
    check(text, "guest pay_fee(ann's coat, 10) → not checkable 6.1 (option cap)", tmp_path)
    check(text, "options: cap = 10\nguest pay_fee(ann's coat, 10) → kept 6.1", tmp_path)


def test_8_rules_that_speak_of_something_else_are_not_among_those_that_cannot_be_checked(
    tmp_path: Path,
) -> None:
    """The coat's fee hangs on the option; the rules on hats and furs have nothing to do with it."""
    text = """option cap: money
rule 6.1
  fee(i) = cap when i.article = coat
rule 6.3
  fee(i) = 5 when i.article = hat
rule 6.4
  fee(i) = 9 when i.article = fur and cap > 20
"""
    log = """
    guest pay_fee(ann's coat, 10) → not checkable 6.1 (option cap)
    guest pay_fee(ann's hat, 5) → kept 6.3
    guest pay_fee(ann's fur, 9) → not checkable 6.4 (option cap)
    """
    check(text, log, tmp_path)


def test_8_a_claim_kept_or_broken_under_all_options_cites_its_rules(tmp_path: Path) -> None:
    text = """option cap: {10, 20}
rule 6.1
  fee(i) = i.worth when cap = 10
rule 6.3
  fee(i) = i.worth when cap = 20
"""
    log = """
    guest pay_fee(ann's coat, 0) → kept 6.1, 6.3
    guest pay_fee(ann's coat, 1) → broken 6.1, 6.3
    """
    check(text, log, tmp_path)


def test_8_what_the_log_does_not_record_is_undefined(tmp_path: Path) -> None:
    text = """rule 6.1
  attendant must not call(any) when doors
rule 6.3
  attendant must not call(g) when complain(g) has happened this evening
rule 6.4
  attendant must not call(any) when left < 50
"""
    log = """
    not recorded: close, complain
    attendant call(ann) → not checkable 6.1 (unrecorded close), 6.3; kept 6.4
    """.replace("6.1 (unrecorded close), 6.3", "6.1, 6.3 (unrecorded close, unrecorded complain)")
    check(text, log, tmp_path)


def test_8_what_is_false_anyhow_needs_no_record(tmp_path: Path) -> None:
    text = "rule 6.1\n  attendant must not call(any) when doors and left < 50\n"
    check(text, "not recorded: close\nattendant call(ann) → kept 6.1", tmp_path)


def test_8_what_an_unrecorded_event_brings_into_being_is_unknown(tmp_path: Path) -> None:
    text = "rule 6.1\n  attendant must not call(any) when none i in Item: i.guest = i.guest\n"
    check(
        text, "not recorded: deposit\nattendant call(ann) → not checkable 6.1 (unrecorded deposit)", tmp_path
    )


def test_8_a_table_has_no_row_for_what_is_out_of_its_range(tmp_path: Path) -> None:
    text = """state evening
  at: Peg = 5
on call(g)
  at = at + 1
rule 6.1
  attendant must not call(any) when table (at) { 1: 0; 2: 0; 3: 0; 4: 0; 5: 0; 6: 1 } = 1
"""
    log = "attendant call(ann) → kept 6.1\nattendant call(ann) → broken 6.1\nattendant call(ann) → not checkable 6.1"
    check(text, log, tmp_path)


def test_8_an_element_needs_its_guard(tmp_path: Path) -> None:
    bad = "rule 6.1\n  attendant must not call(any) when Hook(1).articles[1].article = fur\n"
    assert [p.code for p in problems(bad, tmp_path)] == ["unguarded-index"]
    good = bad.replace("when ", "when Hook(1) has 1 article or more and ")
    check(
        good,
        "attendant call(ann) → kept 6.1\nguest deposit(ann's fur, 1, 0)\nattendant call(ann) → broken 6.1",
        tmp_path,
    )


def test_8_a_guard_counts_only_where_it_holds(tmp_path: Path) -> None:
    for guard in (
        "not Hook(1) has 1 article or more and",
        "Hook(1) has 1 article or fewer and",
        "Hook(2) has 1 article or more and",
        "Hook(1) has 1 article or more or",
    ):
        bad = f"rule 6.1\n  attendant must not call(any) when {guard} Hook(1).articles[1].article = fur\n"
        assert [p.code for p in problems(bad, tmp_path)] == ["unguarded-index"], guard


def test_8_a_given_is_a_guard_for_what_stands_under_it(tmp_path: Path) -> None:
    text = """decision scent(h: Hook): bool
rule 6.2
  given h has 2 articles
rule 6.2(a)
  scent(h) = yes when h.articles[2].article = fur
"""
    assert loaded(text, tmp_path).units["6.2(a) #1"]
