"""What no rule says and is not the same: whose act an event is, what it reads by name, values, lives, chance."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from verifier.diff.whole import compare
from verifier.exits import Exit
from verifier.model.load import load

MakeRules = Callable[..., Path]
Gazette = Callable[..., tuple[int, str]]

BASE = (
    ("enum Kind: foot | cart\n", "enum Kind: foot | cart\ntype Lane = 1..7\n"),
    ("  raised: bool\n", "  raised: bool\n  left: 0..100 = 9\n"),
    ("event raise by keeper\n", "event raise by keeper\nevent send(lane: Lane, fare: 0..9) by keeper\n"),
    ("claims amount = toll(kind)", "claims amount = due(kind)"),
    ("state crossing\n", 'entity Boat(lane: Lane) in crossing written "b{lane}"\n  laden: bool\n\nstate crossing\n'),
    ("  charged = yes\n", "  charged = spent(yes)\n\nchance charge(kind) uniform\n"),
    (
        "  option lanes: 2..3\n",
        "  option lanes: 2..3\n  define few: 2..9 = 2\n  require lanes >= few\n  define due(k: Kind): money = toll(k)\n"
        "  define spent(x: bool): bool = x\n",
    ),
)  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("event raise by keeper\n", "event raise by keeper | traveller\n", "whose act the event raise is"),
        ("money = toll(k)", "money = toll(k) + 1", "what the event charge needs, claims or moves"),
        ("bool = x", "bool = not x", "what the event charge does"),
        ("Lane = 1..7", "Lane = 1..9", "what values a Lane may have"),
        ("foot | cart", "foot | cart | mule", "what values a Kind may have"),
        ("fare: 0..9", "fare: 0..10", "what values the event send takes"),
        ("left: 0..100", "left: 0..200", "what values left may have"),
        ("= 9", "= 8", "what left is at first"),
        ("laden: bool", "laden: bool = yes", "what laden of a Boat is at first"),
        ("in crossing", "in bridge", "how long a Boat lasts"),
        ("life crossing ends leave", "life crossing ends cross", "when the crossing begins and ends"),
        ("chance charge(kind) uniform\n", "", "by what chance values come about"),
        ("2..9 = 2", "2..9 = 3", "what is required of options"),
    ],
)
def test_what_is_declared_otherwise_is_not_called_the_same(
    rules: MakeRules, old: str, new: str, what: str
) -> None:
    whole = compare(load(rules(*BASE)), load(rules(*BASE, (old, new))))
    assert whole.background == (what,)
    assert whole.exit == Exit.UNDECIDED


def test_what_an_option_is_where_nobody_states_it_is_told(rules: MakeRules, gazette: Gazette) -> None:
    stated = ("option lanes: 2..3\n", "option lanes: 2..3 = 2\n")
    code, out = gazette(
        "diff", rules(stated), rules(stated, ("2..3 = 2", "2..3 = 3")), "--format", "markdown"
    )
    assert code == Exit.BROKEN
    row = "| lanes | 1.1: 2 to 3; 2 where nobody states it | 1.1: 2 to 3; 3 where nobody states it |"
    assert row in out.splitlines()
