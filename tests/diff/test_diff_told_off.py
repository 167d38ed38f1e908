"""Prohibitions and permissions that stand as one rule on one side and as two on the other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from verifier.diff.whole import compare
from verifier.exits import Exit
from verifier.model.load import load

MakeRules = Callable[..., Path]

TWO = (
    ('rule 1.3 "The keeper shall wear a cap"\n', 'rule 1.3 "No cart shall cross at night"\n'),
    ("1.3 The keeper shall wear a cap.", "1.3 No cart shall cross at night."),
    ('  unobservable "the log records crossings and tolls, not what people wear"\n', ""),
)
"""A second clause on crossings; what it forbids is put after its rule's line."""


def _crossing(first: str, second: str) -> tuple[tuple[str, str], ...]:
    other = 'rule 1.3 "No cart shall cross at night"\n'
    return (
        *TWO,
        ("  traveller must not cross when raised\n", f"  traveller must not cross when {first}\n"),
        (other, f"{other}  traveller must not cross when {second}\n"),
    )


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("raised or charged", "raised", True),
        ("raised", "charged or raised", True),
        ("charged", "raised", True),
        ("raised", "raised", False),
        ("raised or charged", "not raised", False),
    ],
)
def test_what_two_rules_say_between_them_may_be_told_off_otherwise(
    rules: MakeRules, first: str, second: str, same: bool
) -> None:
    whole = compare(load(rules(*_crossing("raised", "charged"))), load(rules(*_crossing(first, second))))
    assert all(norm.same for norm in whole.norms) == same
    assert whole.exit == (Exit.HOLDS if same else Exit.BROKEN)


def test_a_rule_joined_to_another_is_no_difference(rules: MakeRules) -> None:
    joined = (("cross when raised", "cross when raised or charged"),)
    for old, new in ((_crossing("raised", "charged"), joined), (joined, _crossing("raised", "charged"))):
        whole = compare(load(rules(*old)), load(rules(*new)))
        assert whole.norms
        assert all(norm.same for norm in whole.norms)
