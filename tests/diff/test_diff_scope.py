"""How far it was looked for a difference in what binds: several of a range beside each other, and said what was."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from verifier.diff.whole import compare
from verifier.exits import Exit
from verifier.model.load import load
from verifier.report.diff_meaning import norms_same

MakeRules = Callable[..., Path]
Gazette = Callable[..., tuple[int, str]]

LANES = (
    ("enum Kind: foot | cart\n", "enum Kind: foot | cart\ntype Lane = 1..7\ntype Tide = 1..3\n"),
    ("  raised: bool\n", "  raised: bool\n  free: Lane -> bool\n  left: Lane?\n  seen: Tide -> bool\n"),
    ("event raise by keeper\n", "event raise by keeper\nevent send(lane: Lane) by keeper\n"),
    (
        "on raise\n  raised = yes\n",
        "on raise\n  raised = yes\n\non send(l)\n  seen[1] = yes\n  left = l\n  free[l] = no\n",
    ),
    ("1.3 The keeper shall wear a cap.", "1.3 Travellers are sent by lanes, one after another."),
    (
        'rule 1.3 "The keeper shall wear a cap"\n'
        '  unobservable "the log records crossings and tolls, not what people wear"\n',
        'rule 1.3 "Travellers are sent by lanes, one after another"\n'
        "  define ready(l: Lane): bool = free[l] and not (left = l)\n"
        "  define following: Lane? = if left exists and (some l in Lane: l > left and ready(l))\n"
        "    then the first (l in Lane where l > left and ready(l)) else the first (l in Lane where ready(l))\n"
        "  keeper must not send(l) when l != following\n",
    ),
)
"""Lanes, of which the next free one is served; beyond the last it begins anew."""


def test_what_takes_three_of_a_range_to_tell_is_found(rules: MakeRules) -> None:
    other = ("first (l in Lane where l > left and ready(l))", "first (l in Lane where l > left or ready(l))")
    whole = compare(load(rules(*LANES)), load(rules(*LANES, other)))
    (norm,) = whole.norms
    assert norm.turn == "other"
    assert norm.rests
    assert whole.exit == Exit.BROKEN


def test_what_rests_on_what_changed_and_is_the_same_is_told_with_its_scope(
    rules: MakeRules, gazette: Gazette
) -> None:
    alike = ("some l in Lane: l > left and ready(l)", "some l in Lane: ready(l) and not (l <= left)")
    old, new = rules(*LANES), rules(*LANES, alike)
    (norm,) = compare(load(old), load(new)).norms
    assert norm.same
    assert norm.rests
    assert norms_same([norm]) == [
        "1 is written otherwise, or rests on what is, and is proved the same:",
        f"1.3: by z3 and cvc5 ({norm.scope})",
    ]
    code, out = gazette("diff", old, new)
    assert code == 0
    assert "1 is written otherwise, or rests on what is, and is proved the same:" in out
    assert norm.scope in " ".join(out.split())


def test_what_other_rules_say_is_told_so(rules: MakeRules, gazette: Gazette) -> None:
    two = (
        ('rule 1.3 "The keeper shall wear a cap"\n', 'rule 1.3 "No cart shall cross at night"\n'),
        ("1.3 The keeper shall wear a cap.", "1.3 No cart shall cross at night."),
        (
            '  unobservable "the log records crossings and tolls, not what people wear"\n',
            "  traveller must not cross when raised or charged\n",
        ),
    )
    less = (
        "  traveller must not cross when raised\n",
        "  traveller must not cross when raised and charged\n",
    )
    code, out = gazette("diff", rules(*two), rules(*two, less))
    assert code == 0
    assert "1.2: what it says beyond the other, other rules say there: by z3 and cvc5 (" in out


def test_that_an_answer_is_owed_in_the_same_cases_is_told_with_its_scope(
    rules: MakeRules, gazette: Gazette
) -> None:
    asked = ("  toll(k) = 50 when k = foot\n", "  asked toll(k) when raised\n  toll(k) = 50 when k = foot\n")
    other = ("asked toll(k) when raised", "asked toll(k) when raised and charged or raised and not charged")
    code, out = gazette("diff", rules(asked), rules(asked, other))
    assert code == 0
    assert (
        "that an answer is owed in the same cases, of toll(k): by z3 and cvc5 (every state, of whatever size)"
        in (" ".join(out.split()))
    )
    code, out = gazette("diff", rules(asked), rules(asked, other, ("toll(k) = 50", "toll(k) = 60")))
    assert code == 1
    assert "proved to be the same cases, by z3 and cvc5 (every state, of whatever size)" in " ".join(
        out.split()
    )


def test_odds_that_are_kept_need_not_be_whole(rules: MakeRules) -> None:
    kept = (
        ("  raised: bool\n", "  raised: bool\n  price: odds = 1 to 1\n"),
        ("event raise by keeper\n", "event raise by keeper\nevent quote(price: odds) by keeper\n"),
        ("on raise\n", "on quote(p)\n  price = p\n\non raise\n"),
        ("must not cross when raised", "must not cross when price > 1 to 1"),
    )
    more = ("when price > 1 to 1", "when price >= 2 to 1")
    (norm,) = compare(load(rules(*kept)), load(rules(*kept, more))).norms
    assert norm.turn == "narrower"
    uneven = (*kept[:1], ("= 1 to 1\n", "= 3 to 2\n"), *kept[3:])
    (norm,) = compare(load(rules(*uneven)), load(rules(*uneven, more))).norms
    assert norm.turn == "narrower"
