"""Words held against each other: figures are one however they are written, and nothing else is."""

from __future__ import annotations

import pytest

from verifier.diff.words import Span, compare, tokens


def keys(text: str) -> list[str]:
    return [token.key for token in tokens(text)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a total of twenty-one or less", "a total of 21 or less"),
        ("Twenty‑one", "21"),
        ("six to eight decks", "6 to 8 decks"),
        ("odds of five thousand to one", "odds of 5,000 to 1"),
        ("one hundred and five", "105"),
        ("two hundred; and", "200, and"),
        ("a card from two to ten (inclusive) shall", "a card from 2 to 10 inclusive shall"),
        ("“Box” means", "box means"),
        ("a stand off;", "a stand off"),
    ],
)
def test_the_same_words(one: str, other: str) -> None:
    assert keys(one) == keys(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("twenty-one", "twenty-two"),
        ("twenty one", "21"),
        ("paragraph (c)", "paragraph c"),
        ("rule 5.1", "rule 51"),
        ("two, hundred", "200"),
        ("one and two", "3"),
        ("more than 21", "21 or more"),
    ],
)
def test_other_words(one: str, other: str) -> None:
    assert keys(one) != keys(other)


def test_each_run_of_words_stands_as_it_is_written() -> None:
    old, new = (
        tokens("win with twenty-one in more than two cards;"),
        tokens("win with 21 either in more than 2 cards"),
    )
    assert compare(old, new) == (
        Span("same", "win with twenty-one", "win with 21"),
        Span("changed", "", "either"),
        Span("same", "in more than two cards;", "in more than 2 cards"),
    )


def test_nothing_against_something() -> None:
    assert compare((), ()) == ()
    assert compare(tokens("a toll"), ()) == (Span("changed", "a toll", ""),)
