"""`lawful` says of each kind of rule where an event keeps to it, as the judge does, and which rule it breaks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from cloakroom import COAT, FUR, HAT, OPTIONS, UMBRELLA, cloakroom, evening, happening, hung, played
from obligation_bench import program_of

from verifier.core.lawful import lawful, parts
from verifier.core.program import EVENT_PREFIX
from verifier.model import terms as m
from verifier.model.types import BOOL
from verifier.run.bench import Happening
from verifier.run.judge import Judge
from verifier.run.undefined import Undefined

ANNS_COAT, ANNS_FUR, ANNS_HAT = ("ann", COAT), ("ann", FUR), ("ann", HAT)
CARD = happening("guest", "show_card", "ann")
CALL = happening("attendant", "call", "ann")
BACK = happening("attendant", "give_back", ANNS_COAT)
PAID = happening("guest", "pay_fee", ANNS_COAT, 20)
LOST = happening("guest", "find_lost", ANNS_COAT)
CLOSE = happening("attendant", "close")

Broken = Sequence[tuple[str, str]]


def broken_by(before: Sequence[Happening], event: Happening) -> tuple[Broken, bool, bool]:
    """The rules with their kinds that the parts say the event breaks, whether `lawful` is true, and whether the judge
    finds nothing."""
    program = cloakroom()
    judge = Judge(program, dict(OPTIONS))
    for earlier in before:
        assert not judge.step(earlier), f"{earlier} is to be lawful"
    names = [EVENT_PREFIX + p.name for p in program.ruleset.events[event.event].params]
    state = judge.state
    found = judge.step(event)
    judge.machine.enter(state, judge.left_by(event))
    judge.machine.state = state

    def true(term: m.Term) -> bool:
        try:
            return bool(judge.machine.closure(term, names)(list(event.values)))
        except Undefined:
            return False

    told = parts(program, event.event, event.actor)
    broken = list(dict.fromkeys((rule, why) for rule, why, term in told if not true(term)))
    return broken, true(lawful(program, event.event, event.actor)), not found


@pytest.mark.parametrize(
    ("before", "event", "broken"),
    [
        ((), hung("ann")[0], [("2.1", "not permitted")]),
        (evening(), hung("ann")[0], []),
        ((), hung("ann", FUR)[0], [("2.1", "not permitted"), ("2.3", "forbidden"), ("2.4", "not permitted")]),
        (evening(CARD), hung("ann", FUR)[0], []),
        (evening(*hung("ann"), *hung("bob")), hung("ann", HAT)[0], [("", "impossible")]),
        (evening(*hung("ann")), hung("bob")[0], []),
        (evening(hung("ann", UMBRELLA)[0]), hung("ann", UMBRELLA)[2], [("2.6", "forbidden")]),
        (evening(*hung("ann", UMBRELLA)[:2]), hung("ann", UMBRELLA)[2], []),
        (evening(*hung("ann")), happening("guest", "book", ANNS_COAT), [("2.7", "forbidden"), ("", "actor")]),
        (evening(hung("ann")[0]), happening("attendant", "book", ANNS_COAT), []),
        (evening(hung("ann")[0]), CALL, [("2.5(a)", "skipped"), ("2.5(b)", "skipped"), ("6.1", "forbidden")]),
        (evening(*hung("ann", COAT, 3)), CALL, []),
        (evening(*hung("ann")), BACK, [("3.4 [pay]", "late")]),
        (evening(*hung("ann"), PAID), BACK, []),
        (evening(*hung("ann"), PAID), happening("guest", "surrender", ANNS_COAT), [("4.3", "forbidden")]),
        (evening(*hung("ann"), PAID), CLOSE, [("4.4", "late")]),
        (evening(*hung("ann", COAT, 1, 9)), CLOSE, [("3.4 [evening]", "late"), ("4.4", "late")]),
        (evening(*hung("ann"), PAID, BACK), CLOSE, []),
        (evening(), happening("guest", "complain", "ann"), [("4.5", "not permitted")]),
        (evening(), PAID, [("", "early")]),
        (evening(*hung("ann")), happening("guest", "pay_fee", ANNS_COAT, 10), [("", "settlement")]),
        (evening(CARD, *hung("ann")), PAID, [("", "settlement")]),
        (evening(*hung("ann")), PAID, []),
        (evening(*hung("ann"), LOST), LOST, [("5.1", "late")]),
        (evening(*hung("ann")), LOST, []),
        (evening(*hung("ann"), LOST), happening("proprietor", "make_good", ANNS_COAT, 10), []),
        (
            evening(*hung("ann"), LOST),
            happening("proprietor", "make_good", ANNS_COAT, 11),
            [("", "settlement")],
        ),
        (
            evening(*hung("ann", worth=0), LOST),
            happening("proprietor", "refuse", ANNS_COAT),
            [("", "settlement")],
        ),
    ],
)
def test_an_event_is_lawful_where_the_judge_finds_nothing(
    before: Sequence[Happening], event: Happening, broken: Broken
) -> None:
    found, whole, judged = broken_by(before, event)
    assert sorted(found) == sorted(broken)
    assert whole is judged is not bool(broken)


def test_what_an_event_leaves_is_read_where_a_rule_reads_it() -> None:
    hats = evening(*hung("ann", HAT), *hung("ann", COAT, 3))
    complaint = happening("guest", "complain", "ann")
    assert ("6.3", "forbidden") in broken_by(hats, complaint)[0]
    assert ("6.3", "forbidden") not in broken_by(evening(*hung("ann")), complaint)[0]


def test_a_breach_that_has_been_permits_what_it_permits() -> None:
    """4.5 permits a complaint once 2.5 has been broken: the term reads the breach, it does not find it."""
    program = cloakroom()
    (_, why, term) = next(p for p in parts(program, "complain", "guest") if p[0] == "4.5")
    assert why == "not permitted"
    play = played(*evening(hung("ann")[0]), CLOSE, *evening(hung("bob")[0]), CALL)
    judge = Judge(program, dict(OPTIONS))
    closure = judge.machine.closure(term, ["@guest"])
    judge.machine.enter(play.state, play.state)
    assert closure(["ann"]) is True
    judge.machine.enter(replace(play.state, broken=[False]), play.state)
    assert closure(["ann"]) is False


def test_what_is_due_immediately_after_an_event_is_left_out() -> None:
    """The judge knows that a valuable has just been given back; the state does not."""
    valuable = evening(*hung("ann", worth=500), PAID, BACK)
    found, whole, judged = broken_by(valuable, happening("attendant", "new_roll"))
    assert (found, whole, judged) == ([], True, False)
    strike = happening("attendant", "strike", ANNS_COAT)
    assert broken_by(valuable, strike) == ([], True, True)


def test_an_act_that_may_be_due_after_another_passes_over_nothing() -> None:
    found, whole, judged = broken_by(evening(hung("ann")[0]), happening("attendant", "strike", ANNS_COAT))
    assert (found, whole, judged) == ([], True, False)


def test_what_is_absent_makes_nothing_unlawful() -> None:
    """6.2(a) reads the peg of an article that nobody has deposited: the judge cannot check it there."""
    found, whole, judged = broken_by((), happening("attendant", "strike", ANNS_HAT))
    assert (found, whole, judged) == ([], True, True)


def test_what_is_due_at_once_at_a_table_waits_for_nobody_in_another_log(tmp_path: Path) -> None:
    text = (
        "life guild beside house ends dissolve\nevent enrol(guest: Guest) by attendant in guild\n"
        "event dissolve by attendant in guild\nrule 6.3\n  attendant must open at once when not doors\n"
    )
    program = program_of(text, tmp_path)
    told = {name: [why for _, why, _ in parts(program, name, "attendant")] for name in ("enrol", "call")}
    assert told == {"enrol": [], "call": ["skipped"]}


def test_lawful_is_all_of_its_parts() -> None:
    program = cloakroom()
    for event in program.ruleset.events.values():
        for actor in program.ruleset.actors:
            terms = tuple(term for _, _, term in parts(program, event.name, actor))
            whole = lawful(program, event.name, actor)
            match len(terms):
                case 0:
                    assert whole == m.Lit(BOOL, True)
                case 1:
                    assert whole == terms[0]
                case _:
                    assert whole == m.AndT(BOOL, terms) or whole == m.Lit(BOOL, False)


def test_what_nobody_may_do_is_never_lawful() -> None:
    assert lawful(cloakroom(), "ticket", "guest") == m.Lit(BOOL, False)
    assert [why for _, why, _ in parts(cloakroom(), "ticket", "guest")] == ["actor"]
