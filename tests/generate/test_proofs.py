"""What is said to be proved of a rule covers the whole rule."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from verifier.check.engine import Prepared, prepare
from verifier.generate.asks import AT_ONCE, NESTED, OPTIONS, UNENDED, breaking, keeping
from verifier.generate.generate import Generated
from verifier.generate.proofs import Proofs, Unmet, Wanted
from verifier.prove.desk import Desk
from verifier.prove.solve import Settings
from verifier.transcripts.case import case_of

BRIDGE = Path(__file__).parents[1] / "cli" / "bridge"

CAP = 'rule 1.3 "The keeper shall wear a cap"\n'

Make = Callable[[Prepared], Generated]


def bridge_with(folder: Path, rule: str, *changes: tuple[str, str]) -> Prepared:
    """The bridge with another rule 1.3, and changes elsewhere."""
    shutil.copytree(BRIDGE, folder / "own")
    rules = folder / "own" / "bridge.rules"
    text = rules.read_text("utf-8").partition("rule 1.3")[0]
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    rules.write_text(text + CAP + rule, "utf-8")
    return prepare(rules)


def told(ready: Prepared, rule: str, wanted: Wanted) -> Unmet:
    desk = Desk(ready.program, Settings(("z3",)), steps=20, seed=0)
    asks = (keeping if wanted == "kept" else breaking)(ready.program, rule)
    return Proofs(desk).unmet(rule, wanted, asks)


# ------------------------------------------------------------------------------------------ small and large
LANES = (
    ("enum Kind", "type Lane = 0..9\nenum Kind"),
    ("event leave", "event mark(lane: Lane) by keeper\nevent leave"),
)


def test_what_needs_a_value_beyond_the_scope_is_not_proved_to_be_never(tmp_path: Path) -> None:
    """Only lane 9 can be marked too often, and no scope has lane 9."""
    rule = "  keeper must not mark(l) when l + l > 17 and number of (mark(l) this crossing) > 0\n"
    found = told(bridge_with(tmp_path, rule, *LANES), "1.3", "broken")
    assert not found.proved
    assert "within 1 Traveller, Lane 0 and 1" in found.why or "none was found" in found.why


def test_what_no_value_can_have_is_proved_to_be_never(tmp_path: Path) -> None:
    rule = "  keeper must not mark(l) when l + l > 18 and number of (mark(l) this crossing) > 0\n"
    found = told(bridge_with(tmp_path, rule, *LANES), "1.3", "broken")
    assert found.proved
    assert "every state, of whatever size" in found.why


@pytest.mark.parametrize(
    ("since", "proved"), [("rule 1.2 has been broken this crossing and ", True), ("", False)]
)
def test_what_only_a_breach_makes_due_is_proved_to_be_kept_in_no_state_without_one(
    tmp_path: Path, since: str, proved: bool
) -> None:
    rule = f"  keeper must lower immediately after leave when {since}here exists\n"
    found = told(bridge_with(tmp_path, rule, *LANES), "1.3", "kept")
    assert found.proved is proved
    assert (
        "in no state in which no rule has been broken (z3, enumeration; every state" in found.why
    ) is proved


# --------------------------------------------------------------------------------------- ways of breaking it
def test_a_duty_due_right_after_an_event_is_broken_by_what_is_done_instead(
    tmp_path: Path, make: Make
) -> None:
    ready = bridge_with(tmp_path, "  keeper must lower immediately after charge(any, any, any)\n")
    assert not told(ready, "1.3", "broken").proved
    made = make(ready)
    assert {"1.3"} <= made.broken & made.exercised
    (one,) = [one for one in made.faulty if one.rule == "1.3"]
    assert case_of(one.name, one.text, ready).unlike(ready) == []


def test_nor_is_one_that_another_such_duty_may_excuse(tmp_path: Path) -> None:
    """`lawful` lets the keeper lower whatever else is due at once, for it may be due right after a crossing."""
    after = "  keeper must lower immediately after cross(any)\n"
    ready = bridge_with(tmp_path, f"  keeper must raise at once when not raised and here exists\n{after}")
    assert AT_ONCE in breaking(ready.program, "1.3").beyond
    assert not told(ready, "1.3", "broken").proved


def test_answers_behind_a_define_are_found_wrong_too(tmp_path: Path, make: Make) -> None:
    owed = ("rule 1.1 ", "define owed(k: Kind): money = toll(k)\n\nrule 1.1 ")
    ready = bridge_with(
        tmp_path,
        '  unobservable "no log shows it"\n',
        ("claims amount = toll(kind)", "claims amount = owed(kind)"),
        owed,
    )
    made = make(ready)
    assert {"1.1(a)", "1.1(b)"} <= made.broken & made.exercised


@pytest.mark.parametrize(
    ("first", "beyond"),
    [("paid(kind) = foot", ()), ("paid(cart) = foot", (NESTED,)), ("kind = foot", ())],
    ids=["asked plainly too", "asked plainly of another", "asked for the other answer alone"],
)
def test_an_answer_within_another_is_not_covered_where_a_claim_speaks_of_it_elsewhere(
    tmp_path: Path, first: str, beyond: tuple[str, ...]
) -> None:
    rule = "  decision paid(k: Kind): Kind\n  paid(k) = k when not raised or k = cart\n"
    ready = bridge_with(
        tmp_path, rule, ("claims amount = toll(kind)", f"claims {first} and amount = toll(paid(kind))")
    )
    assert breaking(ready.program, "1.1(a)").beyond == ()
    assert breaking(ready.program, "1.3").beyond == beyond


def test_an_act_of_somebody_else_breaks_the_duty_that_gives_it(tmp_path: Path, make: Make) -> None:
    """Nobody can cross who has not been charged, so that it is never too late; but a traveller may charge himself."""
    ready = bridge_with(
        tmp_path,
        '  unobservable "no log shows it"\n',
        (
            "event cross(traveller: Traveller) by traveller",
            "event cross(traveller: Traveller) by traveller\n  needs charged",
        ),
    )
    (one,) = [one for one in make(ready).faulty if one.rule == "1.1"]
    (fault,) = case_of(one.name, one.text, ready).expected.faults
    assert fault.cited == (("broken", frozenset({"1.1"})),)
    assert "- traveller charge" in one.text


def test_what_is_due_by_the_end_of_a_life_without_end_is_not_covered(tmp_path: Path) -> None:
    ready = bridge_with(tmp_path, "  keeper must lower by end of bridge when raised\n")
    assert breaking(ready.program, "1.3").beyond == (UNENDED,)
    assert not told(ready, "1.3", "broken").proved


def test_options_that_nobody_found_to_break_a_rule_are_no_proof(tmp_path: Path) -> None:
    ready = bridge_with(tmp_path, "  option height: 1..9\n  require height > 0\n")
    assert breaking(ready.program, "1.3").beyond == (OPTIONS,)
    assert not told(ready, "1.3", "broken").proved


def test_of_a_rule_that_only_decides_for_others_none_is_said_to_be_at_fault(tmp_path: Path) -> None:
    rule = "  decision mended: bool\n  mended = yes when raised\n  mended = no when not raised\n"
    ready = bridge_with(tmp_path, rule, ("must not cross(t) when raised", "must not cross(t) when mended"))
    found = told(ready, "1.3", "broken")
    assert (found.proved, found.ever) == (True, True)
    assert "only decides for other rules" in found.why


def test_where_they_are_read_without_being_due_they_are_at_work(tmp_path: Path) -> None:
    rule = "  decision mended: bool\n  asked mended when raised and not raised\n  mended = yes\n"
    ready = bridge_with(
        tmp_path, rule, ("must not cross(t) when raised", "must not cross(t) when not mended")
    )
    assert not told(ready, "1.3", "kept").proved


@pytest.mark.parametrize(("asked", "proved"), [("not raised", True), ("charged", False)])
def test_a_claim_is_heard_only_where_what_those_before_it_consult_was_due(
    tmp_path: Path, asked: str, proved: bool
) -> None:
    """A fee that is claimed too early is never come to where the toll before it would be too early, too."""
    rule = f"  decision fee(k: Kind): money\n  asked fee(k) when {asked}\n  fee(k) = 50 when k = foot\n"
    ready = bridge_with(
        tmp_path,
        rule,
        ("claims amount = toll(kind)", "claims amount = toll(kind) and amount = fee(kind)"),
        ("  keeper must charge(t,", "  asked toll(k) when not raised\n  keeper must charge(t,"),
    )
    assert told(ready, "1.3", "broken").proved is proved
