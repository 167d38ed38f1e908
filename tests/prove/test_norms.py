"""Duties that prohibitions bar: found where the law leaves no way out, silent where it only sets an order."""

from __future__ import annotations

from pathlib import Path

import pytest
from obligation_bench import asked, in_any_state, never, program_of

from verifier.prove.decide import SUPPOSED, decide
from verifier.prove.desk import Desk
from verifier.prove.obligations import norms
from verifier.prove.question import Answer, Never, Obligation, Play, Sometimes, Unknown
from verifier.prove.solve import Settings
from verifier.run.bench import Happening
from verifier.run.judge import Judge

COAT, HAT, UMBRELLA, FUR = range(4)

TICKET = """
rule 2.5(a)
  attendant must ticket(i) at once when i.here and not i.ticket
"""
BOOK_FIRST = """
rule 2.6
  attendant must not ticket(i) when i.article = umbrella and not i.booked
"""
BOOK = """
rule 2.5(b)
  attendant must book(i) at once when i.here and not i.booked
"""
FEE = """
rule 3.1
  fee(i) = 20
"""
EVENING = """
rule 4.4
  attendant must give_back(i) by end of evening when i.here
"""


def survivors(text: str, folder: Path) -> dict[str, bool]:
    """The obligations that fail in some state, each with whether it fails at a moment that counts as well."""
    program = program_of(text, folder)
    found: dict[str, bool] = {}
    for obligation in asked(norms.obligations, program).values():
        if not never(program, obligation):
            parts = norms.parts(program, obligation)
            found[obligation.id] = not parts or not all(never(program, part) for part in parts)
    return found


def test_due_at_once_and_forbidden(tmp_path: Path) -> None:
    text = TICKET + "rule 2.6\n  attendant must not ticket(i) when i.article = fur\n"
    program = program_of(text, tmp_path)
    (obligation,) = asked(norms.obligations, program).values()
    assert obligation.id == "duty 2.5(a) ticket"
    assert obligation.rules == ("2.5(a)", "2.6")
    (part,) = norms.parts(program, obligation)
    answer = in_any_state(program, part.question)
    assert isinstance(answer, Sometimes)
    assert norms.barring(program, "2.5(a) #1", answer.state, answer.options, answer.values) == ("2.6 #1",)


def test_an_order_among_what_is_due_at_once_is_no_clash(tmp_path: Path) -> None:
    assert survivors(TICKET + BOOK_FIRST + BOOK, tmp_path) == {"duty 2.5(a) ticket": False}
    assert survivors(TICKET + BOOK_FIRST, tmp_path) == {"duty 2.5(a) ticket": True}


def test_what_forbids_to_others_or_other_acts_bars_nothing(tmp_path: Path) -> None:
    text = TICKET + "rule 2.6\n  guest must not ticket(any)\n  attendant must not book(any)\n"
    assert not list(norms.obligations(program_of(text, tmp_path)))


def test_a_prohibition_of_another_case_bars_nothing(tmp_path: Path) -> None:
    assert survivors(TICKET + "rule 2.6\n  attendant must not ticket(i) when i.ticket\n", tmp_path) == {}


@pytest.mark.parametrize(
    ("prohibition", "clash"),
    [
        ("attendant must not give_back(i) when i.article = hat", True),
        ("attendant must not give_back(i) until call(i.guest) this evening", False),
        ("attendant must not give_back(i) when not i.paid", False),
        ("attendant must not give_back(i) when i.worth > 100", False),
        ("attendant must not give_back(i) when after(i.article = hat)", None),
    ],
)
def test_by_the_end_of_a_life(tmp_path: Path, prohibition: str, clash: bool | None) -> None:
    """Who may still call the guest, be paid, or take a thing again and at less, has a way out; a hat stays a hat."""
    found = survivors(f"{EVENING}rule 4.3\n  {prohibition}\n", tmp_path)
    assert found == ({} if clash is None else {"duty 4.4 give_back": clash})


