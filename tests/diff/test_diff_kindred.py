"""Examples as play would have them: what was made of another thing is like it, where the example is as good so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from verifier.core.lower import lower
from verifier.diff.kindred import alike
from verifier.diff.whole import compare
from verifier.model.load import load
from verifier.prove.question import Sometimes
from verifier.run.state import EXISTS, first_state

MakeRules = Callable[..., Path]


@pytest.mark.parametrize("good", [True, False])
def test_what_was_made_of_another_thing_is_like_it(good: bool) -> None:
    ruleset = load("nz/blackjack-1998")
    state = first_state(ruleset)
    ten, two = ((8, 0, 1),), ((0, 0, 1),)
    first = {EXISTS: True, "cards": ten, "split_from": 10}
    second = {EXISTS: True, "cards": two, "split_from": 0, "made_from": (1, 1), "doubled": True}
    state.entities["Hand"] = {(1, 1): dict(first), (1, 2): dict(second)}
    at = Sometimes(state, {}, {}, None, "", ())
    alike(lower(ruleset), at, lambda: lambda: good)
    hands = at.state.entities["Hand"]
    if good:
        # The first has what its first card has; the second, made of it, has that too, and nothing else of its own.
        assert hands[1, 1]["split_from"] == 8
        assert hands[1, 2] == {EXISTS: True, "cards": ten, "split_from": 8, "made_from": (1, 1)}
    else:
        assert hands == {(1, 1): first, (1, 2): second}


def test_an_example_shows_what_has_happened(rules: MakeRules) -> None:
    cap = '  unobservable "the log records crossings and tolls, not what people wear"\n'
    often = cap + "  traveller must not cross when number of (cross this bridge) >= "
    (norm,) = compare(load(rules((cap, often + "3\n"))), load(rules((cap, often + "6\n")))).norms
    assert norm.told is not None
    (region,) = norm.told.regions
    assert region.example is not None
    assert ("number of (cross this bridge)", "3") in region.example.state
