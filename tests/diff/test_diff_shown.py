"""What an example tells of a state: what it needs, and all that it has."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from verifier.core.lower import lower
from verifier.diff.shown import shown_state
from verifier.diff.whole import compare
from verifier.model.load import load
from verifier.run.state import first_state

MakeRules = Callable[..., Path]
Change = tuple[str, str]

TAB = (
    ("  charged: bool\n", "  charged: bool\n  paid: Kind -> money\n  met: set of Kind\n"),
    ("  charged = yes\n", "  charged = yes\n  paid[k] = paid[k] + a\n  met gains k\n"),
)


@pytest.mark.parametrize("kind", ["cart", "foot"])
def test_an_example_tells_what_a_map_holds_that_it_needs(rules: MakeRules, kind: str) -> None:
    def short_of(amount: int) -> tuple[Change, ...]:
        raised = "traveller must not cross when raised"
        return *TAB, (raised, f"{raised}\n  traveller must not cross when paid[{kind}] > {amount}")

    (norm,) = compare(load(rules(*short_of(100))), load(rules(*short_of(300)))).norms
    assert norm.told is not None
    (region,) = norm.told.regions
    assert region.example is not None
    ((name, value),) = region.example.state
    assert name == f"paid[{kind}]"
    assert 100 < int(value) <= 300


def test_a_state_is_told_with_its_maps_and_sets(rules: MakeRules) -> None:
    ruleset = load(rules(*TAB))
    state = first_state(lower(ruleset).ruleset)
    assert shown_state(ruleset, state, None) == []
    state.fields["paid"] = {0: 0, 1: 200}
    state.fields["met"] = {0: True, 1: False}
    assert shown_state(ruleset, state, None) == [("paid[cart]", "200"), ("met[foot]", "yes")]


def test_an_example_tells_the_options_that_only_a_value_reads(rules: MakeRules) -> None:
    dear = ("toll(k) = 200", "toll(k) = 100 * lanes")
    meaning = compare(load(rules(dear)), load(rules(("toll(k) = 200", "toll(k) = 90 * lanes")))).meaning
    assert meaning is not None
    (matter,) = [matter for matter in meaning.matters if matter.verdict == "different"]
    example = matter.differences[0].example
    assert example is not None
    ((name, lanes),) = example.options
    assert name == "lanes"
    assert (example.old.value, example.new.value) == (f"{100 * int(lanes)}", f"{90 * int(lanes)}")