def test_before_an_event(tmp_path: Path) -> None:
    text = """
rule 3.4
  guest must pay_fee(i, any) before give_back(i) when i.here and not i.paid
rule 3.1
  guest must not pay_fee({act}, any) when {when}
"""
    for act, when, expected in (
        ("i", "i.article = hat", {"duty 3.4 pay_fee": True}),
        ("any", "not doors", {"duty 3.4 pay_fee": False}),
        ("i", "i.paid", {}),
    ):
        assert survivors(text.format(act=act, when=when), tmp_path) == expected


def test_what_is_open_of_an_act_is_the_performers_to_choose(tmp_path: Path) -> None:
    text = """
rule 3.4
  guest must pay_fee(i, any) before give_back(i) when i.here and not i.paid
rule 3.1
  guest must not pay_fee(any, a) when a > 5
"""
    assert survivors(text, tmp_path) == {}
    assert survivors(
        text.replace("(any, a) when a > 5", "(i, a) when a > 5 or i.article = hat"), tmp_path
    ) == {"duty 3.4 pay_fee": True}


def test_a_deadline_that_is_not_lawful_is_not_at_hand(tmp_path: Path) -> None:
    text = """
rule 3.4
  guest must pay_fee(i, any) before give_back(i) when i.here and not i.paid
rule 3.1
  guest must not pay_fee(i, any) when i.article = hat
rule 4.1
  attendant must not give_back(i) when i.article = hat
"""
    assert survivors(text, tmp_path) == {"duty 3.4 pay_fee": False}


def test_either_act_will_do(tmp_path: Path) -> None:
    text = """
rule 5.1
  proprietor must make_good(i, any) or refuse(i) by end of evening when i.lost and not i.settled
rule 5.2
  proprietor must not make_good(i, any) when i.lost
"""
    assert not list(norms.obligations(program_of(text, tmp_path)))
    more = text + "rule 5.3\n  proprietor must not refuse(i) when i.article = fur\n"
    assert survivors(more, tmp_path) == {"duty 5.1 make_good or refuse": True}


def test_immediately_after_an_event_that_ends_a_life(tmp_path: Path) -> None:
    """`doors` is no more when the evening is over; the roll is as it was."""
    text = """
rule 4.2
  attendant must new_roll immediately after close
rule 4.1
  attendant must not new_roll when {when}
"""
    assert survivors(text.format(when="doors"), tmp_path) == {}
    assert survivors(text.format(when="left > 0"), tmp_path) == {"duty 4.2 new_roll at close": True}
    assert survivors(text.format(when="close has happened this evening"), tmp_path) == {}


def test_each_before_the_other(tmp_path: Path) -> None:
    text = """
rule 2.5(a)
  attendant must ticket(i) before book(i) when i.here and not i.ticket
rule 2.5(b)
  attendant must book(i) before {deadline} when i.here and not i.booked
"""
    assert survivors(text.format(deadline="ticket(i)"), tmp_path) == {
        "duties 2.5(a) ticket / 2.5(b) book": True
    }
    assert survivors(text.format(deadline="give_back(i)"), tmp_path) == {}


def test_at_once_what_may_only_come_later(tmp_path: Path) -> None:
    text = TICKET + "rule 2.5(b)\n  {who} must book(i) before ticket(i) when i.here and not i.booked\n"
    clash = {"duties 2.5(a) ticket / 2.5(b) book": True}
    assert survivors(text.format(who="attendant"), tmp_path) == clash
    assert survivors(text.format(who="proprietor"), tmp_path) == {}


def test_the_judge_confirms_or_denies(tmp_path: Path) -> None:
    """What could have been done earlier in the evening is broken by waiting; the law does not clash."""
    text = EVENING + "rule 4.3\n  attendant must not give_back(i) when {when}\n"
    close = Happening("close", "attendant", ())
    events = (
        Happening("open", "attendant", ()),
        Happening("deposit", "guest", (("ann", COAT), 1, 200)),
        Happening("complain", "guest", ("ann",)),
    )
    for when, units in (("i.worth > 100", ("4.3 #1",)), ("complain(i.guest) has happened this evening", ())):
        program = program_of(text.format(when=when), tmp_path)
        judge = Judge(program, {})
        breaches = tuple(tuple(rule for j in judge.step(e) for rule in j.rules) for e in events)
        play = Play({}, events, breaches, judge.state)
        assert play.lawful
        assert norms.disputed(program, "4.4 #1", play, close) == units


