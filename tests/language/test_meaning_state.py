"""What it means, points 9 to 14: time, mechanics, decisions on decisions, folds, arithmetic, chance."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from language_bench import check, loaded, problems, program, run


def told(text: str, folder: Path, log: str = "") -> Any:
    """What the define `told` comes to after a log."""
    judge = run(program(text, folder), log).judge
    judge.machine.enter(judge.state)
    return judge.machine.function("told", ())


# --------------------------------------------------------------------------------------------------- 9 time
def test_9_names_mean_the_state_before_the_event(tmp_path: Path) -> None:
    text = "rule 6.1\n  attendant must not open when doors\n"
    check(text, "attendant open → kept 6.1\nattendant open → broken 6.1", tmp_path)


def test_9_after_means_the_state_that_the_event_leaves(tmp_path: Path) -> None:
    text = "rule 2.2\n  guest must not deposit(any, p, any) when after(Hook(p) has 3 articles or more)\n"
    log = """
    guest deposit(ann's coat, 1, 0)
    guest deposit(ann's hat, 1, 0) → kept 2.2
    guest deposit(ann's fur, 1, 0) → broken 2.2
    """
    check(text, log, tmp_path)


def test_9_after_reads_defines_and_decisions_in_the_later_state_too(tmp_path: Path) -> None:
    text = """define many: bool = left < 99
decision few: bool
rule 6.3
  few = not_many
define not_many: bool = not many
rule 6.1
  attendant must not ticket(any) when after(many) and not many
rule 6.4
  attendant must not ticket(any) when not after(few) and few
"""
    log = """
    attendant ticket(ann's coat) → kept 6.1, 6.4
    attendant ticket(ann's hat) → broken 6.1, 6.4
    attendant ticket(ann's fur) → kept 6.1, 6.4
    """
    check(text, log, tmp_path)


def test_9_after_belongs_where_an_event_is_judged(tmp_path: Path) -> None:
    for bad in (
        "rule 2.5(a)\n  attendant must ticket(i) at once when after(i.here) and not i.ticket\n",
        "rule 6.2(a)\n  liability(i) = pay when after(i.here)\n",
    ):
        found = problems(bad, tmp_path)
        assert [p.code for p in found] == ["after"]
        assert found[0].line is not None


def test_9_a_life_resets_only_its_own_state(tmp_path: Path) -> None:
    core = program("rule 6.1\n  attendant must not call(any) when left < 99\n", tmp_path)
    log = """
    attendant open
    guest deposit(ann's coat, 1, 0)
    attendant ticket(ann's coat)
    attendant ticket(ann's coat)
    attendant close
    attendant call(ann) → broken 6.1
    attendant new_roll
    attendant call(ann) → kept 6.1
    """
    found = run(core, log)
    assert found.said == found.expected
    assert found.judge.state.entities["Item"] == {}


def test_9_lives_need_not_nest(tmp_path: Path) -> None:
    text = "rule 6.1\n  attendant must not call(any) when doors and left = 100\n"
    log = """
    attendant open
    attendant ticket(ann's coat)
    attendant call(ann) → kept 6.1
    attendant new_roll
    attendant call(ann) → broken 6.1
    attendant ticket(ann's coat)
    attendant close
    attendant open
    attendant call(ann) → kept 6.1
    """
    check(text, log, tmp_path)


def test_9_a_life_is_reset_after_judging_and_mechanics(tmp_path: Path) -> None:
    text = """state evening
  last_call: bool
on close
  last_call = yes
rule 6.1
  attendant must not close when left < 100
rule 6.3
  attendant must not open when last_call
"""
    log = """
    attendant ticket(ann's coat)
    attendant close → broken 6.1
    attendant open → kept 6.3
    """
    check(text, log, tmp_path)


def test_9_one_event_may_end_two_lives(tmp_path: Path) -> None:
    text = """life shift ends close
state shift
  busy: bool
on call(g)
  busy = yes
rule 6.1
  attendant must not call(any) when busy or doors
"""
    log = """
    attendant call(ann)
    attendant call(ann) → broken 6.1
    attendant open
    attendant close
    attendant call(ann) → kept 6.1
    """
    check(text, log, tmp_path)


# --------------------------------------------------------------------------------------------- 10 mechanics
SWAP = """state evening
  first: 0..9 = 1
  second: 0..9 = 2
event swap by attendant
on swap
  first = second
  second = first
"""


def test_10_all_updates_read_the_state_before_and_apply_together(tmp_path: Path) -> None:
    assert told(SWAP + "define told: bool = first = 2 and second = 1\n", tmp_path, "attendant swap") is True


def test_10_bodies_in_two_modules_or_blocks_apply_together(tmp_path: Path) -> None:
    text = SWAP + "event turn by attendant\non turn\n  first = second\non turn\n  second = first\n"
    text += "define told: bool = first = 2 and second = 1\n"
    assert told(text, tmp_path, "attendant turn") is True


def test_10_two_different_writes_cannot_be(tmp_path: Path) -> None:
    text = (
        "state evening\n  n: 0..9\nevent set(a: Peg, b: Peg) by attendant\non set(a, b)\n  n = a\n  n = b\n"
    )
    log = "attendant set(3, 3)\nattendant set(1, 2) → impossible\nattendant set(4, 4)"
    check(text, log, tmp_path)
    text += "define told: bool = n = 3\n"
    assert told(text, tmp_path, "attendant set(3, 3)\nattendant set(1, 2) → impossible") is True


def test_10_writes_to_two_places_are_no_clash(tmp_path: Path) -> None:
    text = """state evening
  at: Guest -> Peg
event put(a: Guest, b: Guest, p: Peg, q: Peg) by attendant
on put(a, b, p, q)
  at[a] = p
  at[b] = q
"""
    log = """
    attendant put(ann, bob, 1, 2)
    attendant put(ann, ann, 1, 1)
    attendant put(ann, ann, 1, 2) → impossible
    """
    check(text, log, tmp_path)


def test_10_what_an_event_needs(tmp_path: Path) -> None:
    text = "state evening\n  sold: bool\nevent sell by attendant\n  needs not sold\non sell\n  sold = yes\n"
    check(text, "attendant sell\nattendant sell → impossible\nattendant close\nattendant sell", tmp_path)


def test_10_a_list_holds_no_more_than_its_bound(tmp_path: Path) -> None:
    log = """
    guest deposit(ann's coat, 1, 0)
    guest deposit(ann's hat, 1, 0)
    guest deposit(ann's fur, 1, 0)
    guest deposit(bob's fur, 1, 0)
    guest deposit(cid's fur, 1, 0) → impossible
    """
    text = "define told: bool = Hook(1) has 4 articles and none i in Item: i.guest != i.guest\n"
    check(text, log, tmp_path)
    assert told(text, tmp_path, log) is True


def test_10_an_event_that_cannot_be_applied_leaves_state_and_history_as_they_are(tmp_path: Path) -> None:
    text = """state evening
  sold: bool
event sell by attendant
  needs not sold
on sell
  sold = yes
define told: bool = number of (sell this evening) = 1
"""
    assert told(text, tmp_path, "attendant sell\nattendant sell → impossible") is True


def test_10_new_is_idempotent(tmp_path: Path) -> None:
    text = "define told: bool = number of (i in Item) = 2\n"
    log = "guest deposit(ann's coat, 1, 0)\nguest deposit(ann's hat, 1, 0)\nguest deposit(ann's coat, 1, 5)"
    assert told(text, tmp_path, log) is True


def test_10_what_is_written_to_but_not_new_does_not_exist(tmp_path: Path) -> None:
    text = "define told: bool = number of (i in Item) = 1 and some i in Item: i.lost and i.here\n"
    log = "proprietor find_lost(ann's coat)\nproprietor find_lost(ann's hat)\nguest deposit(ann's coat, 1, 0)"
    assert told(text, tmp_path, log) is True


def test_10_a_reference_never_touched_has_first_values(tmp_path: Path) -> None:
    text = "rule 6.1\n  attendant must not book(i) when not i.here and i.worth = 0\n"
    check(text, "attendant book(ann's coat) → broken 6.1", tmp_path)


def test_10_equality_of_references_is_identity(tmp_path: Path) -> None:
    text = "rule 6.1\n  attendant must not book(i) when i = Item(i.guest, coat)\n"
    check(text, "attendant book(ann's coat) → broken 6.1\nattendant book(ann's hat) → kept 6.1", tmp_path)


def test_10_when_and_for_each(tmp_path: Path) -> None:
    text = """on complain(g)
  for each i in Item where i.guest = g: i.lost = yes when i.worth > 5
define told: bool = (every i in Item where i.lost: i.worth = 10) and some i in Item: i.lost
"""
    log = (
        "guest deposit(ann's coat, 1, 10)\nguest deposit(ann's hat, 1, 1)\nguest deposit(bob's hat, 1, 10)\n"
    )
    assert told(text, tmp_path, log + "guest complain(ann)") is True


@pytest.mark.parametrize(
    ("on", "lost"),
    [
        ("on complain(i)\n  for each i in Item: i.lost = yes when i.worth > 5", 2),
        (
            "on complain(g)\n  for each guest in Item where guest.guest = g: guest.lost = yes when guest.worth > 5",
            1,
        ),
        ("on complain(g)\n  for each item in Item where item.guest = g: item.worth = item.worth + 1", 0),
    ],
    ids=["called as the event's is here", "called as the event's is there", "called as nothing else is"],
)
def test_10_what_for_each_binds_is_its_own_whatever_it_is_called(on: str, lost: int, tmp_path: Path) -> None:
    text = f"{on}\ndefine told: 0..9 = number of (i in Item where i.lost)\n"
    log = "guest deposit(ann's coat, 1, 10)\nguest deposit(bob's hat, 1, 10)\n"
    assert told(text, tmp_path, log + "guest complain(ann)") == lost


@pytest.mark.parametrize("value", ["cap > 1", "fee(i) > 1"], ids=["option", "decision"])
def test_10_mechanics_read_neither_options_nor_decisions(value: str, tmp_path: Path) -> None:
    text = f"option cap: 1..4\non call(g)\n  for each i in Item: i.lost = {value}\n"
    assert [p.code for p in problems(text, tmp_path)] == ["mechanics"]


@pytest.mark.parametrize("value", ["cap > 1", "fee(i) > 1"], ids=["option", "decision"])
def test_10_mechanics_read_neither_through_a_define(value: str, tmp_path: Path) -> None:
    text = f"""option cap: 1..4
define high(i: Item): bool = {value}
on call(g)
  for each i in Item: i.lost = high(i)
"""
    assert [p.code for p in problems(text, tmp_path)] == ["mechanics"]


@pytest.mark.parametrize("value", ["cap > 1", "fee(item) > 1"], ids=["option", "decision"])
def test_10_what_an_event_needs_reads_neither_options_nor_decisions(value: str, tmp_path: Path) -> None:
    text = f"option cap: 1..4\nevent sell(item: Item) by guest\n  needs {value}\n"
    assert [p.code for p in problems(text, tmp_path)] == ["mechanics"]


def test_10_after_a_breach_the_replay_goes_on_with_what_was_logged(tmp_path: Path) -> None:
    text = "rule 2.1\n  guest may deposit(any, any, any) when doors\n"
    log = "guest deposit(ann's coat, 1, 0) → broken 2.1"
    assert told(text + "define told: bool = some i in Item: i.here\n", tmp_path, log) is True


# ---------------------------------------------------------------------------------- 11 decisions on decisions
OTHER = """rule 6.2(a)
  given i.article = coat
  liability(i) = void when i.worth = 0
  liability(i) = pay when i.worth > 0
rule 5.4
  given i.article = hat
  liability(i) = void when some j in Item: j.guest = i.guest and j.article = coat and liability(j) = void
"""


def test_11_a_decision_may_read_itself_for_another_kind(tmp_path: Path) -> None:
    text = (
        OTHER
        + """rule 6.1
  attendant must not book(i) when liability(i) = void
"""
    )
    log = """
    guest deposit(ann's coat, 1, 0)
    guest deposit(bob's coat, 1, 10)
    attendant book(ann's coat) → broken 6.1
    attendant book(ann's hat) → broken 6.1
    attendant book(bob's coat) → kept 6.1
    attendant book(bob's hat) → undecided 6.1 (gap liability)
    """
    check(text, log, tmp_path)


def test_11_a_decision_that_reads_itself_for_the_same_kind_goes_in_a_circle(tmp_path: Path) -> None:
    text = OTHER.replace("j.article = coat and ", "")
    found = problems(text, tmp_path)
    assert [p.code for p in found] == ["circle"]
    assert found[0].excerpt is not None


CARED = """decision cared(a: Article): bool
rule 6.2(a)
  cared(a) = yes when a = coat and doors
  cared(a) = no when a = coat and not doors
rule 5.4
  cared(a) = no when a = hat and cared(coat) = yes
  cared(a) = yes when a = hat and cared(coat) = no
define hats: bool = cared(hat)
"""


def test_11_an_argument_that_is_itself_of_an_enumeration_takes_a_decision_apart(tmp_path: Path) -> None:
    assert told(CARED + "define told: bool = hats\n", tmp_path, "") is True
    turned = CARED.replace("a = coat and doors", "a = coat and cared(hat) = yes")
    assert [p.code for p in problems(turned, tmp_path)] == ["circle"]
    unparted = CARED.replace("a = hat and ", "")
    assert [p.code for p in problems(unparted, tmp_path)] == ["circle"]


def test_11_a_define_without_parameters_is_read_as_what_it_stands_for(tmp_path: Path) -> None:
    text = (
        CARED.replace("cared(coat)", "cared(best)")
        + "define best: Article = coat\ndefine told: bool = hats\n"
    )
    assert told(text, tmp_path, "") is True
    worst = text.replace("define best: Article = coat", "define best: Article = hat")
    assert [p.code for p in problems(worst, tmp_path)] == ["circle"]


def test_11_two_decisions_that_read_each_other_go_in_a_circle(tmp_path: Path) -> None:
    text = """rule 6.1
  liability(i) = pay when rate(i) = 1 to 1
rule 6.3
  rate(i) = 1 to 1 when liability(i) = pay
"""
    assert [p.code for p in problems(text, tmp_path)] == ["circle"]


def test_11_one_decision_may_read_another(tmp_path: Path) -> None:
    text = "rule 6.1\n  liability(i) = pay when rate(i) = 1 to 1\nrule 6.3\n  rate(i) = 1 to 1\n"
    assert loaded(text, tmp_path).decisions["liability"]


def test_11_defines_may_not_go_in_a_circle(tmp_path: Path) -> None:
    text = "define a(i: Item): bool = not b(i)\ndefine b(i: Item): bool = a(i)\n"
    assert [p.code for p in problems(text, tmp_path)] == ["circle"]


def test_11_an_edge_is_reading_too(tmp_path: Path) -> None:
    text = """rule 6.1
  except 6.3
  liability(i) = pay
rule 6.3
  rate(i) = 1 to 1 when liability(i) = pay
"""
    assert [p.code for p in problems(text, tmp_path)] == ["circle"]


# ------------------------------------------------------------------------------------------------- 12 folds
HANGING = "guest deposit(ann's coat, 1, 100)\nguest deposit(bob's fur, 1, 40)\nguest deposit(ann's hat, 1, 7)"

FOLDS = [
    "number of (a in Hook(1).articles) = 3",
    "number of (a in Hook(1).articles where a.guest = Hung(a.guest, hat).guest) = 3",
    "number of (a in Hook(1).articles where a.article = fur) = 1",
    "number of (a in Hook(2).articles) = 0",
    "sum (i.worth for i in Item) = 147",
    "sum (i.worth for i in Item where i.article != fur) = 107",
    "sum (i.worth for i in Item where i.lost) = 0",
    "least (i.worth for i in Item) = 7",
    "greatest (i.worth for i in Item) = 100",
    "not greatest (i.worth for i in Item where i.lost) exists",
    "(the first (a in Hook(1).articles where a.article in {hat, fur})).article = fur",
    "(the last (a in Hook(1).articles)).article = hat",
    "the first (a in Hook(1).articles where a.article = umbrella) does not exist",
    "Hook(1) has 3 articles and Hook(1) has 2 articles or more and Hook(1) has 3 articles or fewer",
    "Hook(1) has 3 articles and Hook(1).articles[2].article = fur",
    "every a in Hook(1).articles: a.article in {coat..fur}",
    "none a in Hook(1).articles: a.article = umbrella",
    "some a in Hook(1).articles where a.article = hat: some b in Hook(1).articles: b.guest = a.guest and b != a",
]


@pytest.mark.parametrize("fold", FOLDS)
def test_12_folds_over_lists_and_entities(fold: str, tmp_path: Path) -> None:
    assert told(f"define told: bool = {fold}\n", tmp_path, HANGING) is True
    assert told(f"define told: bool = not ({fold})\n", tmp_path, HANGING) is False


def test_12_lists_keep_the_order_of_record(tmp_path: Path) -> None:
    text = "define told: bool = Hook(1) has 3 articles and Hook(1).articles[1].article = hat\n"
    assert told(text, tmp_path, HANGING) is False
    assert told(text, tmp_path, "\n".join(reversed(HANGING.split("\n")))) is True


# -------------------------------------------------------------------------------------------- 13 arithmetic
SUMS: list[tuple[str, object]] = [
    ("w * 3 to 2", Fraction(7, 2) * 3),
    ("w / 3", Fraction(7, 3)),
    ("w / 3 * 3", 7),
    ("w / 3 + w / 3 + w / 3", 7),
    ("w * 1 to 3", Fraction(7, 3)),
    ("w mod 2", 1),
    ("w div 2", 3),
    ("-w + 10", 3),
    ("w - 10", -3),
    ("w * 100000000000000000", 700000000000000000),
    ("w + 2 * 3", 13),
    ("(w + 2) * 3", 27),
    ("w - 2 - 3", 2),
]


@pytest.mark.parametrize(("amount", "value"), SUMS, ids=[s[0] for s in SUMS])
def test_13_arithmetic_is_exact(amount: str, value: object, tmp_path: Path) -> None:
    text = f"define w: money = 7\ndefine told: money = {amount}\n"
    found = told(text, tmp_path)
    assert found == value
    assert not isinstance(found, float)


def test_13_a_multiple(tmp_path: Path) -> None:
    text = "rule 6.1\n  guest must not deposit(any, any, w) when not w is a multiple of 5\n"
    log = "guest deposit(ann's coat, 1, 10) → kept 6.1\nguest deposit(ann's hat, 1, 12) → broken 6.1"
    check(text, log, tmp_path)


def test_13_a_division_by_nothing_is_undefined(tmp_path: Path) -> None:
    text = "rule 6.1\n  guest must not deposit(i, any, w) when w / i.worth = 1 to 1\n"
    check(
        text,
        "guest deposit(ann's coat, 1, 10) → not checkable 6.1\nguest deposit(ann's coat, 1, 10) → broken 6.1",
        tmp_path,
    )


def test_13_half_a_cent_is_not_rounded(tmp_path: Path) -> None:
    text = "rule 6.1\n  liability(i) = pay and rate(i) = 3 to 2\n"
    log = """
    guest deposit(ann's coat, 1, 5)
    proprietor make_good(ann's coat, 7) → broken 6.1 (ann short 1/2)
    proprietor make_good(ann's coat, 8) → broken 6.1 (the house short 1/2)
    """
    check(text, log, tmp_path)


# --------------------------------------------------------------------------------------------------- 14 chance
STOCK = "option packs: 1..2\nchance deposit(peg) from packs without replacement since new_roll\n"
DRAWN = """
    guest deposit(ann's coat, 1, 0)
    guest deposit(ann's hat, 2, 0)
    guest deposit(ann's brolly, 1, 0)WHAT
    attendant new_roll
    guest deposit(ann's fur, 1, 0)
    """


def test_14_what_is_drawn_more_often_than_there_are_is_impossible(tmp_path: Path) -> None:
    check(STOCK, "options: packs = 1" + DRAWN.replace("WHAT", " → impossible"), tmp_path)
    check(STOCK, "options: packs = 2" + DRAWN.replace("WHAT", ""), tmp_path)


def test_14_a_stock_that_nobody_stated_is_overdrawn_only_beyond_the_greatest(tmp_path: Path) -> None:
    check(STOCK, DRAWN.replace("WHAT", "\n    guest deposit(bob's fur, 1, 0) → impossible"), tmp_path)


def test_14_without_a_stock_every_value_may_come_again(tmp_path: Path) -> None:
    check("chance deposit(peg) uniform\n", DRAWN.replace("WHAT", ""), tmp_path)


def test_9_a_prohibition_that_reads_the_state_after_its_act_bars_no_duty_that_was_not_done(
    tmp_path: Path,
) -> None:
    """Of an act that nobody did it cannot be told what it would have left: the duty is broken, not disputed."""
    text = (
        "rule 2.5(a)\n  attendant must ticket(i) by end of evening when i.here and not i.ticket\n"
        "rule 2.5(b)\n  attendant must not ticket(i) when after(i.ticket) and i.article = hat\n"
    )
    log = """
    guest deposit(ann's hat, 1, 0)
    attendant close → broken 2.5(a) (late)
    """
    check(text, log, tmp_path)
