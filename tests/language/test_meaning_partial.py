"""What it means, points 8 and 10, of logs that leave things out: what was not checked is neither kept nor broken."""

from __future__ import annotations

from pathlib import Path

import pytest
from language_bench import EXAMPLES, check, loaded, program

from verifier.check.engine import check as check_log
from verifier.check.engine import prepare
from verifier.model.values import Partial
from verifier.run.judge import Happening, Judge, Recording

HEADER = {"ruleset": "example", "currency": "NZD"}
COAT, HAT = ("ann", 0), ("ann", 1)


# ----------------------------------------------------------------------------------- what is no value is not written
LENT = """state evening
  lent: Peg?
  owed: Guest -> Peg
  last: Peg
event lend(p: Peg) by attendant
event put(guest: Guest) by guest
on lend(p)
  lent = p
on put(g)
  owed[g] = lent
  last = lent
  last = 3
rule 6.1
  guest must not complain(g) when owed[g] = 1 and last = 3
"""


def test_8_what_is_undefined_leaves_a_place_as_it_was(tmp_path: Path) -> None:
    check(LENT, "guest put(ann)\nguest complain(ann) → broken 6.1", tmp_path)


def test_8_what_is_defined_is_written(tmp_path: Path) -> None:
    log = "attendant lend(3)\nguest put(ann)\nguest complain(ann) → kept 6.1"
    check(LENT, log, tmp_path)


# ------------------------------------------------------------------------------------- what cannot have happened
TWICE = """state evening
  at: Peg
  line: list of Guest max 1
event set by attendant
event push(guest: Guest) by attendant
event clear by attendant
on set
  at = 2 when doors
  at = 3 when left > 50
on push(g)
  line gains g
on clear
  line = empty
rule 6.1
  attendant must not call(any) when at = 3
"""


def test_10_a_write_that_nobody_knows_of_clashes_with_none(tmp_path: Path) -> None:
    log = "not recorded: open\nattendant set\nattendant call(ann) → not checkable 6.1"
    check(TWICE, log, tmp_path)


def test_10_two_writes_that_the_log_tells_clash(tmp_path: Path) -> None:
    check(TWICE, "attendant open\nattendant set → impossible\nattendant call(ann) → kept 6.1", tmp_path)


def test_10_a_list_that_may_have_been_emptied_is_not_full(tmp_path: Path) -> None:
    check(TWICE, "not recorded: clear\nattendant push(ann)\nattendant push(bob)", tmp_path)
    check(TWICE, "order not recorded: clear\nattendant push(ann)\nattendant push(bob)", tmp_path)


def test_10_a_list_that_the_log_tells_is_full(tmp_path: Path) -> None:
    check(TWICE, "attendant push(ann)\nattendant push(bob) → impossible", tmp_path)


# ---------------------------------------------------------------------------------------- whom the log does not name
NONE = "rule 6.1\n  attendant must not close when none g in Guest: g in carded\n"
SOME = "rule 6.1\n  attendant must not close when some g in Guest: Item(g, hat).here\n"


def test_8_guests_whom_the_log_does_not_name_may_be_there(tmp_path: Path) -> None:
    check(NONE, "not recorded: show_card\nattendant close → not checkable 6.1", tmp_path)
    check(SOME, "not recorded: show_card\nattendant close → not checkable 6.1", tmp_path)


def test_8_a_guest_whom_it_names_settles_it(tmp_path: Path) -> None:
    log = "not recorded: show_card\nguest deposit(ann's hat, 1, 0)\nattendant close → broken 6.1"
    check(SOME, log, tmp_path)
    check(NONE, "attendant close → broken 6.1", tmp_path)


def test_8_what_is_called_may_settle_without_whom_the_log_does_not_name(tmp_path: Path) -> None:
    text = """rule 3.4
  define lenient(g: Guest): bool = doors and Item(g, hat).here
  guest g must complain(g) before close when lenient(g)
"""
    check(text, "not recorded: deposit\nattendant close", tmp_path)
    check(text, "not recorded: deposit\nattendant open\nattendant close → not checkable 3.4", tmp_path)


FIRST = """event note(item: Item) by guest
on note(i)
  new i
rule 6.1
  attendant must ticket(i) at once when not i.ticket
"""


def test_3_a_duty_to_what_the_log_does_not_name_may_be_done(tmp_path: Path) -> None:
    log = "not recorded: deposit\nguest note(ann's hat)\nattendant ticket(ann's coat) → not checkable 6.1"
    check(FIRST, log, tmp_path)
    log = "not recorded: deposit\nguest note(ann's hat)\nattendant call(ann) → broken 6.1 (skipped)"
    check(FIRST, log, tmp_path)


def test_3_a_duty_to_what_it_names_is_passed_over(tmp_path: Path) -> None:
    check(FIRST, "guest note(ann's hat)\nattendant ticket(ann's coat) → broken 6.1 (skipped)", tmp_path)