def test_two_duties_of_one_rule_are_told_apart(tmp_path: Path) -> None:
    text = """
rule 4.4
  attendant must give_back(i) by end of evening when i.here and i.worth > 5
  attendant must give_back(i) before new_roll when i.here
rule 4.3
  attendant must not give_back(i) when i.article = fur
"""
    found: dict[str, Obligation] = dict(asked(norms.obligations, program_of(text, tmp_path)))
    assert list(found) == [
        "duty 4.4: attendant must give_back(i) by end of evening",
        "duty 4.4: attendant must give_back(i) before new_roll",
    ]


def surely(text: str, folder: Path) -> dict[str, bool]:
    """As `survivors`, where nothing is supposed of a way out."""
    program = program_of(text, folder)
    return {
        o.id: not all(never(program, part) for part in norms.parts(program, o, surely=True))
        for o in asked(norms.obligations, program).values()
        if not never(program, o)
    }


@pytest.mark.parametrize(
    ("prohibition", "supposed", "sure"),
    [
        ("attendant must not give_back(i) until call(i.guest) this evening", False, False),
        ("attendant must not give_back(i) when not i.paid", False, False),
        ("attendant must not give_back(i) when i.article = hat", True, True),
        ("attendant must not give_back(any) when some h in Hook: h has 1 article", False, True),
    ],
)
def test_a_way_out_that_is_only_supposed_is_none(
    tmp_path: Path, prohibition: str, supposed: bool, sure: bool
) -> None:
    """Whether one article more on a hook ends a clash cannot be told of a list that grows."""
    text = f"{FEE}{EVENING}rule 4.3\n  {prohibition}\n"
    assert survivors(text, tmp_path) == {"duty 4.4 give_back": supposed}
    assert surely(text, tmp_path) == {"duty 4.4 give_back": sure}


def test_that_a_guest_is_met_again_ends_no_clash(tmp_path: Path) -> None:
    text = """
rule 4.4
  attendant must call(g) by end of evening
    when (some i in Item: i.guest = g and i.lost) and call(g) has not happened this evening
rule 4.3
  attendant must not call(g) when some i in Item: i.guest = g and i.lost
"""
    assert survivors(text, tmp_path) == {"duty 4.4 call": True}
    assert surely(text, tmp_path) == {"duty 4.4 call": True}


def test_what_an_event_leaves_that_cannot_be_told_is_barred_for_sure_only(tmp_path: Path) -> None:
    """Of a hook that gets one article more nothing is told: a clash is neither found nor ruled out."""
    text = """
rule 4.2
  attendant must new_roll immediately after deposit(any, any, any)
rule 4.1
  attendant must not new_roll when {when}
"""
    for when, supposed, sure in (
        ("some h in Hook: h has 1 article", False, True),
        ("left > 0", True, True),
        ("left < 0", False, False),
    ):
        program = program_of(text.format(when=when), tmp_path)
        (obligation,) = asked(norms.obligations, program).values()
        assert never(program, obligation) is not sure
        parts = norms.parts(program, obligation)
        assert bool(parts) is (supposed is not sure)
        assert all(never(program, part) is not supposed for part in parts)


def decided(text: str, folder: Path) -> Answer | None:
    """What is said of the only obligation in play."""
    program = program_of(text, folder)
    (obligation,) = asked(norms.obligations, program).values()
    return decide(Desk(program, Settings(solvers=("z3",))), obligation).play


def test_what_is_only_supposed_is_undecided(tmp_path: Path) -> None:
    text = EVENING + "rule 4.3\n  attendant must not give_back(i) when {when}\n"
    paid = text.format(when="not i.paid")
    # where no clause says what the fee is nobody can surely pay it
    for fragment in (text.format(when="Hook(i.peg) has 1 article"), paid):
        answer = decided(fragment, tmp_path)
        assert isinstance(answer, Unknown)
        assert answer.why.endswith(f"; {SUPPOSED}")
    assert isinstance(decided(FEE + paid, tmp_path), Never)
