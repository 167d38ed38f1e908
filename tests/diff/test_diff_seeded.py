"""Each seeded change is found, and its region is where enumeration finds the two to differ."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path

import pytest

from tests.diff.hands import given
from tests.diff.seeded import Asked, Speaker, hold, owed_wrongly, told
from tests.diff.seeds import changes, hands, ordered, outcome, record, shop
from verifier.diff.whole import compare
from verifier.exits import Exit
from verifier.model.load import load
from verifier.model.ruleset import Ruleset
from verifier.mutate.walk import mutants
from verifier.mutate.workshop import workshop
from verifier.run.state import first_state

MakeRules = Callable[..., Path]

SAMPLE = {
    "5.1(c):negation:6e5f08": "found",
    "5.1(d):limb:2cbd68": "proved the same",
    "15.4(c):odds": "found",
    "8.4 [announce]:condition:08835f": "found",
    "5.1 [before]:condition:846ccc": "found",
    "7.4:connective:e3160d": "found",
    "5.2:range:1b7865": "found",
}
"""Changes of New Zealand's blackjack that are always looked at: of an outcome, of odds, of a duty, of prohibitions, of
an option, and one that changes no outcome that is owed, nor any other that a rule reads. With `GAZETTE_SEEDS` those
whose names begin with its text are, *all* being all of them, which takes hours: `python -m tests.diff.seeds` does the
same, and goes on where it stopped."""


# ------------------------------------------------------------------------------------------------- a small law
def crossings(ruleset: Ruleset) -> Iterator[Asked]:
    """Every state of the bridge, with every kind of traveller."""
    for raised, charged, kind in product((False, True), (False, True), (0, 1)):
        state = first_state(ruleset)
        state.fields.update(raised=raised, charged=charged)
        yield Asked(state, {"lanes": 2}, {"k": kind}, partial(given, (kind,)))


def test_every_change_of_a_small_law_is_found_and_its_region_is_right(
    rules: MakeRules, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = workshop(rules())
    old = shop.original.ruleset
    every = list(mutants(shop.modules))
    assert len(every) > 20
    for mutant in every:
        new = shop.made(mutant).ruleset
        with told(monkeypatch) as found:
            whole = compare(old, new)
        assert whole.exit == Exit.BROKEN, mutant.words
        held = hold((Speaker.of(old), Speaker.of(new)), "toll", found, list(crossings(old)))
        assert not held.faults, mutant.words
        assert whole.meaning is not None
        assert not owed_wrongly(whole.meaning.matters, "toll", held), mutant.words
        told_of = whole.rules.options or [n for n in whole.norms if not n.same] or found
        assert told_of, mutant.words


def test_rewritings_of_a_small_law_are_proved_to_change_nothing(rules: MakeRules) -> None:
    for before, after in (
        ("  toll(k) = 200 when k = cart\n", "  toll(k) = 200 when not (k = foot)\n"),
        (
            "  toll(k) = 50 when k = foot\n",
            "  toll(k) = 100 - 50 when k != cart and (raised or not raised)\n",
        ),
        ("cross when raised", "cross when not (not raised)"),
        ("before cross when not charged", "before cross when not charged or not charged and raised"),
        ("raise when not raised", "raise when not (raised and (charged or not charged))"),
    ):
        whole = compare(load(rules()), load(rules((before, after))))
        assert whole.exit == Exit.HOLDS, after


def test_what_a_define_changes_is_found_in_rules_that_only_name_it(rules: MakeRules) -> None:
    named = (
        ("  option lanes: 2..3\n", "  define closed: bool = raised\n  option lanes: 2..3\n"),
        ("cross when raised", "cross when closed"),
    )
    wider = (("bool = raised\n", "bool = raised or charged\n"), *named[1:])
    whole = compare(load(rules(*named)), load(rules(named[0], *wider)))
    (norm,) = whole.norms
    assert norm.turn == "wider"
    assert norm.what == "it binds in more cases: not by its own words, but by what it rests on: closed (1.1)"
    assert whole.exit == Exit.BROKEN


def test_what_an_exception_changes_is_told_with_the_rule_that_it_rests_on(rules: MakeRules) -> None:
    excepted = (
        ("traveller must not cross when raised", "except 2.1\n  traveller must not cross when raised"),
        (
            "keeper may raise when not raised",
            "keeper may raise when not raised\n  traveller may cross when charged",
        ),
    )
    rarer = ("traveller may cross when charged", "traveller may cross when charged and not raised")
    whole = compare(load(rules(*excepted)), load(rules(*excepted, rarer)))
    told = {n.change.old.rule: n.what for n in whole.norms if n.change.old is not None}
    assert told == {
        "1.2": "it binds in more cases: not by its own words, but by what it rests on: 2.1",
        "2.1": "it allows in fewer cases",
    }


def test_a_permission_is_said_to_allow_and_a_duty_to_bind(rules: MakeRules) -> None:
    rarer = (("raise when not raised", "raise when not raised and not charged"),)
    (norm,) = compare(load(rules()), load(rules(*rarer))).norms
    assert norm.what == "it allows in fewer cases"
    later = (("before cross when not charged", "before leave when not charged or raised"),)
    (norm,) = compare(load(rules()), load(rules(*later))).norms
    assert norm.what == "it binds in more cases; the deadline moved"


def test_where_a_prohibition_has_no_answer_for_a_gap_is_compared(rules: MakeRules) -> None:
    gap = ("toll(k) = 200 when k = cart", "toll(k) = 200 when k = cart and not raised")
    before = ("must not cross when raised", "must not cross when not raised and toll(cart) = 100")
    after = ("must not cross when raised", "must not cross when toll(cart) = 100")
    whole = compare(load(rules(gap, before)), load(rules(gap, after)))
    assert [(n.turn, n.what) for n in whole.norms] == [
        ("unsure", "it binds in the same cases, but in others it is open whether it does")
    ]
    assert whole.exit == Exit.BROKEN
    again = ("must not cross when raised", "must not cross when not (toll(cart) != 100)")
    (norm,) = compare(load(rules(gap, after)), load(rules(gap, again))).norms
    assert norm.same


def test_when_an_answer_is_owed_is_compared(rules: MakeRules) -> None:
    asked = ("  toll(k) = 50 when k = foot\n", "  asked toll(k) when raised\n  toll(k) = 50 when k = foot\n")
    more = ("asked toll(k) when raised", "asked toll(k) when raised or charged")
    whole = compare(load(rules(asked)), load(rules(asked, more)))
    assert whole.meaning is not None
    assert [(c.verdict, c.owed) for c in whole.meaning.matters] == [("same", "wider")]
    assert whole.exit == Exit.BROKEN


# ------------------------------------------------------------------------------------------- the Gazette of 1998
def seeds() -> list[str]:
    asked = os.environ.get("GAZETTE_SEEDS", "")
    if asked == "":
        return list(SAMPLE)
    return [name for name in ordered() if asked == "all" or name.startswith(asked)]


@pytest.mark.parametrize("seed", seeds())
def test_a_change_of_the_gazette_is_found_and_its_region_is_right(seed: str) -> None:
    whole = next(name for name in changes() if name.startswith(seed))
    found = outcome(whole)
    assert not found.faults
    assert found.what in ([SAMPLE[seed]] if seed in SAMPLE else ["found", "proved the same", "refused"])


def test_what_the_record_has_of_changes_is_right_and_of_these_rules() -> None:
    rows = record()
    assert rows.keys() <= changes().keys()
    assert {row["what"] for row in rows.values()} <= {"found", "proved the same", "refused", "open"}


def test_a_region_that_is_not_where_the_two_differ_is_noticed() -> None:
    old = shop().original.ruleset
    new = shop().made(changes()["5.1(c):negation:6e5f08"]).ruleset
    sides = Speaker.of(old), Speaker.of(new)
    held = hold(sides, "outcome", [], hands()["outcome"])
    assert held.differ
    assert len(held.faults) == held.differ