# --------------------------------------------------------------------------------------- values that it leaves out
def judged(text: str, folder: Path, *happenings: Happening) -> Judge:
    judge = Judge(program(text, folder), {}, Recording())
    for happening in happenings:
        judge.step(happening)
    return judge


def told(judge: Judge, rule: str) -> tuple[int, int, int]:
    """How often a rule was kept, broken, and not checkable."""
    tally = judge.bench.tally(rule)
    return tally.kept, tally.broken, tally.not_checkable


SINCE = "rule 5.5\n  guest must not complain(g) when complain(g) has happened since call(g)\n"


@pytest.mark.parametrize(("called", "expected"), [("ann", (2, 0, 0)), ("bob", (1, 1, 0)), (None, (1, 0, 1))])
def test_5_what_is_reckoned_from_an_event_with_nobody_named(
    called: str | None, expected: tuple[int, int, int], tmp_path: Path
) -> None:
    complain = Happening("complain", "guest", ("ann",))
    guest = Partial("guest") if called is None else called
    judge = judged(SINCE, tmp_path, complain, Happening("call", "attendant", (guest,)), complain)
    assert told(judge, "5.5") == expected


@pytest.mark.parametrize(("named", "expected"), [("ann", (0, 0, 0)), ("bob", (0, 1, 0)), (None, (0, 0, 1))])
def test_3_an_act_with_nobody_named_may_pass_over_every_duty(
    named: str | None, expected: tuple[int, int, int], tmp_path: Path
) -> None:
    text = """rule 3.4
  attendant must call(g) at once when g in carded and left = 100
rule 3.1
  attendant must ticket(i) at once when i.here and not i.ticket
"""
    deposited = Happening("deposit", "guest", (COAT, 1, 10))
    called = Happening("call", "attendant", (Partial("guest") if named is None else named,))
    judge = judged(text, tmp_path, Happening("show_card", "guest", ("ann",)), deposited, called)
    assert told(judge, "3.1") == expected


BEFORE = "rule 3.4\n  guest must pay_fee(i, any) before give_back(i) when i.here and not i.paid\n"


@pytest.mark.parametrize(("given", "expected"), [(COAT, (0, 1, 0)), (HAT, (0, 0, 0)), (None, (0, 0, 1))])
def test_4_a_deadline_with_nothing_named(
    given: tuple[str, int] | None, expected: tuple[int, int, int], tmp_path: Path
) -> None:
    item = Partial("item") if given is None else given
    judge = judged(
        BEFORE,
        tmp_path,
        Happening("deposit", "guest", (COAT, 1, 10)),
        Happening("give_back", "attendant", (item,)),
    )
    assert told(judge, "3.4") == expected


@pytest.mark.parametrize(("amount", "expected"), [(10, (1, 0, 0)), (9, (0, 1, 0)), (None, (0, 0, 1))])
def test_1_a_claim_with_no_amount(amount: int | None, expected: tuple[int, int, int], tmp_path: Path) -> None:
    paid = Partial("amount") if amount is None else amount
    judge = judged("rule 3.1\n  fee(i) = 10\n", tmp_path, Happening("pay_fee", "guest", (COAT, paid)))
    assert told(judge, "3.1") == expected


def test_2_every_permission_that_may_govern_an_act_is_not_checkable(tmp_path: Path) -> None:
    text = """rule 2.1
  guest may deposit(i where i.article = fur, any, any) when doors
rule 2.4
  guest may deposit(any, any, any) when left > 200
"""
    log = "not recorded: open\nguest deposit(ann's fur, 1, 0) → not checkable 2.1, 2.4"
    check(text, log, tmp_path)
    check(text, "guest deposit(ann's fur, 1, 0) → broken 2.1, 2.4", tmp_path)


# ------------------------------------------------------------------------------------------ breaches, and options
PAID = """rule 3.1
  fee(i) = 10
rule 2.5(a)
  attendant must ticket(i) at once when i.here and not i.ticket
rule 4.5
  guest must not complain(any) when rule 3.1 has been broken this evening
rule 5.5
  guest must not complain(any) when rule 2.5(a) has been broken since new_roll
"""


def test_15_a_breach_that_the_log_cannot_show(tmp_path: Path) -> None:
    check(PAID, "not recorded: pay_fee\nguest complain(ann) → not checkable 4.5, 5.5", tmp_path)
    check(PAID, "not recorded: call\nguest complain(ann) → kept 4.5; not checkable 5.5", tmp_path)
    check(PAID, "guest complain(ann) → kept 4.5, 5.5", tmp_path)


REROLLED = """state evening
  shut: bool
event shut by attendant
event reroll by attendant
on shut
  shut = yes
rule 4.5
  attendant must not reroll when shut
rule 5.5
  guest must not complain(any) when rule 4.5 has been broken since reroll
"""


