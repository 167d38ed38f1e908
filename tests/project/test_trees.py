"""Trees of dataclasses written as JSON and read back."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier.trees import Classes, built, written


@dataclass(frozen=True, slots=True)
class Spot:
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Word:
    at: Spot
    text: str


@dataclass(frozen=True, slots=True)
class Pair:
    left: Any
    at: Spot | None
    right: Any


@dataclass(frozen=True, slots=True)
class Empty:
    pass


CLASSES = Classes({kind.__name__: kind for kind in (Spot, Word, Pair, Empty, date)}, Spot)

SPOTS = st.builds(Spot, st.integers(), st.integers())
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.text()
    | st.dates()
    | SPOTS
    | st.builds(Word, SPOTS, st.text())
    | st.just(Empty())
)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4).map(tuple) | st.builds(Pair, inner, st.none() | SPOTS, inner),
    max_leaves=12,
)


@given(TREES)
def test_what_is_read_back_is_what_was_written(tree: object) -> None:
    found = built(json.loads(json.dumps(written(tree, CLASSES))), CLASSES)
    assert repr(found) == repr(tree)  # 1 is not true


def test_other_classes_are_not_written() -> None:
    with pytest.raises(KeyError):
        written((Word(Spot(1, 1), "a"), 1.5), CLASSES)


@pytest.mark.parametrize(
    "value",
    [
        None,
        "text",
        [],
        [["Word"], [1, 1]],
        [["Word"], [1, 1], [0, "a"], 3],
        [["Path"], [], [0]],
        [["Word"], [1], [0, "a"]],
        [["Word"], [], [0, "a"]],
        [["Word"], [1, 1, 2, 2], [0, "a"]],
        [["Word"], [1, 1], [1, "a"]],
        [["Word"], [1, 1], [-2, "a"]],
        [["Word"], [1, 1], [True, "a"]],
        [["Word"], [1, 1], ["Word", "a"]],
        [["Word"], [1, 1], [0, "a", "b"]],
        [["Word"], [1, 1], [[]]],
        [["date"], [], [0, 1998, 13, 1]],
        [[["Word"]], [], []],
    ],
)
def test_what_is_no_tree_is_refused(value: Any) -> None:
    with pytest.raises((LookupError, TypeError, ValueError)):
        built(value, CLASSES)


def test_what_is_too_deep_is_refused() -> None:
    value: Any = 1
    for _ in range(100_000):
        value = [-1, value]
    with pytest.raises(RecursionError):
        built([[], [], value], CLASSES)