def test_15_a_breach_by_the_very_event_that_it_is_reckoned_from(tmp_path: Path) -> None:
    """It counts from there on, and so does one of which nobody can tell."""
    log = "attendant shut\nattendant reroll → broken 4.5\nguest complain(ann) → broken 5.5"
    check(REROLLED, log, tmp_path)
    log = "attendant reroll → kept 4.5\nguest complain(ann) → kept 5.5"
    check(REROLLED, log, tmp_path)
    log = "attendant reroll → not checkable 4.5\nguest complain(ann) → not checkable 5.5"
    check(REROLLED, f"not recorded: shut\n{log}", tmp_path)


def test_15_a_breach_that_may_be_past(tmp_path: Path) -> None:
    log = "guest deposit(ann's hat, 1, 0)\nattendant call(ann) → broken 2.5(a)\nguest complain(ann) → "
    check(PAID, f"{log}broken 5.5; kept 4.5", tmp_path)
    check(PAID, f"not recorded: new_roll\n{log}not checkable 5.5; kept 4.5", tmp_path)


GAP = """option cap: 2..3
rule 6.2(a)
  liability(i) = pay when cap = 2
rule 6.3
  attendant must not book(i) when liability(i) = pay
"""


def test_8_a_gap_under_one_value_of_an_option_is_for_want_of_the_option(tmp_path: Path) -> None:
    check(GAP, "attendant book(ann's hat) → not checkable 6.3 (option cap)", tmp_path)
    check(GAP, "options: cap = 3\nattendant book(ann's hat) → undecided 6.3 (gap liability)", tmp_path)


def test_8_a_gap_under_all_its_values_is_a_gap(tmp_path: Path) -> None:
    text = GAP.replace("cap = 2", "cap = 2 and cap = 3")
    check(text, "attendant book(ann's hat) → undecided 6.3 (gap liability)", tmp_path)


# -------------------------------------------------------------------------------------------------- lives
CALLS = """state evening
  calls: 0..99
on call(g)
  calls = calls + 1
rule 6.1
  attendant must not call(any) when calls >= 1
"""


@pytest.mark.parametrize(
    ("records", "missing", "found"),
    [(["call"], ["at", "evening"], 0), (["call"], ["at"], 1), (["call", "close"], ["at", "evening"], 1)],
)
def test_9_a_life_of_which_neither_key_nor_end_is_recorded(
    records: list[str], missing: list[str], found: int, tmp_path: Path
) -> None:
    import yaml

    ready = prepare(loaded(CALLS, tmp_path), [EXAMPLES])
    header = {**HEADER, "records": records, "missing_columns": missing}
    log = tmp_path / "log.yaml"
    calls = ["attendant call guest=ann", "attendant call guest=ann"]
    log.write_text(yaml.safe_dump({**header, "events": calls}, sort_keys=False), "utf-8")
    assert check_log([log], ready).entries_total == found


def test_15_a_breach_by_an_end_that_is_not_recorded(tmp_path: Path) -> None:
    text = """rule 2.5(a)
  attendant must ticket(i) by end of roll when i.here and not i.ticket
rule 4.5
  guest must not complain(any) when rule 2.5(a) has been broken this evening
"""
    for endless, expected in ((frozenset({"roll"}), (0, 0, 1)), (frozenset[str](), (1, 0, 0))):
        judge = Judge(program(text, tmp_path), {}, Recording(endless=endless))
        judge.step(Happening("complain", "guest", ("ann",)))
        assert told(judge, "4.5") == expected


def test_8_who_was_met_before_the_log_may_be_there_when_its_lives_have_ended(tmp_path: Path) -> None:
    text = "rule 2.2\n  guest must not deposit(any, any, any) when every g in Guest: g in carded\n"
    for begun, expected in ((frozenset({"evening"}), (0, 0, 1)), (frozenset[str](), (0, 1, 0))):
        judge = Judge(program(text, tmp_path), {}, Recording(begun=begun))
        judge.step(Happening("close", "attendant", ()))
        judge.step(Happening("show_card", "guest", ("ann",)))
        judge.step(Happening("deposit", "guest", (COAT, 1, 0)))
        assert told(judge, "2.2") == expected


def test_9_a_list_that_began_before_the_log(tmp_path: Path) -> None:
    text = "rule 2.2\n  guest must not deposit(any, p, any) when Hook(p) has 2 articles or more\n"
    for begun, expected in ((frozenset({"evening"}), (0, 0, 3)), (frozenset[str](), (2, 1, 0))):
        judge = Judge(program(text, tmp_path), {}, Recording(begun=begun))
        for article in range(3):
            judge.step(Happening("deposit", "guest", (("ann", article), 1, 0)))
        assert told(judge, "2.2") == expected
